"""The messages that wait for the run of a user's active task to take them in."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from ..domain import events
from ..domain.errors import Conflict, NotFound
from ..domain.events import TakenInAfter
from ..domain.task import Message, Steer, TakenIn, Task
from ..domain.task_life import Transition, stepped
from ..domain.tool_call import ToolCall
from ..store.records import Record

MOST_CALLS_LISTED = 20
"""Tool calls that the place of a message lists, the last ones."""


MOST_STEERED = 10
"""Messages that one run takes in, those that wait included."""


class Inbox:
    """The queued tasks of a conversation whose messages wait for a run to take them in.

    `held` has the ids of those that a run has taken in and not recorded yet, or about which a decision is
    being stored. Nobody else may decide about them.
    """

    __slots__ = ("_queued", "held")

    def __init__(self, queued: list[Task]) -> None:
        self._queued = queued
        self.held: frozenset[str] = frozenset()  # takes no memory while nobody steers

    @property
    def waiting(self) -> list[Task]:
        """All of them, in order."""
        return [each for each in self._queued if each.steer == "pending"]

    @property
    def queued(self) -> list[Task]:
        """All queued tasks, these messages included."""
        return self._queued

    @property
    def free(self) -> list[Task]:
        """Those that are not held, in order."""
        return [each for each in self.waiting if each.task_id not in self.held]

    def find(self, message_id: str) -> Task:
        """Return the free one of this message. Raises `NotFound`, and `Conflict` for one that is held."""
        for each in self.waiting:
            if each.message_id == message_id:
                if each.task_id in self.held:
                    raise Conflict("The message is being taken in.", code="not_pending")
                return each
        raise NotFound(f"No message {message_id!r} is pending.", code="unknown_message")

    def hold(self, messages: Iterable[Task]) -> None:
        """Keep others from deciding about messages."""
        self.held |= {each.task_id for each in messages}

    def revise(self, message: Task) -> None:
        """Replace a message by its revision."""
        self._queued[:] = [message if each.task_id == message.task_id else each for each in self._queued]

    def take(self, graph: str | None) -> Sequence[Task]:
        """Take and hold all free messages for a graph."""
        taken = [each for each in self.free if each.graph == graph]
        self.hold(taken)
        return taken

    def put_back(self, messages: Iterable[Task]) -> None:
        """Hold messages no longer: nothing was decided about them."""
        self.held -= {each.task_id for each in messages}

    def taken_in(self, messages: Iterable[Task]) -> None:
        """Take messages out of the queue: they have another place now."""
        gone = {each.task_id for each in messages}
        self._queued[:] = [each for each in self._queued if each.task_id not in gone]
        self.held -= gone


def message_of(
    task: Task, steer: Steer | None, *, taken_in_by: str | None = None, taken_in_at: datetime | None = None
) -> Message:
    """Return the message of a task that was sent to steer another one, as it is in the conversation."""
    return Message(
        user_id=task.user_id,
        task_id=task.task_id,
        turn=task.turn,
        position=0,
        role="user",
        text=task.message,
        at=task.created_at,
        client_id=task.client_id,
        steer=steer,
        taken_in_by=taken_in_by,
        taken_in_at=taken_in_at,
    )


def handed_over(message: Task, to: Task, steer: Steer, *, after: TakenInAfter | None = None) -> list[Record]:
    """Return the records by which a message that waits comes into the run of a task, `to`."""
    at = to.updated_at
    # An aside: its own request was never made, and who looks for the last one must not find it.
    ended = stepped(message, Transition.TAKE_IN, at=at)
    ended = replace(ended, aside=True, steer=steer, taken_in_by=to.task_id)
    event = events.steer(to.task_id, message, steer, at=at, after=after)
    taken_in_at = at if steer == "taken_in" else None
    return [ended, message_of(message, steer, taken_in_by=to.task_id, taken_in_at=taken_in_at), event]


def with_messages(
    task: Task, messages: Sequence[Task], *, before: bool, within: bool = False, step: int | None = None
) -> Task:
    """Return a task whose run has these messages; what it says from then on stands behind them."""
    taken = [
        TakenIn(message_id=each.message_id, text=each.message, before=before, within=within, step=step)
        for each in messages
    ]
    last = max(task.spoken_turn or task.turn, *(each.turn for each in messages))
    return replace(
        task,
        took_in=(*task.took_in, *taken),
        spoken_turn=last if last != task.turn else task.spoken_turn,
    )


def place_after(nodes: Sequence[str], calls: Collection[ToolCall]) -> TakenInAfter:
    """Return the place after a step of these nodes and the calls that the task has made."""
    return {
        "nodes": nodes,
        "calls": [
            {"call_id": each.call_id, "tool": each.tool, "state": each.outcome or each.state}
            for each in [*calls][-MOST_CALLS_LISTED:]
        ],
    }
