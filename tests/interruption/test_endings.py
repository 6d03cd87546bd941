"""However a work ends, its task ends once, with the truth, and holds nothing up."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from backend.domain.task import InterruptReason, TaskStatus
from backend.interruption_manager import CANCEL_GRACE_S
from backend.tasks.settlement import FAILURE
from tests.interruption.parts import Parts, started

pytestmark = pytest.mark.virtual_time

LONE_SURROGATE = "\ud83d"


@pytest.fixture
async def core() -> AsyncIterator[Parts]:
    async with started(Parts()) as parts:
        yield parts


def now() -> float:
    return asyncio.get_running_loop().time()


@pytest.mark.parametrize("reply", [LONE_SURROGATE, None, 7])
async def test_reply_that_cannot_be_encoded_fails_its_task(core, reply):
    async def run(context):
        return reply

    core.workflow.run = run
    task = await core.post("anything")
    await core.settled(task)
    assert (await core.task(task)).status is TaskStatus.FAILED
    assert (await core.history())[-1] == ("assistant", FAILURE)


@pytest.mark.parametrize("how", ["say", "publish", "progress", "agent"])
async def test_value_without_json_form_is_dropped_and_fails_the_task(core, how):
    async def run(context):
        context.say("so far ")
        match how:
            case "say":
                context.say(LONE_SURROGATE)
            case "publish":
                context.publish("flight", [{"name": LONE_SURROGATE}])
            case "progress":
                context.progress("flight", "working", detail=LONE_SURROGATE)
            case "agent":
                context.publish(LONE_SURROGATE, [{"n": 1}])

    core.workflow.run = run
    task = await core.post("anything")
    await core.settled(task)
    assert (await core.task(task)).status is TaskStatus.FAILED
    snapshot = await core.store.snapshot("ann", history=0)
    assert [saved.text for saved in snapshot.partials] == ["so far "]
    assert snapshot.agents == {}


@pytest.mark.requirement("RESULTS-ARE-BOUNDED")
@pytest.mark.parametrize("how", ["publish", "say", "reply"])
async def test_task_beyond_its_result_limit_fails_and_keeps_its_results(how):
    shown = []

    async def run(context):
        while how != "reply":
            if how == "say":
                context.say("x" * 100)
            else:
                context.publish("flight", ["x" * 100])
            shown.append("x" * 100)
        return "x" * 5000

    async with started(Parts(most_shown=4096)) as core:
        core.workflow.run = run
        task = await core.post("anything")
        await core.settled(task)
        assert (await core.task(task)).status is TaskStatus.FAILED
        said = (await core.history())[-1][1]
        assert said.startswith("This came to more than 0.00391 MiB, the most that is kept for one message.")
        snapshot = await core.store.snapshot("ann", history=0)
        kept = "".join(saved.text or saved.found.items.decode() for saved in snapshot.partials)
        assert kept.count("x" * 100) == len(shown)
        assert (len(shown) > 10) is (how != "reply")
        del core.workflow.run
        await core.settled(again := await core.post("find"))
        assert (await core.task(again)).status is TaskStatus.COMPLETED


@pytest.mark.requirement("STUCK-TASKS-ARE-RELEASED", "NOTHING-AFTER-THE-INTERRUPTION")
async def test_work_that_never_ends_is_abandoned_and_its_later_output_dropped(core):
    old = await core.post("find deaf")
    await asyncio.sleep(0.5)
    new = await core.post("find")
    await core.settled(new)
    assert now() == 0.5
    await core.settled(old)
    assert now() == 0.5 + CANCEL_GRACE_S
    assert (await core.task(old)).reason is InterruptReason.SUPERSEDED
    assert not any("too_late" in str(event) for event in core.bus.published.entries)


@pytest.mark.requirement("STUCK-TASKS-ARE-RELEASED")
async def test_tool_that_never_ends_is_abandoned_as_unknown(core):
    old = await core.post("find deafsearch")
    await asyncio.sleep(1.5)
    await core.runner.stop("ann")
    assert now() <= 1.5 + CANCEL_GRACE_S
    receipt = await core.receipt(old)
    assert receipt["partial_results"] == {"flight": 1, "hotel": 1}
    assert [call["outcome"] for call in receipt["tool_calls"]] == ["unknown"]
    assert core.interruptions.running_tasks() == []


@pytest.mark.requirement("STOP-IS-TRUE")
async def test_search_ends_with_its_task_at_once(core):
    task = await core.post("search find")
    await asyncio.sleep(1.5)
    await core.runner.stop("ann")
    assert now() == 1.5
    assert [call["outcome"] for call in (await core.receipt(task))["tool_calls"]] == ["cancelled"]


async def test_calls_that_outlive_a_failed_work_are_cancelled(core):
    task = await core.post("abandon")
    await core.settled(task)
    assert now() == 0.5
    assert (await core.task(task)).status is TaskStatus.FAILED
    assert [call["outcome"] for call in (await core.receipt(task))["tool_calls"]] == ["cancelled"]


async def test_error_of_a_cancelled_work_does_not_change_its_ending(core):
    task = await core.post("find raises")
    await asyncio.sleep(0.5)
    await core.runner.stop("ann")
    assert (await core.task(task)).status is TaskStatus.INTERRUPTED


async def test_work_that_cancels_itself_fails(core):
    task = await core.post("find cancelled")
    await core.settled(task)
    assert (await core.task(task)).status is TaskStatus.FAILED


async def test_work_cancelled_before_its_first_step_is_settled(core):
    async with asyncio.TaskGroup() as group:
        posted = [group.create_task(core.post("find")) for _ in range(2)]
    first, second = (each.result() for each in posted)
    await core.quiet()
    assert (await core.task(first)).status is TaskStatus.INTERRUPTED
    assert (await core.task(second)).status is TaskStatus.COMPLETED
    assert [context.task_id for context in core.workflow.contexts] == [second]


async def test_no_timer_is_left_after_all_tasks_ended(core):
    await core.post("find wait")
    await core.post("find deaf")
    await asyncio.sleep(0.5)
    await core.post("hello")
    await core.runner.stop("ann")
    await core.post("fail")
    await core.owner.finish(grace_s=10)
    timers = asyncio.get_running_loop()._scheduled
    assert [timer for timer in timers if not timer.cancelled()] == []


async def test_status_callback_that_raises_does_not_stop_the_others(core):
    def raises(task):
        raise RuntimeError("a fault in a listener")

    told = []
    core.interruptions._callbacks.insert(0, raises)
    core.interruptions.register_status_callback(told.append)
    first = await core.post("wait")
    second = await core.post("find", policy="enqueue")
    await core.quiet()
    assert [task.task_id for task in told] == [first, second]


async def test_agents_that_end_with_their_task_have_its_end_time():
    ticks = itertools.count()

    def clock():
        return datetime(2026, 5, 1, tzinfo=UTC) + timedelta(milliseconds=next(ticks))

    async with started(Parts(clock=clock)) as core:
        task = await core.post("find wait")
        await asyncio.sleep(0.5)
        await core.runner.stop("ann")
        await core.settled(task)
        agents = (await core.store.snapshot("ann", history=0)).agents
        assert agents
        assert {each.until for each in agents.values()} == {(await core.task(task)).updated_at}
