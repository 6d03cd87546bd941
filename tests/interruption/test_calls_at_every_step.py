"""Whatever comes at whichever step of a booking, or of a search that is taken over: the accounts are true.

Every step is tried, from the message to the end. What must hold is in `accounts`, and in `office` what may
never reach whoever books. `test_planted_call_bugs` shows what these sweeps catch.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.interruption.disk import Health
from tests.interruption.parts import Parts
from tests.interruption.world import TIMES, World
from tests.virtual_time import sweep_steps


class Booking:
    """A booking that its user allows as soon as it is asked for."""

    def __init__(self, message: str = "book find", *, parts_type: type[Parts] = Parts) -> None:
        self.world = World(parts_type)
        self._message = message
        self._ready = asyncio.Event()

    async def run(self) -> None:
        await self.world.start()
        self._ready.set()
        self.world.post("ann", self._message)
        await asyncio.sleep(0.05)
        self.world.answer("ann", "word")
        await self.world.quiet()

    async def ready(self) -> World:
        await self._ready.wait()
        return self.world

    async def check(self) -> None:
        await self.world.finish()


class Adoption(Booking):
    """A search, and a message in its middle that makes the same one."""

    def __init__(self, message: str = "find lookup", *, parts_type: type[Parts] = Parts) -> None:
        super().__init__(message, parts_type=parts_type)

    async def run(self) -> None:
        await self.world.start()
        self._ready.set()
        self.world.post("ann", "lookup say")
        await asyncio.sleep(1.5)
        self.world.post("ann", self._message)
        await self.world.quiet()


async def supersede(story: Booking) -> None:
    (await story.ready()).post("ann", "lookup book")


async def stop(story: Booking) -> None:
    (await story.ready()).stop("ann")


async def allow_too(story: Booking) -> None:
    (await story.ready()).answer("ann", "word")


async def deny(story: Booking) -> None:
    (await story.ready()).answer("ann", "other")


async def refuse_by_a_message(story: Booking) -> None:
    (await story.ready()).post("ann", "refuse")


async def allow_and_supersede(story: Booking) -> None:
    world = await story.ready()
    world.answer("ann", "word")
    world.post("ann", "booktoo")


async def allow_and_stop(story: Booking) -> None:
    world = await story.ready()
    world.answer("ann", "word")
    world.stop("ann")


async def delete(story: Booking) -> None:
    (await story.ready()).delete("ann")


async def kill(story: Booking) -> None:
    await (await story.ready()).kill()


async def shut_down(story: Booking) -> None:
    await (await story.ready()).shut_down()


async def break_the_disk(story: Booking) -> None:
    world = await story.ready()
    world.store.health = Health.BREAKS
    await asyncio.sleep(0.03)
    world.store.health = Health.WELL


COMING: list[Callable[[Any], Any]] = [
    supersede, stop, allow_too, deny, refuse_by_a_message, allow_and_supersede, allow_and_stop, delete, kill,
    shut_down, break_the_disk,
]  # fmt: skip


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
@pytest.mark.requirement("BEGUN-IS-FINISHED")
@pytest.mark.requirement("WRITES-ARE-NEVER-SENT-AGAIN")
@pytest.mark.parametrize("coming", COMING, ids=lambda each: each.__name__)
def test_a_booking_is_done_once_and_told_truly_whatever_comes_at_whichever_step(coming):
    assert sweep_steps(Booking, coming) > 20


@pytest.mark.requirement("RECEIPTS-ARE-AMENDED")
@pytest.mark.parametrize(
    ("message", "coming"),
    [
        ("booklate", supersede),
        ("booklate", kill),
        ("booklost", shut_down),
        ("bookdear", supersede),
        ("bookdear", kill),
        ("bookodd", kill),
        ("bookbroken", shut_down),
    ],
)
def test_so_is_one_that_is_not_answered_well(message, coming):
    assert sweep_steps(lambda: Booking(message), coming) > 20


@pytest.mark.requirement("ADOPTION-IS-EXACT")
@pytest.mark.requirement("SEARCHES-GO-ON")
@pytest.mark.parametrize("coming", [supersede, stop, kill, shut_down], ids=lambda each: each.__name__)
@pytest.mark.parametrize("message", ["find lookup", "unsure lookup"])
def test_a_search_is_taken_over_whole_or_not_at_all_whatever_comes_at_whichever_step(message, coming):
    assert sweep_steps(lambda: Adoption(message), coming) > 20


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
def test_nothing_is_done_that_is_allowed_at_the_instant_at_which_the_time_to_do_so_ends():
    class JustInTime(Booking):
        async def run(self) -> None:
            await self.world.start()
            self.world.post("ann", "book")
            await asyncio.sleep(TIMES["allow_within_s"] + 0.005)
            self._ready.set()
            self.world.answer("ann", "word")
            await asyncio.sleep(0.1)
            await self.world.quiet()

    async def sweep(story: Booking) -> None:
        (await story.ready()).sweep()

    assert sweep_steps(JustInTime, sweep) > 20
