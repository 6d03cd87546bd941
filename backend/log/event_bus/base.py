"""The seam between the process that stores an event and the sockets that wait for it.

Each subscriber has a bounded queue. Publishing never waits: a subscriber that does not keep up loses its
queue and gets an error; others do not notice.
"""

import asyncio
from asyncio import Future
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from enum import Enum
from typing import Protocol

from ...domain.events import StoredEvent

MOST_FRAMES = 1024
MOST_BYTES = 1024 * 1024
"""Bounds of one subscriber's queue. Subscribers share frames, so a full queue takes 8 KiB of its own. With
256 frames, a graph that showed 2,000 items at once ended 200 readers that kept up (measured).
"""


class Ended(Enum):
    """Why a subscription yields nothing more."""

    TOO_SLOW = "too_slow"
    """Its queue was full."""
    RESET = "reset"
    """The user's log was deleted."""
    CLOSED = "closed"
    """The server is shutting down."""


class SubscriptionEnded(Exception):
    """A subscription yields nothing more; `reason` says why."""

    def __init__(self, reason: Ended) -> None:
        super().__init__(reason.value)
        self.reason = reason


class Subscription:
    """One subscriber's queue of events, for one reader at a time."""

    __slots__ = ("_bytes", "_ended", "_events", "_waiter")

    def __init__(self) -> None:
        self._events: list[StoredEvent] = []
        self._bytes = 0
        self._ended: Ended | None = None
        self._waiter: Future[None] | None = None

    def push(self, events: Sequence[StoredEvent], size: int) -> None:
        """Queue events of `size` bytes in all; end the subscription if they do not fit."""
        if self._ended is not None:
            return
        self._events += events
        self._bytes += size
        # A single frame larger than the bound still goes through to an empty queue.
        if len(self._events) > max(MOST_FRAMES, len(events)) or (
            self._bytes > MOST_BYTES and len(self._events) > len(events)
        ):
            self.end(Ended.TOO_SLOW)
        self._wake()

    def end(self, reason: Ended) -> None:
        """End the subscription after what is queued; if it was too slow, drop that as well."""
        if self._ended is None:
            self._ended = reason
            # The rest would have a gap in it; the reader gets all of it again from the store.
            if reason is Ended.TOO_SLOW:
                self._events = []
            self._wake()

    def check_log(self) -> None:
        """Raise `SubscriptionEnded` if the log was deleted: a new log has other numbers."""
        if self._ended is Ended.RESET:
            raise SubscriptionEnded(self._ended)

    def reopen(self) -> bool:
        """Start again with an empty queue if it had overflowed; return whether it had.

        Raises `SubscriptionEnded` if the log was deleted.
        """
        self.check_log()
        if self._ended is not Ended.TOO_SLOW:
            return False
        self._events, self._bytes, self._ended = [], 0, None
        return True

    async def next(self) -> list[StoredEvent]:
        """Wait for at least one event; return all that are queued.

        Raises `SubscriptionEnded`. Cancelling the wait loses no event.
        """
        while not self._events:
            if self._ended is not None:
                raise SubscriptionEnded(self._ended)
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        events, self._events, self._bytes = self._events, [], 0
        return events

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class EventBus(Protocol):
    """Carries stored events to subscribers."""

    def publish(self, user_id: str, events: Sequence[StoredEvent]) -> None:
        """Hand a user's events, in order, to every subscriber of that user. Never waits."""
        ...

    def subscription(self, user_id: str) -> AbstractAsyncContextManager[Subscription]:
        """Subscribe to a user's events from now on, wherever they are stored; leaving it unsubscribes.

        Entering it raises `StoreUnavailable`. Once it is entered no event is missed that is stored later.
        """
        ...

    def end(self, user_id: str | None, reason: Ended) -> None:
        """End all subscriptions of a user, or of everyone."""
        ...
