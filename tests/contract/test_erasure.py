"""A deleted user's words leave the tables and the files, whatever was written between them and over them."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import apsw
import asyncpg
import pytest

from backend.domain.task import AgentProgress
from backend.store.ownership import Lease
from backend.store.postgres.store import PostgresStateStore
from backend.store.records import Acceptance, ForgetPartials, NewUser, Record, SavedProgress, SavedReceipt
from backend.store.sqlite import erasure as sqlite_erasure
from backend.store.sqlite.erasure import Eraser
from backend.store.sqlite.file import BUSY_TIMEOUT_MS, TABLES_OF_USERS, DataFile, create_schema
from backend.store.sqlite.store import SqliteStateStore
from backend.tasks.task_owner import TaskOwner
from tests.contract.reading import all_that_is_told
from tests.conventions import ROOT
from tests.records import ANN, BOB, a_context, a_message, a_partial, a_task, a_thread_step, an_event

LEAVING = [f"leaving{number:02d}x" for number in range(12)]
STAYING = [f"staying{number:02d}x" for number in range(12)]


async def opened(folder: Path) -> SqliteStateStore:
    store = SqliteStateStore(folder / "detour.sqlite", keep_events=100)
    await store.open(lambda _user_id, _events: None)
    return store


def legible(folder: Path, word: str) -> int:
    """Return how often a word stands in the files."""
    return sum(file.read_bytes().count(word.encode()) for file in folder.iterdir())


async def live_long(store: SqliteStateStore, random: Random) -> None:
    """Have users write so much, in turn, that their rows are rewritten, split over pages and trimmed."""
    users = [*LEAVING, *STAYING]
    random.shuffle(users)
    for turn in range(1, 10):
        for user_id in users:
            if random.random() < 0.2:
                await store.position(user_id)
            await store.commit(Lease(user_id), *all_kinds(user_id, turn, random))


def all_kinds(user_id: str, turn: int, random: Random) -> list[Record]:
    def words(most: int) -> str:
        return f"{user_id} " * random.randint(1, most)

    return [
        *([NewUser("e1")] if turn == 1 else []),
        a_task(user_id, turn, message=words(60)),
        a_message(user_id, turn, text=words(500)),
        an_event(words(200)),
        a_partial(turn, 0, {"found": words(1500)}),
        SavedReceipt(turn, f"{user_id}-{turn}", words(30).encode()),
        SavedProgress(turn, "finder", AgentProgress(state="working", detail=user_id)),
        a_context(user_id, turn, text=words(900)),
        Acceptance(f"{words(20)}{turn}", words(5).encode()),
        a_thread_step(turn, words(90).encode(), paged=[words(9).encode()], step_id=words(1)),
        ForgetPartials(turn),
    ]


@pytest.mark.requirement("DELETE-FORGETS")
@pytest.mark.parametrize("seed", range(3))
async def test_nothing_a_deleted_user_wrote_is_legible_in_the_files(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    store = await opened(tmp_path)
    await live_long(store, random)
    assert legible(tmp_path, "leaving") > 10_000
    for user_id in random.sample(LEAVING, len(LEAVING)):
        await store.delete_user(Lease(user_id))
        assert legible(tmp_path, user_id) == 0
        await store.commit(Lease(random.choice(STAYING)), an_event("and so on " * 300))
    assert legible(tmp_path, "staying") > 10_000
    await store.close()
    assert legible(tmp_path, "leaving") == 0


@pytest.mark.requirement("DELETE-FORGETS")
@pytest.mark.parametrize("seed", range(3))
async def test_what_was_deleted_leaves_a_large_file_while_others_write_and_read_without_a_pause(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_erasure, "AT_ONCE_BYTES", 0)
    monkeypatch.setattr(sqlite_erasure, "SLICE_S", 0)
    random, deleted = Random(seed), False
    store = SqliteStateStore(tmp_path / "detour.sqlite", keep_events=100)

    def write_again(_user_id: str, _events: object) -> None:
        if deleted:
            user_id = random.choice(STAYING)
            store.record(
                Lease(user_id), a_message(user_id, random.randint(1, 9), text="and so on " * 300), an_event()
            )

    await store.open(write_again)
    await live_long(store, random)
    deleted = True
    for user_id in LEAVING:
        await store.delete_user(Lease(user_id))
        await store.commit(Lease(STAYING[0]), an_event())
    async with asyncio.timeout(60):
        while legible(tmp_path, "leaving"):
            await asyncio.gather(*(store.standing(user_id) for user_id in STAYING))
    deleted = False
    await store.close()
    assert legible(tmp_path, "leaving") == 0
    assert damage(tmp_path) == "ok"


async def test_an_erasure_changes_nothing_for_those_who_stay(tmp_path: Path) -> None:
    store = await opened(tmp_path)
    await live_long(store, Random(1))
    before = await all_that_is_told(store, STAYING)
    for user_id in LEAVING:
        await store.delete_user(Lease(user_id))
    before["unfinished users"] &= {*STAYING}
    assert await all_that_is_told(store, STAYING) == before
    await store.close()
    assert damage(tmp_path) == "ok"
    store = await opened(tmp_path)
    assert await all_that_is_told(store, STAYING) == before
    await store.close()


async def test_deleting_whom_nobody_knows_erases_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    erased: list[str] = []
    begin = Eraser.begin

    def begin_and_note(eraser: Eraser) -> object:
        erased.append("erased")
        return begin(eraser)

    monkeypatch.setattr(Eraser, "begin", begin_and_note)
    store = await opened(tmp_path)
    await store.commit(ANN, NewUser("e1"))
    await store.delete_user(BOB)
    assert erased == []
    await store.delete_user(ANN)
    assert erased == ["erased"]
    await store.close()


@pytest.mark.requirement("DELETE-FORGETS")
@pytest.mark.parametrize("at_once", [0, sqlite_erasure.AT_ONCE_BYTES])
async def test_what_a_process_had_no_time_to_erase_is_erased_when_the_file_is_next_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(sqlite_erasure, "AT_ONCE_BYTES", 0)
    monkeypatch.setattr(Eraser, "erase_in_turn", _rest)
    store = await opened(tmp_path)
    await live_long(store, Random(1))
    await store.delete_user(Lease(LEAVING[0]))
    assert await store.position(LEAVING[0]) is None
    await store.close()
    assert legible(tmp_path, LEAVING[0]) > 0
    monkeypatch.undo()
    monkeypatch.setattr(sqlite_erasure, "AT_ONCE_BYTES", at_once)
    store = await opened(tmp_path)
    if not at_once:
        async with asyncio.timeout(30):
            while await asyncio.to_thread(legible, tmp_path, LEAVING[0]):
                pass
    assert legible(tmp_path, LEAVING[0]) == 0
    assert await store.position(STAYING[0]) is not None
    await store.close()


async def test_an_outside_reader_postpones_an_erasure_that_neither_holds_up_anybody_nor_fills_the_disk(
    tmp_path: Path,
) -> None:
    store = await opened(tmp_path)
    await live_long(store, Random(1))
    reader = apsw.Connection(str(tmp_path / "detour.sqlite"))
    reader.execute("BEGIN")
    read = reader.execute("SELECT count(*) FROM messages").get
    loop = asyncio.get_running_loop()
    began, before = loop.time(), size_of_all(tmp_path)
    await store.delete_user(Lease(LEAVING[0]))
    assert loop.time() - began < BUSY_TIMEOUT_MS / 1000
    assert await store.commit(Lease(STAYING[0]), an_event()) > 0
    assert legible(tmp_path, LEAVING[0]) > 0
    assert reader.execute("SELECT count(*) FROM messages").get == read
    assert size_of_all(tmp_path) < before + 1_000_000  # a copy of the file has three times as much
    reader.execute("COMMIT")
    reader.close()
    await store.delete_user(Lease(LEAVING[1]))
    assert legible(tmp_path, LEAVING[0]) + legible(tmp_path, LEAVING[1]) == 0
    await store.close()


def _rest(_eraser: Eraser) -> None:
    pass


def size_of_all(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir())


def damage(folder: Path) -> str:
    """Return what SQLite finds wrong with the file, "ok" if nothing."""
    connection = apsw.Connection(str(folder / "detour.sqlite"))
    try:
        return str(connection.pragma("integrity_check"))
    finally:
        connection.close()


# --- the share of the time -------------------------------------------------------------------------------


class Clock:
    """A monotonic clock that advances by `step` at each look."""

    def __init__(self) -> None:
        self.now = 0.0
        self.step = 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "detour.sqlite"


@pytest.fixture
def connection(path: Path) -> Iterator[apsw.Connection]:
    connection = apsw.Connection(str(path))
    create_schema(connection)
    yield connection
    connection.close()


@pytest.fixture
def file(path: Path) -> Iterator[DataFile]:
    file = DataFile(path)
    yield file
    file.close()


def test_slices_take_a_quarter_of_the_time_and_end_for_all_who_were_deleted(
    connection: apsw.Connection, file: DataFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_erasure, "AT_ONCE_BYTES", 0)
    for number in range(200):
        connection.execute("INSERT INTO messages VALUES (?, 1, 1, zeroblob(30000))", (f"{number}",))
    clock = Clock()
    clock.step = 0.001
    eraser = Eraser(connection, file, monotonic=clock)
    eraser.note()
    first = eraser.begin()
    eraser.erase_in_turn()
    assert eraser.due
    took = eraser.wait_s / 3
    assert sqlite_erasure.SLICE_S <= took <= 4 * sqlite_erasure.SLICE_S
    slices = 1
    while eraser.due and slices < 1000:
        clock.now += eraser.wait_s / 4
        before = eraser.position
        eraser.erase_in_turn()
        assert eraser.position == before
        clock.now += eraser.wait_s + clock.step
        if slices % 5 == 0 and slices < 40:
            eraser.begin()  # somebody else is deleted again and again
        eraser.erase_in_turn()
        slices += 1
    assert not eraser.due
    assert slices > 20
    assert eraser.position > first
    assert not Eraser(connection, file, monotonic=clock).due


def test_an_erasure_that_fails_stays_due(connection: apsw.Connection, file: DataFile) -> None:
    eraser = Eraser(connection, file, monotonic=Clock())
    eraser.note()
    goal = eraser.begin()
    connection.execute("BEGIN")  # within a transaction the log cannot be emptied
    connection.execute("SELECT * FROM users").fetchall()
    assert not eraser.erase_at_once(goal)
    assert eraser.due
    connection.execute("COMMIT")
    while eraser.erase_at_once(goal):
        pass
    assert not eraser.due
    assert not Eraser(connection, file, monotonic=Clock()).due


# --- the tables with rows of users ---------------------------------------------------------------------


KEPT_IN_POSTGRES = {"users", "commands"}
"""What docs/data.md says of them: a row of numbers, and what is gone in ten minutes."""

DELETED_IN_POSTGRES = re.compile(r"ARRAY\[((?:'\w+'[,\s]*)+)\]")


WITH_THE_USER = {"users", "threads", "conversations"}
"""What stays as long as anything of the user does."""

WITH_THEIR_TURN = {
    "tasks", "messages", "partials", "agents", "receipts", "acceptances", "contexts", "inputs",
    "checkpoints", "tool_calls", "model_steps",
}  # fmt: skip
BUT_FOR_THE_LAST = {"events", "thread_steps", "thread_pieces"}


@pytest.mark.requirement("DELETE-FORGETS")
@pytest.mark.requirement("AGED-TURNS-GO")
def test_of_each_table_it_is_told_when_its_rows_are_dropped_for_their_age() -> None:
    """`test_retention.py` holds every store to it."""
    page = (ROOT / "docs" / "data.md").read_text("utf-8").partition("## Retention")[0]
    rows = [line.split("|") for line in page.splitlines() if line.startswith("| `")]
    when = {name: row[4].strip() for row in rows for name in re.findall(r"`(\w+)`", row[1])}
    assert {name for name, told in when.items() if told == "the user"} == WITH_THE_USER
    assert {name for name, told in when.items() if told.startswith("its turn")} == WITH_THEIR_TURN
    assert {name for name, told in when.items() if told.endswith("but for the last")} == BUT_FOR_THE_LAST
    assert set(TABLES_OF_USERS) == WITH_THE_USER | WITH_THEIR_TURN | BUT_FOR_THE_LAST


def told() -> set[str]:
    """The tables in the first table of docs/data.md."""
    page = (ROOT / "docs" / "data.md").read_text("utf-8").partition("## Deletion")[0]
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


@pytest.mark.requirement("DELETE-FORGETS")
def test_each_table_of_a_data_file_is_deleted_and_told_of(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "detour.sqlite"))
    create_schema(connection)
    of_users = connection.execute(
        "SELECT m.name FROM sqlite_schema m, pragma_table_info(m.name) c"
        " WHERE m.type = 'table' AND c.name = 'user_id'"
    )
    assert {name for (name,) in of_users} == set(TABLES_OF_USERS) == told()


@pytest.mark.requirement("DELETE-FORGETS")
async def test_each_table_of_a_database_is_deleted_or_told_of(address: str) -> None:
    owner = TaskOwner()
    store = PostgresStateStore(address, owner.spawn)
    await store.open(lambda _user_id, _events: None)
    await store.close()
    await owner.finish(grace_s=5)
    connection = await asyncpg.connect(address)
    try:
        tables = await connection.fetch(
            "SELECT c.table_name FROM information_schema.columns c JOIN information_schema.tables t"
            " USING (table_schema, table_name) WHERE table_schema = 'detour' AND table_type = 'BASE TABLE'"
            " AND c.column_name = 'user_id'"
        )
        deletion = await connection.fetchval("SELECT prosrc FROM pg_proc WHERE proname = 'delete_user'")
    finally:
        await connection.close()
    deleted = set(re.findall(r"'(\w+)'", DELETED_IN_POSTGRES.search(deletion)[1]))
    assert {row[0] for row in tables} == deleted | KEPT_IN_POSTGRES
    assert deleted | {"users"} == told()


@pytest.mark.requirement("DELETE-FORGETS")
def test_what_outlives_a_deletion_is_told_of() -> None:
    stays = (ROOT / "docs" / "data.md").read_text("utf-8").partition("## Deletion")[2].partition("\n## ")[0]
    assert {name for name in KEPT_IN_POSTGRES | {"buckets"} if f"`{name}`" not in stays} == set()
