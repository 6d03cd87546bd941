"""Whose users are: one statement tells all who ask while another one's answer is on its way."""

import asyncio
import gc
from collections.abc import AsyncIterator, Sequence
from typing import Any

import asyncpg
import pytest

from backend.domain.errors import StoreUnavailable
from backend.replicas.postgres import LEASES, LeaseLookups
from backend.store.ownership import Acquired, Lease, OwnedElsewhere
from backend.store.postgres.database import Lane
from backend.tasks.task_owner import TaskOwner
from tests.cluster.conftest import bury, sql
from tests.fakes.waiting import until

pytestmark = pytest.mark.postgres

USERS = ("ann", "bob", "eve")


class Gated:
    """A connection whose statements wait until they may be sent, or answered."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.sent: list[Sequence[str]] = []
        self.send, self.answer = asyncio.Event(), asyncio.Event()

    async def fetch(self, query: str, users: Sequence[str], replicas: Sequence[str]) -> Any:
        assert query == LEASES
        await self.send.wait()
        self.sent.append(users)
        rows = await self._connection.fetch(query, users, replicas)
        await self.answer.wait()
        return rows

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


class Asked:
    """Leases over a database in which `here` has all users but the last one, who is idle at `there`."""

    def __init__(self, address: str, owner: TaskOwner) -> None:
        self._address = address
        self.gates: list[Gated] = []
        self.refuses = False
        self.lane = Lane(self._connect, owner.spawn, name="asked")
        self.leases = LeaseLookups(self.lane)

    async def _connect(self) -> Any:
        if self.refuses:
            raise ConnectionRefusedError
        self.gates.append(Gated(await asyncpg.connect(self._address)))
        return self.gates[-1]

    async def gate(self) -> Gated:
        """Return the first connection, once it is made."""
        return (await until(lambda: self.gates))[0]


@pytest.fixture
async def asked(address: str) -> AsyncIterator[Asked]:
    await sql(address, "INSERT INTO detour.users (user_id, owner, fence) VALUES ('ann', 'here', 1)")
    await sql(address, "INSERT INTO detour.users (user_id, owner, fence) VALUES ('bob', 'here', 2)")
    await sql(address, "INSERT INTO detour.users (user_id, owner, fence) VALUES ('eve', 'there', 3)")
    owner = TaskOwner()
    made = Asked(address, owner)
    yield made
    for each in made.gates:
        each.send.set()
        each.answer.set()
    await made.lane.close()
    await owner.finish(grace_s=5)


async def test_lookups_during_a_query_share_the_next_one(asked: Asked) -> None:
    first = asyncio.gather(asked.leases.of("ann", "here"))
    gate = await asked.gate()
    await until(lambda: not asked.leases._asked)
    rest = asyncio.gather(*(asked.leases.of(user, "here") for user in USERS))
    gate.send.set()
    gate.answer.set()
    assert await first == [Acquired(Lease("ann", 1))]
    assert await rest == [Acquired(Lease("ann", 1)), Acquired(Lease("bob", 2)), None]
    assert gate.sent == [["ann"], [*USERS]]


async def test_lookup_is_never_older_than_its_call(asked: Asked, address: str) -> None:
    before = asyncio.gather(asked.leases.of("ann", "here"))
    gate = await asked.gate()
    gate.send.set()
    await until(lambda: gate.sent)
    await sql(address, "UPDATE detour.users SET owner = 'there', fence = 9 WHERE user_id = 'ann'")
    after = asyncio.gather(asked.leases.of("ann", "here"))
    gate.answer.set()
    await before
    assert await after == [None]


async def test_cancelled_lookup_cancels_no_other(asked: Asked) -> None:
    leaves = asyncio.gather(asked.leases.of("ann", "here"))
    stays = asyncio.gather(asked.leases.of("bob", "here"))
    gate = await asked.gate()
    leaves.cancel()
    await asyncio.wait({leaves})
    gate.send.set()
    gate.answer.set()
    assert await stays == [Acquired(Lease("bob", 2))]


async def test_lookup_without_a_connection_fails_and_can_be_repeated(asked: Asked) -> None:
    asked.refuses = True
    with pytest.raises(StoreUnavailable):
        await asked.leases.of("ann", "here")
    asked.refuses = False
    again = asyncio.gather(asked.leases.of("ann", "here"))
    gate = await asked.gate()
    gate.send.set()
    gate.answer.set()
    assert await again == [Acquired(Lease("ann", 1))]
    assert gate.sent == [["ann"]]


async def test_failed_lookup_without_callers_is_not_logged(asked: Asked) -> None:
    faults: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: faults.append(context))
    asked.refuses = True
    leaves = asyncio.get_running_loop().create_task(asked.leases.of("ann", "here"))
    await until(lambda: asked.leases._asked)
    leaves.cancel()
    answer = asked.leases._answer
    assert answer is not None
    await asyncio.wait({leaves, answer})
    del leaves, answer
    with pytest.raises(StoreUnavailable):
        await asked.leases.of("ann", "here")  # from here on nothing holds the first answer
    gc.collect()
    assert faults == []


async def test_lookup_names_the_owner_while_it_lives(new_replica: Any, address: str) -> None:
    here, there = await new_replica("here"), await new_replica("there")
    await here.post("find gate")
    leases = there.replica.registry._lookups
    with pytest.raises(OwnedElsewhere) as elsewhere:
        await leases.of("ann", there.name)
    assert elsewhere.value.owner == here.name
    await bury(address, here.name)
    assert await leases.of("ann", there.name) is None
