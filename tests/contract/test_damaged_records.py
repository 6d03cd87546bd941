"""A record that is damaged, or of a later version: the store tells of all others."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest

from backend.store.ownership import Lease
from backend.store.records import NewUser
from backend.store.sqlite.store import SqliteStateStore
from tests.api.live import running
from tests.contract.test_thread_index import a_thread
from tests.records import ANN, AT, a_task, a_tool_call, an_event, an_input

DAMAGED = [b"{", b"\xff", b"[]", b'{"user_id": "ann"}', b""]
LATER = AT + timedelta(days=30)


def damage(path: Path, table: str, document: bytes) -> None:
    connection = apsw.Connection(str(path))
    connection.execute(f"UPDATE {table} SET document = ? WHERE user_id = 'ann'", (document,))
    assert connection.changes() == 1
    connection.close()


async def reopened(folder: Path, table: str, document: bytes) -> SqliteStateStore:
    """Return a store of two users with a record of each kind, of which one of Ann's is damaged."""
    path = folder / "detour.sqlite"
    store = SqliteStateStore(path)
    await store.open(lambda _user_id, _events: None)
    for user_id in ("ann", "bob"):
        records: list[Any] = [
            a_task(user_id),
            an_event(),
            an_input(user_id),
            a_tool_call(user_id, effect="write", state="running"),
            a_thread(user_id),
        ]
        await store.commit(Lease(user_id), NewUser("e1"), *records)
    await store.close()
    damage(path, table, document)
    store = SqliteStateStore(path)
    await store.open(lambda _user_id, _events: None)
    return store


async def of_both(read: Callable[[str], Any]) -> list[Any]:
    return [*await read("ann"), *await read("bob")]


@pytest.mark.parametrize("document", DAMAGED)
@pytest.mark.parametrize(
    ("table", "read"),
    [
        ("tasks", lambda store: of_both(store.resumable)),
        ("inputs", lambda store: store.inputs_due(LATER)),
        ("tool_calls", lambda store: of_both(store.unsettled_tool_calls)),
        ("threads", lambda store: store.find_threads(limit=10)),
    ],
)
async def test_a_damaged_record_is_left_out_of_what_is_read_when_a_server_starts(
    tmp_path: Path, table: str, read: Callable[[SqliteStateStore], Any], document: bytes
) -> None:
    store = await reopened(tmp_path, table, document)
    assert [each.user_id for each in await read(store)] == ["bob"]
    await store.close()


async def test_a_damaged_thread_of_the_index_is_none_and_may_be_written_anew(tmp_path: Path) -> None:
    store = await reopened(tmp_path, "threads", b"{")
    assert await store.get_saved_thread("ann") is None
    await store.commit(ANN, a_thread("ann", 3))
    assert await store.get_saved_thread("ann") == a_thread("ann", 3)
    await store.close()


async def test_a_server_starts_without_what_is_damaged_and_serves_the_other_users(tmp_path: Path) -> None:
    async with running(tmp_path, store="sqlite") as api:
        assert (await api.call("POST", "/threads", json={"thread_id": "ann"})).status_code == 200
        await api.chat("ann", "hold")
        await api.chat_to_end("bob", "find 1")
    path = tmp_path / "detour.sqlite"
    for table in ("tasks", "threads"):
        damage(path, table, b"{")
    async with running(tmp_path, store="sqlite") as api:
        assert (await api.status("bob"))["status"] == "completed"
        await api.chat_to_end("bob", "find 1")
        assert (await api.call("POST", "/threads/search", json={})).json() == []
