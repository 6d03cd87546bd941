"""The checkpoints of one task's run: in memory while it runs, one blob as soon as a node asks.

LangGraph hands its checkpointer all that a run needs to resume, and each `interrupt()` at the moment a node
raises it. So a question is seen here while other branches are still running, and the checkpoint is complete
at that moment: the state the branches began with, and what the finished ones wrote.

Nothing is encoded until a node asks, so a graph that never asks may hold values without an encoding. It costs
0.06 ms of CPU a task on top of the 0.18 of LangGraph's own bookkeeping (four nodes; without a checkpointer
the run takes 0.85). From the first question on every value is encoded at once, since LangGraph and reducers
may mutate what they were given. The encoding is LangGraph's msgpack, never pickle: to load one would
run code.
"""

import inspect
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any

import ormsgpack
from langchain_core.runnables import RunnableConfig
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Interrupt

from ...domain.errors import GraphFailedError
from ..langgraph_internals import ENCODED, interrupts_among, whole_value
from .pieces import NOTHING
from .thread import Thread
from .writer import ThreadWriter

Raised = Callable[[Interrupt, str, str], None]
"""Takes an interrupt: `(interrupt, id of the branch, namespace of the branch's graph)`."""

_Typed = tuple[str, Any]


_PLAIN = "as it is"
"""The kind of a value that is kept unencoded."""

_EMPTY: Any = ("empty", b"")
"""LangGraph's mark of a channel without a value."""


class _AsItIs:
    """A serialiser that keeps values unencoded."""

    def dumps_typed(self, obj: Any) -> tuple[str, Any]:
        return _PLAIN, obj

    def loads_typed(self, data: tuple[str, Any]) -> Any:
        return data[1]


_AS_IT_IS = _AsItIs()


class TaskCheckpointer(InMemorySaver):
    """The checkpoints of one task. Calls `raised` with each interrupt, which may call `to_bytes` then.

    `pauses` holds the ids of the outermost graph's interrupts; they end the run once its other branches have
    ended. Of each graph only the newest checkpoint is kept, unless `keep_history` is set: LangGraph rebuilds
    a `DeltaChannel`, which stores only what was added to it, from the checkpoints before.

    For any thread: a graph within that a plain node calls with `invoke` stores its checkpoints from one.
    """

    def __init__(
        self,
        raised: Raised,
        *,
        thread_id: str,
        blob: bytes | None = None,
        keep_history: bool = False,
        thread: ThreadWriter | None = None,
    ) -> None:
        # Not that of `InMemorySaver`, whose exit stack takes 0.7 KiB: what it holds has nothing to close.
        BaseCheckpointSaver.__init__(self, serde=_AS_IT_IS if blob is None else ENCODED)  # pyright: ignore[reportUnknownMemberType]
        self.storage = defaultdict(lambda: defaultdict(dict))
        self.writes = defaultdict(dict)
        self.blobs = {}
        self.pauses: set[str] = set()
        self._raised = raised
        self._thread_id = thread_id
        self._keep_history = keep_history
        self._thread = thread
        # Entered again by `raised`, which calls `to_bytes`. No holder waits for the event loop:
        # an async node that calls a graph with `invoke` blocks the loop until the threads of that have ended.
        self._lock = threading.RLock()
        self._loop_thread = threading.get_ident()
        # Of a blob, whose versions may not be changed: its values are found by them.
        self._has_text_versions = False
        if blob is not None:
            self._load(blob)
        elif thread is not None and thread.before is not None:
            load_thread(self, thread.before, thread_id)

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint in place of the last one. Raises `GraphFailedError` if it cannot be encoded."""
        with self._lock:
            own = _apart(checkpoint) if self._keep_history else checkpoint
            without: Any = {**checkpoint, "channel_values": {}}
            place = _place(config)
            if self._keep_history or self.serde is ENCODED:
                try:
                    kept = super().put(config, own, metadata, new_versions)
                except (TypeError, ValueError) as error:
                    raise _no_encoding(error) from error
                if not self._keep_history:
                    self._drop_older(place, checkpoint)
            else:
                kept = self._replace(config, checkpoint, without, metadata, new_versions)
            # The state of most subgraphs belongs to one run of their node, whose id their namespace bears.
            if self._thread is not None and ":" not in place[1]:
                values = checkpoint["channel_values"]
                changed = {name: values.get(name, NOTHING) for name in new_versions}
                for name in changed.keys() & self._thread.deltas.keys() - values.keys():
                    changed[name] = self._whole(kept, self._thread.deltas[name])
                self._thread.commit(place[1], without, metadata, changed)
            return kept

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return a checkpoint."""
        with self._lock:
            found = super().get_tuple(config)
        return found._replace(checkpoint=_apart(found.checkpoint)) if found and self._keep_history else found

    def get_next_version(self, current: Any, channel: None) -> Any:
        """Return the version after one, as a number: LangGraph's own is a text of 49 characters.

        Each channel has one in every step, and each node one of every channel that starts it: texts were two
        thirds of a step. A run that goes on from a checkpoint of an earlier version keeps to texts.
        """
        if self._has_text_versions:
            return super().get_next_version(current, channel)
        return (current or 0) + 1

    def _replace(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        without: Any,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint unencoded in place of the last one; only changed channels are looked at."""
        place = thread, namespace = _place(config)
        kept = self.storage[thread][namespace]
        for name, saved in kept.items():
            self.writes.pop((*place, name), None)
            before: Any = saved[0][1]
            old: Mapping[str, Any] = before["channel_versions"]
            for channel in new_versions:
                self.blobs.pop((*place, channel, old.get(channel, 0)), None)
        kept.clear()
        values = checkpoint["channel_values"]
        for channel, version in new_versions.items():
            has_value = channel in values
            self.blobs[*place, channel, version] = (_PLAIN, values[channel]) if has_value else _EMPTY
        parent = config.get("configurable", {}).get("checkpoint_id")
        told: Any = get_checkpoint_metadata(config, metadata)
        kept[checkpoint["id"]] = ((_PLAIN, without), (_PLAIN, told), parent)
        name = checkpoint["id"]
        return {"configurable": {"thread_id": thread, "checkpoint_ns": namespace, "checkpoint_id": name}}

    def _whole(self, at: RunnableConfig, channel: "DeltaChannel[Any]") -> Any:
        """Return the value of a channel that a checkpoint holds only in pieces, spread over those before."""
        pieces = self.get_delta_channel_history(config=at, channels=[channel.key])[channel.key]
        return whole_value(channel, pieces)

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Keep the writes of a branch, and call `raised` with each interrupt among them.

        Raises `GraphFailedError` if the graph asks and holds a value without an encoding.
        """
        interrupts, (_, namespace) = interrupts_among(writes), _place(config)
        with self._lock:
            # First the checkpoints, then the writes: `raised` below stores both, and needs them encoded.
            if interrupts:
                self.encode()
            try:
                super().put_writes(config, writes, task_id, task_path)
            except (TypeError, ValueError) as error:
                raise _no_encoding(error) from error
            if not namespace:
                self.pauses |= {each.id for each in interrupts}
            # A question in a thread is raised again on the loop, by the plain node that called its graph.
            if threading.get_ident() == self._loop_thread:
                for each in interrupts:
                    self._raised(each, task_id, namespace)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """As `put_writes`."""
        self.put_writes(config, writes, task_id, task_path)

    def to_bytes(self, calls: Iterable[str] = ()) -> bytes:
        """Return all checkpoints as one blob. Call it only after an interrupt or `encode`.

        `calls` are the ids of the tool calls whose results the checkpoints hold.
        """
        with self._lock:
            checkpoints = [
                (thread, namespace, name, *saved)
                for thread, namespaces in self.storage.items()
                for namespace, kept in namespaces.items()
                for name, saved in kept.items()
            ]
            writes = [
                (*key, *inner, *saved) for key, kept in self.writes.items() for inner, saved in kept.items()
            ]
            blobs = [(*key, *blob) for key, blob in self.blobs.items()]
            return ormsgpack.packb((checkpoints, writes, blobs, [*calls]))

    def _load(self, blob: bytes) -> None:
        # Under the thread's id of today: a blob of an earlier version has that of its task.
        thread = self._thread_id
        checkpoints, writes, blobs, *_ = ormsgpack.unpackb(blob)
        for _, namespace, name, checkpoint, metadata, parent in checkpoints:
            self.storage[thread][namespace][name] = (tuple(checkpoint), tuple(metadata), parent)
        for _, namespace, name, task_id, index, _, channel, value, path in writes:
            self.writes[thread, namespace, name][task_id, index] = (task_id, channel, tuple(value), path)
        for _, namespace, channel, version, kind, value in blobs:
            self.blobs[thread, namespace, channel, version] = (kind, value)
            self._has_text_versions |= isinstance(version, str)

    def encode(self) -> None:
        """Encode all unencoded values, for `to_bytes`. Raises `GraphFailedError` for one without encoding."""
        with self._lock:
            if self.serde is ENCODED:
                return
            try:
                for kept in (each for namespaces in self.storage.values() for each in namespaces.values()):
                    for name, (checkpoint, metadata, parent) in kept.items():
                        kept[name] = (_encoded(checkpoint), _encoded(metadata), parent)
                for writes in self.writes.values():
                    for key, (task_id, channel, value, path) in writes.items():
                        writes[key] = (task_id, channel, _encoded(value), path)
                for key, blob in self.blobs.items():
                    self.blobs[key] = _encoded(blob)
            except (TypeError, ValueError) as error:
                raise _no_encoding(error) from error
            self.serde = ENCODED

    def _drop_older(self, place: tuple[str, str], newest: Checkpoint) -> None:
        # `InMemorySaver` keeps every step, for time travel. No task does that, and memory would grow.
        thread, namespace = place
        name = newest["id"]
        self.storage[thread][namespace] = {name: self.storage[thread][namespace][name]}
        versions = newest["channel_versions"]
        for key in [each for each in self.writes if each[:2] == place and each[2] != name]:
            del self.writes[key]
        for key in [each for each in self.blobs if each[:2] == place and versions.get(each[2]) != each[3]]:
            del self.blobs[key]


# LangGraph looks at the signature in each run, to find out that it takes a path: 40 us, a hundredth of a run.
for each in (TaskCheckpointer.put_writes, TaskCheckpointer.aput_writes):
    setattr(each, "__signature__", inspect.signature(each))  # noqa: B010 - functions have it, by no type


def load_thread(saver: InMemorySaver, thread: Thread, thread_id: str) -> None:
    """Have a checkpointer hold a step of a thread, as it is."""
    for namespace, state in thread.loaded.items():
        typed = _AS_IT_IS.dumps_typed(state.checkpoint), _AS_IT_IS.dumps_typed(state.metadata), None
        saver.storage[thread_id][namespace][state.checkpoint["id"]] = typed
        for channel, version in state.checkpoint["channel_versions"].items():
            if channel in state.values:
                value = _AS_IT_IS.dumps_typed(state.values[channel])
                saver.blobs[thread_id, namespace, channel, version] = value


def holding(thread: Thread, thread_id: str) -> InMemorySaver:
    """Return a checkpointer that holds one step of a thread, to be read."""
    saver = InMemorySaver(serde=_AS_IT_IS)
    load_thread(saver, thread, thread_id)
    return saver


def calls_in(blob: bytes) -> Set[str] | None:
    """Return the tool calls whose results a blob of checkpoints holds; None if an earlier version made it."""
    _, _, _, *calls = ormsgpack.unpackb(blob)
    return frozenset(calls[0]) if calls else None


def steps_in(blob: bytes) -> Set[str]:
    """Return the ids of the outermost graph's checkpoints in a blob."""
    checkpoints, *_ = ormsgpack.unpackb(blob)
    return frozenset(name for _, namespace, name, *_ in checkpoints if not namespace)


def _no_encoding(error: Exception) -> GraphFailedError:
    return GraphFailedError(f"The graph asks, and its state cannot be kept while it waits: {error}.")


def _apart(checkpoint: Checkpoint) -> Checkpoint:
    """Return a checkpoint whose versions LangGraph does not change: it goes on with the mapping that it put.

    Without an encoding nothing else copies it, and the value of a channel that is stored in pieces is found
    by its version.
    """
    return {**checkpoint, "channel_versions": {**checkpoint["channel_versions"]}}


def _place(config: RunnableConfig) -> tuple[str, str]:
    """Return a configuration's thread id and the namespace of its graph."""
    configurable = config.get("configurable", {})
    return configurable["thread_id"], configurable.get("checkpoint_ns", "")


def _encoded(value: _Typed) -> _Typed:
    # LangGraph marks a channel without a value by this kind, and stores it without a serialiser.
    return value if value[0] == "empty" else ENCODED.dumps_typed(value[1])
