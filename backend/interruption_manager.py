"""Runs tasks so that each can be ended at any moment, truthfully, exactly once.

Two asyncio tasks belong to one task. The *work* runs the graph and is the only one that is ever cancelled.
The *supervisor* is never cancelled: it waits for the work to end, reads the outcome from the finished asyncio
task, settles tool calls, and writes the terminal status. So nothing needs to catch `CancelledError`, and a
work that is cancelled before its first step, and so never runs any `finally` of its own, is settled like any
other. Whoever interrupts sets the reason first; the first reason stays.
"""

import asyncio
import contextlib
import itertools
from asyncio import Future
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

import structlog

from .domain.clock import Clock
from .domain.context import InterruptedContext
from .domain.task import InterruptReason, Step, Task
from .errors import StoreUnavailable
from .log.event_log import RETRY_S, EventLog
from .log.state_store.base import Record, SavedPartial, StateStore
from .tasks.ledger.ledger import Ledger
from .tasks.settlement import Ending, ending_records, read_ending
from .tasks.task_context import MOST_SHOWN, TaskContext
from .tasks.task_contexts import TaskContexts
from .tasks.task_owner import TaskOwner

Work = Callable[[TaskContext], Coroutine[Any, Any, str | None]]
"""Does what a task is for and returns the reply, None where it waits for the user."""

StatusCallback = Callable[[Task], None]
RestCallback = Callable[[TaskContext], None]

T = TypeVar("T", Task, TaskContext)

HEAD_START = 4
"""Turns of the event loop before a work begins: as many as an answer and a cancellation take to be out.
Without them both come 1 ms later at the median, behind the first steps of the new task's graph."""

LET_GO_S = 5.0
"""How long a cancelled work, then its tool calls, may take to end before the task is settled without them."""

LET_GO_PART = 0.4
"""The same as a part of the time that all tasks have to end; what both leave of it is for their endings."""

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Run:
    """A task in flight. `over` is done when the work has ended or is waited for no longer.

    There is no `work` where a task is ended that only waited for its user.
    """

    context: TaskContext
    work: "asyncio.Task[str | None] | None"
    over: "Future[None]"
    settled: "Future[None]"
    timer: asyncio.TimerHandle | None = None

    @property
    def rests(self) -> bool:
        """Whether nothing is left to do but to wait for the user, or for the process after this one."""
        if self.context.reason is not None or self.work is None:
            return False
        ended = self.work.done() and not self.work.cancelled() and self.work.exception() is None
        paused = ended and self.work.result() is None and self.context.inputs.waiting
        return self.context.suspended or paused


class InterruptionManager:
    """Starts, interrupts and settles tasks; knows them by `task_id`, and nothing of what they do."""

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
        self._let_go_s = LET_GO_S
        self._contexts = TaskContexts(
            store=store,
            log=log,
            ledger=ledger,
            clock=clock,
            most_shown=most_shown,
            answer_within=timedelta(seconds=answer_within_s),
            allow_within=timedelta(seconds=allow_within_s),
        )
        self._runs: dict[str, _Run] = {}
        self._task_ids: dict[str, list[str]] = {}
        self._callbacks: list[StatusCallback] = []
        self._rest_callbacks: list[RestCallback] = []

    def register_status_callback(self, callback: StatusCallback) -> None:
        """Have `callback(task)` called after every terminal status is durable."""
        self._callbacks.append(callback)

    def register_rest_callback(self, callback: RestCallback) -> None:
        """Have `callback(context)` called when nothing of a task is at work, but its user is to answer."""
        self._rest_callbacks.append(callback)

    def create_task_context(
        self,
        task: Task,
        *,
        previous: InterruptedContext | None = None,
        partials: Sequence[SavedPartial] = (),
    ) -> TaskContext:
        """Return the context of a task that is not running; `previous` is what it is handed."""
        return self._contexts.create(task, previous=previous, partials=partials)

    async def restore_task_context(self, task: Task) -> TaskContext:
        """Return the context of a task that is not running, as it was stored."""
        return await self._contexts.restore(task)

    def start(self, context: TaskContext, work: Work) -> None:
        """Run a task's work and supervise it to its end. Never waits."""
        loop = asyncio.get_running_loop()
        over: Future[None] = loop.create_future()
        running = self._owner.spawn(_after_head_start(context, work), name=f"work {context.task_id}")
        running.add_done_callback(lambda _work: _set(over))
        running.add_done_callback(lambda work: _log_badly_cancelled(context, work))
        timer = loop.call_later(
            self._task_timeout_s, self.interrupt_task, context.task_id, InterruptReason.TIMED_OUT
        )
        self._begin(_Run(context, running, over, loop.create_future(), timer))

    def _begin(self, run: _Run) -> None:
        context = run.context
        self._runs[context.task_id] = run
        self._task_ids.setdefault(context.user_id, []).append(context.task_id)
        self._owner.spawn_detached(self._supervise(run), name=f"supervisor {context.task_id}")

    def interrupt(self, context: TaskContext, reason: InterruptReason) -> bool:
        """Tell a task to end, whether it runs or only waits for its user; as `interrupt_task` does."""
        if context.task_id in self._runs:
            return self.interrupt_task(context.task_id, reason)
        if not context.request_interruption(reason):
            return False
        self._note(context, reason)
        loop = asyncio.get_running_loop()
        over: Future[None] = loop.create_future()
        over.set_result(None)
        self._begin(_Run(context, None, over, loop.create_future()))
        return True

    def interrupt_task(self, task_id: str, reason: InterruptReason) -> bool:
        """Tell a task to end; return whether it will end interrupted, for this reason.

        False where it is not running, was told before, or its work has just ended by itself. Never waits: the
        work is cancelled when this returns, and `wait_settled` tells when it is over.
        """
        run = self._runs.get(task_id)
        if run is None or run.work is None or (run.work.done() and not run.rests):
            return False
        if not run.context.request_interruption(reason):
            return False
        self._note(run.context, reason)
        self._cancel(run, run.work)
        return True

    def suspend_task(self, task_id: str) -> bool:
        """Cancel a task's work and leave the task as it is, for the next process to go on with.

        False where that is impossible: it has no checkpoint, was told to end, or its work has just ended.
        """
        run = self._runs.get(task_id)
        if run is None or run.work is None or run.context.interrupted:
            return False
        if run.work.done():
            return run.rests  # it is paused already, as soon as that is stored
        if not len(run.context.inputs):
            return False
        run.context.suspend()
        self._cancel(run, run.work)
        return True

    def _note(self, context: TaskContext, reason: InterruptReason) -> None:
        """Store why a task ends: a process that dies before it has settled must not take it up again."""
        if context.task.reason is not reason:
            context.note_request(reason, context.task.interrupt_requested_at or self._clock())
            context.save()

    def _cancel(self, run: _Run, work: "asyncio.Task[str | None]") -> None:
        self._ledger.interrupt(run.context)
        if run.context.reason is not None and self._ledger.finishing(run.context):
            run.context.tell(*run.context.status_records(Step.HOLD, self._clock()))
        work.cancel()
        self._let_go_soon(run)

    def end_all(self, *, within_s: float) -> None:
        """Tell every task to end, as the server does, so that all can be settled in this time; those that are
        started later too. One that has asked is only paused. Never waits.
        """
        self._let_go_s = min(LET_GO_S, within_s * LET_GO_PART)
        self._ledger.hurry(after_s=2 * self._let_go_s)
        for task_id, run in self._runs.items():
            if not (self.suspend_task(task_id) or self.interrupt_task(task_id, InterruptReason.SHUTDOWN)):
                self._let_go_soon(run)  # one that was told before had longer

    def _let_go_soon(self, run: _Run) -> None:
        if run.timer is not None:
            run.timer.cancel()
        run.timer = asyncio.get_running_loop().call_later(self._let_go_s, _set, run.over)

    def context_of(self, task_id: str) -> TaskContext | None:
        """Return the context of a task that has not settled yet."""
        run = self._runs.get(task_id)
        return run.context if run else None

    def running_tasks(self, user_id: str | None = None) -> list[str]:
        """Return the ids of all tasks, or all of a user, that have not settled yet."""
        return list(self._runs if user_id is None else self._task_ids.get(user_id, ()))

    def finishing(self, task_id: str) -> bool:
        """Tell whether a task that was told to end waits for a side effect that had begun."""
        run = self._runs.get(task_id)
        return run is not None and run.context.told_to_end and self._ledger.finishing(run.context)

    def contexts_of(self, user_id: str) -> list[TaskContext]:
        """Return the contexts of a user's tasks that have not settled yet, in the order they were started."""
        return [self._runs[task_id].context for task_id in self._task_ids.get(user_id, ())]

    async def wait_settled(self, task_id: str) -> None:
        """Wait until a task's ending is durable; at once where it is not running."""
        run = self._runs.get(task_id)
        if run is not None:
            await asyncio.wait({run.settled})

    async def settle(
        self, context: TaskContext, reason: InterruptReason, *also: Record, remark: str = ""
    ) -> None:
        """End a task that has no work: one that waited for its turn, or was lost with its process.

        `also` becomes durable together with the ending; `remark` is told with it. Raises `StoreUnavailable`,
        and then nothing has changed but the context.
        """
        context.request_interruption(reason)
        ending = Ending(step=Step.INTERRUPT, text=remark)
        records = ending_records(context, ending, self._ledger.account(context), now=self._clock())
        await self._log.commit(context.user_id, *(records or ()), *also)

    def save_partial_results(self, task_id: str, agent: str, items: Sequence[Any]) -> bool:
        """Publish partial results from outside the task's own agents; return whether it still takes any.

        Raises what `TaskContext.publish` raises.
        """
        context = self.context_of(task_id)
        if context is None or context.interrupted:
            return False
        context.publish(agent, items)
        return True

    async def get_previous_context(self, user_id: str) -> InterruptedContext | None:
        """Return what the user's last interrupted task left behind."""
        return await self._store.get_latest_interrupted_context(user_id)

    async def _supervise(self, run: _Run) -> None:
        context = run.context
        try:
            await run.over
            if context.reason is None:
                # Nobody awaits what is still called: a branch that failed has let go of the other's calls.
                self._ledger.interrupt(context)
            await self._ledger.settle(context, patience_s=self._let_go_s)
            await self._store_the_rest(run)
            records = None if run.rests else self._ending(run)
            if records is not None:
                await self._log.insist(context.user_id, *records)
        finally:
            if run.timer is not None:
                run.timer.cancel()
            self._forget(context)
            _set(run.settled)
            if run.rests:
                self._tell(self._rest_callbacks, context)
            else:
                self._tell(self._callbacks, context.task)

    def _forget(self, context: TaskContext) -> None:
        del self._runs[context.task_id]
        self._task_ids[context.user_id].remove(context.task_id)
        if not self._task_ids[context.user_id]:
            del self._task_ids[context.user_id]

    def _tell(self, callbacks: Sequence[Callable[[T], None]], about: T) -> None:
        for callback in callbacks:
            try:
                callback(about)
            except Exception:  # noqa: BLE001 - whatever a listener raises, the others are told
                _log.exception("a callback failed", task_id=about.task_id)

    async def _store_the_rest(self, run: _Run) -> None:
        """Make durable what a task has written that comes to rest: it goes on from what is stored."""
        for pause in itertools.chain(RETRY_S, itertools.repeat(RETRY_S[-1])):
            if not run.rests:
                return
            with contextlib.suppress(StoreUnavailable):
                if run.context.save_the_rest():
                    await self._log.commit(run.context.user_id)
                    return
            await asyncio.sleep(pause)

    def _ending(self, run: _Run) -> list[Record] | None:
        calls = self._ledger.account(run.context)
        return ending_records(run.context, read_ending(run.context, run.work), calls, now=self._clock())


async def _after_head_start(context: TaskContext, work: Work) -> str | None:
    """Let the answer to the message and the end of the task before it go first, then run the work."""
    for _ in range(HEAD_START):
        await asyncio.sleep(0)
    return await work(context)


def _log_badly_cancelled(context: TaskContext, work: "asyncio.Task[str | None]") -> None:
    """Read what a cancelled work raised instead of ending; its task ends interrupted all the same."""
    if context.reason is not None and not work.cancelled() and (error := work.exception()) is not None:
        _log.error("a work failed as it was cancelled", task_id=context.task_id, exc_info=error)


def _set(future: "Future[None]") -> None:
    if not future.done():
        future.set_result(None)
