"""What an owner of asyncio tasks promises: it holds them, lets them end, and nothing fails in silence."""

import asyncio
import gc
import weakref
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from structlog.testing import capture_logs

from backend.domain.errors import NotFound
from backend.tasks.task_owner import TaskOwner
from tests.fakes import Gate
from tests.virtual_time import sweep_steps

pytestmark = pytest.mark.virtual_time


async def fail(after_steps: int = 0) -> None:
    for _ in range(after_steps):
        await asyncio.sleep(0)
    raise ValueError("broken")


async def step(count: int = 5) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


# --- holding -------------------------------------------------------------------------------------------


async def tasks_that_only_their_owner_holds(owner: TaskOwner) -> list[weakref.ref[asyncio.Future[None]]]:
    """Start tasks, each waiting for a future that only it holds, and return weak references to those."""
    waited_for: list[weakref.ref[asyncio.Future[None]]] = []

    async def wait() -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waited_for.append(weakref.ref(future))
        await future

    for _ in range(20):
        owner.spawn_detached(wait(), name="forgotten")
    await asyncio.sleep(0)
    gc.collect()
    return waited_for


async def test_owned_task_is_not_garbage_collected() -> None:
    owner = TaskOwner()
    futures = [future() for future in await tasks_that_only_their_owner_holds(owner)]
    for future in futures:
        assert future is not None
        future.set_result(None)
    await owner.finish(grace_s=1)
    assert len(futures) == 20


async def test_forgotten_task_is_garbage_collected() -> None:
    """The planted bug: it shows that the test above would fail."""

    class Forgetful(TaskOwner):
        def spawn(self, work: Coroutine[Any, Any, Any], *, name: str) -> asyncio.Task[Any]:
            task = super().spawn(work, name=name)
            self._tasks.clear()
            return task

    assert [future() for future in await tasks_that_only_their_owner_holds(Forgetful())] == [None] * 20


async def test_owner_holds_tasks_until_they_are_done() -> None:
    owner, gate = TaskOwner(), Gate()
    task = owner.spawn(gate.wait(), name="waits")
    assert (len(owner), task.get_name()) == (1, "waits")
    gate.open()
    await task
    await asyncio.sleep(0)
    assert len(owner) == 0


async def test_spawned_task_outcome_is_read_by_its_caller_and_not_logged() -> None:
    owner = TaskOwner()
    with capture_logs() as logs:
        with pytest.raises(ValueError, match="broken"):
            await owner.spawn(fail(), name="fails")
        assert await owner.spawn(asyncio.sleep(1, "result"), name="works") == "result"
    assert logs == []


# --- nothing fails in silence --------------------------------------------------------------------------


async def test_error_of_a_detached_task_is_logged_with_its_name() -> None:
    owner = TaskOwner()
    with capture_logs() as logs:
        owner.spawn_detached(fail(), name="fails")
        owner.spawn_detached(step(), name="works")
        await step(10)
    assert [(log["event"], log["task"], str(log["exc_info"])) for log in logs] == [
        ("a background task failed", "fails", "broken")
    ]
    assert len(owner) == 0


async def test_refusal_of_a_caller_that_did_not_wait_is_not_logged_as_a_failure() -> None:
    owner, gate = TaskOwner(), Gate()

    async def refuse() -> None:
        await gate.wait()
        raise NotFound("There is no such question.")

    with capture_logs() as logs:
        caller = asyncio.ensure_future(owner.run_to_end(refuse(), name="answer"))  # noqa: TID251
        await asyncio.sleep(0)
        caller.cancel()
        gate.open()
        await owner.finish(grace_s=1)
    assert logs == []


async def test_cancelled_detached_task_is_not_logged() -> None:
    owner = TaskOwner()
    with capture_logs() as logs:
        owner.spawn_detached(asyncio.sleep(1000), name="cancelled")
        await owner.finish(grace_s=1)
    assert logs == []


# --- running to the end --------------------------------------------------------------------------------


async def test_run_to_end_returns_or_raises_the_outcome() -> None:
    owner = TaskOwner()
    with capture_logs() as logs:
        assert await owner.run_to_end(asyncio.sleep(1, "result"), name="works") == "result"
        with pytest.raises(ValueError, match="broken"):
            await owner.run_to_end(fail(3), name="fails")
        await step()
    assert logs == []


async def test_run_to_end_goes_on_when_its_caller_is_cancelled() -> None:
    owner, gate = TaskOwner(), Gate()
    caller = owner.spawn(owner.run_to_end(gate.wait(), name="work"), name="caller")
    await gate.arrived()
    caller.cancel()
    await asyncio.wait([caller])
    assert caller.cancelled()
    assert gate.passed == 0
    gate.open()
    await owner.finish(grace_s=1)
    assert gate.passed == 1


async def test_run_to_end_raises_the_cancellation_of_its_work() -> None:
    owner, gate = TaskOwner(), Gate()
    caller = owner.spawn(owner.run_to_end(gate.wait(), name="work"), name="caller")
    await gate.arrived()
    (work,) = (task for task in asyncio.all_tasks() if task.get_name() == "work")
    work.cancel()
    await asyncio.wait([caller])
    assert caller.cancelled()


class CallerCancelledAnywhere:
    """Work takes a few steps and ends as told; the sweep cancels whoever waits for it before any of them."""

    def __init__(self, work: Callable[[], Coroutine[Any, Any, object]]) -> None:
        self.work = work
        self.owner = TaskOwner()
        self.began = False
        self.ended = False
        self.caller: asyncio.Task[object] | None = None

    async def run(self) -> None:
        with capture_logs() as self.logs:
            self.caller = self.owner.spawn(self.owner.run_to_end(self.whole(), name="work"), name="caller")
            await asyncio.wait([self.caller])
            await step(20)

    async def whole(self) -> object:
        self.began = True
        try:
            return await self.work()
        finally:
            self.ended = True

    async def cancel(self) -> None:
        if self.caller is not None:
            self.caller.cancel()

    async def check(self) -> None:
        assert self.caller is not None
        assert self.ended == self.began
        assert len(self.owner) == 0
        told = not self.caller.cancelled() and self.caller.exception() is not None
        logged = [log["event"] for log in self.logs] == ["a background task failed"]
        assert told + logged == (1 if self.began and self.work is not step else 0)


@pytest.mark.filterwarnings("ignore:coroutine .*whole.* was never awaited", "ignore:coroutine .*run_to_end")
@pytest.mark.parametrize("work", [step, fail, lambda: fail(2)])
def test_run_to_end_reports_an_error_once_at_any_step_of_a_cancellation(
    work: Callable[[], Coroutine[Any, Any, object]],
) -> None:
    """A cancel in the very step in which the work failed is where `asyncio.shield` swallows the error."""
    assert sweep_steps(lambda: CallerCancelledAnywhere(work), CallerCancelledAnywhere.cancel) > 20


# --- finishing -----------------------------------------------------------------------------------------


async def test_finish_waits_for_tasks_and_their_children() -> None:
    owner, ended = TaskOwner(), []

    async def work(generations: int) -> None:
        await asyncio.sleep(1)
        if generations:
            owner.spawn_detached(work(generations - 1), name="child")
        await asyncio.sleep(1)
        ended.append(generations)

    owner.spawn_detached(work(3), name="parent")
    await owner.finish(grace_s=60)
    assert ended == [3, 2, 1, 0]
    assert asyncio.get_running_loop().time() == 5


async def test_finish_cancels_what_is_left_after_the_grace() -> None:
    owner = TaskOwner()
    endless = owner.spawn(asyncio.sleep(10_000), name="endless")
    await owner.finish(grace_s=30)
    assert endless.cancelled()
    assert asyncio.get_running_loop().time() == 30


async def test_finish_is_bounded_with_a_stubborn_task() -> None:
    owner = TaskOwner()

    async def stubborn() -> None:
        try:
            await asyncio.sleep(10_000)
        finally:
            await asyncio.sleep(100)

    task = owner.spawn(stubborn(), name="stubborn")
    await owner.finish(grace_s=30)
    assert asyncio.get_running_loop().time() == 60
    await asyncio.wait([task])


async def test_finish_without_tasks_returns_at_once() -> None:
    await TaskOwner().finish(grace_s=30)
    assert asyncio.get_running_loop().time() == 0


async def test_refusal_that_ends_detached_work_is_logged() -> None:
    async def refuse() -> None:
        raise NotFound("There is no such user.")

    owner = TaskOwner()
    with capture_logs() as logs:
        owner.spawn_detached(refuse(), name="sweeper")
        await owner.finish(grace_s=1)
    assert [log["task"] for log in logs] == ["sweeper"]
