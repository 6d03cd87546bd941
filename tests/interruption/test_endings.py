"""However a work ends, its task ends once, with the truth, and holds nothing up."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from backend.domain.task import InterruptReason, TaskStatus
from backend.interruption_manager import LET_GO_S
from backend.settlement import FAILURE
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
async def test_a_reply_that_cannot_be_told_fails_its_task(core, reply):
    async def run(context):
        return reply

    core.workflow.run = run
    task = await core.post("anything")
    await core.settled(task)
    assert (await core.task(task)).status is TaskStatus.FAILED
    assert (await core.history())[-1] == ("assistant", FAILURE)


@pytest.mark.parametrize("how", ["say", "publish", "progress", "agent"])
async def test_what_has_no_json_form_is_not_kept_and_the_task_still_ends(core, how):
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
    assert snapshot.task.agents == {}
