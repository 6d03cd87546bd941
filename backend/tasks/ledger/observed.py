"""Accounts for tool calls that a graph makes by itself: it hears of their start and end, and runs none.

Nobody has declared what such a tool does, so it counts as one that may write. An interruption cancels the
code that awaits it: a call without a thread has ended with that code, and is *cancelled*. A call in a thread
cannot be stopped, nor does one end with its run whose asyncio task the graph has left behind. Its task does
not wait for it: the receipt says that it still runs, and is amended with its outcome. So does a step of
the graph that no tool is, but it gets its entry only when its task ends.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal
from weakref import WeakSet

import structlog
from typing_extensions import TypedDict

from ...domain.encoding import Clock
from ...domain.errors import GraphFailedError, StoreUnavailable
from ...domain.tool_call import Outcome, ToolCall, call_key
from ...store.event_log import EventLog
from ...store.ownership import Lease
from ..cancel_scope import RunTask
from ..task_context import TaskContext
from ..user_threads import CallThreads, is_gone
from .amending import Amending
from .calls import Calls

# --- steps ---------------------------------------------------------------------------------------------
# Accounts for the steps of a graph that a thread still runs when their task has ended.
#
# A plain `def` node or edge runs in a thread, and so does what an async one hands to `asyncio.to_thread`.
# An interruption ends the code that awaits such a thread, and nothing can end the thread. So it is counted
# from its beginning to its end; an entry of the ledger is made only if it outlives its task.


OnOutlived = Callable[[Outcome], None]
"""Called on the event loop with the outcome of a step whose threads have outlived their task."""

REPORT_AFTER_S = 0.5
"""Seconds for which a step may run on after its tool before it is reported: most end at once."""

Path = Sequence[str]
"""The names of a step: the node of the graph that was started, then those of the graphs within it."""

WHOLE_GRAPH = ("graph",)
"""The step of what runs outside of every node."""

_log = structlog.get_logger(__name__)


class RunSteps:
    """The steps of one run. `now` names the step whose code calls it."""

    def __init__(self, context: TaskContext, now: Callable[[], Path]) -> None:
        self.context = context
        self._now = now
        self._loop = asyncio.get_running_loop()
        self._steps: dict[Path, StepThreads] = {}

    def observer(self) -> "StepThreads":
        """Return the observer of a thread that the step of now starts."""
        return self.of(tuple(self._now()) or WHOLE_GRAPH)

    def of(self, path: Path) -> "StepThreads":
        """Return the observer of the threads that a step starts."""
        path = tuple(path)
        step = self._steps.get(path)
        if step is None:
            step = self._steps.setdefault(path, StepThreads(path, self._loop))
        return step

    def release(self) -> "list[StepThreads]":
        """Start no further thread of the run; return the steps that a thread still works for."""
        return [step for step in self._steps.values() if step.threads.release()]

    def __iter__(self) -> "Iterator[StepThreads]":
        """Return the steps that a thread has worked for."""
        return iter(self._steps.values())


class StepThreads:
    """The threads of one step, together: the `ThreadObserver` of each.

    `on_resumed` is called on the event loop if the task has ended without an entry of the step, and a thread
    runs on for it after a tool, which has an entry, has ended.
    """

    def __init__(self, path: Path, loop: asyncio.AbstractEventLoop) -> None:
        self.path = path
        self.threads = CallThreads()
        self.on_outlived: OnOutlived | None = None
        self.on_resumed: Callable[[], None] | None = None
        self._has_failed = False
        self._loop = loop

    def thread_begins(self) -> bool:
        """Count a thread that is about to begin; False if it must not, since its run was cut short."""
        return self.threads.begin()

    def thread_ended(self, value: Any, error: Exception | None) -> None:
        """Count a thread less; if it was the last and has outlived its task, note the outcome of the step."""
        is_late = self.threads.is_released
        # Before the count: the last thread derives the outcome from it. An error before the release is one
        # that the step itself has got.
        self._has_failed |= is_late and error is not None
        is_last = self.threads.end()
        if error is not None and (is_late or is_last):
            _log.error("a step that outlived its run has failed", step=self.path[-1], exc_info=error)
        if is_last:
            is_failed = self._has_failed or error is not None
            self._on_loop(self._ended, "failed" if is_failed else "completed")

    def lend_thread(self) -> None:
        """Count a thread less that works for a tool now: the entry of the tool accounts for it."""
        self.threads.lend()

    def take_thread_back(self) -> None:
        """Count a thread again whose tool has ended."""
        if self.threads.take_back():
            self._on_loop(self._resumed)

    def program_ends(self, ending: "asyncio.Task[bool]") -> None:
        """Count a program that is being ended as a thread until it is gone; on the event loop."""
        self.threads.end_program(ending)
        ending.add_done_callback(self._program_ended)

    def _program_ended(self, ending: "asyncio.Task[bool]") -> None:
        if is_gone(ending) and self.threads.end():
            self._ended("cancelled")

    def _on_loop(self, call: Callable[..., None], *arguments: Any) -> None:
        with suppress(RuntimeError):  # the loop is closed: the process is about to end
            self._loop.call_soon_threadsafe(call, *arguments)

    def _resumed(self) -> None:
        self._loop.call_later(REPORT_AFTER_S, self._report_resumed)

    def _report_resumed(self) -> None:
        # Before the end of the task `on_resumed` is None: the ending counts the thread itself.
        if self.on_resumed is not None and self.on_outlived is None and self.threads.is_working:
            self.on_resumed()

    def _ended(self, outcome: Outcome) -> None:
        # None if the thread ended between the end of its run and that of its task: nothing was entered.
        on_outlived, self.on_outlived = self.on_outlived, None
        if on_outlived is not None:
            on_outlived(outcome)


# --- observed ------------------------------------------------------------------------------------------


OnLoop = Callable[..., None]
"""Calls a function with its arguments on the event loop: at once there, soon from another thread."""

STEP = "step:"
"""How the key of a step begins, and the purpose of one that was entered before it began."""

STILL_RUNNING = "still running, in a thread that nothing can stop"
LEFT_BEHIND = "still running, in an asyncio task that its node has left behind"
NOT_ENDING = "still running, as it ignores that it was cancelled"
CUT_SHORT = "cut short while it ran; it may have had an effect"
PROGRAM_RUNS = "still running, as a program that it started has not ended"
PROGRAM_ENDED = "cut short while it ran, and its program was ended; it may have had an effect"
STEP_PROGRAM_RUNS = f"a step that is {PROGRAM_RUNS}; it may still have effects"
STEP_PROGRAM_ENDED = "a step whose program was ended after its task; it may have had effects"
STEP_RUNS_ON = f"a step that is {STILL_RUNNING}; it may still have effects"
STEP_NOT_ENDING = f"a step that is {NOT_ENDING}; it may still have effects"
STEP_ENDED = "a step that ended after its task; what it returned is not kept"
STEP_FAILED = "a step that failed after its task had ended; it may have had effects"
STEP_CUT_SHORT = "a step that was cut short; what it runs in threads of its own may go on"
STEP_PROCESS_ENDED = "a step that ended with the server's process; it may have had effects"
PROCESS_ENDED = "ended with the server's process while it ran; it may have had its effect"


_STEP_SUMMARIES = {"completed": STEP_ENDED, "failed": STEP_FAILED, "cancelled": STEP_PROGRAM_ENDED}

PROGRAM_PATIENCE_S = 0.25
"""Seconds for which a task, and the run after it, wait for a program that is being ended: 12 ms with
`sleep` on a busy machine. One that takes longer is reported as still running."""

IN_THREAD_S = 15.0
"""Seconds for which a thread waits until the store has kept that its tool begins."""

ON_LOOP_S = 2.0
"""The same for the thread of the event loop, which serves nobody meanwhile; mostly it takes 1 ms."""

RELEASE_WITHIN_S = 5.0
"""Seconds for which a run waits until the one before it has released its calls."""


@dataclass(frozen=True, slots=True, eq=False)
class ObservedCall:
    """A call under way; `released` is set once it has ended, or its run has left it.

    `work` is the asyncio task in which it runs, None for a call that runs in a thread.
    """

    context: TaskContext
    call_id: str
    threads: CallThreads
    work: "asyncio.Task[Any] | None" = None
    released: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def call(self) -> ToolCall:
        """Its entry as it is now."""
        return self.context.tool_calls[self.call_id]

    @property
    def is_entered_step(self) -> bool:
        """Whether it is a step that was entered before it began."""
        return self.call.is_step and self.call.observed


class StillRunningView(TypedDict):
    """A tool call, or a step of the graph, that still runs though its task has ended."""

    task_id: str
    call_id: str
    kind: Literal["tool", "step"]
    name: str


class ObservedCalls:
    """The calls of all tasks that are under way and that the ledger does not run itself."""

    def __init__(self, calls: Calls, *, log: EventLog, amending: Amending, clock: Clock) -> None:
        self._calls = calls
        self._log = log
        self._amending = amending
        self._clock = clock
        self._open: dict[str, ObservedCall] = {}
        self._steps: dict[str, RunSteps] = {}
        # Those of ended tasks, for as long as a thread holds them.
        self._accounted: WeakSet[RunSteps] = WeakSet()

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
        observed, call = self._made(context, agent, tool, arguments, purpose, threads)
        return await self._begun(observed, call)

    async def begin_step(self, context: TaskContext, node: str, *, threads: CallThreads) -> ObservedCall:
        """Enter a step that may run tools which nobody can follow, before it begins.

        A later process knows by its entry that the step may have had effects, and does not run it again.
        Raises as `begin`.
        """
        observed, call = self._made(context, node, node, {}, f"{STEP}{node}", threads)
        return await self._begun(observed, replace(call, is_step=True))

    async def _begun(self, observed: ObservedCall, call: ToolCall) -> ObservedCall:
        context = observed.context
        self._enter(observed, call)
        may_begin = False
        try:
            await self._log.commit(context.lease)  # done when all that was recorded before it is durable
            if context.unsaved:
                raise StoreUnavailable("The store cannot keep that a tool begins.")
            self._check_open(context, call.tool)
            may_begin = True
        finally:
            if not may_begin:
                self.end(observed, "not_started", summary="")
        return observed

    def begin_here(
        self,
        context: TaskContext,
        agent: str,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        purpose: str,
        threads: CallThreads,
        on_loop: OnLoop,
        within_s: float,
    ) -> ObservedCall:
        """Enter a call as `begin` does, in the thread that is about to run it, without the event loop.

        The loop may wait for this very thread, as where an async node calls an agent by `invoke`. So the
        entry is stored at once and alone; its events come from the loop, when that runs again.
        """
        observed, call = self._made(context, agent, tool, arguments, purpose, threads)
        on_loop(self._enter, observed, call)
        may_begin = False
        try:
            self._log.store_call_now(
                context.lease, call, wanted=lambda: not context.closed, within_s=within_s
            )
            self._check_open(context, tool)
            may_begin = True
        finally:
            if not may_begin:
                on_loop(partial(self.end, observed, "not_started", summary=""))
        return observed

    def _made(
        self,
        context: TaskContext,
        agent: str,
        tool: str,
        arguments: Mapping[str, Any],
        purpose: str,
        threads: CallThreads,
    ) -> tuple[ObservedCall, ToolCall]:
        """Return a call that begins, and its entry; for any thread."""
        # A plain node runs on in its thread after an interruption: it calls no further tool.
        self._check_open(context, tool)
        key = call_key(tool, arguments)
        calls = [*context.tool_calls.values()]  # a copy: the event loop may add one meanwhile
        asked = (each for each in calls if each.state == "waiting" and each.observed)
        # By its arguments too: a model may give several calls the same id.
        again = (each for each in asked if purpose and (each.purpose, each.key) == (purpose, key))
        call = next(again, None)
        if call is None:
            call = self._calls.new(
                context, agent, tool, effect="write", key=key, arguments=arguments, purpose=purpose
            )
            call = replace(call, observed=True)
        return ObservedCall(context, call.call_id, threads, _task_of_now()), call.started(self._clock())

    def _enter(self, observed: ObservedCall, call: ToolCall) -> None:
        self._open[call.call_id] = observed
        self._update(observed.context, call)

    def _check_open(self, context: TaskContext, tool: str) -> None:
        if context.closed:
            raise GraphFailedError(f"The task was interrupted before {tool} began.")

    def pause(self, observed: ObservedCall) -> None:
        """Note that a call has asked its user, and so has stopped; it begins anew after the answer."""
        if self._open.pop(observed.call_id, None) is not None:
            observed.released.set()
            observed.context.tool_update(observed.call.waiting())

    def asked(self, context: TaskContext, call_id: str, request_id: str) -> None:
        """Note that a question is that of a call which has paused: its answer is for no other call."""
        call = context.tool_calls[call_id]
        call = replace(call, asks={"questions": [*call.asks.get("questions", ()), request_id]})
        context.tool_calls[call_id] = call
        context.record(call)

    def end(self, observed: ObservedCall, outcome: Outcome, *, summary: str, result: Any = None) -> None:
        """Note how a call has ended; only the first end counts.

        `result` is JSON-ready. If the task has ended before, its receipt is amended.
        """
        if self._open.pop(observed.call_id, None) is None:
            return
        observed.released.set()
        context = observed.context
        if outcome == "completed" and context.closed:
            outcome = "completed_after_interrupt"
        call = observed.call.ended(outcome, self._clock(), summary=summary, result=result)
        self._update(context, call)

    def _update(self, context: TaskContext, call: ToolCall) -> None:
        if context.task.status.terminal:
            context.tool_calls[call.call_id] = call
            self._amending.amend(context.lease, call)
        else:
            context.tool_update(call)

    def follow(self, steps: RunSteps) -> None:
        """Follow the threads of a run that begins: those that outlive its task get an entry."""
        self._steps[steps.context.task_id] = steps

    def release(self, context: TaskContext, *, is_whole: bool) -> None:
        """Note that the code of a task's run has ended: its calls have, too, but for those in a thread.

        `is_whole` if the run ended by itself: a thread that it has left behind was not cut off from anything.
        """
        if is_whole:
            self._steps.pop(context.task_id, None)
        elif context.task_id in self._steps:
            self._steps[context.task_id].release()
        for observed in self._of(context):
            if observed.threads.release():
                if observed.call.is_step:
                    continue  # entered when the task ended, since its run did not
                self._leave(observed, PROGRAM_RUNS if observed.threads.is_ending_program else STILL_RUNNING)
            elif observed.work is None or observed.work.done() or observed.work is _task_of_now():
                self._cut_short(observed)
            else:
                observed.work.add_done_callback(lambda _work, ended=observed: self._cut_short(ended))
                # A `gather` whose other call has failed, or has asked, leaves this one behind.
                if (
                    not is_whole
                    and isinstance(observed.work, RunTask)
                    and observed.work.scope is context.scope
                ):
                    observed.work.cancel()
                # One that is being cancelled mostly ends in the next step of the loop.
                if not observed.work.cancelling():
                    self._leave(observed, LEFT_BEHIND)

    def _cut_short(self, observed: ObservedCall) -> None:
        if observed.is_entered_step:
            summary = STEP_CUT_SHORT
        elif observed.call.is_step:
            summary = STEP_ENDED
        else:
            summary = PROGRAM_ENDED if observed.threads.endings else CUT_SHORT
        self.end(observed, "cancelled", summary=summary)

    def _leave(self, observed: ObservedCall, summary: str) -> None:
        if observed.threads.is_ending_program:
            asyncio.get_running_loop().call_later(PROGRAM_PATIENCE_S, observed.released.set)
        else:
            observed.released.set()
        observed.context.tool_update(replace(observed.call, summary=summary))

    async def settle(self, context: TaskContext) -> None:
        """Wait until the programs that end with a task are gone; `PROGRAM_PATIENCE_S` at most."""
        endings = [ending for observed in self._of(context) for ending in observed.threads.endings]
        endings += [
            ending for step in self._steps.get(context.task_id, ()) for ending in step.threads.endings
        ]
        if endings:
            await asyncio.wait(endings, timeout=PROGRAM_PATIENCE_S)

    def account(self, context: TaskContext) -> None:
        """Enter what still runs of a task that ends now, in the step of the loop that derives its ending."""
        for observed in self._of(context):
            has_ended = observed.work is not None and observed.work.done() and not observed.threads.is_working
            if observed.is_entered_step and has_ended:
                self.end(observed, "cancelled", summary=STEP_ENDED)
            # No `release` has set it: the code of the run has not ended.
            elif not observed.call.summary:
                context.tool_update(replace(observed.call, summary=NOT_ENDING))
        run = self._steps.pop(context.task_id, None)
        if run is None:
            return
        left = run.release()
        for step in run:
            step.on_resumed = partial(self._enter_threads, run, step)
        self._accounted.add(run)
        for step in left:
            self._enter_threads(run, step)
        # Not the one that ignores it by name: nothing shows which it is.
        runs_on = context.scope is not None and context.scope.runs_on
        for agent, now in [*context.agents.items()] if runs_on else ():
            if now.state == "working" and all(step.path[0] != agent for step in left):
                self._enter_step(context, (agent,), CallThreads(), STEP_NOT_ENDING)

    def _enter_threads(self, run: RunSteps, step: StepThreads) -> None:
        summary = STEP_PROGRAM_RUNS if step.threads.is_ending_program else STEP_RUNS_ON
        entered = [each for each in self._of(run.context) if each.threads is step.threads]
        for each in entered:
            self._update(run.context, replace(each.call, summary=summary))
        found = entered or [self._enter_step(run.context, step.path, step.threads, summary)]
        step.on_outlived = partial(self._end_steps, found)

    def _enter_step(
        self, context: TaskContext, path: Path, threads: CallThreads, summary: str
    ) -> ObservedCall:
        call = self._calls.new(context, path[0], path[-1], effect="write", key=f"{STEP}{path[-1]}")
        call = replace(call.started(self._clock()), is_step=True, summary=summary)
        observed = ObservedCall(context, call.call_id, threads)
        observed.released.set()
        self._enter(observed, call)
        return observed

    def _end_steps(self, steps: Sequence[ObservedCall], outcome: Outcome) -> None:
        for observed in steps:
            self.end(observed, outcome, summary=_STEP_SUMMARIES[outcome])

    def still_running(self, user_id: str) -> Sequence[StillRunningView]:
        """Return what still runs of a user's tasks that have ended."""
        return [
            {
                "task_id": each.context.task_id,
                "call_id": each.call_id,
                "kind": "step" if each.call.is_step else "tool",
                "name": each.call.tool,
            }
            for each in self._open.values()
            if each.context.user_id == user_id and each.context.task.status.terminal
        ]

    def __len__(self) -> int:
        """Return how many calls and steps still run though their task has ended."""
        return sum(each.context.task.status.terminal for each in self._open.values())

    async def recover(self, lease: Lease, left: Sequence[ToolCall]) -> None:
        """Amend the receipts of ended tasks of which something still ran when an earlier process ended.

        What ran of an unfinished task gets its outcome when that is recovered. Raises `StoreUnavailable`.
        """
        for call in left:
            if not call.unsettled:
                summary = STEP_PROCESS_ENDED if call.is_step else PROCESS_ENDED
                ended = call.ended("unknown", self._clock(), summary=summary)
                await self._amending.amend_if_ended(lease, ended)

    async def ended(self, context: TaskContext) -> None:
        """Wait until no call of a task is under way. Cancelling the wait changes nothing."""
        for each in self._of(context):
            await each.released.wait()

    async def wait_for_earlier_tasks(self, context: TaskContext) -> None:
        """Wait until the user's earlier tasks have released their calls, so that each has its outcome.

        Waits `RELEASE_WITHIN_S` at most: a tool may ignore that it was cancelled.
        """
        earlier = [
            each
            for each in self._open.values()
            if each.context.user_id == context.user_id and each.context is not context
        ]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(RELEASE_WITHIN_S):
                for each in earlier:
                    await each.released.wait()

    def is_open(self, call_id: str) -> bool:
        """Return whether a call is under way."""
        return call_id in self._open

    def forget(self, user_id: str) -> None:
        """Drop the outcomes of the calls of a deleted user."""
        for observed in [*self._open.values()]:
            if observed.context.user_id == user_id:
                del self._open[observed.call_id]
                observed.released.set()
        for run in [*self._steps.values()]:
            if run.context.user_id == user_id:
                del self._steps[run.context.task_id]
        for run in self._accounted:
            if run.context.user_id == user_id:
                for step in run:
                    step.on_resumed = None

    def _of(self, context: TaskContext) -> list[ObservedCall]:
        return [each for each in self._open.values() if each.context is context]


def _task_of_now() -> "asyncio.Task[Any] | None":
    try:
        return asyncio.current_task()
    except RuntimeError:  # no event loop runs in this thread
        return None
