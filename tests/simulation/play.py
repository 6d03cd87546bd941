"""Plays one seed: moves drawn from it, on a loop whose order it decides, and all is checked."""

import asyncio
import gc
from collections.abc import Callable, Coroutine
from dataclasses import replace
from random import Random
from typing import Any, TypeVar

from backend.replicas.postgres import CLAIM, LEASES, TAKE
from backend.store.postgres.rows import WRITE
from tests.simulation.checks import check_any_moment, check_now, check_the_end
from tests.simulation.cluster import OF_ONE_LANE, REPLICAS, USERS, Cluster
from tests.simulation.links import Hints, Loss
from tests.simulation.processes import ProcessLoop

PROGRAMS = (
    "find", "find wait find", "say wait say", "wait find say", "hello", "hello wait say", "stop",
    "ask find", "find ask find", "asking wait find", "ask ask say", "reply find",
    "lookup find", "lookup oslo", "oslo find", "book", "find book", "book lookup", "booklate",
    "booklost find", "bookno", "bookdear", "bookbroken", "book booktoo",
)  # fmt: skip
POLICIES = ("interrupt", "interrupt", "interrupt", "enqueue", "reject")
MOVES = 22
A_GROUP = Loss(WRITE, lambda values, _answer: len(values[0]) > 1)
"""The loss of the answer to the write of a group of several users."""

A_CLAIM = Loss(CLAIM, lambda _values, answer: answer["owned_by"] is None)
A_TAKE = Loss(TAKE, lambda _values, answer: bool(answer))
"""The loss of the only word of a lease that has begun."""

LOSSES = (Loss(WRITE), A_GROUP, A_GROUP, Loss(LEASES), A_CLAIM, A_CLAIM, A_TAKE)


C = TypeVar("C", bound=Cluster)

Story = Callable[[Cluster], Coroutine[Any, Any, None]]
"""What happens to a cluster that serves, before all comes to its end."""


async def live(cluster: Cluster) -> None:
    """Make random moves."""
    for _ in range(MOVES):
        await _move(cluster.random, cluster)
        check_now(cluster)


async def whole(cluster: Cluster, story: Story) -> None:
    """Play a story to the end of all that it has begun, and check it."""
    await cluster.start()
    await story(cluster)
    await check_any_moment(cluster)
    await cluster.quiet()
    await check_the_end(cluster)


async def _move(random: Random, cluster: Cluster) -> None:
    moves = {_speak: 42, _wait: 36, disturb: 22}
    [move] = random.choices(list(moves), weights=list(moves.values()))
    await move(random, cluster)


async def _speak(random: Random, cluster: Cluster) -> None:
    user = random.choice(USERS)
    kinds = ["post", "together", "answer", "stop", "delete"]
    [how] = random.choices(kinds, weights=[45, 15, 30, 8, 2])
    match how:
        case "together":
            owner = cluster.owner_of(OF_ONE_LANE[0])
            slot = random.randrange(REPLICAS) if owner is None else owner
            if random.randrange(2):
                _lose(random, cluster, slot, A_GROUP)
            for each in OF_ONE_LANE * 2:
                cluster.post(each, random.choice(PROGRAMS), policy=random.choice(POLICIES), slot=slot)
        case "answer":
            cluster.answer(user, random.choice(["word", "word", "other"]))
        case "stop":
            cluster.stop(user)
        case "delete":
            cluster.delete(user)
        case _:
            for _ in range(random.choice([1, 1, 1, 2, 4])):
                cluster.post(user, random.choice(PROGRAMS), policy=random.choice(POLICIES))


async def _wait(random: Random, _cluster: Cluster) -> None:
    await asyncio.sleep(random.choice([0.001, 0.004, 0.01, 0.03, 0.3, 0.5, 1, 2.5, 5]))


async def disturb(random: Random, cluster: Cluster) -> None:
    """Have something go wrong."""
    slot = random.randrange(REPLICAS)
    kinds = ["kill", "freeze", "cut", "reset", "lose", "hints", "cut hints", "database", "end"]
    [how] = random.choices(kinds, weights=[8, 8, 4, 5, 12, 5, 3, 2, 3])
    match how:
        case "kill":
            cluster.kill(slot)
        case "freeze":
            cluster.freeze(slot, random.choice([0.05, 0.5, 2, 5, 8]))
        case "cut":
            cluster.cut(slot, random.choice([0.05, 0.5, 2, 5, 12]))
        case "reset":
            cluster.slots[slot].link.reset()
        case "lose":
            _lose(random, cluster, slot, random.choice(LOSSES))
        case "hints":
            late_s = random.choice([0.0, 0.1, 1.0])
            cluster.server.hints = Hints(random.choice([0, 20, 100]), random.choice([0, 30]), 30, late_s)
        case "cut hints":
            cluster.cut_hints(slot, random.choice([0.5, 2, 5]))
        case "database":
            cluster.restart_database(random.choice([0.05, 1, 4]))
        case _:
            cluster.slots[slot].end()


def _lose(random: Random, cluster: Cluster, slot: int, loss: Loss) -> None:
    """Lose an answer; freeze the replica at that moment or not, so that its users may have moved on."""
    frozen_s = random.choice([0.0, 0.0, 0.5, 5.0])
    if frozen_s:
        loss = replace(loss, then=lambda _values: cluster.freeze(slot, frozen_s))
    cluster.slots[slot].link.lose_answer(loss)


def run(seed: int, story: Story = live) -> Cluster:
    """Play one seed to its end; return what was played. Raises what is wrong, with the seed in a note."""
    return run_on(seed, Cluster, lambda cluster: whole(cluster, story))


def run_on(seed: int, make: Callable[[Random], C], play: Callable[[C], Coroutine[Any, Any, None]]) -> C:
    """Play one seed with a cluster of another kind; as `run` does."""
    failures: list[dict[str, Any]] = []
    random = Random(seed)

    async def played() -> C:
        cluster = make(random)
        try:
            await play(cluster)
        finally:
            failed = [*failures]
            await cluster.end()
            failures[:] = failed
        return cluster

    try:
        with asyncio.Runner(loop_factory=lambda: ProcessLoop(seed)) as runner:
            runner.get_loop().set_exception_handler(lambda _loop, context: failures.append(context))
            cluster = runner.run(played())
        assert not failures, str(failures[0])
    except Exception as error:
        error.add_note(f"under seed {seed}")
        raise
    finally:
        gc.collect(0)
    return cluster
