"""Limits that replicas share, with the levels in memory: what is counted together, and what without them.

`tests/contract/test_shared_levels.py` holds the levels themselves, `tests/cluster/test_shared_limits.py`
plays all of it over a database.
"""

import asyncio
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import structlog

from backend.domain.errors import TooManyRequests
from backend.http.edge import limits as shared_limits
from backend.http.edge.limits import Limits, PerMinute
from backend.tasks.task_owner import TaskOwner
from tests.fakes.levels import MemoryLevels

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("LIMITS-ARE-SHARED")]

ADDRESS = "192.0.2.1"


class Replicas:
    """The limits of some replicas, and the levels that they share."""

    def __init__(self, **per_minute: int) -> None:
        self.now = 1_000.0
        self.levels = MemoryLevels(self.clock)
        self._most = dict.fromkeys(PerMinute.__annotations__, 0) | {
            f"{name}_per_minute": count for name, count in per_minute.items()
        }

    def clock(self) -> float:
        return self.now

    def new(self) -> Limits:
        most: Any = SimpleNamespace(**self._most)
        return Limits(most, self.clock, shared=self.levels)


@pytest.fixture
def owner() -> TaskOwner:
    return TaskOwner()


@pytest.fixture
def lines() -> Iterator[list[Any]]:
    with structlog.testing.capture_logs() as logged:
        yield logged


async def message(limits: Limits, user_id: str = "ann", address: str = ADDRESS) -> str:
    """Send a message; return what it was refused with."""
    try:
        await limits.take_message(user_id, address)
    except TooManyRequests as error:
        return error.message
    return ""


async def conversation(limits: Limits, address: str = ADDRESS) -> str:
    try:
        await limits.take_conversation(address)
    except TooManyRequests as error:
        return error.message
    return ""


async def guess(limits: Limits, address: str = ADDRESS) -> str:
    """Send a wrong token; return whether it was looked at, and told that it was wrong."""
    try:
        await limits.check_guesses(address)
    except TooManyRequests:
        return "refused"
    try:
        await limits.count_wrong_token(address)
    except TooManyRequests:
        return "looked at"
    return "told"


def requests(limits: Limits, count: int, address: str = ADDRESS) -> int:
    """Send requests; return how many were let through."""
    passed = 0
    for _ in range(count):
        try:
            limits.take_request(address)
        except TooManyRequests:
            continue
        passed += 1
    return passed


async def told() -> None:
    """Let what was answered be noted."""
    await asyncio.sleep(0)
    await asyncio.sleep(0)


class TestMessages:
    async def test_the_messages_of_a_user_of_an_address_and_of_all_are_counted_together(self):
        replicas = Replicas(messages=2, address_messages=3, total_messages=4)
        one, other = replicas.new(), replicas.new()
        assert [await message(each) for each in (one, other)] == ["", ""]
        assert "2 messages a minute;" in await message(one)
        assert await message(other, "bob") == ""
        assert "from one address" in await message(one, "cem")
        assert await message(one, "cem", "192.0.2.2") == ""
        assert "all users together" in await message(other, "dan", "192.0.2.3")

    async def test_a_refusal_is_counted_in_no_bucket_and_says_how_long_to_wait(self):
        replicas = Replicas(messages=60, address_messages=62)
        one, other = replicas.new(), replicas.new()
        for _ in range(60):
            assert await message(one) == ""
        for _ in range(5):
            assert "try again in 1 s" in await message(other)
        assert [bool(await message(other, "bob")) for _ in range(3)] == [False, False, True]

    async def test_new_conversations_of_an_address_are_counted_together(self):
        replicas = Replicas(address_conversations=3)
        one, other = replicas.new(), replicas.new()
        assert [await conversation(each) for each in (one, other, one)] == [""] * 3
        assert "new conversations" in await conversation(other)
        assert await conversation(other, "192.0.2.2") == ""

    async def test_of_many_at_once_no_more_get_through_than_there_are_tokens(self, owner):
        replicas = Replicas(messages=5)
        both = (replicas.new(), replicas.new())
        replicas.levels.held = True
        sending = [owner.spawn_detached(message(both[number % 2]), name="message") for number in range(20)]
        await told()
        replicas.levels.answer()
        assert (await asyncio.gather(*sending)).count("") == 5

    async def test_who_floods_is_refused_without_asking(self):
        replicas = Replicas(messages=2)
        one, other = replicas.new(), replicas.new()
        for _ in range(2):
            await message(one)
        asked = len(replicas.levels.asked)
        for _ in range(100):
            assert await message(one)
            assert await message(other)
        assert len(replicas.levels.asked) == asked + 1  # the other one did not know it yet

    async def test_one_message_asks_once(self):
        replicas = Replicas(messages=2, address_messages=3, total_messages=4)
        await message(replicas.new())
        assert [[take.kind for take in takes] for takes in replicas.levels.asked] == [
            ["user", "address", "all"]
        ]

    async def test_limits_that_are_off_ask_nobody(self):
        replicas = Replicas()
        limits = replicas.new()
        assert (await message(limits), await conversation(limits), await guess(limits)) == ("", "", "told")
        assert requests(limits, 1000) == 1000
        assert replicas.levels.asked == []

    async def test_tokens_that_came_back_are_given_at_any_replica(self):
        replicas = Replicas(messages=6)
        one, other = replicas.new(), replicas.new()
        for _ in range(6):
            await message(one)
        assert await message(other)
        replicas.now += 20
        assert [await message(each) for each in (other, one)] == ["", ""]
        assert await message(other)


class TestWithoutTheLevels:
    async def test_each_replica_counts_alone_and_no_door_is_open(self, lines):
        replicas = Replicas(messages=3)
        one, other = replicas.new(), replicas.new()
        replicas.levels.away = True
        for each in (one, other):
            assert [bool(await message(each)) for _ in range(5)] == [False] * 3 + [True] * 2
        assert [line["event"] for line in lines if line["log_level"] == "warning"] == [
            "this replica counts limits alone for now"
        ] * 2

    async def test_it_goes_on_from_what_it_knew(self):
        replicas = Replicas(messages=5)
        one, other = replicas.new(), replicas.new()
        for each in (one, one, other, other):
            assert await message(each) == ""
        replicas.levels.away = True
        assert [bool(await message(other)) for _ in range(2)] == [False, True]

    async def test_nobody_waits_long_for_levels_that_are_not_told(self):
        replicas = Replicas(messages=2)
        limits = replicas.new()
        replicas.levels.held = True
        assert [await message(limits) for _ in range(2)] == ["", ""]
        assert await message(limits)
        # And nobody after the first one has waited.
        assert len(replicas.levels.asked) == 1

    async def test_those_who_waited_together_are_counted_all_the_same(self):
        replicas = Replicas(messages=2)
        limits = replicas.new()
        replicas.levels.held = True
        assert (await asyncio.gather(*[message(limits) for _ in range(10)])).count("") == 2

    async def test_they_are_asked_again_after_a_second_and_counted_together_again(self, lines):
        replicas = Replicas(messages=60)
        one, other = replicas.new(), replicas.new()
        replicas.levels.away = True
        await message(one)
        replicas.levels.away = False
        await message(one)
        assert len(replicas.levels.asked) == 1
        replicas.now += shared_limits.ALONE_S
        await message(one)
        assert len(replicas.levels.asked) == 2
        assert lines[-1]["event"] == "limits are shared with the other replicas again"
        for _ in range(59):
            assert await message(one) == ""
        assert await message(other)

    async def test_wrong_tokens_are_counted_and_requests_go_on(self):
        replicas = Replicas(address_guesses=3, address_requests=10)
        limits = replicas.new()
        replicas.levels.away = True
        assert [await guess(limits) for _ in range(5)] == ["told"] * 3 + ["refused"] * 2
        assert requests(limits, 20) == 10

    async def test_a_wrong_token_that_is_not_counted_in_time_holds_nobody_up(self):
        replicas = Replicas(address_guesses=3)
        limits = replicas.new()
        replicas.levels.held = True
        assert await asyncio.gather(guess(limits), guess(limits)) == ["told", "told"]


@pytest.mark.requirement("GUESSING-IS-SLOW")
class TestGuesses:
    async def test_who_spreads_guesses_over_replicas_is_told_of_no_more_wrong_tokens(self):
        replicas = Replicas(address_guesses=20)
        three = [replicas.new() for _ in range(3)]
        outcomes = [await guess(three[number % 3]) for number in range(90)]
        assert outcomes.count("told") == 20
        # Two did not know yet that all were used up: each looked at one more, and said nothing of it.
        assert outcomes.count("looked at") == 2

    async def test_what_is_looked_at_too_many_is_made_up_for(self):
        replicas = Replicas(address_guesses=20)
        three = [replicas.new() for _ in range(3)]
        outcomes = []
        for _ in range(600):
            replicas.now += 1
            outcomes += [await guess(each) for each in three]
        assert 200 <= outcomes.count("told") + outcomes.count("looked at") <= 20 + 200 + 2

    async def test_guesses_at_the_same_instant_are_looked_at_one_by_one(self):
        replicas = Replicas(address_guesses=20)
        three = [replicas.new() for _ in range(3)]
        outcomes = await asyncio.gather(*[guess(three[number % 3]) for number in range(90)])
        assert outcomes.count("told") == 20
        assert outcomes.count("looked at") <= 2

    async def test_a_guess_waits_until_the_last_one_is_counted_and_a_right_token_elsewhere_does_not(
        self, owner
    ):
        replicas = Replicas(address_guesses=1)
        limits = replicas.new()
        replicas.levels.held = True
        first = owner.spawn_detached(guess(limits), name="guess")
        await told()
        second = owner.spawn_detached(guess(limits), name="guess")
        await limits.check_guesses("192.0.2.2")
        await told()
        assert not second.done()
        replicas.levels.answer()
        assert (await first, await second) == ("told", "refused")

    async def test_who_leaves_before_the_answer_is_counted(self, owner):
        replicas = Replicas(address_guesses=2)
        one, other = replicas.new(), replicas.new()
        replicas.levels.held = True
        leaving = owner.spawn_detached(guess(one), name="guess")
        await told()
        leaving.cancel()
        await asyncio.wait([leaving])
        replicas.levels.held = False
        replicas.levels.answer()
        assert [await guess(each) for each in (other, one)] == ["told", "looked at"]

    async def test_right_tokens_ask_nobody(self):
        replicas = Replicas(address_guesses=2)
        limits = replicas.new()
        for _ in range(100):
            await limits.check_guesses(ADDRESS)
        assert replicas.levels.asked == []


class TestRequests:
    async def test_they_are_told_in_portions(self):
        replicas = Replicas(address_requests=12_000)
        limits = replicas.new()
        requests(limits, 119)
        assert replicas.levels.asked == []
        requests(limits, 1)
        requests(limits, 119, "192.0.2.2")
        assert [[(take.key, take.tokens) for take in takes] for takes in replicas.levels.asked] == [
            [(ADDRESS, 120)]
        ]

    async def test_the_requests_of_many_addresses_make_one_portion(self):
        replicas = Replicas(address_requests=600)
        limits = replicas.new()
        for number in range(6):
            requests(limits, 1, f"192.0.2.{number % 2}")
        assert [[take.tokens for take in takes] for takes in replicas.levels.asked] == [[3, 3]]

    async def test_over_replicas_no_more_than_a_portion_each_gets_through_too_many(self):
        replicas = Replicas(address_requests=1000)
        three = [replicas.new() for _ in range(3)]
        passed = 0
        for _ in range(100):
            for each in three:
                passed += requests(each, 10)
                await told()
        assert 1000 <= passed <= 1000 + 3 * 10
        # What was too many is owed, so the sum of the long run is right.
        replicas.now += 60
        for _ in range(100):
            for each in three:
                passed += requests(each, 10)
                await told()
        assert 2000 <= passed <= 2000 + 3 * 10

    async def test_what_comes_while_a_portion_is_told_is_told_with_the_next_and_not_forgotten(self):
        replicas = Replicas(address_requests=200)
        limits = replicas.new()
        replicas.levels.held = True
        assert requests(limits, 150) == 150
        assert len(replicas.levels.asked) == 1
        replicas.levels.held = False
        replicas.levels.answer()
        await told()
        assert requests(limits, 100) == 50
        assert [takes[0].tokens for takes in replicas.levels.asked][:2] == [2, 149]

    async def test_what_waits_to_be_told_is_bounded(self, monkeypatch):
        monkeypatch.setattr(shared_limits, "MOST_UNTOLD", 3)
        replicas = Replicas(address_requests=100)
        limits = replicas.new()
        replicas.levels.held = True
        for number in range(10):
            requests(limits, 1, str(number))
        replicas.levels.answer()
        await told()
        requests(limits, 1, "another")
        assert [len(takes) for takes in replicas.levels.asked] == [1, 3]
