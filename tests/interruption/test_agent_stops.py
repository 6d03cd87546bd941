"""One agent of a task is stopped, at whichever step, alone or at the instant at which something else comes.

What must hold then is in `accounts` and `invariants`: nothing more is taken of the agent, its read is told as
cut short and never taken over by another task, what it had begun to change is finished and told as done, what
it asked is withdrawn. Here it is added that all else goes on. Each bug of `BUGS` is caught by the sweep that
it names.
"""

import asyncio
import gc
from collections.abc import Callable
from typing import Any

import pytest

from backend.conversation import stopping as agent_stopping
from backend.interruption_manager import InterruptionManager
from backend.tasks.ledger.calls import RunningCall
from backend.tasks.ledger.ledger import Ledger
from backend.tasks.task_context import STOPPED, TaskContext
from tests.interruption.accounts import calls_of
from tests.interruption.parts import Parts
from tests.interruption.world import (
    ALLOWING,
    CALLING,
    Coming,
    Story,
    World,
    answer,
    delete,
    kill,
    play,
    shut_down,
    stop,
    sweep,
)
from tests.virtual_time import run_seeded

SEEDS = 40


class Searching(Story):
    """Two agents that search."""

    message = "declare both find"

    async def check(self) -> None:
        await self.world.finish()
        calls = await calls_of(self.world.store.kept, "ann")
        for each in self.world.stopped_agents:
            outcomes = [call["outcome"] for call in each["tool_calls"]]
            assert "unknown" not in outcomes, f"told before it was so: {each}"
            if each["done"] < each["total"]:
                assert "completed" not in outcomes, f"it went on: {each}"
        for accepted in self.world.accepted:
            task = await self.world.store.kept.get_task_metadata(accepted.user_id, accepted.task_id)
            if task is not None and (task.message, task.status) == (self.message, "completed"):
                self.completed({call.agent: call for call in calls if call.task_id == task.task_id})

    def completed(self, calls: dict[str, Any]) -> None:
        """Check a task that nothing has interrupted."""
        stopped = {each["agent"] for each in self.world.stopped_agents}
        for agent in ("flight", "hotel"):
            if calls[agent].outcome != "completed":
                assert calls[agent].outcome in ("cancelled", "not_started")
                assert calls[agent].summary.startswith(STOPPED)
                assert agent in stopped, "another agent's search was cut short"


class Booking(Searching):
    """Something is booked, and allowed as soon as it is asked for."""

    message = "declare book find"

    async def goes_on(self) -> None:
        await asyncio.sleep(0.05)
        self.world.answer("ann", "word")

    def completed(self, calls: dict[str, Any]) -> None:
        assert calls["booking"].outcome in ("completed", "completed_after_interrupt", "not_started")


class Asking(Searching):
    """A question that is never answered: only if its agent is stopped the task comes to its end."""

    message = "declare find asking wait find"
    agent = "flight"

    async def check(self) -> None:
        stopped = [each["task_id"] for each in self.world.stopped_agents if each["state"] == "interrupted"]
        asked = [each for each in await self.world.asked("ann", "bob") if each.task_id in stopped]
        assert asked == [], "it is asked still"
        await super().check()

    def completed(self, calls: dict[str, Any]) -> None:
        pass


class Answered(Asking):
    """The same question, answered."""

    async def goes_on(self) -> None:
        await asyncio.sleep(0.3)
        self.world.answer("ann", "first")


AGENTS: dict[type[Searching], str] = {
    Searching: "hotel", Booking: "booking", Asking: "flight", Answered: "flight",
}  # fmt: skip


async def alone(world: World) -> None:
    """Nothing else comes."""


async def twice(world: World) -> None:
    for agent in ("flight", "hotel", "booking"):
        world.stop_agent("ann", agent)


async def superseded(world: World) -> None:
    world.post("ann", "cling oslo")


COMING: list[Coming] = [alone, twice, superseded, stop, answer, delete, kill, shut_down]


def stops(story: type[Searching], coming: Coming, parts_type: type[Parts] = Parts) -> int:
    """Stop the story's agent at each of its steps, and let something else come at the same instant."""

    async def stop_and(world: World) -> None:
        world.stop_agent("ann", AGENTS[story])
        await coming(world)

    return sweep(lambda: story(parts_type=parts_type), stop_and)


@pytest.mark.requirement("AGENTS-STOP-ALONE")
@pytest.mark.parametrize("coming", COMING, ids=lambda each: each.__name__)
@pytest.mark.parametrize("story", AGENTS, ids=lambda each: each.__name__)
def test_agent_stop_is_true_whatever_comes_at_the_same_instant(story, coming):
    assert stops(story, coming) > 20


@pytest.mark.requirement("AGENTS-STOP-ALONE")
@pytest.mark.parametrize("seed", range(SEEDS))
def test_agent_stops_hold_in_random_lives(seed):
    programs = (
        *CALLING,
        *(f"declare {each}" for each in CALLING),
        "declare both",
        "declare find asking wait",
    )
    speaking = {**ALLOWING, "stop agent": 25}
    run_seeded(lambda: play(seed, programs=programs, speaking=speaking), seed)


# --- planted bugs ----------------------------------------------------------------------------------------


class HoldsWhatWasStopped(Ledger):
    """A read that was cut short is held for the next task, which then takes it over."""

    def interrupt_calls(self, context: TaskContext) -> None:
        for running in self._calls.of_task(context.task_id):
            running.stopped = False
        super().interrupt_calls(context)


class StopsTheOthersToo(Ledger):
    """Every call of the task is cut short."""

    def interrupt_calls_of_agent(self, context: TaskContext, agent: str) -> None:
        for each in ("flight", "hotel", "booking"):
            super().interrupt_calls_of_agent(context, each)


class CancelsWhatHasBegun(Ledger):
    """A write of the agent that has begun is cancelled."""

    def interrupt_calls_of_agent(self, context: TaskContext, agent: str) -> None:
        super().interrupt_calls_of_agent(context, agent)
        for running in self._calls.of_task(context.task_id):
            if running.call.agent == agent:
                RunningCall.cancel(running)


class StopsNothing(Ledger):
    """The agent says that it has stopped, and its search goes on."""

    def interrupt_calls_of_agent(self, context: TaskContext, agent: str) -> None:
        pass


class TakesMore(InterruptionManager):
    """What a stopped agent shows, and tells of itself, is taken all the same."""

    def create_task_context(self, *args: Any, **kwargs: Any) -> TaskContext:
        context = super().create_task_context(*args, **kwargs)
        context.__class__ = _Credulous
        return context


class _Credulous(TaskContext):
    def is_stopped(self, agent: str) -> bool:
        return False


def asks_on(patch: pytest.MonkeyPatch) -> None:
    """What a stopped agent asks is asked still."""

    async def never(*_: Any) -> None:
        pass

    patch.setattr(agent_stopping, "waive", never)


Bug = type[Ledger] | type[InterruptionManager] | Callable[[pytest.MonkeyPatch], None]
BUGS: dict[Bug, tuple[type[Searching], Coming]] = {
    HoldsWhatWasStopped: (Searching, superseded),
    StopsTheOthersToo: (Searching, alone),
    CancelsWhatHasBegun: (Booking, alone),
    StopsNothing: (Searching, alone),
    TakesMore: (Searching, alone),
    asks_on: (Asking, alone),
}
PLACE = {Ledger: "ledger_type", InterruptionManager: "manager_type"}


@pytest.mark.parametrize("bug", BUGS, ids=lambda each: each.__name__)
@pytest.mark.filterwarnings("ignore")  # a scenario that fails half way leaves coroutines behind
def test_planted_bug_is_caught(bug, monkeypatch):
    parts_type = Parts
    if isinstance(bug, type):
        parts_type = type("Buggy", (Parts,), {PLACE[bug.__mro__[1]]: bug})
    else:
        bug(monkeypatch)
    try:
        stops(*BUGS[bug], parts_type)
        caught = False
    except Exception:  # noqa: BLE001 - whichever way it fails
        caught = True
    gc.collect()
    assert caught
