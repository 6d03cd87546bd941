"""What an agent finds item by item is told together, and never out of order with anything else."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest

from backend.domain.errors import StoreUnavailable
from backend.domain.events import Speaker
from backend.domain.partials import MOST_TOGETHER_BYTES
from backend.domain.task import InterruptReason
from backend.domain.task_life import Transition
from backend.tasks.settlement import Ending, ending_records
from tests.interruption.parts import Parts, started
from tests.records import ANN
from tests.tools.calls import Bench

pytestmark = pytest.mark.virtual_time


@pytest.fixture
async def core() -> AsyncIterator[Parts]:
    async with started(Parts()) as parts:
        yield parts


async def told(core: Parts, run: Any) -> list[tuple[Any, ...]]:
    """Run a work; what it told besides the task's own events: (agent, items), (agent, state) or (text,)."""
    core.workflow.run = run
    await core.settled(await core.post("anything"))
    forms = {
        "partial_result": lambda event: (event["agent"], event["items"], event["count"]),
        "agent_update": lambda event: (event["agent"], event["state"], event["count"]),
        "text_delta": lambda event: (event["text"],),
    }
    return [forms[event["type"]](event) for event in await core.events() if event["type"] in forms]


async def test_items_found_in_one_step_of_the_loop_are_one_event(core):
    async def run(context):
        for number in range(3):
            context.publish("flight", [number])
        await asyncio.sleep(0)
        context.publish("flight", [3])
        return "done"

    assert (await told(core, run))[:2] == [("flight", [0, 1, 2], 3), ("flight", [3], 4)]


async def test_text_before_the_next_group_of_writes_is_one_event(core):
    async def run(context):
        for word in ("It ", "is ", "sunny."):
            context.say(word)
        assert context.partial_results.text == "It is sunny."
        context.publish("flight", [0])
        context.say(" Bye.")
        return "done"

    assert (await told(core, run))[:3] == [("It is sunny.",), ("flight", [0], 1), (" Bye.",)]


async def test_text_of_two_speakers_stays_apart_and_in_order(core):
    ann, bob = Speaker("ann", "m1", is_reply=True), Speaker("bob", "m2", is_reply=False)

    async def run(context):
        context.say("a", by=ann)
        context.say("x", by=bob, offset=0)
        context.say("y", by=bob, offset=1)
        context.say("b", by=ann)
        return "done"

    assert await told(core, run) == [("a",), ("xy",), ("b",)]


async def test_text_event_has_a_largest_size(core):
    half = "x" * (MOST_TOGETHER_BYTES // 2 + 1)

    async def run(context):
        context.say(half)
        context.say(half)
        return "done"

    assert await told(core, run) == [(half,), (half,)]


@pytest.mark.parametrize(("said", "roles"), [(" ", ["system"]), (" It", ["assistant", "system"])])
async def test_blank_partial_reply_is_no_message(core, said, roles):
    async def run(context):
        context.say(said)
        core.interruptions.interrupt_task(context.task_id, InterruptReason.STOPPED)
        await asyncio.sleep(0)

    await told(core, run)
    assert [role for role, _ in await core.history()][-len(roles) :] == roles
    assert len(await core.history()) == 1 + len(roles)


async def test_results_of_two_agents_or_sources_stay_apart_and_in_order(core):
    async def run(context):
        context.publish("flight", [0])
        context.publish("hotel", [1])
        context.publish("flight", [2], source="one")
        context.publish("flight", [3], source="two")
        return "done"

    found = await told(core, run)
    assert found[:4] == [("flight", [0], 1), ("hotel", [1], 1), ("flight", [2], 2), ("flight", [3], 3)]


@pytest.mark.parametrize(
    ("tell", "form"),
    [
        (lambda context: context.say("so far"), ("so far",)),
        (lambda context: context.progress("flight", "working"), ("flight", "working", 1)),
    ],
)
async def test_other_events_follow_the_results_before_them(core, tell, form):
    async def run(context):
        context.publish("flight", [0])
        tell(context)
        context.publish("flight", [1])
        return "done"

    assert (await told(core, run))[:3] == [("flight", [0], 1), form, ("flight", [1], 2)]


async def test_results_in_the_step_of_the_interruption_precede_the_ending(core):
    async def run(context):
        context.publish("flight", [0])
        core.interruptions.interrupt_task(context.task_id, InterruptReason.STOPPED)
        context.publish("flight", [1])
        return "done"

    assert (await told(core, run))[0] == ("flight", [0], 1)
    assert [saved.found.items for saved in await core.store.get_partials("ann", 1)] == [b"0"]


@pytest.mark.parametrize("is_refused", [False, True])
async def test_results_of_a_thread_in_the_step_of_the_ending_precede_it(monkeypatch, is_refused):
    def refuse(*_records: Any) -> None:
        raise StoreUnavailable("The queue is full.")

    bench = await Bench().open()
    context = await bench.context()
    context.publish("flight", [0])
    with monkeypatch.context() as meanwhile:
        if is_refused:
            meanwhile.setattr(bench.store, "record", refuse)
        records = ending_records(
            context, Ending(step=Transition.COMPLETE, text="done"), [], now=bench.clock()
        )
        assert records is not None
        ended = bench.log.commit(ANN, *records)
    await ended
    page = await bench.store.events_after("ann", 0, limit=10)
    told = [orjson.loads(event.frame) for event in page.events]
    assert [event["type"] for event in told] == ["partial_result", "message", "status_update"]


async def test_result_event_has_a_largest_size(core):
    long = "x" * (MOST_TOGETHER_BYTES // 2)

    async def run(context):
        for _ in range(3):
            context.publish("flight", [long])
        return "done"

    assert [len(each[1]) for each in await told(core, run)][:3] == [1, 1, 1]
