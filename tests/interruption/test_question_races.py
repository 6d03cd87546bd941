"""Whatever comes while a task waits for its user, at whichever step: one thing becomes of a question.

Each sweep tries every step of an answer's way, from the call to the task's end. `test_planted_bugs` shows
what they catch: whoever answers does not look, and a task that goes on beside itself.
"""

import asyncio

import pytest

from backend.store.records import MustBeOpen
from tests.interruption.parts import Parts
from tests.interruption.world import (
    TIMES,
    Coming,
    Story,
    World,
    delete,
    kill,
    say_stop,
    shut_down,
    stop,
    sweep,
)

ASKING = "find asking wait find"
QUESTION = "t0001-q1"


class Asked(Story):
    """A task that has asked, and is answered; `rested` tells whether its other branch had ended by then.

    With `misreported` the store takes the answer and reports that it failed.
    """

    def __init__(
        self, *, rested: bool = True, misreported: bool = False, parts_type: type[Parts] = Parts
    ) -> None:
        super().__init__(ASKING, parts_type=parts_type)
        self._misreported = misreported
        self._wait_s = 2.0 if rested else 0.3

    async def run(self) -> None:
        await self.world.start()
        self.world.post("ann", ASKING)
        await asyncio.sleep(self._wait_s)
        assert [each.request_id for each in await self.world.asked("ann", "bob")] == [QUESTION]
        self._ready.set()
        if self._misreported:
            self.world.store.report_failure(of=MustBeOpen)
        self.world.answer("ann", "first", QUESTION)
        await self.world.quiet()

    async def check(self) -> None:
        await super().check()
        request = await self.world.store.kept.get_input("ann", QUESTION)
        self.taken = [word for word, each in self.world.answered if each["request_id"] == QUESTION]
        assert len(self.taken) <= 1
        if request is not None:
            # One that was answered as the server was killed may not have been told so.
            assert request.resolution == "answered" or not (self.taken or self.by_message)
            given = [answer for _, name, answer in self.world.script.answers if name == QUESTION]
            assert set(given) <= {request.answer["answer"]} if request.answer else given == []

    @property
    def by_message(self) -> bool:
        return any(each.relation == "answer" for each in self.world.accepted)


async def answer_too(world: World) -> None:
    world.answer("ann", "second", QUESTION)


async def answer_by_a_message(world: World) -> None:
    world.post("ann", "reply find")


async def say_something_else(world: World) -> None:
    world.post("ann", "find say")


async def small_talk(world: World) -> None:
    world.post("ann", "hello")


COMING: list[Coming] = [
    answer_too, answer_by_a_message, say_something_else, small_talk, stop, say_stop, delete, kill, shut_down,
]  # fmt: skip


@pytest.mark.requirement("ANSWERED-ONCE")
@pytest.mark.requirement("NO-MESSAGE-IS-SWALLOWED")
@pytest.mark.parametrize("rested", [True, False], ids=["rested", "at work"])
@pytest.mark.parametrize("coming", COMING, ids=lambda each: each.__name__)
def test_invariants_hold_whatever_meets_an_answer_at_any_step(coming, rested):
    assert sweep(lambda: Asked(rested=rested), coming) > 20


@pytest.mark.requirement("ANSWERED-ONCE")
@pytest.mark.parametrize("rested", [True, False], ids=["rested", "at work"])
@pytest.mark.parametrize("coming", COMING, ids=lambda each: each.__name__)
def test_invariants_hold_whatever_meets_an_answer_reported_as_failed(coming, rested):
    assert sweep(lambda: Asked(rested=rested, misreported=True), coming) > 20


@pytest.mark.requirement("ANSWERED-ONCE")
@pytest.mark.parametrize("seed", range(10))
def test_exactly_one_of_two_answers_is_taken_in_any_order(seed):
    class Both(Asked):
        async def check(self) -> None:
            await super().check()
            assert len(self.taken) == 1

    assert sweep(lambda: Both(rested=seed % 2 == 0), answer_too, seed=seed) > 20


@pytest.mark.requirement("QUESTIONS-EXPIRE")
def test_answer_at_the_instant_of_its_expiry_has_one_outcome():
    class JustInTime(Asked):
        async def run(self) -> None:
            await self.world.start()
            self.world.post("ann", ASKING)
            await asyncio.sleep(2)
            assert [each.request_id for each in await self.world.asked("ann", "bob")] == [QUESTION]
            # It was asked at the very beginning: what is asked for now is answered with no time to spare.
            await asyncio.sleep(TIMES["answer_within_s"] - 2.0)
            self._ready.set()
            self.world.answer("ann", "first", QUESTION)
            await asyncio.sleep(0.1)
            await self.world.quiet()

    async def look(world: World) -> None:
        await asyncio.sleep(0.0105)
        world.sweep()

    assert sweep(JustInTime, look) > 20
