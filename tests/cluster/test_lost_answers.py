"""What was done in the database although its answer was lost: it is found out, and done once."""

import asyncio

import pytest

from backend.domain.errors import StoreUnavailable
from backend.store.ownership import Lease, LeaseEnded
from backend.store.postgres import writing
from backend.store.postgres.database import Lane
from backend.store.records import NewUser
from tests.cluster.conftest import BOUND_S, bury, ended, owner_of, sql
from tests.fakes.waiting import until
from tests.records import an_event

pytestmark = [pytest.mark.postgres, pytest.mark.requirement("LOST-IS-TAKEN-UP")]


class Losing:
    """A connection that is lost once, after it has carried out a statement that did something."""

    def __init__(self, connection, lost):
        self._connection = connection
        self._lost = lost

    def __getattr__(self, name):
        return getattr(self._connection, name)

    async def _answer(self, statement, asked):
        answer = await asked
        # Whoever looks for users to take, and finds none, has done nothing.
        if self._lost["statement"] in statement and (answer or "detour.take(" not in statement):
            self._lost["statement"] = "none is lost any more"
            raise ConnectionResetError
        return answer

    async def fetch(self, statement, *values):
        return await self._answer(statement, self._connection.fetch(statement, *values))

    async def fetchrow(self, statement, *values):
        return await self._answer(statement, self._connection.fetchrow(statement, *values))


@pytest.fixture
def lose(monkeypatch):
    """Return a function that has the next answer to a statement lost."""
    lost = {"statement": "none is lost yet"}
    do = Lane._do

    async def losing(lane, job):
        return await do(lane, lambda connection: job(Losing(connection, lost)))

    monkeypatch.setattr(Lane, "_do", losing)

    def lose_next(statement):
        lost["statement"] = statement
        return lost

    return lose_next


async def claimed_unheard(new_replica, address, lose, monkeypatch):
    """Have a replica claim the user of one that has died, and never hear of it; return it and the task."""
    here, there = await new_replica("here"), await new_replica("there")
    first = await here.post("find gate")
    await here.die()
    monkeypatch.setattr(there.runner, "reclaim_neglected", asyncio.Event().wait)
    await bury(address, here.name)
    lose("detour.claim(")
    with pytest.raises(StoreUnavailable):
        await there.runner.last_request("ann")
    return there, first


async def test_users_of_a_lost_reclaim_are_recovered(new_replica, lose, monkeypatch):
    monkeypatch.setattr("backend.replicas.replica.LOOK_EVERY_S", 0.01)
    here, there = await new_replica("here"), await new_replica("there")
    task_id = await here.post("find gate")
    lose("detour.take(")
    await here.die()
    there.script.open_gates()
    assert (await ended(there, "ann", task_id)).reason == "lost"

    async def is_retried():
        return [each for each in await there.store.recent_tasks("ann", limit=5) if each.status == "completed"]

    assert len(await until(is_retried)) == 1


async def test_user_of_a_lost_lease_is_recovered_before_the_next_message(
    new_replica, address, lose, monkeypatch
):
    monkeypatch.setattr("backend.replicas.replica.LOOK_EVERY_S", 3600)
    here, there = await new_replica("here"), await new_replica("there")
    first = await here.post("find gate")
    await here.die()
    await bury(address, here.name)
    lose("detour.claim(")
    with pytest.raises(StoreUnavailable):
        await there.runner.handle_user_message("ann", "say")
    there.script.open_gates()
    second = await there.runner.handle_user_message("ann", "say")
    assert (await ended(there, "ann", first)).reason == "lost"
    assert (await ended(there, "ann", second.task_id)).status == "completed"


async def test_user_of_a_lost_lease_is_recovered_without_a_message(new_replica, address, lose, monkeypatch):
    there, first = await claimed_unheard(new_replica, address, lose, monkeypatch)
    assert await owner_of(address) == there.name
    await type(there.runner).reclaim_neglected(there.runner)
    assert (await ended(there, "ann", first)).reason == "lost"


async def test_user_who_sends_during_the_look_for_lost_leases_stays(new_replica, address, lose, monkeypatch):
    there, first = await claimed_unheard(new_replica, address, lose, monkeypatch)
    take = there.replica.registry.reclaim

    async def take_while_asked(replica, *, most):
        await there.runner.last_request("ann")
        return await take(replica, most=most)

    monkeypatch.setattr(there.replica.registry, "reclaim", take_while_asked)
    await type(there.runner).reclaim_neglected(there.runner)
    assert (await ended(there, "ann", first)).reason == "lost"
    async with asyncio.timeout(BOUND_S):  # let go, it would be claimed again and again
        second = await there.runner.handle_user_message("ann", "say")
    assert (await ended(there, "ann", second.task_id)).status == "completed"


@pytest.fixture
async def two_of_a_lane(new_replica, address):
    """A replica's store, and the leases of two users whose writes go in one group."""
    store = (await new_replica("here")).store
    other = next(name for name in map(str, range(100)) if store._writer_of(name) is store._writer_of("ann"))
    leases = Lease("ann", 1), Lease(other, 2)
    for lease in leases:
        query = "INSERT INTO detour.users (user_id, owner, fence) VALUES ($1, 'me', $2)"
        await sql(address, query, lease.user_id, lease.fence)
        await store.commit(lease, NewUser("e"))
    return store, leases


@pytest.fixture
def claimed_meanwhile(address, monkeypatch):
    """Have these users claimed elsewhere between a lost answer to their write and the question for it."""

    def claim(*user_ids):
        find_out = writing.WriteLane._find_out

        async def late(lane, connection, group):
            if lane._in_doubt is not None:
                query = "UPDATE detour.users SET owner = 'other', fence = fence + 9 WHERE user_id = ANY ($1)"
                await sql(address, query, list(user_ids))
            await find_out(lane, connection, group)

        monkeypatch.setattr(writing.WriteLane, "_find_out", late)

    return claim


async def test_group_is_written_once_though_one_of_its_users_moved_on(two_of_a_lane, claimed_meanwhile, lose):
    store, (ann, bob) = two_of_a_lane
    claimed_meanwhile("ann")
    lose("detour.write(")
    assert await asyncio.gather(store.commit(ann, an_event()), store.commit(bob, an_event())) == [1, 1]
    for lease in (ann, bob):
        page = await store.events_after(lease.user_id, 0, limit=10)
        assert [each.seq for each in page.events] == [1]


async def test_doubtful_write_of_users_who_moved_on_is_refused(two_of_a_lane, claimed_meanwhile, lose):
    store, (ann, bob) = two_of_a_lane
    claimed_meanwhile("ann", bob.user_id)
    lose("detour.write(")
    store.record(ann, an_event())
    commits = [store.commit(ann, an_event()), store.commit(bob, an_event())]
    assert [type(each) for each in await asyncio.gather(*commits, return_exceptions=True)] == [
        StoreUnavailable,
        StoreUnavailable,
    ]
    with pytest.raises(LeaseEnded):
        await store.commit(ann, an_event())


async def test_dead_followers_are_removed(new_replica, address):
    here = await new_replica("here")
    await here.post("say")
    dead = await new_replica("dead")
    await dead.replica.registry.follow("ann", dead.name)
    await dead.die()
    await bury(address, dead.name)
    await here.replica.registry.follow("ann", here.name)
    assert await sql(address, "SELECT followers FROM detour.users WHERE user_id = 'ann'") == [here.name]
