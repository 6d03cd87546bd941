"""The calls that run, by the task that they work for: how one is started, and how it is read how it ended.

What a call came to is read from its finished asyncio task, whatever happened to it: it returned, failed, was
cancelled, or never took its first step.
"""

import asyncio
from asyncio import Future, Task
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any

import orjson
import structlog

from ...domain.clock import Clock
from ...domain.encoding import can_be_told, encode
from ...domain.tool_call import Effect, State, ToolCall
from ...errors import DetourError, OutcomeUnknown
from ..task_context import STOPPED, TaskContext
from ..task_owner import TaskOwner
from .base import ToolResult, can_be_kept
from .running import RunningCall

CUT_SHORT = "cut short; what had arrived is kept"
CUT_OFF = "cut off while it was under way"
BROKEN = "it failed for a reason of its own"

Work = Callable[[RunningCall], Coroutine[Any, Any, ToolResult]]

Ended = Callable[[RunningCall, ToolResult | None], None]
"""Is told of a call that has ended, and of its result if it has one; its account is in `call`."""

_log = structlog.get_logger(__name__)


class NotStartedError(Exception):
    """A call was called off before it began."""


class Calls:
    """Starts calls, and knows those that run."""

    def __init__(self, owner: TaskOwner, *, clock: Clock, new_id: Callable[[], str]) -> None:
        self._owner = owner
        self._clock = clock
        self._new_id = new_id
        self._by_task: dict[str, dict[str, RunningCall]] = {}

    def __len__(self) -> int:
        """Return how many run."""
        return sum(map(len, self._by_task.values()))

    @property
    def states(self) -> Iterable[State]:
        """How each of them is."""
        return (running.call.state for of_task in self._by_task.values() for running in of_task.values())

    def new(
        self,
        context: TaskContext,
        agent: str,
        tool: str,
        *,
        effect: Effect,
        key: str,
        arguments: Any = None,
        purpose: str = "",
    ) -> ToolCall:
        """Return the entry of a call that does not run yet. Raises `TypeError` where it has no JSON form."""
        return ToolCall(
            call_id=self._new_id(),
            user_id=context.user_id,
            task_id=context.task_id,
            turn=context.task.turn,
            agent=agent,
            tool=tool,
            effect=effect,
            key=key,
            purpose=purpose,
            arguments=orjson.loads(encode({} if arguments is None else arguments)),
            requested_at=self._clock(),
        )

    def start(
        self,
        context: TaskContext,
        call: ToolCall,
        work: Work,
        *,
        ended: Ended,
        late: Callable[[RunningCall, str], None],
    ) -> RunningCall:
        """Run a call for a task. `ended` is told when it has ended, before those who wait for it."""
        running = RunningCall(call, context, late=late)
        self._by_task.setdefault(context.task_id, {})[call.call_id] = running
        running.work = self._owner.spawn(work(running), name=f"tool {call.tool} {call.call_id}")
        running.work.add_done_callback(lambda done: self._ended(running, done, ended))
        return running

    def of_task(self, task_id: str) -> Sequence[RunningCall]:
        """Return the calls that run for a task."""
        return list(self._by_task.get(task_id, {}).values())

    def get(self, context: TaskContext, call_id: str) -> RunningCall | None:
        """Return the call of that id if it runs for a task."""
        return self._by_task.get(context.task_id, {}).get(call_id)

    def writes_of(self, user_id: str) -> Sequence[RunningCall]:
        """Return the calls of a user that run and write."""
        running = (each for of_task in self._by_task.values() for each in of_task.values())
        return [each for each in running if each.user_id == user_id and each.call.effect == "write"]

    def running(self, context: TaskContext, key: str) -> RunningCall | None:
        """Return the call that runs for a task under a key."""
        return next((each for each in self.of_task(context.task_id) if each.call.key == key), None)

    def change_hands(self, running: RunningCall, context: TaskContext, agent: str) -> None:
        """Let a call work for another task."""
        self._remove(running)
        running.change_hands(context, agent)
        self._by_task.setdefault(context.task_id, {})[running.call_id] = running

    async def left(self, task_id: str, *, writes: bool, patience_s: float, hurry: "Future[None]") -> None:
        """Wait until no write, or nothing else, works for a task; so long at most, or until `hurry`."""
        until = asyncio.get_running_loop().time() + patience_s
        while True:
            left = {each.left for each in self.of_task(task_id) if (each.call.effect == "write") == writes}
            patience = until - asyncio.get_running_loop().time()
            if not left or hurry.done() or patience <= 0:
                return
            await asyncio.wait({*left, hurry}, timeout=patience, return_when=asyncio.FIRST_COMPLETED)

    def _remove(self, running: RunningCall) -> None:
        of_task = self._by_task[running.context.task_id]
        del of_task[running.call_id]
        if not of_task:
            del self._by_task[running.context.task_id]

    def _ended(self, running: RunningCall, done: "Task[ToolResult]", ended: Ended) -> None:
        self._remove(running)
        result = None if done.cancelled() or done.exception() else done.result()
        running.call = _account(running, done, self._clock)
        ended(running, result if running.call.done else None)
        running.leave()


def _account(running: RunningCall, done: "Task[ToolResult]", clock: Clock) -> ToolCall:
    """Return the call as it has ended."""
    call, now = running.call, clock()
    if done.cancelled() or isinstance(done.exception(), NotStartedError):
        if running.begun:
            return call.ended("unknown", now, summary=CUT_OFF)
        never = call.state == "waiting" or call.effect == "write"
        return (
            call.ended("not_started", now, summary=STOPPED if running.stopped else "")
            if never
            else call.ended("cancelled", now, summary=_cut(running))
        )
    error = done.exception()
    if error is None:
        result = done.result()
        if can_be_kept(result):
            late = running.begun and (running.context.interrupted or running.stopped)
            outcome = "completed_after_interrupt" if late else "completed"
            return call.ended(outcome, now, summary=result.summary, result=result.value)
    elif isinstance(error, DetourError) and can_be_told(error.message):
        outcome = "unknown" if running.begun and isinstance(error, OutcomeUnknown) else "failed"
        return call.ended(outcome, now, summary=error.message, result=error.to_json()["error"]["code"])
    _log.error("a tool call failed", tool_call=done.get_name(), exc_info=error)
    return call.ended("unknown" if running.begun else "failed", now, summary=BROKEN)


def _cut(running: RunningCall) -> str:
    at = running.last_progress
    if at is None or not at.detail:
        return STOPPED if running.stopped else CUT_SHORT
    return f"{STOPPED if running.stopped else 'cut short'}: {at.detail}"
