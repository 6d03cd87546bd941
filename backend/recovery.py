"""What a new process makes of the tasks that an old one left unfinished.

A task that was at work is ended as `lost`, with all that it had stored; its message is taken up again by a
new task. One that had been told to end is ended for the reason it was told. One that waited goes on waiting.
A message that was lost several times is given up, so that one that brings the process down does not do so
for ever.
"""

from dataclasses import replace
from typing import Protocol

import structlog

from backend.domain.task import InterruptReason, Task, TaskStatus
from backend.interruption_manager import InterruptionManager
from backend.state_store.base import StateStore

MOST_ATTEMPTS = 3
"""How often a message is taken up before it is given up."""

_log = structlog.get_logger(__name__)


class Runner(Protocol):
    """What recovery needs of the runner."""

    async def take_up_again(self, lost: Task) -> None:
        """Give a message a new task."""
        ...

    async def queue_again(self, waiting: Task) -> None:
        """Let a task wait again."""
        ...


async def recover(store: StateStore, interruptions: InterruptionManager, runner: Runner) -> None:
    """Settle what an old process left, then take it up again. Call once, before messages are accepted."""
    unfinished = await store.resumable()
    for task in unfinished:
        if not task.status.terminal and task.status is not TaskStatus.QUEUED:
            await _settle(store, interruptions, task)
    for task in unfinished:
        if task.status is TaskStatus.QUEUED or _was_told_to_end(task):
            continue
        if task.attempt < MOST_ATTEMPTS:
            await runner.take_up_again(task)
        else:
            _log.error("a message was lost too often and is given up", task_id=task.task_id)
    for task in unfinished:
        if task.status is TaskStatus.QUEUED:
            await runner.queue_again(task)
    if unfinished:
        _log.info("unfinished tasks were found and taken care of", tasks=len(unfinished))


def _was_told_to_end(task: Task) -> bool:
    return task.reason is not None and task.reason is not InterruptReason.SHUTDOWN


async def _settle(store: StateStore, interruptions: InterruptionManager, task: Task) -> None:
    partials = await store.get_partials(task.user_id, task.turn)
    agents = await store.get_progress(task.user_id, task.turn)
    # The record says running: the process that would have ended it is gone.
    context = interruptions.create_task_context(replace(task, reason=None), partials=partials, agents=agents)
    context.started_at = task.created_at
    await interruptions.settle(context, task.reason or InterruptReason.LOST)
