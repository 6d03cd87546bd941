"""What the SQLite store promises beyond every store's contract: it outlives a kill and a full disk."""

import asyncio
import contextlib
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import apsw
import orjson
import pytest

from backend.domain.errors import StoreUnavailable
from backend.store import pending_writes
from backend.store.ownership import Lease
from backend.store.records import Checkpoint, ForgetCheckpoint, NewUser
from backend.store.sqlite import store as sqlite
from backend.store.sqlite.file import SCHEMA_VERSION, DataFile, create_schema
from backend.store.sqlite.store import SqliteStateStore
from backend.store.sqlite.writing import Writer
from backend.tasks.task_owner import TaskOwner
from tests.contract.conftest import seqs
from tests.contract.endless_writer import MESSAGES, USERS
from tests.contract.reading import all_that_is_told
from tests.conventions import ROOT
from tests.records import ANN, BOB, a_message, a_task, an_event


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "detour.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStateStore]:
    store = await opened(path)
    yield store
    await store.close()


async def opened(path: Path, **options: int) -> SqliteStateStore:
    store = SqliteStateStore(path, **options)
    await store.open(lambda _user_id, _events: None)
    return store


async def opened_with_room(path: Path, pages: int) -> SqliteStateStore:
    """Return a store whose disk has room for so many pages more than an empty file has."""
    empty = apsw.Connection(":memory:")
    create_schema(empty)
    return await opened(path, max_pages=empty.pragma("page_count") + pages)


# --- across processes ----------------------------------------------------------------------------------


async def test_a_file_has_one_owner_at_a_time(path: Path, store: SqliteStateStore) -> None:
    other = SqliteStateStore(path)
    with pytest.raises(StoreUnavailable, match="Another server has"):
        await other.open(lambda _user_id, _events: None)
    with pytest.raises(StoreUnavailable):
        await other.commit(ANN, an_event())
    with pytest.raises(StoreUnavailable):
        await other.position("ann")
    assert await store.commit(ANN, an_event()) == 1
    await store.close()
    await other.open(lambda _user_id, _events: None)
    assert await other.commit(ANN, an_event()) == 2
    await other.close()


async def test_a_file_of_another_version_is_refused_and_let_go_of(path: Path) -> None:
    await (await opened(path)).close()
    execute(path, "PRAGMA user_version = 999")
    for _ in range(2):
        with pytest.raises(
            StoreUnavailable, match=f"the file has version 999, this program reads 2 to {SCHEMA_VERSION}"
        ):
            await opened(path)
    execute(path, f"PRAGMA user_version = {SCHEMA_VERSION}")
    await (await opened(path)).close()


COMPLAINT = {1: "the file has version 1"}


@pytest.mark.parametrize("version", range(SCHEMA_VERSION + 1))
async def test_the_file_of_another_program_is_refused_and_left_as_it_is(path: Path, version: int) -> None:
    path.parent.mkdir()
    execute(path, "CREATE TABLE recipes (name TEXT)")
    execute(path, f"PRAGMA user_version = {version}")
    before = content(path)
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match=COMPLAINT.get(version, "has tables of another program")):
            await opened(path)
    assert content(path) == before
    execute(path, "DROP TABLE recipes")
    execute(path, "PRAGMA user_version = 0")
    await (await opened(path)).close()


async def test_what_is_no_database_is_refused_and_let_go_of(tmp_path: Path) -> None:
    letter = tmp_path / "letter.db"
    with letter.open("wb") as file:
        file.write(b"Dear reader, " * 1000)
    for no_database, complaint in ((letter, "not a database"), (tmp_path, "Is a directory")):
        for _ in range(2):
            with pytest.raises(StoreUnavailable, match=complaint):
                await opened(no_database)


def content(path: Path) -> bytes:
    return path.read_bytes()


def execute(path: Path, statement: str, values: tuple[Any, ...] = ()) -> None:
    connection = apsw.Connection(str(path))
    connection.execute(statement, values)
    connection.close()


async def test_what_is_kept_can_be_read_by_the_one_who_runs_the_server_only(path: Path) -> None:
    store = await opened(path)
    await store.commit(ANN, NewUser("e1"), a_message(text="in confidence"))
    kept = [path.parent, *(path.parent.glob(f"{path.name}*"))]
    assert {each.name for each in kept} >= {path.parent.name, path.name, f"{path.name}-wal"}
    assert [each.name for each in kept if each.stat().st_mode & 0o077] == []
    await store.close()


async def test_a_file_is_closed_though_every_thread_of_the_loop_is_blocked(path: Path) -> None:
    store = await opened(path)
    loop, released = asyncio.get_running_loop(), threading.Event()
    loop.set_default_executor(ThreadPoolExecutor(max_workers=1))
    blocked = loop.run_in_executor(None, released.wait)
    try:
        async with asyncio.timeout(10):
            await store.close()
        await (await opened(path)).close()
    finally:
        released.set()
    await blocked


async def test_an_opening_that_is_cancelled_lets_go_of_the_file(path: Path) -> None:
    for steps in (*range(4), *range(4, 400, 9)):
        opening = TaskOwner().spawn(opened(path), name="opening")
        for _ in range(steps):
            await asyncio.sleep(0)
        opening.cancel()
        await asyncio.wait([opening])
        # One that was cancelled before its thread began may have the file for a moment after this.
        with contextlib.suppress(StoreUnavailable):
            if not opening.cancelled():
                await opening.result().close()
        async with asyncio.timeout(10):
            store = await opened_as_soon_as_possible(path)
        await store.close()


async def test_an_opening_that_is_cancelled_in_the_step_in_which_it_succeeds_lets_go_of_the_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opening = TaskOwner().spawn(opened(path), name="opening")
    settle = sqlite._resolve

    def settle_and_cancel(*settled: Any) -> None:
        settle(*settled)
        opening.cancel()

    monkeypatch.setattr(sqlite, "_resolve", settle_and_cancel)
    await asyncio.wait([opening])
    monkeypatch.undo()
    assert opening.cancelled()
    async with asyncio.timeout(10):
        store = await opened_as_soon_as_possible(path)
    await store.close()


async def opened_as_soon_as_possible(path: Path) -> SqliteStateStore:
    while True:
        try:
            return await opened(path)
        except StoreUnavailable:
            await asyncio.sleep(0)


@pytest.mark.requirement("ACCEPTED-IS-DURABLE", "NUMBERS-HAVE-NO-HOLES")
async def test_a_process_that_is_killed_loses_nothing_it_called_durable(path: Path) -> None:
    """One file is written by several processes in turn, each killed before a statement or after some commits.

    Planted bugs that this caught: futures done before their commit, and writes outside a transaction.
    """
    before_statements = Random(3).sample(range(1, 300), 6)
    for statement, lines in [*((number, 0) for number in before_statements), (10**9, 1), (10**9, 300)]:
        durable = said_before_a_kill(path, statement=statement, lines=lines)
        assert len(durable) >= lines
        store = await opened(path)
        for user_id in USERS:
            promised = [seq for user, seq in durable if user == user_id]
            assert promised == sorted(set(promised))
            kept = await seqs(store, user_id, limit=1_000_000)
            assert kept == list(range(1, len(kept) + 1))
            assert set(promised) <= set(kept)
            messages = await store.get_messages(user_id, limit=1_000_000)
            assert [message.turn for message in messages] == sorted(kept * MESSAGES)
        await store.close()


def said_before_a_kill(path: Path, *, statement: int, lines: int) -> list[tuple[str, int]]:
    """Let the endless writer die before a statement, or kill it after some lines; return all it said."""
    command = [sys.executable, "-m", "tests.contract.endless_writer", str(path), str(statement)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as writer:
        assert writer.stdout is not None
        said = [writer.stdout.readline() for _ in range(lines)]
        if lines:
            writer.kill()
        said += writer.stdout.readlines()
    assert writer.returncode == -signal.SIGKILL
    return [(line.split()[0], int(line.split()[1])) for line in said if line.endswith("\n")]


async def test_another_process_is_refused_while_one_has_the_file(path: Path, store: SqliteStateStore) -> None:
    command = [sys.executable, "-m", "tests.contract.endless_writer", str(path), "1000"]
    other = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stderr=asyncio.subprocess.PIPE)
    _, complaint = await other.communicate()
    assert other.returncode == 1
    assert b"Another server has" in complaint


# --- a full disk ---------------------------------------------------------------------------------------


@pytest.mark.requirement("FULL-DISK-ACCEPTS-NOTHING", "NUMBERS-HAVE-NO-HOLES")
async def test_a_full_disk_takes_nothing_keeps_nothing_half_and_works_again_with_room(path: Path) -> None:
    store = await opened_with_room(path, 28)
    await store.commit(BOB, NewUser("e2"), a_message("bob", text="x" * 60_000), an_event())
    await store.commit(ANN, NewUser("e1"), a_task())
    kept = await fill(store)
    assert kept > 3
    told = await all_that_is_told(store, ("ann", "bob"))
    storm = [store.commit(ANN, an_event(), a_message(position=kept, text="z" * 250_000)) for _ in range(5)]
    outcomes = await asyncio.gather(*storm, return_exceptions=True)
    assert {type(outcome) for outcome in outcomes} == {StoreUnavailable}
    assert await all_that_is_told(store, ("ann", "bob")) == told
    assert await seqs(store) == list(range(1, kept + 1))
    await store.delete_user(BOB)
    assert await store.commit(ANN, an_event(), a_message(position=kept, text="z" * 9_000)) == kept + 1
    await store.close()
    store = await opened(path)
    assert await seqs(store) == list(range(1, kept + 2))
    assert len(await store.get_messages("ann", limit=1000)) == kept + 1
    await store.close()


async def fill(store: SqliteStateStore) -> int:
    """Commit messages, each with an event, until there is no room; return how many were kept."""
    kept = 0
    while True:
        try:
            await store.commit(ANN, an_event(), a_message(position=kept, text="y" * 9_000))
        except StoreUnavailable:
            return kept
        kept += 1


async def test_a_small_write_is_kept_though_a_large_one_of_the_same_moment_is_not(path: Path) -> None:
    store = await opened_with_room(path, 8)
    small, large, after = (
        store.commit(ANN, NewUser("e1"), an_event("1")),
        store.commit(ANN, an_event("large"), a_message(text="x" * 400_000)),
        store.commit(ANN, an_event("2")),
    )
    assert [await small, await after] == [1, 2]
    with pytest.raises(StoreUnavailable):
        await large
    page = await store.events_after("ann", 0, limit=10)
    assert [orjson.loads(event.frame)["text"] for event in page.events] == ["1", "2"]
    await store.close()


async def test_what_nobody_waits_for_is_kept_in_order_while_the_disk_is_full(path: Path) -> None:
    store = await opened_with_room(path, 20)
    await store.commit(ANN, NewUser("e1"), an_event("1"))
    filler = store.commit(BOB, NewUser("e2"), a_message(user_id="bob", text="x" * 80_000))
    await filler
    store.record(ANN, an_event("2"), a_message(text="y" * 60_000))
    refused = store.commit(ANN, a_message(text="z" * 60_000))
    with pytest.raises(StoreUnavailable):
        await refused
    store.record(ANN, an_event("3"))
    await store.delete_user(BOB)
    while len((await store.events_after("ann", 0, limit=10)).events) < 3:
        await store.commit(Lease("carl"), NewUser("e3"))
    page = await store.events_after("ann", 0, limit=10)
    assert [(event.seq, orjson.loads(event.frame)["text"]) for event in page.events] == [
        (1, "1"),
        (2, "2"),
        (3, "3"),
    ]
    await store.close()


# --- load and cancellation -----------------------------------------------------------------------------


async def test_a_storm_of_cancellations_leaves_no_half_transaction(store: SqliteStateStore) -> None:
    random, owner = Random(7), TaskOwner()

    async def write_and_read(number: int) -> None:
        await store.commit(ANN, an_event(str(number)), a_message(position=number))
        await store.events_after("ann", 0, limit=1)

    taken = 0
    for _ in range(40):
        tasks = [owner.spawn(write_and_read(number), name="write") for number in range(taken, taken + 25)]
        taken += 25
        for task in random.sample(tasks, 20):
            await asyncio.sleep(0)
            task.cancel()
        await asyncio.wait(tasks)
    seq = await store.commit(ANN, an_event())
    assert await seqs(store, limit=10_000) == list(range(1, seq + 1))
    messages = {message.position for message in await store.get_messages("ann", limit=10_000)}
    page = await store.events_after("ann", 0, limit=10_000)
    told = [orjson.loads(event.frame)["text"] for event in page.events]
    assert messages == {int(text) for text in told[:-1]}
    assert 200 <= len(messages) <= 1000


async def test_more_than_may_wait_is_refused_and_the_rest_is_kept(
    store: SqliteStateStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pending_writes, "MOST_PENDING", 10)
    taken = [store.commit(ANN, an_event()) for _ in range(10)]
    with pytest.raises(StoreUnavailable):
        store.commit(ANN, an_event())
    with pytest.raises(StoreUnavailable):
        store.record(ANN, an_event())
    assert await asyncio.gather(*taken) == list(range(1, 11))
    assert await store.commit(ANN, an_event()) == 11


async def test_a_user_can_be_deleted_though_another_writes_without_a_pause(path: Path) -> None:
    deleted = False
    store = SqliteStateStore(path)

    def write_again(_user_id: str, _events: object) -> None:
        if not deleted:
            store.record(BOB, an_event())

    await store.open(write_again)
    await store.commit(ANN, NewUser("e1"), a_task())
    await store.commit(BOB, an_event())
    async with asyncio.timeout(10):
        await store.delete_user(ANN)
    deleted = True
    assert await store.position("ann") is None
    await store.close()


# --- how the writer uses the disk ----------------------------------------------------------------------


WAITS_FOR_THE_DISK = 2
"""What `PRAGMA synchronous` reads for FULL."""


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[apsw.Connection]:
    connection = apsw.Connection(str(tmp_path / "detour.db"))
    create_schema(connection)
    yield connection
    connection.close()


@pytest.fixture
def writer(connection: apsw.Connection) -> Iterator[Writer]:
    file = DataFile(Path(connection.filename))
    writer = Writer(connection, file, keep_events=100)
    yield writer
    writer.identity.close()
    file.close()


def test_only_putting_rows_into_the_tables_does_not_wait_for_the_disk(
    connection: apsw.Connection, writer: Writer
) -> None:
    seen: list[tuple[str, int]] = []

    def note(cursor: apsw.Cursor, sql: str, bindings: object) -> bool:
        if sql.startswith(("INSERT", "DELETE")):
            seen.append((sql.split()[2], connection.pragma("synchronous")))
        return True

    connection.exec_trace = note
    writer.write([("ann", (NewUser("epoch"), a_message()))])
    writer.apply()
    writer.write([("ann", (a_message(),))])
    connection.exec_trace = None
    waited = {name for name, mode in seen if mode == WAITS_FOR_THE_DISK}
    assert waited == {"journal"}
    assert next(name for name, mode in seen if mode != WAITS_FOR_THE_DISK) == "journal"
    assert connection.pragma("synchronous") == WAITS_FOR_THE_DISK


def test_the_disk_is_waited_for_again_after_rows_could_not_be_put_into_the_tables(
    connection: apsw.Connection, writer: Writer
) -> None:
    writer.write([("ann", (NewUser("epoch"), a_message()))])
    connection.execute("ALTER TABLE messages RENAME TO elsewhere")
    with pytest.raises(apsw.SQLError):
        writer.apply()
    assert connection.pragma("synchronous") == WAITS_FOR_THE_DISK


def test_checkpoint_that_is_forgotten_before_it_is_in_the_tables_leaves_no_row(
    connection: apsw.Connection, writer: Writer
) -> None:
    writer.write([("ann", (NewUser("epoch"), Checkpoint(1, b"one"), Checkpoint(2, b"two")))])
    writer.write([("ann", (ForgetCheckpoint(1), ForgetCheckpoint(2), Checkpoint(2, b"anew")))])
    writer.apply()
    kept = [*connection.execute("SELECT turn FROM checkpoints")]
    assert kept == [(2,)]
