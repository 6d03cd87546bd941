"""How reads are run: statements of one instant together, and much of anything in pages."""

from collections.abc import Callable
from typing import Any, TypeVar

import pytest

from backend.store import reads, thread_reads
from backend.store.base import StateStore
from backend.store.ownership import Lease
from backend.store.reads import Read, StoredReads
from backend.store.records import NewUser
from backend.store.sqlite.memory import MemoryStateStore
from backend.store.threads import SavedThread
from tests.contract.reading import all_that_is_told
from tests.contract.test_retention import a_turn, at_day
from tests.records import AT, a_thread_step

T = TypeVar("T")


async def say_much(store: StateStore) -> None:
    for number, user in enumerate(("ann", "bob", "cyd", "dan", "eve")):
        await store.commit(
            Lease(user), NewUser("e"), *(each for turn in range(1, 7) for each in a_turn(turn, user=user))
        )
        steps = (a_thread_step(number, b"piece %d" % number, turn=6) for number in range(7, 12))
        await store.commit(Lease(user), *steps)
        # Two of a time: a page ends between them.
        at = at_day(number // 2)
        metadata = {"a": 1 if user in ("ann", "cyd", "eve") else 2}
        thread = SavedThread(user_id=user, created_at=at, updated_at=at, metadata=metadata)
        await store.commit(Lease(user), thread)


class CountedStatements(MemoryStateStore):
    """Has reads that are not `at_one_instant` make one statement."""

    snapshot = StoredReads.snapshot

    async def run_read(
        self, user_id: str | None, read: Callable[[], Read[T]], *, at_one_instant: bool = False
    ) -> T:
        def counted() -> Read[T]:
            running = read()
            statement = next(running)
            try:
                statement = running.send((yield statement))
                while True:
                    assert at_one_instant, f"a second statement: {statement}"
                    statement = running.send((yield statement))
            except StopIteration as done:
                return done.value

        return await super().run_read(user_id, counted)


async def test_reads_of_several_statements_are_of_one_instant() -> None:
    store = CountedStatements()
    await say_much(store)
    await all_that_is_told(store, ["ann", "nobody"])
    await store.history("ann", limit=2, before="ann-3.1")
    await store.conversations_of("somebody", limit=2, before="ann")
    assert await store.person_of("ann") is None
    assert await store.get_grant(b"digest", AT) is None
    assert await store.find_grants(b"body", AT) == ()
    assert await store.stored_bytes("ann") > 0


async def test_pages_of_a_read_add_up_to_all_of_it(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    await say_much(store)

    async def told() -> list[Any]:
        found = [await store.find_threads(metadata={"a": 1}, limit=2, offset=1)]
        for sort_by in ("created_at", "updated_at", "thread_id"):
            for descending in (True, False):
                found.append(await store.find_threads(sort_by=sort_by, descending=descending, limit=9))
        some = await store.find_threads(ids=["eve", "ann", "bob", "nobody"], limit=9)
        none = await store.find_threads(ids=[], limit=9)
        later = await store.find_threads(limit=9, offset=3)
        return [*found, some, none, later, await all_that_is_told(store, ["ann"])]

    at_once = await told()
    assert [len(each) for each in at_once[:-1]] == [2, *[5] * 6, 3, 0, 2]
    monkeypatch.setattr(reads, "_MESSAGES_AT_ONCE", 1)
    monkeypatch.setattr(thread_reads, "_THREADS_AT_ONCE", 2)
    monkeypatch.setattr(type(store), "STEPS_AT_ONCE", 2)
    assert await told() == at_once
