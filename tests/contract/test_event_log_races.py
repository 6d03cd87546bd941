"""Following while events are appended at every point: two nets, each shown the bugs that it must catch.

The nets are a burst of events before every step of a reader that comes back whenever it was too slow, and
generated scripts of appending, stepping and reading under a shuffled order of tasks. The planted bugs are
three ways to follow that look right: replaying before subscribing, not dropping what was replayed, and going
on after an overflow without replaying what it lost.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from backend.domain.events import StoredEvent
from backend.store import event_bus as base
from backend.store import event_log
from backend.store.event_bus import Ended, EventBus, SubscriptionEnded
from backend.store.event_log import EventLog, EventsForgottenError
from backend.store.records import Page
from backend.store.sqlite.memory import MemoryStateStore
from backend.store.sqlite.writing import TRIM_EVERY_EVENTS
from backend.tasks.task_owner import TaskOwner
from tests.records import ANN, an_event
from tests.virtual_time import run_seeded, sweep_steps

PAGE, QUEUE, BURST = 3, 4, 6


@pytest.fixture(autouse=True, scope="module")
def small_bounds():
    """Let pages end and queues overflow within a few events."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(event_log, "REPLAY_PAGE", PAGE)
        patch.setattr(base, "MOST_FRAMES", QUEUE)
        yield


class SlowReads(MemoryStateStore):
    """A memory store whose pages are a few steps old when they arrive, as those of one with a thread are."""

    async def events_after(self, user_id: str, seq: int, *, limit: int) -> Page:
        await asyncio.sleep(0)
        page = await super().events_after(user_id, seq, limit=limit)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return page


class ReplaysThenSubscribes(EventLog):
    """Planted bug: what is appended between the replay and the subscription is lost."""

    async def follow(self, user_id: str, since: int) -> AsyncGenerator[Sequence[StoredEvent], None]:
        seen, page = since, await self._store.events_after(user_id, since, limit=1000)
        if page.events:
            yield page.events
            seen = page.events[-1].seq
        subscription = self._bus.subscribe(user_id)
        try:
            while True:
                yield [event for event in await subscription.next() if event.seq > seen]
        finally:
            self._bus.unsubscribe(user_id, subscription)


class ForgetsWhatItReplayed(EventLog):
    """Planted bug: what is appended between the subscription and the replay comes twice."""

    async def follow(self, user_id: str, since: int) -> AsyncGenerator[Sequence[StoredEvent], None]:
        subscription = self._bus.subscribe(user_id)
        try:
            page = await self._store.events_after(user_id, since, limit=1000)
            yield page.events
            while True:
                yield await subscription.next()
        finally:
            self._bus.unsubscribe(user_id, subscription)


class TakesAnOverflowLightly(EventLog):
    """Planted bug: what did not fit the queue during the replay is not read from the store."""

    async def follow(self, user_id: str, since: int) -> AsyncGenerator[Sequence[StoredEvent], None]:
        subscription = self._bus.subscribe(user_id)
        try:
            seen = since
            page = await self._store.events_after(user_id, seen, limit=1000)
            if page.events:
                yield page.events
                seen = page.events[-1].seq
            subscription.reopen()
            while True:
                events = [event for event in await subscription.next() if event.seq > seen]
                if events:
                    yield events
        finally:
            self._bus.unsubscribe(user_id, subscription)


PLANTED = [ReplaysThenSubscribes, ForgetsWhatItReplayed, TakesAnOverflowLightly]


class Reader:
    """A client: follows from the last number it has seen, and again when it was too slow."""

    def __init__(self, log: EventLog) -> None:
        self.log = log
        self.got: list[int] = []
        self.was_too_slow = 0

    async def read_until(self, last: Callable[[], int]) -> None:
        """Read until the number that `last` gives is seen, a step after each batch."""
        while not self.got or self.got[-1] < last():
            try:
                async with aclosing(self.log.follow("ann", self.got[-1] if self.got else 0)) as batches:
                    async for batch in batches:
                        self.got += [event.seq for event in batch]
                        await asyncio.sleep(0)
                        if self.got and self.got[-1] >= last():
                            return
            except SubscriptionEnded as ended:
                if ended.reason is not Ended.TOO_SLOW:
                    raise
                self.was_too_slow += 1


class BurstWhileFollowing:
    """A reader starts on a log of seven events and gets five more; the sweep puts a burst anywhere."""

    def __init__(self, log_class: type[EventLog]) -> None:
        self.store, self.bus = SlowReads(keep_events=1000), EventBus()
        self.log = log_class(self.store, self.bus)
        self.reader = Reader(self.log)
        self.owner = TaskOwner()
        self.appended = 0
        self.complete = False

    def append(self) -> None:
        self.appended += 1
        self.log.record(ANN, an_event())

    async def run(self) -> None:
        await self.log.open()
        for _ in range(7):
            self.append()
        everything = 10**9
        reading = self.owner.spawn(
            self.reader.read_until(lambda: self.appended if self.complete else everything), name="reader"
        )
        for _ in range(5):
            for _ in range(4):
                await asyncio.sleep(0)
            self.append()
        self.complete = True
        self.append()
        await reading

    async def burst(self) -> None:
        if self.appended:
            for _ in range(BURST):
                self.append()

    async def check(self) -> None:
        await self.reader.read_until(lambda: self.appended)
        assert self.reader.got == list(range(1, self.appended + 1))
        assert self.bus._subscriptions == {}


def sweep_a_burst(log_class: type[EventLog]) -> list[BurstWhileFollowing]:
    stories: list[BurstWhileFollowing] = []

    def story() -> BurstWhileFollowing:
        stories.append(BurstWhileFollowing(log_class))
        return stories[-1]

    sweep_steps(story, BurstWhileFollowing.burst)
    return stories


@pytest.mark.requirement("FOLLOWING-MISSES-NOTHING")
def test_a_burst_at_any_step_of_a_reader_is_seen_whole_and_once() -> None:
    stories = sweep_a_burst(EventLog)
    assert len(stories) > 40
    assert {story.reader.was_too_slow for story in stories} == {0, 1}


@pytest.mark.parametrize("planted", PLANTED)
def test_the_sweep_catches_the_planted_bugs(planted: type[EventLog]) -> None:
    with pytest.raises(AssertionError, match=r"assert \[|nothing is ready"):
        sweep_a_burst(planted)


# --- generated scripts ---------------------------------------------------------------------------------

scripts = st.lists(st.tuples(st.integers(0, BURST), st.integers(0, 8)), max_size=12)
"""So many events appended at once, then so many steps for everyone else."""


async def play(log_class: type[EventLog], script: list[tuple[int, int]], readers: int) -> None:
    store, bus, owner = SlowReads(), EventBus(), TaskOwner()
    log = log_class(store, bus)
    await log.open()
    appended, complete = 0, False
    everyone = [Reader(log) for _ in range(readers)]
    tasks = [
        owner.spawn(reader.read_until(lambda: appended if complete else 10**9), name="reader")
        for reader in everyone
    ]
    for count, steps in [*script, (1, 0)]:
        for _ in range(count):
            appended += 1
            log.record(ANN, an_event())
        for _ in range(steps):
            await asyncio.sleep(0)
    complete = True
    appended += 1
    log.record(ANN, an_event())
    for task in tasks:
        await task
    assert [reader.got for reader in everyone] == [list(range(1, appended + 1))] * readers
    assert bus._subscriptions == {}


def play_any_script(log_class: type[EventLog]) -> Callable[[], None]:
    @given(scripts, st.integers(1, 3), st.integers(0, 10**6))
    def net(script: list[tuple[int, int]], readers: int, seed: int) -> None:
        run_seeded(lambda: play(log_class, script, readers), seed)

    return net


@pytest.mark.requirement("FOLLOWING-MISSES-NOTHING")
def test_whatever_the_pace_and_the_order_of_tasks_every_reader_gets_everything_once() -> None:
    play_any_script(EventLog)()


@pytest.mark.parametrize("planted", PLANTED)
def test_the_scripts_catch_the_planted_bugs(planted: type[EventLog]) -> None:
    repeatable = settings(
        derandomize=True, database=None, phases=[Phase.generate], report_multiple_bugs=False, deadline=None
    )
    with pytest.raises(AssertionError, match=r"assert \[|nothing is ready"):
        repeatable(play_any_script(planted))()


async def test_a_reader_that_falls_behind_the_log_itself_is_told_so() -> None:
    """Trimming while a page is read: better to begin again from a snapshot than to miss something."""
    store = SlowReads(keep_events=PAGE)
    log = EventLog(store, EventBus())
    await log.open()
    for _ in range(PAGE):
        log.record(ANN, an_event())
    async with aclosing(log.follow("ann", 0)) as batches:
        assert [event.seq for event in await anext(batches)] == [1, 2, 3]
        for _ in range(2):
            for _ in range(TRIM_EVERY_EVENTS):
                log.record(ANN, an_event())
            await store.position("ann")  # a log is trimmed by the rows that reads have completed
        with pytest.raises(EventsForgottenError):
            await anext(batches)
