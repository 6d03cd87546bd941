"""The step sweep finds the one step at which an interruption does harm, and accepts no false comfort."""

import asyncio

import pytest

from tests.virtual_time import Deadlock, sweep_steps


class Purse:
    """Counts one coin twice as it moves: a planted bug that shows only at the step between the two."""

    def __init__(self, *, moves_at_once: bool) -> None:
        self.moves_at_once = moves_at_once
        self.left, self.right = 1, 0
        self.work: asyncio.Task[None] | None = None

    async def run(self) -> None:
        self.work = asyncio.get_running_loop().create_task(self._move())
        await asyncio.wait([self.work])

    async def check(self) -> None:
        assert self.left + self.right == 1

    async def _move(self) -> None:
        await asyncio.sleep(1)
        self.right += 1
        if not self.moves_at_once:
            await asyncio.sleep(0)
        self.left -= 1
        await asyncio.sleep(1)


async def cancel(purse: Purse) -> None:
    if purse.work:
        purse.work.cancel()


@pytest.mark.parametrize("seed", [None, 1, 2, 3])
def test_sweep_finds_the_one_harmful_step(seed: int | None) -> None:
    with pytest.raises(AssertionError) as caught:
        sweep_steps(lambda: Purse(moves_at_once=False), cancel, seed=seed)
    assert "interrupted before step" in caught.value.__notes__[0]


@pytest.mark.parametrize("seed", [None, 1, 2, 3])
def test_sweep_passes_without_a_harmful_step(seed: int | None) -> None:
    assert sweep_steps(lambda: Purse(moves_at_once=True), cancel, seed=seed) > 5


def test_sweep_interrupts_once_before_every_step() -> None:
    interrupted_at: list[float] = []

    class Steps:
        async def run(self) -> None:
            for _ in range(3):
                await asyncio.sleep(1)

        async def check(self) -> None:
            assert asyncio.get_running_loop().time() == 3

    async def interrupt(story: Steps) -> None:
        interrupted_at.append(asyncio.get_running_loop().time())

    steps = sweep_steps(Steps, interrupt)
    assert len(interrupted_at) == steps
    assert interrupted_at == sorted(interrupted_at)
    assert set(interrupted_at) == {1.0, 2.0, 3.0}


def test_sweep_interrupts_between_simultaneously_ready_tasks() -> None:
    orders: list[list[str]] = []

    class ThreeAtOnce:
        async def run(self) -> None:
            self.order: list[str] = []
            orders.append(self.order)
            async with asyncio.TaskGroup() as group:
                for name in ("first", "second", "third"):
                    group.create_task(self.visit(name))

        async def visit(self, name: str) -> None:
            self.order.append(name)

        async def check(self) -> None:
            pass

    async def interrupt(story: ThreeAtOnce) -> None:
        story.order.append("interruption")

    sweep_steps(ThreeAtOnce, interrupt)
    assert {order.index("interruption") for order in orders[1:]} == {0, 1, 2, 3}


def test_sweep_rejects_an_interruption_that_never_happened() -> None:
    runs = []

    class EverShorter:
        async def run(self) -> None:
            runs.append(self)
            await asyncio.sleep(1 if len(runs) == 1 else 0)

        async def check(self) -> None:
            pass

    async def interrupt(story: EverShorter) -> None:
        pass

    with pytest.raises(AssertionError, match="not deterministic"):
        sweep_steps(EverShorter, interrupt)


def test_sweep_reports_an_interruption_that_never_ends() -> None:
    class Nothing:
        async def run(self) -> None:
            await asyncio.sleep(1)

        async def check(self) -> None:
            pass

    async def hang(story: Nothing) -> None:
        await asyncio.Event().wait()

    with pytest.raises(Deadlock):
        sweep_steps(Nothing, hang)
