"""How the tables of a database are brought up to date: in order, each file whole or not at all."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from backend.domain.errors import StoreUnavailable
from backend.store.migration_files import Migration, migration_files
from backend.store.postgres import migrate as migrating
from backend.store.postgres.migrate import migrate
from backend.store.postgres.store import PostgresStateStore
from backend.tasks.task_owner import TaskOwner
from tests.postgres import Server, as_owner


@pytest.fixture
def address(postgres: Server) -> str:
    return postgres.new_database()


@pytest.fixture
async def owner() -> AsyncIterator[TaskOwner]:
    owner = TaskOwner()
    yield owner
    await owner.finish(grace_s=5)


async def sql(address: str, statement: str, *values: Any) -> Any:
    connection = await asyncpg.connect(as_owner(address))
    try:
        return await connection.fetchval(statement, *values)
    finally:
        await connection.close()


async def test_a_start_that_waits_in_vain_for_another_one_says_so(
    address, owner: TaskOwner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrating, "WAIT_S", 0.1)
    other = await asyncpg.connect(address)
    await other.execute("SELECT pg_advisory_lock($1)", migrating._LOCK)
    with pytest.raises(StoreUnavailable, match="DETOUR_POSTGRES"):
        await PostgresStateStore(address, owner.spawn).open(lambda _user_id, _events: None)
    await other.close()


async def test_a_database_of_a_later_version_is_refused(address, owner: TaskOwner) -> None:
    await sql(
        address,
        "INSERT INTO detour.migrations (number, name, least_program) VALUES (9999, 'later', 9999)",
    )
    with pytest.raises(StoreUnavailable, match="later version"):
        await PostgresStateStore(address, owner.spawn).open(lambda _user_id, _events: None)


async def test_a_database_is_migrated_only_where_that_is_wanted(postgres: Server, owner: TaskOwner) -> None:
    address = postgres.empty_database()
    with pytest.raises(StoreUnavailable, match="python -m backend"):
        await PostgresStateStore(address, owner.spawn, apply_migrations=False).open(
            lambda _user_id, _events: None
        )
    connections = [await asyncpg.connect(address) for _ in range(3)]
    await asyncio.gather(*(migrate(each, apply=True) for each in connections))
    for each in connections:
        await each.close()
    store = PostgresStateStore(address, owner.spawn, apply_migrations=False)
    await store.open(lambda _user_id, _events: None)
    await store.close()
    applied = await sql(address, "SELECT count(*) FROM detour.migrations")
    assert applied == len(migrating.migrations())


async def test_a_migration_that_fails_leaves_those_before_it_applied(
    postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one has locked is free before the next one begins, and a long one does not hold the others up."""
    last = Migration(999, "fails", "CREATE TABLE detour.half (); SELECT 1 / 0")
    monkeypatch.setattr(migrating, "migration_files", lambda package: (*migration_files(package), last))
    address = postgres.empty_database()
    connection = await asyncpg.connect(address)
    try:
        with pytest.raises(asyncpg.DivisionByZeroError):
            await migrate(connection, apply=True)
    finally:
        await connection.close()
    known = len(migration_files(migrating.DETOUR.package))
    assert await sql(address, "SELECT count(*) FROM detour.migrations") == known
    assert await sql(address, "SELECT to_regclass('detour.half') IS NULL")
