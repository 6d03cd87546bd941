"""The ledger: every tool call of a task, and what truly became of it.

A call is an asyncio task of its own that the node awaits without owning. A cancelled node lets go of it, and
the ledger decides by what the call changes outside. A read is cancelled and keeps what it had found, or is
held where a newer message takes the place of its task (`adoption`). A write that has not begun never
begins; one that has is never cancelled (`writes`), and found out about where nobody answers for it
(`settling`). Calls of one task for the same are one call: a node that runs again gets what it got before.
"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from ...domain import events
from ...domain.clock import Clock
from ...domain.partials import PartialBatch
from ...domain.task import InterruptReason
from ...domain.tool_call import ToolCall, call_key
from ...log.event_log import EventLog
from ...log.state_store.base import StateStore
from ..task_context import STOPPED, TaskContext
from ..task_owner import TaskOwner
from .adoption import FreshReads, HeldReads
from .base import A, Tool, ToolResult
from .calls import CUT_SHORT, Calls
from .room import Room
from .running import RunningCall, for_task, show
from .settling import Settling
from .writes import WRITE_PATIENCE_S, Writes

CALLS_PER_USER = 8
"""How many reads of one user run at once, unless set otherwise."""

CALLS_AT_ONCE = 256
"""How many reads run at once in all, unless set otherwise."""


class Ledger:
    """Runs tool calls and keeps account of them; `writes` are the part of it that changes things outside."""

    def __init__(
        self,
        owner: TaskOwner,
        *,
        store: StateStore,
        log: EventLog,
        clock: Clock,
        new_id: Callable[[], str],
        room: Room | None = None,
    ) -> None:
        self._owner = owner
        self._store = store
        self._clock = clock
        self._room = room or Room(per_user=CALLS_PER_USER, in_all=CALLS_AT_ONCE)
        self._calls = Calls(owner, clock=clock, new_id=new_id)
        self._held = HeldReads(RunningCall.cancel)
        self._fresh = FreshReads(clock)
        self._unasked: set[tuple[str, str]] = set()
        self._hurry: asyncio.Future[None] | None = None
        self.settling = Settling(owner, store=store, log=log, clock=clock)
        self.writes = Writes(self._calls, self.settling, store=store, log=log, clock=clock, ended=self._ended)

    # --- for agents ----------------------------------------------------------------------------------

    async def call(self, context: TaskContext, agent: str, tool: Tool[A], arguments: A) -> ToolCall:
        """Run a tool that reads, and return the finished call; a failed one has its sentence as `summary`.

        What runs already for the same, or has found it a short while ago, is not run again. Raises
        `TypeError` for arguments without a JSON form. A tool that writes is denied: `writes` runs those.
        Cancelling the wait does not end the call.
        """
        key = call_key(tool.name, arguments)
        running = self._calls.running(context, key)
        if running is None:
            known = self._known(context, key)
            if known is not None:
                return known
            call = self._calls.new(
                context, agent, tool.name, effect=tool.effect, key=key, arguments=arguments
            )
            if context.interrupted or context.is_stopped(agent) or tool.effect == "write":
                return self._not_made(context, call)
            if self._take(context, key, agent):
                self._tell_adopted(context, key)
            running = self._calls.running(context, key)
            known = self._known(context, key) if running is None else None
            if known is not None:
                return known
            running = running or self._start(context, call, tool, arguments)
        self._unasked.discard((context.task_id, running.call_id))
        await asyncio.wait({running.left})
        return context.tool_calls[running.call_id]

    # --- for those who run tasks ---------------------------------------------------------------------

    async def calls_of(self, user_id: str, turn: int) -> Sequence[ToolCall]:
        """Return every call of the task of a turn as it is by now. Raises `StoreUnavailable`."""
        return await self._store.get_tool_calls(user_id, turn)

    def take_over(self, context: TaskContext, keys: Collection[str] | None) -> list[str]:
        """Take over what a task will ask for of that which is held or fresh; return the ids of those calls.

        What else is held is let go. Where it is not known what the task will ask for (None), all stays held
        until it does.
        """
        if keys is None or context.interrupted:
            return []
        self._held.release(context.user_id, but=keys)
        taken = [call_id for key in dict.fromkeys(keys) if (call_id := self._take(context, key))]
        self._unasked |= {(context.task_id, call_id) for call_id in taken}
        return taken

    def adopt(self, context: TaskContext, keys: Collection[str]) -> None:
        """Take over, and tell of it, what a task asks for that only came to know what that is."""
        for call_id in self.take_over(context, keys):
            self._tell_adopted(context, context.tool_calls[call_id].key)

    def restore(self, context: TaskContext, found: Sequence[PartialBatch]) -> None:
        """Know again what the reads of a task have found that an earlier process made."""
        for call in context.tool_calls.values():
            if call.outcome == "completed" and call.is_fresh(self._clock()):
                self._fresh.put(call, [batch for batch in found if batch.call_id == call.call_id])

    def interrupt(self, context: TaskContext) -> None:
        """End what a task has running that can be ended, or hold it for the task that takes its place."""
        for running in self._calls.of_task(context.task_id):
            if running.stopped:
                continue  # it is ending already, and for no other task to take over
            if running.call.effect != "write" and context.reason is InterruptReason.SUPERSEDED:
                self._held.hold(running)
            elif not running.begun:
                running.cancel()
        if context.reason is InterruptReason.STOPPED:
            self._held.release(context.user_id)

    def stop(self, context: TaskContext, agent: str) -> None:
        """End what one agent of a task has under way, as its user wishes.

        Its reads end where they stand, and nothing of them is held for another task. Its writes that have not
        begun never begin; one that has finishes.
        """
        for running in self._calls.of_task(context.task_id):
            if running.call.agent == agent:
                running.stopped = True
                if not running.begun:
                    running.cancel()
        for call in [*context.tool_calls.values()]:
            if call.agent == agent and call.state == "waiting" and not self._calls.get(context, call.call_id):
                context.tool_update(call.ended("not_started", self._clock(), summary=STOPPED))

    def works_for(self, context: TaskContext, agent: str) -> bool:
        """Tell whether an agent has a call under way, or has asked to be allowed one."""
        return any(call.agent == agent and call.outcome is None for call in context.tool_calls.values())

    async def stopped(self, context: TaskContext, agent: str, *, patience_s: float) -> bool:
        """Wait until nothing works for an agent but writes that have begun; return whether nothing does.

        It waits so long at most. Cancelling the wait changes nothing.
        """
        left = [each for each in self._calls.of_task(context.task_id) if each.call.agent == agent]
        reads = {each.left for each in left if not each.begun}
        if reads:
            await asyncio.wait(reads, timeout=patience_s)
        return all(each.left.done() for each in left)

    def finishing(self, context: TaskContext) -> bool:
        """Tell whether a write of the task has begun and not ended."""
        return any(running.begun for running in self._calls.of_task(context.task_id))

    async def settle(self, context: TaskContext, *, patience_s: float) -> None:
        """Wait until nothing works for the task any more.

        What has not ended after `patience_s` is let go, a write after `WRITE_PATIENCE_S`; and all of it once
        the time of `hurry` is over. What comes later amends the task's receipt.
        """
        if self._calls.of_task(context.task_id):
            hurry = self._impatience()
            await self._calls.left(context.task_id, writes=False, patience_s=patience_s, hurry=hurry)
            await self._calls.left(context.task_id, writes=True, patience_s=WRITE_PATIENCE_S, hurry=hurry)

    def account(self, context: TaskContext) -> Sequence[ToolCall]:
        """Return every call of a task that ends now, in the order they were made.

        Only what may still be under way has no outcome.
        """
        running = {each.call_id for each in self._calls.of_task(context.task_id)}
        self._unasked -= {(context.task_id, call_id) for call_id in context.tool_calls}
        for call in [*context.tool_calls.values()]:
            if call.outcome is None and call.call_id not in running and not call.unsettled:
                begun = call.state == "running"  # by a process that has died
                outcome = "cancelled" if begun else "not_started"
                context.tool_update(call.ended(outcome, self._clock(), summary=CUT_SHORT if begun else ""))
            elif call.unsettled and call.call_id not in running:
                self.settling.find_out(call, context)
        return list(context.tool_calls.values())

    def hurry(self, *, after_s: float) -> None:
        """Have `settle` wait no longer than so many seconds from now; the server goes down."""
        self._held.release_all()
        asyncio.get_running_loop().call_later(after_s, _set, self._impatience())

    def standing(self) -> Mapping[str, int]:
        """Return how many calls run, or wait for others to end, how many of those are held for a task that
        may ask for the same, and how many writes it is asked about what became of them.
        """
        states = Counter(self._calls.states)
        under_way = {state: states[state] for state in ("running", "waiting")}
        return {**under_way, "held": len(self._held), "unsettled": len(self.settling)}

    @contextlib.asynccontextmanager
    async def forgetting(self, user_id: str) -> AsyncGenerator[None, None]:
        """Forget what a user's reads have found, and tell nothing late while all else is forgotten."""
        async with self.settling.amending.lock:
            self._held.release(user_id)
            self._fresh.forget(user_id)
            yield

    # --- inside --------------------------------------------------------------------------------------

    def _known(self, context: TaskContext, key: str) -> ToolCall | None:
        """Return what the task has found by the same call a short while ago, or what came of it since it was
        taken over for this.
        """
        made = (call for call in reversed(context.tool_calls.values()) if call.key == key)
        call = next(made, None)
        if call is None or call.state != "ended":
            return None
        unasked = (context.task_id, call.call_id) in self._unasked
        self._unasked.discard((context.task_id, call.call_id))
        return call if unasked or call.is_fresh(self._clock()) else None

    def _start(self, context: TaskContext, call: ToolCall, tool: Tool[A], arguments: A) -> RunningCall:
        async def read(running: RunningCall) -> ToolResult:
            async with self._room.taken(context.user_id, waits=running.wait_for_others):
                running.tell(running.call.started(self._clock()))
                return await tool.run(arguments, running)

        def ended(running: RunningCall, result: ToolResult | None) -> None:
            if result is not None and result.whole and tool.fresh_s > 0:
                fresh_until = self._clock() + timedelta(seconds=tool.fresh_s)
                running.call = replace(running.call, fresh_until=fresh_until)
                self._fresh.put(running.call, running.batches, running.last_progress)
            self._ended(running, result)

        return self._calls.start(context, call, read, ended=ended, late=self._late)

    def _not_made(self, context: TaskContext, call: ToolCall) -> ToolCall:
        """Enter a call that is not made: nothing more is, or it is one that `writes` makes."""
        stopped = context.is_stopped(call.agent)
        outcome = "not_started" if context.interrupted or stopped else "denied"
        ended = call.ended(outcome, self._clock(), summary=STOPPED if stopped else "")
        context.tool_update(ended)
        return ended

    def _take(self, context: TaskContext, key: str, agent: str | None = None) -> str | None:
        """Take over the read under a key that is held, or has just ended; return its id."""
        running = self._held.take(context.user_id, key)
        if running is not None:
            self._calls.change_hands(running, context, agent or running.call.agent)
            return running.call_id
        read = self._fresh.get(context.user_id, key)
        if read is None:
            return None
        agent = agent or read.call.agent
        context.tool_update(for_task(read.call, context, agent))
        show(read.batches, read.at, context, agent)
        return read.call.call_id

    def _tell_adopted(self, context: TaskContext, key: str) -> None:
        """Tell of a call that was taken over only when the task asked for it."""
        taken = next(call for call in context.tool_calls.values() if call.key == key)
        before = context.previous.task_id if context.previous else context.task.previous_task_id
        if before is not None:
            context.tell(
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

    def _ended(self, running: RunningCall, _result: ToolResult | None) -> None:
        """Tell how a call has ended, also where its task has ended before it."""
        self._held.forget(running)
        call, context = running.call, running.context
        if context.task.status.terminal:
            self._tell_late(call)
        elif (
            context.suspended
            and call.effect == "write"
            and call.outcome == "not_started"
            and not running.stopped
        ):
            context.tool_update(call.waiting())  # what was allowed is done once the task goes on
        else:
            context.tool_update(call)
        if call.outcome == "unknown":
            self.settling.find_out(call, context)

    def _late(self, running: RunningCall, summary: str) -> None:
        """Note what came of work that went on after its call had ended."""
        call = running.call
        noted = call.ended(
            call.outcome or "unknown",
            call.ended_at or self._clock(),
            summary=f"{call.summary}; {summary}" if call.summary else summary,
        )
        running.call = noted
        if running.context.task.status.terminal:
            self._tell_late(noted)
        else:
            running.context.tool_update(noted)

    def _tell_late(self, call: ToolCall) -> None:
        self._owner.spawn_detached(self.settling.amending.amend(call), name=f"amend {call.call_id}")

    def _impatience(self) -> "asyncio.Future[None]":
        if self._hurry is None:
            self._hurry = asyncio.get_running_loop().create_future()
        return self._hurry


def _set(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)
