"""A user's events: numbered, stored, then published; and followed without a gap or a duplicate.

An event reaches a subscriber only after it is durable, so no number that a client has seen can be lost with
the process. To follow is to subscribe, then replay what is stored, then drop what was replayed.
"""

import asyncio
from asyncio import Future
from collections.abc import AsyncGenerator, Sequence
from functools import partial
from typing import Protocol

from ..domain.events import StoredEvent
from .event_bus.base import Ended, EventBus, SubscriptionEnded
from .retry import until_stored
from .state_store.base import Record, StateStore

REPLAY_PAGE = 200
"""Events read from the store at a time."""


class EventsForgottenError(Exception):
    """Events after that number are no longer kept; a snapshot is needed."""


class Observer(Protocol):
    """Sees everything that is written."""

    def written(self, records: Sequence[Record], *, seconds: float | None = None) -> None:
        """See records that are durable, which took so long; or that will be soon, and nobody waits."""
        ...


class EventLog:
    """Appends to and follows the event logs of all users."""

    def __init__(self, store: StateStore, bus: EventBus, *, observer: Observer | None = None) -> None:
        self._store = store
        self._bus = bus
        self._observer = observer

    async def open(self) -> None:
        """Open the store, and publish whatever it stores from now on."""
        await self._store.open(self._bus.publish)

    def commit(self, user_id: str, *records: Record) -> "Future[int]":
        """Store records together, events among them; the future yields the user's `seq` when durable."""
        durable = self._store.commit(user_id, *records)
        if self._observer is not None:
            loop = asyncio.get_running_loop()
            durable.add_done_callback(partial(_report_durable, self._observer, records, loop, loop.time()))
        return durable

    def record(self, user_id: str, *records: Record) -> None:
        """Store records soon, in order with everything else; does not wait."""
        self._store.record(user_id, *records)
        if self._observer is not None:
            self._observer.written(records)

    async def insist(self, user_id: str, *records: Record) -> int:
        """Store records however long the store is down; return the user's `seq` once they are durable."""
        return await until_stored(lambda: self.commit(user_id, *records), user_id=user_id)

    async def follow(
        self, user_id: str, since: int, *, epoch: str | None = None
    ) -> AsyncGenerator[Sequence[StoredEvent], None]:
        """Yield every event after `since`, in order, in batches; then go on with live ones.

        Raises `EventsForgottenError` where some are no longer kept, and `SubscriptionEnded` when there will
        be no more, or where the log is no longer that of `epoch`. Close it (`contextlib.aclosing`) to
        unsubscribe.
        """
        subscription = self._bus.subscribe(user_id)
        try:
            if epoch is not None:
                position = await self._store.position(user_id)
                # Of a user who has not written yet, the log begins with the first event.
                if position.epoch != epoch if position else since > 0:
                    raise SubscriptionEnded(Ended.RESET)
            seen, replaying = since, True
            while replaying:
                page = await self._store.events_after(user_id, seen, limit=REPLAY_PAGE)
                # The log may have been deleted and begun anew while the page was read.
                subscription.check_log()
                if not page.complete:
                    raise EventsForgottenError
                if page.events:
                    yield page.events
                    seen = page.events[-1].seq
                # What did not fit the queue meanwhile is in the store: replay goes on until nothing is amiss.
                overflowed = subscription.reopen()
                replaying = overflowed or page.more
                del page  # who waits holds nothing of what it was given, here and below
            while True:
                events = await subscription.next()
                if events[0].seq <= seen:
                    events = [event for event in events if event.seq > seen]
                if events:
                    yield events
                    seen = events[-1].seq
                del events
        finally:
            self._bus.unsubscribe(user_id, subscription)

    def end_followers(self, user_id: str | None, reason: Ended) -> None:
        """Let those who follow a user (or anyone) have no more: `follow` raises `SubscriptionEnded`."""
        self._bus.end(user_id, reason)


def _report_durable(
    observer: Observer,
    records: Sequence[Record],
    loop: asyncio.AbstractEventLoop,
    since: float,
    durable: "Future[int]",
) -> None:
    if not durable.cancelled() and durable.exception() is None:
        observer.written(records, seconds=loop.time() - since)
