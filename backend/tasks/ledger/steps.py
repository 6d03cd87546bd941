"""Accounts for the steps of a graph that a thread still runs when their task has ended.

A plain `def` node or edge runs in a thread, and so does what an async one hands to `asyncio.to_thread`. An
interruption ends the code that awaits such a thread, and nothing can end the thread. So it is counted from
its beginning to its end; an entry of the ledger is made only if it outlives its task.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import structlog

from ...domain.tool_call import Outcome
from ..task_context import TaskContext
from ..user_threads import CallThreads, is_gone

OnOutlived = Callable[[Outcome], None]
"""Called on the event loop with what the threads of a step came to that have outlived their task."""

TOLD_AFTER_S = 0.5
"""Seconds for which a step runs on after its tool until that is told: most steps end at once then."""

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
        """Count a thread less; if it was the last and has outlived its task, note what the step came to."""
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
        self._loop.call_later(TOLD_AFTER_S, self._tell_resumed)

    def _tell_resumed(self) -> None:
        # Before the end of the task `on_resumed` is None: the ending counts the thread itself.
        if self.on_resumed is not None and self.on_outlived is None and self.threads.is_working:
            self.on_resumed()

    def _ended(self, outcome: Outcome) -> None:
        # None if the thread ended between the end of its run and that of its task: nothing was entered.
        on_outlived, self.on_outlived = self.on_outlived, None
        if on_outlived is not None:
            on_outlived(outcome)
