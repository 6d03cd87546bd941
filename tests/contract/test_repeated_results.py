"""A `status_update` is stored without results that its log holds already, and replayed as it was sent."""

import asyncio
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain.events import Event, StoredEvent, partial_result, status_update
from backend.domain.partials import PartialBatch, PartialResults
from backend.domain.task import TaskStatus
from backend.store import repeated_results
from backend.store.base import StateStore
from backend.store.postgres import rows
from backend.store.records import NewUser
from backend.store.repeated_results import PAGE_BYTES, RepeatedResults
from backend.store.sqlite import reads as sqlite_reads
from backend.store.sqlite import writing as sqlite_trimming
from backend.store.sqlite.file import DataFile, create_schema
from backend.store.sqlite.memory import MemoryStateStore
from backend.store.sqlite.store import SqliteStateStore
from backend.store.sqlite.writing import Writer
from tests.records import ANN, AT, a_task, an_event

pytestmark = pytest.mark.requirement("REPLAYED-AS-SENT")

AGENTS = ("flight", "hotel", 'a "quoted", "items":[ one],"count":')
LARGE = "x" * 256 * 1024


class Publishing:
    """The results of a task so far, and their events."""

    def __init__(self, turn: int = 1) -> None:
        self.turn = turn
        self.results = PartialResults()

    def found(self, *items: Any, agent: str = "flight", source: str | None = None) -> Event:
        batch = PartialBatch.of(agent, items, source=source)
        self.results.add(batch)
        count = self.results.count(agent)
        return partial_result(f"ann-{self.turn}", batch, count=count, at=AT)

    def status(self, status: TaskStatus = TaskStatus.RUNNING) -> Event:
        return status_update(a_task(turn=self.turn, status=status), self.results)


class Live:
    """The frames that a store has published, by user."""

    def __init__(self) -> None:
        self.frames: dict[str, list[StoredEvent]] = {}

    def __call__(self, user_id: str, events: Sequence[StoredEvent]) -> None:
        self.frames.setdefault(user_id, []).extend(events)


@pytest.fixture
def live() -> Live:
    return Live()


async def replayed(store: StateStore, since: int = 0, limit: int = 1000) -> list[StoredEvent] | None:
    """Return all events after a number, page by page; None if the client has to begin again."""
    got: list[StoredEvent] = []
    while True:
        after = got[-1].seq if got else since
        page = await store.events_after("ann", after, limit=limit)
        assert await store.news_after("ann", after, limit=limit) == (await store.position("ann"), page)
        if not page.complete:
            return None
        got += page.events
        if not page.more:
            return got


def is_whole(body: bytes) -> bool:
    return not body.startswith(b'{"results_since":')


# --- every store ---------------------------------------------------------------------------------------


async def test_results_of_a_task_are_stored_once_however_often_its_status_changes(
    new_store, live: Live
) -> None:
    store = new_store()
    await store.open(live)
    await store.commit(ANN, NewUser("e1"))
    task = Publishing()
    for agent in ("flight", "hotel", "flight", "hotel"):
        await store.commit(ANN, task.found({"thing": LARGE}, agent=agent))
    for _ in range(30):
        await store.commit(ANN, an_event(), task.status(TaskStatus.INPUT_REQUIRED), task.status())
    await store.commit(ANN, task.status(TaskStatus.COMPLETED))
    # 61 updates with 1 MiB of results each: far more than a log keeps.
    assert await replayed(store) == live.frames["ann"]
    assert len(live.frames["ann"][-1].frame) > 4 * len(LARGE)
    await store.close()


async def test_page_ends_early_when_restored_results_make_it_large(new_store, live: Live) -> None:
    store = new_store()
    await store.open(live)
    await store.commit(ANN, NewUser("e1"))
    task = Publishing()
    await store.commit(ANN, task.found(LARGE), *[task.status()] * 12)
    page = await store.events_after("ann", 1, limit=200)
    assert [event.seq for event in page.events] == [2, 3, 4, 5]
    assert (page.complete, page.more) == (True, True)
    assert sum(len(event.frame) for event in page.events) < PAGE_BYTES + 2 * len(LARGE)
    await store.close()


async def test_results_from_elsewhere_are_stored_with_the_status(new_store, live: Live) -> None:
    store = new_store()
    await store.open(live)
    task = Publishing()
    task.found("of an earlier log")
    await store.commit(ANN, NewUser("e1"), an_event(), task.status(), task.found(2), task.status())
    task.found("never published", agent="hotel")
    await store.commit(ANN, task.status(), task.found(3), task.status(), task.status(TaskStatus.COMPLETED))
    assert await replayed(store) == live.frames["ann"]
    for since in range(len(live.frames["ann"])):
        assert await replayed(store, since, 1) == live.frames["ann"][since:]
    await store.close()


async def test_user_who_begins_anew_has_no_earlier_results(new_store, live: Live) -> None:
    store = new_store()
    await store.open(live)
    task = Publishing()
    await store.commit(ANN, NewUser("e1"), task.found(1), task.status())
    await store.delete_user(ANN)
    live.frames.clear()
    await store.commit(ANN, NewUser("e2"), an_event(), task.status())
    assert await replayed(store) == live.frames["ann"]
    await store.close()


async def test_client_less_than_half_a_log_behind_never_begins_again(new_store, live: Live) -> None:
    store = new_store(keep_events=200)
    await store.open(live)
    task = Publishing()
    await store.commit(ANN, NewUser("e1"), task.found(1))
    last = 1
    for _ in range(60):
        last = await store.commit(ANN, *[an_event()] * 9, task.status())
        assert await replayed(store, max(last - 100, 0)) == live.frames["ann"][-100:]
    assert last == 601
    await store.close()


async def test_client_less_than_half_the_bytes_behind_never_begins_again(
    new_store, live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (repeated_results, sqlite_trimming, rows):
        monkeypatch.setattr(module, "EVENT_BYTES_KEPT", 4 * len(LARGE))
    store = new_store()
    await store.open(live)
    task = Publishing()
    await store.commit(ANN, NewUser("e1"), task.found(1))
    for _ in range(20):
        last = await store.commit(ANN, an_event(LARGE), task.status())
        assert await replayed(store, max(last - 3, 0)) == live.frames["ann"][-3:]
    assert not (await store.events_after("ann", 1, limit=1)).complete
    await store.close()


async def test_client_who_needs_dropped_results_begins_again(new_store, live: Live) -> None:
    store = new_store(keep_events=200)
    await store.open(live)
    task = Publishing()
    await store.commit(ANN, NewUser("e1"), *[an_event()] * 99, task.found(1))
    await store.position("ann")
    await store.commit(ANN, *[an_event()] * 89, task.status(), *[an_event()] * 10)
    assert await replayed(store, 150) == live.frames["ann"][150:]
    await store.commit(ANN, *[an_event()] * 100)
    assert (await store.events_after("ann", 150, limit=39)).complete
    assert not (await store.events_after("ann", 150, limit=40)).complete
    assert await replayed(store, 190) == live.frames["ann"][190:]
    await store.close()


def test_ended_tasks_are_forgotten() -> None:
    repeated = RepeatedResults(keep_events=2000)
    first, second = Publishing(1), Publishing(2)
    shown = [first.found(1), second.found(1), first.status(TaskStatus.FAILED), an_event()]
    for seq, event in enumerate([*shown, second.status(TaskStatus.COMPLETED)]):
        repeated.body_to_store("ann", seq, event)
    assert repeated._logs == {}


# --- both stores, whatever is published ----------------------------------------------------------------

values = st.sampled_from([{"items": [1], "count": 2}, {"a": 0, "items": [], "count": []}]) | st.dictionaries(
    st.text(max_size=4),
    st.none() | st.integers(-(2**53), 2**53) | st.floats() | st.text(max_size=8) | st.just('"items":['),
    max_size=2,
)
turns = st.integers(1, 2)
steps = st.one_of(
    st.tuples(
        st.just("found"),
        turns,
        st.sampled_from(AGENTS),
        st.lists(values, max_size=3),
        st.none() | st.sampled_from(AGENTS),
    ),
    st.tuples(st.just("status"), turns, st.sampled_from(TaskStatus)),
    st.tuples(st.just("never published"), turns, st.sampled_from(AGENTS)),
    st.tuples(st.just("text"), st.text(max_size=8)),
    st.tuples(st.just("begin a new process")),
)


@given(st.lists(st.lists(steps, max_size=6), max_size=8), st.integers(0, 20), st.integers(1, 30))
def test_stores_replay_what_they_sent_byte_for_byte(writes: list[list[Any]], since: int, limit: int) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite_reads, "PAGE_BYTES", 300)
        asyncio.run(write_and_compare(Path(folder), writes, since, limit))


async def write_and_compare(folder: Path, writes: list[list[Any]], since: int, limit: int) -> None:
    stores: list[tuple[StateStore, Live]] = [
        (MemoryStateStore(), Live()),
        (SqliteStateStore(folder / "detour.db"), Live()),
    ]
    for store, live in stores:
        await store.open(live)
        await store.commit(ANN, NewUser("e1"))
    tasks = {turn: Publishing(turn) for turn in (1, 2)}
    for write in writes:
        events = [event for step in write if (event := event_of(tasks, *step)) is not None]
        for store, live in stores:
            await store.commit(ANN, *events)
            if ("begin a new process",) in write:
                await store.close()
                await store.open(live)
    for store, live in stores:
        sent = live.frames.get("ann", [])
        assert await replayed(store, since, limit) == sent[since:]
        assert await replayed(store, 0, limit) == sent
        await store.close()
    assert stores[0][1].frames == stores[1][1].frames


def event_of(tasks: dict[int, Publishing], what: str, *details: Any) -> Event | None:
    match what, *details:
        case "found", turn, agent, items, source:
            return tasks[turn].found(*items, agent=agent, source=source)
        case "never published", turn, agent:
            tasks[turn].found("elsewhere", agent=agent)
        case "status", turn, status:
            return tasks[turn].status(status)
        case "text", text:
            return an_event(text)
        case _:
            pass
    return None


# --- SQLite --------------------------------------------------------------------------------------------


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[apsw.Connection]:
    connection = apsw.Connection(str(tmp_path / "detour.db"))
    create_schema(connection)
    yield connection
    connection.close()


def stored_bodies(connection: apsw.Connection, writer: Writer) -> list[bytes]:
    writer.apply()
    page = sqlite_reads.events_between(connection, "ann", 1, 1000)
    return [body for _, body in page]


def test_status_after_a_failed_write_or_a_new_process_is_stored_whole(
    connection: apsw.Connection,
) -> None:
    with DataFileOf(connection) as file:
        writer = Writer(connection, file, keep_events=2000)
        task = Publishing()
        writer.write([("ann", [NewUser("e1"), task.found(1), task.status()])])
        lost = task.found(2)
        connection.set_commit_hook(lambda: True)
        with pytest.raises(apsw.ConstraintError):
            writer.write([("ann", [lost])])
        connection.set_commit_hook(None)
        writer.write([("ann", [task.status(), task.found(3), task.status()])])
        writer.identity.close()
        writer = Writer(connection, file, keep_events=2000)
        sent = writer.write([("ann", [task.status(), task.status(TaskStatus.COMPLETED)])])[0][0]
        bodies = stored_bodies(connection, writer)
        assert [is_whole(body) for body in bodies] == [True, False, True, True, False, True, False]
        page = sqlite_reads.events_after(connection, "ann", 5, 10)
        assert page.events == sent
        writer.identity.close()


def test_log_of_an_earlier_version_is_replayed_as_it_is(connection: apsw.Connection) -> None:
    with DataFileOf(connection) as file:
        task = Publishing()
        events = [task.found(1), task.status(), task.found(2), task.status()]
        as_version_6 = [event._replace(results=None) for event in events]
        writer = Writer(connection, file, keep_events=2000)
        sent = list(writer.write([("ann", [NewUser("e1"), *as_version_6])])[0][0])
        sent += writer.write([("ann", [task.status(), task.found(3), task.status()])])[0][0]
        assert [is_whole(body) for body in stored_bodies(connection, writer)] == [True] * 6 + [False]
        assert list(sqlite_reads.events_after(connection, "ann", 0, 10).events) == sent
        assert list(sqlite_reads.events_after(connection, "ann", 6, 10).events) == sent[6:]
        writer.identity.close()


class DataFileOf:
    """The data file of a connection, closed at the end."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._file = DataFile(Path(connection.filename))

    def __enter__(self) -> DataFile:
        return self._file

    def __exit__(self, *_: object) -> None:
        self._file.close()
