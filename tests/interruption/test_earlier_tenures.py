"""What an earlier tenure leaves behind: a work that winds down, a message that was stored and yet refused."""

import asyncio

import pytest

from backend.domain.task import InterruptReason, TaskStatus
from backend.errors import StoreUnavailable
from tests.interruption.disk import DiskStore
from tests.interruption.parts import Parts, started
from tests.interruption.test_recovery import Server

pytestmark = pytest.mark.virtual_time


@pytest.mark.requirement("A-DEAD-REPLICA-IS-TAKEN-OVER")
async def test_what_winds_down_takes_nothing_away_from_the_task_that_was_resumed():
    async with started(Parts(DiskStore())) as core:
        await wind_down(core)


async def wind_down(core):
    task = await core.task(await core.post("find"))
    await core.quiet()
    tenure = core.runner.conversations.get("ann").tenure
    ends, goes_on = asyncio.Event(), asyncio.Event()

    async def work_that_ends(_context):
        await ends.wait()

    async def work_that_goes_on(_context):
        await goes_on.wait()

    manager = core.interruptions
    before = await manager.restore_task_context(task, tenure)
    after = await manager.restore_task_context(task, tenure)
    manager.start(before, work_that_ends)
    before.request_interruption(InterruptReason.LOST)
    manager.start(after, work_that_goes_on)
    ends.set()
    await asyncio.sleep(5)
    assert manager.contexts_of("ann") == [after]
    assert manager.running_tasks("ann") == [task.task_id]
    goes_on.set()
    await asyncio.sleep(5)
    assert manager.contexts_of("ann") == []


@pytest.mark.requirement("LOST-IS-TAKEN-UP")
async def test_a_question_whose_place_a_message_took_that_was_reported_as_refused_is_superseded():
    server = Server()
    async with server.dying() as old:
        asked = await old.post("find ask")
        await asyncio.sleep(0.5)
        server.store.report_failure()
        with pytest.raises(StoreUnavailable):
            await old.post("find say")
        await asyncio.sleep(0.5)
    async with server.running() as new:
        await new.quiet()
        task = await new.task(asked)
        assert (task.status, task.reason) == (TaskStatus.INTERRUPTED, InterruptReason.SUPERSEDED)
        shown = (await new.store.standing("ann")).task
        assert (shown.message, shown.status) == ("find say", TaskStatus.COMPLETED)
        assert (await new.task(await new.post("find"))).previous_task_id == shown.task_id
