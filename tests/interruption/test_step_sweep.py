"""Whatever comes, at whichever step of a task's life: the promises hold. Every step is tried."""

import asyncio
from collections.abc import Callable

import pytest

from backend.domain.task import TaskStatus
from tests.interruption.parts import Parts
from tests.interruption.world import World
from tests.virtual_time import sweep_steps

LAST = "say wait find"


class Life:
    """One task from its message to its end, and whatever interrupts it."""

    def __init__(self, message: str, *, parts_type: type[Parts] = Parts) -> None:
        self.world = World(parts_type)
        self._message = message
        self._ready = asyncio.Event()

    async def run(self) -> None:
        await self.world.start()
        self._ready.set()
        self.world.post("ann", self._message)
        await self.world.quiet()

    async def ready(self) -> World:
        await self._ready.wait()
        return self.world

    async def check(self) -> None:
        await self.world.finish()


async def supersede(life: Life) -> None:
    (await life.ready()).post("ann", LAST)


async def supersede_twice(life: Life) -> None:
    world = await life.ready()
    world.post("ann", "find slow")
    world.post("ann", LAST)


async def enqueue(life: Life) -> None:
    (await life.ready()).post("ann", LAST, policy="enqueue")


async def stop(life: Life) -> None:
    (await life.ready()).stop("ann")


async def say_stop(life: Life) -> None:
    (await life.ready()).post("ann", "stop")


async def delete(life: Life) -> None:
    (await life.ready()).delete("ann")


async def kill(life: Life) -> None:
    await (await life.ready()).kill()


async def shut_down(life: Life) -> None:
    await (await life.ready()).shut_down()


MESSAGES = ["find say search", "find late", "hello wait say", "find raises"]
INTERRUPTIONS: list[Callable[..., object]] = [
    supersede, supersede_twice, enqueue, stop, say_stop, delete, kill, shut_down,
]  # fmt: skip


@pytest.mark.requirement("ALL-HOLDS-IN-ANY-ORDER", "TERMINAL-IS-FINAL")
@pytest.mark.parametrize("interruption", INTERRUPTIONS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("message", MESSAGES)
def test_all_holds_whatever_comes_at_whichever_step(message, interruption):
    assert sweep_steps(lambda: Life(message), interruption) > 20


@pytest.mark.requirement("NEWEST-MESSAGE-WINS")
@pytest.mark.parametrize("interruption", [supersede, supersede_twice, enqueue])
def test_the_last_message_is_answered_at_whichever_step_it_comes(interruption):
    class Answered(Life):
        async def check(self) -> None:
            await super().check()
            last = max(self.world.accepted, key=lambda each: each.seq)
            task = await self.world.store.get_task_metadata(last.user_id, last.task_id)
            assert task.status is TaskStatus.COMPLETED

    assert sweep_steps(lambda: Answered("find slow"), interruption, seed=1) > 20
