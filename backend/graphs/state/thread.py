"""The steps of a user's thread: their manifests, and the step that a run begins from."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from typing import Any

import ormsgpack

from ...domain.errors import GraphFailedError
from ...domain.tool_call import ToolCall
from ...store.base import StateStore
from ...store.records import THREAD, Checkpoint, ForgetCheckpoint, Record
from ...store.threads import ID_BYTES, ThreadStep
from ...tasks.task_context import TaskContext
from ..langgraph_internals import ENCODED
from .pieces import NOTHING, Marks, Packed, Pieces, pack

Encoded = tuple[str, bytes]
"""The kind of an encoding, and its bytes."""


@dataclass(frozen=True, slots=True)
class GraphState:
    """The state of one graph: LangGraph's checkpoint without its values, its metadata, and the values."""

    checkpoint: Encoded
    metadata: Encoded
    channels: Mapping[str, Packed]


@dataclass(frozen=True, slots=True)
class Manifest:
    """The state at a step.

    `asked_in` is the id of the first task of the message, `calls` are the ids of the tool calls that the
    committed steps of its task have made. `shape` names the server's start at which the state was last
    checked against its graph (`state_fit`). `graphs` holds the state of the graph, under "", and of graphs
    within it that keep their own. `advanced` are those of them that have gone on since: a return to the step
    begins without that.
    """

    asked_in: str
    calls: list[str]
    shape: bytes
    graphs: Mapping[str, GraphState]
    advanced: Mapping[str, GraphState] = field(default_factory=dict[str, GraphState])

    @classmethod
    def of(cls, step: ThreadStep) -> "Manifest":
        """Read the manifest of a step. Raises `ValueError` and `TypeError` for a damaged one."""
        asked_in, calls, shape, graphs, advanced = ormsgpack.unpackb(step.body)
        pages, pieces = BytesIO(step.pages), BytesIO(step.pieces)
        states = [_states(rows, pages, pieces) for rows in (graphs, advanced)]
        return cls(asked_in, calls, shape, *states)

    def packed(self) -> tuple[bytes, bytes, bytes]:
        """Return the body of its step, and the ids of its pages and of its pieces."""
        body = (self.asked_in, self.calls, self.shape, _rows(self.graphs), _rows(self.advanced))
        values = [
            value
            for states in (self.graphs, self.advanced)
            for state in states.values()
            for value in state.channels.values()
        ]
        pages, pieces = (b"".join(each) for each in ([v.pages for v in values], [v.pieces for v in values]))
        return ormsgpack.packb(body), pages, pieces


def _rows(states: Mapping[str, GraphState]) -> dict[str, Any]:
    # How many ids a channel has, and not which: those are beside the body, where the store reads them.
    return {
        name: (
            state.checkpoint,
            state.metadata,
            {
                channel: (form, len(pages) // ID_BYTES, len(pieces) // ID_BYTES, tail)
                for channel, (form, pages, pieces, tail) in state.channels.items()
            },
        )
        for name, state in states.items()
    }


def _states(rows: Mapping[str, Any], pages: BytesIO, pieces: BytesIO) -> dict[str, GraphState]:
    """Return the states of `_rows`, whose ids follow each other in the order in which it counted them."""
    states: dict[str, GraphState] = {}
    for name, (checkpoint, metadata, channels) in rows.items():
        values = {
            channel: Packed(form, pages.read(count * ID_BYTES), pieces.read(more * ID_BYTES), tail)
            for channel, (form, count, more, tail) in channels.items()
        }
        states[name] = GraphState(tuple(checkpoint), tuple(metadata), values)
    return states


# --- threads -------------------------------------------------------------------------------------------
# A user's thread: the state of a graph that lives on from message to message, as committed after each step.
#
# Each step is stored with its events, in one write (`writer`). A run begins from the newest, or from
# the one that its message names (below), and adds only the new message. So after an
# interruption, or the end of the process, the state is as it was after the last step that had finished.


UNREADABLE = (ValueError, TypeError, KeyError)
"""What reading a step raises that is damaged, or of a later version."""

Place = tuple[str, str]
"""A channel: the name of its graph, "" for the outermost, and its own."""


@dataclass(frozen=True, slots=True)
class CommittedStep:
    """The newest step of a thread as it was committed, to begin the next run from without reading it.

    The `step` is without its body, `held` has all pieces of its `manifest`, `size` are their bytes. They are
    encoded, as they are stored: a node may go on with the values themselves, and mutate them, after its step.
    `marks` are those of its lists.
    """

    step: ThreadStep
    manifest: Manifest
    held: Mapping[bytes, bytes]
    marks: dict[Place, Marks]
    size: int


@dataclass(slots=True)
class LoadedState:
    """The state of one graph, decoded: LangGraph's checkpoint and metadata, and each channel's value."""

    checkpoint: Any
    metadata: Any
    values: dict[str, Any]


class Thread:
    """One step of a thread, to begin from. Raises one of `UNREADABLE`.

    With `as_it_went_on` it includes what graphs within have done since the step (`advanced`). `faults` say
    what of a channel cannot be decoded, once the state is `loaded`. `revised` are the channels that a run
    begins with otherwise than they are stored.
    """

    def __init__(
        self,
        step: ThreadStep,
        *,
        as_it_went_on: bool = True,
        pieces: Pieces | None = None,
        manifest: Manifest | None = None,
    ) -> None:
        self.step = step
        self.is_newest = as_it_went_on
        manifest = manifest or Manifest.of(step)
        self.asked_in = manifest.asked_in
        self.calls = manifest.calls
        self.shape = manifest.shape
        self.own = manifest.graphs
        self.advanced: Mapping[str, GraphState] = manifest.advanced if as_it_went_on else {}
        self.graphs = {**self.own, **self.advanced}
        self.faults: dict[Place, list[str]] = {}
        self.revised: set[Place] = set()
        self.marks: dict[Place, Marks] = {}
        self._pieces = pieces or Pieces(step.held)
        # Here and not when the values are: what raises for them is among the faults.
        self._heads = {
            name: (_numbered(ENCODED.loads_typed(each.checkpoint)), ENCODED.loads_typed(each.metadata))
            for name, each in self.graphs.items()
        }
        self._loaded: dict[str, LoadedState] | None = None

    @property
    def turn(self) -> int:
        """The turn of the task that committed the step."""
        return self.step.turn

    @classmethod
    def of(cls, committed: CommittedStep) -> "Thread":
        """Begin from the newest step, which was committed and is in memory."""
        thread = cls(committed.step, pieces=Pieces(committed.held), manifest=committed.manifest)
        thread.marks = committed.marks
        return thread

    @property
    def held(self) -> Mapping[bytes, bytes]:
        """All pieces of the step."""
        return self._pieces.held

    @property
    def loaded(self) -> dict[str, LoadedState]:
        """The state of each graph, decoded once."""
        if self._loaded is None:
            self._loaded = {name: self._load(name, state) for name, state in self.graphs.items()}
        return self._loaded

    def value(self, channel: str) -> Any:
        """Return the value of a channel, None if it has none."""
        state = self.loaded.get("")
        return state.values.get(channel) if state is not None else None

    def replace(self, channel: str, value: Any, *, graph: str = "") -> None:
        """Have a run begin with another value of a channel of the outermost graph, or of one within it."""
        self.loaded[graph].values[channel] = value
        self.revised.add((graph, channel))

    def decode_again(self, channel: str) -> Any:
        """Return a fresh copy of a value of the outermost graph."""
        return self._pieces.value(self.graphs[""].channels[channel])[0]

    def _load(self, name: str, state: GraphState) -> LoadedState:
        values: dict[str, Any] = {}
        for channel, packed in state.channels.items():
            value, faults = self._pieces.value(packed)
            if faults:
                self.faults[name, channel] = faults
            if value is not NOTHING:
                values[channel] = value
        return LoadedState(*self._heads[name], values)


def _numbered(checkpoint: Any) -> Any:
    """Give a checkpoint of an earlier version numbers in place of texts: see `TaskCheckpointer`."""
    seen = checkpoint.get("versions_seen", {})
    for each in (checkpoint.get("channel_versions", {}), *seen.values()):
        for channel, version in each.items():
            if isinstance(version, str):
                each[channel] = int(version.partition(".")[0])
    return checkpoint


def is_attempt_at(context: TaskContext, thread: Thread | None) -> bool:
    """Tell whether a step was committed for the message of a task: its run goes on from there."""
    task = context.task
    return thread is not None and thread.asked_in == (task.asked_in or task.task_id)


def cut_off_calls(context: TaskContext, thread: Thread | None) -> list[ToolCall]:
    """Return the calls of earlier attempts at a message that no committed step has the results of."""
    committed = () if thread is None else thread.calls
    calls = context.tool_calls.values()
    return [each for each in calls if each.observed and each.call_id not in committed]


# --- older threads -------------------------------------------------------------------------------------
# Reads the thread of a user as versions before 8 kept it: one blob, with all values whole.


def step_of_blob(body: bytes) -> ThreadStep:
    """Return a stored blob as the first step of its thread. Raises `ValueError` and `TypeError`."""
    turn, asked_in, calls, stored = ormsgpack.unpackb(body)
    held: dict[bytes, bytes] = {}
    graphs: dict[str, GraphState] = {}
    for name, (checkpoint, metadata, channels) in stored.items():
        values: dict[str, Packed] = {}
        for channel, (_, encoded) in channels.items():
            value = NOTHING if encoded[0] == "empty" else ENCODED.loads_typed(tuple(encoded))
            values[channel], new = pack(value, held.keys())
            held |= new
        graphs[name] = GraphState(tuple(checkpoint), tuple(metadata), values)
    checkpoint: Any = ENCODED.loads_typed(graphs[""].checkpoint)
    manifest, pages, pieces = Manifest(asked_in, calls, b"", graphs).packed()
    return ThreadStep(
        graph="",
        number=1,
        step_id=checkpoint["id"],
        parent=None,
        turn=turn,
        body=manifest,
        pages=pages,
        pieces=pieces,
        held=held,
    )


# --- stored threads ------------------------------------------------------------------------------------
# A run begins from the newest step of its thread, from the step that its message names, or from nothing.
#
# The newest is in memory as long as the user's conversation is (`tasks/task_context.UserCache`), and read
# only if it is not.


_GONE = (
    "The step {!r} that this message was to begin from is not kept any more: send it without checkpoint_id."
)
_UNREADABLE = "the step that the run was to begin from cannot be read ({})"


@dataclass(frozen=True, slots=True)
class Beginning:
    """The beginning of a run: `thread` is None for a fresh state, `fault` says why if there is a newest step.

    `newest` is the number of the thread's newest step. `first` are records to store before the next step.
    """

    thread: Thread | None = None
    newest: int = 0
    first: Sequence[Record] = ()
    fault: str = ""


class StoredThreads:
    """Reads the steps of one user's threads, those of earlier versions included.

    `graphs` are the name of the graph, and those of graphs whose thread it takes over if it has none itself.
    `fault` says why a thread cannot be taken over.
    """

    def __init__(
        self,
        graphs: Sequence[str],
        read_step: Callable[[str, str | None], Awaitable[ThreadStep | None]],
        read_checkpoint: Callable[[int], Awaitable[Checkpoint | None]],
    ) -> None:
        self._graphs = graphs
        self._read_step = read_step
        self._read_checkpoint = read_checkpoint
        self.fault = ""

    @classmethod
    def of(cls, graphs: Sequence[str], store: StateStore, user_id: str) -> "StoredThreads":
        """Read from a store."""
        return cls(graphs, partial(store.get_thread_step, user_id), partial(store.get_checkpoint, user_id))

    async def step(self, step_id: str | None) -> ThreadStep | None:
        """Return a step, by default the newest; None if there is none."""
        step = await self._read_step(self._graphs[0], step_id)
        if step is None:
            taken_over, _ = await self.taken_over()
            step = taken_over if taken_over is not None and step_id in (None, taken_over.step_id) else None
        return step

    async def taken_over(self) -> tuple[ThreadStep | None, Sequence[Record]]:
        """Return the newest step of another thread as the first of this one, and the records that make it so.

        None if this thread has steps, or there is no other.
        """
        own, *others = self._graphs
        if await self._read_step(own, None) is not None:
            return None, ()
        for graph in self._graphs:
            step = await self._read_step(graph, None) if graph in others else None
            if step is not None:
                step = replace(step, graph=own, number=1, parent=None)
                return step, (step,)
            blob = None if graph else await self._read_checkpoint(THREAD)
            if blob is not None:
                try:
                    step = replace(step_of_blob(blob.body), graph=own)
                except UNREADABLE as error:
                    self.fault = _UNREADABLE.format(error)
                else:
                    return step, (step, ForgetCheckpoint(THREAD))
        return None, ()


async def beginning_of(context: TaskContext, graphs: Sequence[str], step_id: str | None) -> Beginning:
    """Return the beginning of a task's run: the newest step, or the one of that id; none for "".

    A later attempt at the same message begins from the newest: the attempts before have begun from that step.
    Raises `GraphFailedError` if the step is not kept any more.
    """
    stored = StoredThreads(graphs, context.stored.thread_step, context.stored.checkpoint)
    kept = context.cache.threads.get(graphs[0])
    committed = kept if isinstance(kept, CommittedStep) else None
    first: Sequence[Record] = ()
    newest = committed.step if committed is not None else await context.stored.thread_step(graphs[0], None)
    if newest is None:
        newest, first = await stored.taken_over()
    if newest is None:
        if step_id is not None:
            raise GraphFailedError(_GONE.format(step_id))
        return Beginning(fault=stored.fault)
    begun: ThreadStep | None = newest
    if step_id == "" and not _is_of(newest, committed, context):
        return Beginning(None, newest.number, first)
    if step_id not in (None, newest.step_id) and not _is_of(newest, committed, context):
        begun = await context.stored.thread_step(graphs[0], step_id)
        if begun is None:
            raise GraphFailedError(_GONE.format(step_id))
    try:
        if committed is not None and begun is newest:
            return Beginning(Thread.of(committed), newest.number)
        return Beginning(Thread(begun, as_it_went_on=begun is newest), newest.number, first)
    except UNREADABLE as error:
        return Beginning(None, newest.number, first, _UNREADABLE.format(error))


def _is_of(step: ThreadStep, committed: CommittedStep | None, context: TaskContext) -> bool:
    """Tell whether an attempt at the message of a task has committed a step."""
    try:
        manifest = committed.manifest if committed is not None else Manifest.of(step)
    except UNREADABLE:
        return False
    return manifest.asked_in == (context.task.asked_in or context.task_id)
