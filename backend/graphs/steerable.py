"""Tells whether the runs of a graph can take messages in, and which of its nodes ask a model."""

import ast
from collections.abc import Iterator
from typing import Any

from langchain_core.language_models import BaseLanguageModel
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langgraph.graph import START
from langgraph.prebuilt import ToolNode
from langgraph.pregel import Pregel

from .graph_input import GraphInput
from .graph_options import Graph
from .langgraph_internals import adds_to, graphs_within
from .node_code import RUNNABLE, Body, Made, codes_in, package_of

_NO_THREAD = "it is compiled with checkpointer=False"
_NO_CONVERSATION = "its state has no conversation that messages are added to"
PENDING = "pending_messages"
"""The function by which a node takes messages in itself."""

_MOST_CODES = 200
"""Functions of one node that are looked at."""

_ONE_STEP = "it has one node, after which nothing follows"


def why_not_steered(graph: Graph, takes: GraphInput) -> str:
    """Return why the runs of a graph can take no message in; "" if they can."""
    outermost: Any = graph
    if reads_pending(graph):
        return ""
    if graph.checkpointer is False:
        return _NO_THREAD
    builder: Any = getattr(graph, "builder", None)
    if builder is None or not adds_to(outermost, takes.conversation_field):
        return _NO_CONVERSATION
    nodes = {name: node.bound for name, node in graph.nodes.items() if name != START}
    goes_on = len(nodes) > 1 or any(map(builder.branches.get, nodes)) or _follows_itself(builder)
    # The graph that a node runs has steps of its own.
    if not (goes_on or any(isinstance(part, Pregel) for bound in nodes.values() for part in _parts(bound))):
        return _ONE_STEP
    return ""


class Asking(set[tuple[str, ...]]):
    """The nodes that have asked a model, by their paths."""

    def __init__(self) -> None:
        super().__init__()
        self._may: dict[tuple[str, ...], bool] = {}
        self._may_answer: dict[tuple[str, ...], bool] = {}

    def may(self, path: tuple[str, ...], runs: Any) -> bool:
        """Tell whether the code of a node names a model, or what may hold one: a chain, an agent, a graph."""
        known = self._may.get(path)
        if known is None:
            known = self._may[path] = any(map(_may_ask, _parts(runs)))
        return known

    def may_answer(self, path: tuple[str, ...], runs: Any, channel: str) -> bool:
        """Tell whether a node may add to the conversation, by what its functions return."""
        known = self._may_answer.get(path)
        if known is None:
            # What a chain returns is what its last part does.
            codes = [*codes_in(runs)] if _is_function(runs) else []
            known = not codes or any(_may_return(channel, code.body) for code in codes)
            self._may_answer[path] = known
        return known


def reads_pending(graph: Graph) -> bool:
    """Tell whether a node of a graph, or of one within it, calls `pending_messages`."""
    graphs = [graph, *graphs_within(graph).values()]
    bound = (node.bound for each in graphs for node in each.nodes.values())
    return any(getattr(value, "__name__", "") == PENDING for each in bound for value in _parts(each))


def _may_return(channel: str, body: Body) -> bool:
    """Tell whether a function may return an update of a channel; so does what cannot be read."""
    if isinstance(body, ast.Lambda):
        return _may_update(channel, body.body)
    parts: list[ast.AST] = [*body.body]
    while parts:
        part = parts.pop()
        if isinstance(part, ast.Return) and _may_update(channel, part.value):
            return True
        if not isinstance(part, Body | ast.ClassDef):
            parts += ast.iter_child_nodes(part)
    return False


def _may_update(channel: str, value: ast.AST | None) -> bool:
    match value:
        case None | ast.Constant():
            return False
        case ast.Dict():
            return any(not isinstance(key, ast.Constant) or key.value == channel for key in value.keys)
        case ast.Call(func=ast.Name(id="Command"), args=[]):
            updates = [each.value for each in value.keywords if each.arg in ("update", None)]
            return any(_may_update(channel, each) for each in updates)
        case _:
            return True


def _follows_itself(builder: Any) -> bool:
    return any(begin == end for begin, end in builder.edges)


def _parts(bound: Any) -> Iterator[Any]:
    """Yield what a node runs, and what the names stand for in its functions and in those that they use."""
    yield bound
    try:
        yield from _named_in(bound)
    except Exception:  # noqa: BLE001 - whatever foreign code holds: what it asks is seen when it runs
        return


def _named_in(bound: Any) -> Iterator[Any]:
    codes, seen = [*codes_in(bound)], set[Any]()
    while codes and len(seen) < _MOST_CODES:
        code = codes.pop()
        if code.function in seen:
            continue
        seen.add(code.function)
        for node in ast.walk(code.body):
            if isinstance(node, ast.Call):
                yield code.value(node)  # a model that the node makes
            elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                value = code.value(node)
                yield value
                if package_of(value) == package_of(code.function):
                    codes += codes_in(value)


def _may_ask(value: Any) -> bool:
    if isinstance(value, BaseTool | ToolNode):
        return False
    if isinstance(value, BaseLanguageModel | Pregel) or value is RUNNABLE:
        return True
    if isinstance(value, Made):
        return isinstance(value.by, type) and issubclass(value.by, BaseLanguageModel)
    # A function made a runnable asks what its code says.
    return isinstance(value, Runnable) and not _is_function(value)


def _is_function(runnable: Any) -> bool:
    """Tell whether a runnable is made of a function, plain, async or both."""
    return [getattr(runnable, name, None) for name in ("func", "afunc")] != [None, None]
