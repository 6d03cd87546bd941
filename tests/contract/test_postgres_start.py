"""The start over PostgreSQL: what refuses it, migrations, and a database that was put back."""

import asyncio
import re
import shlex
import ssl
from collections.abc import AsyncIterator, Iterator
from typing import Any

import asyncpg
import pytest

from backend import migrate as program
from backend.domain.errors import StoreUnavailable
from backend.store.migration_files import Migration, migration_files
from backend.store.postgres import migrate as migrating
from backend.store.postgres.database import unusable
from backend.store.postgres.migrate import migrate
from backend.store.postgres.store import PostgresStateStore
from backend.store.records import NewUser
from backend.tasks.task_owner import TaskOwner
from backend.travel.providers.demo.migrations import BOOKINGS
from checks.cluster.postgres import OWNER
from checks.cluster.replicas import free_port
from tests.conventions import ROOT
from tests.postgres import SERVER_ROLE, Server, as_owner, serving
from tests.records import ANN, a_message, an_event


@pytest.fixture(autouse=True)
def nothing_else_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PGHOST", "PGPORT", "PGUSER", "PGDATABASE", "PGSSLMODE"):
        monkeypatch.delenv(name, raising=False)


async def refusal(address: str) -> str:
    """Return what refuses a start with this address."""
    with pytest.raises(StoreUnavailable) as raised:
        await PostgresStateStore(address, TaskOwner().spawn).open(lambda _user_id, _events: None)
    assert "S3CRET" not in raised.value.message
    return raised.value.message


async def test_nothing_listens_there() -> None:
    port = free_port()
    told = f"DETOUR_POSTGRES: nothing listens at 127.0.0.1:{port}."
    assert await refusal(f"postgresql://ann:S3CRET@127.0.0.1:{port}/trips") == told


async def test_there_is_no_socket_there(postgres: Server) -> None:
    assert await refusal(f"postgresql://ann@/trips?host={postgres.folder}/none") == (
        f"DETOUR_POSTGRES: nothing listens at {postgres.folder}/none."
    )


async def test_nobody_knows_the_host() -> None:
    told = "DETOUR_POSTGRES: the host of no-such-host.invalid:5432 is not known."
    assert await refusal("postgresql://ann:S3CRET@no-such-host.invalid/trips") == told


async def test_there_is_no_such_role(postgres: Server) -> None:
    told = await refusal(postgres.address("postgres", "nobody"))
    assert told.startswith(f"DETOUR_POSTGRES: {postgres.folder} does not let the role 'nobody' in: ")


async def test_there_is_no_such_database(postgres: Server) -> None:
    assert await refusal(postgres.address("trips")) == (
        f"DETOUR_POSTGRES: {postgres.folder} has no database 'trips'; `createdb trips` makes it."
    )


@pytest.mark.parametrize(
    "address",
    [
        "http://ann:S3CRET@localhost/trips",
        "trips",
        "postgresql://ann@localhost:port/trips",
        "postgresql://ann@[::1/trips",
        "postgresql://ann:S3CRET/@localhost/trips",
    ],
)
async def test_it_is_no_address(address: str) -> None:
    assert (await refusal(address)).startswith("DETOUR_POSTGRES: it is no address of a database, such as")


@pytest.mark.parametrize(
    "address", ["postgresql://ann:12/S3CRET@db/trips", "postgresql://ann:12#S3CRET@db/t"]
)
def test_a_password_that_is_not_written_as_one_is_not_taken_for_a_name(address: str) -> None:
    told = unusable(ConnectionRefusedError(), address).message
    assert told.startswith("DETOUR_POSTGRES: it is no address of a database")
    assert "12" not in told


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (
            asyncpg.InvalidPasswordError("of S3CRET"),
            "db.example:5433 does not let the role 'ann@work' in: the password is wrong, there is no",
        ),
        (
            ssl.SSLCertVerificationError("S3CRET"),
            "the certificate of db.example:5433 is not one that this machine trusts.",
        ),
        (TimeoutError("S3CRET"), "db.example:5433 does not answer."),
        (
            asyncpg.TooManyConnectionsError("S3CRET"),
            "the database 'trips' at db.example:5433 cannot be used: TooManyConnectionsError 53300.",
        ),
    ],
)
def test_other_reasons_have_a_sentence(error: Exception, told: str) -> None:
    message = unusable(error, "postgresql://ann%40work:S3CRET@db.example:5433/trips").message
    assert message.startswith(f"DETOUR_POSTGRES: {told}")
    assert "S3CRET" not in message


def test_what_the_address_leaves_open_is_read_where_the_driver_reads_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PGHOST", "db.example")
    monkeypatch.setenv("PGUSER", "ann")
    missing = asyncpg.InvalidCatalogNameError("trips")
    assert unusable(missing, "postgresql:///").message == (
        "DETOUR_POSTGRES: db.example:5432 has no database 'ann'; `createdb ann` makes it."
    )


# --- migrations ----------------------------------------------------------------------------------------


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


# --- a dump that is restored on another server, as docs/data.md tells ----------------------------------


@pytest.fixture
def another() -> Iterator[Server]:
    """A server that knows no role but its owner, as a new one does."""
    with serving() as server:
        yield server


def documented() -> list[list[str]]:
    """Return the commands of docs/data.md that dump and restore a database, but for the address to dump."""
    page = (ROOT / "docs/data.md").read_text("utf-8")
    (fence,) = re.findall(r"^```\n(pg_dump .*?)^```", page, re.MULTILINE | re.DOTALL)
    commands = [shlex.split(line) for line in fence.splitlines()]
    assert commands[0].pop() == "postgresql://owner@host/database"
    assert commands.pop()[-4:] == ["-m", "backend.migrate", "--grant", "detour_server"]
    return commands


@pytest.mark.requirement("BACKUP-WHILE-SERVING")
async def test_a_dump_is_of_one_instant_and_begins_new_epochs_where_it_is_restored(
    postgres: Server, address: str, another: Server, owner: TaskOwner, listener
) -> None:
    store = PostgresStateStore(address, owner.spawn)
    await store.open(listener)
    await store.commit(ANN, NewUser(await store.new_epoch("ann")))
    before, promised = await store.position("ann"), await store.new_epoch("bob")
    dump, create, restore = documented()
    dumping = asyncio.get_running_loop().run_in_executor(None, postgres.run, *dump, as_owner(address))
    written = 0
    while not dumping.done():
        # Together: whoever reads one of both reads the other.
        written = await store.commit(ANN, a_message(position=written), an_event())
    await dumping
    await store.close()
    to = (f"--host={another.folder}", f"--username={OWNER}")
    (postgres.folder / "detour.dump").rename(another.folder / "detour.dump")
    another.run(*create, *to)
    another.run(*restore, *to)
    another.sql(f"CREATE ROLE {SERVER_ROLE} LOGIN")
    await program.migrate(another.address("restored"), [BOOKINGS], grant_to=SERVER_ROLE)
    restored = PostgresStateStore(another.address("restored", SERVER_ROLE), owner.spawn)
    await restored.open(listener)
    after = await restored.position("ann")
    assert after.epoch != before.epoch
    assert after.seq <= written
    assert await restored.new_epoch("bob") != promised
    dumped = tuple(a_message(position=position) for position in range(after.seq))
    assert await restored.get_messages("ann", limit=written) == dumped
    assert await restored.commit(ANN, an_event()) == after.seq + 1
    assert (await restored.position("ann")).epoch == after.epoch
    await restored.close()


async def test_an_epoch_stays_as_long_as_the_tables_do(address, owner: TaskOwner, listener) -> None:
    epochs: set[str] = set()
    for _ in range(2):
        store = PostgresStateStore(address, owner.spawn)
        await store.open(listener)
        epoch = await store.new_epoch("ann")
        await store.commit(ANN, NewUser(epoch), an_event())
        epochs |= {epoch, (await store.position("ann")).epoch}
        await store.close()
    assert len(epochs) == 1
