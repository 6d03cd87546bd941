"""A connection to PostgreSQL and the jobs that take turns on it: each is answered, whenever it comes."""

import asyncio

import asyncpg
import pytest

from backend.domain.errors import StoreUnavailable
from backend.store.postgres.database import Connection, Lane
from backend.tasks.task_owner import TaskOwner
from tests.postgres import Server

pytestmark = pytest.mark.postgres


async def answer(connection: Connection) -> int:
    return await connection.fetchval("SELECT 1")


async def test_what_comes_while_it_is_being_closed_is_refused(postgres: Server) -> None:
    address, owner = postgres.new_database(), TaskOwner()

    async def connect() -> Connection:
        return await asyncpg.connect(address)

    lane = Lane(connect, owner.spawn, name="lane")
    assert await lane.post(answer) == 1
    before = lane.post(answer)
    closing = asyncio.gather(lane.close())
    await asyncio.sleep(0)
    with pytest.raises(StoreUnavailable):
        async with asyncio.timeout(20):
            await lane.post(answer)
    await closing
    assert await before == 1
