"""Recovers the tasks that an earlier process left unfinished.

- A task that ran ends as `lost`, with all that it had stored; a new task retries its message.
- A task that had been interrupted ends for the reason of its interruption.
- A queued task keeps its turn, and a task that waits for its user keeps waiting. A task that has asked
  resumes from its checkpoint if a part of it still ran.
- A message is given up, with a reply that says so, once its graph was lost with the process several times:
  it may be what kills the process. A graceful shutdown does not count, nor does a process that died before
  the graph ran. One whose code kept the event loop blocked is given up sooner: the watch has noted it.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import structlog

from ..domain import events
from ..domain.partials import PartialResults
from ..domain.task import InterruptReason, Task, TaskStatus
from ..store.ownership import LeaseEnded, OwnedElsewhere
from ..store.retry import until_available
from ..tasks.task_context import TaskContext
from ..tasks.workflow import Reading
from .accepting import carry_out
from .conversation import Conversation, Runtime, can_resume
from .conversations import Conversations
from .deciding import decide

MOST_ATTEMPTS = 3
"""Tries of a message before it is given up."""

MOST_BLOCKING_ATTEMPTS = 2
"""The same of a message whose code kept the event loop blocked: its server served nobody meanwhile."""

GIVEN_UP = (
    f"This was attempt {MOST_ATTEMPTS}, and the last: please send the message again if you still want it."
)

GIVEN_UP_FOR_BLOCKING = (
    "The server could serve nobody any more, because {} waited or computed without an await. "
    "So this was attempt {}, and the last."
)

_log = structlog.get_logger(__name__)


def in_recovery_order(unfinished: Iterable[Task]) -> list[Task]:
    """Return a user's unfinished tasks in the order in which to recover them.

    What is to steer a task comes after that, whose retry may have a later turn. Asides come last: their
    retries read from the conversation what recovery has made of the active task.
    """
    return sorted(unfinished, key=lambda task: (task.aside, task.steer == "pending"))


async def recover(conversation: Conversation, task: Task) -> None:
    """Recover one unfinished task; the caller holds the conversation.

    Raises `StoreUnavailable`; then the task is unchanged, and this can be called again.
    """
    if task.status.terminal:
        # A shutdown has ended it, and its message is to be retried. Restoring it gives the ledger back what
        # its searches had found, for the retry to reuse.
        await conversation.interruptions.restore_task_context(task, conversation.lease)
        await _retry(conversation, task)
    elif task.status is TaskStatus.QUEUED:
        conversation.enqueue(task)
        if task.steer != "pending":
            conversation.requests.set(task)
    else:
        context = await conversation.interruptions.restore_task_context(task, conversation.lease)
        if not await _resumes(conversation, task, context):
            await _end(conversation, task, context)


def is_lost_too_often(task: Task) -> bool:
    """Return whether the message of a task that was lost with its process is given up, and not retried."""
    return task.begun and _is_last(task)


def _is_last(task: Task) -> bool:
    return task.attempt >= (MOST_ATTEMPTS if task.blocked is None else MOST_BLOCKING_ATTEMPTS)


async def _resumes(conversation: Conversation, task: Task, context: TaskContext) -> bool:
    """Resume a task that has asked, or leave it if it only waits; return False if neither is possible.

    One whose place a later message has taken ends here: that message was stored, though its sender was told
    that it was not.

    Attempts count only for tasks that ran when their process died; a task may wait for ever.
    """
    may_resume = can_resume(task) and len(context.inputs)
    # Read from the store itself: the conversation is held, and a context's reads wait for the store.
    checkpoint = await conversation.store.get_checkpoint(task.user_id, task.turn) if may_resume else None
    if checkpoint is None:
        return False
    active = conversation.active
    if active is None or active.task_id != task.task_id:
        await conversation.interruptions.settle(context, InterruptReason.SUPERSEDED)
        return True
    if checkpoint.resting and not context.inputs.pending_answers():
        return True
    if task.reason is None and _is_last(task):
        return False
    if task.reason is not InterruptReason.SHUTDOWN:
        active.revise(attempt=task.attempt + 1)
    # The attempt is durable before the graph runs: a graph that kills its process must be counted.
    await conversation.commit(active.task)
    conversation.resume(after_rest=False)
    return True


async def _end(conversation: Conversation, task: Task, context: TaskContext) -> None:
    is_ending = task.reason not in (None, InterruptReason.SHUTDOWN)
    given_up = task.reason is None and is_lost_too_often(task)
    if not (is_ending or given_up):
        await _retry(conversation, task, context)
        return
    if given_up:
        _log.error("a message was lost too often and is given up", task_id=task.task_id, blocked=task.blocked)
    reason = task.reason or InterruptReason.LOST
    remark = _given_up(task) if given_up else ""
    await conversation.interruptions.settle(context, reason, remark=remark)
    active = conversation.active
    if active is None or active.task_id == task.task_id:
        # The conversation was loaded with this task unfinished; the next holder loads it anew. Loading it
        # here could fail, and the retry of this function would then settle the task a second time. Not if
        # another task is active: loading would forget one that runs.
        conversation.loaded = False


def _given_up(task: Task) -> str:
    return GIVEN_UP if task.blocked is None else GIVEN_UP_FOR_BLOCKING.format(task.blocked, task.attempt)


async def _retry(conversation: Conversation, lost: Task, context: TaskContext | None = None) -> None:
    """Retry the message of a task that ended with its process, by a new task queued after any active one.

    `context` is that of a task without a stored ending. Its ending and the new task are stored in one
    transaction: should this process die as well, the message is neither lost nor retried twice.
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
        task_id=conversation.runtime.new_task_id(),
        now=conversation.runtime.clock(),
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
        set_aside=lost.set_aside,
        took_in=lost.took_in,
        blocked=lost.blocked,
        # Not the trace of the request that causes this recovery.
        traceparent=lost.traceparent,
    )
    # As every decision does that leaves something in memory: another look may have said that nothing is.
    records = (task, events.status_update(task, PartialResults()), *conversation.mark_in_use())
    if context is None:
        await conversation.commit(*records)
    else:
        reason = lost.reason or InterruptReason.LOST
        await conversation.interruptions.settle(context, reason, *records)
    if not lost.aside:
        # The new task is durable: from here on only this read is repeated, or there would be two of it.
        read = partial(conversation.stored_left_by, lost)
        conversation.handed_on = await until_available(read, user_id=lost.user_id)
    carry_out(conversation, replace(decided, task=task))


# --- users ---------------------------------------------------------------------------------------------
# Recovers users whose last owner has left something unfinished: an earlier process, or one that has died.
#
# A user's writes are reconciled first: the retry of a message must find out what its lost task has booked.
# Then the tasks are recovered. Meanwhile every request of the user waits.


RECOVERED_AT_ONCE = 32
"""Users whose unfinished tasks are recovered at once; one by one, 2,000 tasks took 24 s (measured)."""

RECOVER_WITHIN_S = 3.0
"""Seconds for which the providers of unsettled writes are waited for before a user's tasks are recovered."""


class Recovery:
    """Recovers users side by side, and has their requests wait until they are recovered."""

    def __init__(self, conversations: Conversations, runtime: Runtime) -> None:
        self._conversations = conversations
        self._runtime = runtime
        self._turns = asyncio.Semaphore(RECOVERED_AT_ONCE)
        self._unrecovered: dict[str, asyncio.Event] = {}
        self._begun: set[str] = set()

    def begin(self, user_ids: Iterable[str]) -> None:
        """Have every request of these users wait, until `recover_all` has recovered them."""
        for user_id in user_ids:
            self._unrecovered.setdefault(user_id, asyncio.Event())
            self._conversations.recovering.add(user_id)

    async def done(self, user_id: str) -> None:
        """Wait until a user is recovered; return at once if there is nothing to recover."""
        recovered = self._unrecovered.get(user_id)
        if recovered is not None:
            await recovered.wait()

    async def recover_all(self) -> None:
        """Recover the users whose recovery has not begun; retries while the store is down."""
        users = [user_id for user_id in self._unrecovered if user_id not in self._begun]
        self._begun.update(users)
        async with asyncio.TaskGroup() as group:
            recovering = [
                group.create_task(self._recover_user(user_id), name=f"recover {user_id}") for user_id in users
            ]
        if users:
            tasks = sum(each.result() for each in recovering)
            _log.info("unfinished tasks were recovered", users=len(users), tasks=tasks)

    async def _recover_user(self, user_id: str) -> int:
        """Recover one user; return how many tasks were unfinished."""
        left: list[Task] = []
        count = 0

        async def recover_writes() -> None:
            left[:] = in_recovery_order(await self._runtime.store.resumable(user_id))
            await self._tell(left)
            # Not `locked`, which loads the conversation: its calls must be loaded once they are settled.
            lease = await self._conversations.lease(user_id)
            await self._runtime.ledger.recover(lease, within_s=RECOVER_WITHIN_S if left else 0)

        async def recover_tasks() -> None:
            while left and not self._runtime.interruptions.shutting_down:
                # `locked`, since the requests of the user wait for this very recovery.
                async with self._conversations.locked(user_id) as conversation:
                    await recover(conversation, left[0])
                del left[0]
            # The queue only now: until all tasks are recovered, the active one may not be known.
            async with self._conversations.locked(user_id) as conversation:
                conversation.start_next_soon()

        try:
            await until_available(recover_writes, user_id=user_id)
            count = len(left)
            async with self._turns:
                await until_available(recover_tasks, user_id=user_id)
        except (OwnedElsewhere, LeaseEnded):
            _log.info("a user is recovered by another process", user_id=user_id)
        except Exception:  # noqa: BLE001 - one user's damaged records must not keep the others waiting
            _log.exception("a user could not be recovered", user_id=user_id)
        finally:
            self._begun.discard(user_id)
            self._conversations.recovering.discard(user_id)
            self._unrecovered.pop(user_id).set()
        return count

    async def _tell(self, unfinished: Iterable[Task]) -> None:
        """Pass records of these tasks that another process has written to the log's observer."""
        for task in unfinished:
            if not task.status.terminal:
                asked = await self._runtime.store.get_inputs(task.user_id, task.turn)
                self._runtime.log.notify_observer([task, *(each for each in asked if each.open)])
