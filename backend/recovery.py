"""What a new process makes of the tasks that an old one left unfinished.

A task that was at work is ended as `lost`, with all that it had stored; its message is taken up again by a
new task. One that had been told to end is ended for the reason it was told. One that waited goes on waiting.
A message that was lost several times is given up, and its user is told, so that one that brings the process
down does not do so for ever. A shutdown in good order does not count.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import structlog

from backend.domain.task import InterruptReason, Task, TaskStatus
from backend.interruption_manager import InterruptionManager
from backend.state_store.base import StateStore
from backend.task_context import TaskContext

MOST_ATTEMPTS = 3
"""How often a message is taken up before it is given up."""

GIVEN_UP = (
    f"This was attempt {MOST_ATTEMPTS}, and the last: please send the message again if you still want it."
)

_log = structlog.get_logger(__name__)


class Runner(Protocol):
    """What recovery needs of the runner."""

    async def take_up_again(self, lost: Task, context: TaskContext | None = None) -> None:
        """Give a message a new task, and end the one whose context is given."""
        ...

    async def queue_again(self, waiting: Sequence[Task]) -> None:
        """Let tasks wait again."""
        ...


async def recover(store: StateStore, interruptions: InterruptionManager, runner: Runner) -> None:
    """Settle what an old process left, then take it up again. Call once, before messages are accepted.

    Raises `StoreUnavailable`; called again, it goes on where it was.
    """
    unfinished = await store.resumable()
    for task in unfinished:
        if task.status.terminal:
            await runner.take_up_again(task)
        elif task.status is not TaskStatus.QUEUED:
            await _end(task, await _context(store, interruptions, task), interruptions, runner)
    await runner.queue_again([task for task in unfinished if task.status is TaskStatus.QUEUED])
    if unfinished:
        _log.info("unfinished tasks were found and taken care of", tasks=len(unfinished))


async def _end(task: Task, context: TaskContext, interruptions: InterruptionManager, runner: Runner) -> None:
    if task.reason not in (None, InterruptReason.SHUTDOWN):
        await interruptions.settle(context, task.reason)
    elif task.reason is None and task.attempt >= MOST_ATTEMPTS:
        _log.error("a message was lost too often and is given up", task_id=task.task_id)
        await interruptions.settle(context, InterruptReason.LOST, remark=GIVEN_UP)
    else:
        await runner.take_up_again(task, context)


async def _context(store: StateStore, interruptions: InterruptionManager, task: Task) -> TaskContext:
    partials = await store.get_partials(task.user_id, task.turn)
    agents = await store.get_progress(task.user_id, task.turn)
    # The record may say that it was told to end: the process that would have ended it is gone.
    record = replace(task, reason=None)
    return interruptions.create_task_context(record, partials=partials, agents=agents)
