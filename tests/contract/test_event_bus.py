"""What a bus and a subscription promise: order, bounds, and that nobody waits for anybody."""

import asyncio
from collections.abc import Sequence

import pytest

from backend.domain.events import StoredEvent
from backend.store import event_bus as base
from backend.store.event_bus import (
    MOST_BYTES,
    MOST_FRAMES,
    Ended,
    EventBus,
    SubscriptionEnded,
)
from backend.tasks.task_owner import TaskOwner
from tests.virtual_time import Deadlock, run_seeded, sweep_steps

pytestmark = pytest.mark.virtual_time


@pytest.fixture(params=[EventBus])
def bus(request: pytest.FixtureRequest) -> EventBus:
    return request.param()


def numbered(first: int, last: int, *, size: int = 10) -> list[StoredEvent]:
    return [StoredEvent(seq, b"x" * size) for seq in range(first, last + 1)]


def seqs(events: Sequence[StoredEvent]) -> list[int]:
    return [event.seq for event in events]


# --- who gets what -------------------------------------------------------------------------------------


async def test_every_subscriber_of_a_user_gets_every_event_in_order_and_others_none(bus: EventBus) -> None:
    anns, bobs = [bus.subscribe("ann") for _ in range(3)], bus.subscribe("bob")
    bus.publish("ann", numbered(1, 2))
    bus.publish("bob", numbered(1, 1))
    bus.publish("ann", numbered(3, 3))
    assert [seqs(await ann.next()) for ann in anns] == [[1, 2, 3]] * 3
    assert seqs(await bobs.next()) == [1]


async def test_a_subscription_begins_where_it_is_made_and_ends_where_it_is_given_up(bus: EventBus) -> None:
    bus.publish("ann", numbered(1, 1))
    subscription = bus.subscribe("ann")
    bus.publish("ann", numbered(2, 2))
    bus.unsubscribe("ann", subscription)
    bus.unsubscribe("ann", subscription)
    bus.publish("ann", numbered(3, 3))
    assert seqs(await subscription.next()) == [2]


def test_nothing_is_held_of_users_whom_nobody_follows() -> None:
    bus = EventBus()
    subscriptions = [(user_id, bus.subscribe(user_id)) for user_id in ("ann", "ann", "bob")]
    bus.publish("ann", numbered(1, 1))
    bus.publish("nobody", numbered(1, 1))
    bus.end("nobody", Ended.RESET)
    for user_id, subscription in subscriptions:
        bus.unsubscribe(user_id, subscription)
    assert bus._subscriptions == {}


async def test_a_reader_that_waits_is_woken(bus: EventBus) -> None:
    subscription = bus.subscribe("ann")
    reading = TaskOwner().spawn(subscription.next(), name="reader")
    await asyncio.sleep(600)
    bus.publish("ann", numbered(1, 2))
    assert seqs(await reading) == [1, 2]


def test_a_reader_waits_for_as_long_as_nothing_comes() -> None:
    with pytest.raises(Deadlock):
        run_seeded(lambda: EventBus().subscribe("ann").next(), 0)


class CancelledReader:
    """A reader takes events one after the other while they are published; the sweep cancels it anywhere."""

    def __init__(self) -> None:
        self.bus = EventBus()
        self.subscription = self.bus.subscribe("ann")
        self.got: list[int] = []
        self.owner = TaskOwner()
        self.reading: asyncio.Task[None] | None = None

    async def run(self) -> None:
        self.reading = self.owner.spawn(self.read(), name="reader")
        for seq in range(1, 6):
            await asyncio.sleep(0)
            self.bus.publish("ann", numbered(seq, seq))
        await asyncio.wait([self.reading])

    async def read(self) -> None:
        while len(self.got) < 5:
            self.got += seqs(await self.subscription.next())

    async def cancel(self) -> None:
        if self.reading is not None:
            self.reading.cancel()

    async def check(self) -> None:
        await self.read()
        assert self.got == [1, 2, 3, 4, 5]


def test_a_wait_that_is_cancelled_loses_nothing() -> None:
    assert sweep_steps(CancelledReader, CancelledReader.cancel) > 10


# --- bounds --------------------------------------------------------------------------------------------


async def ended_as(bus: EventBus, subscription: base.Subscription) -> Ended:
    with pytest.raises(SubscriptionEnded) as ended:
        await subscription.next()
    return ended.value.reason


async def test_one_who_does_not_read_loses_the_queue_and_nobody_else_notices(bus: EventBus) -> None:
    slow, quick = bus.subscribe("ann"), bus.subscribe("ann")
    for seq in range(1, 3 * MOST_FRAMES):
        bus.publish("ann", numbered(seq, seq))
        assert seqs(await quick.next()) == [seq]
    assert await ended_as(bus, slow) is Ended.TOO_SLOW
    assert await ended_as(bus, slow) is Ended.TOO_SLOW


@pytest.mark.parametrize(
    ("batches", "fits"),
    [
        ([numbered(1, MOST_FRAMES)], True),
        ([numbered(1, MOST_FRAMES - 1), numbered(1, 1)], True),
        ([numbered(1, MOST_FRAMES), numbered(1, 1)], False),
        ([numbered(1, 3 * MOST_FRAMES)], True),
        ([numbered(1, 1), numbered(2, 3 * MOST_FRAMES)], False),
        ([numbered(1, 4, size=MOST_BYTES // 4)], True),
        ([numbered(1, 1, size=MOST_BYTES + 1)], True),
        ([numbered(1, 1), numbered(2, 2, size=MOST_BYTES)], False),
        ([numbered(1, 1, size=MOST_BYTES + 1), numbered(2, 2)], False),
    ],
)
async def test_a_queue_holds_so_many_frames_and_bytes_or_one_batch_of_any_size(
    bus: EventBus, batches: list[list[StoredEvent]], fits: bool
) -> None:
    subscription = bus.subscribe("ann")
    for batch in batches:
        bus.publish("ann", batch)
    if fits:
        assert await subscription.next() == [event for batch in batches for event in batch]
    else:
        assert await ended_as(bus, subscription) is Ended.TOO_SLOW


async def test_what_was_read_takes_no_room(bus: EventBus) -> None:
    subscription = bus.subscribe("ann")
    for seq in range(1, 20):
        bus.publish("ann", numbered(seq, seq, size=MOST_BYTES))
        assert seqs(await subscription.next()) == [seq]


async def test_an_overflowed_subscription_can_begin_anew_and_others_have_no_need_to(bus: EventBus) -> None:
    subscription = bus.subscribe("ann")
    bus.publish("ann", numbered(1, 1))
    assert not subscription.reopen()
    bus.publish("ann", numbered(2, 2, size=MOST_BYTES))
    assert subscription.reopen()
    bus.publish("ann", numbered(3, 3, size=MOST_BYTES))
    assert seqs(await subscription.next()) == [3]


# --- the end -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", [Ended.RESET, Ended.CLOSED])
async def test_what_is_queued_is_still_read_before_the_end_is_told(bus: EventBus, reason: Ended) -> None:
    subscription = bus.subscribe("ann")
    bus.publish("ann", numbered(1, 2))
    bus.end("ann", reason)
    bus.end("ann", Ended.TOO_SLOW)
    bus.publish("ann", numbered(3, 3))
    assert seqs(await subscription.next()) == [1, 2]
    assert await ended_as(bus, subscription) is reason


async def test_an_end_wakes_whoever_waits(bus: EventBus) -> None:
    ann, bob = bus.subscribe("ann"), bus.subscribe("bob")
    owner = TaskOwner()
    readings = [owner.spawn(ended_as(bus, each), name="reader") for each in (ann, bob)]
    await asyncio.sleep(0)
    bus.end("ann", Ended.RESET)
    assert await readings[0] is Ended.RESET
    assert not readings[1].done()
    bus.end(None, Ended.CLOSED)
    assert await readings[1] is Ended.CLOSED


async def test_a_deleted_log_cannot_be_begun_anew(bus: EventBus) -> None:
    subscription = bus.subscribe("ann")
    bus.end("ann", Ended.RESET)
    with pytest.raises(SubscriptionEnded):
        subscription.reopen()


async def test_bytes_that_were_read_do_not_count_against_what_comes_after(bus: EventBus) -> None:
    reader, size = bus.subscribe("ann"), MOST_BYTES // 3
    for number in range(1, 7):
        bus.publish("ann", numbered(number, number, size=size))
        if number == 2:
            assert seqs(await reader.next()) == [1, 2]
        if number == 4:
            assert seqs(await reader.next()) == [3, 4]
    assert seqs(await reader.next()) == [5, 6]


async def test_all_readers_together_hold_so_much_and_beyond_it_the_fullest_is_too_slow() -> None:
    bus = EventBus(backlog=base.Backlog(400_000))
    slow, quick = bus.subscribe("ann"), bus.subscribe("bob")
    big = StoredEvent(1, b"x" * 150_000)
    bus.publish("bob", [big])
    bus.publish("ann", [big, big])
    assert await ended_as(bus, slow) is Ended.TOO_SLOW
    assert await quick.next() == [big]
    other = bus.subscribe("cem")
    bus.publish("cem", [big])  # what `quick` has taken and still sends counts, too
    bus.publish("bob", [big])
    assert await ended_as(bus, quick) is Ended.TOO_SLOW
    assert await other.next() == [big]


async def test_who_keeps_up_or_has_left_holds_nothing() -> None:
    backlog = base.Backlog(400_000)
    bus = EventBus(backlog=backlog)
    big = StoredEvent(1, b"x" * 150_000)
    for _ in range(10):
        async with bus.subscription("ann") as left, bus.subscription("ann") as reader:
            bus.publish("ann", [big])
            assert await reader.next() == await left.next() == [big]
    assert backlog.total == 0


async def test_what_is_held_is_what_waits_and_what_is_sent_until_the_reader_comes_back() -> None:
    backlog = base.Backlog(400_000)
    bus = EventBus(backlog=backlog)
    reader = bus.subscribe("ann")
    bus.publish("ann", [StoredEvent(1, b"x" * 150_000)])
    await reader.next()
    assert backlog.total == 150_000, "it may not have sent it yet"
    bus.publish("ann", [StoredEvent(2, b"x" * 100)])
    assert backlog.total == 150_100
    await reader.next()
    assert backlog.total == 0, "what is little costs no counting"
    bus.publish("ann", [StoredEvent(3, b"x" * 100)])
    assert backlog.total == 0
