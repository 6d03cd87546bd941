"""What a replica that takes over many users owes to each of them."""

import asyncio

import pytest

from backend.domain.errors import StoreUnavailable
from backend.replicas import leases as leased
from backend.replicas import replica
from tests.cluster.conftest import bury, ended, owner_of, sql
from tests.fakes.waiting import until

pytestmark = pytest.mark.postgres


async def left_by_one_that_died(new_replica, address, *, users):
    """Return the task of each user, whose replica has died while it was at work."""
    dead = await new_replica("dead")
    left = {}
    for user_id in users:
        left[user_id] = (await dead.runner.handle_user_message(user_id, "find gate")).task_id
    await dead.die()
    await bury(address, dead.name)
    return left


@pytest.fixture
def held_up(monkeypatch):
    """Have one user's recovery wait, as it does for a provider that does not answer, until this is set."""

    def hold(parts, user_id):
        recover, answered = parts.ledger.recover, asyncio.Event()

        async def recover_late(lease, *, within_s):
            if lease.user_id == user_id:
                await answered.wait()
            await recover(lease, within_s=within_s)

        monkeypatch.setattr(parts.ledger, "recover", recover_late)
        return answered

    monkeypatch.setattr(leased, "RECLAIMED_AT_ONCE", 1)
    monkeypatch.setattr(replica, "LOOK_EVERY_S", 0.01)
    return hold


async def test_silent_provider_of_one_user_delays_no_other(new_replica, address, held_up):
    here = await new_replica("here")
    answered = held_up(here, "ann")
    left = await left_by_one_that_died(new_replica, address, users=("ann", "bob", "eve", "ida"))
    for user_id in ("bob", "eve", "ida"):
        assert (await ended(here, user_id, left[user_id])).reason == "lost"
    assert await owner_of(address) == here.name
    assert (await here.store.get_task_metadata("ann", left["ann"])).status == "running"
    answered.set()
    assert (await ended(here, "ann", left["ann"])).reason == "lost"


async def test_reclaimed_user_is_recovered_though_the_database_fails_for_the_next(
    new_replica, address, held_up, monkeypatch
):
    here = await new_replica("here")
    answered = held_up(here, "ann")
    neglected = here.replica.ownership.reclaim

    async def fails_once_ann_is_taken(is_here):
        if await owner_of(address) == here.name:
            answered.set()
            raise StoreUnavailable("The database does not answer.")
        return await neglected(is_here)

    monkeypatch.setattr(here.replica.ownership, "reclaim", fails_once_ann_is_taken)
    left = await left_by_one_that_died(new_replica, address, users=("ann",))
    assert (await ended(here, "ann", left["ann"])).reason == "lost"


async def test_commands_with_lost_hints_do_not_wait_for_recovery(new_replica, address, held_up, monkeypatch):
    here = await new_replica("here")
    answered = held_up(here, "ann")
    left = await left_by_one_that_died(new_replica, address, users=("ann",))
    await until(
        lambda: sql(address, "SELECT owner = $1 FROM detour.users WHERE user_id = 'ann'", here.name),
        every_s=0.01,
    )
    there = await new_replica("there")
    await here.runner.handle_user_message("bob", "find gate")
    monkeypatch.setattr(here.replica.registry.hints, "heard", lambda hint: None)
    accepted = await there.runner.handle_user_message("bob", "say")
    assert not answered.is_set()
    assert (await ended(there, "bob", accepted.task_id)).status == "completed"
    answered.set()
    assert (await ended(here, "ann", left["ann"])).reason == "lost"


async def test_users_are_reclaimed_after_any_error(new_replica, address, monkeypatch):
    here = await new_replica("here")
    neglected, looks = here.replica.ownership.reclaim, []

    async def fails_first(is_here):
        looks.append(None)
        if len(looks) == 1:
            raise LookupError("a fault of our own")
        return await neglected(is_here)

    monkeypatch.setattr(here.replica.ownership, "reclaim", fails_first)
    left = await left_by_one_that_died(new_replica, address, users=("ann",))
    assert (await ended(here, "ann", left["ann"])).reason == "lost"
