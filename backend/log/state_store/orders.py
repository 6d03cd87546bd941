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
    """Return queued tasks in the order in which they start: by priority, then by turn."""
    return sorted(waiting, key=lambda task: (-task.priority, task.turn))


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
