"""The records that a store keeps: what a user's events, tasks and questions are made of."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, NamedTuple, TypeVar

from ..domain.context import InterruptedContext
from ..domain.errors import NotFound, NotOpen, StoreUnavailable
from ..domain.events import Event, StoredEvent
from ..domain.model_usage import ModelStep
from ..domain.partials import PartialBatch
from ..domain.questions import InputRequest
from ..domain.task import AgentProgress, Message, Task
from ..domain.tool_call import ToolCall
from .ownership import Lease
from .threads import SavedThread, ThreadStep


@dataclass(frozen=True, slots=True)
class NewUser:
    """A user's first record: begins an event log of that epoch."""

    epoch: str


@dataclass(frozen=True, slots=True)
class SavedPartial:
    """What the task of that turn found, or said (`text`), in order of `position`."""

    turn: int
    position: int
    found: PartialBatch | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class SavedProgress:
    """The progress of one agent of the task of that turn; replaces its progress before."""

    turn: int
    agent: str
    progress: AgentProgress


@dataclass(frozen=True, slots=True)
class SavedReceipt:
    """The account of how a task ended, in the contract's JSON; a later one replaces it."""

    turn: int
    task_id: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The response to a message with this client id, as JSON without `seq`. The first one stays."""

    client_id: str
    body: bytes


@dataclass(frozen=True, slots=True)
class ForgetPartials:
    """Partial results and progress of turns before this one are no longer needed."""

    before_turn: int


THREAD = 0
"""The turn of the checkpoint in which versions before 8 kept a thread; see `threads`."""

USER_STORE = -1
"""The turn of what a user's graph has put into its `Store`."""

ASSISTANTS = -2
"""The turn of the assistants that a person has made, among what belongs to no conversation."""

WEBHOOKS = -3
"""The turn of the addresses that are to be called as runs end, among what belongs to no person."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state of the graph of the task of that turn, or what belongs to `THREAD` or `USER_STORE`.

    It replaces the checkpoint before.

    `resting` is true if every branch of the graph had ended or waited for the user.
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
    """A condition rather than a record: the whole write fails with `NotOpen` unless that request is open.

    So of several answers to one question only one is stored.
    """

    request_id: str


@dataclass(frozen=True, slots=True)
class InUse:
    """Whether something of the user is in the owner's memory alone, so that the owner must be asked.

    Only stores that several processes share keep it.
    """

    in_use: bool


Record = (
    NewUser
    | InUse
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
    | ThreadStep
    | SavedThread
)


# --- told ----------------------------------------------------------------------------------------------
# What a store tells of a user.


@dataclass(frozen=True, slots=True, kw_only=True)
class UserPosition:
    """The end of a user's log: `(epoch, seq)`, and the last turn that a task or a message has taken."""

    epoch: str
    seq: int
    turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A user's latest task at one position, without its results, so its size is bounded.

    `inputs` are the task's open questions, `queued` the ids of queued tasks in the order in which they start;
    `pending` are those whose messages wait to be taken in by it, and are not among them.
    """

    position: UserPosition
    task: Task
    inputs: tuple[InputRequest, ...]
    queued: tuple[str, ...]
    pending: tuple[Task, ...] = ()
    agents: Mapping[str, AgentProgress]

    def with_results(
        self,
        partials: tuple[SavedPartial, ...],
        interrupted: tuple[InterruptedContext, ...],
        messages: tuple[Message, ...],
    ) -> "Snapshot":
        """Return the snapshot of this position."""
        return Snapshot(
            position=self.position,
            task=self.task,
            inputs=self.inputs,
            queued=self.queued,
            pending=self.pending,
            agents=self.agents,
            partials=partials,
            interrupted=interrupted,
            messages=messages,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot(Standing):
    """All that a client is sent about a user, at one position."""

    partials: tuple[SavedPartial, ...]
    interrupted: tuple[InterruptedContext, ...]
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class History:
    """Messages of a user at one position, oldest first."""

    position: UserPosition
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """Consecutive events.

    `complete` is false if events that come before the first one are no longer stored, or results that the one
    after the last shows; `more` is true if there are more after the last one.
    """

    events: tuple[StoredEvent, ...]
    complete: bool
    more: bool = False


class News(NamedTuple):
    """The end of a user's log, and events up to there or to before it, both at one moment."""

    position: UserPosition
    page: Page


# --- refused -------------------------------------------------------------------------------------------
# What a store raises for records and questions that it cannot take.


def not_open(request_id: str) -> NotOpen:
    """Return the error for a write whose condition does not hold."""
    return NotOpen(f"The question {request_id!r} is no longer asked.")


def unknown_record(record: Any) -> TypeError:
    """Return the error for a record of an unknown type, which is a bug."""
    return TypeError(f"no store keeps a {type(record).__name__}")


def unknown_message(message_id: str) -> NotFound:
    """Return the error for a message that a user does not have."""
    return NotFound(f"before: there is no message {message_id!r}.", code="unknown_message")


# --- epochs --------------------------------------------------------------------------------------------
# Names the event logs of users who have not written yet, so that a promised name outlives a kill.


def epoch_of(identity: str, deletions: int, user_id: str) -> str:
    """Return the epoch of a user's next log in a store of that identity, after so many users were deleted.

    A user who is deleted gets another epoch by the count; nothing has to be kept about who it was.
    """
    return blake2b(f"{identity} {deletions} {user_id}".encode(), digest_size=4).hexdigest()


# --- stored bytes --------------------------------------------------------------------------------------
# How much is stored of a user: the columns of the tables that hold it, for both databases.


COLUMNS_OF_USERS = {
    "tasks": ("document",),
    "messages": ("document",),
    "events": ("bodies",),
    "partials": ("found",),
    "receipts": ("body",),
    "acceptances": ("body",),
    "contexts": ("document",),
    "inputs": ("document",),
    "checkpoints": ("body",),
    "tool_calls": ("document",),
    "model_steps": ("document",),
    "thread_steps": ("body", "pages", "pieces"),
    "thread_pieces": ("body",),
    "threads": ("document",),
}
"""Whatever grows with what a user does; the rest of a row, and the progress of agents, is small."""


STORED_BYTES = "SELECT sum(size) FROM ({}) AS sizes".format(
    " UNION ALL ".join(
        f"SELECT coalesce(sum({' + '.join(f'octet_length({column})' for column in columns)}), 0) AS size"
        f" FROM detour.{table} WHERE user_id = $1"
        for table, columns in COLUMNS_OF_USERS.items()
    )
)
"""The statement that sums the sizes up; a database tells the length of a document without reading it."""


# --- call now ------------------------------------------------------------------------------------------
# What makes the begin of a tool call durable while nothing can be awaited.
#
# A tool begins in a thread, or in the event loop's own thread by a blocking call. The loop may be blocked
# by the very caller, so nothing here waits for it: the store takes the call's entry from any thread. Events
# wait for the loop, which numbers them; the entry has none.


T = TypeVar("T")
Wanted = Callable[[], bool]
"""Tells, at the last moment, in whatever thread writes, whether the call may still begin."""


class CallsNow(ABC):
    """Stores the begin of a call for whoever cannot await it."""

    @abstractmethod
    def store_call_now(self, lease: Lease, call: ToolCall, *, wanted: Wanted, within_s: float) -> bool:
        """Store the entry of a call, and wait until it is durable, in any thread: the event loop's own, too.

        Return False if it is not `wanted` by then: then nothing is stored. Raises `StoreUnavailable` if that
        takes longer than `within_s`, or fails; and `LeaseEnded`. It may be stored after an error.
        """


def answer(asked: "Future[T]", work: Callable[[], T]) -> None:
    """Do what somebody waits for in another thread, unless they have given up."""
    if not asked.set_running_or_notify_cancel():
        return
    try:
        asked.set_result(work())
    except Exception as error:  # noqa: BLE001 - raised where the answer is waited for
        asked.set_exception(error)


def answer_of(asked: "Future[T]", within_s: float) -> T:
    """Wait for an answer in this thread. Raises `StoreUnavailable` if it takes longer."""
    try:
        return asked.result(within_s)
    except TimeoutError:
        # What has not begun never does: written later, it would replace what the call has come to.
        asked.cancel()
        raise StoreUnavailable("The store does not answer right now.") from None
