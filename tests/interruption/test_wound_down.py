"""A task that is resumed in a later tenure while its work of the earlier one is still winding down."""

import asyncio

import pytest

from backend.domain.task import InterruptReason
from tests.interruption.disk import DiskStore
from tests.interruption.parts import Parts, started

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
