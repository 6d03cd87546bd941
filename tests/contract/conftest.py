"""The stores that the contract suites run on."""

from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import pytest

from backend.domain.events import StoredEvent
from backend.log.state_store import sqlite
from backend.log.state_store.base import StateStore
from backend.log.state_store.memory import MemoryStateStore
from backend.log.state_store.sqlite import SqliteStateStore

Heard = list[tuple[str, int]]
"""What the listener was told: `(user_id, seq)` of each event, in order."""


@pytest.fixture
def heard() -> Heard:
    return []


@pytest.fixture
def listener(heard: Heard) -> Callable[[str, Sequence[StoredEvent]], None]:
    return lambda user_id, events: heard.extend((user_id, event.seq) for event in events)


@pytest.fixture(params=["memory", "sqlite", "sqlite-unhurried"])
def new_store(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., StateStore]:
    """Make a store that is not open yet; on SQLite, always of the same file.

    `sqlite` puts each write into its tables before the next one, `sqlite-unhurried` only before a read.
    """
    if request.param == "memory":
        return MemoryStateStore
    if request.param == "sqlite":
        monkeypatch.setattr(sqlite, "MOST_UNAPPLIED", 0)
    return lambda **options: SqliteStateStore(tmp_path / "detour.db", **options)


@pytest.fixture
async def store(new_store, listener) -> AsyncIterator[StateStore]:
    store = new_store()
    await store.open(listener)
    yield store
    await store.close()


async def seqs(store: StateStore, user_id: str = "ann", since: int = 0, limit: int = 1000) -> list[int]:
    return [event.seq for event in (await store.events_after(user_id, since, limit=limit)).events]
