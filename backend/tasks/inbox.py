"""The messages that wait for the run of a user's active task to take them in."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from ..domain import events
from ..domain.events import TakenInAfter
from ..domain.task import Message, Steer, TakenIn, Task
from ..domain.task_life import TaskLife, Transition, recorded
from ..domain.tool_call import ToolCall
from ..store.records import Record

MOST_CALLS_LISTED = 20
"""Tool calls that the place of a message lists, the last ones."""


class Inbox(Protocol):
    """What a run may take in. Each message is the queued task that it becomes if no run does."""

    @property
    def waiting(self) -> Sequence[Task]:
        """All that waits, in order."""
        ...

    @property
    def queued(self) -> Sequence[Task]:
        """All tasks of the user that have not had their turn."""
        ...

    def take(self, graph: str | None) -> Sequence[Task]:
        """Take all that waits for a graph, in order.

        Nobody else decides about it until one of the next two is called.
        """
        ...

    def put_back(self, messages: Sequence[Task]) -> None:
        """Let messages wait again: nothing of the run's step is stored."""
        ...

    def taken_in(self, messages: Sequence[Task]) -> None:
        """Forget messages that were recorded as taken in."""
        ...


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
    life = TaskLife.of(message).after(Transition.TAKE_IN)
    if life is None:
        raise LookupError(f"{message.task_id} does not wait")
    at = to.updated_at
    # An aside: its own request was never made, and who looks for the last one must not find it.
    ended = replace(recorded(message, life, at=at), aside=True, steer=steer, taken_in_by=to.task_id)
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
