"""A replica that an operator drains: what it has goes on, everything else goes to the others."""

import asyncio

import pytest

from backend.domain.errors import ShuttingDown
from backend.replicas import replica
from tests.cluster.conftest import bury, ended, owner_of, sql
from tests.fakes.waiting import until

pytestmark = [pytest.mark.postgres, pytest.mark.requirement("DRAINING-ENDS-NO-TASK")]


async def test_drained_replica_loses_users_once_their_tasks_end(new_replica, address):
    here, there = await new_replica("here"), await new_replica("there")
    first = await here.post("find gate")
    await here.runner.drain()
    # A message that comes elsewhere still interrupts the task where it runs, and goes on there.
    changed = await there.runner.handle_user_message("ann", "say")
    assert changed.interrupted_task_id == first
    assert (await ended(there, "ann", changed.task_id)).status == "completed"
    assert await owner_of(address) == here.name

    async def is_refused():
        try:
            await here.post("say")
        except ShuttingDown:
            return True
        return False

    await until(is_refused)
    task_id = await there.post("say")
    assert (await ended(there, "ann", task_id)).status == "completed"
    assert await owner_of(address) == there.name


async def test_drained_replica_reclaims_nobody_until_it_serves_again(new_replica, address):
    here, there = await new_replica("here"), await new_replica("there")
    await here.runner.drain()
    task_id = await there.post("find gate")
    await there.die()
    await bury(address, there.name)
    await here.runner.reclaim_neglected()
    assert await owner_of(address) == there.name
    assert await sql(address, "SELECT draining FROM detour.replicas WHERE replica = $1", here.name)
    await here.runner.serve_again()
    here.script.open_gates()

    async def is_taken_over():
        await here.runner.reclaim_neglected()
        return await owner_of(address) == here.name

    await until(is_taken_over)
    assert (await ended(here, "ann", task_id)).reason == "lost"


@pytest.mark.requirement("OPERATORS-SEE-TASKS-WITHOUT-WORDS")
async def test_replicas_name_each_other_and_stop_each_others_tasks(new_replica):
    here, there = await new_replica("here"), await new_replica("there")
    assert here.runner.replica == here.name
    assert {*await here.runner.replicas()} == {here.name, there.name}
    task_id = await here.post("find gate")
    assert await there.runner.stop("ann", task_id, by="operator")
    task = await ended(there, "ann", task_id)
    assert (task.reason, task.stopped_by) == ("stopped", "operator")


@pytest.mark.requirement("A-ROLLING-RESTART-REFUSES-NOTHING")
async def test_leaving_replica_serves_everybody_and_reclaims_nobody(new_replica, address):
    here, there = await new_replica("here"), await new_replica("there")
    left = await there.post("find gate")
    await here.runner.leave()
    assert await sql(address, "SELECT draining FROM detour.replicas WHERE replica = $1", here.name)
    with pytest.raises(ShuttingDown):
        await here.runner.serve_again()
    accepted = await here.runner.handle_user_message("bob", "say")
    assert (await ended(here, "bob", accepted.task_id)).status == "completed"
    await there.die()
    await bury(address, there.name)
    await here.runner.reclaim_neglected()
    assert await owner_of(address) == there.name
    # Somebody who asks for his user is served all the same.
    here.script.open_gates()
    changed = await here.runner.handle_user_message("ann", "say")
    assert (await ended(here, "ann", left)).status == "interrupted"
    assert (await ended(here, "ann", changed.task_id)).status == "completed"


@pytest.mark.parametrize("database", ["hangs", "refuses"])
async def test_replica_ends_in_order_though_the_database_does_not_record_it(
    new_replica, address, monkeypatch, database
):
    here = await new_replica("here")
    task_id = await here.post("find gate")

    async def drain(replica, *, wanted=True):
        if database == "refuses":
            raise RuntimeError("permission denied")
        await asyncio.Event().wait()

    monkeypatch.setattr("backend.replicas.forwarding.TELL_WITHIN_S", 0.01)
    monkeypatch.setattr(here.replica.registry, "drain", drain)
    await here.runner.close(grace_s=5)
    assert (await ended(here, "ann", task_id)).reason == "shutdown"
    assert await owner_of(address) is None


@pytest.mark.requirement("A-ROLLING-RESTART-REFUSES-NOTHING")
async def test_given_up_users_are_announced_to_other_replicas(new_replica, address, monkeypatch):
    monkeypatch.setattr(replica, "LOOK_EVERY_S", 3600)  # they do not look by themselves
    here, there = await new_replica("here"), await new_replica("there")
    task_id = await here.post("find gate")
    await here.runner.close(grace_s=5)

    async def is_taken_over():
        return await owner_of(address) == there.name

    await until(is_taken_over)
    there.script.open_gates()
    assert (await ended(there, "ann", task_id)).reason == "shutdown"
