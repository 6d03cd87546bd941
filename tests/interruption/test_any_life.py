"""A server, two users, and anything that may happen to them, as hypothesis picks it, checked at every move.

Hypothesis shortens what fails. The moves and the checks are those of `world`, `invariants` and `accounts`.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from tests.interruption.disk import WRITE_S, Health
from tests.interruption.parts import Parts
from tests.interruption.world import CALLING, POLICIES, PROGRAMS, USERS, World
from tests.virtual_time import VirtualTimeLoop

QUICK = settings(
    max_examples=60,
    stateful_step_count=30,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
users = st.sampled_from(USERS)
programs = st.lists(st.sampled_from(PROGRAMS), min_size=1, max_size=3)
DOWN = [Health.BREAKS, Health.REFUSES]
PAUSES = st.sampled_from([WRITE_S / 2, WRITE_S, 2 * WRITE_S, 0.5, 1.0, 6.0])


STEPS = st.integers(1, 15)
HEALTH = st.sampled_from([Health.WELL, Health.WELL, Health.BREAKS, Health.REFUSES])
BOOKINGS = [each for each in CALLING if "book" in each]


class Machine(RuleBasedStateMachine):
    """Between two rules the loop stands still; each lets it take as many steps as it says."""

    parts_type: type[Parts] = Parts

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner(loop_factory=VirtualTimeLoop)
        self.failures: list[dict[str, Any]] = []
        self.runner.get_loop().set_exception_handler(lambda _loop, context: self.failures.append(context))
        self.world = self.run(self._begin())

    async def _begin(self) -> World:
        return await World(self.parts_type).start()

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        return self.runner.run(coroutine)

    async def _do(self, move: Any, *args: Any, **kwargs: Any) -> None:
        move(*args, **kwargs)
        await asyncio.sleep(0)

    @rule(steps=STEPS)
    def take_steps(self, steps) -> None:
        self.run(self.world.pass_steps(steps))

    @rule(seconds=PAUSES)
    def pass_time(self, seconds) -> None:
        self.run(asyncio.sleep(seconds))

    @rule(health=HEALTH)
    def health(self, health) -> None:
        self.world.store.health = health

    @invariant()
    def what_is_told_holds(self) -> None:
        self.run(self.world.check())

    def teardown(self) -> None:
        try:
            self.run(self.world.finish())
            left = asyncio.all_tasks(self.runner.get_loop())
            assert left == set()
        finally:
            self.runner.close()
        assert self.failures == []


class Life(Machine):
    """Two users who post, stop and answer."""

    @rule(
        user=users,
        messages=programs,
        policy=st.sampled_from(POLICIES),
        priority=st.sampled_from([5, 5, 1, 9]),
        client_id=st.sampled_from([None, None, "one", "two"]),
        steps=st.integers(0, 12),
    )
    def post(self, user, messages, steps, **manner) -> None:
        for message in messages:
            self.run(self._do(self.world.post, user, message, **manner))
        self.run(self.world.pass_steps(steps))

    @rule(user=users, message=st.sampled_from(PROGRAMS), seconds=PAUSES)
    def post_and_wait(self, user, message, seconds) -> None:
        self.run(self._do(self.world.post, user, message))
        self.run(asyncio.sleep(seconds))

    @rule(user=users, which=st.none() | st.integers(0, 20))
    def stop(self, user, which) -> None:
        known = [each.task_id for each in self.world.accepted] or ["nothing"]
        task_id = None if which is None else known[-1 - which % len(known)]
        self.run(self._do(self.world.stop, user, task_id))

    @rule(user=users, words=st.lists(st.sampled_from(["word", "other", "nonsense"]), min_size=1, max_size=2))
    def answer(self, user, words) -> None:
        for word in words:
            self.run(self._do(self.world.answer, user, word))

    @rule(seconds=st.sampled_from([0, 30, 61]))
    def sweep(self, seconds) -> None:
        self.run(asyncio.sleep(seconds))
        self.run(self._do(self.world.sweep))

    @rule(message=st.sampled_from([each for each in PROGRAMS if "gate" in each]))
    def open_a_gate(self, message) -> None:
        self.run(self._do(self.world.open_a_gate, message))

    @rule(user=users, message=st.sampled_from(PROGRAMS), health=st.sampled_from(DOWN), seconds=PAUSES)
    def post_in_an_outage(self, user, message, health, seconds) -> None:
        self.world.store.health = health
        self.run(self._do(self.world.post, user, message))
        self.run(asyncio.sleep(seconds))
        self.world.store.health = Health.WELL

    @rule(user=users, how=st.sampled_from(["hang up", "delete", "kill", "shut down"]))
    def disturb(self, user, how) -> None:
        match how:
            case "hang up":
                self.run(self._do(self.world.hang_up))
            case "delete":
                self.run(self._do(self.world.delete, user))
            case "kill":
                self.run(self.world.kill())
            case _:
                self.run(self.world.shut_down())


class Purchases(Machine):
    """Two users who search and book."""

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

    @rule(seconds=st.sampled_from([0, 19, 21]))
    def sweep(self, seconds) -> None:
        self.run(asyncio.sleep(seconds))
        self.run(self._do(self.world.sweep))

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


def live(parts_type: type[Parts] = Parts, *, examples: int = 60, shrink: bool = True) -> None:
    """Let so many lives be lived; raise what the first failing one fails with, as short as it gets."""

    class Lived(Life):
        pass

    Lived.parts_type = parts_type
    phases = tuple(Phase) if shrink else (Phase.generate,)
    run_state_machine_as_test(Lived, settings=settings(QUICK, max_examples=examples, phases=phases))


@pytest.mark.requirement("ALL-HOLDS-IN-ANY-ORDER")
def test_invariants_hold_in_any_life() -> None:
    live(examples=200)


@pytest.mark.requirement("ALL-HOLDS-IN-ANY-ORDER")
@pytest.mark.requirement("BEGUN-IS-FINISHED")
@pytest.mark.requirement("WRITES-ARE-NEVER-SENT-AGAIN")
def test_invariants_hold_in_any_life_of_searching_and_booking_users():
    run_state_machine_as_test(Purchases, settings=settings(QUICK, max_examples=40, stateful_step_count=20))
