"""The seam to what survives the process: what can be written, what can be read, and what is promised.

A write is a list of records of one user that become durable together, or not at all. The store numbers the
events among them in that same transaction, so numbers have no holes and a failed write uses none up. Writes
become durable in the order in which `commit` and `record` were called, across both.

`commit` returns a future that is done when the records are durable; it is not cancellable work: a caller
that is cancelled while it waits changes nothing. `record` returns at once; its records are durable within
`GROUP_COMMIT_S`. Both raise `StoreUnavailable` where nothing can be taken: while the store is not open, or
too much waits. A write that fails later fails its future: with `StoreUnavailable` where the store is to
blame, with `TypeError` for what no store keeps. Once stored, events are handed to the listener in order,
before the future of their commit is done. Reads raise `StoreUnavailable` too; cancelling one changes nothing.
"""

from abc import ABC, abstractmethod
from asyncio import Future
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog

from ...domain.context import InterruptedContext
from ...domain.events import Event, StoredEvent
from ...domain.inputs import InputRequest
from ...domain.model_step import ModelStep
from ...domain.partials import PartialBatch
from ...domain.task import AgentProgress, InterruptReason, Message, Task, TaskStatus
from ...domain.tool_call import ToolCall
from ...errors import NotFound, NotOpen

GROUP_COMMIT_S = 0.05
"""The longest that `record` may take to become durable while the store is well."""


@dataclass(frozen=True, slots=True)
class NewUser:
    """A user's first record: begins an event log of that epoch."""

    epoch: str


@dataclass(frozen=True, slots=True)
class SavedPartial:
    """Something a task of that turn found, or (`text`) said; each has a higher `position` than the last."""

    turn: int
    position: int
    found: PartialBatch | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class SavedProgress:
    """How far an agent of the task of that turn is."""

    turn: int
    agent: str
    progress: AgentProgress


@dataclass(frozen=True, slots=True)
class SavedReceipt:
    """The true account of how a task ended, in the contract's JSON; a later one amends it."""

    turn: int
    task_id: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The answer that a message with this client id got, for its retries; JSON without `seq`."""

    client_id: str
    body: bytes


@dataclass(frozen=True, slots=True)
class ForgetPartials:
    """Partial results and progress of turns before this one are no longer needed."""

    before_turn: int


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where the graph of the task of that turn stands; takes the place of the one before it.

    `resting` tells that nothing of it was at work any more but what waits for the user.
    """

    turn: int
    body: bytes
    resting: bool = False


@dataclass(frozen=True, slots=True)
class ForgetCheckpoint:
    """The checkpoint of that turn is no longer needed."""

    turn: int


@dataclass(frozen=True, slots=True)
class MustBeOpen:
    """A condition rather than a record: unless that input request is open, nothing of the write is kept.

    The write fails with `NotOpen` then, whatever else is in it. So of several answers to one question, only
    one is kept.
    """

    request_id: str


Record = (
    NewUser
    | Task
    | Message
    | Event
    | SavedPartial
    | SavedProgress
    | SavedReceipt
    | InterruptedContext
    | Acceptance
    | ForgetPartials
    | InputRequest
    | Checkpoint
    | ForgetCheckpoint
    | MustBeOpen
    | ToolCall
    | ModelStep
)


@dataclass(frozen=True, slots=True, kw_only=True)
class UserPosition:
    """Where a user's log stands: `(epoch, seq)`, and the last turn that a task or a message has taken."""

    epoch: str
    seq: int
    turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where a user's latest task stands, as it was at one position; small, however much was found.

    `inputs` are the questions of the task that are open.
    """

    position: UserPosition
    task: Task
    inputs: tuple[InputRequest, ...]
    queued: tuple[str, ...]
    agents: Mapping[str, AgentProgress]


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot(Standing):
    """All that is told about a user, as it was at one position."""

    partials: tuple[SavedPartial, ...]
    interrupted: tuple[InterruptedContext, ...]
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class History:
    """Messages of a user, oldest first, as they were at one position."""

    position: UserPosition
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """A run of events. `complete` is false where events before the first one are no longer kept, `more` is
    true where there were more after the last one.
    """

    events: tuple[StoredEvent, ...]
    complete: bool
    more: bool = False


Listener = Callable[[str, Sequence[StoredEvent]], None]
"""Is handed a user's events as soon as they are durable: `(user_id, events)`. What it raises is logged."""

_log = structlog.get_logger(__name__)


def latest_task(tasks: Sequence[Task]) -> Task:
    """Return the task that a user is told about: the newest at work, the last that ended, or the newest.

    Asides count only where there is nothing else; and so does, of those that ended, one that was superseded,
    for it may have taken longer to end than the one that took its place. `tasks` are at least all unfinished
    ones of a user, and of each of these four kinds the last that ended.
    """
    by_turn = sorted((task for task in tasks if not task.aside), key=lambda task: task.turn)
    by_turn = by_turn or sorted(tasks, key=lambda task: task.turn)
    at_work = [task for task in by_turn if not task.status.terminal and task.status != TaskStatus.QUEUED]
    ended = sorted(
        (task for task in by_turn if task.status.terminal),
        key=lambda task: (task.reason != InterruptReason.SUPERSEDED, task.updated_at),
    )
    return (at_work or ended or by_turn)[-1]


def in_starting_order(waiting: Iterable[Task]) -> list[Task]:
    """Return tasks that wait in the order in which they start: by priority, then as they came."""
    return sorted(waiting, key=lambda task: (-task.priority, task.turn))


def in_order_made(calls: Iterable[ToolCall]) -> tuple[ToolCall, ...]:
    """Return tool calls in the order in which they were made, those of one user together."""
    return tuple(sorted(calls, key=lambda call: (call.user_id, call.requested_at, call.call_id)))


class StateStore(ABC):
    """Everything that must survive. One process at a time owns a store."""

    @abstractmethod
    async def open(self, listener: Listener) -> None:
        """Make ready; raise `StoreUnavailable` where that is impossible."""

    @abstractmethod
    async def close(self) -> None:
        """Make durable what was taken, then let go."""

    @abstractmethod
    def new_epoch(self, user_id: str) -> str:
        """Return the epoch of the log that a user without one begins, the same until somebody is deleted.

        It is never that of a log which has ended. Raises `StoreUnavailable` while the store is not open.
        """

    @abstractmethod
    def commit(self, user_id: str, *records: Record) -> "Future[int]":
        """Take records; the future yields the user's `seq` once they are durable."""

    @abstractmethod
    def record(self, user_id: str, *records: Record) -> None:
        """Take records that become durable within `GROUP_COMMIT_S`; where that fails, it is tried again."""

    @abstractmethod
    async def position(self, user_id: str) -> UserPosition | None:
        """Return where a user's log stands, None for an unknown user."""

    @abstractmethod
    async def standing(self, user_id: str) -> Standing | None:
        """Return where a user's latest task stands, None if unknown."""

    @abstractmethod
    async def history(self, user_id: str, *, limit: int, before: str | None = None) -> History | None:
        """Return the last messages, or the last before the message of that id; None for an unknown user.

        Raises `NotFound` where the user has no message of that id.
        """

    @abstractmethod
    async def snapshot(self, user_id: str, *, history: int) -> Snapshot | None:
        """Return all that is told of a user at one instant, with the last messages; None if unknown."""

    @abstractmethod
    async def get_messages(self, user_id: str, *, limit: int) -> tuple[Message, ...]:
        """Return the last messages of a conversation, oldest first."""

    @abstractmethod
    async def get_task_metadata(self, task_id: str) -> Task | None:
        """Return a task by its id."""

    @abstractmethod
    async def recent_tasks(self, user_id: str, *, limit: int) -> tuple[Task, ...]:
        """Return a user's last tasks, newest first, without those that were answered beside another."""

    @abstractmethod
    async def get_partials(self, user_id: str, turn: int) -> tuple[SavedPartial, ...]:
        """Return what the task of a turn has found and said, in order."""

    @abstractmethod
    async def get_progress(self, user_id: str, turn: int) -> Mapping[str, AgentProgress]:
        """Return how far each agent of the task of a turn is, by name."""

    @abstractmethod
    async def get_receipt(self, user_id: str, task_id: str) -> bytes | None:
        """Return the JSON of a task's receipt."""

    @abstractmethod
    async def get_acceptance(self, user_id: str, client_id: str) -> tuple[int, bytes] | None:
        """Return the `seq` and JSON of the answer a message with this client id got."""

    @abstractmethod
    async def get_interrupted_contexts(self, user_id: str) -> tuple[InterruptedContext, ...]:
        """Return the last interrupted contexts, newest first, at most `KEPT_CONTEXTS`."""

    @abstractmethod
    async def get_interrupted_context(self, user_id: str, turn: int) -> InterruptedContext | None:
        """Return what the interrupted task of a turn left behind, if it is kept."""

    async def get_latest_interrupted_context(self, user_id: str) -> InterruptedContext | None:
        """Return the newest interrupted context."""
        contexts = await self.get_interrupted_contexts(user_id)
        return contexts[0] if contexts else None

    @abstractmethod
    async def get_input(self, user_id: str, request_id: str) -> InputRequest | None:
        """Return an input request by its id; once it is resolved, it changes no more."""

    @abstractmethod
    async def get_inputs(self, user_id: str, turn: int) -> tuple[InputRequest, ...]:
        """Return all that the task of a turn has asked, in order."""

    @abstractmethod
    async def get_checkpoint(self, user_id: str, turn: int) -> Checkpoint | None:
        """Return where the graph of the task of a turn stands."""

    @abstractmethod
    async def get_tool_calls(self, user_id: str, turn: int) -> tuple[ToolCall, ...]:
        """Return every tool call of the task of a turn as it was last told, in the order they were made."""

    @abstractmethod
    async def unsettled_tool_calls(self) -> tuple[ToolCall, ...]:
        """Return every call, of all users, that may have changed something outside without a word of it."""

    @abstractmethod
    async def get_model_steps(self, user_id: str, *, since_turn: int) -> tuple[ModelStep, ...]:
        """Return what models said in the tasks of that turn and later ones, in order."""

    @abstractmethod
    async def inputs_due(self, now: datetime) -> tuple[InputRequest, ...]:
        """Return every open input request that has expired by now, of all users."""

    @abstractmethod
    async def events_after(self, user_id: str, seq: int, *, limit: int) -> Page:
        """Return the events after a number, in order, at most `limit`; fewer where they are large."""

    @abstractmethod
    async def resumable(self) -> tuple[Task, ...]:
        """Return every unfinished task, and those that a shutdown ended unless a later one was at work.

        An aside is answered beside the task at work: it is none itself, and is returned unless a later one
        of the same message names it as the task before it, which is how one that was taken up is known.
        """

    @abstractmethod
    async def delete_user(self, user_id: str) -> None:
        """Forget everything about a user; a user of that name begins anew."""

    async def check(self) -> None:
        """Make something durable that says nothing. Raises `StoreUnavailable` where nothing can be kept."""
        await self.commit("", ForgetPartials(before_turn=0))

    def save_task_metadata(self, task: Task) -> "Future[int]":
        """Keep a task; once it has a terminal status, it changes no more."""
        return self.commit(task.user_id, task)

    def save_partial(self, user_id: str, partial: SavedPartial) -> "Future[int]":
        """Keep something that a task found or said."""
        return self.commit(user_id, partial)

    def preserve_interrupted_context(self, context: InterruptedContext) -> "Future[int]":
        """Keep what an interrupted task leaves behind, among the last `KEPT_CONTEXTS` of its user."""
        return self.commit(context.user_id, context)


def tell(listener: Listener, user_id: str, events: Sequence[StoredEvent]) -> None:
    """Hand events to a listener, whose failure must not hold up the writes of others."""
    try:
        listener(user_id, events)
    except Exception:  # noqa: BLE001 - logged; the store serves on
        _log.exception("a listener failed", user_id=user_id)


def not_open(request_id: str) -> NotOpen:
    """Return the error for a write whose condition does not hold."""
    return NotOpen(f"The question {request_id!r} is no longer asked.")


def unknown_record(record: Any) -> TypeError:
    """Return the error for a record that no store knows; a fault in the program."""
    return TypeError(f"no store keeps a {type(record).__name__}")


def unknown_message(message_id: str) -> NotFound:
    """Return the error for a message that a user does not have."""
    return NotFound(f"before: there is no message {message_id!r}.", code="unknown_message")
