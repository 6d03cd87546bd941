"""What a store keeps of threads: their newest steps, the pieces that these share, and their index."""

import sys
from pathlib import Path
from typing import Any

import apsw
import pytest

from backend.domain.errors import NotFound
from backend.store import threads as thread_steps
from backend.store.ownership import Lease
from backend.store.records import NewUser
from backend.store.sqlite.store import SqliteStateStore
from backend.store.threads import holds
from tests.records import ANN, BOB, a_thread, a_thread_step, an_event


async def numbers(store, graph: str = "", **which) -> list[int]:
    steps = await store.get_thread_steps("ann", graph, **{"limit": 1000, "most_bytes": sys.maxsize, **which})
    return [each.number for each in steps]


@pytest.mark.requirement("STATE-IS-KEPT-BY-STEPS")
async def test_steps_come_newest_first_in_pages_of_a_number_and_of_bytes(store) -> None:
    await store.commit(ANN, NewUser("e1"), *(a_thread_step(each, b"x" * 100) for each in range(1, 8)))
    assert await numbers(store) == [7, 6, 5, 4, 3, 2, 1]
    assert await numbers(store, limit=2) == [7, 6]
    assert await numbers(store, limit=2, before="step 6") == [5, 4]
    assert await numbers(store, before="step 1") == []
    # What steps share counts for each of them: that is what a client is sent.
    assert await numbers(store, most_bytes=250) == [7, 6]
    assert await numbers(store, most_bytes=1) == [7]
    with pytest.raises(NotFound, match="before: the thread has no step 'none'"):
        await numbers(store, before="none")


@pytest.mark.requirement("STATE-IS-KEPT-BY-STEPS")
async def test_only_the_newest_steps_are_kept_with_what_they_refer_to(new_store, monkeypatch) -> None:
    monkeypatch.setattr(thread_steps, "KEPT_STEPS", 10)
    monkeypatch.setattr(thread_steps, "TRIM_EVERY_STEPS", 5)
    store = new_store()
    await store.open(lambda _user_id, _events: None)
    store.record(ANN, NewUser("e1"))
    for number in range(1, 24):
        store.record(ANN, a_thread_step(number, b"shared", b"%d" % number, paged=[b"page", b"%d" % number]))
    assert await numbers(store) == [*range(23, 10, -1)]
    for number in range(11, 24):
        step = await store.get_thread_step("ann", "", f"step {number}")
        assert step == a_thread_step(number, b"shared", b"%d" % number, paged=[b"page", b"%d" % number])
    await store.close()


@pytest.mark.requirement("STATE-IS-KEPT-BY-STEPS")
async def test_a_thread_of_large_values_keeps_fewer_steps_and_always_the_newest(store, monkeypatch) -> None:
    monkeypatch.setattr(thread_steps, "KEPT_STEP_BYTES", 1000)
    monkeypatch.setattr(thread_steps, "TRIM_EVERY_BYTES", 100)
    for number in range(1, 9):
        await store.commit(ANN, a_thread_step(number, b"%d" % number * 300))
    assert await numbers(store) == [8, 7, 6]
    await store.commit(ANN, a_thread_step(9, b"9" * 5000))
    assert await numbers(store) == [9]


@pytest.mark.requirement("STATE-IS-KEPT-BY-STEPS")
async def test_the_file_holds_no_piece_that_no_kept_step_refers_to(tmp_path: Path) -> None:
    store = SqliteStateStore(tmp_path / "detour.db")
    await store.open(lambda _user_id, _events: None)
    store.record(ANN, NewUser("e1"))
    for number in range(1, 2 * thread_steps.KEPT_STEPS + 1):
        store.record(ANN, a_thread_step(number, b"shared", b"%d" % number))
    await store.close()
    connection = apsw.Connection(str(tmp_path / "detour.db"))
    assert connection.execute("SELECT count(*) FROM thread_steps").get == thread_steps.KEPT_STEPS
    assert connection.execute("SELECT count(*) FROM thread_pieces").get == thread_steps.KEPT_STEPS + 1
    connection.close()


# --- the index -----------------------------------------------------------------------------------------


async def found(store: Any, **search: Any) -> list[str]:
    return [each.user_id for each in await store.find_threads(**{"limit": 100, **search})]


async def test_threads_are_found_by_metadata_and_ids_newest_first(store) -> None:
    await store.commit(ANN, a_thread("ann", 1, 9, metadata={"who": "x", "in": {"a": 1, "b": 2}}))
    await store.commit(BOB, a_thread("bob", 2, 8, metadata={"who": "x"}))
    await store.commit(Lease("cat"), a_thread("cat", 3, 7, metadata={"who": "y"}))
    await store.commit(Lease("dan"), NewUser("e1"), an_event())
    assert await found(store) == ["cat", "bob", "ann"]
    assert await found(store, metadata={"who": "x"}) == ["bob", "ann"]
    assert await found(store, metadata={"in": {"b": 2}}) == ["ann"]
    assert await found(store, metadata={"in": {"b": 3}}) == []
    assert await found(store, ids=["ann", "dan", "cat"]) == ["cat", "ann"]
    assert await found(store, ids=[]) == []
    assert await found(store, sort_by="updated_at") == ["ann", "bob", "cat"]
    assert await found(store, sort_by="thread_id", descending=False) == ["ann", "bob", "cat"]
    assert await found(store, limit=1, offset=1) == ["bob"]
    assert await found(store, limit=0) == []


@pytest.mark.parametrize(
    ("value", "wanted", "holds_it"),
    [
        ({"a": 1, "b": 2}, {"a": 1}, True),
        ({"a": {"b": 1, "c": 2}}, {"a": {"c": 2}}, True),
        ({"a": 1}, {"a": {"b": 1}}, False),
        ({"a": None}, {"b": None}, False),
        ({"a": [1, 2]}, {"a": [1]}, False),
        ({}, {}, True),
    ],
)
def test_metadata_holds_what_is_wanted_with_all_its_parts(value: Any, wanted: Any, holds_it: bool) -> None:
    assert holds(value, wanted) is holds_it
