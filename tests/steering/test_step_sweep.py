"""Whatever comes, at whichever step from the acceptance of a steered message to its fate: every one is tried.

`make steering ARGS=--steps` tries all that may come, in both lives; these tests what matters most.
"""

import asyncio
import functools
from collections.abc import Callable, Coroutine, Sequence
from random import Random
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage

from backend.graphs.support import GraphInterface
from tests.graphs.scripted_chat import calling
from tests.interruption.parts import Parts
from tests.steering.desk import GRAPHS, Desk
from tests.steering.world import World, interface_of
from tests.virtual_time import sweep_steps


class Plan(Desk):
    """The model calls a tool for each message that asks it to, and then answers."""

    def __init__(self, *, calls: bool) -> None:
        super().__init__(Random(0))
        self._calls = calls

    def line(self, messages: Sequence[BaseMessage], *, calls: bool) -> AIMessage:
        if self._calls and not any(each.type == "tool" for each in messages):
            return calling("look", text="let me see")
        return AIMessage("this is all of it")

    async def use(self, name: str) -> str:
        await asyncio.sleep(0.2)
        return "seen"


@functools.cache
def _planned(*, calls: bool) -> tuple[Plan, GraphInterface]:
    plan = Plan(calls=calls)
    return plan, interface_of(GRAPHS[0], plan)


class Life:
    """A run that is steered, while its tools work or as it answers, and whatever comes then."""

    def __init__(self, *, calls: bool, parts_type: type[Parts] = Parts) -> None:
        plan, interface = _planned(calls=calls)
        plan.prompts.clear()
        self.world = World(plan, GRAPHS[0], interface=interface, parts_type=parts_type)
        self.steered = asyncio.Event()

    async def run(self) -> None:
        await self.world.start()
        self.world.post("ann", "interrupt")
        await asyncio.sleep(0.35)
        self.world.post("ann", "steer")
        self.steered.set()
        await self.world.quiet()

    async def ready(self) -> World:
        await self.steered.wait()
        return self.world

    async def check(self) -> None:
        await self.world.finish()


async def kill(life: Life) -> None:
    await (await life.ready()).kill()


async def kill_twice(life: Life) -> None:
    await (await life.ready()).kill(next_lives_s=0.014)


async def shut_down(life: Life) -> None:
    await (await life.ready()).shut_down()


async def supersede(life: Life) -> None:
    (await life.ready()).post("ann", "interrupt")


async def supersede_twice(life: Life) -> None:
    world = await life.ready()
    world.post("ann", "interrupt")
    world.post("ann", "interrupt")


async def enqueue(life: Life) -> None:
    (await life.ready()).post("ann", "enqueue")


async def steer(life: Life) -> None:
    (await life.ready()).post("ann", "steer")


async def send_again(life: Life) -> None:
    (await life.ready()).post_again("ann")


async def stop(life: Life) -> None:
    (await life.ready()).stop("ann", withdraws=False)


async def stop_and_withdraw(life: Life) -> None:
    (await life.ready()).stop("ann", withdraws=True)


async def withdraw(life: Life) -> None:
    (await life.ready()).change("ann", "withdraw")


async def edit(life: Life) -> None:
    (await life.ready()).change("ann", "edit")


async def now(life: Life) -> None:
    (await life.ready()).change("ann", "now")


async def later(life: Life) -> None:
    (await life.ready()).change("ann", "later")


async def delete(life: Life) -> None:
    (await life.ready()).delete("ann")


Interruption = Callable[[Life], Coroutine[Any, Any, None]]

OFTEN: list[Interruption] = [kill, supersede, stop, stop_and_withdraw, withdraw, now]
SELDOM: list[Interruption] = [
    kill_twice, shut_down, supersede_twice, enqueue, steer, send_again, edit, later, delete
]  # fmt: skip


def sweep(interruption: Interruption, *, calls: bool, parts_type: type[Parts] = Parts) -> int:
    """Let something come at every step of a life; return how many there are."""
    return sweep_steps(lambda: Life(calls=calls, parts_type=parts_type), interruption)


@pytest.mark.requirement("STEERED-ONCE")
@pytest.mark.parametrize("interruption", OFTEN, ids=lambda each: each.__name__)
def test_steered_message_has_one_fate_at_every_step(interruption):
    assert sweep(interruption, calls=True) > 100


@pytest.mark.requirement("STEERED-ONCE")
@pytest.mark.parametrize("interruption", [kill, stop_and_withdraw], ids=lambda each: each.__name__)
def test_message_that_no_step_takes_in_has_one_fate(interruption):
    assert sweep(interruption, calls=False) > 100
