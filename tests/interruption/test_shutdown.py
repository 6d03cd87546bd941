"""A server that goes down: a message is refused, or its task is settled as `shutdown`; and taken up again."""

import asyncio

import pytest

from backend.domain.errors import ShuttingDown
from backend.domain.task import InterruptReason, TaskStatus
from backend.interruption_manager import CANCEL_GRACE_S
from backend.main import Detour
from tests.api.live import settings
from tests.interruption.disk import WRITE_S, DiskStore, Health
from tests.interruption.parts import Parts, started
from tests.interruption.script import Script

pytestmark = pytest.mark.virtual_time


def now() -> float:
    return asyncio.get_running_loop().time()


async def test_message_behind_another_at_a_shutdown_is_refused():
    async with started(Parts(DiskStore())) as core:
        first = core.owner.spawn(core.post("wait"), name="first")
        second = core.owner.spawn(core.post("wait"), name="second")
        await asyncio.sleep(WRITE_S * 1.5)
        await core.runner.close(grace_s=5)
        assert (await core.task(await first)).reason is InterruptReason.SHUTDOWN
        with pytest.raises(ShuttingDown):
            await second


class ReadsSlowly(DiskStore):
    """Takes a while to find out whether a message was accepted before."""

    async def get_acceptance(self, user_id, client_id):
        await asyncio.sleep(WRITE_S)
        return await super().get_acceptance(user_id, client_id)


async def test_message_being_looked_up_at_a_shutdown_is_refused():
    store = ReadsSlowly()
    async with started(Parts(store)) as core:
        old = await core.post("find wait")
        new = core.owner.spawn(core.post("say", client_id="c1"), name="new")
        await asyncio.sleep(WRITE_S / 2)
        await core.runner.close(grace_s=5)
        with pytest.raises(ShuttingDown):
            await new
        assert [task.task_id for task in await store.resumable("ann")] == [old]


@pytest.mark.requirement("SHUTDOWN-LEAVES-NOTHING-RUNNING")
async def test_message_being_stored_at_a_shutdown_is_settled():
    async with started(Parts(DiskStore())) as core:
        old = await core.post("find wait")
        await asyncio.sleep(0.5)
        new = core.owner.spawn(core.post("find wait"), name="new")
        await asyncio.sleep(WRITE_S / 2)
        await core.runner.close(grace_s=5)
        assert core.interruptions.running_tasks() == []
        assert (await core.task(old)).reason is InterruptReason.SHUTDOWN
        assert (await core.task(await new)).reason is InterruptReason.SHUTDOWN


async def test_queued_task_starting_at_a_shutdown_is_settled_or_waits():
    for delay in range(12):
        async with started(Parts(DiskStore())) as core:
            first = await core.post("wait")
            second = await core.post("wait", policy="enqueue")
            await core.settled(first)
            await asyncio.sleep(delay * WRITE_S / 4)
            await core.runner.close(grace_s=5)
            assert core.interruptions.running_tasks() == []
            task = await core.task(second)
            assert task.status is TaskStatus.QUEUED or task.reason is InterruptReason.SHUTDOWN


@pytest.mark.requirement("SHUTDOWN-IN-GOOD-ORDER")
async def test_question_asked_at_a_shutdown_stays_open():
    asked = 0
    for steps in range(60):
        async with started(Parts(DiskStore())) as core:
            task_id = await core.post("ask")
            for _ in range(steps):
                await asyncio.sleep(0)
            await core.runner.close(grace_s=5)
            task = await core.task(task_id)
            questions = await core.store.get_inputs("ann", task.turn)
            asked += len(questions)
            expected = TaskStatus.INPUT_REQUIRED if questions else TaskStatus.INTERRUPTED
            assert (task.status, [each.open for each in questions]) == (expected, [True] * len(questions))
    assert asked


@pytest.mark.requirement("SHUTDOWN-IN-GOOD-ORDER")
async def test_suspended_task_is_not_reported_as_ended():
    async with started(Parts(DiskStore())) as core:
        reported = []
        core.interruptions.register_status_callback(reported.append)
        paused = await core.post("asking find")
        ended = await core.post("find wait", user="bob")
        await asyncio.sleep(0.5)
        await core.runner.close(grace_s=5)
        assert (await core.task(paused)).status is TaskStatus.INPUT_REQUIRED
        assert [task.task_id for task in reported] == [ended]


@pytest.mark.requirement("SHUTDOWN-IN-GOOD-ORDER")
async def test_findings_of_a_suspended_task_are_stored_after_an_outage():
    async with started(Parts(DiskStore())) as core:
        paused = await core.post("asking find")
        await asyncio.sleep(0.5)
        core.store.health = Health.REFUSES
        core.interruptions.save_partial_results(paused, "flight", [{"n": "last"}])
        closing = core.owner.spawn(core.runner.close(grace_s=5), name="close")
        await asyncio.sleep(0.5)
        core.store.health = Health.WELL
        await closing
        stored = await core.store.get_partials("ann", 1)
        assert b"last" in stored[-1].found.items


@pytest.mark.requirement("SHUTDOWN-IN-GOOD-ORDER", "STUCK-TASKS-ARE-RELEASED")
@pytest.mark.parametrize("message", ["find deaf", "find deafsearch"])
@pytest.mark.parametrize("grace_s", [CANCEL_GRACE_S, 0.5, 60.0])
async def test_ending_of_an_uncancellable_task_is_published_within_the_grace(message, grace_s):
    async with started(Parts(DiskStore())) as core:
        task = await core.post(message)
        superseded = await core.post("find deaf", user="bob")
        await asyncio.sleep(0.5)
        await core.settled(await core.post("find", user="bob"))
        before = now()
        await core.runner.close(grace_s=grace_s)
        assert now() - before < grace_s
        ends = {
            event["task_id"]: event["reason"]
            for event in core.bus.published.entries
            if event["type"] == "status_update" and event["status"] == "interrupted"
        }
        assert ends == {task: "shutdown", superseded: "superseded"}


@pytest.mark.requirement("SHUTDOWN-IN-GOOD-ORDER")
async def test_superseded_task_is_not_suspended_at_a_shutdown():
    async with started(Parts(DiskStore())) as core:
        old = await core.post("asking")
        await asyncio.sleep(0.5)
        core.interruptions.interrupt_task(old, InterruptReason.SUPERSEDED)
        core.interruptions.end_all(within_s=5)  # in the same step of the loop: its work has not ended yet
        # A process that dies here leaves this reason; one of `SHUTDOWN` would have the next take it up again.
        assert core.interruptions.context_of(old).task.reason is InterruptReason.SUPERSEDED
        await core.settled(old)
        assert (await core.task(old)).reason is InterruptReason.SUPERSEDED
        assert [each.open for each in await core.store.get_inputs("ann", 1)] == [False]


@pytest.mark.requirement("STUCK-TASKS-ARE-RELEASED")
async def test_shutdown_keeps_its_grace_with_a_stubborn_node(tmp_path):
    detour = Detour(
        settings(tmp_path, graph="tests.graphs.loadable:stubborn", shutdown_grace_s=CANCEL_GRACE_S)
    )
    async with detour.life():
        await detour.conversations.handle_user_message("ann", "find")
        await asyncio.sleep(1)
        before = now()
    assert 0 < now() - before <= CANCEL_GRACE_S


@pytest.mark.requirement("LOST-IS-TAKEN-UP")
async def test_running_task_is_retried_and_queued_task_follows_after_a_restart():
    store, script = DiskStore(), Script()
    async with started(Parts(store, workflow=script.wire)) as old:
        first = await old.post("find wait find")
        second = await old.post("find wait say", policy="enqueue")
        await asyncio.sleep(0.5)
    async with started(Parts(store, workflow=script.wire, new_id=old.new_id)) as new:
        [again] = new.interruptions.contexts_of("ann")
        assert (again.task.message, again.task.attempt) == ("find wait find", 1)
        assert again.task.previous_task_id == first == again.previous.task_id
        await new.quiet()
        assert (await new.task(second)).status is TaskStatus.COMPLETED
        replies = [text for role, text in await new.history() if role == "assistant"]
        assert sorted(replies) == ["answered find wait find", "answered find wait say"]


async def test_clean_restarts_give_no_message_up():
    store, script, new_id = DiskStore(), Script(), None
    for _ in range(5):
        parts = Parts(store, workflow=script.wire, new_id=new_id)
        new_id = parts.new_id
        async with started(parts) as core:
            if not await core.events():
                await core.post("wait say")
            await asyncio.sleep(0.5)
    async with started(Parts(store, workflow=script.wire, new_id=new_id)) as core:
        await core.quiet()
        assert (await core.history())[-1] == ("assistant", "answered wait say")
