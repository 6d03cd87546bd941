"""The orders in which every store returns tasks, calls and messages."""

from collections.abc import Iterable, Sequence

from ...domain.task import Message, Task, TaskStatus
from ...domain.tool_call import ToolCall
from .base import HISTORY_BYTES


def latest_task(tasks: Sequence[Task]) -> Task:
    """Return the task that a user is shown: the newest active one, else the last that ended, else the newest.

    Newer and last mean of a later turn: clocks are set back, turns are not. Asides count only if there is
    nothing else. `tasks` are at least all unfinished ones of a user, the last of those that ended and are no
    asides, and the last of all.
    """
    by_turn = sorted((task for task in tasks if not task.aside), key=lambda task: task.turn)
    by_turn = by_turn or sorted(tasks, key=lambda task: task.turn)
    ended = [task for task in by_turn if task.status.terminal]
    active = [task for task in by_turn if not task.status.terminal and task.status != TaskStatus.QUEUED]
    return (active or ended or by_turn)[-1]


def in_starting_order(waiting: Iterable[Task]) -> list[Task]:
    """Return queued tasks in the order in which they start: those that are to steer, by priority, by turn."""
    return sorted(waiting, key=lambda task: (task.steer != "pending", _rank(task), task.turn))


def _rank(task: Task) -> int:
    return 0 if task.steer == "pending" else -task.priority


def queued_and_pending(waiting: Iterable[Task]) -> tuple[tuple[str, ...], tuple[Task, ...]]:
    """Return the ids of queued tasks, and apart from them those whose messages are to steer, in order."""
    in_order = in_starting_order(waiting)
    pending = tuple(each for each in in_order if each.steer == "pending")
    return tuple(each.task_id for each in in_order if each.steer != "pending"), pending


def in_order_made(calls: Iterable[ToolCall]) -> tuple[ToolCall, ...]:
    """Return tool calls in the order in which they were made, those of one user together."""
    return tuple(sorted(calls, key=lambda call: (call.user_id, call.requested_at, call.call_id)))


def one_page(newest_first: Iterable[Message]) -> tuple[Message, ...]:
    """Return the newest messages that fit in one page, oldest first; reads no more of them than it must."""
    page: list[Message] = []
    size = 0
    for message in newest_first:
        size += len(message.text.encode())
        if page and size > HISTORY_BYTES:
            break
        page.append(message)
    return tuple(reversed(page))
