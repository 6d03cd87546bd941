"""Whatever comes at whichever step of a booking, or of a search that is taken over: the accounts are true.

Every step is tried, from the message to the end. What must hold is in `accounts`, and in `office` what may
never reach whoever books. `test_planted_call_bugs` shows what these sweeps catch.
"""

import asyncio

import pytest

from tests.interruption.disk import Health
from tests.interruption.world import (
    TIMES,
    Coming,
    Story,
    World,
    answer,
    delete,
    kill,
    shut_down,
    stop,
    sweep,
)


class Booking(Story):
    """A booking that its user allows as soon as it is asked for."""

    message = "book find"

    async def goes_on(self) -> None:
        await asyncio.sleep(0.05)
        self.world.answer("ann", "word")


class Adoption(Story):
    """A search, and a message in its middle that makes the same one."""

    async def run(self) -> None:
        await self.world.start()
        self._ready.set()
        self.world.post("ann", "lookup say")
        await asyncio.sleep(1.5)
        self.world.post("ann", self.message)
        await self.world.quiet()


async def supersede(world: World) -> None:
    world.post("ann", "lookup book")


async def deny(world: World) -> None:
    world.answer("ann", "other")


async def refuse_by_a_message(world: World) -> None:
    world.post("ann", "refuse")


async def allow_and_supersede(world: World) -> None:
    world.answer("ann", "word")
    world.post("ann", "booktoo")


async def allow_and_stop(world: World) -> None:
    world.answer("ann", "word")
    world.stop("ann")


async def break_the_disk(world: World) -> None:
    world.store.health = Health.BREAKS
    await asyncio.sleep(0.03)
    world.store.health = Health.WELL


COMING: list[Coming] = [
    supersede, stop, answer, deny, refuse_by_a_message, allow_and_supersede, allow_and_stop, delete, kill,
    shut_down, break_the_disk,
]  # fmt: skip


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
@pytest.mark.requirement("BEGUN-IS-FINISHED")
@pytest.mark.requirement("WRITES-ARE-NEVER-SENT-AGAIN")
@pytest.mark.parametrize("coming", COMING, ids=lambda each: each.__name__)
def test_booking_is_done_once_and_reported_truly_whatever_comes_at_any_step(coming):
    assert sweep(Booking, coming) > 20


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
def test_badly_answered_booking_is_reported_truly_whatever_comes_at_any_step(message, coming):
    assert sweep(lambda: Booking(message), coming) > 20


@pytest.mark.requirement("ADOPTION-IS-EXACT")
@pytest.mark.requirement("SEARCHES-GO-ON")
@pytest.mark.parametrize("coming", [supersede, stop, kill, shut_down], ids=lambda each: each.__name__)
@pytest.mark.parametrize("message", ["find lookup", "unsure lookup"])
def test_search_is_adopted_whole_or_not_at_all_whatever_comes_at_any_step(message, coming):
    assert sweep(lambda: Adoption(message), coming) > 20


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
def test_permission_given_at_the_instant_of_its_expiry_does_nothing():
    class JustInTime(Booking):
        async def run(self) -> None:
            await self.world.start()
            self.world.post("ann", "book")
            await asyncio.sleep(TIMES["allow_within_s"] + 0.005)
            self._ready.set()
            self.world.answer("ann", "word")
            await asyncio.sleep(0.1)
            await self.world.quiet()

    async def look(world: World) -> None:
        world.sweep()

    assert sweep(JustInTime, look) > 20
