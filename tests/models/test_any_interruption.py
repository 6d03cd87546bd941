"""A model in the loop, two users' worth of messages, and interruptions wherever hypothesis puts them.

After every move, and at every step of the loop that the model takes, what a model would be told is valid by
the rules of every service, each call that was asked for has one result, and the result is what the ledger
says. Planted bugs are found: steps that are stored though they were cut short, calls without their rows, and
results that are told from memory.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from backend.domain.model_usage import Usage
from backend.travel.models import history
from backend.travel.models.base import ModelAnswer, Question
from tests.interruption.parts import EVERYTHING, Parts
from tests.models.journeys import offers, parts, told_from_store
from tests.models.scripted_model import reading, role_of, search_flights, search_hotels
from tests.models.wire import faults, results
from tests.virtual_time import VirtualTimeLoop

MESSAGES = (
    "Find flights from Berlin to Tokyo on 10 December",
    "Find flights from Berlin to Tokyo on 10 December under 100 euros",
    "flights under 100 euros and 5-star hotels in Tokyo from Berlin, 10 to 11 December",
    "make it two passengers",
    "nonstop please",
    "find flights",
    "hello",
    "stop",
)
PIECES = ("The ", "cheapest ", "is ", "Larch.")
PAUSES = st.sampled_from([0.1, 0.35, 0.6, 1.1, 2.5, 7.0])


class FreeModel:
    """Answers as hypothesis has it, a piece every tenth of a second; refuses what a service would refuse."""

    name = "free:model"

    def __init__(self, choose: Callable[[int], int]) -> None:
        self._choose = choose
        self.wrong: list[str] = []

    async def answer(self, question: Question, *, meter: Any, say: Any = None) -> ModelAnswer:
        self.wrong += faults(question.messages[1:])
        metered = meter.begin(len(str(question.messages)))
        role = role_of(question)
        calls, text = tuple(self._calls(role)), ""
        if role == "reading":
            text = reading(*("flight", "hotel")[: self._choose(3)])
        for piece in PIECES[: self._choose(len(PIECES) + 1)]:
            await asyncio.sleep(0.1)
            text += piece
            metered.received += len(piece)
            if say is not None:
                say(piece)
        await asyncio.sleep(0.1)
        metered.reported = Usage(1, 1, 1)
        return ModelAnswer(text=text, calls=calls, usage=metered.reported)

    def _calls(self, role: str) -> list[Any]:
        search = {"flight": search_flights, "hotel": search_hotels}.get(role)
        if search is None:
            return []
        count = self._choose(3)
        return [search(max_price=100 * (number + self._choose(3))) for number in range(count)]

    async def close(self) -> None:
        pass


class Interrupted(RuleBasedStateMachine):
    """Between two rules the loop stands still; each lets time pass, in which models and sources get on."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.Runner(loop_factory=VirtualTimeLoop)
        self.failures: list[dict[str, Any]] = []
        self.loop.get_loop().set_exception_handler(lambda _loop, context: self.failures.append(context))
        self.number = 0
        self.model = FreeModel(self._choose)
        self.core: Parts = self.run(self._begin())

    async def _begin(self) -> Parts:
        core = parts(self.model, offers(), searches_further=True)
        await core.open()
        return core

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        return self.loop.run(coroutine)

    def _choose(self, below: int) -> int:
        self.number = (self.number * 1103515245 + 12345) % 2**31
        return (self.number >> 8) % below

    @rule(message=st.sampled_from(MESSAGES), seed=st.integers(0, 10_000), seconds=PAUSES)
    def post(self, message: str, seed: int, seconds: float) -> None:
        self.number += seed
        self.run(self._post(message, seconds))

    async def _post(self, message: str, seconds: float) -> None:
        await self.core.post(message)
        await asyncio.sleep(seconds)

    @rule(times=st.integers(1, 2), seconds=PAUSES)
    def stop(self, times: int, seconds: float) -> None:
        self.run(self._stop(times, seconds))

    async def _stop(self, times: int, seconds: float) -> None:
        if self.core.runner.conversations.get("ann") is not None:
            await asyncio.gather(*(self.core.runner.stop("ann") for _ in range(times)))
        await asyncio.sleep(seconds)

    @rule(seconds=PAUSES)
    def pass_time(self, seconds: float) -> None:
        self.run(asyncio.sleep(seconds))

    @rule(steps=st.integers(1, 30))
    def take_steps(self, steps: int) -> None:
        self.run(self._steps(steps))

    async def _steps(self, steps: int) -> None:
        for _ in range(steps):
            await asyncio.sleep(0)

    @invariant()
    def history_is_valid_and_true(self) -> None:
        self.run(self.check())

    async def check(self) -> None:
        assert self.model.wrong == []
        for agent in ("flight", "hotel", None):
            told = await told_from_store(self.core, agent)
            assert faults(told) == []
            await self._check_results(agent, results(told))

    async def _check_results(self, agent: str | None, told: dict[str, str]) -> None:
        steps = await self.core.store.get_model_steps("ann", since_turn=0)
        asked = [(step, call) for step in steps if step.agent == agent for call in step.calls]
        assert sorted(told) == sorted(call.call_id for _, call in asked)
        for step, call in asked:
            rows = await self.core.store.get_tool_calls("ann", step.turn)
            row = next((each for each in reversed(rows) if each.key == call.key), None)
            truth = history._NOT_STARTED if row is None else history._TRUTH.get(row.outcome or "failed", "")
            assert call.refused or row is None or row.outcome is None or truth in told[call.call_id]

    def teardown(self) -> None:
        try:
            self.run(self._finish())
            assert asyncio.all_tasks(self.loop.get_loop()) == set()
        finally:
            self.loop.close()
        assert self.failures == []

    async def _finish(self) -> None:
        await asyncio.sleep(60)
        await self.core.close()
        await self.check()
        await self._check_endings()

    async def _check_endings(self) -> None:
        """Every task that was interrupted has one marker, and its receipt one line for each of its calls."""
        entries = await self.core.store.get_messages("ann", limit=EVERYTHING)
        for event in [each for each in await self.core.events() if each.get("type") == "receipt"]:
            receipt = event["receipt"]
            markers = [
                each for each in entries if each.task_id == receipt["task_id"] and each.role == "system"
            ]
            assert len(markers) == 1
            ids = [call["call_id"] for call in receipt["tool_calls"]]
            assert len(ids) == len(set(ids))
            assert all(call["outcome"] for call in receipt["tool_calls"])


def interrupt(examples: int) -> None:
    """Let so many conversations be interrupted; raise what the first one fails with."""
    quick = settings(
        max_examples=examples,
        stateful_step_count=20,
        deadline=None,
        database=None,
        derandomize=True,
        phases=(Phase.generate,),
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
    run_state_machine_as_test(Interrupted, settings=quick)


@pytest.mark.requirement("MODEL-HISTORY-IS-VALID")
def test_history_stays_valid_and_true_whatever_is_interrupted() -> None:
    interrupt(25)


def test_planted_bug_that_leaves_out_a_result_is_found(monkeypatch) -> None:
    whole = history._List.step

    def without_the_last(self: Any, step: Any, told: Any) -> None:
        whole(self, step, list(told)[:-1])

    monkeypatch.setattr(history._List, "step", without_the_last)
    with pytest.raises(AssertionError):
        interrupt(20)


def test_planted_bug_that_tells_every_call_as_done_is_found(monkeypatch) -> None:
    monkeypatch.setattr(history, "_result", lambda *_anything: "Done.")
    with pytest.raises(AssertionError):
        interrupt(20)
