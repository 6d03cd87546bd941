"""Graphs in one line: nodes one after another, or side by side."""

import operator
from collections.abc import Callable
from typing import Annotated, Any

from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from typing_extensions import TypedDict

Graph = CompiledStateGraph[Any, Any, Any, Any]
Node = Callable[..., Any]


class State(TypedDict, total=False):
    message: str
    answer: str
    found: Annotated[list[Any], operator.add]


def chain(*nodes: Node | tuple[str, Any], state: Any = State, schemas: Any = None, **compiled: Any) -> Graph:
    """Nodes that run one after another, each named as its function is, or as the pair says."""
    builder = StateGraph(state, **(schemas or {}))
    before = START
    for name, node in map(_named, nodes):
        builder.add_node(name, node)
        builder.add_edge(before, name)
        before = name
    builder.add_edge(before, END)
    return builder.compile(**compiled)


def pipeline(state: Any = MessagesState, /, **nodes: Any) -> Graph:
    """Nodes that run one after another, by name; by default on a conversation."""
    return chain(*nodes.items(), state=state)


def beside(*nodes: Node | tuple[str, Any], state: Any = State, **compiled: Any) -> Graph:
    """Nodes that run at the same time."""
    builder = StateGraph(state)
    for name, node in map(_named, nodes):
        builder.add_node(name, node)
        builder.add_edge(START, name)
        builder.add_edge(name, END)
    return builder.compile(**compiled)


def _named(node: Node | tuple[str, Any]) -> tuple[str, Any]:
    return node if isinstance(node, tuple) else (node.__name__, node)
