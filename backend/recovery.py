"""What a new process makes of the tasks that an old one left unfinished.

A task that was at work is ended as `lost`, with all that it had stored; its message is taken up again by a
new task. One that had been told to end is ended for the reason it was told. One that waited goes on waiting,
be it for its turn or for its user. One that has asked goes on from there if anything of it was at work.
A message that was lost several times is given up, and its user is told, so that one that brings the process
down does not do so for ever. A shutdown in good order does not count.
"""

from collections.abc import Sequence
from typing import Protocol

import structlog

from backend.conversation import may_go_on
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

    async def go_on_again(self, task: Task) -> None:
        """Let a task go on from its checkpoint."""
        ...

    async def queue_again(self, waiting: Sequence[Task]) -> None:
        """Let tasks wait again."""
        ...


async def recover(store: StateStore, interruptions: InterruptionManager, runner: Runner) -> None:
    """Settle what an old process left, then take it up again. Call once, before messages are accepted.

    Raises `StoreUnavailable`; called again, it goes on where it was.
    """
    unfinished = await store.resumable()
    # A task at work before what was answered beside it: a conversation must not find it as it no longer is.
    for task in sorted(unfinished, key=lambda task: task.aside):
        if task.status.terminal:
            await runner.take_up_again(task)
        elif task.status is not TaskStatus.QUEUED:
            context = await interruptions.restore_task_context(task)
            if not await _goes_on(task, context, runner):
                await _end(task, context, interruptions, runner)
    await runner.queue_again([task for task in unfinished if task.status is TaskStatus.QUEUED])
    if unfinished:
        _log.info("unfinished tasks were found and taken care of", tasks=len(unfinished))


async def _goes_on(task: Task, context: TaskContext, runner: Runner) -> bool:
    """Leave a task in peace that only waits for its user, or let it go on; return whether it could be.

    A task is given up that was at work too often when its process died; one that waited may do so for ever.
    """
    checkpoint = await context.checkpoint() if may_go_on(task) and len(context.inputs) else None
    if checkpoint is None:
        return False
    if checkpoint.resting and not context.inputs.owed():
        return True
    if task.reason is None and task.attempt >= MOST_ATTEMPTS:
        return False
    await runner.go_on_again(task)
    return True


async def _end(task: Task, context: TaskContext, interruptions: InterruptionManager, runner: Runner) -> None:
    if task.reason not in (None, InterruptReason.SHUTDOWN):
        await interruptions.settle(context, task.reason)
    elif task.reason is None and task.attempt >= MOST_ATTEMPTS:
        _log.error("a message was lost too often and is given up", task_id=task.task_id)
        await interruptions.settle(context, InterruptReason.LOST, remark=GIVEN_UP)
    else:
        await runner.take_up_again(task, context)
