"""The undocumented parts of LangGraph that the server uses.

`tests/contract/test_langgraph_internals.py` runs LangGraph through each of these. If it fails after an
upgrade, find what took the place of the name in LangGraph's own code for subgraphs (`astream` in
`langgraph/pregel/main.py`), change it here, and run `tests/contract`. If nothing took its place, decision
0003 names the documented way, and what that costs.

Beside these names, `TaskCheckpointer` relies on how `InMemorySaver` lays out its three dictionaries.
"""

import copy
import functools
import inspect
from collections.abc import Awaitable, Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from contextvars import Context
from typing import Any, cast, get_args, get_origin

import ormsgpack
from langchain_core.messages import ToolCall as Asked
from langchain_core.messages import ToolMessage
from langchain_core.runnables.config import RunnableConfig, var_child_runnable_config
from langgraph._internal import _future
from langgraph._internal._constants import (
    CONFIG_KEY_CHECKPOINTER,
    CONFIG_KEY_RUNTIME,
    CONFIG_KEY_SCRATCHPAD,
    CONFIG_KEY_SEND,
    CONFIG_KEY_STREAM,
    INPUT,
    INTERRUPT,
    PREVIOUS,
    PUSH,
    RESUME,
)
from langgraph._internal._typing import MISSING
from langgraph.channels import BinaryOperatorAggregate, DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver, DeltaChannelHistory, writes_sort_key
from langgraph.checkpoint.serde.jsonplus import EXT_METHOD_SINGLE_ARG, JsonPlusSerializer
from langgraph.config import get_config
from langgraph.prebuilt import ToolNode
from langgraph.pregel import Pregel, _algo
from langgraph.pregel._loop import PregelLoop
from langgraph.pregel.protocol import StreamProtocol
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from langgraph.types import Interrupt
from langgraph_sdk.runtime import ServerRuntime
from typing_extensions import TypedDict

from .graph_options import Graph, type_hints

Chunk = tuple[tuple[str, ...], str, Any]
"""A chunk of a run's stream: `(namespace of the subgraph, mode, payload)`."""

SAVED = PREVIOUS
"""The channel of the value that a functional graph saved at the end of its last run."""

AS_INPUT = INPUT
"""The node in whose name an update of the state is the input of a run."""

_CACHED = "__metadata__"
"""The key of an update that was not computed but read from the graph's cache; such a node streams no end."""


class _NothingToStore:
    """The last write of a run that has not written a checkpoint yet: done, awaited or not."""

    def result(self) -> None:
        """Return at once."""

    def __await__(self) -> Generator[None]:
        yield from ()


# With `durability="sync"` LangGraph (1.2.22) waits for the last write after each step, and a graph that is
# compiled with `checkpointer=False` within one that is not has none: it fails with an AttributeError.
setattr(PregelLoop, "_put_checkpoint_fut", _NothingToStore())  # noqa: B010 - private for pyright

# From Python 3.12 on LangGraph starts nodes by `asyncio.eager_task_factory`, past the task factory of the
# loop: they would belong to no `CancelScope`, and a `sys.exit()` in one would end the process.
setattr(_future, "EAGER_NOT_SUPPORTED", True)  # noqa: B010 - private for pyright


_TAKING_IN = "__detour_taking_in"

_after_tick = PregelLoop.after_tick


def _take_in_and_end_the_step(loop: PregelLoop) -> None:
    """End a step of a run, after the call of the function given by `called_between_steps`."""
    take_in = loop.config.get("configurable", {}).get(_TAKING_IN)
    if take_in is not None:
        take_in(Boundary(loop))
    _after_tick(loop)


# For all runs, since a run makes its own loop; a run without such a function looks up one key.
setattr(PregelLoop, "after_tick", _take_in_and_end_the_step)  # noqa: B010 - private for pyright


def called_between_steps(at: "Callable[[Boundary], None]") -> dict[str, Any]:
    """Return the `configurable` key that has a run call `at` at each boundary between two of its steps.

    Also at those of the graphs within, from whatever thread these run in.
    """
    return {_TAKING_IN: at}


_ALGORITHM: Any = _algo


def _place_in_step(task: Any) -> tuple[str, str, int]:
    """Return by what LangGraph sorts the tasks of a step, to apply what they wrote."""
    return writes_sort_key(_ALGORITHM.task_path_str(task.path))


class Boundary:
    """A run after all nodes of a step have ended, and before what they wrote is applied."""

    def __init__(self, loop: Any) -> None:
        self._loop = loop
        self._written: dict[str, list[Any]] | None = None

    @property
    def nodes(self) -> list[str]:
        """The nodes of the step."""
        return sorted({task.name for task in self._loop.tasks.values()})

    @property
    def step(self) -> int:
        """The number of the step."""
        return self._loop.step

    @property
    def namespace(self) -> str:
        """The namespace of the graph, which is that of one run of its node; "" for the outermost graph."""
        if not self._loop.is_nested:
            return ""
        return self._loop.config.get("configurable", {}).get("checkpoint_ns", "")

    @property
    def run_of_node(self) -> tuple[str, int]:
        """Which run of a node the graph within belongs to, and which attempt: a node may be retried."""
        runtime = self._loop.config.get("configurable", {}).get(CONFIG_KEY_RUNTIME)
        # A graph that the node has called before counts on: `node:id`, `node:id|1`.
        run = "|".join(part for part in self.namespace.split("|") if not part.isdigit())
        return run, getattr(getattr(runtime, "execution_info", None), "node_attempt", 1)

    @property
    def path(self) -> tuple[str, ...]:
        """The nodes within which the graph runs, outermost first."""
        return tuple(each for each in _nodes_in(self.namespace) if not each.isdigit())

    @property
    def following(self) -> Mapping[str, Any]:
        """The runnables that come next with the graph's state, by node; not those sent something else."""
        triggers = self._loop.trigger_to_nodes
        written = [channel for channel in self._writes if channel in triggers]
        begun = [channel for channel in written if self._after(channel).is_available()]
        # Deferred nodes run once nothing else does.
        begun = begun or [channel for channel in triggers if self._is_finished(channel)]
        found = {name for channel in begun for name in triggers[channel]}
        return {name: self._loop.nodes[name].bound for name in found}

    def adds_to(self, channel: str) -> bool:
        """Tell whether what is written to a channel is added to what it holds."""
        return isinstance(self._loop.channels.get(channel), BinaryOperatorAggregate | DeltaChannel)

    def stops_before(self, following: Collection[str]) -> bool:
        """Tell whether the run stops here at a breakpoint, with these nodes to follow."""
        stops = ((self._loop.interrupt_before, following), (self._loop.interrupt_after, self.nodes))
        return any(bool(at) and (at == "*" or not {*nodes}.isdisjoint(at)) for at, nodes in stops)

    def value(self, channel: str, more: Any = None) -> Any:
        """Return the next value of a channel, with one more write; raises what its reducer does."""
        after = self._after(channel, *([] if more is None else [more]))
        return after.get() if after.is_available() else None

    def write(self, channel: str, value: Any) -> None:
        """Write to a channel as the last of the step."""
        # LangGraph applies the writes of a step in the order of its tasks' paths.
        last = max(self._loop.tasks.values(), key=_place_in_step)
        last.writes.append((channel, value))
        self._written = None
        if isinstance(self._loop.channels[channel], DeltaChannel):
            self._store_writes(last)

    def before_step(self, channel: str) -> Any:
        """Return the value of a channel before the writes of the step."""
        whole = self._loop.channels[channel]
        return whole.get() if whole.is_available() else None

    def write_first(self, channel: str, value: Any) -> bool:
        """Write to a channel as the first of the step. Raises what its reducer does; then nothing is written.

        False for a channel that is stored in pieces: its writes are stored by now, in order.
        """
        if not isinstance(self._loop.channels.get(channel), BinaryOperatorAggregate):
            return False
        first = min(self._loop.tasks.values(), key=_place_in_step)
        first.writes.appendleft((channel, value))
        self._written = None
        try:
            self.value(channel)
        except Exception:
            first.writes.popleft()
            self._written = None
            raise
        return True

    def grant_steps(self) -> None:
        """Give the run the steps that its limit allows once more, from here."""
        self._loop.stop = self._loop.step + self._loop.config.get("recursion_limit", 25) + 1

    def _store_writes(self, task: Any) -> None:
        """Store the writes of a task once more: of such a channel nothing else is stored."""
        loop = self._loop
        place = {
            **loop.checkpoint_config["configurable"],
            "checkpoint_ns": loop.config["configurable"].get("checkpoint_ns", ""),
            "checkpoint_id": loop.checkpoint["id"],
        }
        path = _ALGORITHM.task_path_str(task.path)
        loop.checkpointer.put_writes({"configurable": place}, [*task.writes], task.id, path)

    @property
    def _writes(self) -> dict[str, list[Any]]:
        if self._written is None:
            self._written = {}
            tasks = self._loop.tasks.values()
            for task in sorted(tasks, key=_place_in_step):
                for channel, value in task.writes:
                    if channel in self._loop.channels:
                        self._written.setdefault(channel, []).append(value)
        return self._written

    def _is_finished(self, channel: str) -> bool:
        after = self._after(channel)
        return after.finish() and after.is_available()

    def _after(self, channel: str, *more: Any) -> Any:
        """Return a copy of a channel with the writes of the step, and more, applied."""
        whole: Any = self._loop.channels[channel]
        kept: Any = whole.checkpoint()
        # A reducer may add to the very list that it is given, which `copy` would not copy.
        after: Any = whole.from_checkpoint([*kept]) if isinstance(kept, list) else whole.copy()  # pyright: ignore[reportUnknownArgumentType]
        values = [*self._writes.get(channel, ()), *more]
        if values:
            after.update(values)
        return after


def followed(
    *, streamed: Callable[[Chunk], None], written: Callable[[Any], None], store: BaseStore
) -> dict[str, Any]:
    """Return the `configurable` keys that have a run call `streamed` and `written`, as a subgraph's run does.

    They give it its `store` as well.

    `streamed` gets the modes `tasks`, `updates` and `values`. Documented is only to consume `astream`, which
    costs 0.12 ms of CPU a run instead of 0.03, does not tell which of two parallel nodes wrote something, and
    leaves nodes running if its consumer is cancelled between two chunks.
    """
    return {
        CONFIG_KEY_STREAM: StreamProtocol(streamed, {"tasks", "updates", "values"}),
        # LangGraph takes the writer and the store of a run with a stream from the runtime of its parent.
        CONFIG_KEY_RUNTIME: Runtime(stream_writer=written, store=store),
    }


def checkpointed(saver: BaseCheckpointSaver[Any]) -> dict[str, Any]:
    """Return the `configurable` key that gives one run a checkpointer, as a subgraph gets its parent's.

    Documented is only to give it to `compile()`; a copy of the compiled graph for each run costs 0.03 ms.
    """
    return {CONFIG_KEY_CHECKPOINTER: saver}


def interrupts_among(writes: Iterable[tuple[str, Any]]) -> list[Interrupt]:
    """Return the interrupts that a node raised, of what its run hands to the checkpointer."""
    return [each for channel, value in writes if channel == INTERRUPT for each in value]


def node_of_path(path: str) -> str:
    """Return the node that a task runs, of the path that its writes are kept with; "" for one of a `Send`."""
    kind, _, name = path.partition(", ")
    return name if kind == "~__pregel_pull" else ""


def node_of_branch(channel: str) -> str:
    """Return the node that a channel of a checkpoint has run next; "" for any other channel."""
    return channel.removeprefix("branch:to:") if channel.startswith("branch:to:") else ""


def is_paused(update: Mapping[str, Any]) -> bool:
    """Tell whether a chunk of the mode `updates` says that the run has paused."""
    return INTERRUPT in update


def is_cached(update: Mapping[str, Any]) -> bool:
    """Tell whether a chunk of the mode `updates` was read from the graph's cache."""
    return _CACHED in update


def outermost_node() -> str:
    """Return the name of the node that runs now, of the graph that was started and not of a subgraph."""
    return outermost_node_of(get_config().get("configurable", {})["checkpoint_ns"])


def outermost_step() -> int | None:
    """Return the number of the step that the caller's node is in; None in a node of a graph within."""
    config = get_config()
    is_within = "|" in config.get("configurable", {})["checkpoint_ns"]
    return None if is_within else config.get("metadata", {}).get("langgraph_step")


def outermost_node_of(namespace: str) -> str:
    """Return the node that a namespace such as `node:id|inner:id` begins with; "" for that of the graph."""
    return namespace.partition(":")[0]


def current_nodes(context: Context | None = None) -> tuple[str, ...]:
    """Return the nodes within which the caller's code runs, or that of a context, outermost first.

    Empty outside of every node.
    """
    variable = var_child_runnable_config
    config = variable.get() if context is None else context.get(variable)
    return _nodes_in((config or {}).get("configurable", {}).get("checkpoint_ns", ""))


def nodes_of(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the nodes in which a model or tool runs, outermost first, from the metadata of its run."""
    return _nodes_in(namespace_of(metadata))


def _nodes_in(namespace: str) -> tuple[str, ...]:
    return tuple(each.partition(":")[0] for each in namespace.split("|")) if namespace else ()


def namespace_of(metadata: Mapping[str, Any]) -> str:
    """Return the namespace of the node in which something runs, from the metadata of its run; "" outside."""
    return metadata.get("langgraph_checkpoint_ns", "")


def input_type(graph: Graph) -> tuple[str, Any]:
    """Return the type of a graph's input, and the name of the parameter that takes it, if one does.

    The documented `get_input_jsonschema()` raises for a `typing.TypedDict` before Python 3.12, and forgets
    the name. The type is a state graph's input schema, or that of an entrypoint's first parameter, `Any` if
    it has none. A graph of several input channels gives a `TypedDict` of them.
    """
    builder: Any = getattr(graph, "builder", None)
    if builder is not None:
        return "", builder.input_schema
    channels = graph.input_channels
    whole: Any = graph
    schema: Any = TypedDict  # typed so that it may be called: the fields are known at run time alone
    if not isinstance(channels, str):
        types = {name: whole.channels[name].UpdateType for name in channels}
        return "", schema("Input", types)
    function = entry_function(graph)
    if function is not None:
        first = next(iter(inspect.signature(function).parameters.values()))
        return first.name, type_hints(function).get(first.name, Any)
    return "", whole.channels[channels].UpdateType


def entry_function(graph: Graph) -> Any:
    """Return the function of a functional graph; None for any other graph."""
    if getattr(graph, "builder", None) is None:
        for node in graph.nodes.values():
            if node.triggers == [graph.input_channels]:
                return getattr(node.bound, "func", None) or getattr(node.bound, "afunc", None)
    return None


def plain_function(bound: Any) -> Any:
    """Return the function of a node that has no async one, and so runs in a thread; None for any other."""
    plain, awaited = getattr(bound, "func", None), getattr(bound, "afunc", None)
    # LangGraph gives a plain node an async function of its own making, which calls the plain one in a thread.
    is_wrapped = isinstance(awaited, functools.partial) and awaited.args[-1:] == (plain,)
    return plain if awaited is None or is_wrapped else None


def factory_runtime(context: Any) -> Any:
    """Return the `ServerRuntime` that LangGraph's server gives a factory, for executing runs of no user."""
    alias: Any = ServerRuntime.__value__
    executing: Any = get_origin(get_args(alias)[0])  # the generic itself cannot be instantiated: it has slots
    return executing(access_context="threads.create_run", user=None, store=None, context=context)


def delta_channels(graph: Graph) -> "Mapping[str, DeltaChannel[Any]]":
    """Return the channels of a graph that are stored in pieces."""
    channels: Mapping[str, Any] = cast("Any", graph).channels
    return cast("Any", {name: each for name, each in channels.items() if isinstance(each, DeltaChannel)})


def whole_value(channel: "DeltaChannel[Any]", pieces: DeltaChannelHistory) -> Any:
    """Return the value of a channel, put together from the pieces that a checkpointer has of it."""
    whole = channel.from_checkpoint(pieces.get("seed", MISSING))
    whole.replay_writes(pieces["writes"])
    return whole.get()


def adds_to(graph: Graph, channel: str) -> bool:
    """Tell whether what is given for a channel is added to what it holds, and does not replace it."""
    return isinstance(cast("Any", graph).channels.get(channel), BinaryOperatorAggregate | DeltaChannel)


def with_nodes(graph: Graph, bound: Mapping[str, Any]) -> Graph:
    """Return a copy of a graph in which other runnables are bound to some nodes."""
    nodes = {name: graph.nodes[name].copy({"bound": each}) for name, each in bound.items()}
    return graph.copy({"nodes": {**graph.nodes, **nodes}}) if nodes else graph


def answering(
    node: ToolNode,
    answer: Callable[[Asked, RunnableConfig], ToolMessage | None],
    turn: Callable[[Asked, RunnableConfig], AbstractAsyncContextManager[None]],
) -> ToolNode:
    """Return a copy of a node that makes no call for which `answer` returns the result.

    It makes each other call within what `turn` returns; not so a node with a plain wrapper of its own, which
    makes its calls one after another. Documented is only to give it a wrapper when it is made.
    """
    own: Any = copy.copy(node)
    plain, awaited = own._wrap_tool_call, own._awrap_tool_call

    def wrap(request: Any, execute: Callable[[Any], Any]) -> Any:
        found = answer(request.tool_call, request.runtime.config)
        return plain(request, execute) if found is None else found

    async def awrap(request: Any, execute: Callable[[Any], Awaitable[Any]]) -> Any:
        found = answer(request.tool_call, request.runtime.config)
        if found is not None:
            return found
        async with turn(request.tool_call, request.runtime.config):
            return await (execute(request) if awaited is None else awaited(request, execute))

    if plain is not None and awaited is None:
        own._wrap_tool_call = wrap
    else:
        own._awrap_tool_call = awrap
    own.func, own.afunc = own._func, own._afunc  # bound to the node that was copied
    return own


Answer = Callable[[Asked], ToolMessage | None]


def answer_unknown(node: ToolNode, answer: Answer) -> None:
    """Have a node ask `answer` for the result of each call whose tool it does not have, before it refuses.

    In place, for the graphs within a graph cannot be copied; its wrappers stay, and do not see these calls.
    """
    own: Any = node
    if not hasattr(own, "answer_unknown"):  # the same graph may be served several times
        own.__class__ = _answering(type(node))
        own.answer_unknown = answer


@functools.cache
def _answering(kind: Any) -> Any:
    """Return a class of nodes that is another one, but for unknown calls.

    Documented is only to give a node a wrapper when it is made, which changes what becomes of its errors.
    """

    def run_one(node: Any, call: Asked, *more: Any) -> Any:
        found = None if call["name"] in node.tools_by_name else node.answer_unknown(call)
        return kind._run_one(node, call, *more) if found is None else found

    async def arun_one(node: Any, call: Asked, *more: Any) -> Any:
        found = None if call["name"] in node.tools_by_name else node.answer_unknown(call)
        return await kind._arun_one(node, call, *more) if found is None else found

    return type(kind.__name__, (kind,), {"_run_one": run_one, "_arun_one": arun_one})


def skip_answers(config: RunnableConfig, asking: int) -> None:
    """Have a node's next `interrupt()` get the first of the last `asking` answers to the node, if it asks.

    LangGraph counts the interrupts of a node as it runs: those of calls that it does not make again are
    missing.
    """
    values = config.get("configurable", {})
    scratchpad = values[CONFIG_KEY_SCRATCHPAD]
    taken = max(len(scratchpad.resume) - asking, 0)
    for _ in range(taken):
        scratchpad.interrupt_counter()
    if taken:
        values[CONFIG_KEY_SEND]([(RESUME, scratchpad.resume[:taken])])


def is_sent(config: RunnableConfig) -> bool:
    """Tell whether a node runs for what it was sent (`Send`), and not for the state."""
    return config.get("metadata", {}).get("langgraph_path", ())[:1] == (PUSH,)


def step_number(config: RunnableConfig) -> int:
    """Return the number of the step of the outermost graph that a node runs in."""
    return config.get("metadata", {}).get("langgraph_step", 0)


def graphs_within(graph: Graph) -> dict[str, Any]:
    """Return the graphs within one by their places: those that run here, and no `RemoteGraph`."""
    return {place: each for place, each in _all_within(graph) if isinstance(each, Pregel)}


def remote_graphs_within(graph: Graph) -> list[str]:
    """Return the places of the graphs within one that run on another server."""
    return [place for place, each in _all_within(graph) if not isinstance(each, Pregel)]


def _all_within(graph: Graph) -> Iterable[tuple[str, Any]]:
    return cast("Any", graph).get_subgraphs(recurse=True)


def stores_deltas(graph: Graph) -> bool:
    """Tell whether a channel of the graph, or of one within it, is stored in pieces (`DeltaChannel`)."""
    return any(map(delta_channels, [graph, *graphs_within(graph).values()]))


_PLAIN = frozenset({dict, list, tuple, str, int, float, bool, bytes, type(None)})
"""What LangGraph returns in place of an object that it cannot make again."""

ENCODED = JsonPlusSerializer(pickle_fallback=False)
"""LangGraph's msgpack, and never pickle: to load one would run code."""


def _ignored(_code: int, _data: bytes) -> None:
    return None


class _Lost:
    """Stands for an object that cannot be made again."""


_LOST = _Lost()


class CarefulSerialiser(JsonPlusSerializer):
    """LangGraph's serialiser, but one that does not put plain data in place of an object.

    The class of an object may have been renamed since. `faults` says which; what `is_lost` is in its place.
    """

    def __init__(self) -> None:
        super().__init__(pickle_fallback=False, __unpack_ext_hook__=self._object)
        self.faults: list[str] = []

    def _object(self, code: int, data: bytes) -> Any:
        made: Any = ENCODED._unpack_ext_hook(code, data)  # pyright: ignore[reportPrivateUsage]
        if type(made) not in _PLAIN or code == EXT_METHOD_SINGLE_ARG:
            return made
        whole: Any = ormsgpack.unpackb(data, ext_hook=_ignored, option=ormsgpack.OPT_NON_STR_KEYS)
        module, name = whole[:2]
        if name == type(made).__name__:
            return made
        self.faults.append(f"there is no {module}.{name} any more, or it takes no such value")
        return _LOST


def is_lost(value: Any) -> bool:
    """Tell whether a value that `CarefulSerialiser` has read is, or holds, an object that is lost."""
    if isinstance(value, dict):
        return is_lost([*cast("dict[Any, Any]", value).items()])
    if isinstance(value, list | tuple):
        return any(map(is_lost, cast("Sequence[Any]", value)))
    return value is _LOST
