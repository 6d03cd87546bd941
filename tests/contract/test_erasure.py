"""A deleted user's words leave the files, whatever was written between them and over them."""

import asyncio
from pathlib import Path
from random import Random

import apsw
import pytest

from backend.domain.task import AgentProgress
from backend.log.state_store import sqlite_erasure
from backend.log.state_store.base import (
    Acceptance,
    ForgetPartials,
    NewUser,
    Record,
    SavedProgress,
    SavedReceipt,
)
from backend.log.state_store.sqlite import SqliteStateStore
from backend.log.state_store.sqlite_erasure import Eraser
from backend.log.state_store.sqlite_schema import create_schema
from tests.records import a_context, a_message, a_partial, a_task, an_event

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
            await store.commit(user_id, *all_kinds(user_id, turn, random))


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
        ForgetPartials(turn),
    ]


@pytest.mark.requirement("DELETE-FORGETS")
@pytest.mark.parametrize("seed", range(3))
async def test_nothing_a_deleted_user_wrote_is_legible_in_the_files(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_erasure, "_PAUSE", 0)
    random = Random(seed)
    store = await opened(tmp_path)
    await live_long(store, random)
    assert legible(tmp_path, "leaving") > 10_000
    for user_id in random.sample(LEAVING, len(LEAVING)):
        await store.delete_user(user_id)
        assert legible(tmp_path, user_id) == 0
        await store.commit(random.choice(STAYING), an_event("and so on " * 300))
    assert legible(tmp_path, "staying") > 10_000
    await store.close()
    assert legible(tmp_path, "leaving") == 0


async def test_deleting_whom_nobody_knows_does_not_write_the_file_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    erased: list[str] = []
    monkeypatch.setattr(Eraser, "_erase", lambda _eraser: erased.append("erased"))
    store = await opened(tmp_path)
    await store.commit("ann", NewUser("e1"))
    await store.delete_user("bob")
    assert erased == []
    await store.delete_user("ann")
    assert erased == ["erased"]
    await store.close()


@pytest.mark.requirement("DELETE-FORGETS")
async def test_what_a_process_had_no_time_to_erase_is_gone_when_the_file_is_next_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_erasure, "AT_ONCE_BYTES", 0)
    store = await opened(tmp_path)
    await live_long(store, Random(1))
    await store.delete_user(LEAVING[0])
    assert await store.position(LEAVING[0]) is None
    await store.close()
    assert legible(tmp_path, LEAVING[0]) > 0
    store = await opened(tmp_path)
    assert legible(tmp_path, LEAVING[0]) == 0
    assert await store.position(STAYING[0]) is not None
    await store.close()


async def test_a_large_file_is_erased_when_there_is_nothing_else_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_erasure, "AT_ONCE_BYTES", 0)
    monkeypatch.setattr(sqlite_erasure, "IDLE_S", 0)
    store = await opened(tmp_path)
    await live_long(store, Random(1))
    await store.delete_user(LEAVING[0])
    async with asyncio.timeout(30):
        while await asyncio.to_thread(legible, tmp_path, LEAVING[0]):
            pass
    await store.close()


class Clock:
    """A monotonic clock that goes on by so much at each look."""

    def __init__(self) -> None:
        self.now = 0.0
        self.step = 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


@pytest.fixture
def connection(tmp_path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(tmp_path / "detour.sqlite"))
    create_schema(connection)
    return connection


def test_a_file_is_written_anew_for_a_hundredth_of_the_time_at_most(connection: apsw.Connection) -> None:
    clock = Clock()
    eraser = Eraser(connection, monotonic=clock)
    clock.step = 0.5
    eraser.note()
    eraser.after_deletion()
    assert not eraser.due
    clock.step = 0.0
    eraser.note()
    eraser.after_deletion()
    assert eraser.due
    assert eraser.wait_s == pytest.approx(50)
    clock.now += 49
    eraser.after_deletion()
    assert eraser.due
    clock.now += 2
    eraser.after_deletion()
    assert not eraser.due


def test_an_erasure_that_fails_stays_due(connection: apsw.Connection) -> None:
    eraser = Eraser(connection, monotonic=Clock())
    eraser.note()
    connection.execute("BEGIN")  # within a transaction a file cannot be written anew
    eraser.after_deletion()
    assert eraser.due
    connection.execute("COMMIT")
    eraser.when_idle()
    assert not eraser.due
    assert Eraser(connection, monotonic=Clock()).due is False
