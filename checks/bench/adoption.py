"""What taking over searches saves, and whether what is taken over is ever wrong.

The same people change their minds (`mind_changes`) under four policies, against the real core: the message
is read, the task superseded, the ledger asked, the travel graph run. Only the sources are made up (`market`),
and time is virtual, so that hours pass in seconds. The policies differ in what the ledger may take over:

- `cancel`: nothing; every message searches anew;
- `cache`: searches that have ended, by key, as a plain cache would;
- `adopt`: searches that still run;
- `detour`: both, as the product does.
"""

import asyncio
import functools
import gc
import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, cast

from backend.conversation.agent_manager import AgentManager
from backend.conversation.conversation import Runtime
from backend.domain.tool_call import ToolCall
from backend.interruption_manager import InterruptionManager
from backend.store.event_bus import EventBus
from backend.store.event_log import EventLog
from backend.store.ownership import Alone
from backend.store.sqlite.memory import MemoryStateStore
from backend.tasks.ledger.adoption import FreshReads, HeldReads
from backend.tasks.ledger.calls import RunningCall
from backend.tasks.ledger.ledger import Ledger
from backend.tasks.task_context import TaskContext
from backend.tasks.task_owner import TaskOwner
from backend.travel.providers.base import Provider
from backend.travel.workflow import TravelWorkflow
from checks.bench.adoption_oracle import is_right
from checks.bench.figures import Figure
from checks.bench.market import Market
from checks.bench.mind_changes import TODAY, Said, Script, scripts
from checks.bench.servers import ServerKind
from tests.virtual_time import VirtualTimeLoop, virtual_clock

SCRIPTS, FEW = 360, 30
SEED = 20260105
POLICIES = ("cancel", "cache", "adopt", "detour")


class HoldsNothing(HeldReads):
    """Lets go at once of every read of an interrupted task."""

    def hold(self, call: RunningCall) -> None:
        call.cancel()


class KnowsNothing(FreshReads):
    """Knows nothing of what a read has found."""

    def get(self, user_id: str, key: str) -> None:
        return None


class PolicyLedger(Ledger):
    """A ledger that takes over less than it could."""

    def __init__(self, policy: str, owner: TaskOwner, **parts: Any) -> None:
        super().__init__(owner, **parts)
        if policy in ("cancel", "cache"):
            self._held = HoldsNothing()
        if policy in ("cancel", "adopt"):
            self._fresh = KnowsNothing(self._clock)


@dataclass(slots=True)
class Outcome:
    """What one policy did for all scripts.

    `waits` are the seconds from each last wish to all its results, `helped` those of wishes that leave a
    search as it was. Of the calls that were taken over, `false` are those that gave what the new request is
    not due; `misread` are calls made anew that did, so that the fault is not one of taking over.
    """

    mind_changes: int = 0
    calls: int = 0
    seconds: float = 0.0
    waits: list[float] = field(default_factory=list[float])
    helped: list[float] = field(default_factory=list[float])
    taken_over: Counter[str] = field(default_factory=Counter[str])
    false: list[str] = field(default_factory=list[str])
    misread: list[str] = field(default_factory=list[str])


class World:
    """One process over a paced market, under one policy."""

    def __init__(self, policy: str) -> None:
        self.market = Market()
        self.store = MemoryStateStore(keep_events=10)
        self.owner = TaskOwner()
        clock = virtual_clock()
        new_id = (f"t{number:06}" for number in itertools.count(1)).__next__
        log = EventLog(self.store, EventBus())
        ledger = PolicyLedger(policy, self.owner, store=self.store, log=log, clock=clock, new_id=new_id)
        self.interruptions = InterruptionManager(
            store=self.store,
            log=log,
            ledger=ledger,
            owner=self.owner,
            clock=clock,
            task_timeout_s=math.inf,
            answer_within_s=86_400.0,
            allow_within_s=900.0,
        )
        self.log = log
        self.runner = AgentManager(
            Runtime(
                store=self.store,
                log=log,
                ownership=Alone(self.store.unfinished_users),
                interruptions=self.interruptions,
                ledger=ledger,
                workflow=TravelWorkflow(cast("Provider", self.market), ledger, today=lambda: TODAY),
                owner=self.owner,
                clock=clock,
                new_task_id=new_id,
            )
        )

    async def play(self, script: Script, user_id: str, outcome: Outcome) -> None:
        """Have one person say it all, wait for the last results, and judge each task."""
        loop = asyncio.get_running_loop()
        calls, seconds = self.market.meter.calls, self.market.meter.seconds
        tasks: list[tuple[Said, TaskContext]] = []
        asked_at = loop.time()
        for said in script:
            await asyncio.sleep(said.after_s)
            accepted = await self.runner.handle_user_message(user_id, said.text)
            context = self.interruptions.context_of(accepted.task_id)
            if said.means is not None and context is not None:
                tasks.append((said, context))
                asked_at = loop.time()
        await self.interruptions.wait_settled(tasks[-1][1].task_id)
        outcome.waits.append(loop.time() - asked_at)
        *_, before, wish = (said.means for said, _ in tasks if said.means is not None)
        if wish.leaves_a_search_as_it_is(before):
            outcome.helped.append(outcome.waits[-1])
        for task_id in self.interruptions.running_tasks(user_id):
            await self.interruptions.wait_settled(task_id)
        outcome.mind_changes += sum(said.means is not None for said in script[1:])
        outcome.calls += self.market.meter.calls - calls
        outcome.seconds += self.market.meter.seconds - seconds
        _judge(tasks, outcome)


def _judge(tasks: Sequence[tuple[Said, TaskContext]], outcome: Outcome) -> None:
    """Judge every call of one person's tasks by what was shown for it."""
    earlier: dict[str, ToolCall] = {}
    for said, context in tasks:
        found = context.partial_results.to_json()
        for call in context.tool_calls.values():
            before = earlier.get(call.call_id)
            if before is not None:
                outcome.taken_over["running" if before.outcome == "adopted" else "finished"] += 1
            whole = call.outcome == "completed"
            if said.means is None or not is_right(
                said.means, call.agent, found.get(call.agent, ()), whole=whole
            ):
                what = f"{said.text!r} of {context.user_id}: {call.tool}"
                (outcome.misread if before is None else outcome.false).append(what)
            earlier[call.call_id] = call


async def play_all(policy: str, all_scripts: Sequence[Script]) -> Outcome:
    """Play every script in one world, one after the other, each with a user of its own."""
    world, outcome = World(policy), Outcome()
    await world.log.open()
    for number, script in enumerate(all_scripts):
        await world.play(script, f"user-{number}", outcome)
    await world.runner.close(grace_s=1)
    await world.owner.finish(grace_s=1)
    return outcome


def compare(
    count: int = SCRIPTS, *, policies: Sequence[str] = POLICIES, seed: int = SEED
) -> dict[str, Outcome]:
    """What each policy did for the same scripts; on loops of its own, so not from within another."""
    outcomes: dict[str, Outcome] = {}
    for policy in policies:
        with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
            outcomes[policy] = runner.run(play_all(policy, scripts(count, seed=seed)))
        gc.collect()
    return outcomes


def figures_of(outcomes: dict[str, Outcome]) -> list[Figure]:
    """The table: a row a figure, a column a policy."""
    first = next(iter(outcomes.values()))
    rows: list[tuple[str, str, Callable[[Outcome], float]]] = [
        (f"calls of a source, {first.mind_changes} changes of mind", "", lambda one: one.calls),
        ("seconds that sources worked", "s", lambda one: one.seconds),
        (
            f"until all results of the last wish, mean of {len(first.waits)}",
            "s",
            lambda one: fmean(one.waits),
        ),
        (
            f"the {len(first.helped)} of them that leave a search as it was",
            "s",
            lambda one: fmean(one.helped),
        ),
        ("searches taken over while they ran", "", lambda one: one.taken_over["running"]),
        ("searches taken over that had ended", "", lambda one: one.taken_over["finished"]),
        ("searches taken over wrongly", "", lambda one: len(one.false)),
        ("searches made for what was not meant", "", lambda one: len(one.misread)),
    ]
    figures: list[Figure] = []
    for name, unit, value in rows:
        figure = Figure("adoption", name, unit)
        for policy, outcome in outcomes.items():
            figure.add(policy, value(outcome))
        figures.append(figure)
    return figures


async def measure(_kinds: Sequence[ServerKind], *, short: bool) -> list[Figure]:
    """Compare the policies; raises `RuntimeError` where a search was taken over wrongly."""
    play = functools.partial(compare, FEW if short else SCRIPTS)
    outcomes = await asyncio.to_thread(play)
    wrong = [what for outcome in outcomes.values() for what in outcome.false + outcome.misread]
    if wrong:
        raise RuntimeError("; ".join(wrong[:5]))
    return figures_of(outcomes)
