"""Stores each user's events, then publishes them; lets clients follow them without gap or duplicate.

The store numbers an event in the write that keeps it (`_number_events` of `sqlite/writing` and
`postgres/writing`). A subscriber gets it only once it is durable, so a crash loses no number that a client
has seen.
"""

import asyncio
from asyncio import Future
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Sequence
from functools import partial
from typing import Protocol

import structlog

from ..domain.events import StoredEvent
from ..domain.tool_call import ToolCall
from .base import EVENT_BYTES_KEPT, StateStore, no_lease_ends
from .event_bus import Ended, EventBus, SubscriptionEnded
from .ownership import Lease, LeaseEnded, OnLeaseEnded
from .records import Record, UserPosition, Wanted
from .retry import until_available

REPLAY_PAGE = 200
"""Events of one read in a replay."""

REPLAY_BYTES = 2 * EVENT_BYTES_KEPT
"""The most that is replayed of what was stored before a client came.

A stored `status_update` has no results, a replayed one has all: without a bound, the log of a task with 4 MiB
of results and 30 questions would be replayed as 240 MB. A snapshot has at most six times what a task shows.
"""


FEW_USERS = 4
"""While at most so many users gather, each token is an event; joining them saves a tenth of the CPU."""

MOST_ENDED = 10_000
"""Leases that have ended and are remembered: works of theirs wind down within seconds."""

_log = structlog.get_logger(__name__)

Gatherer = Callable[[], None]
"""Records what a task has gathered, if it still has."""


class EventsForgottenError(Exception):
    """Some events after that number are no longer kept; the client needs a snapshot."""


class Observer(Protocol):
    """Sees everything that is written."""

    def written(self, records: Sequence[Record], *, seconds: float | None = None) -> None:
        """See records that became durable in `seconds`; or, without it, that will be soon."""
        ...

    def let_go(self, user_id: str) -> None:
        """See that another process has this user: what was unfinished goes on there, and ends there."""
        ...


class SeenByAll:
    """Several observers as one."""

    def __init__(self, *observers: Observer) -> None:
        self._observers = observers

    def written(self, records: Sequence[Record], *, seconds: float | None = None) -> None:
        """Let each of them see records."""
        for observer in self._observers:
            observer.written(records, seconds=seconds)

    def let_go(self, user_id: str) -> None:
        """Let each of them see that another process has this user."""
        for observer in self._observers:
            observer.let_go(user_id)


class EventLog:
    """Appends to and follows the event logs of all users."""

    def __init__(self, store: StateStore, bus: EventBus, *, observer: Observer | None = None) -> None:
        self._store = store
        self._bus = bus
        self._observer = observer
        self._gatherers: dict[str, list[Gatherer]] = {}
        self._ended: OrderedDict[Lease, None] = OrderedDict()
        self._store_calls_back = False

    async def open(self, on_lease_ended: OnLeaseEnded = no_lease_ends) -> None:
        """Open the store; publish all events that it stores from now on. Raises `StoreUnavailable`."""
        await self._store.open(self._bus.publish, on_lease_ended)

    def commit(self, lease: Lease, *records: Record) -> "Future[int]":
        """Store records in one transaction; the future yields the user's `seq` once they are durable."""
        if self._ended and lease in self._ended:
            refused: Future[int] = asyncio.get_running_loop().create_future()
            refused.set_exception(LeaseEnded(lease))
            return refused
        self._take_gathered(lease.user_id)
        durable = self._store.commit(lease, *records)
        if self._observer is not None:
            loop = asyncio.get_running_loop()
            report = partial(self._report_durable, self._observer, lease, records, loop, loop.time())
            durable.add_done_callback(report)
        return durable

    def record(self, lease: Lease, *records: Record) -> None:
        """Store records soon, in order with all others. Never waits. Raises `StoreUnavailable`."""
        if self._ended and lease in self._ended:
            return
        self._take_gathered(lease.user_id)
        self._store.record(lease, *records)
        if self._observer is not None:
            self._observer.written(records)

    def store_call_now(self, lease: Lease, call: ToolCall, *, wanted: Wanted, within_s: float) -> bool:
        """Store the begin of a call, from any thread, as `CallsNow` says; its events are recorded later."""
        if lease in self._ended:
            raise LeaseEnded(lease)
        return self._store.store_call_now(lease, call, wanted=wanted, within_s=within_s)

    def end(self, lease: Lease) -> None:
        """Store nothing more of a lease that this process has let go of.

        The store may not have a later fence yet. If what winds down stored its ending, no other process would
        know that it was cut off, and take it up.
        """
        self._ended[lease] = None
        if len(self._ended) > MOST_ENDED:
            self._ended.popitem(last=False)
        self.let_go(lease.user_id)

    def let_go(self, user_id: str) -> None:
        """Let the observer see that another process has this user."""
        if self._observer is not None:
            self._observer.let_go(user_id)

    def notify_observer(self, records: Sequence[Record]) -> None:
        """Let the observer see records that another process has written."""
        if self._observer is not None:
            self._observer.written(records)

    def batch(self, user_id: str, take: Gatherer) -> None:
        """Call `take` once, before the next records of the user and before the next group of writes.

        What comes meanwhile can be joined: a record that is made earlier would wait for that group, too.
        While few users gather, `take` is called at the end of this step of the event loop.
        """
        if not self._store_calls_back:
            self._store_calls_back = True
            self._store.before_next_group(self._take_all_gathered)
        self._gatherers.setdefault(user_id, []).append(take)
        if len(self._gatherers) <= FEW_USERS:
            asyncio.get_running_loop().call_soon(self._take_gathered, user_id)

    def _take_gathered(self, user_id: str) -> None:
        # First: what a user's task has said before these records gets its number before theirs.
        for take in self._gatherers.pop(user_id, ()):
            try:
                take()
            except Exception:  # noqa: BLE001 - what one task cannot record keeps back no other's text and records
                _log.exception("something could not be recorded", user_id=user_id)

    def _take_all_gathered(self) -> None:
        self._store_calls_back = False
        for user_id in list(self._gatherers):
            self._take_gathered(user_id)

    async def commit_until_durable(self, lease: Lease, *records: Record) -> int:
        """Store records, retrying while the store is down; return the user's `seq` once they are durable.

        Raises `LeaseEnded`: then somebody else owns the user, and will do what is left to do.
        """
        return await until_available(lambda: self.commit(lease, *records), user_id=lease.user_id)

    async def follow(
        self, user_id: str, since: int, *, epoch: str | None = None
    ) -> AsyncGenerator[Sequence[StoredEvent], None]:
        """Yield every event after `since` in order, in batches: first the stored ones, then live ones.

        Raises `EventsForgottenError` if some are no longer kept or the stored ones exceed `REPLAY_BYTES`, and
        `SubscriptionEnded` when there will be no more, or if the log is no longer that of `epoch`. Close it
        (`contextlib.aclosing`) to unsubscribe.
        """
        # Subscribed before the replay: an event that is stored in between is in the queue, the page, or both,
        # and what is in both is dropped by its number below.
        async with self._bus.subscription(user_id) as subscription:
            position = await self._store.position(user_id)
            if epoch is not None and not await self._is_log(user_id, position, epoch, since):
                raise SubscriptionEnded(Ended.RESET)
            stored_before = position.seq if position else 0
            seen, replayed, replaying = since, 0, True
            while replaying:
                page = await self._store.events_after(user_id, seen, limit=REPLAY_PAGE)
                # The log may have been deleted and begun anew while the page was read.
                subscription.check_log()
                if not page.complete:
                    raise EventsForgottenError
                if page.events:
                    # Not what came later: a follower who is slow, but not this far behind, gets all of it.
                    if page.events[0].seq <= stored_before:
                        replayed += sum(len(event.frame) for event in page.events)
                    if replayed > REPLAY_BYTES:
                        raise EventsForgottenError
                    yield page.events
                    seen = page.events[-1].seq
                # Events that overflowed the queue meanwhile are in the store: replay until none did.
                overflowed = subscription.reopen()
                replaying = overflowed or page.more
                del page  # free the memory while this waits, here and below
            while True:
                events = await subscription.next()
                if events[0].seq <= seen:
                    events = [event for event in events if event.seq > seen]
                if events and events[0].seq > seen + 1:
                    # The log was deleted before its stored events were read: there were none any more.
                    raise SubscriptionEnded(Ended.RESET)
                if events:
                    yield events
                    seen = events[-1].seq
                del events

    async def _is_log(self, user_id: str, position: UserPosition | None, epoch: str, since: int) -> bool:
        """Return whether the user's log is that of an epoch, or will be once the user writes."""
        if position is not None:
            return position.epoch == epoch
        return since == 0 and await self._store.new_epoch(user_id) == epoch

    def end_followers(self, user_id: str | None, reason: Ended) -> None:
        """End everyone who follows a user, or any user: their `follow` raises `SubscriptionEnded`."""
        self._bus.end(user_id, reason)

    def _report_durable(
        self,
        observer: Observer,
        lease: Lease,
        records: Sequence[Record],
        loop: asyncio.AbstractEventLoop,
        since: float,
        durable: "Future[int]",
    ) -> None:
        # Here and not in `commit`: a refused write must not count as written.
        # Nor what was let go of meanwhile: it would count for ever.
        if not durable.cancelled() and durable.exception() is None and lease not in self._ended:
            observer.written(records, seconds=loop.time() - since)
