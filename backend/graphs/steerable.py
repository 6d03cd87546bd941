"""Tells whether the runs of a graph can take messages in, and which of its nodes ask a model."""

import ast
from collections.abc import Iterator
from typing import Any, cast

from langchain_core.language_models import BaseLanguageModel
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langgraph.channels import BinaryOperatorAggregate
from langgraph.graph import START
from langgraph.prebuilt import ToolNode
from langgraph.pregel import Pregel

from .graph_input import GraphInput
from .graph_options import Graph
from .node_code import RUNNABLE, Made, codes_in

_NO_THREAD = "it is compiled with checkpointer=False"
_NO_CONVERSATION = "its state has no conversation that messages are added to"
_ONE_STEP = "it has one node, after which nothing follows"


def why_not_steered(graph: Graph, takes: GraphInput) -> str:
    """Return why the runs of a graph can take no message in; "" if they can."""
    outermost: Any = graph
    if graph.checkpointer is False:
        return _NO_THREAD
    builder: Any = getattr(graph, "builder", None)
    # Not a `DeltaChannel`: what is added to it is stored by the node that wrote it.
    if builder is None or not isinstance(
        outermost.channels.get(takes.conversation_field), BinaryOperatorAggregate
    ):
        return _NO_CONVERSATION
    nodes = [name for name in graph.nodes if name != START]
    may_go_on = len(nodes) > 1 or any(map(builder.branches.get, nodes)) or _follows_itself(builder)
    if not may_go_on:
        return _ONE_STEP
    return ""


def nodes_that_ask(graph: Graph) -> frozenset[str]:
    """Return the nodes whose code names a model, or what may hold one: a chain, an agent, a graph."""
    return frozenset(name for name, node in graph.nodes.items() if any(map(_may_ask, _parts(node.bound))))


def _follows_itself(builder: Any) -> bool:
    return any(begin == end for begin, end in builder.edges)


def _parts(bound: Any) -> Iterator[Any]:
    """Yield what a node runs, and what the names in its functions stand for."""
    yield bound
    try:
        for code in codes_in(bound):
            for node in ast.walk(code.body):
                if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                    yield code.value(node)
    except Exception:  # noqa: BLE001 - whatever foreign code holds: what it asks is seen when it runs
        return


def _may_ask(value: Any) -> bool:
    if isinstance(value, BaseTool | ToolNode):
        return False
    if isinstance(value, BaseLanguageModel | Pregel) or value is RUNNABLE:
        return True
    if isinstance(value, Made):
        return isinstance(value.by, type) and issubclass(value.by, BaseLanguageModel)
    return isinstance(value, Runnable) and getattr(cast("Any", value), "func", None) is None
