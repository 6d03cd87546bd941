"""The interface of a graph, and the report of `detour check`: a line for each part, supported or not."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import structlog
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import CachePolicy

from .graph_input import FILLED, REPLY_KEYS, SETTING, GraphInput, RunContext
from .graph_options import Graph, GraphOptions, fields_of
from .graph_output import GraphReply
from .langgraph_internals import graphs_within, plain_function, remote_graphs_within
from .node_code import NodeReach, reach_of
from .steering import reads_pending, why_not_steered

# --- graph interface -----------------------------------------------------------------------------------
# The input, the context and the reply of a graph, read once.


class GraphInterface:
    """A graph with its input, reply and context, under the options that hold for it.

    `fault` says why the graph cannot be served with these options; None if it can.
    """

    def __init__(self, graph: Graph, options: GraphOptions) -> None:
        self.graph = graph
        self.options = _of_one(graph, options)
        self.takes = GraphInput(graph, self.options.input_field)
        self.reply = GraphReply(graph, self.options.reply_key)
        self.context = RunContext(graph.context_schema, options.context, lenient=options.several)
        self.fault = self.context.fault or self.takes.fault or self.reply.fault

    @cached_property
    def reach(self) -> Sequence[NodeReach]:
        """The nodes of which callbacks do not follow everything, or that block the event loop."""
        return reach_of(self.graph)

    @cached_property
    def not_steered(self) -> str:
        """Why its runs can take no messages in; "" if they can."""
        return why_not_steered(self.graph, self.takes)

    @cached_property
    def reads_pending(self) -> bool:
        """Whether its nodes take messages in by themselves."""
        return reads_pending(self.graph)


def _of_one(graph: Graph, options: GraphOptions) -> GraphOptions:
    """Return the settings for one of several graphs: without fields that it does not have."""
    if not options.several:
        return options
    return replace(
        options,
        input_field=options.input_field if options.input_field in GraphInput(graph).fields else "",
        reply_key=options.reply_key if options.reply_key in GraphReply(graph).keys else "",
    )


# --- support -------------------------------------------------------------------------------------------


Verdict = Literal["yes", "no", "note"]


_ITEMS = {
    False: "where each user's items lie apart",
    True: "which all users share, as DETOUR_GRAPH_STORE says",
}
_KEY_OF_INPUT: Any = CachePolicy().key_func
_SHARED_CACHE = (
    "what one user's run has put into the cache is given to any other whose key is the same; if it depends "
    "on the user, have the node's input hold user_id, or the key that its CachePolicy makes"
)
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Support:
    """One line: whether a part of the graph is supported, or works with the limit that the text names."""

    verdict: Verdict
    part: str
    text: str


def support_of(interface: GraphInterface) -> Iterator[Support]:
    """Yield a line for each part of a graph."""
    graph, options = interface.graph, interface.options
    yield Support("yes", "kind", _kind(graph))
    yield from _input(interface.takes, has_own_schema=_has_input_schema(graph))
    yield Support("yes", "reply", _reply(interface.reply, options))
    yield _context(interface.context, options)
    yield _store(graph, options)
    yield _checkpointer(graph)
    within: Mapping[str, Graph] = graphs_within(graph)
    shared = _shared_caches({"": graph, **within})
    if shared:
        yield Support("note", "cache", f"{', '.join(shared)}: {_SHARED_CACHE}")
    yield _steering(interface.not_steered)
    yield from _pauses(graph, within)
    if within:
        yield Support("yes", "subgraphs", f"{', '.join(within)}; what they do belongs to the node of each")
    remote = remote_graphs_within(graph)
    if remote:
        yield Support(
            "note", "remote graphs", f"{', '.join(remote)}: run elsewhere, and only their end is seen"
        )
    yield _plain_nodes({"": graph, **within})
    yield from _reach(interface.reach)


def log_start(name: str, interface: GraphInterface) -> None:
    """Log the limits of a graph, before its first message."""
    if interface.graph.store is not None:
        _log.info(
            "a graph brings a store of its own", graph=name, items=_ITEMS[interface.options.shares_store]
        )
    shared = _shared_caches({"": interface.graph, **graphs_within(interface.graph)})
    if shared:
        _log.warning(
            "all users share what a graph's cache holds", graph=name, nodes=shared, but=_SHARED_CACHE
        )
    for each in _reach(interface.reach):
        _log.warning("a node of a graph has a limit", graph=name, part=each.part, limit=each.text)
    asked = interface.context.asked_of_messages
    if asked:
        _log.warning("each message must bring parts of the context", graph=name, fields=asked)


def _steering(why_not: str) -> Support:
    if why_not:
        return Support("note", "steering", f"messages sent with steer wait for the end of the run: {why_not}")
    return Support("yes", "steering", "takes messages in after a step, before a node that asks a model")


def _kind(graph: Graph) -> str:
    nodes = [name for name in graph.nodes if not name.startswith("__")]
    if isinstance(graph, CompiledStateGraph):
        return f"state graph with {len(nodes)} node{'' if len(nodes) == 1 else 's'}"
    return f"functional graph or Pregel, {', '.join(nodes)}"


def _has_input_schema(graph: Graph) -> bool:
    """Tell whether a state graph declares its input by itself; else its nodes fill most of its state."""
    builder: Any = getattr(graph, "builder", None)
    return builder is not None and builder.input_schema is not builder.state_schema


def _input(takes: GraphInput, *, has_own_schema: bool) -> Iterator[Support]:
    filled = [name for name in (*FILLED, takes.message_field) if name in takes.filled]
    filled += [f"{takes.brought_field}, which each message brings as input"] if takes.brought_field else []
    what = {"text": "the message", "messages": "the conversation"}.get(takes.kind, ", ".join(filled))
    yield Support("yes", "input", f"gets {what}")
    own = takes.message_field
    if own and own not in FILLED:
        yield Support("yes", "message", f"goes to the field {own}")
    known = {*takes.filled, takes.brought_field, *REPLY_KEYS}
    missing = [name for name, field in takes.fields.items() if field.required and name not in known]
    if missing and has_own_schema:
        yield Support("note", "input", f"never given: {', '.join(missing)}; nodes must do without")


def _reply(reply: GraphReply, options: GraphOptions) -> str:
    if not reply.keys:
        return "what the function returns: a text, a message, the last of several, or a key of a mapping"
    keys = [key for key in (options.reply_key, *REPLY_KEYS) if key in reply.keys]
    words = [f"the key {key}" for key in keys]
    words += ["the last message"] if "messages" in reply.keys else []
    words += ["the only text of the final state but the message"]
    return ", else ".join(words)


def _context(context: RunContext, options: GraphOptions) -> Support:
    if not context.fields:
        configurable = ", ".join(["user_id", *options.context])
        return Support("yes", "context", f"none declared; context and configurable have {configurable}")
    asked = context.asked_of_messages
    parts = [f"{name} ({_source(name, options, asked)})" for name in context.fields]
    return Support("note" if asked else "yes", "context", ", ".join(parts))


def _source(name: str, options: GraphOptions, asked: Sequence[str]) -> str:
    if name == "user_id":
        return "the user's id"
    if name in asked:
        return f"each message must bring it, or {SETTING}"
    return SETTING if name in options.context else "its own default"


def _store(graph: Graph, options: GraphOptions) -> Support:
    if graph.store is None:
        return Support("yes", "store", "the server's, durable, one for each user")
    verdict: Verdict = "note" if options.shares_store else "yes"
    return Support(verdict, "store", f"its own {type(graph.store).__name__}, {_ITEMS[options.shares_store]}")


def _checkpointer(graph: Graph) -> Support:
    whole: Any = graph
    own: Any = whole.checkpointer
    if own is False:
        return Support(
            "note",
            "checkpointer",
            "checkpointer=False: begins anew each time, and cannot ask with interrupt()",
        )
    if own is None or own is True:
        return Support("yes", "checkpointer", "none needed: the server keeps the state for each user")
    return Support(
        "note", "checkpointer", f"its own {type(own).__name__} is not used: the server has another"
    )


def _shared_caches(graphs: Mapping[str, Graph]) -> list[str]:
    """Return the nodes whose cached results reach other users; which tasks do is not known.

    A node that is given `user_id` has a key of its own for each user, unless it makes its key by itself.
    """
    shared: list[str] = []
    for place, graph in graphs.items():
        whole: Any = graph
        if graphs[""].cache is None and graph.cache is None:
            continue
        builder: Any = getattr(whole, "builder", None)
        if builder is None:
            shared.append(place or "its tasks")
            continue
        for name, node in builder.nodes.items():
            policy: Any = node.cache_policy or whole.cache_policy
            has_own = policy is not None and policy.key_func is _KEY_OF_INPUT
            if policy is not None and not (has_own and "user_id" in (fields_of(node.input_schema) or {})):
                shared.append(f"{place}|{name}".lstrip("|"))
    return shared


def _pauses(graph: Graph, within: Mapping[str, Graph]) -> Iterator[Support]:
    if graph.checkpointer is not False:
        yield Support("yes", "interrupt()", "asks the user, and resumes with the answer")
    for name, each in {"": graph, **within}.items():
        for when, nodes in (("before", each.interrupt_before_nodes), ("after", each.interrupt_after_nodes)):
            if nodes:
                stops = "any node" if nodes == "*" else ", ".join(nodes)
                where = f" of {name}" if name else ""
                if graph.checkpointer is False:
                    text = f"a task fails when its run stops {when} {stops}{where}: it cannot resume"
                    yield Support("no", "breakpoints", text)
                else:
                    text = f"asks the user whether to go on {when} {stops}{where}"
                    yield Support("yes", "breakpoints", text)


def _reach(found: Sequence[NodeReach]) -> Iterator[Support]:
    for each in found:
        for call, place in each.blocking.items():
            text = f"{each.node} calls {call} ({place}) in async code: all users wait until it has ended"
            yield Support("note", "blocking calls", text)
    for each in found:
        for tool, place in each.unfollowed.items():
            text = f"{each.node} runs {tool} ({place}): not seen, and after a kill told as unknown"
            yield Support("note", "not followed", text)


def _plain_nodes(graphs: Mapping[str, Graph]) -> Support:
    plain: list[str] = []
    for place, graph in graphs.items():
        for name, node in graph.nodes.items():
            if not name.startswith("__"):
                plain += [f"{place}|{name}".lstrip("|")] if plain_function(node.bound) is not None else []
                plain += _plain_tools(node.bound)
    if not plain:
        return Support("yes", "plain functions", "none: an interruption cancels every node at its next await")
    return Support(
        "note", "plain functions", f"{', '.join(plain)}: an interruption does not end what runs in a thread"
    )


def _plain_tools(bound: Any) -> list[str]:
    """Return the tools of a `ToolNode` that have no async function."""
    tools: Mapping[str, Any] = getattr(bound, "tools_by_name", {})
    return [
        f"the tool {name}"
        for name, tool in tools.items()
        if getattr(tool, "func", None) is not None and getattr(tool, "coroutine", None) is None
    ]
