"""Reading from SQLite: all that was written before; of much only pieces, so that no write waits for long."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest

from backend.domain.errors import NotFound
from backend.domain.task import InterruptReason, TaskStatus
from backend.store.base import StateStore
from backend.store.records import Checkpoint, ForgetPartials, NewUser, Record
from backend.store.retention import CONVERSATIONS, TASKS, THREADS, AgedPlace
from backend.store.sqlite import reader as sqlite_reader
from backend.store.sqlite import reads as sqlite_reads
from backend.store.sqlite.file import DataFile, create_schema
from backend.store.sqlite.memory import MemoryStateStore
from backend.store.sqlite.reads import events_after, run
from backend.store.sqlite.retention import carry_out
from backend.store.sqlite.store import SqliteStateStore
from backend.store.sqlite.writing import MOST_UNAPPLIED, Writer
from backend.tasks.task_owner import TaskOwner
from tests.contract.test_sqlite_store import execute, opened
from tests.fakes.waiting import until
from tests.records import ANN, AT, BOB, a_context, a_message, a_partial, a_task, an_event, an_input


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "detour.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStateStore]:
    store = await opened(path)
    yield store
    await store.close()


async def much_to_tell(store: SqliteStateStore) -> list[Any]:
    """Have ann find a lot, in one task at work and three that were interrupted; return the records."""
    records = [NewUser("e1"), a_task(turn=4), *(a_partial(4, place, "x" * 200) for place in range(5))]
    records += [a_context(turn=turn, partial_results=b"y" * 300) for turn in (1, 2, 3)]
    for record in records:
        await store.commit(ANN, record)
        await store.position("ann")
    return records


@pytest.fixture
def in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_reader, "AT_ONCE_BYTES", 500)


@pytest.mark.requirement("LARGE-READS-DELAY-NOBODY")
async def test_a_large_snapshot_lets_writes_pass_between_its_pieces(
    store: SqliteStateStore, in_pieces: None
) -> None:
    records = await much_to_tell(store)
    whole = await store.snapshot("ann", history=1)
    assert whole is not None
    assert (*whole.partials, *whole.interrupted[::-1]) == tuple(records[2:])
    done: list[str] = []
    snapshot = TaskOwner().spawn(store.snapshot("ann", history=1), name="snapshot")
    snapshot.add_done_callback(lambda _: done.append("snapshot"))
    await asyncio.sleep(0)
    for number in range(3):
        await store.commit(BOB, an_event(str(number)))
        done.append("commit")
    await store.commit(ANN, a_partial(4, 9), an_event())
    assert await snapshot == whole
    assert done[:3] == ["commit"] * 3


async def test_a_large_snapshot_is_of_one_instant_though_its_rows_are_deleted_meanwhile(
    store: SqliteStateStore, in_pieces: None
) -> None:
    await much_to_tell(store)
    snapshot = TaskOwner().spawn(store.snapshot("ann", history=1), name="snapshot")
    await asyncio.sleep(0)
    await store.commit(ANN, a_task(turn=5), ForgetPartials(5), an_event())
    found = await snapshot
    assert found == await store.snapshot("ann", history=1)
    assert found is not None
    assert (found.task.turn, found.partials) == (5, ())


async def test_a_large_snapshot_is_of_one_life_though_the_user_begins_anew_meanwhile(
    store: SqliteStateStore, in_pieces: None
) -> None:
    await much_to_tell(store)
    snapshot = TaskOwner().spawn(store.snapshot("ann", history=1), name="snapshot")
    await asyncio.sleep(0)
    await store.delete_user(ANN)
    again = [NewUser("e2"), a_task(turn=4), *(a_partial(4, place, "z" * 200) for place in range(5))]
    for record in (*again, *(a_context(turn=turn, partial_results=b"z" * 300) for turn in (1, 2, 3))):
        await store.commit(ANN, record)
    found = await snapshot
    assert found is None or {each.partial_results for each in found.interrupted} != {b"y" * 300}


@pytest.mark.parametrize("table", ["partials", "contexts"])
async def test_where_a_task_stands_and_what_was_said_is_told_without_reading_what_was_found(
    path: Path, table: str
) -> None:
    store = await opened(path)
    await store.commit(ANN, NewUser("e1"), a_task(), a_message(), a_partial(), a_context())
    told = (await store.standing("ann"), await store.history("ann", limit=5))
    await store.close()
    execute(path, f"UPDATE {table} SET {'found' if table == 'partials' else 'document'} = x'ff00ff'")
    store = await opened(path)
    assert (await store.standing("ann"), await store.history("ann", limit=5)) == told
    await store.close()


@pytest.mark.requirement("LARGE-READS-DELAY-NOBODY")
async def test_a_page_of_large_events_ends_early_and_says_that_there_are_more(
    store: SqliteStateStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_reads, "PAGE_BYTES", 5000)
    for number in range(10):
        await store.commit(ANN, an_event(str(number) * 2000))
        await store.position("ann")
    got: list[int] = []
    sizes: list[int] = []
    more = True
    while more:
        page = await store.events_after("ann", got[-1] if got else 0, limit=1000)
        got += [event.seq for event in page.events]
        sizes.append(len(page.events))
        more = page.more
    assert got == list(range(1, 11))
    assert sizes == [3, 3, 3, 1]


def test_large_records_are_put_into_the_tables_before_many_have_gathered(path: Path) -> None:
    path.parent.mkdir()
    connection = apsw.Connection(str(path))
    create_schema(connection)
    file = DataFile(path)
    writer = Writer(connection, file, keep_events=100)
    written = 0
    while writer.unapplied < MOST_UNAPPLIED:
        writer.write([("ann", [a_message(text="x" * 1_000_000)])])
        written += 1
    assert 10 <= written <= 20
    connection.close()
    writer.identity.close()
    file.close()


async def test_read_sees_what_was_recorded_while_a_group_was_being_written(store: SqliteStateStore) -> None:
    """Of 200 reads 17 to 29 missed it, while reads did not wait for the group under way."""
    await store.commit(ANN, NewUser("e1"))
    for nth in range(50):
        durable = store.commit(ANN, Checkpoint(1, b"%d" % nth))
        await asyncio.sleep(0)
        await until(lambda: not store._groups)  # until the thread has begun, of which it tells nobody
        store.record(ANN, Checkpoint(2, b"%d" % nth))
        found = await store.get_checkpoint("ann", 2)
        assert found is not None
        assert found.body == b"%d" % nth
        await durable


# --- what is asked often costs the same after many messages --------------------------------------------


FEW, MANY = 10, 400
ENDINGS = [
    {"status": TaskStatus.INTERRUPTED, "reason": InterruptReason.SUPERSEDED},
    {"status": TaskStatus.INTERRUPTED, "reason": InterruptReason.STOPPED},
    {"status": TaskStatus.COMPLETED},
    {"status": TaskStatus.COMPLETED, "aside": True},
]

Read = Callable[[apsw.Connection, str], object]


STORE = MemoryStateStore()
"""Whose reads run on other connections here."""


def asked(name: str, *given: Any, **named: Any) -> Read:
    """Return what runs a read of the store."""
    read: Any = getattr(StateStore, name).__wrapped__
    return lambda connection, user_id: run(connection, read(STORE, user_id, *given, **named))


def before(message: str) -> Read:
    return lambda connection, user_id: asked("history", limit=5, before=f"{user_id}-{message}")(
        connection, user_id
    )


def unknown_message(connection: apsw.Connection, user_id: str) -> None:
    with pytest.raises(NotFound):
        before("1.99")(connection, user_id)


READS: dict[str, Read] = {
    "where the log stands": asked("position"),
    "where the latest task stands": asked("standing"),
    "a snapshot": asked("snapshot", history=5),
    "the last messages": asked("history", limit=5),
    "messages before one": before("8.1"),
    "messages before none": unknown_message,
    "the last tasks": asked("recent_tasks", limit=5),
    "the questions of a task": asked("get_inputs", 4),
    "events": lambda connection, user_id: events_after(connection, user_id, 5, 3),
}


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[apsw.Connection]:
    folder: Path = tmp_path_factory.mktemp("growth")
    connection = apsw.Connection(str(folder / "detour.db"))
    create_schema(connection)
    file = DataFile(folder / "detour.db")
    writer = Writer(connection, file, keep_events=10 * MANY)
    for user_id, turns in (("few", FEW), ("many", MANY)):
        writer.write([(user_id, [NewUser("e1")])])
        for turn in range(1, turns + 1):
            writer.write([(user_id, said_in(user_id, turn))])
            writer.apply()
    yield connection
    writer.identity.close()
    file.close()
    connection.close()


def said_in(user_id: str, turn: int) -> list[Record]:
    return [
        a_task(user_id, turn, **ENDINGS[turn % len(ENDINGS)]),
        a_message(user_id, turn),
        a_message(user_id, turn, 1, role="assistant"),
        an_input(user_id, turn).resolved("withdrawn"),
        a_context(user_id, turn),
        a_partial(turn),
        an_event(task_id=f"{user_id}-{turn}"),
    ]


def steps_of(connection: apsw.Connection, read: Read, user_id: str) -> int:
    """Return how many instructions SQLite's virtual machine carries out; each row it visits takes some."""
    steps = 0

    def count() -> bool:
        nonlocal steps
        steps += 1
        return False

    connection.set_progress_handler(count, 1)
    try:
        read(connection, user_id)
    finally:
        connection.set_progress_handler(None)
    return steps


@pytest.mark.parametrize("what", READS)
def test_a_read_costs_the_same_however_much_a_user_has_said(connection: apsw.Connection, what: str) -> None:
    few, many = (steps_of(connection, READS[what], user_id) for user_id in ("few", "many"))
    assert few > 0
    assert many <= few * 1.2


@pytest.mark.requirement("AGED-TURNS-GO")
@pytest.mark.parametrize("kind", [TASKS, THREADS, CONVERSATIONS])
def test_to_find_nobody_with_anything_aged_takes_no_look_at_anybody(
    connection: apsw.Connection, kind: int
) -> None:
    def look(connection: apsw.Connection, _user_id: str) -> None:
        read: Any = StateStore.aged_users.__wrapped__
        assert run(connection, read(STORE, AT, after=AgedPlace(kind))).user_ids == ()

    assert steps_of(connection, look, "") < 60


@pytest.mark.requirement("AGED-TURNS-GO")
def test_to_drop_a_turn_costs_the_same_however_much_a_user_has_said(connection: apsw.Connection) -> None:
    def drop(connection: apsw.Connection, user_id: str) -> None:
        connection.execute("BEGIN")
        # Too few to look for steps and events.
        planned = run(connection, STORE._plan_drop(user_id, AT + timedelta(days=1), 3))
        carry_out(connection, user_id, planned)
        assert (planned.outcome.turns, planned.outcome.more) == (3, True)
        connection.execute("ROLLBACK")

    few, many = (steps_of(connection, drop, user_id) for user_id in ("few", "many"))
    assert 0 < many <= few * 1.2
