"""What an earlier lease leaves behind: a work that winds down, a message that was stored and yet refused."""

import asyncio
from functools import partial

import pytest

from backend.conversation import conversations
from backend.domain.errors import StoreUnavailable
from backend.domain.task import InterruptReason, Task, TaskStatus
from backend.store.ownership import Acquired, Alone, Lease
from backend.store.records import InUse
from tests.interruption.disk import DiskStore
from tests.interruption.office import Office
from tests.interruption.parts import Parts, started
from tests.interruption.script import Script
from tests.interruption.test_recovery import Server

pytestmark = pytest.mark.virtual_time


@pytest.mark.requirement("A-DEAD-REPLICA-IS-TAKEN-OVER")
async def test_work_of_an_earlier_lease_does_not_disturb_the_resumed_task():
    async with started(Parts(DiskStore())) as core:
        await wind_down(core)


async def wind_down(core):
    task = await core.task(await core.post("find"))
    await core.quiet()
    lease = core.runner.conversations.get("ann").lease
    ends, goes_on = asyncio.Event(), asyncio.Event()

    async def work_that_ends(_context):
        await ends.wait()

    async def work_that_goes_on(_context):
        await goes_on.wait()

    manager = core.interruptions
    before = await manager.restore_task_context(task, lease)
    after = await manager.restore_task_context(task, lease)
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
async def test_question_is_superseded_by_a_message_stored_but_reported_as_failed():
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


@pytest.mark.requirement("A-DEAD-REPLICA-IS-TAKEN-OVER")
async def test_message_stored_as_its_lease_ends_does_not_run():
    core = Parts(DiskStore())
    await core.open()
    await core.post("find")
    await core.quiet()
    ran = len(core.workflow.contexts)
    lease = core.runner.conversations.get("ann").lease
    core.store.when_written(lambda: core.runner.end_lease(lease))
    task_id = await core.post("find wait find")
    context = core.interruptions.context_of(task_id)
    assert context.reason is InterruptReason.LOST
    await core.quiet()
    assert len(core.workflow.contexts) == ran
    await core.close()


class Shared(Alone):
    """Owns everybody as one of several processes."""

    shared = True


class OneOfSeveral(Parts):
    """A process that tells the others whether it must be asked."""

    def new_ownership(self):
        return Shared(self.store.unfinished_users)


def told_by(core: Parts, monkeypatch: pytest.MonkeyPatch) -> list[bool | InterruptReason | None]:
    """Return what the store will be told from now on: whether the user is in use, and why tasks end."""
    told: list[bool | InterruptReason | None] = []
    record, commit = core.store.record, core.store.commit

    def see(do, lease, *records):
        told.extend(each.in_use for each in records if isinstance(each, InUse))
        told.extend(each.reason for each in records if isinstance(each, Task))
        return do(lease, *records)

    monkeypatch.setattr(core.store, "record", partial(see, record))
    monkeypatch.setattr(core.store, "commit", partial(see, commit))
    return told


@pytest.mark.requirement("A-DEAD-REPLICA-IS-TAKEN-OVER")
async def test_user_stays_occupied_until_the_ending_of_a_stopped_task_is_stored(monkeypatch):
    async with started(OneOfSeveral(DiskStore())) as core:
        task_id = await core.post("find ask")
        await asyncio.sleep(1)
        told = told_by(core, monkeypatch)
        await core.runner.stop("ann", task_id)
        await core.quiet()
        stopped = InterruptReason.STOPPED
        assert told == [True, stopped, stopped, False]


async def test_user_whose_conversation_is_held_stays_occupied_when_their_task_ends(monkeypatch):
    async with started(OneOfSeveral(DiskStore())) as core:
        task_id = await core.post("find")
        told = told_by(core, monkeypatch)
        async with core.runner.conversations.locked("ann"):  # as by a message that is about to be stored
            await core.settled(task_id)
            await asyncio.sleep(1)
            assert (await core.task(task_id)).status is TaskStatus.COMPLETED
            assert False not in told
        await core.quiet()
        assert told[-1] is False


async def test_occupied_conversation_stays_in_memory_until_its_last_write_is_settled(monkeypatch):
    monkeypatch.setattr(conversations, "MOST_IDLE", 0)
    store = DiskStore()
    script = Script(Office(store.kept))
    async with started(OneOfSeveral(store, workflow=script.wire)) as core:
        task_id = await core.post("booknever")
        await asyncio.sleep(0.1)
        [asked] = (await store.standing("ann")).inputs
        told = told_by(core, monkeypatch)
        await core.runner.answer("ann", asked.request_id, decision="allow")
        await core.settled(task_id)
        assert core.runner.conversations.get("ann") is not None
        assert False not in told
        await core.quiet()
        core.runner.conversations.mark_all_unused()
        await core.quiet()
        assert told[-1] is False
        assert core.runner.conversations.get("ann") is None


class Overtaken(Shared):
    """Once tells of a lease that has ended since; then of the next one."""

    fence = 1

    async def acquire(self, user_id):
        fence, self.fence = self.fence, 2
        return Acquired(Lease(user_id, fence))


class OfOvertaken(Parts):
    def new_ownership(self):
        return Overtaken(self.store.unfinished_users)


async def test_claim_of_an_ended_lease_is_made_again(monkeypatch):
    async with started(OfOvertaken(DiskStore())) as core:
        core.log.end(Lease("ann", 1))
        commit, tries = core.log.commit, []

        def see(lease, *records):
            tries.append(lease)
            assert len(tries) < 50, "it is tried without an end"
            return commit(lease, *records)

        monkeypatch.setattr(core.log, "commit", see)
        async with asyncio.TaskGroup() as group:
            # Two, of which one always waits while the other tries.
            posts = [group.create_task(core.post(message)) for message in ("find", "say")]
        await core.settled(*(each.result() for each in posts))
        assert core.runner.conversations.get("ann").lease.fence == 2
