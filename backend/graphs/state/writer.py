"""Commits the steps of a run to its user's thread, each in one write with the events of the step."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import structlog
from langgraph.channels import DeltaChannel

from ...domain.task import Task
from ...domain.tool_call import ToolCall
from ...store.records import Record
from ...store.threads import ID_BYTES, ThreadStep, ids_in
from ...tasks.task_context import UserCache
from ..graph_output import LoopCalls
from ..langgraph_internals import ENCODED
from ..steering import TakingIn
from .pieces import NOTHING, PAGE_PIECES, Marks, Packed, pack
from .thread import Beginning, CommittedStep, GraphState, Manifest, Place

_log = structlog.get_logger(__name__)


class StepOwner(Protocol):
    """The task whose steps are committed, as far as these need it: a `TaskContext`, or a client's write."""

    cache: UserCache

    @property
    def task(self) -> Task:
        """Its record."""
        ...

    @property
    def closed(self) -> bool:
        """Whether nothing of it is stored any more."""
        ...

    @property
    def tool_calls(self) -> Mapping[str, ToolCall]:
        """Its calls, by their ids."""
        ...

    def record(self, *records: Record) -> None:
        """Store records, soon."""
        ...


class ThreadWriter:
    """Commits the steps of one task's run to its user's thread of `graph`.

    The run begins from `beginning`. Messages that it takes in (`taking_in`) are stored with the step that has
    them. `deltas` are the channels of the graph that LangGraph stores in pieces,
    `shape` is that of the state's last check (`state_fit`).
    """

    def __init__(
        self,
        context: StepOwner,
        beginning: Beginning,
        *,
        deltas: Mapping[str, "DeltaChannel[Any]"],
        graph: str,
    ) -> None:
        self.before = before = beginning.thread
        self.deltas = deltas
        self._context = context
        self._graph = graph
        self.shape = before.shape if before is not None else b""
        self._asked_in = context.task.asked_in or context.task.task_id
        self._number = beginning.newest
        self._first = beginning.first
        self._step_id = before.step.step_id if before is not None else None
        # An attempt that goes on may commit a step of a graph within first, which belongs to this very step.
        self._parent = before.step.parent if before is not None else None
        self._states: dict[str, GraphState] = {} if before is None else dict(before.own)
        # Apart: a return to the step begins without it.
        self._advanced: dict[str, GraphState] = {} if before is None else dict(before.advanced)
        # Of the last step alone: what only earlier ones refer to may have been dropped with them.
        self._known = _ids_of(before.step.pages, before.step.pieces) if before is not None else set[bytes]()
        self._revised: set[Place] = before.revised if before is not None else set[Place]()
        self._marks: dict[Place, Marks] = {}
        if before is not None:
            self._marks = {place: {**marks} for place, marks in before.marks.items()}
        self._held: dict[bytes, bytes] = {} if before is None else dict(before.held)
        self._size = sum(map(len, self._held.values()))
        self._unrecorded: list[tuple[Sequence[Record], CommittedStep]] = []  # short: a deque takes 600 bytes
        self.taking_in: TakingIn | None = None
        self._on_loop = LoopCalls()

    @property
    def state(self) -> GraphState | None:
        """The state of the outermost graph after the last step, None before the first."""
        return self._states.get("")

    def commit(self, graph: str, checkpoint: Any, metadata: Any, changed: Mapping[str, Any]) -> None:
        """Store the state after a step; `changed` holds the values of the channels that it wrote.

        That is `NOTHING` for a channel that has none. A value without an encoding is left out: what the
        next message then finds is the channel's default. A step of a graph within belongs to the step that
        runs it. Stores nothing once the task is closed. For any thread, but for one at a time.
        """
        if self._context.closed:
            return
        held: dict[bytes, bytes] = {}
        for place in self._revised:
            self._revise(place, held)
        self._revised = set[Place]()
        before = self._advanced.get(graph) or self._states.get(graph)
        channels = {} if before is None else dict(before.channels)
        for name, value in changed.items():
            channels[name] = self._packed((graph, name), value, held)
        state = GraphState(ENCODED.dumps_typed(checkpoint), ENCODED.dumps_typed(metadata), channels)
        if graph:
            self._advanced[graph] = state
        else:
            self._states |= {**self._advanced, "": state}
            self._advanced = {}
            self._number += 1
            self._parent, self._step_id = self._step_id, checkpoint["id"]
        # A run's first step may take messages in before LangGraph has stored the run's input.
        takes_in = not graph and metadata.get("source") != "input"
        self._store(held, takes_in=takes_in)

    def _packed(self, place: Place, value: Any, held: dict[bytes, bytes]) -> Packed:
        try:
            marks = self._marks.setdefault(place, {}) if type(value) is list else None
            packed, new = pack(value, self._known, self._held, marks)
        except (TypeError, ValueError) as error:
            _log.warning("a part of a graph's state cannot be kept", channel=place[1], reason=str(error))
            return Packed()
        held |= new
        return packed

    def _revise(self, place: Place, held: dict[bytes, bytes]) -> None:
        """Store the value that the run began with, in place of one that did not fit."""
        if self.before is None:
            return
        graph, channel = place
        value = self.before.loaded[graph].values.get(channel, NOTHING)
        states = self._advanced if graph in self._advanced else self._states
        state = states[graph]
        channels = {**state.channels, channel: self._packed(place, value, held)}
        states[graph] = replace(state, channels=channels)

    def _store(self, held: Mapping[bytes, bytes], *, takes_in: bool) -> None:
        calls = [*self._context.tool_calls.values()]  # a copy: the event loop may add one meanwhile
        made = [each.call_id for each in calls if each.observed and each.outcome is not None]
        # Copies: a later step changes both, and this one may be kept in memory.
        manifest = Manifest(self._asked_in, made, self.shape, {**self._states}, {**self._advanced})
        body, pages, pieces = manifest.packed()
        step = ThreadStep(
            graph=self._graph,
            number=self._number,
            step_id=self._step_id or "",
            parent=self._parent,
            turn=self._context.task.turn,
            body=body,
            pages=pages,
            pieces=pieces,
            held=held,
        )
        # In one queue: a step that the event loop commits must not overtake that of a thread before it, whose
        # pieces it names without holding them.
        self._known = _ids_of(pages, pieces)
        committed = self._committed(step, manifest)
        # Last, since nothing of them waits any more then. The outermost graph ends its steps on the loop.
        taken = self.taking_in.records() if self.taking_in is not None and takes_in else ()
        self._unrecorded.append(((*self._first, step, *taken), committed))
        self._first = ()
        # That of a thread is recorded before its node ends: the loop learns of that later.
        self._on_loop.soon(self._record)

    def _committed(self, step: ThreadStep, manifest: Manifest) -> CommittedStep:
        """Return the step with all its pieces, to be kept in memory."""
        self._held |= step.held
        self._size += sum(map(len, step.held.values()))
        most = (len(step.pieces) + len(step.pages) * (PAGE_PIECES + 1)) // ID_BYTES
        # Not at each step: to look through the pieces would take the longer the longer the thread is.
        if len(self._held) > 2 * most + 8:
            pages = [self._held.get(each, b"") for each in ids_in(step.pages)]
            used = self._known.union(*map(ids_in, pages))
            # A new one: an earlier step that is kept, or begun from, has the one before.
            self._held = {each: piece for each, piece in self._held.items() if each in used}
            self._size = sum(map(len, self._held.values()))
        size = self._size + len(step.body)
        # Without its body, which the manifest was made of, and whose pieces are among all of them.
        slim = ThreadStep(
            graph=step.graph,
            number=step.number,
            step_id=step.step_id,
            parent=step.parent,
            turn=step.turn,
            body=b"",
            pages=step.pages,
            pieces=step.pieces,
        )
        return CommittedStep(slim, manifest, self._held, self._marks, size)

    def _record(self) -> None:
        records: list[Record] = []
        committed: CommittedStep | None = None
        while self._unrecorded:
            more, committed = self._unrecorded.pop(0)
            records += more
        if committed is not None and not self._context.closed:
            self._context.record(*records)
            self._context.cache.keep(self._graph, committed)


def _ids_of(pages: bytes, pieces: bytes) -> set[bytes]:
    return {*ids_in(pages), *ids_in(pieces)}
