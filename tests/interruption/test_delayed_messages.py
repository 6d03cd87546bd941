"""Messages whose tasks may not start before some time: they wait like queued ones, and outlive a process."""

import asyncio
from datetime import timedelta

import pytest

from backend.domain.errors import Conflict
from backend.domain.task import InterruptReason, TaskStatus
from tests.interruption.parts import Parts, started
from tests.interruption.test_recovery import Server
from tests.virtual_time import START_OF_VIRTUAL_TIME

pytestmark = pytest.mark.virtual_time

HOUR_S = 3600.0


async def statuses(parts: Parts, *task_ids: str) -> list[str]:
    return [(await parts.task(each)).status for each in task_ids]


@pytest.mark.parametrize("hours", [1, 5])
async def test_delayed_message_starts_at_its_time_and_not_before(hours: int) -> None:
    async with started(Parts()) as parts:
        task_id = await parts.post("say", policy="enqueue", after_s=hours * HOUR_S)
        assert await statuses(parts, task_id) == [TaskStatus.QUEUED]
        await asyncio.sleep(hours * HOUR_S - 1)
        assert await statuses(parts, task_id) == [TaskStatus.QUEUED]
        await asyncio.sleep(2)
        task = await parts.task(task_id)
        assert task.status == TaskStatus.COMPLETED
        assert timedelta(0) <= task.started_at - task.not_before < timedelta(seconds=1)


async def test_messages_meanwhile_do_what_their_policies_say() -> None:
    async with started(Parts()) as parts:
        later = await parts.post("say", policy="enqueue", after_s=HOUR_S)
        first = await parts.post("say")
        await parts.settled(first)
        slow = await parts.post("find gate")
        await parts.post("say", policy="enqueue")
        assert (await parts.task(later)).status == TaskStatus.QUEUED
        with pytest.raises(Conflict):
            await parts.post("say", policy="reject", after_s=HOUR_S)
        newer = await parts.post("say")
        await parts.settled(slow, newer)
        await asyncio.sleep(1)
        assert (await parts.task(slow)).status == TaskStatus.INTERRUPTED
        assert await statuses(parts, first, newer, later) == [
            TaskStatus.COMPLETED,
            TaskStatus.COMPLETED,
            TaskStatus.QUEUED,
        ]
        await asyncio.sleep(HOUR_S)
        assert await statuses(parts, later) == [TaskStatus.COMPLETED]


async def test_delayed_message_waits_for_the_task_at_work_at_its_time() -> None:
    async with started(Parts()) as parts:
        slow = await parts.post("find gate")
        later = await parts.post("say", after_s=60)
        await asyncio.sleep(120)
        assert await statuses(parts, slow, later) == [TaskStatus.RUNNING, TaskStatus.QUEUED]
        await parts.runner.stop("ann", slow)
        await parts.settled(slow)
        await asyncio.sleep(1)
        assert await statuses(parts, later) == [TaskStatus.COMPLETED]


async def test_delayed_message_is_stopped_like_a_queued_one() -> None:
    async with started(Parts()) as parts:
        later = await parts.post("say", policy="enqueue", after_s=HOUR_S)
        await parts.runner.stop("ann", later)
        await asyncio.sleep(2 * HOUR_S)
        task = await parts.task(later)
        assert (task.status, task.reason) == (TaskStatus.INTERRUPTED, InterruptReason.STOPPED)
        assert task.started_at is None


async def test_delayed_message_goes_with_its_user() -> None:
    async with started(Parts()) as parts:
        later = await parts.post("say", policy="enqueue", after_s=HOUR_S)
        await parts.runner.delete_user("ann")
        await asyncio.sleep(2 * HOUR_S)
        assert await parts.store.get_task_metadata("ann", later) is None


async def test_delayed_message_outlives_its_process() -> None:
    server = Server()
    async with server.dying() as parts:
        later = await parts.post("say", policy="enqueue", after_s=HOUR_S)
    async with server.running() as parts:
        assert await statuses(parts, later) == [TaskStatus.QUEUED]
        await asyncio.sleep(HOUR_S + 1)
        task = await parts.task(later)
        assert task.status == TaskStatus.COMPLETED
        assert task.started_at >= START_OF_VIRTUAL_TIME + timedelta(seconds=HOUR_S)
