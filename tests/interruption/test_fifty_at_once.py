"""Fifty messages at once: every one in the history in order, one task left alive, and the last answered."""

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from backend.domain.task import Task, TaskStatus
from tests.interruption.invariants import EVERYTHING
from tests.interruption.parts import Parts
from tests.interruption.world import World
from tests.virtual_time import run_seeded

COUNT = 50
Manner = Callable[[int, Random], dict[str, Any]]


async def post_all(
    seed: int,
    manner: Manner,
    *,
    message: str = "find wait",
    different: int = COUNT,
    parts_type: type[Parts] = Parts,
) -> tuple[World, list[Task]]:
    """Post at once; return the world at its end, and all tasks in the order of their turns."""
    random, world = Random(seed), await World(parts_type).start()
    for number in range(COUNT):
        world.post("ann", f"{message} {number % different}", **manner(number, random))
    await world.finish()
    tasks = [await world.store.get_task_metadata(task.user_id, task.task_id) for task in world.accepted]
    return world, sorted({task.turn: task for task in tasks if task}.values(), key=lambda task: task.turn)


async def asked(world: World) -> list[str]:
    messages = await world.store.get_messages("ann", limit=EVERYTHING)
    return [message.text for message in messages if message.role == "user"]


@pytest.mark.requirement("NEWEST-MESSAGE-WINS")
@pytest.mark.parametrize("seed", range(8))
def test_fifty_messages_interrupt_each_other_and_the_last_is_answered(seed):
    world, tasks = run_seeded(lambda: post_all(seed, lambda _number, _random: {}), seed)
    assert [task.message for task in tasks] == [
        each.message for each in sorted(tasks, key=lambda each: each.turn)
    ]
    assert [task.status for task in tasks] == [TaskStatus.INTERRUPTED] * 49 + [TaskStatus.COMPLETED]
    by_turn = sorted(world.accepted, key=lambda each: each.seq)
    assert [each.interrupted_task_id for each in by_turn[1:]] == [each.task_id for each in by_turn[:-1]]


@pytest.mark.requirement("WAITING-KEEPS-ITS-ORDER")
@pytest.mark.parametrize("seed", range(4))
def test_fifty_queued_messages_are_answered_in_order(seed):
    world, tasks = run_seeded(lambda: post_all(seed, lambda *_: {"policy": "enqueue"}), seed)
    assert {task.status for task in tasks} == {TaskStatus.COMPLETED}
    worked = [context.task.turn for context in world.script.contexts]
    assert worked == list(range(1, COUNT + 1))


@pytest.mark.parametrize("seed", range(4))
def test_fifty_messages_with_reject_policy_are_refused_but_one(seed):
    world, tasks = run_seeded(lambda: post_all(seed, lambda *_: {"policy": "reject"}), seed)
    assert len(world.accepted) == 1
    assert [task.status for task in tasks] == [TaskStatus.COMPLETED]


@pytest.mark.parametrize("seed", range(12))
def test_fifty_messages_of_all_policies_all_end(seed):
    def any_manner(_number: int, random: Random) -> dict[str, Any]:
        return {
            "policy": random.choice(["interrupt", "enqueue", "reject"]),
            "priority": random.randrange(10),
        }

    world, tasks = run_seeded(lambda: post_all(seed, any_manner), seed)
    assert len(tasks) == len(world.accepted)
    assert all(task.status.terminal for task in tasks)
    told = {each.interrupted_task_id for each in world.accepted} - {None}
    assert told == {task.task_id for task in tasks if task.status is TaskStatus.INTERRUPTED}


@pytest.mark.requirement("RETRIES-START-NOTHING")
@pytest.mark.parametrize("seed", range(8))
def test_messages_sent_five_times_are_accepted_once(seed):
    world, tasks = run_seeded(
        lambda: post_all(seed, lambda number, _random: {"client_id": f"c{number % 10}"}, different=10), seed
    )
    assert (len(world.accepted), len(tasks)) == (COUNT, 10)
    assert Counter(each.duplicate for each in world.accepted) == {False: 10, True: 40}
    assert sorted(Counter(each.task_id for each in world.accepted).values()) == [5] * 10
