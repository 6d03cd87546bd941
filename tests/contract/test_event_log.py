"""Following a log: nothing missing, nothing twice, whatever is appended meanwhile, on every store."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import orjson
import pytest

from backend.domain.errors import StoreUnavailable
from backend.domain.events import StoredEvent, status_update
from backend.domain.partials import PartialBatch, PartialResults
from backend.store import event_log
from backend.store.base import StateStore
from backend.store.event_bus import MOST_BYTES, MOST_FRAMES, Ended, EventBus, SubscriptionEnded
from backend.store.event_log import REPLAY_PAGE, EventLog, EventsForgottenError
from backend.store.ownership import Lease
from backend.store.records import NewUser, Page, Record
from backend.store.sqlite.memory import MemoryStateStore
from backend.tasks.task_owner import TaskOwner
from tests.records import ANN, BOB, a_task, an_event


@pytest.fixture
def bus() -> EventBus:
    return EventBus()


@pytest.fixture
async def log(new_store, bus: EventBus) -> AsyncIterator[EventLog]:
    store = new_store(keep_events=10 * MOST_FRAMES)
    log = EventLog(store, bus)
    await log.open()
    yield log
    await store.close()


@pytest.fixture
def store(log: EventLog) -> StateStore:
    return log._store


async def append(log: EventLog, count: int, *, text: str = "") -> int:
    return await log.commit(ANN, *(an_event(text) for _ in range(count)))


async def take(log: EventLog, *, since: int, until: int, user_id: str = "ann") -> list[int]:
    """Follow until a number is seen, and return all numbers that were."""
    got: list[int] = []
    async with aclosing(log.follow(user_id, since)) as batches:
        async for batch in batches:
            got += [event.seq for event in batch]
            if got[-1] >= until:
                return got
    raise AssertionError("following never ends by itself")


# --- what is gathered ----------------------------------------------------------------------------------


async def kept(store: StateStore) -> list[str]:
    page = await store.events_after("ann", 0, limit=10)
    return [orjson.loads(event.frame)["text"] for event in page.events]


async def test_what_is_gathered_is_stored_before_the_next_records_of_its_user(log, store):
    def take() -> None:
        log.record(ANN, an_event("gathered"))

    log.batch("ann", take)
    await log.commit(BOB, an_event("of another"))
    log.batch("ann", take)
    await log.commit(ANN, an_event("after"))
    assert await kept(store) == ["gathered", "gathered", "after"]


async def test_what_is_gathered_is_stored_soon_and_once_though_nothing_follows_it(log, store):
    log.batch("ann", lambda: log.record(ANN, an_event("one")))
    log.batch("ann", lambda: log.record(ANN, an_event("two")))
    assert await take(log, since=0, until=2) == [1, 2]
    assert await kept(store) == ["one", "two"]


# --- what is followed ----------------------------------------------------------------------------------


async def test_a_follower_gets_what_is_stored_and_then_what_comes(log: EventLog) -> None:
    await append(log, 3)
    frames: list[StoredEvent] = []
    async with aclosing(log.follow("ann", 1)) as batches:
        async for batch in batches:
            frames += batch
            if frames[-1].seq == 3:
                log.record(BOB, an_event("of bob"))
                log.record(ANN, an_event("live"))
            if frames[-1].seq == 4:
                break
    assert [frame.seq for frame in frames] == [2, 3, 4]
    assert [orjson.loads(frame.frame)["text"] for frame in frames] == ["", "", "live"]


async def test_a_long_log_is_replayed_page_by_page(log: EventLog) -> None:
    last = await append(log, 2 * REPLAY_PAGE)
    assert await take(log, since=0, until=last) == list(range(1, last + 1))
    assert await take(log, since=last - 1, until=last) == [last]


async def test_a_follower_of_an_unknown_user_waits_for_the_first_event(log: EventLog) -> None:
    following = TaskOwner().spawn(take(log, since=0, until=2), name="follower")
    await asyncio.sleep(0)
    await log.commit(ANN, NewUser("e1"), an_event())
    await append(log, 1)
    assert await following == [1, 2]


async def test_events_that_are_no_longer_kept_are_not_passed_over(new_store, bus: EventBus) -> None:
    store = new_store(keep_events=50)
    log = EventLog(store, bus)
    await log.open()
    for _ in range(30):
        await append(log, 10)
        await store.position("ann")
    with pytest.raises(EventsForgottenError):
        await take(log, since=5, until=300)
    assert await take(log, since=290, until=300) == list(range(291, 301))
    assert bus._subscriptions == {}
    await store.close()


async def test_who_would_be_sent_far_more_than_a_snapshot_begins_again(
    log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = PartialResults([PartialBatch.of("flight", ["x" * 100_000])])
    updates = [status_update(a_task(), results)] * 20
    await log.commit(ANN, NewUser("e1"), *updates)
    monkeypatch.setattr(event_log, "REPLAY_BYTES", 1_500_000)
    with pytest.raises(EventsForgottenError):
        await take(log, since=0, until=20)
    assert await take(log, since=6, until=20) == list(range(7, 21))


async def test_what_is_stored_while_a_slow_follower_reads_does_not_make_it_begin_again(
    log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_log, "REPLAY_BYTES", 1_500_000)
    await log.commit(ANN, NewUser("e1"), an_event())
    got: list[int] = []
    async with aclosing(log.follow("ann", 0)) as batches:
        async for batch in batches:
            got += [event.seq for event in batch]
            if got[-1] > 8:
                break
            # Two at a time: one of them overflows the queue, so it is replayed.
            await append(log, 1, text="x" * MOST_BYTES)
            await append(log, 1, text="x" * MOST_BYTES)
    assert got == list(range(1, len(got) + 1))


@pytest.mark.requirement("FOLLOWING-MISSES-NOTHING")
async def test_many_follow_from_anywhere_while_events_are_appended_in_every_way(log: EventLog) -> None:
    owner, last = TaskOwner(), 400

    async def follow_late(steps: int) -> tuple[int, list[int]]:
        for _ in range(steps):
            await asyncio.sleep(0)
        since = (steps * 7) % 40
        return since, await take(log, since=since, until=last)

    await append(log, 40)
    followers = [owner.spawn(follow_late(steps), name="follower") for steps in range(0, 100, 5)]
    for number in range(41, last + 1):
        if number % 3:
            log.record(ANN, an_event())
        else:
            await log.commit(ANN, an_event())
        await asyncio.sleep(0)
    for since, got in await asyncio.gather(*followers):
        assert got == list(range(since + 1, last + 1))


# --- too slow ------------------------------------------------------------------------------------------


async def test_what_overflows_while_the_log_is_replayed_is_read_from_the_store(log: EventLog) -> None:
    await append(log, 1)
    got: list[int] = []
    async with aclosing(log.follow("ann", 0)) as batches:
        async for batch in batches:
            got += [event.seq for event in batch]
            if got[-1] == 1:
                for _ in range(2 * MOST_FRAMES):
                    last = await append(log, 1)
            if got[-1] == last:
                break
    assert got == list(range(1, last + 1))


async def test_a_follower_that_does_not_keep_up_is_told_so_and_can_go_on_from_there(
    log: EventLog, bus: EventBus
) -> None:
    await append(log, 1)
    async with aclosing(log.follow("ann", 0)) as batches:
        assert [event.seq for event in await anext(batches)] == [1]
        log.record(ANN, an_event())
        assert [event.seq for event in await anext(batches)] == [2]
        await append(log, 1)
        last = await append(log, 1, text="x" * MOST_BYTES)
        with pytest.raises(SubscriptionEnded) as ended:
            await anext(batches)
    assert ended.value.reason is Ended.TOO_SLOW
    assert bus._subscriptions == {}
    assert await take(log, since=2, until=last) == [3, 4]


async def test_one_slow_follower_slows_nobody(log: EventLog) -> None:
    owner, last = TaskOwner(), 3 * MOST_FRAMES
    hundred = [owner.spawn(take(log, since=0, until=last), name="follower") for _ in range(100)]
    async with aclosing(log.follow("ann", 0)) as slow:
        await append(log, 1)
        await anext(slow)
        await append(log, 1)
        await anext(slow)
        for _ in range(last - 2):
            await append(log, 1)
        assert await asyncio.gather(*hundred) == [list(range(1, last + 1))] * 100
        with pytest.raises(SubscriptionEnded, match="too_slow"):
            await anext(slow)


# --- the end -------------------------------------------------------------------------------------------


async def test_closing_a_follower_at_any_point_gives_its_subscription_up(
    log: EventLog, bus: EventBus
) -> None:
    await append(log, 1)
    replayed, live = log.follow("ann", 0), log.follow("ann", 0)
    await anext(replayed)
    await anext(live)
    waiting = TaskOwner().spawn(anext(live), name="follower")  # type: ignore[arg-type]
    await asyncio.sleep(0)
    assert len(bus._subscriptions["ann"]) == 2
    waiting.cancel()
    await asyncio.wait([waiting])
    await replayed.aclose()
    assert bus._subscriptions == {}


async def test_followers_are_told_when_a_log_is_deleted_and_when_the_server_goes_down(
    log: EventLog, bus: EventBus
) -> None:
    owner = TaskOwner()

    async def why_ended(user_id: str) -> Ended:
        with pytest.raises(SubscriptionEnded) as ended:
            await take(log, since=0, until=1_000_000, user_id=user_id)
        return ended.value.reason

    ann, bob = (owner.spawn(why_ended(user_id), name=user_id) for user_id in ("ann", "bob"))
    await asyncio.sleep(0)
    await append(log, 1)
    log.end_followers("ann", Ended.RESET)
    assert await ann is Ended.RESET
    log.end_followers(None, Ended.CLOSED)
    assert await bob is Ended.CLOSED
    assert bus._subscriptions == {}


async def test_a_follower_of_a_deleted_log_gets_nothing_of_the_one_that_began_after_it(
    log: EventLog, store: StateStore
) -> None:
    await log.commit(ANN, NewUser("e1"))
    await append(log, REPLAY_PAGE + 1)
    async with aclosing(log.follow("ann", 0)) as batches:
        assert len(await anext(batches)) == REPLAY_PAGE
        await store.delete_user(ANN)
        log.end_followers("ann", Ended.RESET)
        await log.commit(ANN, NewUser("e2"))
        await append(log, REPLAY_PAGE + 10)
        with pytest.raises(SubscriptionEnded, match="reset"):
            await anext(batches)


class ReadsLate(MemoryStateStore):
    """A memory store that is asked for events long before it reads them, as one with a busy thread is."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.reads = asyncio.Event(), asyncio.Event()

    async def events_after(self, user_id: str, seq: int, *, limit: int) -> Page:
        self.asked.set()
        await self.reads.wait()
        return await super().events_after(user_id, seq, limit=limit)


async def test_a_page_of_a_log_that_began_while_it_was_read_is_not_yielded_under_the_old_epoch(
    bus: EventBus,
) -> None:
    store = ReadsLate()
    log = EventLog(store, bus)
    await log.open()
    await log.commit(ANN, NewUser("e1"), an_event())
    async with aclosing(log.follow("ann", 0, epoch="e1")) as batches:
        first = TaskOwner().spawn(anext(batches), name="follower")  # type: ignore[arg-type]
        await store.asked.wait()
        await store.delete_user(ANN)
        log.end_followers("ann", Ended.RESET)
        await log.commit(ANN, NewUser("e2"), an_event("of another log"), an_event())
        store.reads.set()
        with pytest.raises(SubscriptionEnded, match="reset"):
            await first


async def test_a_follower_of_a_log_that_was_deleted_before_it_subscribed_is_told_so(
    log: EventLog, store: StateStore
) -> None:
    await log.commit(ANN, NewUser("e1"), an_event())
    await store.delete_user(ANN)
    async with asyncio.timeout(10), aclosing(log.follow("ann", 1, epoch="e1")) as batches:
        with pytest.raises(SubscriptionEnded, match="reset"):
            await anext(batches)


# --- storing, however long it takes --------------------------------------------------------------------


class StoreThatIsDown(MemoryStateStore):
    """A memory store that takes nothing the first few times."""

    def __init__(self, *, tries: int) -> None:
        super().__init__()
        self.tries = tries

    def commit(self, lease: Lease, *records: Record) -> "asyncio.Future[int]":
        if self.tries == 0:
            return super().commit(lease, *records)
        self.tries -= 1
        if self.tries % 2:
            raise StoreUnavailable("full at once")
        failed: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        failed.set_exception(StoreUnavailable("full later"))
        return failed


@pytest.mark.virtual_time
async def test_what_must_be_stored_is_stored_once_the_store_is_back(bus: EventBus) -> None:
    store = StoreThatIsDown(tries=1000)
    log = EventLog(store, bus)
    await log.open()
    assert await log.commit_until_durable(ANN, an_event()) == 1
    assert 900 < asyncio.get_running_loop().time() < 1100
    assert len((await store.events_after("ann", 0, limit=5)).events) == 1


async def test_a_follower_of_a_log_that_began_anew_meanwhile_is_told_so(log: EventLog) -> None:
    await log.commit(ANN, NewUser("e1"), an_event())
    async with aclosing(log.follow("ann", 1, epoch="another")) as batches:
        with pytest.raises(SubscriptionEnded) as ended:
            await anext(batches)
    assert ended.value.reason is Ended.RESET


class DeletedMeanwhile(MemoryStateStore):
    """A store whose users write once more, and are deleted, as their events are read; nobody is told yet."""

    async def events_after(self, user_id: str, seq: int, *, limit: int) -> Page:
        await self.commit(ANN, an_event())
        return Page((), complete=True)


async def test_a_follower_whose_log_is_deleted_before_it_is_read_gets_no_end_without_its_beginning() -> None:
    log = EventLog(DeletedMeanwhile(keep_events=1000), EventBus())
    await log.open()
    await append(log, 4)
    async with aclosing(log.follow("ann", 0)) as batches:
        with pytest.raises(SubscriptionEnded) as ended:
            await anext(batches)
    assert ended.value.reason is Ended.RESET
