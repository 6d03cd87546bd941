"""A user's thread: the state of a graph that lives on from message to message, as committed after each step.

A user has one with each graph of the server.

It is stored with the events of the step, in one write, as a checkpoint that belongs to no task. A run begins
from it and adds only the new message. So after an interruption, or the end of the process, it stands as it
did after the last step that had finished.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import ormsgpack
import structlog
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from ..domain.tool_call import ToolCall
from ..log.state_store.base import THREAD, Checkpoint
from ..tasks.task_context import TaskContext

_ENCODED = JsonPlusSerializer(pickle_fallback=False)

Encoded = tuple[str, bytes]
"""The kind of an encoding, and its bytes."""

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class GraphState:
    """A checkpoint of one graph of the thread, encoded; `channels` by name, each with its version."""

    checkpoint: Encoded
    metadata: Encoded
    channels: dict[str, tuple[Any, Encoded]] = field(default_factory=dict[str, tuple[Any, Encoded]])

    def value(self, channel: str) -> Any:
        """Return the value of a channel, None if it has none."""
        _, encoded = self.channels.get(channel, (None, ("empty", b"")))
        return None if encoded[0] == "empty" else _ENCODED.loads_typed(encoded)

    def replace(self, channel: str, value: Any) -> None:
        """Give a channel that has a value another one, for the run that begins from this state."""
        version, _ = self.channels[channel]
        self.channels[channel] = version, _ENCODED.dumps_typed(value)


@dataclass(slots=True)
class Thread:
    """What is stored of a thread.

    `turn` is that of the task which last committed a step, `asked_in` the id of the first task of that
    message. `calls` are the ids of the tool calls that its committed steps have made. `graphs` holds the
    state of the graph, under "", and of graphs within it that keep their own.
    """

    turn: int
    asked_in: str
    calls: list[str] = field(default_factory=list[str])
    graphs: dict[str, GraphState] = field(default_factory=dict[str, GraphState])

    @classmethod
    def of(cls, body: bytes) -> "Thread":
        """Read a stored thread. Raises `ValueError` for what is none."""
        turn, asked_in, calls, graphs = ormsgpack.unpackb(body)
        return cls(turn, asked_in, calls, {name: _graph_state(stored) for name, stored in graphs.items()})

    def to_bytes(self) -> bytes:
        """Return it as it is stored."""
        graphs = {name: (each.checkpoint, each.metadata, each.channels) for name, each in self.graphs.items()}
        return ormsgpack.packb((self.turn, self.asked_in, self.calls, graphs))


def _graph_state(stored: Any) -> GraphState:
    checkpoint, metadata, channels = stored
    return GraphState(
        tuple(checkpoint),
        tuple(metadata),
        {name: (version, tuple(encoded)) for name, (version, encoded) in channels.items()},
    )


class ThreadWriter:
    """Commits the steps of one task's run to its user's thread.

    The run begins from `before`. `deltas` are the channels of the graph that LangGraph stores in pieces.
    `graph` is its name, "" for the only graph of a server.
    """

    def __init__(
        self,
        context: TaskContext,
        before: Thread | None,
        *,
        deltas: Mapping[str, "DeltaChannel[Any]"],
        graph: str = "",
    ) -> None:
        self.before = before
        self._key = thread_key(graph)
        self.deltas = deltas
        self._context = context
        self._thread = Thread(
            context.task.turn,
            context.task.asked_in or context.task_id,
            graphs={} if before is None else dict(before.graphs),
        )

    def commit(
        self, graph: str, checkpoint: Any, metadata: Any, changed: Mapping[str, tuple[Any, Any]]
    ) -> None:
        """Store the state after a step; `changed` are the channels that it wrote, each (version, value).

        `value` is `NOTHING` for a channel that has none. A value without an encoding is left out: what the
        next message then finds is the channel's default. Stores nothing once the task is closed.
        """
        if self._context.closed:
            return
        before = self._thread.graphs.get(graph)
        channels = {} if before is None else before.channels
        for name, (version, value) in changed.items():
            try:
                encoded = ("empty", b"") if value is NOTHING else _ENCODED.dumps_typed(value)
            except (TypeError, ValueError) as error:
                _log.warning("a part of a graph's state cannot be kept", channel=name, reason=str(error))
                encoded = ("empty", b"")
            channels[name] = (version, encoded)
        state = GraphState(_ENCODED.dumps_typed(checkpoint), _ENCODED.dumps_typed(metadata), channels)
        self._thread.graphs[graph] = state
        calls = self._context.tool_calls.values()
        self._thread.calls = [each.call_id for each in calls if each.observed and each.outcome is not None]
        self._context.record(Checkpoint(self._key, self._thread.to_bytes()))


NOTHING = object()
"""The value of a channel that has none."""


def thread_key(graph: str) -> int:
    """Return the turn that the thread of a graph is stored under; that of an unnamed one is `THREAD`."""
    if not graph:
        return THREAD
    digest = hashlib.blake2b(graph.encode(), digest_size=7).digest()
    return -2 - int.from_bytes(digest)  # below those of `THREAD` and `USER_STORE`, within 64 bits


async def read_thread(context: TaskContext, graphs: Sequence[str] = ("",)) -> Thread | None:
    """Return the thread of a task's user with the first of these graphs that has one.

    None if none has, or it cannot be read, which is logged.
    """
    stored = None
    for name in graphs:
        stored = stored or await context.checkpoint(thread_key(name))
    if stored is None:
        return None
    try:
        return Thread.of(stored.body)
    except (ValueError, TypeError) as error:
        _log.error("the state of a thread cannot be read; it begins anew", reason=str(error))
        return None


def may_continue(context: TaskContext, thread: Thread | None) -> bool:
    """Tell whether a run goes on from the last step that an attempt at its message has committed.

    Else it begins with the message: because there was no such attempt, or because tools were called in the
    step that was cut off, which that step would call again.
    """
    task = context.task
    is_attempt = thread is not None and thread.turn < task.turn and thread.asked_in == task.asked_in
    return is_attempt and not cut_off_calls(context, thread)


def cut_off_calls(context: TaskContext, thread: Thread | None) -> list[ToolCall]:
    """Return the calls of earlier attempts at a message that no committed step has the results of."""
    if context.task.asked_in is None:
        return []
    committed = () if thread is None else thread.calls
    calls = context.tool_calls.values()
    return [each for each in calls if each.observed and each.call_id not in committed]
