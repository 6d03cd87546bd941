"""The stores that the contract suites run on, and servers of hosted graphs."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from backend.domain.events import StoredEvent
from backend.store.base import StateStore
from backend.store.postgres.store import PostgresStateStore
from backend.store.sqlite import store as sqlite
from backend.store.sqlite.memory import MemoryStateStore
from backend.store.sqlite.store import SqliteStateStore
from backend.tasks.task_owner import TaskOwner
from tests.contract.default_clients import DefaultClients
from tests.contract.serving import Served, hosting
from tests.interruption.parts import Parts, started

Heard = list[tuple[str, int]]
"""What the listener was told: `(user_id, seq)` of each event, in order."""


@pytest.fixture
def heard() -> Heard:
    return []


@pytest.fixture
async def clients() -> AsyncIterator[DefaultClients]:
    async with DefaultClients() as clients:
        yield clients


@pytest.fixture
def listener(heard: Heard) -> Callable[[str, Sequence[StoredEvent]], None]:
    return lambda user_id, events: heard.extend((user_id, event.seq) for event in events)


POSTGRES = pytest.param("postgres", marks=pytest.mark.postgres)


@pytest.fixture(params=["memory", "sqlite", "sqlite-unhurried", POSTGRES])
def new_store(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., StateStore]:
    """Make a store that is not open yet; always of the same file, or of the same database.

    `sqlite` puts each write into its tables before the next one, `sqlite-unhurried` only before a read.
    """
    if request.param == "memory":
        return MemoryStateStore
    if request.param == "postgres":
        address, owner = request.getfixturevalue("address"), TaskOwner()
        return lambda **options: PostgresStateStore(address, owner.spawn, **options)
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


@pytest.fixture
async def serve(request: pytest.FixtureRequest) -> AsyncIterator[Callable[[Any], Awaitable[Served]]]:
    """Start servers, each of a graph."""
    running: list[Parts] = []

    in_real_time = request.node.get_closest_marker("virtual_time") is None

    async def begin(graph: Any) -> Served:
        parts = Parts(workflow=hosting(graph))
        await parts.open()
        running.append(parts)
        return Served(parts, in_real_time)

    yield begin
    for parts in running:
        await parts.close()
        assert len(parts.owner) == 0


@pytest.fixture
async def begin() -> AsyncIterator[Callable[..., Awaitable[tuple[Parts, str]]]]:
    """Start a server of a graph, with the first message sent half a second ago."""
    async with AsyncExitStack() as running:

        async def begin(graph: Any, **options: Any) -> tuple[Parts, str]:
            parts = await running.enter_async_context(started(Parts(workflow=hosting(graph), **options)))
            task_id = await parts.post("book it")
            await asyncio.sleep(0.5)
            return parts, task_id

        yield begin
