"""What `StateStore` promises of the index of threads, on every store."""

from typing import Any

import pytest

from backend.store.ownership import Lease
from backend.store.records import NewUser
from backend.store.threads import holds
from tests.records import ANN, BOB, a_thread, an_event


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
