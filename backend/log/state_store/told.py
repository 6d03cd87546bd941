"""What a store tells of a user."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ...domain.context import InterruptedContext
from ...domain.events import StoredEvent
from ...domain.inputs import InputRequest
from ...domain.task import AgentProgress, Message, Task
from .records import SavedPartial


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
