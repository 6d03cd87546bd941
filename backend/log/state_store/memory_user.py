"""All that the store in memory keeps of one user, and how each record changes it."""

from dataclasses import dataclass, field
from typing import TypeVar

from ...domain.context import KEPT_CONTEXTS, InterruptedContext
from ...domain.events import Event
from ...domain.inputs import InputRequest
from ...domain.model_step import ModelStep
from ...domain.task import AgentProgress, InterruptReason, Message, Task, TaskStatus
from ...domain.tool_call import ToolCall
from .base import EVENT_BYTES_KEPT
from .codec import context_to_json, to_json
from .memory_threads import MemoryThread
from .records import (
    Acceptance,
    Checkpoint,
    ForgetCheckpoint,
    ForgetPartials,
    MustBeOpen,
    NewUser,
    Occupied,
    Record,
    SavedPartial,
    SavedProgress,
    SavedReceipt,
)
from .saved_threads import SavedThread
from .thread_steps import ThreadStep

V = TypeVar("V")


@dataclass(slots=True)
class MemoryUser:
    """Everything of one user."""

    epoch: str = ""
    seq: int = 0
    event_bytes: int = 0
    tasks: dict[int, Task] = field(default_factory=dict[int, Task])
    messages: dict[tuple[int, int], Message] = field(default_factory=dict[tuple[int, int], Message])
    events: list[bytes] = field(default_factory=list[bytes])
    partials: dict[tuple[int, int], SavedPartial] = field(default_factory=dict[tuple[int, int], SavedPartial])
    progress: dict[int, dict[str, AgentProgress]] = field(default_factory=dict[int, dict[str, AgentProgress]])
    receipts: dict[str, bytes] = field(default_factory=dict[str, bytes])
    acceptances: dict[str, tuple[int, bytes]] = field(default_factory=dict[str, tuple[int, bytes]])
    contexts: dict[int, InterruptedContext] = field(default_factory=dict[int, InterruptedContext])
    inputs: dict[str, InputRequest] = field(default_factory=dict[str, InputRequest])
    checkpoints: dict[int, Checkpoint] = field(default_factory=dict[int, Checkpoint])
    tool_calls: dict[tuple[int, str], ToolCall] = field(default_factory=dict[tuple[int, str], ToolCall])
    model_steps: dict[tuple[int, int], ModelStep] = field(default_factory=dict[tuple[int, int], ModelStep])
    threads: dict[str, MemoryThread] = field(default_factory=dict[str, MemoryThread])
    saved_thread: SavedThread | None = None

    def append(self, body: bytes) -> None:
        """Append an event to the log."""
        self.seq += 1
        self.events.append(body)
        self.event_bytes += len(body)


def ordered(rows: dict[tuple[int, int], V]) -> tuple[V, ...]:
    """Return rows by turn and position."""
    return tuple(rows[key] for key in sorted(rows))


def stored_bytes(user: MemoryUser) -> int:
    """Return about how many bytes are kept of a user: as documents, as a database would."""
    documents = (
        user.tasks, user.messages, user.inputs, user.tool_calls, user.model_steps,
    )  # fmt: skip
    contents = [
        *(to_json(each) for kept in documents for each in kept.values()),
        *(context_to_json(each) for each in user.contexts.values()),
        *(each.found.items if each.found else each.text.encode() for each in user.partials.values()),
        *user.receipts.values(),
        *(body for _, body in user.acceptances.values()),
        *(each.body for each in user.checkpoints.values()),
        *(body for thread in user.threads.values() for body in thread.pieces.values()),
    ]
    return user.event_bytes + sum(map(len, contents))


def is_open(user: MemoryUser, request_id: str) -> bool:
    """Return whether a question is open."""
    asked = user.inputs.get(request_id)
    return asked is not None and asked.open


def resumable(user: MemoryUser) -> tuple[Task, ...]:
    """Return a user's tasks to resume, as `StateStore.resumable` defines them."""
    tasks = list(user.tasks.values())
    at_work = (task.turn for task in tasks if task.status != TaskStatus.QUEUED and not task.aside)
    last_at_work = max(at_work, default=0)
    taken_up = {(task.previous_task_id, task.message) for task in tasks if task.aside}
    found = (
        task
        for task in tasks
        if not task.status.terminal
        or (
            task.status == TaskStatus.INTERRUPTED
            and task.reason == InterruptReason.SHUTDOWN
            and ((task.task_id, task.message) not in taken_up if task.aside else task.turn >= last_at_work)
        )
    )
    return tuple(sorted(found, key=lambda task: task.turn))


def trim_events(user: MemoryUser, keep_events: int) -> None:
    """Drop the oldest events beyond the bounds, but never the newest."""
    first, last = 0, len(user.events) - 1
    while first < last and (last - first >= keep_events or user.event_bytes > EVENT_BYTES_KEPT):
        user.event_bytes -= len(user.events[first])
        first += 1
    del user.events[:first]


def keep(user: MemoryUser, record: Record) -> None:
    """Keep a record; events are numbered by the store, which appends them."""
    match record:
        case NewUser():
            user.epoch = record.epoch
        case Event() | Occupied():
            pass
        case Task():
            known = user.tasks.get(record.turn)
            if known is None or not known.status.terminal:
                user.tasks[record.turn] = record
        case Message():
            user.messages[record.turn, record.position] = record
        case SavedReceipt():
            user.receipts[record.task_id] = record.body
        case Acceptance():
            user.acceptances.setdefault(record.client_id, (user.seq, record.body))
        case ToolCall():
            user.tool_calls[record.turn, record.call_id] = record
        case ModelStep():
            user.model_steps[record.turn, record.position] = record
        case ThreadStep():
            user.threads.setdefault(record.graph, MemoryThread()).keep(record)
        case InputRequest() | Checkpoint() | ForgetCheckpoint() | MustBeOpen():
            _keep_pause(user, record)
        case _:
            _keep_finding(user, record)


def _keep_pause(user: MemoryUser, record: InputRequest | Checkpoint | ForgetCheckpoint | MustBeOpen) -> None:
    match record:
        case InputRequest():
            if record.request_id not in user.inputs or is_open(user, record.request_id):
                user.inputs[record.request_id] = record
        case Checkpoint():
            user.checkpoints[record.turn] = record
        case ForgetCheckpoint():
            user.checkpoints.pop(record.turn, None)
        case MustBeOpen():
            pass


def _keep_finding(
    user: MemoryUser, record: SavedPartial | SavedProgress | InterruptedContext | ForgetPartials | SavedThread
) -> None:
    match record:
        case SavedPartial():
            user.partials[record.turn, record.position] = record
        case SavedProgress():
            user.progress.setdefault(record.turn, {})[record.agent] = record.progress
        case InterruptedContext():
            user.contexts[record.turn] = record
            for turn in sorted(user.contexts)[:-KEPT_CONTEXTS]:
                del user.contexts[turn]
        case SavedThread():
            user.saved_thread = record
        case ForgetPartials():
            before = record.before_turn
            user.partials = {key: each for key, each in user.partials.items() if key[0] >= before}
            user.progress = {turn: each for turn, each in user.progress.items() if turn >= before}
