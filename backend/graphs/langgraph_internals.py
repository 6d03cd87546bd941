"""All that we use of LangGraph without its documentation promising it.

`tests/contract/test_langgraph_internals.py` runs LangGraph through each of these. If it fails after an
upgrade, find what took the place of the name in LangGraph's own code for subgraphs (`astream` in
`langgraph/pregel/main.py`), change it here, and run `tests/contract`. If nothing took its place, decision
0003 names the documented way, and what that costs.

Beside these names, `TaskCheckpointer` relies on how `InMemorySaver` lays out its three dictionaries.
"""

from collections.abc import Callable, Iterable, Mapping, Set
from typing import Any

from langgraph._internal._constants import (
    CONFIG_KEY_CHECKPOINTER,
    CONFIG_KEY_RUNTIME,
    CONFIG_KEY_STREAM,
    INTERRUPT,
)
from langgraph._internal._typing import MISSING
from langgraph.channels import BinaryOperatorAggregate, DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver, DeltaChannelHistory
from langgraph.config import get_config
from langgraph.pregel.protocol import StreamProtocol
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from langgraph.types import Interrupt

from .loading import Graph

Chunk = tuple[tuple[str, ...], str, Any]
"""What a run streams: `(namespace of the subgraph, mode, payload)`."""

_CACHED = "__metadata__"
"""The key of an update that was not computed but read from the graph's cache; such a node streams no end."""


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


def is_paused(update: Mapping[str, Any]) -> bool:
    """Tell whether a chunk of the mode `updates` says that the run has paused."""
    return INTERRUPT in update


def is_cached(update: Mapping[str, Any]) -> bool:
    """Tell whether a chunk of the mode `updates` was read from the graph's cache."""
    return _CACHED in update


def outermost_node() -> str:
    """Return the name of the node that runs now, of the graph that was started and not of a subgraph."""
    return outermost_node_of(get_config().get("configurable", {})["checkpoint_ns"])


def outermost_node_of(namespace: str) -> str:
    """Return the node that a namespace such as `node:id|inner:id` begins with; "" for that of the graph."""
    return namespace.partition(":")[0]


def nodes_of(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the nodes in which a model or tool runs, outermost first, from the metadata of its run."""
    namespace: str = metadata.get("langgraph_checkpoint_ns", "")
    return tuple(each.partition(":")[0] for each in namespace.split("|")) if namespace else ()


def input_fields(graph: Graph) -> Set[str]:
    """Return the names of the fields that a graph takes as its input.

    The documented `get_input_jsonschema()` raises for a `typing.TypedDict` before Python 3.12.
    """
    builder: Any = graph.builder
    return set(builder.schemas[builder.input_schema])


def delta_channels(graph: Graph) -> "Mapping[str, DeltaChannel[Any]]":
    """Return the channels of a graph that are stored in pieces."""
    outermost: Any = graph
    found: dict[str, DeltaChannel[Any]] = {}
    for name, channel in outermost.channels.items():
        if isinstance(channel, DeltaChannel):
            found[name] = channel
    return found


def whole_value(channel: "DeltaChannel[Any]", pieces: DeltaChannelHistory) -> Any:
    """Return the value of a channel, put together from the pieces that a checkpointer has of it."""
    whole = channel.from_checkpoint(pieces.get("seed", MISSING))
    whole.replay_writes(pieces["writes"])
    return whole.get()


def adds_to(graph: Graph, channel: str) -> bool:
    """Tell whether what is given for a channel is added to what it holds, and does not replace it."""
    outermost: Any = graph
    return isinstance(outermost.channels.get(channel), BinaryOperatorAggregate | DeltaChannel)


def stores_deltas(graph: Graph) -> bool:
    """Tell whether a channel of the graph, or of one within it, is stored in pieces (`DeltaChannel`)."""
    outermost: Any = graph
    graphs = [outermost, *dict(outermost.get_subgraphs(recurse=True)).values()]
    return any(isinstance(channel, DeltaChannel) for each in graphs for channel in each.channels.values())
