"""What `StateStore` promises of the index of threads, on every store."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from backend.store.ownership import Lease
from backend.store.records import NewUser
from backend.store.threads import SavedThread, holds
from tests.records import ANN, BOB, an_event

START = datetime(2026, 11, 22, 12, tzinfo=UTC)


def a_thread(user_id: str, minute: int = 0, changed: int = 0, **fields: Any) -> SavedThread:
    return SavedThread(
        user_id=user_id,
        created_at=START + timedelta(minutes=minute),
        updated_at=START + timedelta(minutes=changed),
        **fields,
    )


async def found(store: Any, **search: Any) -> list[str]:
    return [each.user_id for each in await store.find_threads(**{"limit": 100, **search})]


async def test_a_thread_is_in_the_index_before_its_user_is_known(store) -> None:
    thread = a_thread("ann", metadata={"a": {"b": [1, "ü"]}}, runs={"r1": {"modes": ["values"]}})
    await store.commit(ANN, thread)
    assert await store.get_saved_thread("ann") == thread
    assert await store.get_saved_thread("bob") is None
    assert await store.position("ann") is None
    await store.commit(ANN, NewUser("e1"), an_event())
    assert await store.get_saved_thread("ann") == thread


async def test_a_later_one_replaces_it_also_in_the_same_moment(store) -> None:
    first, second = a_thread("ann", metadata={"n": 1}), a_thread("ann", changed=1, metadata={"n": 2})
    await asyncio.gather(store.commit(ANN, first), store.commit(ANN, second))
    assert await store.find_threads(limit=10) == (second,)


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


@pytest.mark.requirement("DELETE-FORGETS")
async def test_a_deleted_user_is_in_no_index_and_leaves_no_word_of_it(store) -> None:
    await store.commit(ANN, a_thread("ann", metadata={"title": "secret"}))
    await store.commit(BOB, a_thread("bob", metadata={"title": "stays"}))
    await store.delete_user(ANN)
    assert await store.get_saved_thread("ann") is None
    assert await found(store) == ["bob"]


async def test_it_is_still_there_after_the_store_was_opened_again(new_store, listener) -> None:
    store = new_store()
    await store.open(listener)
    thread = a_thread("ann", metadata={"a": 1})
    store.record(ANN, thread)
    await store.close()
    await store.open(listener)
    assert await store.find_threads(limit=10) == (thread,)
    await store.close()


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
