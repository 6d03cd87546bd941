"""What a new process makes of the tasks that an old one left unfinished.

A task that was at work is ended as `lost`, with all that it had stored; its message is taken up again by a
new task. One that had been told to end is ended for the reason it was told. One that waited goes on waiting,
be it for its turn or for its user. One that has asked goes on from there if anything of it was at work.
A message that was lost several times is given up, and its user is told, so that one that brings the process
down does not do so for ever. A shutdown in good order does not count.
"""

from collections.abc import Sequence
from dataclasses import replace

import structlog

from ..domain import events
from ..domain.partials import PartialResults
from ..domain.task import InterruptReason, Task, TaskStatus
from ..tasks.task_context import TaskContext
from ..tasks.workflow import Reading
from .conversation import may_go_on
from .core_parts import CoreParts
from .deciding import decide
from .execution import Execution

MOST_ATTEMPTS = 3
"""How often a message is taken up before it is given up."""

GIVEN_UP = (
    f"This was attempt {MOST_ATTEMPTS}, and the last: please send the message again if you still want it."
)

_log = structlog.get_logger(__name__)


class Recovery:
    """Settles what an old process left unfinished, then takes it up again."""

    def __init__(self, parts: CoreParts, execution: Execution) -> None:
        self._store = parts.store
        self._log = parts.log
        self._interruptions = parts.interruptions
        self._conversations = parts.conversations
        self._clock = parts.clock
        self._new_task_id = parts.new_task_id
        self._execution = execution

    async def recover(self) -> None:
        """Take care of everything that is unfinished. Call once, before messages are accepted.

        Raises `StoreUnavailable`; called again, it goes on where it was.
        """
        unfinished = await self._store.resumable()
        # A task at work before what was answered beside it: a conversation must not find it as it no longer
        # is.
        for task in sorted(unfinished, key=lambda task: task.aside):
            if task.status.terminal:
                await self._interruptions.restore_task_context(task)  # what its searches have found is fresh
                await self._take_up_again(task)
            elif task.status is not TaskStatus.QUEUED:
                context = await self._interruptions.restore_task_context(task)
                if not await self._goes_on(task, context):
                    await self._end(task, context)
        await self._queue_again([task for task in unfinished if task.status is TaskStatus.QUEUED])
        if unfinished:
            _log.info("unfinished tasks were found and taken care of", tasks=len(unfinished))

    async def _goes_on(self, task: Task, context: TaskContext) -> bool:
        """Leave a task in peace that only waits for its user, or let it go on; return whether it could be.

        A task is given up that was at work too often when its process died; one that waited may do so for
        ever.
        """
        checkpoint = await context.checkpoint() if may_go_on(task) and len(context.inputs) else None
        if checkpoint is None:
            return False
        if checkpoint.resting and not context.inputs.owed():
            return True
        if task.reason is None and task.attempt >= MOST_ATTEMPTS:
            return False
        await self._go_on_again(task)
        return True

    async def _end(self, task: Task, context: TaskContext) -> None:
        if task.reason not in (None, InterruptReason.SHUTDOWN):
            await self._interruptions.settle(context, task.reason)
        elif task.reason is None and task.attempt >= MOST_ATTEMPTS:
            _log.error("a message was lost too often and is given up", task_id=task.task_id)
            await self._interruptions.settle(context, InterruptReason.LOST, remark=GIVEN_UP)
        else:
            await self._take_up_again(task, context)

    async def _take_up_again(self, lost: Task, context: TaskContext | None = None) -> None:
        """Give the message of a task that ended with its process a new task, behind any at work.

        `context` is that of a task whose ending is not stored yet; it is stored with the new task, so that
        the message is neither lost nor taken up twice should this process die as well.
        """
        async with self._conversations.locked(lost.user_id) as conversation:
            manner = "beside" if lost.aside else "interrupt"
            reading = Reading(
                relation=lost.relation,
                manner=manner,
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
                task_id=self._new_task_id(),
                now=self._clock(),
            )
            in_good_order = lost.reason is InterruptReason.SHUTDOWN
            task = replace(
                decided.task,
                policy=lost.policy,
                attempt=lost.attempt if in_good_order else lost.attempt + 1,
                previous_task_id=lost.task_id,
                asked_in=lost.asked_in or lost.task_id,
                resumed_task_id=lost.resumed_task_id,
            )
            records = (task, events.status_update(task, PartialResults()))
            if context is None:
                await self._log.commit(lost.user_id, *records)
            else:
                await self._interruptions.settle(context, lost.reason or InterruptReason.LOST, *records)
            if not lost.aside:
                conversation.handed_on = await self._conversations.left_by(lost)
            self._execution.carry_out(conversation, replace(decided, task=task))

    async def _go_on_again(self, task: Task) -> None:
        """Let a task go on from its checkpoint that was at work when its process ended.

        Its attempt is counted before, as is that of a message that is taken up again.
        """
        async with self._conversations.locked(task.user_id) as conversation:
            context = conversation.active
            if context is None or context.task_id != task.task_id:
                raise LookupError(f"{task.task_id} is not the task at work")
            in_good_order = task.reason is InterruptReason.SHUTDOWN
            context.task = replace(context.task, attempt=task.attempt + (0 if in_good_order else 1))
            await self._log.commit(task.user_id, context.task)
            self._execution.go_on(conversation, after_rest=False)

    async def _queue_again(self, waiting: Sequence[Task]) -> None:
        """Let tasks that waited when their process ended wait again; given in the order they came."""
        for task in waiting:
            async with self._conversations.locked(task.user_id) as conversation:
                conversation.enqueue(task)
                conversation.ask_for(task)
        for user_id in dict.fromkeys(task.user_id for task in waiting):
            await self._execution.start_next(user_id)
