"""Today's server serves the data files of every released schema version.

Each was written by a server of its time. In each, ann has a conversation, bob a task that another
interrupted, and cat an open question, which version 2 could only ask in its reply. The server was killed
while it worked for dan and had just accepted a message of eve, which is in the journal alone. Of each user's
events, the last row is kept.
"""

import contextlib
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import httpx2
import pytest

from backend.main import Detour
from backend.store.migration_files import Migration
from backend.store.ownership import Lease
from backend.store.retention import AgedPlace, Dropped
from backend.store.sqlite.file import MIGRATIONS, OLDEST_VERSION, SCHEMA_VERSION, create_schema
from backend.store.sqlite.store import SqliteStateStore
from tests.api.live import LocalClient, base_url, settings
from tests.contract.conftest import seqs

DATA_FILES = sorted((Path(__file__).parent / "data_files").glob("*.sql"))
SOON_AFTER = datetime(2026, 11, 22, 5, 30, tzinfo=UTC)
"""Some minutes after the files were written: what is asked in them can still be answered."""


def restore(dump: Path, path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.pragma("journal_mode", "wal")
    connection.execute(dump.read_text())
    connection.close()


@contextlib.asynccontextmanager
async def served(folder: Path) -> AsyncIterator[LocalClient]:
    ticks = iter(range(10**9))
    detour = Detour(
        settings(folder, store="sqlite", graph=""),
        clock=lambda: SOON_AFTER + timedelta(milliseconds=next(ticks)),
    )
    transport = httpx2.ASGITransport(app=detour.app)
    async with detour.life(), httpx2.AsyncClient(transport=transport, base_url=base_url(8000)) as http:
        yield LocalClient(http, detour)


async def last_reply(client: LocalClient, user_id: str) -> str:
    messages = (await client.history(user_id))["messages"]
    return [each["text"] for each in messages if each["role"] == "assistant"][-1]


def test_every_version_has_a_data_file_before_the_next_one_begins() -> None:
    versions = {int(re.match(r"version_(\d+)", path.stem)[1]) for path in DATA_FILES}
    assert versions >= set(range(OLDEST_VERSION, SCHEMA_VERSION))
    assert max(versions) <= SCHEMA_VERSION


@pytest.mark.requirement("OLD-DATA-FILES")
@pytest.mark.parametrize("data_file", DATA_FILES, ids=lambda path: path.stem)
async def test_users_of_an_earlier_version_are_served_as_if_nothing_had_happened(
    data_file: Path, tmp_path: Path
) -> None:
    restore(data_file, tmp_path / "detour.sqlite")
    async with served(tmp_path) as client:
        await ann_changes_what_she_asked_for(client)
        await bob_is_shown_what_was_interrupted(client)
        await cat_answers_an_open_question(client)
        for user_id in ("dan", "eve"):
            await a_message_that_was_lost_is_answered(client, user_id)


@pytest.mark.requirement("AGED-TURNS-GO")
@pytest.mark.parametrize("data_file", DATA_FILES, ids=lambda path: path.stem)
async def test_what_is_aged_in_it_is_dropped(data_file: Path, tmp_path: Path) -> None:
    restore(data_file, tmp_path / "detour.sqlite")
    store = SqliteStateStore(tmp_path / "detour.sqlite")
    await store.open(lambda _user_id, _events: None)
    later = SOON_AFTER + timedelta(days=30)
    found = await store.aged_users(later, after=AgedPlace())
    assert {"ann", "bob"} <= {*found.user_ids}
    for user_id in ("ann", "bob"):
        dropped = await store.drop_aged(Lease(user_id), later, most=100)
        assert dropped.is_everything
        assert len(await store.recent_tasks(user_id, limit=9)) <= 1
        assert len(await seqs(store, user_id)) <= 1
        assert await store.drop_aged(Lease(user_id), later, most=100) == Dropped(is_everything=True)
    for user_id in ("dan", "eve"):
        assert await store.drop_aged(Lease(user_id), later, most=100) == Dropped()
    await store.close()


async def ann_changes_what_she_asked_for(client: LocalClient) -> None:
    assert (await client.status("ann"))["status"] == "completed"
    assert len((await client.partial_results("ann"))["partial_results"]["flight"]) > 0
    assert (await client.chat_to_end("ann", "Actually, make it Porto"))["status"] == "completed"
    assert "to Porto" in await last_reply(client, "ann")


async def bob_is_shown_what_was_interrupted(client: LocalClient) -> None:
    said = (await client.history("bob"))["messages"]
    assert [each["role"] for each in said] == ["user", "system", "user", "assistant"]
    [interrupted] = (await client.partial_results("bob"))["interrupted"]
    assert interrupted["partial_results"]["hotel"][0]["city"] == "Rome"
    assert (await client.chat_to_end("bob", "Only 4 star hotels"))["status"] == "completed"
    assert "hotels, at least 4 stars" in await last_reply(client, "bob")
    assert (await client.partial_results("bob"))["partial_results"]["hotel"][0]["city"] == "Oslo"


async def cat_answers_an_open_question(client: LocalClient) -> None:
    status = await client.status("cat")
    if status["status"] == "completed":
        task_id = (await client.chat("cat", "From Berlin"))["task_id"]
    else:
        task_id = status["task_id"]
        await client.answer("cat", status["input_request"]["request_id"], origin="Berlin")
    assert (await client.until_ended("cat", task_id))["status"] == "completed"
    assert "flights from Berlin" in await last_reply(client, "cat")
    [*_, way] = (await client.partial_results("cat"))["partial_results"]["flight"][0]["slices"][0]["segments"]
    assert way["destination"] in ("FCO", "CIA")


async def a_message_that_was_lost_is_answered(client: LocalClient, user_id: str) -> None:
    task_id = (await client.status(user_id))["task_id"]
    assert (await client.until_ended(user_id, task_id))["status"] == "completed"
    assert "to Oslo" in await last_reply(client, user_id)
    said = (await client.history(user_id))["messages"]
    assert [each["role"] for each in said].count("user") == 1


# --- migrations that a file lacks: in order, each whole or not at all ----------------------------------


NEXT, ONE_MORE = SCHEMA_VERSION + 1, SCHEMA_VERSION + 2
LIKED = Migration(NEXT, "liked", "CREATE TABLE liked (user_id TEXT);")
HALF = Migration(ONE_MORE, "half", "CREATE TABLE half (user_id TEXT); CREATE TABLE liked (user_id TEXT);")


def shape(connection: apsw.Connection) -> set[object]:
    """What the tables look like, but for how their statements are written."""
    query = "SELECT m.name, c.name, c.type, c.pk FROM sqlite_schema m JOIN pragma_table_info(m.name) c"
    indices = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL")
    return {row for row in connection.execute(query) if row[0] != "identity"} | {*indices}


def applied(connection: apsw.Connection) -> list[object]:
    return [*connection.execute("SELECT number, name FROM migrations ORDER BY number")]


@pytest.mark.requirement("MIGRATIONS-WHOLE")
@pytest.mark.parametrize("data_file", DATA_FILES, ids=lambda path: path.stem)
def test_a_file_of_every_version_becomes_what_a_new_one_is(data_file: Path, tmp_path: Path) -> None:
    restore(data_file, tmp_path / "old.sqlite")
    old, new = apsw.Connection(str(tmp_path / "old.sqlite")), apsw.Connection(str(tmp_path / "new.sqlite"))
    for connection in (old, new):
        create_schema(connection)
    assert shape(old) == shape(new)
    assert applied(old) == applied(new) == [(each.number, each.name) for each in MIGRATIONS]


@pytest.mark.requirement("MIGRATIONS-WHOLE")
def test_numbers_follow_each_other() -> None:
    numbers = [each.number for each in MIGRATIONS]
    assert numbers == list(range(numbers[0], numbers[-1] + 1))


@pytest.mark.requirement("MIGRATIONS-WHOLE")
def test_only_what_is_missing_is_applied(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "detour.sqlite"))
    create_schema(connection)
    create_schema(connection, (*MIGRATIONS, LIKED))
    create_schema(connection, (*MIGRATIONS, LIKED))  # once more would fail: the table is there
    assert applied(connection)[-1] == (NEXT, "liked")
    assert connection.pragma("user_version") == NEXT


@pytest.mark.requirement("MIGRATIONS-WHOLE")
def test_a_migration_that_fails_leaves_nothing_of_itself(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "detour.sqlite"))
    with pytest.raises(apsw.SQLError, match="already exists"):
        create_schema(connection, (*MIGRATIONS, LIKED, HALF))
    assert connection.pragma("user_version") == NEXT
    assert applied(connection)[-1] == (NEXT, "liked")
    assert not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'half'").get
    with pytest.raises(apsw.SchemaChangeError, match=f"has version {NEXT}, this program reads 2 to"):
        create_schema(connection)


@pytest.mark.requirement("MIGRATIONS-WHOLE")
def test_a_start_without_anything_new_writes_nothing(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "detour.sqlite"))
    create_schema(connection)
    before = connection.pragma("data_version"), connection.total_changes()
    log = (tmp_path / "detour.sqlite-wal").stat().st_size
    create_schema(connection)
    assert (connection.pragma("data_version"), connection.total_changes()) == before
    assert (tmp_path / "detour.sqlite-wal").stat().st_size == log
