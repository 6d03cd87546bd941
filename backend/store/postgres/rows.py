"""The rows that keep a group of records, table by table, as the function `detour.write` takes them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import ormsgpack

from ...domain.context import KEPT_CONTEXTS, InterruptedContext
from ...domain.model_usage import ModelStep
from ...domain.questions import InputRequest
from ...domain.task import TERMINAL, Message, Task
from ...domain.tool_call import ToolCall
from ..base import EVENT_BYTES_KEPT
from ..codec import columns_of, columns_of_partial, context_to_json, to_json
from ..ownership import Lease
from ..records import (
    Acceptance,
    Checkpoint,
    ForgetCheckpoint,
    ForgetPartials,
    InUse,
    MustBeOpen,
    NewUser,
    Record,
    SavedPartial,
    SavedProgress,
    SavedReceipt,
    unknown_record,
)
from ..sqlite.rows import event_rows
from ..threads import SavedThread, ThreadStep

Row = tuple[Any, ...]
Keyed = dict[Any, Row]

WRITE = f"SELECT followed, by FROM detour.write({', '.join(f'${number}' for number in range(1, 25))})"


def key(text: str) -> str:
    """Return a text as it is kept in a key: PostgreSQL's text has no U+0000."""
    if "\0" not in text and "\\" not in text:
        return text
    return text.replace("\\", "\\\\").replace("\0", "\\0")


def from_key(kept: str) -> str:
    """Return the text that is kept in a key."""
    if "\\" not in kept:
        return kept
    return "\\".join(part.replace("\\0", "\0") for part in kept.split("\\\\"))


def _table() -> Keyed:
    return {}


@dataclass(slots=True)
class _Own:
    """What the group changes of a user's own row."""

    fence: int
    writes: int
    seq: int
    turn: int = 0
    epoch: str | None = None
    in_use: bool | None = None


@dataclass(slots=True)
class Rows:
    """The rows of a group: of each key the last one, since one statement may not write a row twice.

    `timeline` is the database's; `keep_events` bounds each user's log. `threads_to_trim` are read, and
    trimmed, after the group.
    """

    timeline: str
    keep_events: int
    own: dict[str, _Own] = field(default_factory=dict[str, _Own])
    must: list[Row] = field(default_factory=list[Row])
    tasks: Keyed = field(default_factory=_table)
    messages: Keyed = field(default_factory=_table)
    events: dict[str, tuple[int, list[bytes]]] = field(default_factory=dict[str, tuple[int, list[bytes]]])
    partials: dict[tuple[str, int], list[Row]] = field(default_factory=dict[tuple[str, int], list[Row]])
    agents: Keyed = field(default_factory=_table)
    receipts: Keyed = field(default_factory=_table)
    contexts: Keyed = field(default_factory=_table)
    acceptances: Keyed = field(default_factory=_table)
    trim_events: Keyed = field(default_factory=_table)
    measured: set[str] = field(default_factory=set[str])
    trim_partials: Keyed = field(default_factory=_table)
    inputs: Keyed = field(default_factory=_table)
    forget_checkpoints: Keyed = field(default_factory=_table)
    checkpoints: Keyed = field(default_factory=_table)
    tool_calls: Keyed = field(default_factory=_table)
    model_steps: Keyed = field(default_factory=_table)
    steps: Keyed = field(default_factory=_table)
    pieces: Keyed = field(default_factory=_table)
    threads: Keyed = field(default_factory=_table)
    threads_to_trim: dict[tuple[Lease, str], int] = field(default_factory=dict[tuple[Lease, str], int])

    def begin(self, lease: Lease, seq: int, writes: int) -> _Own:
        """Return what the group changes of a user with so many writes, whose last event has that number."""
        return self.own.setdefault(lease.user_id, _Own(lease.fence, writes, seq))

    def add_event(self, user_id: str, seq: int, body: bytes) -> None:
        """Add an event of that number, with its body as stored."""
        self.events.setdefault(user_id, (seq, []))[1].append(body)
        self.own[user_id].seq = seq

    def trim(self, user_id: str, upto: int) -> None:
        """Have the events up to a number deleted."""
        self.trim_events[user_id] = (key(user_id), upto)

    def add(self, lease: Lease, record: Record) -> None:
        """Add the rows of a record that is no event. Raises `TypeError` for one that cannot be stored."""
        user, own = key(lease.user_id), self.own[lease.user_id]
        match record:
            case SavedPartial():
                self.partials.setdefault((user, record.turn), []).append(columns_of_partial(record))
            case SavedProgress():
                named = key(record.agent)
                self.agents[user, record.turn, named] = (
                    user,
                    record.turn,
                    named,
                    ormsgpack.packb((record.agent, *columns_of(record.progress))),
                )
            case Task():
                own.turn = max(own.turn, record.turn)
                self._put_task(user, record)
            case Message():
                own.turn = max(own.turn, record.turn)
                place = (user, record.turn, record.position)
                self.messages[place] = (*place, key(record.task_id or ""), to_json(record))
            case SavedReceipt():
                self.receipts[user, record.task_id] = user, key(record.task_id), None, record.body
            case InterruptedContext():
                self.contexts[user, record.turn] = user, record.turn, None, context_to_json(record)
            case Acceptance():
                named = key(record.client_id)
                self.acceptances.setdefault((user, named), (user, named, own.seq, record.body))
            case ForgetPartials():
                known = self.trim_partials.get(user, (user, 0))[1]
                self.trim_partials[user] = user, max(known, record.before_turn)
            case NewUser():
                own.epoch = record.epoch
            case InUse():
                own.in_use = record.in_use
            case MustBeOpen():
                self.must.append((user, key(record.request_id)))
            case _:
                self._add_state(lease, user, record)

    def _add_state(self, lease: Lease, user: str, record: Record) -> None:
        """Add the rows of what agents did, of a question, of a graph's state, or of the index of threads."""
        match record:
            case InputRequest():
                self._put_input(user, record)
            case Checkpoint():
                about = (user, record.turn, None, record.resting, record.body)
                self.checkpoints[user, record.turn] = about
            case ForgetCheckpoint():
                # The deletions come first: so a checkpoint that is saved after one stays.
                self.checkpoints.pop((user, record.turn), None)
                self.forget_checkpoints[user, record.turn] = user, record.turn
            case ToolCall():
                about = (user, record.turn, key(record.call_id))
                self.tool_calls[about] = (*about, record.left_open, to_json(record))
            case ModelStep():
                place = (user, record.turn, record.position)
                self.model_steps[place] = (*place, None, to_json(record))
            case ThreadStep():
                self._add_step(lease, user, record)
            case SavedThread():
                since, last = record.created_at.timestamp(), record.updated_at.timestamp()
                self.threads[user] = user, since, last, to_json(record)
            case _:
                raise unknown_record(record)

    def _put_task(self, user: str, task: Task) -> None:
        old = self.tasks.get((user, task.turn))
        if old is None or old[3] not in TERMINAL:
            before = None if task.previous_task_id is None else key(task.previous_task_id)
            reason = task.reason.value if task.reason else None
            about = (key(task.task_id), task.status.value, reason, task.aside, before)
            said = blake2b(task.message.encode(), digest_size=16).digest()
            self.tasks[user, task.turn] = (user, task.turn, *about, said, to_json(task))

    def _put_input(self, user: str, asked: InputRequest) -> None:
        named = key(asked.request_id)
        old = self.inputs.get((user, named))
        if old is None or old[4] is None:
            about = (asked.turn, asked.number, asked.resolution, asked.expires_at.timestamp())
            self.inputs[user, named] = (user, named, *about, to_json(asked))

    def _add_step(self, lease: Lease, user: str, step: ThreadStep) -> None:
        graph = key(step.graph)
        parent = None if step.parent is None else key(step.parent)
        about = (key(step.step_id), parent, step.turn, step.body, step.pages, step.pieces)
        self.steps[user, graph, step.number] = (user, graph, step.number, *about)
        for piece_id, body in step.held.items():
            self.pieces[user, graph, piece_id] = (user, graph, piece_id, body)
        if step.trims:
            self.threads_to_trim[lease, step.graph] = step.number

    def arguments(self) -> list[Any]:
        """Return what `WRITE` takes."""
        own = [
            (key(user_id), of.fence, of.writes, of.seq, of.turn, of.epoch, self.timeline, of.in_use)
            for user_id, of in sorted(self.own.items())
        ]
        events = [
            (key(user_id), last, first, packed)
            for user_id, (begin, bodies) in self.events.items()
            for _, last, first, packed in event_rows(user_id, begin, bodies)
        ]
        partials = [
            (user, turn, saved[-1][0], None, ormsgpack.packb(saved))
            for (user, turn), saved in self.partials.items()
        ]
        users_of_contexts = sorted({user for user, _ in self.contexts})
        return [
            own, self.must, _rows(self.tasks), _rows(self.messages), events, partials, _rows(self.agents),
            _rows(self.receipts), _rows(self.contexts), _rows(self.acceptances), _rows(self.trim_events),
            [key(each) for each in self.measured], EVENT_BYTES_KEPT, _rows(self.trim_partials),
            users_of_contexts, KEPT_CONTEXTS, _rows(self.inputs), _rows(self.forget_checkpoints),
            _rows(self.checkpoints), _rows(self.tool_calls), _rows(self.model_steps), _rows(self.steps),
            _rows(self.pieces), _rows(self.threads),
        ]  # fmt: skip


def _rows(table: Keyed) -> list[Row]:
    return [*table.values()]


def has_condition(records: Sequence[Record]) -> bool:
    """Return whether a write has a condition, and so fails alone."""
    return any(isinstance(each, MustBeOpen) for each in records)
