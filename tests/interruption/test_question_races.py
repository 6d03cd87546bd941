"""Whatever comes while a task waits for its user, at whichever step: one thing becomes of a question.

Each sweep tries every step of an answer's way, from the call to the task's end. `test_planted_bugs` shows
what they catch: whoever answers does not look, and a task that goes on beside itself.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from backend.store.records import MustBeOpen
from tests.interruption.parts import Parts
from tests.interruption.world import TIMES, World
from tests.virtual_time import sweep_steps

ASKING = "find asking wait find"


class Asked:
    """A task that has asked, and is answered; `rested` tells whether its other branch had ended by then.

    With `misreported` the store takes the answer and reports that it failed.
    """

    def __init__(
        self, *, rested: bool = True, misreported: bool = False, parts_type: type[Parts] = Parts
    ) -> None:
        self.world = World(parts_type)
        self._misreported = misreported
        self._wait_s = 2.0 if rested else 0.3
        self._ready = asyncio.Event()

    async def run(self) -> None:
        await self.world.start()
        self.world.post("ann", ASKING)
        await asyncio.sleep(self._wait_s)
        [self.request_id] = [each.request_id for each in await self.world._asked()]
        self._ready.set()
        if self._misreported:
            self.world.store.report_failure(of=MustBeOpen)
        self.world.answer("ann", "first", self.request_id)
        await self.world.quiet()

    async def ready(self) -> World:
        await self._ready.wait()
        return self.world

    async def check(self) -> None:
        await self.world.finish()
        request = await self.world.store.kept.get_input("ann", self.request_id)
        self.taken = [word for word, each in self.world.answered if each["request_id"] == self.request_id]
        assert len(self.taken) <= 1
        if request is not None:
            # One that was answered as the server was killed may not have been told so.
            assert request.resolution == "answered" or not (self.taken or self.by_message)
            given = [answer for _, name, answer in self.world.script.answers if name == self.request_id]
            assert set(given) <= {request.answer["answer"]} if request.answer else given == []

    @property
    def by_message(self) -> bool:
        return any(each.relation == "answer" for each in self.world.accepted)


async def answer_too(story: Asked) -> None:
    (await story.ready()).answer("ann", "second", story.request_id)


async def answer_by_a_message(story: Asked) -> None:
    (await story.ready()).post("ann", "reply find")


async def say_something_else(story: Asked) -> None:
    (await story.ready()).post("ann", "find say")


async def small_talk(story: Asked) -> None:
    (await story.ready()).post("ann", "hello")


async def stop(story: Asked) -> None:
    (await story.ready()).stop("ann")


async def say_stop(story: Asked) -> None:
    (await story.ready()).post("ann", "stop")


async def delete(story: Asked) -> None:
    (await story.ready()).delete("ann")


async def kill(story: Asked) -> None:
    await (await story.ready()).kill()


async def shut_down(story: Asked) -> None:
    await (await story.ready()).shut_down()


COMING: list[Callable[[Asked], Any]] = [
    answer_too, answer_by_a_message, say_something_else, small_talk, stop, say_stop, delete, kill, shut_down,
]  # fmt: skip


@pytest.mark.requirement("ANSWERED-ONCE")
@pytest.mark.requirement("NO-MESSAGE-IS-SWALLOWED")
@pytest.mark.parametrize("rested", [True, False], ids=["rested", "at work"])
@pytest.mark.parametrize("coming", COMING, ids=lambda each: each.__name__)
def test_all_holds_whatever_meets_an_answer_at_whichever_step(coming, rested):
    assert sweep_steps(lambda: Asked(rested=rested), coming) > 20


@pytest.mark.requirement("ANSWERED-ONCE")
@pytest.mark.parametrize("rested", [True, False], ids=["rested", "at work"])
@pytest.mark.parametrize("coming", COMING, ids=lambda each: each.__name__)
def test_all_holds_whatever_meets_an_answer_that_is_stored_and_reported_as_failed(coming, rested):
    assert sweep_steps(lambda: Asked(rested=rested, misreported=True), coming) > 20


@pytest.mark.requirement("ANSWERED-ONCE")
@pytest.mark.parametrize("seed", range(10))
def test_of_two_answers_exactly_one_is_taken_in_any_order_of_what_is_ready(seed):
    class Both(Asked):
        async def check(self) -> None:
            await super().check()
            assert len(self.taken) == 1

    assert sweep_steps(lambda: Both(rested=seed % 2 == 0), answer_too, seed=seed) > 20


@pytest.mark.requirement("QUESTIONS-EXPIRE")
def test_an_answer_and_the_end_of_its_time_at_the_same_instant_have_one_outcome():
    class JustInTime(Asked):
        async def run(self) -> None:
            await self.world.start()
            self.world.post("ann", ASKING)
            await asyncio.sleep(2)
            [self.request_id] = [each.request_id for each in await self.world._asked()]
            # It was asked at the very beginning: what is asked for now is answered with no time to spare.
            await asyncio.sleep(TIMES["answer_within_s"] - 2.0)
            self._ready.set()
            self.world.answer("ann", "first", self.request_id)
            await asyncio.sleep(0.1)
            await self.world.quiet()

    async def sweep(story: Asked) -> None:
        world = await story.ready()
        await asyncio.sleep(0.0105)
        world.sweep()

    assert sweep_steps(JustInTime, sweep) > 20
