"""The bound on the bytes of a user's event log, on every store."""

from collections.abc import Sequence
from contextlib import aclosing
from itertools import accumulate
from pathlib import Path

import apsw
import pytest

from backend.domain.events import StoredEvent
from backend.store.base import EVENT_BYTES_KEPT, StateStore
from backend.store.event_bus import EventBus
from backend.store.event_log import EventLog, EventsForgottenError
from backend.store.postgres import rows, writing
from backend.store.records import NewUser
from backend.store.sqlite import rows as sqlite_rows
from backend.store.sqlite import writing as sqlite_trimming
from backend.store.sqlite.file import DataFile, create_schema
from backend.store.sqlite.store import SqliteStateStore
from backend.store.sqlite.writing import TRIM_EVERY_EVENTS, Writer
from tests.contract.conftest import Heard, seqs
from tests.records import ANN, BOB, an_event

KEPT = 256 * 1024
STEP = KEPT * sqlite_trimming.TRIM_EVERY_BYTES // EVENT_BYTES_KEPT
"""How much more may be kept, besides one event, as `EVENT_BYTES_KEPT` says."""

UNBOUNDED = 1_000_000


@pytest.fixture(autouse=True)
def a_smaller_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Divide the bound, and the steps in which it is kept, by 64: what is written costs these tests' time."""
    monkeypatch.setattr(sqlite_trimming, "EVENT_BYTES_KEPT", KEPT)
    monkeypatch.setattr(sqlite_trimming, "TRIM_EVERY_BYTES", STEP)
    monkeypatch.setattr(sqlite_rows, "EVENT_ROW_BYTES", STEP)
    monkeypatch.setattr(rows, "EVENT_BYTES_KEPT", KEPT)
    monkeypatch.setattr(writing, "MEASURE_EVERY_BYTES", STEP)


async def all_kept(store: StateStore, user_id: str = "ann") -> tuple[StoredEvent, ...]:
    """Return every event that is still kept, and check that none between them is missing."""
    kept: list[StoredEvent] = []
    more = True
    while more:
        after = kept[-1].seq if kept else 0
        page = await store.events_after(user_id, after, limit=1000)
        assert await store.news_after(user_id, after, limit=1000) == (await store.position(user_id), page)
        kept += page.events
        more = page.more
    assert [event.seq for event in kept] == list(range(kept[0].seq, kept[-1].seq + 1))
    return tuple(kept)


def size_of(events: Sequence[StoredEvent]) -> int:
    return sum(len(event.frame) for event in events)


@pytest.mark.parametrize(
    ("size", "together", "times"),
    [(24_000, 1, 20), (900, 10, 50), (3_000, 130, 1)],
    ids=["large", "small", "all at once"],
)
async def test_a_log_is_bounded_in_bytes_as_well_as_in_number(
    new_store, listener, heard: Heard, size: int, together: int, times: int
) -> None:
    store = new_store(keep_events=UNBOUNDED)
    await store.open(listener)
    await store.commit(BOB, NewUser("e1"), an_event("of bob"))
    await store.commit(ANN, NewUser("e1"))
    event = an_event("x" * size)
    for _ in range(times):
        await store.commit(ANN, *[event] * together)
    kept, last = await all_kept(store), together * times
    assert KEPT - 2 * STEP < size_of(kept) < KEPT + STEP + size_of(kept[:1])
    assert kept[-1].seq == last
    assert [seq for user_id, seq in heard if user_id == "ann"] == list(range(1, last + 1))
    complete = {since: (await store.events_after("ann", since, limit=1)).complete for since in range(last)}
    assert complete == {since: since >= kept[0].seq - 1 for since in range(last)}
    assert await seqs(store, "bob") == [1]
    await store.close()


async def test_the_newest_event_is_kept_however_large_it_is(new_store, listener) -> None:
    store = new_store()
    await store.open(listener)
    await store.commit(ANN, NewUser("e1"), an_event(), an_event())
    await store.commit(ANN, an_event("x" * (KEPT + 1)))
    assert (await seqs(store))[-1] == 3
    await store.commit(ANN, an_event("y" * (KEPT + 1)))
    assert await seqs(store) == [4]
    assert await store.commit(ANN, an_event()) == 5
    await store.close()


@pytest.mark.requirement("FOLLOWING-MISSES-NOTHING")
async def test_whoever_asks_for_events_beyond_the_bytes_kept_is_told_that_they_are_forgotten(
    new_store,
) -> None:
    store, bus = new_store(), EventBus()
    log = EventLog(store, bus)
    await log.open()
    await log.commit(ANN, NewUser("e1"), an_event())
    for _ in range(20):
        await log.commit(ANN, an_event("x" * STEP))
    with pytest.raises(EventsForgottenError):
        async with aclosing(log.follow("ann", 1)) as batches:
            await anext(batches)
    async with aclosing(log.follow("ann", 20)) as batches:
        assert [event.seq for event in await anext(batches)] == [21]
    await store.close()


async def test_log_keeps_the_newest_events_whose_bytes_fit(tmp_path: Path, listener) -> None:
    store = SqliteStateStore(tmp_path / "detour.db")
    await store.open(listener)
    await store.commit(ANN, NewUser("e1"))
    sizes = [STEP * each for each in (3, 1, 5, 2, 4, 6, 1, 1, 3, 12, 2, 1)]
    for number, size in enumerate(sizes, start=1):
        await store.commit(ANN, an_event("x" * size))
        fitting = sum(total < KEPT for total in accumulate(reversed(sizes[:number])))
        assert len(await all_kept(store)) == fitting
    await store.close()


# --- SQLite --------------------------------------------------------------------------------------------


@pytest.fixture
def connection(tmp_path: Path):
    connection = apsw.Connection(str(tmp_path / "detour.db"))
    create_schema(connection)
    yield connection
    connection.close()


@pytest.fixture
def file(connection: apsw.Connection):
    file = DataFile(Path(connection.filename))
    yield file
    file.close()


def stored_bytes(connection: apsw.Connection) -> int:
    return connection.execute("SELECT sum(length(bodies)) FROM events").get


@pytest.mark.parametrize("is_applied", [True, False], ids=["in the tables", "in the journal"])
def test_the_bytes_are_bounded_though_every_process_is_lost_after_one_event(
    connection: apsw.Connection, file: DataFile, is_applied: bool
) -> None:
    event = an_event("x" * (KEPT // TRIM_EVERY_EVENTS * 2))
    for _ in range(2 * TRIM_EVERY_EVENTS):
        writer = Writer(connection, file, keep_events=UNBOUNDED)
        writer.write([("ann", [event])])
        if is_applied:
            writer.apply()
        writer.identity.close()
    Writer(connection, file, keep_events=UNBOUNDED).identity.close()
    assert stored_bytes(connection) <= KEPT


def test_a_log_is_measured_once_and_then_not_before_it_can_be_too_large(
    connection: apsw.Connection, file: DataFile
) -> None:
    writer = Writer(connection, file, keep_events=UNBOUNDED)
    measured: list[int] = []
    sizes: list[int] = []

    def note(cursor: apsw.Cursor, sql: str, bindings: object) -> bool:
        if "length(bodies)" in sql:
            measured.append(sum(sizes))
        return True

    connection.exec_trace = note
    for size in [1] * 3 * TRIM_EVERY_EVENTS + [STEP // 4] * 100:
        event = an_event("x" * size)
        sizes.append(len(event.body))
        writer.write([("ann", [event])])
        writer.apply()
    connection.exec_trace = None
    first, second, *others = measured
    assert first == sum(sizes[:TRIM_EVERY_EVENTS])
    assert KEPT < second < KEPT + 2 * STEP
    assert len(others) <= (sum(sizes) - second) // STEP
    writer.identity.close()


def test_a_log_is_trimmed_again_after_what_trimmed_it_was_rolled_back(
    connection: apsw.Connection, file: DataFile
) -> None:
    writer = Writer(connection, file, keep_events=UNBOUNDED)
    for _ in range(20):
        writer.write([("ann", [an_event("x" * STEP)])])
    connection.set_commit_hook(lambda: True)
    with pytest.raises(apsw.ConstraintError):
        writer.apply()
    connection.set_commit_hook(None)
    writer.apply()
    assert KEPT - 2 * STEP < stored_bytes(connection) <= KEPT
    writer.identity.close()
