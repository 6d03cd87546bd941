"""The bus among several processes hands on only what continues, and fetches what lies between."""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence

import pytest

from backend.domain.events import StoredEvent
from backend.replicas.fetching import FetchingEventBus
from backend.store.event_bus import Ended, SubscriptionEnded
from backend.store.records import NewUser
from backend.store.sqlite.memory import MemoryStateStore
from backend.tasks.task_owner import TaskOwner
from tests.records import ANN, BOB, an_event

pytestmark = pytest.mark.virtual_time


class Followed:
    """Notes who is followed, in order."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []
        self.counted: list[list[str]] = []
        self.writes = 1

    async def follow(self, user_id: str) -> None:
        self.calls.append(("follow", user_id))
        await asyncio.sleep(0)

    async def unfollow(self, user_id: str) -> None:
        self.calls.append(("unfollow", user_id))
        await asyncio.sleep(0)

    async def writes_of(self, user_ids: Sequence[str]) -> Mapping[str, int]:
        self.counted.append(list(user_ids))
        await asyncio.sleep(0)
        return dict.fromkeys(user_ids, self.writes)


class Cluster:
    """One store, whose events this replica hears of by hints alone."""

    def __init__(self) -> None:
        self.store = MemoryStateStore()
        self.follows = Followed()
        self.owner = TaskOwner()
        self.bus = FetchingEventBus(
            self.store, self.follows, lambda work: self.owner.spawn_detached(work, name="fetch")
        )

    async def stored(self, count: int = 1) -> int:
        """Store events elsewhere; return the last number."""
        self.follows.writes += 1
        return await self.store.commit(ANN, *[an_event()] * count)

    async def quiet(self) -> None:
        while tasks := self.owner.tasks() if hasattr(self.owner, "tasks") else [*self.owner._tasks]:
            await asyncio.wait(tasks)


@pytest.fixture
async def cluster() -> Cluster:
    made = Cluster()
    await made.store.open(lambda _user_id, _events: None)
    await made.store.commit(ANN, NewUser("e1"), an_event())
    return made


def numbered(*numbers: int) -> list[StoredEvent]:
    return [StoredEvent(number, b'{"seq":%d}' % number) for number in numbers]


async def next_numbers(subscription) -> list[int]:
    return [each.seq for each in await subscription.next()]


async def test_hint_has_events_of_another_process_fetched(cluster):
    async with cluster.bus.subscription("ann") as subscription:
        await cluster.stored(3)
        cluster.bus.look("ann")
        assert await next_numbers(subscription) == [2, 3, 4]
        cluster.bus.look("ann")
        await cluster.quiet()
        await cluster.stored()
        cluster.bus.look("ann")
        assert await next_numbers(subscription) == [5]


async def test_own_events_are_published_at_once(cluster):
    async with cluster.bus.subscription("ann") as subscription:
        cluster.bus.publish("ann", numbered(2, 3))
        assert await next_numbers(subscription) == [2, 3]


async def test_gap_in_published_events_is_fetched(cluster):
    async with cluster.bus.subscription("ann") as subscription:
        last = await cluster.stored(4)
        cluster.bus.publish("ann", numbered(last))
        assert await next_numbers(subscription) == [2, 3, 4, 5]


async def test_event_is_published_once(cluster):
    async with cluster.bus.subscription("ann") as subscription:
        await cluster.stored(2)
        cluster.bus.look("ann")
        assert await next_numbers(subscription) == [2, 3]
        cluster.bus.publish("ann", numbered(2, 3))
        await cluster.quiet()
        await cluster.stored()
        cluster.bus.look("ann")
        assert await next_numbers(subscription) == [4]


async def test_second_subscriber_consumes_no_events_of_the_first(cluster):
    async with cluster.bus.subscription("ann") as first:
        await cluster.stored(2)
        async with cluster.bus.subscription("ann") as second:
            assert await next_numbers(first) == [2, 3]
            await cluster.stored()
            cluster.bus.look("ann")
            assert (await next_numbers(first), (await next_numbers(second))[-1]) == ([4], 4)


async def test_catch_up_fetches_events_without_a_hint(cluster):
    async with cluster.bus.subscription("ann") as subscription:
        await cluster.bus.catch_up()
        await cluster.stored(3)
        await cluster.bus.catch_up()
        assert await next_numbers(subscription) == [2, 3, 4]
        assert cluster.follows.counted == [["ann"], ["ann"]]


async def test_catch_up_reads_nothing_of_unwritten_users(cluster):
    await cluster.bus.catch_up()
    assert cluster.follows.counted == []
    async with cluster.bus.subscription("ann"):
        await cluster.bus.catch_up()
        await cluster.quiet()
        await cluster.store.close()  # whoever reads would wait for ever
        await cluster.bus.catch_up()
        assert [each for each in cluster.owner._tasks if not each.done()] == []


async def test_new_log_resets_subscribers_from_before_the_first_message(cluster):
    async with cluster.bus.subscription("bob") as subscription:
        cluster.bus.publish("bob", numbered(1, 2))
        assert await next_numbers(subscription) == [1, 2]
        await cluster.store.commit(BOB, NewUser("e2"), *[an_event()] * 3)
        cluster.bus.look("bob")
        with pytest.raises(SubscriptionEnded) as over:
            await subscription.next()
        assert over.value.reason is Ended.RESET


async def test_early_subscriber_misses_nothing_when_others_come(cluster):
    async with cluster.bus.subscription("bob") as first:
        epoch = await cluster.store.new_epoch("bob")
        await cluster.store.commit(BOB, NewUser(epoch), an_event(), an_event())
        async with cluster.bus.subscription("bob"):
            await cluster.quiet()
        cluster.bus.publish("bob", numbered(3))
        assert await next_numbers(first) == [1, 2, 3]


async def test_new_log_of_another_process_resets_subscribers(cluster):
    async with cluster.bus.subscription("ann") as subscription:
        await cluster.store.delete_user(ANN)
        await cluster.store.commit(ANN, NewUser("e2"), an_event())
        cluster.bus.look("ann")
        with pytest.raises(SubscriptionEnded) as over:
            await subscription.next()
        assert over.value.reason is Ended.RESET


async def test_page_of_a_log_that_ended_meanwhile_is_dropped(cluster, monkeypatch):
    read, late = cluster.store.news_after, contextlib.AsyncExitStack()
    subscribed = asyncio.get_running_loop().create_future()

    async def reads_as_the_log_ends(user_id, seq, *, limit):
        news = await read(user_id, seq, limit=limit)
        monkeypatch.undo()
        await cluster.store.delete_user(ANN)
        cluster.bus.end("ann", Ended.RESET)  # as this process ends it, if the user is deleted here
        await cluster.store.commit(ANN, NewUser("e2"), an_event())
        subscribed.set_result(await late.enter_async_context(cluster.bus.subscription("ann")))
        return news

    async with late, cluster.bus.subscription("ann"):
        await cluster.stored(2)
        monkeypatch.setattr(cluster.store, "news_after", reads_as_the_log_ends)
        cluster.bus.look("ann")
        second = await subscribed
        await cluster.quiet()
        await cluster.stored()
        cluster.bus.look("ann")
        assert await next_numbers(second) == [2]


async def test_user_is_followed_until_the_last_subscriber_leaves(cluster):
    async with cluster.bus.subscription("ann"):
        async with cluster.bus.subscription("ann"):
            pass
        await cluster.quiet()
        assert cluster.follows.calls == [("follow", "ann")] * 2
    await cluster.quiet()
    assert cluster.follows.calls[2:] == [("unfollow", "ann")]
    async with cluster.bus.subscription("ann") as again:
        await cluster.stored()
        cluster.bus.look("ann")
        assert await next_numbers(again) == [2]


async def test_subscriber_that_comes_as_the_last_one_leaves_is_followed(cluster):
    async with cluster.bus.subscription("ann"):
        pass
    async with cluster.bus.subscription("ann") as again:
        await cluster.quiet()
        assert cluster.follows.calls[-1] == ("follow", "ann")
        await cluster.stored()
        cluster.bus.look("ann")
        assert await next_numbers(again) == [2]
