"""Makes each write, such as a booking, at most once: proposed, allowed by its user, begun, never cancelled.

What keeps a write from being made twice: its intent is durable before its provider hears of it, so a later
process knows that it may have been done, and asks instead of sending (`reconciler`); a message that is taken
up again inherits the writes of its earlier attempts (`Writes.inherit`); a permission is for one call; and
nothing like an unsettled write begins. Writes of one user run one at a time, in the order allowed.
"""

from dataclasses import replace
from typing import Any, Literal

import orjson

from ...domain import events
from ...domain.encoding import Clock, encode
from ...domain.errors import DetourError, OutcomeUnknown, ProviderError, QuoteChanged
from ...domain.task import Task
from ...domain.tool_call import ToolCall, call_key
from ...store.base import StateStore
from ...store.event_log import EventLog
from ..task_context import STOPPED, TaskContext
from .base import Quote, ToolResult, WriteTool
from .calls import Calls, NotStartedError, RunningCall
from .fair_turns import ConcurrencyLimit
from .reconciler import NEVER_DONE, Reconciler, inherited

WRITE_PATIENCE_S = 20.0
"""Seconds for which the ending of a task waits for a write that has begun; what comes later amends it."""

ASK_WITHIN_S = 5.0
"""Seconds for which a provider is asked for the outcome of a write before that counts as unknown."""

UNSETTLED = "it is not known yet what became of one just like it"


class Writes:
    """Proposes writes, and runs those that were allowed."""

    def __init__(
        self,
        calls: Calls,
        reconciler: Reconciler,
        *,
        store: StateStore,
        log: EventLog,
        clock: Clock,
    ) -> None:
        self._calls = calls
        self._reconciler = reconciler
        self._store = store
        self._log = log
        self._clock = clock
        self._turns = ConcurrencyLimit(per_user=1)

    def propose(
        self, context: TaskContext, agent: str, tool: WriteTool[Any], quote: Quote, *, purpose: str
    ) -> ToolCall:
        """Enter a write that waits for its permission; it fails if one for just the same is unsettled."""
        arguments = orjson.loads(encode(quote.arguments))
        key = call_key(tool.name, arguments)
        call = self._calls.new(
            context, agent, tool.name, effect="write", key=key, arguments=arguments, purpose=purpose
        )
        call = replace(call, asks={"prompt": quote.prompt, "facts": orjson.loads(encode(quote.facts))})
        if self._reconciler.is_unsettled(context.user_id, key):
            call = call.ended("failed", self._clock(), summary=UNSETTLED)
        context.tool_update(call)
        return call

    def last_for(self, context: TaskContext, purpose: str) -> ToolCall | None:
        """Return the last write for a purpose by the task, or by an earlier attempt at its message."""
        return next((call for call in reversed(context.tool_calls.values()) if call.purpose == purpose), None)

    def refuse(
        self,
        context: TaskContext,
        agent: str,
        tool: WriteTool[Any],
        arguments: Any,
        *,
        purpose: str,
        error: DetourError,
    ) -> ToolCall:
        """Enter a write that cannot be done at all."""
        call = self._calls.new(
            context, agent, tool.name, effect="write", key=purpose, arguments=arguments, purpose=purpose
        )
        refused = call.ended("failed", self._clock(), summary=error.message)
        context.tool_update(refused)
        return refused

    def renewed(self, context: TaskContext, call: ToolCall) -> ToolCall:
        """Return a call that its process died in as it began, under a new id and with the same permission.

        Any other call is returned as it is.
        """
        if call.outcome != "not_started" or call.started_at is None or context.closed:
            return call
        # Its provider has said that it did not do the old one, and may refuse that id from then on.
        allowed = call.instead_of or call.call_id
        new = self._calls.new(context, call.agent, call.tool, effect="write", key=call.key)
        again = replace(
            call.waiting(), call_id=new.call_id, requested_at=new.requested_at, instead_of=allowed
        )
        context.tool_update(again)
        return again

    def is_valid(self, context: TaskContext, call: ToolCall) -> bool:
        """Return whether what was quoted for a call may still be asked for, or done.

        It may not if the quote has changed since, or the time to use the permission is over.
        """
        if call.begun:
            return call.result != QuoteChanged.code
        asked = context.inputs.of_call(call.instead_of or call.call_id)
        if asked is None or asked.resolution == "denied":
            return True
        return asked.resolution in (None, "allowed") and asked.expires_at > self._clock()

    def decision_on(self, context: TaskContext, call: ToolCall) -> Literal["allowed", "denied"] | None:
        """Return what the user has decided about just this call; None if that is open or was not asked."""
        asked = context.inputs.of_call(call.instead_of or call.call_id)
        permission = asked.permission if asked is not None else None
        if asked is None or permission is None or (permission.tool, permission.key) != (call.tool, call.key):
            return None
        if asked.resolution == "allowed" and asked.expires_at > self._clock():
            return "allowed"
        return "denied" if asked.resolution == "denied" else None

    def mark_not_begun(
        self,
        context: TaskContext,
        agent: str,
        tool: WriteTool[Any],
        arguments: Any,
        *,
        purpose: str,
        call: ToolCall | None,
    ) -> ToolCall:
        """Enter that a write never begins, because its user has stopped the agent that would make it."""
        if call is None:
            call = self._calls.new(
                context, agent, tool.name, effect="write", key=purpose, arguments=arguments, purpose=purpose
            )
        if call.outcome is None:
            call = call.ended("not_started", self._clock(), summary=STOPPED)
            context.tool_update(call)
        return call

    def deny(self, context: TaskContext, call: ToolCall) -> ToolCall:
        """Enter that the user does not allow a write."""
        denied = call.ended("denied", self._clock(), summary="not allowed")
        context.tool_update(denied)
        return denied

    async def carry_out(self, context: TaskContext, call: ToolCall, tool: WriteTool[Any]) -> ToolCall:
        """Run a write that the user has allowed, once; return the finished call, with its outcome.

        Denies one that nobody has allowed, or that has other arguments. Cancelling the wait does not end the
        call.
        """
        running = self._calls.get(context, call.call_id)
        if running is None and context.closed:
            if not context.life.suspended:  # the next process carries out what a paused task was allowed
                context.tool_update(call.ended("not_started", self._clock()))
        elif running is None and self.decision_on(context, call) != "allowed":
            return self.deny(context, call)
        elif running is None:
            self._reconciler.register(tool)

            async def write(running: RunningCall) -> ToolResult:
                return await self._write(running, tool)

            running = self._calls.start(context, call, write)
        if running is not None:
            await running.released.wait()
        return context.tool_calls[call.call_id]

    async def outcome_of(self, context: TaskContext, call: ToolCall) -> ToolCall:
        """Return a write that has begun as it has ended; the outcome may be "unknown" still.

        Cancelling the wait changes nothing.
        """
        running = self._calls.get(context, call.call_id)
        if running is not None:
            await running.released.wait()
        elif call.unsettled:
            settled = await self._reconciler.ask(call, within_s=ASK_WITHIN_S)
            if settled is None and call.outcome is None:
                context.tool_update(call.ended("unknown", self._clock()))
            elif settled is not None and context.tool_calls[call.call_id].unsettled:
                context.tool_update(settled)
        return context.tool_calls[call.call_id]

    async def wait_for_other_tasks(self, context: TaskContext, agent: str) -> None:
        """Wait until no write of the user runs for another task: what is read or quoted next includes them.

        Each ends within a bounded time. Cancelling the wait changes nothing.
        """
        writes = [each for each in self._calls.writes_of(context.user_id) if each.context is not context]
        if writes:
            context.progress(agent, "waiting", detail="waits for what is under way to end")
            for each in writes:
                await each.released.wait()
            context.progress(agent, "working")

    async def inherit(self, context: TaskContext) -> None:
        """Enter the writes of earlier attempts at the task's message, so that they are not made again.

        Raises `StoreUnavailable`.
        """
        made: dict[str, ToolCall] = {}
        task: Task | None = context.task
        while task is not None and task.asked_in is not None and task.previous_task_id is not None:
            task = await self._store.get_task_metadata(task.user_id, task.previous_task_id)
            for call in await self._store.get_tool_calls(task.user_id, task.turn) if task else ():
                # An attempt that ended before it had all of these itself has none of them.
                if call.call_id not in made or made[call.call_id].unsettled:
                    made[call.call_id] = call
        for call in made.values():
            may_have_begun = call.done or call.unsettled or (call.observed and call.outcome == "unknown")
            if call.effect == "write" and may_have_begun:
                context.tool_update(inherited(call, context))

    async def _write(self, running: RunningCall, tool: WriteTool[Any]) -> ToolResult:
        async with self._turns.slot(running.user_id, on_wait=running.wait_for_others):
            # Looked at again: other writes ran, and time passed, while this one waited for its turn.
            if self._reconciler.is_unsettled(running.user_id, running.call.key):
                raise ProviderError(_as_sentence(UNSETTLED))
            if self.decision_on(running.context, running.call) != "allowed":
                raise NotStartedError
            call = running.call.started(self._clock())
            event = events.tool_update(call.task_id, call.as_update(), at=self._clock())
            # The intent is durable before the provider hears of it. A process that dies between the two
            # leaves a call "running" that was never sent: the next one asks, and nothing was done.
            await self._log.commit(running.context.lease, call, event)
            # No await from here to the first step of the tool: either this begins, or it never does.
            if running.context.closed or running.stopped:
                raise NotStartedError
            running.call = running.context.tool_calls[call.call_id] = call
            running.begun = True
            try:
                return await tool.run(call.arguments, running)
            except OutcomeUnknown:
                if running.forgotten:
                    raise  # its user was deleted: nobody is left to tell
                settled = await self._reconciler.ask(
                    call.ended("unknown", self._clock()), within_s=ASK_WITHIN_S
                )
                if settled is None:
                    raise
                if not settled.done:
                    raise ProviderError(_as_sentence(NEVER_DONE)) from None
                return ToolResult(settled.summary, settled.result)


def _as_sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
