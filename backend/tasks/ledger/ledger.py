"""The ledger runs tool calls, and accounts for what truly became of each.

A call is an asyncio task of its own; the node awaits it and does not own it. When the node is cancelled, the
ledger decides by what the call changes outside. `interrupt_calls` ends the calls of a task,
`interrupt_calls_of_agent` those of one agent: a read is cancelled, or held for the task that takes its place
(`adoption`); a write that has not begun never begins, and one that has is never cancelled (`write_once`). A
write that its provider did not answer is asked about, and never sent again (`reconciler`). `settle` and
`account` close the books of a task; an outcome that comes later amends its receipt (`amending`).
"""

import asyncio
import contextlib
import math
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from ...domain import events
from ...domain.encoding import Clock
from ...domain.partials import PartialBatch
from ...domain.task import InterruptReason
from ...domain.tool_call import ToolCall, call_key
from ...store.base import StateStore
from ...store.event_log import EventLog
from ...store.ownership import Lease
from ...store.retry import until_available
from ..task_context import STOPPED, TaskContext
from ..task_owner import TaskOwner
from .adoption import FreshReads, HeldReads
from .amending import Amending
from .base import A, Tool, ToolResult, WriteTool
from .calls import CUT_OFF, CUT_SHORT, Calls, RunningCall, for_task, show
from .fair_turns import ConcurrencyLimit
from .observed import ObservedCalls
from .reconciler import Reconciler
from .write_once import WRITE_PATIENCE_S, Writes

CALLS_PER_USER = 8
"""Reads of one user that run at once, unless set otherwise."""

CALLS_AT_ONCE = 256
"""Reads that run at once in all, unless set otherwise."""


class Ledger:
    """Runs tool calls and accounts for them.

    `writes` runs those that change something outside; `observed` accounts for those that a graph runs itself.
    """

    def __init__(
        self,
        owner: TaskOwner,
        *,
        store: StateStore,
        log: EventLog,
        clock: Clock,
        new_id: Callable[[], str],
        limit: ConcurrencyLimit | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._limit = limit or ConcurrencyLimit(per_user=CALLS_PER_USER, in_all=CALLS_AT_ONCE)
        self._amending = Amending(owner, store=store, log=log, clock=clock)
        self._reconciler = Reconciler(owner, amending=self._amending, clock=clock)
        self._calls = Calls(
            owner, reconciler=self._reconciler, amending=self._amending, clock=clock, new_id=new_id
        )
        self.observed = ObservedCalls(self._calls, log=log, amending=self._amending, clock=clock)
        self._held = HeldReads()
        self._fresh = FreshReads(clock)
        self._adopted_unasked: set[tuple[str, str]] = set()
        self._settle_by = math.inf
        self._patience: set[asyncio.Timeout] = set()
        self.writes = Writes(self._calls, self._reconciler, store=store, log=log, clock=clock)

    # --- for agents ----------------------------------------------------------------------------------

    async def call(
        self, context: TaskContext, agent: str, tool: Tool[A], arguments: A, *, scope: str = ""
    ) -> ToolCall:
        """Run a tool that reads, and return the finished call; a failed one has its sentence as `summary`.

        The same call in the same `scope` is not made again while it runs or its answer is fresh. A tool that
        writes is denied: `writes` runs those. Raises `TypeError` for arguments without a JSON form.
        Cancelling the wait does not end the call.
        """
        key = call_key(f"{scope}:{tool.name}" if scope else tool.name, arguments)
        found = self._find(context, key)
        if found is None:
            call = self._calls.new(
                context, agent, tool.name, effect=tool.effect, key=key, arguments=arguments
            )
            if context.closed or context.is_stopped(agent) or tool.effect == "write":
                return self._refuse(context, call)
            if self._take(context, key, agent):
                self._publish_adoption(context, key)
            found = self._find(context, key) or self._start(context, call, tool, arguments)
        if isinstance(found, ToolCall):
            return found
        await found.released.wait()
        return context.tool_calls[found.call_id]

    # --- for workflows and recovery ------------------------------------------------------------------

    def register(self, tool: WriteTool[Any]) -> None:
        """Know a tool that writes, so that calls of it can be reconciled, those of earlier processes too."""
        self._reconciler.register(tool)

    async def recover(self, lease: Lease, *, within_s: float) -> None:
        """Reconcile a user's writes that an earlier process left unsettled; wait so long for it at most.

        Raises `StoreUnavailable`; it can then be called again.
        """
        left = await self._store.unsettled_tool_calls(lease.user_id)
        await self.observed.recover(lease, left)
        await self._reconciler.recover(lease, left, within_s=within_s)

    async def calls_of(self, user_id: str, turn: int) -> Sequence[ToolCall]:
        """Return every call of the task of a turn as it is by now. Waits while the store is down."""
        return await until_available(lambda: self._store.get_tool_calls(user_id, turn), user_id=user_id)

    def adopt_reads(self, context: TaskContext, keys: Collection[str] | None) -> list[str]:
        """Adopt those held or fresh reads that a task will ask for, by their keys; return their ids.

        Other held reads are cancelled. None: what the task will ask for is not known yet, so all stay held.
        """
        if keys is None or context.closed:
            return []
        self._held.cancel(context.user_id, but=keys)
        taken = [call_id for key in dict.fromkeys(keys) if (call_id := self._take(context, key))]
        self._adopted_unasked |= {(context.task_id, call_id) for call_id in taken}
        return taken

    def drop_reads(self, context: TaskContext, agents: Collection[str]) -> None:
        """Cancel the running reads of those agents of a task that turn out to ask for something else."""
        for running in self._calls.of_task(context.task_id):
            if running.call.effect == "read" and running.call.agent in agents:
                running.cancel()

    def restore(self, context: TaskContext, found: Sequence[PartialBatch]) -> None:
        """Keep fresh what the reads of a task have found that an earlier process made."""
        for call in context.tool_calls.values():
            # One that was cut short with its process has gaps that nobody knows of.
            if call.outcome == "completed" and call.is_fresh(self._clock()):
                batches = [batch for batch in found if batch.call_id == call.call_id]
                # A task that narrowed its results stored no others: they do not answer a wider request.
                if sum(batch.count for batch in batches) == call.found:
                    self._fresh.put(call, batches)

    # --- for those who end tasks and agents ----------------------------------------------------------

    def interrupt_calls(self, context: TaskContext) -> None:
        """End the calls of a task: cancel what may be cancelled, hold what its successor may adopt."""
        for running in self._calls.of_task(context.task_id):
            if running.stopped:
                continue  # it is ending already; held, it would be adopted against its user's wish
            if running.call.effect != "write" and context.reason is InterruptReason.SUPERSEDED:
                self._held.hold(running)
            elif not running.begun:
                running.cancel()
        if context.reason is InterruptReason.STOPPED:
            self._held.cancel(context.user_id)  # what an earlier message left held, too

    def interrupt_calls_of_agent(self, context: TaskContext, agent: str) -> None:
        """End the calls of one agent of a task, as its user wishes.

        Its reads are cancelled, and none is held for another task. Its writes that have not begun never
        begin; one that has finishes.
        """
        for running in self._calls.of_task(context.task_id):
            if running.call.agent == agent:
                running.stopped = True
                if not running.begun:
                    running.cancel()
        for call in [*context.tool_calls.values()]:
            # Not running: a write that waits for its permission.
            if call.agent == agent and call.state == "waiting" and not self._calls.get(context, call.call_id):
                context.tool_update(call.ended("not_started", self._clock(), summary=STOPPED))

    def has_open_call(self, context: TaskContext, agent: str) -> bool:
        """Return whether an agent has a call of ours that has not ended, or has asked to be allowed one."""
        calls = context.tool_calls.values()
        return any(call.agent == agent and call.outcome is None and not call.observed for call in calls)

    async def wait_stopped(self, context: TaskContext, agent: str, *, patience_s: float) -> bool:
        """Wait until the reads of a stopped agent have ended; return whether its writes have, too.

        Waits `patience_s` at most. Cancelling the wait changes nothing.
        """
        calls = [each for each in self._calls.of_task(context.task_id) if each.call.agent == agent]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience_s):
                for each in calls:
                    if not each.begun:
                        await each.released.wait()
        return all(each.released.is_set() for each in calls)

    def finishing(self, context: TaskContext) -> bool:
        """Return whether a write of the task has begun and not ended."""
        return any(running.begun for running in self._calls.of_task(context.task_id))

    async def settle(self, context: TaskContext, *, patience_s: float) -> None:
        """Wait until no call works for the task any more, so that each has an outcome.

        Waits `patience_s` for reads, then `WRITE_PATIENCE_S` for writes, and for neither longer than
        `settle_within` says. What ends later amends the task's receipt.
        """
        # Reads first: they are cancelled and soon gone, whereas a write that has begun takes its time.
        await self._wait_released(context, writes=False, patience_s=patience_s)
        await self._wait_released(context, writes=True, patience_s=WRITE_PATIENCE_S)
        await self.observed.settle(context)

    def account(self, context: TaskContext) -> Sequence[ToolCall]:
        """Return every call of a task that ends now, in the order they were made.

        Only what may still be under way has no outcome.
        """
        running = {each.call_id for each in self._calls.of_task(context.task_id)}
        self._adopted_unasked -= {(context.task_id, call_id) for call_id in context.tool_calls}
        self.observed.account(context)
        for call in [*context.tool_calls.values()]:
            if call.call_id in running or self.observed.is_open(call.call_id):
                continue
            if call.unsettled:
                self._reconciler.reconcile(context.lease, call, context)
            elif call.left_open:
                # Its process has died: nobody can be asked, and it may have had its effect.
                context.tool_update(call.ended("unknown", self._clock(), summary=CUT_OFF))
            elif call.outcome is None:
                begun = call.state == "running"  # in a process that has died
                outcome = "cancelled" if begun else "not_started"
                context.tool_update(call.ended(outcome, self._clock(), summary=CUT_SHORT if begun else ""))
        return list(context.tool_calls.values())

    def settle_within(self, seconds: float) -> None:
        """Have every `settle` end within so many seconds from now: the server shuts down."""
        self._held.cancel_all()
        self._settle_by = asyncio.get_running_loop().time() + seconds
        for timeout in self._patience:
            if not timeout.expired():
                timeout.reschedule(min(timeout.when() or math.inf, self._settle_by))

    def is_busy(self, user_id: str) -> bool:
        """Return whether an outcome of a user's calls is yet to be stored: a write, or an undeclared tool."""
        return self._reconciler.is_asking(user_id) or bool(self.observed.still_running(user_id))

    def standing(self) -> Mapping[str, int]:
        """Return how many calls run, wait for their turn, are held for a successor, and are unsettled.

        `outliving` are the undeclared tools and steps that still run though their task has ended.
        """
        states = Counter(self._calls.states)
        under_way = {state: states[state] for state in ("running", "waiting")}
        left = {"unsettled": len(self._reconciler), "outliving": len(self.observed)}
        return {**under_way, "held": len(self._held), **left}

    @contextlib.asynccontextmanager
    async def forgetting(self, user_id: str) -> AsyncGenerator[None, None]:
        """Store nothing late while the context deletes a user, then forget the user's calls.

        If the context raises, nothing is forgotten.
        """
        async with self._amending.paused():
            yield
            self.forget(user_id)

    def forget(self, user_id: str) -> None:
        """Forget all calls of a user who is deleted, or whom another process owns by now.

        Reads are cancelled. A write that has begun runs on, and its outcome is dropped.
        """
        self._held.cancel(user_id)
        self._fresh.forget(user_id)
        self._reconciler.forget(user_id)
        self._calls.forget(user_id)
        self.observed.forget(user_id)

    # --- inside --------------------------------------------------------------------------------------

    def _find(self, context: TaskContext, key: str) -> RunningCall | ToolCall | None:
        """Return the call that a task runs under a key, or the last that ended if it still answers."""
        running = self._calls.running(context, key)
        call = running.call if running else _last_with_key(context, key)
        if call is None:
            return None
        # A read that was adopted before its task asked for it answers once, even if it is not fresh. One that
        # was cut short does not, as it is when the task waits for its user first: it is made again.
        unasked = (context.task_id, call.call_id) in self._adopted_unasked and call.outcome != "cancelled"
        self._adopted_unasked.discard((context.task_id, call.call_id))
        if running is not None:
            return running
        return call if call.state == "ended" and (unasked or call.is_fresh(self._clock())) else None

    def _start(self, context: TaskContext, call: ToolCall, tool: Tool[A], arguments: A) -> RunningCall:
        async def read(running: RunningCall) -> ToolResult:
            async with self._limit.slot(context.user_id, on_wait=running.wait_for_others):
                running.update(running.call.started(self._clock()))
                return await tool.run(arguments, running)

        def on_end(running: RunningCall, result: ToolResult | None) -> None:
            self._held.forget(running)
            if result is not None and result.whole and tool.fresh_s > 0:
                fresh_until = self._clock() + timedelta(seconds=tool.fresh_s)
                found = sum(batch.count for batch in running.batches)
                running.call = replace(running.call, fresh_until=fresh_until, found=found)
                self._fresh.put(running.call, running.batches, running.last_progress)

        return self._calls.start(context, call, read, on_end=on_end)

    def _refuse(self, context: TaskContext, call: ToolCall) -> ToolCall:
        """Enter a call that is not made: its task or agent makes no more, or the tool writes."""
        stopped = context.is_stopped(call.agent)
        outcome = "not_started" if context.closed or stopped else "denied"
        ended = call.ended(outcome, self._clock(), summary=STOPPED if stopped else "")
        context.tool_update(ended)
        return ended

    def _take(self, context: TaskContext, key: str, agent: str | None = None) -> str | None:
        """Adopt the read that is held or fresh under a key; return its id."""
        running = self._held.take(context.user_id, key)
        if running is not None:
            self._calls.move(running, context, agent or running.call.agent)
            return running.call_id
        read = self._fresh.get(context.user_id, key)
        if read is None:
            return None
        agent = agent or read.call.agent
        context.tool_update(for_task(read.call, context, agent))
        show(read.batches, read.last_progress, context, agent)
        return read.call.call_id

    def _publish_adoption(self, context: TaskContext, key: str) -> None:
        """Publish that a call was adopted only when the task asked for it."""
        taken = next(call for call in context.tool_calls.values() if call.key == key)
        before = context.previous.task_id if context.previous else context.task.previous_task_id
        if before is not None:
            context.record(
                events.context_transfer(
                    context.task_id,
                    from_task_id=before,
                    relation=context.task.relation,
                    carried={},
                    dropped=(),
                    adopted=[taken.call_id],
                    at=self._clock(),
                )
            )

    async def _wait_released(self, context: TaskContext, *, writes: bool, patience_s: float) -> None:
        deadline = min(asyncio.get_running_loop().time() + patience_s, self._settle_by)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout_at(deadline) as timeout:
                self._patience.add(timeout)
                try:
                    # Looked at anew after each: a node that ignores its end may start another call.
                    while running := self._calls.first_of(context.task_id, writes=writes):
                        await running.released.wait()
                finally:
                    self._patience.discard(timeout)


def _last_with_key(context: TaskContext, key: str) -> ToolCall | None:
    return next((call for call in reversed(context.tool_calls.values()) if call.key == key), None)
