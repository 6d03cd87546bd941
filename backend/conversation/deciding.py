"""Decides what a message does to the active task: whether it interrupts it, waits for it, or is refused.

Decides from memory alone. The caller holds the conversation, stores the decision, and carries it out.
"""

from dataclasses import dataclass
from datetime import datetime

from ..domain.context import InterruptedContext
from ..domain.errors import Conflict, QueueFull
from ..domain.task import InterruptReason, Policy, Task, TaskStatus
from ..tasks.task_context import TaskContext
from ..tasks.workflow import CALLER_TRACE, Reading
from .conversation import Conversation

MOST_WAITING = 100
"""Messages of one user that may wait for their turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """The decision on a message: its `task`, and the task that it interrupts for this `reason`, if any.

    `resumed` is what an earlier task left, if the message resumes that task's request.
    """

    task: Task
    reading: Reading
    superseded: TaskContext | None
    reason: InterruptReason
    resumed: InterruptedContext | None = None


def decide(
    conversation: Conversation,
    reading: Reading,
    message: str,
    *,
    policy: Policy,
    priority: int,
    task_id: str,
    now: datetime,
    not_before: datetime | None = None,
) -> Decided:
    """Decide on a message that answers no question. Raises `Conflict` and `QueueFull`.

    One that may not start before some time waits for it, whatever runs, and interrupts nothing.
    """
    # Not `active`: a task that was interrupted and still settles makes no message wait.
    active = conversation.interruptible
    waits = reading.manner == "interrupt" and _waits_its_turn(
        policy,
        priority,
        active.task if active else None,
        waiting=len(conversation.queued),
        is_delayed=not_before is not None,
    )
    resumed = conversation.requests.remembered[reading.resumes] if reading.resumes is not None else None
    task = Task(
        task_id=task_id,
        user_id=conversation.user_id,
        turn=conversation.turn + 1,
        message=message,
        status=TaskStatus.QUEUED if waits else TaskStatus.RUNNING,
        created_at=now,
        updated_at=now,
        started_at=None if waits else now,
        policy=policy,
        priority=priority,
        relation=reading.relation,
        request=reading.request,
        carried=reading.carried,
        dropped=reading.dropped,
        previous_task_id=conversation.requests.latest_task_id,
        aside=reading.manner != "interrupt",
        subject=reading.subject,
        resumed_task_id=resumed.task_id if resumed is not None else None,
        traceparent=CALLER_TRACE.get(),
        not_before=not_before,
    )
    return Decided(
        task=task,
        reading=reading,
        superseded=None if reading.manner == "beside" or waits else active,
        reason=InterruptReason.STOPPED if reading.manner == "stop" else InterruptReason.SUPERSEDED,
    )


def _waits_its_turn(
    policy: Policy, priority: int, active: Task | None, *, waiting: int, is_delayed: bool
) -> bool:
    """Return whether a message waits, or takes the place of the active task.

    Raises `Conflict` for policy `reject` while a task is active, `QueueFull` if too many messages wait.
    """
    if active is None and not is_delayed:
        # The queue may not have started yet, as the last task settles: this message must not overtake it.
        return policy == "enqueue" and waiting > 0
    if policy == "reject" and active is not None:
        raise Conflict("Another message is being worked on.", code="task_active")
    waits = is_delayed or policy == "enqueue" or (active is not None and priority < active.priority)
    if waits and waiting >= MOST_WAITING:
        raise QueueFull(f"{waiting} messages wait already; let some be answered first.")
    return waits
