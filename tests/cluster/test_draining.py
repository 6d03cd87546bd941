"""A replica that an operator drains: what it has goes on, everything else goes to the others."""

import asyncio

import pytest

from backend.domain.errors import ShuttingDown
from backend.replicas import replica
from tests.cluster.conftest import ended, sql, until

pytestmark = [pytest.mark.postgres, pytest.mark.requirement("DRAINING-ENDS-NO-TASK")]

OWNER = "SELECT owner FROM detour.users WHERE user_id = 'ann'"


async def test_a_user_goes_to_another_replica_once_nothing_of_theirs_runs_here(new_replica, address):
    here, there = await new_replica("here"), await new_replica("there")
    first = await here.post("find gate")
    await here.runner.drain()
    # A message that comes elsewhere still interrupts the task where it runs, and goes on there.
    changed = await there.runner.handle_user_message("ann", "say")
    assert changed.interrupted_task_id == first
    assert (await ended(there, "ann", changed.task_id)).status == "completed"
    assert await sql(address, OWNER) == here.name

    async def is_refused():
        try:
            await here.post("say")
        except ShuttingDown:
            return True
        return False

    await until(is_refused)
    task_id = await there.post("say")
    assert (await ended(there, "ann", task_id)).status == "completed"
    assert await sql(address, OWNER) == there.name


async def test_it_takes_over_nobody_until_it_serves_again(new_replica, address):
    here, there = await new_replica("here"), await new_replica("there")
    await here.runner.drain()
    task_id = await there.post("find gate")
    await there.die()
    await sql(address, "UPDATE detour.replicas SET lease_until = now() WHERE replica = $1", there.name)
    await here.runner.reclaim_neglected()
    assert await sql(address, OWNER) == there.name
    assert await sql(address, "SELECT draining FROM detour.replicas WHERE replica = $1", here.name)
    await here.runner.serve_again()
    here.script.open_gates()

    async def is_taken_over():
        await here.runner.reclaim_neglected()
        return await sql(address, OWNER) == here.name

    await until(is_taken_over)
    assert (await ended(here, "ann", task_id)).reason == "lost"


@pytest.mark.requirement("OPERATORS-SEE-TASKS-WITHOUT-WORDS")
async def test_replicas_know_each_other_by_name_and_stop_each_others_tasks(new_replica):
    here, there = await new_replica("here"), await new_replica("there")
    assert here.runner.replica == here.name
    assert {*await here.runner.replicas()} == {here.name, there.name}
    task_id = await here.post("find gate")
    assert await there.runner.stop("ann", task_id, by="operator")
    task = await ended(there, "ann", task_id)
    assert (task.reason, task.stopped_by) == ("stopped", "operator")


@pytest.mark.requirement("A-ROLLING-RESTART-REFUSES-NOTHING")
async def test_one_that_will_end_serves_everybody_and_takes_over_nobody(new_replica, address):
    here, there = await new_replica("here"), await new_replica("there")
    left = await there.post("find gate")
    await here.runner.leave()
    assert await sql(address, "SELECT draining FROM detour.replicas WHERE replica = $1", here.name)
    with pytest.raises(ShuttingDown):
        await here.runner.serve_again()
    accepted = await here.runner.handle_user_message("bob", "say")
    assert (await ended(here, "bob", accepted.task_id)).status == "completed"
    await there.die()
    await sql(address, "UPDATE detour.replicas SET lease_until = now() WHERE replica = $1", there.name)
    await here.runner.reclaim_neglected()
    assert await sql(address, OWNER) == there.name
    # Somebody who asks for his user is served all the same.
    here.script.open_gates()
    changed = await here.runner.handle_user_message("ann", "say")
    assert (await ended(here, "ann", left)).status == "interrupted"
    assert (await ended(here, "ann", changed.task_id)).status == "completed"


@pytest.mark.parametrize("database", ["hangs", "refuses"])
async def test_one_ends_in_order_though_the_database_does_not_note_it(
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
    assert await sql(address, "SELECT owner IS NULL FROM detour.users WHERE user_id = 'ann'")


@pytest.mark.requirement("A-ROLLING-RESTART-REFUSES-NOTHING")
async def test_the_others_are_told_whom_one_gives_up(new_replica, address, monkeypatch):
    monkeypatch.setattr(replica, "LOOK_EVERY_S", 3600)  # they do not look by themselves
    here, there = await new_replica("here"), await new_replica("there")
    task_id = await here.post("find gate")
    await here.runner.close(grace_s=5)

    async def is_taken_over():
        return await sql(address, OWNER) == there.name

    await until(is_taken_over)
    there.script.open_gates()
    assert (await ended(there, "ann", task_id)).reason == "shutdown"
