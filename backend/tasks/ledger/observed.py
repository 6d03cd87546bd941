"""Accounts for tool calls that a graph makes by itself: it is told of their start and end, and runs none.

Nobody has declared what such a tool does, so it counts as one that may write. An interruption cancels the
code that awaits it: a call without a thread has ended with that code, and is *cancelled*. A call in a thread
cannot be stopped. Its task does not wait for it: the receipt says that it still runs, and is amended with
what it came to.
"""

import asyncio
import contextlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ...domain.clock import Clock
from ...domain.tool_call import Outcome, ToolCall, call_key
from ...errors import GraphFailedError, StoreUnavailable
from ...log.event_log import EventLog
from ..task_context import TaskContext
from .amending import Amending
from .calls import Calls

STILL_RUNNING = "still running, in a thread that nothing can stop"
CUT_SHORT = "cut short while it ran; it may have had an effect"


LET_GO_S = 5.0
"""Seconds for which a run waits until the one before it has let go of its calls."""


class CallThreads:
    """Counts the threads that work for a call; for any thread."""

    def __init__(self) -> None:
        self._count = 0
        self._released = False
        self._lock = threading.Lock()

    def begin(self) -> bool:
        """Count a thread that is about to begin; False if it must not, since nobody awaits the call now."""
        with self._lock:
            self._count += not self._released
            return not self._released

    def end(self) -> bool:
        """Count a thread less; return whether it was the last, and nobody awaits the call now."""
        with self._lock:
            self._count -= 1
            return self._released and not self._count

    def release(self) -> bool:
        """Note that nobody awaits the call now; return whether a thread still works for it."""
        with self._lock:
            self._released = True
            return self._count > 0


@dataclass(frozen=True, slots=True, eq=False)
class ObservedCall:
    """A call under way; `let_go` is set once it has ended, or only a thread works for it."""

    context: TaskContext
    call_id: str
    threads: CallThreads
    let_go: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def call(self) -> ToolCall:
        """Its entry as it is now."""
        return self.context.tool_calls[self.call_id]


class ObservedCalls:
    """The calls of all tasks that are under way and that the ledger does not run itself."""

    def __init__(self, calls: Calls, *, log: EventLog, amending: Amending, clock: Clock) -> None:
        self._calls = calls
        self._log = log
        self._amending = amending
        self._clock = clock
        self._open: dict[str, ObservedCall] = {}

    async def begin(
        self,
        context: TaskContext,
        agent: str,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        purpose: str,
        threads: CallThreads,
    ) -> ObservedCall:
        """Enter a call that is about to begin; `arguments` are JSON-ready.

        When this returns, the entry is durable: a later process knows that the call may have had its effect.
        `purpose` is the id that the graph's model gave the call, if one did: a call that has asked its user
        begins again under it, and is the same call. Raises `GraphFailedError` once the task is closed, and
        `StoreUnavailable`; the call must not begin then, nor if this is cancelled.
        """
        # A plain node runs on in its thread after an interruption: it calls no further tool.
        self._check_open(context, tool)
        asked = (each for each in context.tool_calls.values() if each.state == "waiting" and each.observed)
        call = next((each for each in asked if purpose and each.purpose == purpose), None)
        if call is None:
            key = call_key(tool, arguments)
            call = self._calls.new(
                context, agent, tool, effect="write", key=key, arguments=arguments, purpose=purpose
            )
            call = replace(call, observed=True)
        observed = self._open[call.call_id] = ObservedCall(context, call.call_id, threads)
        context.tool_update(call.started(self._clock()))
        may_begin = False
        try:
            await self._log.commit(context.user_id)  # done when all that was recorded before it is durable
            if context.unsaved:
                raise StoreUnavailable("The store cannot keep that a tool begins.")
            self._check_open(context, tool)
            may_begin = True
        finally:
            if not may_begin:
                self.end(observed, "not_started", summary="")
        return observed

    def _check_open(self, context: TaskContext, tool: str) -> None:
        if context.closed:
            raise GraphFailedError(f"The task was interrupted before {tool} began.")

    def pause(self, observed: ObservedCall) -> None:
        """Note that a call has asked its user, and so has stopped; it begins anew after the answer."""
        if self._open.pop(observed.call_id, None) is not None:
            observed.let_go.set()
            observed.context.tool_update(observed.call.waiting())

    def end(self, observed: ObservedCall, outcome: Outcome, *, summary: str, result: Any = None) -> None:
        """Note how a call has ended; only the first end counts.

        `result` is JSON-ready. If the task has ended before, its receipt is amended.
        """
        if self._open.pop(observed.call_id, None) is None:
            return
        observed.let_go.set()
        context = observed.context
        if outcome == "completed" and context.closed:
            outcome = "completed_after_interrupt"
        call = observed.call.ended(outcome, self._clock(), summary=summary, result=result)
        if context.task.status.terminal:
            context.tool_calls[call.call_id] = call
            self._amending.amend(call)
        else:
            context.tool_update(call)

    def release(self, context: TaskContext) -> None:
        """Note that the code of a task's run has ended: its calls have, too, but for those in a thread."""
        for observed in self._of(context):
            if observed.threads.release():
                observed.let_go.set()
                context.tool_update(replace(observed.call, summary=STILL_RUNNING))
            else:
                self.end(observed, "cancelled", summary=CUT_SHORT)

    async def at_rest(self, context: TaskContext) -> None:
        """Wait until the user's earlier tasks have let go of their calls, so that each is told as it ended.

        Waits `LET_GO_S` at most: a tool may ignore that it was cancelled.
        """
        earlier = [
            each
            for each in self._open.values()
            if each.context.user_id == context.user_id and each.context is not context
        ]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LET_GO_S):
                for each in earlier:
                    await each.let_go.wait()

    def is_open(self, call_id: str) -> bool:
        """Tell whether a call is under way."""
        return call_id in self._open

    def forget(self, user_id: str) -> None:
        """Drop what the calls of a deleted user come to."""
        for observed in [*self._open.values()]:
            if observed.context.user_id == user_id:
                del self._open[observed.call_id]
                observed.let_go.set()

    def _of(self, context: TaskContext) -> list[ObservedCall]:
        return [each for each in self._open.values() if each.context is context]
