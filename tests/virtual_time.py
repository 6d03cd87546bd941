"""Event loops that make concurrency repeatable: time that takes none, and an order that a seed decides.

`VirtualTimeLoop` never waits. When nothing is ready it jumps to the next timer, so a node that sleeps for
600 s takes microseconds; when there is no timer either, nothing can ever happen again, and that is raised
as `Deadlock` with what each task was waiting for. Code that uses threads or another process needs the
real loop: here the wait for them looks like a deadlock.

`SeededLoop` also draws the order of the tasks that are ready from `Random(seed)`. asyncio promises
an order for `call_soon`, and transports and queues rely on it, so plain callbacks keep theirs; for the
steps of distinct tasks it promises nothing, so any order found here may be met for real.

`run_seeded` runs a coroutine function under one seed. `sweep_steps` runs a story once to count its
steps, then once more for every step, interrupted there: every point at which a message can arrive.
"""

import asyncio
import selectors
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, Protocol, TypeVar

from backend.domain.encoding import Clock
from backend.tasks.contained import contain_exits

T = TypeVar("T")

START_OF_VIRTUAL_TIME = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


class Deadlock(AssertionError):
    """Nothing is ready and no timer is set, so no task will ever go on."""


class TasksLeft(AssertionError):
    """The scenario has ended, but asyncio tasks that it started have not."""


class CallbackFailed(AssertionError):
    """A callback or an unawaited task raised; the loop would only have logged it."""


class _JumpingSelector(selectors.DefaultSelector):
    """Never blocks: reports what is ready now, else hands the wait to `jump`."""

    jump: Callable[[float | None], None]

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready and timeout != 0:
            self.jump(timeout)
        return ready


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """A loop whose `time()` starts at 0.0 and moves only when everything waits, to the next timer."""

    def __init__(self) -> None:
        selector = _JumpingSelector()
        selector.jump = self._jump
        self._now_s = 0.0
        super().__init__(selector)
        contain_exits(self)  # as the server's loop

    def time(self) -> float:
        return self._now_s

    def _jump(self, seconds: float | None) -> None:
        if seconds is None:
            waiting = sorted(_where(task) for task in asyncio.all_tasks(self))
            raise Deadlock("nothing is ready and no timer is set; waiting:\n" + "\n".join(waiting))
        self._now_s += seconds


class SeededLoop(VirtualTimeLoop):
    """Virtual time, with the tasks that are ready at the same moment stepped in an order the seed decides."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.seed = seed
        self._random = Random(seed)

    def _run_once(self) -> None:
        shuffled = list(self._ready)
        self._random.shuffle(shuffled)
        callbacks = deque(handle for handle in self._ready if not _steps_a_task(handle))
        self._ready.clear()
        self._ready.extend(handle if _steps_a_task(handle) else callbacks.popleft() for handle in shuffled)
        super()._run_once()


class Story(Protocol):
    """A scenario that may be interrupted at any point."""

    async def run(self) -> None:
        """Play the scenario to its end, whether it is interrupted or not."""
        ...

    async def check(self) -> None:
        """Assert what must hold once the scenario and the interruption have both ended."""
        ...


S = TypeVar("S", bound=Story)


def run_seeded(make: Callable[[], Coroutine[Any, Any, T]], seed: int) -> T:
    """Run `make()` to its end under `SeededLoop(seed)` and return what it returns.

    Raises what it raises, with the seed in a note; `Deadlock`; `TasksLeft` if tasks outlive it;
    `CallbackFailed` if one of the loop's callbacks raised.
    """
    try:
        return _run(SeededLoop(seed), make())
    except Exception as error:
        error.add_note(f"under seed {seed}")
        raise


def sweep_steps(
    make: Callable[[], S],
    interrupt: Callable[[S], Coroutine[Any, Any, object]],
    *,
    seed: int | None = None,
) -> int:
    """Play a fresh story undisturbed, then a fresh one for each of its steps, interrupted before that step.

    A step is one callback of the loop, the finest point at which anything else can happen.
    `interrupt(story)` becomes a task whose first step runs at exactly that point. With a `seed`, the order
    of ready tasks is drawn from it. Returns the number of steps. Raises what a story or an interruption
    raises, with the step in a note; and `Deadlock`, `TasksLeft` and `CallbackFailed` as `run_seeded` does.
    """
    steps = _play(make(), interrupt, before_step=None, seed=seed)
    for step in range(steps):
        try:
            _play(make(), interrupt, before_step=step, seed=seed)
        except Exception as error:
            error.add_note(f"interrupted before step {step} of {steps}")
            raise
    return steps


class _StepQueue(deque[asyncio.Handle]):
    """A loop's ready queue that counts its steps and lets something break in before one of them."""

    def __init__(self) -> None:
        super().__init__()
        self.taken = 0
        self.break_in_before: int | None = None
        self.break_in: Callable[[], object] = lambda: None

    def popleft(self) -> asyncio.Handle:
        if self.taken == self.break_in_before:
            self.break_in_before = None
            self.break_in()
            self.appendleft(self.pop())
        self.taken += 1
        return super().popleft()


def _play(
    story: S,
    interrupt: Callable[[S], Coroutine[Any, Any, object]],
    *,
    before_step: int | None,
    seed: int | None,
) -> int:
    """Play one story, interrupted before the given step if there is one; return the steps it took."""
    loop = VirtualTimeLoop() if seed is None else SeededLoop(seed)
    queue = loop._ready = _StepQueue()
    interruptions: list[asyncio.Task[object]] = []

    async def whole() -> int:
        queue.break_in = lambda: interruptions.append(loop.create_task(interrupt(story)))
        queue.break_in_before = before_step
        queue.taken = 0
        await story.run()
        steps = queue.taken
        if before_step is not None and not interruptions:
            raise AssertionError("the story took another course this time: it is not deterministic")
        for interruption in interruptions:
            await interruption
        await story.check()
        return steps

    return _run(loop, whole())


def _run(loop: VirtualTimeLoop, scenario: Coroutine[Any, Any, T]) -> T:
    """Run a scenario on the loop and close it; nothing may be left running or have failed unseen."""
    failures: list[dict[str, Any]] = []

    async def whole() -> T:
        result = await scenario
        left = asyncio.all_tasks() - {asyncio.current_task()}
        if left:
            raise TasksLeft("still running:\n" + "\n".join(sorted(map(_where, left))))
        return result

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.get_loop().set_exception_handler(lambda _loop, context: failures.append(context))
        result = runner.run(whole())
    if failures:
        raise CallbackFailed(str(failures[0]["message"])) from failures[0].get("exception")
    return result


def _steps_a_task(handle: asyncio.Handle) -> bool:
    return isinstance(getattr(handle._callback, "__self__", None), asyncio.Task)


def _where(task: asyncio.Task[Any]) -> str:
    """Say where a task is suspended, as deep as its coroutines go."""
    coroutine: Any = task.get_coro()
    while hasattr(getattr(coroutine, "cr_await", None), "cr_frame"):
        coroutine = coroutine.cr_await
    frame = getattr(coroutine, "cr_frame", None)
    place = f"{frame.f_code.co_qualname}, line {frame.f_lineno}" if frame else "ended"
    return f"  {task.get_name()}: {place}"


def virtual_clock(*, start: datetime = START_OF_VIRTUAL_TIME) -> Clock:
    """Return a clock that reads the running loop's time: on virtual time, `start` plus what was slept.

    In a thread without a loop it reads that of the loop that it was read on last.
    """
    last: list[asyncio.AbstractEventLoop] = []

    def now() -> datetime:
        with suppress(RuntimeError):
            last[:] = [asyncio.get_running_loop()]
        return start + timedelta(seconds=last[0].time())

    return now
