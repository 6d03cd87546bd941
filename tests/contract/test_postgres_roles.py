"""A server's role may read the tables and call the functions that change them, and nothing else."""

from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from backend import migrate as program
from backend.domain.errors import StoreUnavailable
from backend.store.postgres.migrate import grant, migrate, migrations
from backend.store.postgres.store import PostgresStateStore
from backend.store.records import NewUser
from backend.tasks.task_owner import TaskOwner
from tests.contract.conftest import seqs
from tests.postgres import SERVER_ROLE, Server, as_owner
from tests.records import ANN, an_event

pytestmark = pytest.mark.requirement("SERVERS-ONLY-CALL-FUNCTIONS")

BEFORE_ROLES = 3
"""The number of the last migration of a database whose servers own everything."""

TABLES = "SELECT relname FROM pg_class WHERE relnamespace = 'detour'::regnamespace AND relkind IN ('r', 'p')"
FUNCTIONS = "FROM pg_proc WHERE pronamespace = 'detour'::regnamespace"


@pytest.fixture
async def server(address: str) -> AsyncIterator[Any]:
    """A connection as servers have it."""
    connection = await asyncpg.connect(address)
    yield connection
    await connection.close()


@pytest.fixture
async def empty(postgres: Server) -> AsyncIterator[Any]:
    """The owner's connection to an empty database."""
    connection = await asyncpg.connect(postgres.empty_database())
    yield connection
    await connection.close()


async def columns(connection: Any, table: str) -> list[str]:
    query = """SELECT attname FROM pg_attribute
        WHERE attrelid = ('detour.' || $1)::regclass AND attnum > 0 AND NOT attisdropped"""
    return [row[0] for row in await connection.fetch(query, table)]


async def test_it_cannot_change_any_table_by_a_statement_of_its_own(server) -> None:
    tables = [row[0] for row in await server.fetch(TABLES)]
    assert {"users", "tasks", "events", "replicas", "commands", "grants", "hints", "migrations"} <= {*tables}
    for table in tables:
        (first, *_) = await columns(server, table)
        await server.fetch(f"SELECT * FROM detour.{table} LIMIT 1")
        for statement in (
            f"INSERT INTO detour.{table} DEFAULT VALUES",
            f"UPDATE detour.{table} SET {first} = NULL",
            f"DELETE FROM detour.{table}",
            f"TRUNCATE detour.{table}",
            f"SELECT * FROM detour.{table} FOR UPDATE",
            f"ALTER TABLE detour.{table} ADD COLUMN more int",
            f"DROP TABLE detour.{table}",
        ):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await server.execute(statement)
    for statement in (
        "SELECT nextval('detour.fences')",
        "CREATE TABLE detour.more ()",
        "CREATE FUNCTION detour.more() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "ALTER FUNCTION detour.give_up(text, bigint) SECURITY INVOKER",
    ):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await server.execute(statement)


async def test_each_function_that_changes_something_runs_as_the_owner_with_names_of_its_own(server) -> None:
    found = await server.fetch(f"SELECT proname, prosecdef, proconfig {FUNCTIONS} AND provolatile = 'v'")
    assert {"write", "delete_user", "claim", "tell", "put_grant"} <= {row["proname"] for row in found}
    for row in found:
        assert row["prosecdef"], row
        assert "search_path=pg_catalog, pg_temp" in row["proconfig"], row


async def test_what_is_called_like_a_part_of_a_function_and_is_the_callers_is_not_used(server) -> None:
    # Of all that a name could mean, what is temporary comes first: here nobody would hold any lock.
    await server.execute("CREATE TEMP TABLE pg_locks AS SELECT * FROM pg_catalog.pg_locks LIMIT 0")
    number = await server.fetchval("SELECT detour.join('r1', interval '1 minute', 1, '', false)")
    await server.execute("SELECT pg_advisory_lock(detour.lock_class(), $1)", number)
    await server.execute("SELECT detour.note_sessions()")
    assert await server.fetchval("SELECT session_at FROM detour.replicas") is not None


async def test_who_may_only_read_can_call_nothing_that_changes(postgres: Server, empty) -> None:
    await migrate(empty, apply=True)
    await empty.execute("CREATE ROLE reader LOGIN")
    await empty.execute("GRANT USAGE ON SCHEMA detour TO reader")
    await empty.execute("GRANT SELECT ON ALL TABLES IN SCHEMA detour TO reader")
    query = f"SELECT proname {FUNCTIONS} AND has_function_privilege('reader', oid, 'EXECUTE')"
    assert await empty.fetch(query) == []
    await empty.execute("DROP OWNED BY reader")
    await empty.execute("DROP ROLE reader")


async def test_a_role_that_could_do_more_can_do_no_more_of_it(empty) -> None:
    await migrate(empty, apply=True)
    await empty.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA detour TO {SERVER_ROLE}")
    await empty.execute(f"GRANT ALL ON ALL SEQUENCES IN SCHEMA detour TO {SERVER_ROLE}")
    await grant(empty, SERVER_ROLE)
    rights = "SELECT privilege_type FROM information_schema.role_table_grants WHERE grantee = $1"
    assert {row[0] for row in await empty.fetch(rights, SERVER_ROLE)} == {"SELECT"}
    assert not await empty.fetchval(
        f"SELECT has_sequence_privilege('{SERVER_ROLE}', 'detour.fences', 'USAGE')"
    )


async def test_what_a_later_migration_makes_it_may_use_in_the_same_way(empty) -> None:
    await migrate(empty, apply=True)
    await grant(empty, SERVER_ROLE)
    await empty.execute("CREATE TABLE detour.later (id int)")
    await empty.execute("CREATE FUNCTION detour.later() RETURNS int LANGUAGE sql AS 'SELECT 1'")
    assert await empty.fetchval(f"SELECT has_table_privilege('{SERVER_ROLE}', 'detour.later', 'SELECT')")
    assert not await empty.fetchval(f"SELECT has_table_privilege('{SERVER_ROLE}', 'detour.later', 'INSERT')")
    assert await empty.fetchval(
        f"SELECT has_function_privilege('{SERVER_ROLE}', 'detour.later()', 'EXECUTE')"
    )


@pytest.mark.parametrize(("role", "words"), [("nobody_at_all", "There is no role"), ("detour", "owns")])
async def test_a_role_is_refused_that_is_not_there_or_may_do_everything(empty, role, words) -> None:
    await migrate(empty, apply=True)
    with pytest.raises(StoreUnavailable, match=words):
        await grant(empty, role)


async def test_a_database_whose_servers_owned_everything_is_brought_up_to_date(
    postgres: Server, empty, listener
) -> None:
    await empty.execute("CREATE SCHEMA detour")
    await empty.execute(
        "CREATE TABLE detour.migrations (number int PRIMARY KEY, name text NOT NULL, "
        "applied_at timestamptz NOT NULL DEFAULT now(), least_program int NOT NULL DEFAULT 0)"
    )
    for each in migrations()[:BEFORE_ROLES]:
        await empty.execute(each.text)
        await empty.execute("INSERT INTO detour.migrations VALUES ($1, $2)", each.number, each.name)
    await empty.execute("INSERT INTO detour.users (user_id, epoch, begun) VALUES ('ann', 'e1', true)")
    database = await empty.fetchval("SELECT current_database()")
    address, owner = postgres.address(database, SERVER_ROLE), TaskOwner()
    refused = PostgresStateStore(address, owner.spawn)
    with pytest.raises(StoreUnavailable, match="python -m backend"):
        await refused.open(listener)
    await migrate(empty, apply=True)
    await grant(empty, SERVER_ROLE)
    store = PostgresStateStore(address, owner.spawn)
    await store.open(listener)
    assert (await store.position("ann")).seq == 0
    await store.commit(ANN, an_event())
    assert await seqs(store) == [1]
    await store.close()
    # A server of the release before goes on as the owner meanwhile.
    before = PostgresStateStore(as_owner(address), owner.spawn, apply_migrations=False)
    await before.open(listener)
    await before.commit(ANN, NewUser("e1"), an_event())
    await before.close()
    await owner.finish(grace_s=5)


def test_the_program_grants_it_and_says_so(
    postgres: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DETOUR_POSTGRES", postgres.empty_database())
    with pytest.raises(SystemExit, match="There is no role 'nobody_at_all'"):
        program.main(["--grant", "nobody_at_all"])
    program.main(["--grant", SERVER_ROLE])
    assert f"The role '{SERVER_ROLE}' may read them" in capsys.readouterr().out
