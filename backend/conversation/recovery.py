"""What a new process makes of the tasks that an old one left unfinished.

- A task that ran is ended as `lost`, with all that it had stored; a new task retries its message.
- A task that had been told to end is ended for the reason it was told.
- A queued task keeps its turn. One that waits for its user keeps waiting, and one that has asked resumes from
  its checkpoint if anything of it ran.
- A message whose graph was lost several times is given up and its user is told, so that one which brings the
  process down does not do so for ever. A shutdown in good order does not count, and neither does a process
  that died before the graph ran.
"""

from collections.abc import Iterable
from dataclasses import replace

import structlog

from ..domain import events
from ..domain.partials import PartialResults
from ..domain.task import InterruptReason, Task, TaskStatus
from ..tasks.task_context import TaskContext
from ..tasks.workflow import Reading
from .conversation import Conversation
from .deciding import decide
from .loading import can_resume, stored_left_by
from .starting import carry_out, resume

MOST_ATTEMPTS = 3
"""How often a message is tried before it is given up."""

GIVEN_UP = (
    f"This was attempt {MOST_ATTEMPTS}, and the last: please send the message again if you still want it."
)

_log = structlog.get_logger(__name__)


def in_recovery_order(unfinished: Iterable[Task]) -> list[Task]:
    """Return a user's unfinished tasks in the order in which they are to be recovered.

    Asides come last: the conversation must find the active task as it is now, and not as it no longer is.
    """
    return sorted(unfinished, key=lambda task: task.aside)


async def recover(conversation: Conversation, task: Task) -> None:
    """Take care of an unfinished task; the caller holds the conversation.

    Raises `StoreUnavailable`; then the task is as it was, and this can be called again.
    """
    if task.status.terminal:
        # Restored although it has ended: its retry may reuse what its searches had found.
        await conversation.interruptions.restore_task_context(task)
        await _retry(conversation, task)
    elif task.status is TaskStatus.QUEUED:
        conversation.enqueue(task)
        conversation.set_request(task)
    else:
        context = await conversation.interruptions.restore_task_context(task)
        if not await _resumes(conversation, task, context):
            await _end(conversation, task, context)


async def _resumes(conversation: Conversation, task: Task, context: TaskContext) -> bool:
    """Resume a task that has asked, or leave it alone if it only waits; return whether either is possible.

    A task is given up that ran too often when its process died; one that only waited may do so for ever.
    """
    checkpoint = await context.checkpoint() if can_resume(task) and len(context.inputs) else None
    if checkpoint is None:
        return False
    if checkpoint.resting and not context.inputs.owed():
        return True
    if task.reason is None and task.attempt >= MOST_ATTEMPTS:
        return False
    active = conversation.active
    if active is None or active.task_id != task.task_id:
        raise LookupError(f"{task.task_id} is not the active task")
    if task.reason is not InterruptReason.SHUTDOWN:
        active.revise(attempt=task.attempt + 1)
    # The attempt is durable before the graph runs: a graph that kills its process must be counted.
    await conversation.log.commit(task.user_id, active.task)
    resume(conversation, after_rest=False)
    return True


async def _end(conversation: Conversation, task: Task, context: TaskContext) -> None:
    told_to_end = task.reason not in (None, InterruptReason.SHUTDOWN)
    given_up = task.reason is None and task.begun and task.attempt >= MOST_ATTEMPTS
    if not (told_to_end or given_up):
        await _retry(conversation, task, context)
        return
    if given_up:
        _log.error("a message was lost too often and is given up", task_id=task.task_id)
    reason = task.reason or InterruptReason.LOST
    remark = GIVEN_UP if given_up else ""
    await conversation.interruptions.settle(context, reason, remark=remark)
    # It was read back with this task unfinished. Whoever holds it next reads it as it is now; reading it here
    # could fail, and then the task would be settled twice.
    conversation.loaded = False


async def _retry(conversation: Conversation, lost: Task, context: TaskContext | None = None) -> None:
    """Give the message of a task that ended with its process a new task, behind any active one.

    `context` is that of a task whose ending is not stored yet; it is stored with the new task, so that the
    message is neither lost nor retried twice should this process die as well.
    """
    reading = Reading(
        relation=lost.relation,
        manner="beside" if lost.aside else "interrupt",
        request=lost.request,
        carried=lost.carried,
        dropped=lost.dropped,
        subject=lost.subject,
    )
    decided = decide(
        conversation,
        reading,
        lost.message,
        policy="enqueue",
        priority=lost.priority,
        task_id=conversation.new_task_id(),
        now=conversation.clock(),
    )
    counts = lost.reason is not InterruptReason.SHUTDOWN and lost.begun
    task = replace(
        decided.task,
        policy=lost.policy,
        attempt=lost.attempt + 1 if counts else lost.attempt,
        begun=False,
        previous_task_id=lost.task_id,
        asked_in=lost.asked_in or lost.task_id,
        resumed_task_id=lost.resumed_task_id,
    )
    records = (task, events.status_update(task, PartialResults()))
    if context is None:
        await conversation.log.commit(lost.user_id, *records)
    else:
        reason = lost.reason or InterruptReason.LOST
        await conversation.interruptions.settle(context, reason, *records)
    if not lost.aside:
        conversation.handed_on = await stored_left_by(conversation, lost)
    carry_out(conversation, replace(decided, task=task))
