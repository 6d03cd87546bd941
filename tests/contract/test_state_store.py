"""What `StateStore` promises of writing, on every store: numbers, order, all or nothing."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import orjson
import pytest
from structlog.testing import capture_logs

from backend.domain.errors import StoreUnavailable
from backend.store.base import StateStore
from backend.store.ownership import Lease
from backend.store.records import NewUser
from backend.tasks.task_owner import TaskOwner
from tests.contract.conftest import Heard, seqs
from tests.records import ANN, BOB, a_message, a_partial, a_task, an_event

UNKNOWN_RECORD = {"not": "a record"}


# --- numbers and order ---------------------------------------------------------------------------------


@pytest.mark.requirement("NUMBERS-HAVE-NO-HOLES")
async def test_every_event_of_a_user_has_the_next_number_whichever_way_it_came(store, heard: Heard) -> None:
    first = store.commit(ANN, NewUser("e1"), an_event("1"), an_event("2"))
    store.record(ANN, an_event("3"))
    store.record(BOB, NewUser("e2"), an_event("of bob"))
    store.record(ANN, a_partial())
    last = store.commit(ANN, an_event("4"))
    # A store may write two users side by side, so that only bob's own commit tells that his events came.
    of_bob = store.commit(BOB, an_event("another of bob"))
    assert [await first, await last, await of_bob] == [2, 4, 2]
    page = await store.events_after("ann", 0, limit=10)
    assert [(event.seq, orjson.loads(event.frame)["text"]) for event in page.events] == [
        (1, "1"),
        (2, "2"),
        (3, "3"),
        (4, "4"),
    ]
    assert [orjson.loads(event.frame)["seq"] for event in page.events] == [1, 2, 3, 4]
    assert sorted(heard) == [("ann", 1), ("ann", 2), ("ann", 3), ("ann", 4), ("bob", 1), ("bob", 2)]


async def test_the_listener_is_told_in_order_before_the_commit_is_done(store, heard: Heard) -> None:
    heard_when_done: list[Heard] = []
    commits = [store.commit(ANN, an_event(str(number))) for number in range(1, 30)]
    for commit in commits:
        commit.add_done_callback(lambda _commit: heard_when_done.append(list(heard)))
    await asyncio.gather(*commits)
    await asyncio.sleep(0)
    assert heard == [("ann", number) for number in range(1, 30)]
    assert all(heard[: number + 1] == told[: number + 1] for number, told in enumerate(heard_when_done))
    assert len(heard_when_done) == 29


async def test_what_was_recorded_before_a_commit_is_durable_when_the_commit_is(store) -> None:
    store.record(ANN, a_partial(1, 0))
    store.record(ANN, a_message())
    await store.commit(ANN, a_partial(1, 1))
    assert await store.get_partials("ann", 1) == (a_partial(1, 0), a_partial(1, 1))
    assert await store.get_messages("ann", limit=5) == (a_message(),)


async def test_records_become_durable_without_anybody_waiting(new_store) -> None:
    durable = asyncio.Event()
    store = new_store()
    await store.open(lambda _user_id, _events: durable.set())
    store.record(ANN, an_event())
    async with asyncio.timeout(10):
        await durable.wait()
    await store.close()


# --- together or not at all ----------------------------------------------------------------------------


@pytest.mark.requirement("NUMBERS-HAVE-NO-HOLES")
async def test_a_failed_commit_keeps_nothing_and_uses_no_number_up(store, heard: Heard) -> None:
    await store.commit(ANN, NewUser("e1"), an_event("1"))
    failed = store.commit(ANN, a_message(), an_event("lost"), UNKNOWN_RECORD)
    after = store.commit(ANN, an_event("2"))
    with pytest.raises(TypeError, match="no store keeps a dict"):
        await failed
    assert await after == 2
    assert await store.get_messages("ann", limit=5) == ()
    assert heard == [("ann", 1), ("ann", 2)]


async def test_one_bad_write_fails_alone_among_others_of_the_same_moment(store) -> None:
    good = [store.commit(Lease(f"user{number}"), NewUser("e"), an_event()) for number in range(10)]
    bad = store.commit(Lease("user5"), an_event(), UNKNOWN_RECORD)
    good += [store.commit(Lease(f"user{number}"), an_event()) for number in range(10)]
    assert await asyncio.gather(*good) == [1] * 10 + [2] * 10
    with pytest.raises(TypeError):
        await bad


async def test_a_failed_record_is_logged_and_uses_no_number_up(store) -> None:
    with capture_logs() as logs:
        store.record(ANN, an_event(), UNKNOWN_RECORD)
        assert await store.commit(ANN, an_event()) == 1
    assert [(log["event"], log["user_id"], log["log_level"]) for log in logs] == [
        ("records were lost", "ann", "error")
    ]


async def test_a_listener_that_fails_is_logged_and_holds_up_nobody(new_store) -> None:
    def deaf(_user_id: str, _events: object) -> None:
        raise ValueError("cannot hear")

    store = new_store()
    await store.open(deaf)
    with capture_logs() as logs:
        assert await store.commit(ANN, an_event()) == 1
        assert await asyncio.gather(store.commit(ANN, an_event()), store.commit(BOB, an_event())) == [
            2,
            1,
        ]
        store.record(ANN, an_event())
        assert await store.commit(ANN, an_event()) == 4
    assert {log["event"] for log in logs} == {"a listener failed"}
    await store.close()


async def test_a_waiter_that_is_cancelled_changes_nothing(store, heard: Heard) -> None:
    owner = TaskOwner()

    async def wait(text: str) -> None:
        await store.commit(ANN, an_event(text), a_message(position=int(text)))

    waiters = [owner.spawn(wait(str(number)), name="waiter") for number in range(50)]
    await asyncio.sleep(0)
    for waiter in waiters[::2]:
        waiter.cancel()
    await asyncio.wait(waiters)
    assert await store.commit(ANN, an_event()) == 51
    assert await seqs(store) == list(range(1, 52))
    assert len(await store.get_messages("ann", limit=100)) == 50
    assert heard == [("ann", seq) for seq in range(1, 52)]


# --- open and closed -----------------------------------------------------------------------------------


async def test_a_closed_store_takes_and_gives_nothing_until_it_is_opened_again(new_store, listener) -> None:
    store = new_store()
    await store.open(listener)
    await store.commit(ANN, a_task())
    await store.close()
    await assert_refuses(store)
    await store.close()
    await store.open(listener)
    assert await store.get_task_metadata("ann", "ann-1") == a_task()
    await store.close()


async def assert_refuses(store: StateStore) -> None:
    with pytest.raises(StoreUnavailable):
        await store.commit(ANN, an_event())
    with pytest.raises(StoreUnavailable):
        store.record(ANN, an_event())
    with pytest.raises(StoreUnavailable):
        await store.position("ann")
    with pytest.raises(StoreUnavailable):
        await store.resumable("ann")
    with pytest.raises(StoreUnavailable):
        await store.unfinished_users()
    with pytest.raises(StoreUnavailable):
        await store.new_epoch("ann")
    with pytest.raises(StoreUnavailable):
        await store.delete_user(ANN)


async def test_closing_makes_durable_what_was_taken(new_store: Callable[..., StateStore], listener) -> None:
    store = new_store()
    await store.open(listener)
    for number in range(100):
        store.record(ANN, a_message(position=number))
    await store.close()
    await store.open(listener)
    assert len(await store.get_messages("ann", limit=1000)) == 100
    assert replace(a_message(), position=99, text="1.99") in await store.get_messages("ann", limit=1)
    await store.close()
