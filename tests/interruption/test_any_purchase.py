"""Two users who search and book, and anything that may happen to them, as hypothesis picks it.

The moves and the checks are those of `world`, `invariants` and `accounts`. What it fails on, it makes short.
"""

import asyncio
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from tests.interruption.disk import Health
from tests.interruption.test_any_life import PAUSES, QUICK, users
from tests.interruption.world import CALLING, World
from tests.virtual_time import VirtualTimeLoop

STEPS = st.integers(1, 15)
BOOKINGS = [each for each in CALLING if "book" in each]


class Buying(RuleBasedStateMachine):
    """Between two rules the loop stands still; each lets it take as many steps as it says."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner(loop_factory=VirtualTimeLoop)
        self.failures: list[dict[str, Any]] = []
        self.runner.get_loop().set_exception_handler(lambda _loop, context: self.failures.append(context))
        self.world: World = self.run(self._begin())

    async def _begin(self) -> World:
        return await World().start()

    def run(self, coroutine: Any) -> Any:
        return self.runner.run(coroutine)

    async def _do(self, move: Any, *args: Any) -> None:
        move(*args)
        await asyncio.sleep(0)

    @rule(user=users, message=st.sampled_from(CALLING), seconds=PAUSES)
    def post(self, user, message, seconds) -> None:
        self.run(self._do(self.world.post, user, message))
        self.run(asyncio.sleep(seconds))

    @rule(user=users, messages=st.lists(st.sampled_from(CALLING), min_size=1, max_size=2), steps=STEPS)
    def post_at_once(self, user, messages, steps) -> None:
        for message in messages:
            self.run(self._do(self.world.post, user, message))
        self.run(self.world.pass_steps(steps))

    @rule(user=users, words=st.lists(st.sampled_from(["word", "word", "other"]), min_size=1, max_size=2))
    def decide(self, user, words) -> None:
        for word in words:
            self.run(self._do(self.world.answer, user, word))

    @rule(user=users, what=st.sampled_from(BOOKINGS), seconds=PAUSES)
    def book(self, user, what, seconds) -> None:
        self.run(self._do(self.world.post, user, what))
        self.run(asyncio.sleep(0.05))
        self.run(self._do(self.world.answer, user, "word"))
        self.run(asyncio.sleep(seconds))

    @rule(seconds=PAUSES)
    def pass_time(self, seconds) -> None:
        self.run(asyncio.sleep(seconds))

    @rule(steps=STEPS)
    def take_steps(self, steps) -> None:
        self.run(self.world.pass_steps(steps))

    @rule(seconds=st.sampled_from([0, 19, 21]))
    def sweep(self, seconds) -> None:
        self.run(asyncio.sleep(seconds))
        self.run(self._do(self.world.sweep))

    @rule(health=st.sampled_from([Health.WELL, Health.WELL, Health.BREAKS, Health.REFUSES]))
    def health(self, health) -> None:
        self.world.store.health = health

    @rule(user=users, how=st.sampled_from(["stop", "delete", "kill", "kill again", "shut down"]))
    def disturb(self, user, how) -> None:
        match how:
            case "stop":
                self.run(self._do(self.world.stop, user))
            case "delete":
                self.run(self._do(self.world.delete, user))
            case "shut down":
                self.run(self.world.shut_down())
            case _:
                self.run(self.world.kill(next_lives_s=0.012 if how == "kill again" else None))

    @invariant()
    def what_is_told_holds(self) -> None:
        self.run(self.world.check())

    def teardown(self) -> None:
        try:
            self.run(self.world.finish())
            assert asyncio.all_tasks(self.runner.get_loop()) == set()
        finally:
            self.runner.close()
        assert self.failures == []


@pytest.mark.requirement("ALL-HOLDS-IN-ANY-ORDER")
@pytest.mark.requirement("BEGUN-IS-FINISHED")
@pytest.mark.requirement("WRITES-ARE-NEVER-SENT-AGAIN")
def test_all_holds_in_any_life_of_those_who_search_and_book():
    run_state_machine_as_test(Buying, settings=settings(QUICK, max_examples=40, stateful_step_count=20))
