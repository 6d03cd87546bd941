"""Fair turns: the queue of one key does not delay another key."""

import asyncio

import pytest

from backend.tasks.ledger.fair_turns import FairTurns
from backend.tasks.task_owner import TaskOwner

pytestmark = pytest.mark.virtual_time


@pytest.fixture
def owner() -> TaskOwner:
    return TaskOwner()


class Queue:
    """Waiters, and the order in which they got their turns."""

    def __init__(self, owner, turns: FairTurns):
        self.owner = owner
        self.turns = turns
        self.got: list[str] = []

    def ask(self, name: str):
        return self.owner.spawn(self._ask(name), name=name)

    async def _ask(self, name: str):
        await self.turns.take(name[0])
        self.got.append(name)


async def steps():
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.mark.requirement("NO-USER-TAKES-ALL-PROCESSES")
async def test_turn_is_not_delayed_by_the_queue_of_another_key(owner):
    queue = Queue(owner, FairTurns(per_key=2, in_all=2))
    for number in range(32):
        queue.ask(f"a{number}")
    await steps()
    queue.ask("b0")
    queue.ask("c0")
    await steps()
    assert queue.got == ["a0", "a1"]
    for _ in range(3):
        queue.turns.give_back(queue.got[0][0])
        await steps()
    assert queue.got[2] == "a2"
    assert set(queue.got[3:]) == {"b0", "c0"}


async def test_key_has_no_more_turns_than_its_share(owner):
    queue = Queue(owner, FairTurns(per_key=2, in_all=10))
    for number in range(5):
        queue.ask(f"a{number}")
    queue.ask("b0")
    await steps()
    assert queue.got == ["a0", "a1", "b0"]
    queue.turns.give_back("a")
    await steps()
    assert queue.got[3:] == ["a2"]


@pytest.mark.parametrize("after", range(6))
async def test_cancelled_wait_loses_no_turn_at_any_step(owner, after):
    queue = Queue(owner, FairTurns(per_key=1, in_all=1))
    queue.ask("a0")
    await steps()
    given_up = queue.ask("b0")
    for _ in range(after):
        await asyncio.sleep(0)
    if after % 2:
        queue.turns.give_back("a")  # it gets its turn in the very step in which it is cancelled
    given_up.cancel()
    await steps()
    if not after % 2:
        queue.turns.give_back("a")
    assert queue.turns.taken == 0
    queue.ask("c0")
    await steps()
    assert queue.got[-1] == "c0"


@pytest.mark.parametrize("given_up", [["b0"], ["b0", "b1"]])
async def test_turn_given_back_in_the_step_of_a_cancellation_goes_to_the_next(owner, given_up):
    queue = Queue(owner, FairTurns(per_key=1, in_all=1))
    queue.ask("a0")
    waits = [queue.ask(name) for name in given_up]
    queue.ask("c0")
    await steps()
    for wait in waits:
        wait.cancel()
    queue.turns.give_back("a")
    await steps()
    assert (queue.got, queue.turns.taken, queue.turns.waiting("b")) == (["a0", "c0"], 1, 0)
    assert all(wait.cancelled() for wait in waits)
