"""What is new of a user, read with the end of the log: the same as read one by one, and at one moment."""

import pytest

from backend.store.base import StateStore
from backend.store.postgres import reads as postgres_events
from backend.store.records import NewUser
from tests.contract.conftest import POSTGRES
from tests.records import ANN, an_event


async def assert_same(store: StateStore, *, since: int, limit: int = 1000) -> None:
    expected = await store.position("ann"), await store.events_after("ann", since, limit=limit)
    assert await store.news_after("ann", since, limit=limit) == expected


async def test_what_is_new_is_read_with_the_end_of_the_log(store) -> None:
    await store.commit(ANN, NewUser("e1"), an_event("first"), an_event("second"))
    for number in range(3):
        await store.commit(ANN, an_event(f"later {number}"))
    for since in range(7):
        for limit in (1, 2, 1000):
            await assert_same(store, since=since, limit=limit)


async def test_however_much_is_new_no_event_is_left_out(store) -> None:
    await store.commit(ANN, NewUser("e1"), an_event("first"))
    for _ in range(postgres_events.FEW_ROWS + 1):
        await store.commit(ANN, an_event(), an_event())
    last = 2 * (postgres_events.FEW_ROWS + 1) + 1
    for since in (0, 1, 2, 3, 4, last - 1, last):
        await assert_same(store, since=since)
        await assert_same(store, since=since, limit=10)


async def test_large_events_are_left_out_by_nobody(store) -> None:
    await store.commit(ANN, NewUser("e1"), an_event("first"))
    for _ in range(3):
        await store.commit(ANN, an_event("x" * (postgres_events.FEW_BYTES // 2)))
    for since in range(5):
        await assert_same(store, since=since)


async def test_there_is_nothing_new_of_a_user_who_has_not_begun_or_was_deleted(store) -> None:
    assert await store.news_after("ann", 0, limit=10) is None
    await store.commit(ANN, NewUser("e1"), an_event())
    await store.delete_user(ANN)
    assert await store.news_after("ann", 1, limit=10) is None
    await store.commit(ANN, NewUser("e2"), an_event())
    await assert_same(store, since=0)


@pytest.mark.parametrize("new_store", [POSTGRES], indirect=True)
async def test_a_follower_elsewhere_waits_for_one_answer_of_the_database(
    store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.commit(ANN, NewUser("e1"), an_event("first"))
    await store.commit(ANN, an_event("second"), an_event("third"))

    async def unexpected(*_values: object) -> None:
        raise AssertionError("read once more")

    monkeypatch.setattr(postgres_events, "events_after", unexpected)
    news = await store.news_after("ann", 1, limit=1000)
    assert news is not None
    assert [each.seq for each in news.page.events] == [2, 3]
    assert (news.position.seq, news.page.complete, news.page.more) == (3, True, False)


@pytest.mark.parametrize("new_store", [POSTGRES], indirect=True)
async def test_after_a_failover_what_is_new_is_of_another_epoch(
    store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.commit(ANN, NewUser("e1"), an_event("first"))
    assert await store.news_after("ann", 0, limit=10) is not None

    async def of_the_new_timeline(_connection: object) -> None:
        store.database.timeline = "00000002-1"

    monkeypatch.setattr(store.database, "learn_timeline", of_the_new_timeline)
    for lane in store._readers:
        if lane._connection is not None:
            lane._connection.terminate()
    news = await store.news_after("ann", 0, limit=10)
    assert news is not None
    assert news.position.epoch == "e1-00000002-1"
