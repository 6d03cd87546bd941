"""The records that a store keeps: what a user's events, tasks and questions are made of."""

from dataclasses import dataclass

from ...domain.context import InterruptedContext
from ...domain.events import Event
from ...domain.inputs import InputRequest
from ...domain.model_step import ModelStep
from ...domain.partials import PartialBatch
from ...domain.task import AgentProgress, Message, Task
from ...domain.tool_call import ToolCall
from .saved_threads import SavedThread
from .thread_steps import ThreadStep


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
"""The turn of the checkpoint in which versions before 8 kept a thread; see `thread_steps`."""

USER_STORE = -1
"""The turn of what a user's graph has put into its `Store`."""


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
class Occupied:
    """Whether something of the user is in the owner's memory alone, so that the owner must be asked.

    Only stores that several processes share keep it.
    """

    occupied: bool


Record = (
    NewUser
    | Occupied
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
