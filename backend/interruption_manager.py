"""Runs tasks so that each can be ended at any moment, truthfully, and exactly once.

Each task has two asyncio tasks. The *work* runs the graph; only the work is ever cancelled, once, and what
loses that cancellation beneath it is asked again (`tasks/cancel_scope.py`). The *supervisor* waits for the
work to end, derives the outcome from the finished asyncio task, settles the tool calls, and stores the
terminal status. So nothing catches `CancelledError`, and a work that was cancelled before its first step is
settled like any other. The reason for an interruption is set before; the first reason stays.

These names are fixed, since others build on them: `InterruptionManager`, `create_task_context`,
`interrupt_task`, `save_partial_results`, `get_previous_context`, `register_status_callback`; `TaskContext`
and `TaskStatus`; `AgentManager.handle_user_message`; of the store, `save_task_metadata`, `get_task_metadata`,
`save_partial`, `preserve_interrupted_context`, `get_interrupted_contexts`, `get_latest_interrupted_context`;
`AgentState` and the nodes of the travel graph; `ConnectionManager`.
"""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import structlog

from .domain.context import InterruptedContext
from .domain.encoding import Clock
from .domain.errors import StoreUnavailable
from .domain.task import InterruptReason, Task
from .domain.task_life import Transition
from .store.base import StateStore
from .store.event_log import EventLog
from .store.ownership import Lease
from .store.records import Record
from .store.retry import retry_pauses
from .tasks.cancel_scope import CancelScope
from .tasks.ledger.ledger import Ledger
from .tasks.settlement import Ending, ending_records, read_ending
from .tasks.task_context import MOST_SHOWN, SavedTask, TaskContext, TaskRuntime
from .tasks.task_owner import TaskOwner

Work = Callable[[TaskContext], Coroutine[Any, Any, str | None]]
"""Runs a task's graph and returns the reply; None if the task waits for its user."""

StatusCallback = Callable[[Task], None]

Continuation = Callable[[TaskContext], None]
"""Called once a task has settled or paused, in the same step of the event loop."""

HEAD_START = 4
"""Turns of the event loop before a work begins: as many as it takes to answer the message and cancel the old
task. Without them the first steps of the new task's graph delay both by 1 ms at the median (measured)."""

CANCEL_GRACE_S = 5.0
"""Seconds that a cancelled work may take to end, then its tool calls; the task settles without the rest."""

SHUTDOWN_GRACE_PART = 0.4
"""The same at a shutdown, as a part of its grace: 0.4 for works, 0.4 for calls, the rest to store endings."""

_log = structlog.get_logger(__name__)


def _no_continuation(_context: TaskContext) -> None:
    return


@dataclass(slots=True)
class _Supervision:
    """A task in flight: its work, what its supervisor waits for, and the supervisor.

    `over` is done when the work has ended, with all that was cancelled beneath it, or its time to end is up.
    `work` is None for a task that is interrupted while it only waits for its user.
    """

    context: TaskContext
    work: "asyncio.Task[str | None] | None"
    then: Continuation
    scope: CancelScope
    # Not an event, which takes 0.8 KiB for each task, where a future takes 0.15.
    over: "asyncio.Future[None]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    supervisor: "asyncio.Task[None] | None" = None
    timer: asyncio.TimerHandle | None = None

    def end_wait(self) -> None:
        """Wake the supervisor, if it still waits."""
        if not self.over.done():
            self.over.set_result(None)

    @property
    def is_paused(self) -> bool:
        """Whether only its user, or the next process, can resume the task."""
        life = self.context.life
        if life.reason is not None or self.work is None:
            return False
        # Not `work.result()` at once: it raises what the work raised, and on a cancelled work CancelledError.
        ended = self.work.done() and not self.work.cancelled() and self.work.exception() is None
        return life.suspended or (ended and self.work.result() is None and self.context.inputs.waiting)


class InterruptionManager:
    """Starts, interrupts and settles tasks, by `task_id`; when `draining`, it begins none."""

    def __init__(
        self,
        *,
        store: StateStore,
        log: EventLog,
        ledger: Ledger,
        owner: TaskOwner,
        clock: Clock,
        task_timeout_s: float,
        answer_within_s: float,
        allow_within_s: float,
        most_shown: int = MOST_SHOWN,
    ) -> None:
        self._store = store
        self._log = log
        self._ledger = ledger
        self._owner = owner
        self._clock = clock
        self._task_timeout_s = task_timeout_s
        self._cancel_grace_s = CANCEL_GRACE_S
        self._runtime = TaskRuntime(
            store=store,
            log=log,
            clock=clock,
            most_shown=most_shown,
            answer_within=timedelta(seconds=answer_within_s),
            allow_within=timedelta(seconds=allow_within_s),
        )
        self._in_flight: dict[str, _Supervision] = {}
        self._task_ids: dict[str, dict[str, None]] = {}
        self._callbacks: list[StatusCallback] = []
        self.shutting_down = self.draining = False

    def register_status_callback(self, callback: StatusCallback) -> None:
        """Call `callback(task)` after each task's terminal status is durable."""
        self._callbacks.append(callback)

    def create_task_context(
        self, task: Task, *, lease: Lease | None = None, previous: InterruptedContext | None = None
    ) -> TaskContext:
        """Return the context of a task that is not running; `previous` is what it takes over."""
        return TaskContext(task, self._runtime, lease=lease, previous=previous)

    async def restore_task_context(self, task: Task, lease: Lease) -> TaskContext:
        """Return the context of a task that is not running, as stored. Raises `StoreUnavailable`."""
        saved = await SavedTask.read(self._store, task)
        context = TaskContext.restored(task, self._runtime, lease, saved)
        self._ledger.restore(context, [each.found for each in saved.partials if each.found is not None])
        return context

    def start(self, context: TaskContext, work: Work, then: Continuation = _no_continuation) -> None:
        """Run a task's work and supervise it until it has settled or paused; call `then` in that step.

        Never waits.
        """
        context.step(Transition.RUN)
        loop = asyncio.get_running_loop()
        context.scope = scope = CancelScope(lambda: self._end_work(supervision))
        name = f"work {context.task_id}"
        running = self._owner.spawn(_after_head_start(context, work), name=name, scope=scope)
        supervision = _Supervision(context, running, then, scope)
        running.add_done_callback(lambda work: _log_badly_cancelled(context, work))
        supervision.timer = loop.call_later(
            self._task_timeout_s, self.interrupt_task, context.task_id, InterruptReason.TIMED_OUT
        )
        self._start_supervisor(supervision)
        # `end_all` has looked at the tasks of that moment; this one was being accepted then.
        if self.shutting_down:
            self.interrupt_task(context.task_id, InterruptReason.SHUTDOWN)

    def _start_supervisor(self, supervision: _Supervision) -> None:
        context = supervision.context
        self._in_flight[context.task_id] = supervision
        self._task_ids.setdefault(context.user_id, {})[context.task_id] = None
        name = f"supervisor {context.task_id}"
        supervision.supervisor = self._owner.spawn_detached(self._supervise(supervision), name=name)

    def interrupt(
        self, context: TaskContext, reason: InterruptReason, then: Continuation = _no_continuation
    ) -> bool:
        """Interrupt a task, whether it runs or only waits for its user; as `interrupt_task` does.

        A task that only waited calls this `then` once it has settled; one that runs calls the one it was
        started with.
        """
        if context.task_id in self._in_flight:
            return self.interrupt_task(context.task_id, reason)
        if not context.request_interruption(reason):
            return False
        self._save_reason(context, reason)
        # No work to cancel, but tool calls and an ending to store: that takes a supervisor, too.
        supervision = _Supervision(context, None, then, CancelScope())
        supervision.end_wait()
        self._start_supervisor(supervision)
        return True

    def interrupt_task(self, task_id: str, reason: InterruptReason) -> bool:
        """Interrupt a running task; return whether it will end interrupted, for this reason.

        False if it is not running, was interrupted before, or its work has just ended by itself. Never waits:
        the work is cancelled when this returns, and `wait_settled` waits for the ending.
        """
        supervision = self._in_flight.get(task_id)
        if supervision is None or supervision.work is None:
            return False
        # A work that has ended keeps its own outcome, though its supervisor has not had its turn yet.
        if supervision.work.done() and not supervision.is_paused:
            return False
        # The reason comes before the cancellation: a node that looks as it is cancelled must find it set.
        if not supervision.context.request_interruption(reason):
            return False
        self._save_reason(supervision.context, reason)
        self._cancel(supervision)
        return True

    def suspend_task(self, task_id: str) -> bool:
        """Cancel a task's work without ending the task, for the next process to resume.

        Returns False if it has no checkpoint, was interrupted, or its work has just ended.
        """
        supervision = self._in_flight.get(task_id)
        if supervision is None or supervision.work is None or supervision.context.closed:
            return False
        if supervision.work.done():
            return supervision.is_paused
        # A checkpoint is stored only with a question: without one the next process starts from the message.
        if not len(supervision.context.inputs):
            return False
        supervision.context.suspend()
        self._cancel(supervision)
        return True

    def _save_reason(self, context: TaskContext, reason: InterruptReason) -> None:
        """Store why a task ends: after a crash before it has settled, its message must not be retried."""
        # A message that interrupts a task has stored the reason already, in the message's own transaction.
        if context.task.reason is not reason:
            context.announce_interruption(reason, context.task.interrupt_requested_at or self._clock())
            context.save()

    def _cancel(self, supervision: _Supervision) -> None:
        # In the step that cancels the work: a node that runs once more would release the reads that the
        # ledger holds for a successor. A write that has begun shows as `cancelling` before anything else.
        context = supervision.context
        self._ledger.interrupt_calls(context)
        if context.reason is not None and self._ledger.finishing(context):
            context.record(*context.status_records(Transition.HOLD, self._clock()))
        # The scope cancels once: a message that was being stored when the server closed still supersedes a
        # task that was suspended.
        supervision.scope.cancel()
        self._bound_wait(supervision)

    def _end_work(self, supervision: _Supervision) -> None:
        """Note that neither a work nor what was cancelled beneath it runs any more."""
        supervision.end_wait()
        if supervision.context.task.status.terminal:  # it has outlived its task, whose receipt says so
            self._ledger.observed.release(supervision.context, is_whole=False)

    def end_all(self, *, within_s: float) -> None:
        """End every task for a shutdown, so that all can settle within this time.

        A task that has asked is only paused; a task started later ends at once. Never waits.
        """
        self.shutting_down = True
        self._cancel_grace_s = min(CANCEL_GRACE_S, within_s * SHUTDOWN_GRACE_PART)
        self._ledger.settle_within(2 * self._cancel_grace_s)
        for task_id, supervision in self._in_flight.items():
            if not (self.suspend_task(task_id) or self.interrupt_task(task_id, InterruptReason.SHUTDOWN)):
                self._bound_wait(supervision)  # interrupted before, with more time than a shutdown has

    def _bound_wait(self, supervision: _Supervision) -> None:
        """Bound the wait for a cancelled work: one that ignores its cancellation must not block."""
        if supervision.timer is not None:
            supervision.timer.cancel()
        supervision.timer = asyncio.get_running_loop().call_later(self._cancel_grace_s, supervision.end_wait)

    def context_of(self, task_id: str) -> TaskContext | None:
        """Return a task that has not settled yet, None for any other."""
        return self._in_flight[task_id].context if task_id in self._in_flight else None

    def running_tasks(self, user_id: str | None = None) -> list[str]:
        """Return the ids of the tasks that have not settled yet: everyone's, or one user's."""
        return list(self._in_flight if user_id is None else self._task_ids.get(user_id, ()))

    def contexts_of(self, user_id: str) -> list[TaskContext]:
        """Return a user's tasks that have not settled yet, in the order they were started."""
        return [self._in_flight[task_id].context for task_id in self._task_ids.get(user_id, ())]

    def finishing(self, task_id: str) -> bool:
        """Return whether an interrupted task waits for a side effect that had begun."""
        context = self.context_of(task_id)
        return context is not None and context.is_ending and self._ledger.finishing(context)

    async def wait_settled(self, task_id: str) -> None:
        """Wait until a task's ending is durable; return at once if it is not running.

        Cancelling the wait changes nothing.
        """
        supervision = self._in_flight.get(task_id)
        if supervision is not None and supervision.supervisor is not None:
            await asyncio.wait([supervision.supervisor])  # awaited by itself, it would be cancelled, too

    async def settle(
        self, context: TaskContext, reason: InterruptReason, *also: Record, remark: str = ""
    ) -> None:
        """End a task that has no work: it was queued, or its process died.

        `also` becomes durable together with the ending; the conversation shows `remark` with it. Raises
        `StoreUnavailable`; then nothing has changed but the context.
        """
        context.request_interruption(reason)
        ending = Ending(step=Transition.SETTLE, text=remark)
        records = ending_records(context, ending, self._ledger.account(context), now=self._clock())
        await self._log.commit(context.lease, *(records or ()), *also)

    def save_partial_results(self, task_id: str, agent: str, items: Sequence[Any]) -> bool:
        """Publish partial results from outside the task's own agents; return False if it takes no more.

        Raises what `TaskContext.publish` raises.
        """
        context = self.context_of(task_id)
        if context is None or context.closed:
            return False
        context.publish(agent, items)
        return True

    async def get_previous_context(self, user_id: str) -> InterruptedContext | None:
        """Return what the user's last interrupted task left behind."""
        return await self._store.get_latest_interrupted_context(user_id)

    async def _supervise(self, supervision: _Supervision) -> None:
        context = supervision.context
        try:
            await supervision.over
            if context.reason is None:
                # A failed branch leaves its sibling's tool calls running with no awaiter: end them.
                self._ledger.interrupt_calls(context)
            # Before the ending is derived: its receipt states the outcome of every call.
            await self._ledger.settle(context, patience_s=self._cancel_grace_s)
            await self._store_unsaved(supervision)
            # Read `is_paused` anew after each await: a paused task can be interrupted during any of them.
            if not supervision.is_paused:
                await self._store_ending(supervision)
        finally:
            # In a `finally`: a supervisor that fails must still free the conversation for the next message.
            if supervision.timer is not None:
                supervision.timer.cancel()
            # Before `then`, which may start this very task again: an answer may have come in the meantime.
            self._remove(supervision)
            paused = supervision.is_paused
            if paused:
                context.step(Transition.REST)  # no step for a suspended task: the next process resumes it
            # No await since `is_paused` was read: an interruption sees the task in flight or at rest.
            supervision.then(context)
            if not paused:
                self._notify_callbacks(context.task)

    def _remove(self, supervision: _Supervision) -> None:
        user_id, task_id = supervision.context.user_id, supervision.context.task_id
        if self._in_flight.get(task_id) is supervision:  # else the task runs again, in a later lease
            del self._in_flight[task_id], self._task_ids[user_id][task_id]
            if not self._task_ids[user_id]:
                del self._task_ids[user_id]

    def _notify_callbacks(self, task: Task) -> None:
        for callback in self._callbacks:
            try:
                callback(task)
            except Exception:  # noqa: BLE001 - whatever a listener raises, the others are called
                _log.exception("a callback failed", task_id=task.task_id)

    async def _store_unsaved(self, supervision: _Supervision) -> None:
        """Make durable what a pausing task has recorded: it resumes from what is stored."""
        # Without a limit: a task at rest with records in memory alone would lose them with the process.
        for pause in retry_pauses():
            if not supervision.is_paused:
                return
            with contextlib.suppress(StoreUnavailable):
                if supervision.context.save_unsaved():
                    # A commit without records ends when everything recorded before it is durable.
                    await self._log.commit(supervision.context.lease)
                    return
            await asyncio.sleep(pause)

    async def _store_ending(self, supervision: _Supervision) -> None:
        context = supervision.context
        calls = self._ledger.account(context)
        ending = read_ending(context, supervision.work)
        records = ending_records(context, ending, calls, now=self._clock())
        if records is not None:
            await self._log.commit_until_durable(context.lease, *records)


async def _after_head_start(context: TaskContext, work: Work) -> str | None:
    """Let the answer to the message and the cancellation of the old task go first, then run the work."""
    for _ in range(HEAD_START):
        await asyncio.sleep(0)
    return await work(context)


def _log_badly_cancelled(context: TaskContext, work: "asyncio.Task[str | None]") -> None:
    """Log what a cancelled work raised instead of ending; its task ends interrupted all the same."""
    # Reading `exception()` also keeps asyncio from reporting an exception that was never retrieved.
    if context.reason is not None and not work.cancelled() and (error := work.exception()) is not None:
        _log.error("a work failed as it was cancelled", task_id=context.task_id, exc_info=error)
