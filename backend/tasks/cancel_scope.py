"""Cancels a piece of work, and asks again what runs on beneath it.

A library or a node may lose a cancellation: `asyncio.wait_for` on Python 3.11 swallows one that arrives while
its inner future is done, an `except` around an `await` catches one, a time-out fires in the same step. So the
work is cancelled once, and an asyncio task beneath it that was asked to end and still runs is asked again.

A second cancellation ends a parent while its child still runs (LangGraph's run, a `gather`), so it goes only
to a task without a running child. It would also cut off clean-up, so a task that unwinds gets time: the
garbage collector shows the `CancelledError` that such a task holds.
"""

import asyncio
import gc
from collections.abc import Callable, Coroutine, Iterator
from contextvars import Context, ContextVar, copy_context
from typing import Any, Generic, TypeVar

T = TypeVar("T")

REPEAT_CANCEL_S = 0.02
"""Seconds until a cancellation is repeated; each further wait is twice as long."""

MOST_ASKED = 12
"""Repetitions of a cancellation: the last comes 82 s after the first request."""

UNWINDS_S = 5.0
"""Seconds that a task may spend cleaning up before its cancellation is repeated."""

SCOPE: ContextVar["CancelScope | None"] = ContextVar("cancel_scope", default=None)
"""The scope of the code that runs now; asyncio tasks that it starts belong to it."""

_DEEPEST = 200
"""Nested awaits that are looked through for a `CancelledError`."""


class RunTask(asyncio.Task[T], Generic[T]):
    """An asyncio task of a run. `asked` if it was asked to end with its scope.

    `run_context` is its context: Python has that from 3.12 on, and the watch of the event loop reads it.
    """

    __slots__ = ("asked", "parent", "run_context", "scope")

    def __init__(
        self, work: Coroutine[Any, Any, T], *, scope: "CancelScope | None", context: Context, **options: Any
    ) -> None:
        super().__init__(work, context=context, **options)
        self.run_context = context
        self.scope = scope
        self.asked = False
        # None from a callback or another thread: the scope's own task waits for it, as far as is known.
        self.parent = asyncio.current_task() or (scope.root if scope is not None else None)

    def cancel(self, msg: Any | None = None) -> bool:
        """Ask the task to end, as `asyncio.Task.cancel`."""
        # A time-out of the task's own comes from a timer, which is no task.
        if not self.asked and self.scope is not None and self.scope.asks_now:
            self.asked = True
            self.scope.hold(self)
        return super().cancel(msg)


class CancelScope:
    """The asyncio tasks of one piece of work: its `root`, and all that start within it.

    `on_over` is called when the root is done and no task that was asked to end still runs; again if a task
    ends later.
    """

    def __init__(self, on_over: Callable[[], None] | None = None) -> None:
        self.root: asyncio.Task[Any] | None = None
        self.is_cancelled = False
        self._on_over = on_over
        # Not a set, whose order is another one in each run: seeded tests repeat theirs.
        self._asked: dict[asyncio.Task[Any], None] = {}
        self._asking = False
        self._asked_times = 0
        self._timer: asyncio.TimerHandle | None = None
        self._cancelled_at = 0.0

    def spawn(self, work: Coroutine[Any, Any, T], *, name: str) -> asyncio.Task[T]:
        """Start the root."""
        context = copy_context()
        context.run(SCOPE.set, self)
        loop = asyncio.get_running_loop()
        self.root = root = RunTask(work, scope=self, loop=loop, name=name, context=context)
        root.add_done_callback(self._ended)
        return root

    @property
    def asks_now(self) -> bool:
        """Whether a cancellation that is made now comes from that of the scope."""
        if not self.is_cancelled:
            return False
        now = asyncio.current_task()
        return self._asking or (isinstance(now, RunTask) and now.scope is self)

    @property
    def runs_on(self) -> bool:
        """Whether the root, or a task that was asked to end with it, still runs."""
        return bool(self._asked) or (self.root is not None and not self.root.done())

    def cancel(self) -> None:
        """Cancel the root, once; ask again what then still runs. Never waits."""
        if self.is_cancelled or self.root is None:
            return
        self.is_cancelled = True
        self._cancelled_at = asyncio.get_running_loop().time()
        self._ask((self.root,))

    def hold(self, task: "asyncio.Task[Any]") -> None:
        """Ask a task again until it is done."""
        if not task.done():
            self._asked[task] = None
            task.add_done_callback(self._ended)

    def _ask(self, tasks: "tuple[asyncio.Task[Any], ...]") -> None:
        self._asking = True
        try:
            for task in tasks:
                task.cancel()
        finally:
            self._asking = False
        if self._asked_times < MOST_ASKED:
            pause = REPEAT_CANCEL_S * 2**self._asked_times
            self._asked_times += 1
            self._timer = asyncio.get_running_loop().call_later(pause, self._ask_again)

    def _ask_again(self) -> None:
        waits = {parent for task in self._asked for parent in _parents(task)}
        may_unwind = asyncio.get_running_loop().time() - self._cancelled_at < UNWINDS_S
        running = [task for task in self._asked if task not in waits]
        self._ask(tuple(task for task in running if not (may_unwind and _unwinds(task))))

    def _ended(self, task: "asyncio.Task[Any]") -> None:
        self._asked.pop(task, None)
        if self.runs_on:
            return
        if self._timer is not None:
            self._timer.cancel()
        if self._on_over is not None:
            self._on_over()


def _parents(task: asyncio.Task[Any]) -> Iterator[asyncio.Task[Any]]:
    while isinstance(task, RunTask) and task.parent is not None:
        task = task.parent  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        yield task


def _unwinds(task: asyncio.Task[Any]) -> bool:
    """Return whether a task waits within a handler of its cancellation: `finally`, `except`, `__aexit__`."""
    return any(
        isinstance(held, asyncio.CancelledError)
        for awaited in _awaited_by(task)
        for held in gc.get_referents(awaited)
    )


def _awaited_by(task: asyncio.Task[Any]) -> Iterator[Any]:
    """Yield the coroutines and generators that a task is suspended in, outermost first."""
    at: Any = task.get_coro()
    for _ in range(_DEEPEST):
        if at is None:
            return
        yield at
        inner = next(filter(None, (getattr(at, name, None) for name in _AWAITS)), None)
        # What an async generator's `__anext__` returns does not name its generator.
        if inner is None and type(at).__name__.startswith("async_generator_"):
            inner = next((each for each in gc.get_referents(at) if hasattr(each, "ag_frame")), None)
        at = inner


_AWAITS = ("cr_await", "gi_yieldfrom", "ag_await")
