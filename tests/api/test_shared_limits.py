"""Limits that replicas share, with the levels in memory.

`tests/contract/test_shared_levels.py` holds the levels themselves, `tests/cluster/test_shared_limits.py`
plays all of it over a database.
"""

import asyncio

import pytest

from backend.domain.errors import TooManyRequests
from backend.http.edge import limits as shared_limits
from backend.http.edge.limits import Limits
from backend.tasks.task_owner import TaskOwner
from tests.api.signing import Monotonic, per_minute
from tests.fakes.levels import MemoryLevels

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("LIMITS-ARE-SHARED")]

ADDRESS = "192.0.2.1"


class Replicas:
    """The limits of some replicas, and the levels that they share."""

    def __init__(self, **limits: int) -> None:
        self.clock = Monotonic()
        self.levels = MemoryLevels(self.clock)
        self._limits = limits

    def new(self) -> Limits:
        return Limits(per_minute(**self._limits), self.clock, shared=self.levels)


@pytest.fixture
def owner() -> TaskOwner:
    return TaskOwner()


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
    async def test_messages_count_together_by_user_address_and_all(self):
        replicas = Replicas(messages=2, address_messages=3, total_messages=4)
        one, other = replicas.new(), replicas.new()
        assert [await message(each) for each in (one, other)] == ["", ""]
        assert "2 messages a minute;" in await message(one)
        assert await message(other, "bob") == ""
        assert "from one address" in await message(one, "cem")
        assert await message(one, "cem", "192.0.2.2") == ""
        assert "all users together" in await message(other, "dan", "192.0.2.3")

    async def test_refusal_counts_in_no_bucket_and_says_how_long_to_wait(self):
        replicas = Replicas(messages=60, address_messages=62)
        one, other = replicas.new(), replicas.new()
        for _ in range(60):
            assert await message(one) == ""
        for _ in range(5):
            assert "try again in 1 s" in await message(other)
        assert [bool(await message(other, "bob")) for _ in range(3)] == [False, False, True]

    async def test_concurrent_messages_take_no_more_than_the_tokens(self, owner):
        replicas = Replicas(messages=5)
        both = (replicas.new(), replicas.new())
        replicas.levels.held = True
        sending = [owner.spawn_detached(message(both[number % 2]), name="message") for number in range(20)]
        await told()
        replicas.levels.answer()
        assert (await asyncio.gather(*sending)).count("") == 5

    async def test_flood_is_refused_without_a_question(self):
        replicas = Replicas(messages=2)
        one, other = replicas.new(), replicas.new()
        for _ in range(2):
            await message(one)
        asked = len(replicas.levels.asked)
        for _ in range(100):
            assert await message(one)
            assert await message(other)
        assert len(replicas.levels.asked) == asked + 1  # the other one did not know it yet


class TestWithoutLevels:
    async def test_replica_counts_alone_without_the_levels(self, lines):
        replicas = Replicas(messages=3)
        one, other = replicas.new(), replicas.new()
        replicas.levels.away = True
        for each in (one, other):
            assert [bool(await message(each)) for _ in range(5)] == [False] * 3 + [True] * 2
        assert [line["event"] for line in lines if line["log_level"] == "warning"] == [
            "this replica counts limits alone for now"
        ] * 2

    async def test_message_does_not_wait_for_silent_levels(self):
        replicas = Replicas(messages=2)
        limits = replicas.new()
        replicas.levels.held = True
        assert [await message(limits) for _ in range(2)] == ["", ""]
        assert await message(limits)
        # And nobody after the first one has waited.
        assert len(replicas.levels.asked) == 1

    async def test_messages_that_waited_together_are_counted(self):
        replicas = Replicas(messages=2)
        limits = replicas.new()
        replicas.levels.held = True
        assert (await asyncio.gather(*[message(limits) for _ in range(10)])).count("") == 2

    async def test_levels_are_asked_again_after_a_second(self, lines):
        replicas = Replicas(messages=60)
        one, other = replicas.new(), replicas.new()
        replicas.levels.away = True
        await message(one)
        replicas.levels.away = False
        await message(one)
        assert len(replicas.levels.asked) == 1
        replicas.clock.now += shared_limits.ALONE_S
        await message(one)
        assert len(replicas.levels.asked) == 2
        assert lines[-1]["event"] == "limits are shared with the other replicas again"
        for _ in range(59):
            assert await message(one) == ""
        assert await message(other)

    async def test_wrong_token_is_not_held_up_by_silent_levels(self):
        replicas = Replicas(address_guesses=3)
        limits = replicas.new()
        replicas.levels.held = True
        assert await asyncio.gather(guess(limits), guess(limits)) == ["told", "told"]


@pytest.mark.requirement("GUESSING-IS-SLOW")
class TestGuesses:
    async def test_guesses_spread_over_replicas_count_together(self):
        replicas = Replicas(address_guesses=20)
        three = [replicas.new() for _ in range(3)]
        outcomes = [await guess(three[number % 3]) for number in range(90)]
        assert outcomes.count("told") == 20
        # Two did not know yet that all were used up: each looked at one more, and said nothing of it.
        assert outcomes.count("looked at") == 2

    async def test_excess_guesses_are_made_up_for(self):
        replicas = Replicas(address_guesses=20)
        three = [replicas.new() for _ in range(3)]
        outcomes = []
        for _ in range(600):
            replicas.clock.now += 1
            outcomes += [await guess(each) for each in three]
        assert 200 <= outcomes.count("told") + outcomes.count("looked at") <= 20 + 200 + 2

    async def test_concurrent_guesses_are_checked_one_by_one(self):
        replicas = Replicas(address_guesses=20)
        three = [replicas.new() for _ in range(3)]
        outcomes = await asyncio.gather(*[guess(three[number % 3]) for number in range(90)])
        assert outcomes.count("told") == 20
        assert outcomes.count("looked at") <= 2

    async def test_guess_waits_for_the_last_one_of_its_address(self, owner):
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

    async def test_guess_of_a_client_that_leaves_is_counted(self, owner):
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


class TestRequests:
    async def test_requests_are_reported_in_portions(self):
        replicas = Replicas(address_requests=12_000)
        limits = replicas.new()
        requests(limits, 119)
        assert replicas.levels.asked == []
        requests(limits, 1)
        requests(limits, 119, "192.0.2.2")
        assert [[(take.key, take.tokens) for take in takes] for takes in replicas.levels.asked] == [
            [(ADDRESS, 120)]
        ]

    async def test_excess_of_requests_is_a_portion_of_each_replica(self):
        replicas = Replicas(address_requests=1000)
        three = [replicas.new() for _ in range(3)]
        passed = 0
        for _ in range(100):
            for each in three:
                passed += requests(each, 10)
                await told()
        assert 1000 <= passed <= 1000 + 3 * 10
        # What was too many is owed, so the sum of the long run is right.
        replicas.clock.now += 60
        for _ in range(100):
            for each in three:
                passed += requests(each, 10)
                await told()
        assert 2000 <= passed <= 2000 + 3 * 10

    async def test_requests_during_a_report_are_in_the_next(self):
        replicas = Replicas(address_requests=200)
        limits = replicas.new()
        replicas.levels.held = True
        assert requests(limits, 150) == 150
        assert len(replicas.levels.asked) == 1
        replicas.levels.held = False
        replicas.levels.answer()
        await told()
        assert [takes[0].tokens for takes in replicas.levels.asked] == [2, 148]
        assert requests(limits, 100) == 50

    async def test_fewer_requests_than_a_portion_during_a_report_have_taken_their_tokens(self):
        replicas = Replicas(address_requests=1000)
        limits = replicas.new()
        replicas.levels.held = True
        assert requests(limits, 15) == 15
        replicas.levels.answer()
        await told()
        assert [takes[0].tokens for takes in replicas.levels.asked] == [10]
        assert requests(limits, 1000) == 985

    async def test_requests_that_took_the_last_tokens_are_reported_without_a_further_one(self):
        replicas = Replicas(address_requests=200)
        one, other = replicas.new(), replicas.new()
        replicas.levels.held = True
        assert requests(one, 300) == 200
        replicas.levels.held = False
        replicas.levels.answer()
        await told()
        assert requests(other, 2) == 2
        await told()
        assert requests(other, 1) == 0

    async def test_unreported_requests_are_bounded(self, monkeypatch):
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
