"""What a test's database is: as new as one that was made for it."""

from typing import Any

import asyncpg
import pytest

from backend.store.ownership import Lease
from backend.store.postgres.store import PostgresStateStore
from backend.tasks.task_owner import TaskOwner
from tests.contract.test_store_reads import ALL_OF_ANN
from tests.postgres import Server, as_owner

pytestmark = pytest.mark.postgres

TABLES = "SELECT oid::regclass::text FROM pg_class WHERE relkind IN ('r', 'S') AND {own} ORDER BY 1"
OWN = "relnamespace::regnamespace::text LIKE 'detour%'"


async def content(address: str) -> dict[str, list[Any]]:
    """All rows of all tables, and where the sequences are."""
    connection = await asyncpg.connect(as_owner(address))
    try:
        tables = [row[0] for row in await connection.fetch(TABLES.format(own=OWN))]
        return {each: [tuple(row) for row in await connection.fetch(f"TABLE {each}")] for each in tables}
    finally:
        await connection.close()


async def change(address: str, statement: str) -> None:
    connection = await asyncpg.connect(as_owner(address))
    try:
        await connection.execute(statement.format(database=address.split("@/")[1].split("?")[0]))
    finally:
        await connection.close()


async def test_database_that_is_given_back_is_as_a_new_one(postgres: Server) -> None:
    new = await content(address := postgres.new_database())
    owner = TaskOwner()
    store = PostgresStateStore(address, owner.spawn)
    await store.open(lambda *_: None)
    await store.commit(Lease("ann"), *ALL_OF_ANN)
    await store.close()
    await change(address, "SELECT nextval('detour.commands_number_seq')")
    left = await asyncpg.connect(address)
    assert await content(address) != new
    postgres.give_back(address)
    with pytest.raises(asyncpg.PostgresError):
        await left.fetch("SELECT 1")
    assert postgres.new_database() == address
    assert await content(address) == new
    postgres.give_back(address)


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE detour.users ADD COLUMN more int",
        "CREATE TABLE detour.more ()",
        "DROP TABLE detour.hints",
        "GRANT INSERT ON detour.users TO server",
        "REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA detour FROM server",
        "UPDATE detour.migrations SET least_program = 99",
        "UPDATE detour.identity SET name = 'other'",
        "ALTER DATABASE {database} SET work_mem = '1MB'",
        "ANALYZE detour.migrations",
        "INSERT INTO detour.users (user_id, epoch) SELECT n, repeat('x', 900) FROM generate_series(1, 99) n",
    ],
)  # fmt: skip
async def test_database_that_is_more_than_its_rows_away_from_a_new_one_is_dropped(
    postgres: Server, statement: str
) -> None:
    address = postgres.new_database()
    await change(address, statement)
    postgres.give_back(address)
    with pytest.raises(asyncpg.InvalidCatalogNameError):
        await asyncpg.connect(address)
