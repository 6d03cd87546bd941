"""Starts tool calls, derives each call's outcome from its finished asyncio task, and publishes it.

The asyncio task says what happened whatever it was: the tool returned, raised, was cancelled, or never took
its first step. So no tool needs to catch a cancellation for its account to be true.
"""

import asyncio
from asyncio import Task
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson
import structlog

from ...domain.encoding import Clock, encode, is_json_text
from ...domain.errors import DetourError, OutcomeUnknown
from ...domain.partials import PartialBatch
from ...domain.tool_call import Effect, State, ToolCall
from ..cancel_scope import CancelScope
from ..task_context import STOPPED, TaskContext
from ..task_owner import TaskOwner
from .amending import Amending
from .base import ToolResult, can_be_kept
from .reconciler import Reconciler

# --- running -------------------------------------------------------------------------------------------
# A call while it runs: what it has found so far, and the task that it works for at the moment.
#
# The tool reports to it, and it passes the reports on to the task's context. A newer task may adopt it: all
# that it has found is then shown again under that task.


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a call is."""

    detail: str
    done: int
    total: int


class RunningCall:
    """A call that has not ended; the `Report` of its tool.

    `released` is set when it no longer works for `context`: it has ended, or another task has adopted it,
    which then waits for a new `released`. `begun` says of a write that it may have changed something,
    `stopped` that the user has stopped its agent, `forgotten` that its user was deleted.
    """

    def __init__(
        self, call: ToolCall, context: TaskContext, *, on_late: "Callable[[RunningCall, str], None]"
    ) -> None:
        self.call = call
        self.context = context
        self.released = asyncio.Event()
        self.work: Task[ToolResult] | None = None
        self.scope: CancelScope | None = None
        self.begun = False
        self.stopped = False
        self.forgotten = False
        self.batches: list[PartialBatch] = []
        self.last_progress: Progress | None = None
        self._on_late = on_late

    @property
    def call_id(self) -> str:
        """The id of the call."""
        return self.call.call_id

    @property
    def user_id(self) -> str:
        """The user it is made for."""
        return self.call.user_id

    def found(self, items: Sequence[Any], *, source: str) -> None:
        """Show new items, and keep them for a task that adopts the call.

        Raises `TypeError` and `TooMuchShownError`.
        """
        if items:
            # Encoded before it is kept: an agent or a source without a JSON form could not be shown later.
            encode((self.call.agent, source))
            batch = PartialBatch.of(self.call.agent, items, source=source, call_id=self.call_id)
            self.batches.append(batch)
            self.context.publish_batch(batch)

    def progress(self, detail: str, *, done: int, total: int) -> None:
        """Show how far the call is."""
        self.last_progress = Progress(detail, done, total)
        self.context.progress(self.call.agent, "working", detail=detail, done=done, total=total)

    def late(self, summary: str) -> None:
        """Note the outcome of work that outlived the call."""
        self._on_late(self, summary)

    def wait_for_others(self) -> None:
        """Show that the call waits for its turn."""
        self.update(self.call)
        self.context.progress(self.call.agent, "waiting", detail="waits for others to end")

    def cancel(self) -> None:
        """Cancel the work. Callers look at `begun` first: a write that has begun is never cancelled."""
        if self.scope is not None:
            self.scope.cancel()
        elif self.work is not None:
            self.work.cancel()

    def update(self, call: ToolCall) -> None:
        """Replace the entry, and publish it."""
        self.call = call
        self.context.tool_update(call)

    def move_to(self, context: TaskContext, agent: str) -> None:
        """Work for another task from now on, and show there at once what was found."""
        self.context.adopted_by = context.task_id
        self.context.tool_update(
            self.call.ended("adopted", self.context.now(), summary="goes on for the next task")
        )
        # A new event, not a cleared one: the waiters of the old task must wake, and the adopter must not.
        self.released.set()
        self.released = asyncio.Event()
        self.context = context
        self.call = for_task(self.call, context, agent)
        context.tool_update(self.call)
        show(self.batches, self.last_progress, context, agent)


def for_task(call: ToolCall, context: TaskContext, agent: str) -> ToolCall:
    """Return a call as the entry of another task."""
    return replace(call, task_id=context.task_id, turn=context.task.turn, agent=agent)


def show(
    batches: Sequence[PartialBatch], last_progress: Progress | None, context: TaskContext, agent: str
) -> None:
    """Show under a task what a call has found, and how far it is."""
    for batch in batches:
        context.publish_batch(batch if batch.agent == agent else replace(batch, agent=agent))
    if last_progress is not None:
        at = last_progress
        context.progress(agent, "working", detail=at.detail, done=at.done, total=at.total)


# --- calls ---------------------------------------------------------------------------------------------


CUT_SHORT = "cut short; what had arrived is kept"
CUT_OFF = "cut off while it was under way"
BROKEN = "it failed for a reason of its own"

Work = Callable[[RunningCall], Coroutine[Any, Any, ToolResult]]

OnEnd = Callable[[RunningCall, ToolResult | None], None]
"""Called with a call that has ended and its result if it has one, before the outcome is published."""

_log = structlog.get_logger(__name__)


class NotStartedError(Exception):
    """A call was called off before it began."""


class Calls:
    """Starts calls, and knows those that run."""

    def __init__(
        self,
        owner: TaskOwner,
        *,
        reconciler: Reconciler,
        amending: Amending,
        clock: Clock,
        new_id: Callable[[], str],
    ) -> None:
        self._owner = owner
        self._reconciler = reconciler
        self._amending = amending
        self._clock = clock
        self._new_id = new_id
        self._by_task: dict[str, dict[str, RunningCall]] = {}

    @property
    def states(self) -> Iterable[State]:
        """The state of each call that runs."""
        return (running.call.state for running in self._all())

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
        """Return the entry of a call that does not run yet. Raises `TypeError` if it has no JSON form."""
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
        self, context: TaskContext, call: ToolCall, work: Work, *, on_end: OnEnd | None = None
    ) -> RunningCall:
        """Run a call for a task, in an asyncio task of its own."""
        running = RunningCall(call, context, on_late=self._publish_late)
        self._add(running)
        # A write that has begun finishes: nothing asks it again.
        running.scope = None if call.effect == "write" else CancelScope()
        name = f"tool {call.tool} {call.call_id}"
        running.work = self._owner.spawn(work(running), name=name, scope=running.scope)
        running.work.add_done_callback(lambda done: self._end(running, done, on_end))
        return running

    def of_task(self, task_id: str) -> Sequence[RunningCall]:
        """Return the calls that run for a task."""
        return list(self._by_task.get(task_id, {}).values())

    def first_of(self, task_id: str, *, writes: bool) -> RunningCall | None:
        """Return a write, or a call that is none, that runs for a task."""
        return next((each for each in self.of_task(task_id) if (each.call.effect == "write") == writes), None)

    def running(self, context: TaskContext, key: str) -> RunningCall | None:
        """Return the call that runs for a task under a key."""
        return next((each for each in self.of_task(context.task_id) if each.call.key == key), None)

    def get(self, context: TaskContext, call_id: str) -> RunningCall | None:
        """Return the call of that id if it runs for a task."""
        return self._by_task.get(context.task_id, {}).get(call_id)

    def writes_of(self, user_id: str) -> Sequence[RunningCall]:
        """Return the writes of a user that run."""
        return [each for each in self._all() if each.user_id == user_id and each.call.effect == "write"]

    def move(self, running: RunningCall, context: TaskContext, agent: str) -> None:
        """Have a call work for another task."""
        self._remove(running)
        running.move_to(context, agent)
        self._add(running)

    def forget(self, user_id: str) -> None:
        """Drop the outcomes of the calls of a deleted user; one that ignores its end may still run."""
        for running in self._all():
            running.forgotten = running.forgotten or running.user_id == user_id

    def _all(self) -> Iterable[RunningCall]:
        return (running for of_task in self._by_task.values() for running in of_task.values())

    def _add(self, running: RunningCall) -> None:
        self._by_task.setdefault(running.context.task_id, {})[running.call_id] = running

    def _remove(self, running: RunningCall) -> None:
        of_task = self._by_task[running.context.task_id]
        del of_task[running.call_id]
        if not of_task:
            del self._by_task[running.context.task_id]

    def _end(self, running: RunningCall, done: "Task[ToolResult]", on_end: OnEnd | None) -> None:
        self._remove(running)
        result = None if done.cancelled() or done.exception() else done.result()
        running.call = _derive_outcome(running, done, self._clock)
        if not running.forgotten:
            if on_end is not None:
                on_end(running, result if running.call.done else None)
            self._publish(running)
        # Last: waiters find the outcome in the context.
        running.released.set()

    def _publish(self, running: RunningCall) -> None:
        """Publish how a call ended, even if its task has ended before it."""
        call, context = running.call, running.context
        if context.task.status.terminal:
            # The task stopped waiting for it, so its receipt says "unknown".
            self._amending.amend(running.context.lease, call)
        elif _can_still_begin(running):
            # The task is only paused: the next process carries out what the user has allowed.
            context.tool_update(call.waiting())
        else:
            context.tool_update(call)
        if call.outcome == "unknown":
            self._reconciler.reconcile(context.lease, call, context)

    def _publish_late(self, running: RunningCall, summary: str) -> None:
        """Note in the entry the outcome of work that could not be ended with its call, as a thread's.

        It is for readers of the receipt, and not shown: the node has its answer already, and
        results after an interruption would be shown twice if the next task finds them again.
        """
        call = running.call
        if call.outcome is None or running.forgotten:
            return  # it comes in the very step of the end, whose outcome is about to be derived
        summary = f"{call.summary}; {summary}" if call.summary else summary
        running.call = call = call.ended(call.outcome, call.ended_at or self._clock(), summary=summary)
        if running.context.task.status.terminal:
            self._amending.amend(running.context.lease, call)
        else:
            running.context.tool_update(call)


def _can_still_begin(running: RunningCall) -> bool:
    call = running.call
    never_begun = call.effect == "write" and call.outcome == "not_started"
    return running.context.life.suspended and never_begun and not running.stopped


def _derive_outcome(running: RunningCall, done: "Task[ToolResult]", clock: Clock) -> ToolCall:
    """Return the call as it has ended."""
    call, now = running.call, clock()
    if done.cancelled() or isinstance(done.exception(), NotStartedError):
        if running.begun:
            # Only the end of the process cancels a write that has begun: its provider may have done it.
            return call.ended("unknown", now, summary=CUT_OFF)
        if call.state == "waiting" or call.effect == "write":
            return call.ended("not_started", now, summary=STOPPED if running.stopped else "")
        return call.ended("cancelled", now, summary=_how_far(running))
    error = done.exception()
    if error is None:
        result = done.result()
        if can_be_kept(result):
            late = running.begun and (running.context.closed or running.stopped)
            outcome = "completed_after_interrupt" if late else "completed"
            return call.ended(outcome, now, summary=result.summary, result=result.value)
    elif isinstance(error, DetourError) and is_json_text(error.message):
        outcome = "unknown" if running.begun and isinstance(error, OutcomeUnknown) else "failed"
        return call.ended(outcome, now, summary=error.message, result=error.to_json()["error"]["code"])
    # A fault of the tool. It does not tell whether a write that had begun was done.
    _log.error("a tool call failed", tool_call=done.get_name(), exc_info=error)
    return call.ended("unknown" if running.begun else "failed", now, summary=BROKEN)


def _how_far(running: RunningCall) -> str:
    at = running.last_progress
    if at is None or not at.detail:
        return STOPPED if running.stopped else CUT_SHORT
    return f"{STOPPED if running.stopped else 'cut short'}: {at.detail}"
