"""The seam between the process that stores an event and the sockets that wait for it.

A subscription is a bounded queue of one subscriber. Publishing never waits: a subscriber that does not keep
up loses its queue and is told so, and nobody else notices.
"""

import asyncio
from asyncio import Future
from collections.abc import Sequence
from enum import Enum
from typing import Protocol

from ...domain.events import StoredEvent

MOST_FRAMES = 1024
MOST_BYTES = 1024 * 1024
"""What one subscriber may have waiting: 1,024 frames or 1 MiB. Frames are shared by subscribers, so a full
queue is 8 KiB of its own. With 256, a graph that showed 2,000 items at once ended 200 readers that kept up.
"""


class Ended(Enum):
    """Why a subscription yields nothing more."""

    TOO_SLOW = "too_slow"
    """Its queue was full."""
    RESET = "reset"
    """The user's log was deleted."""
    CLOSED = "closed"
    """The server is going down."""


class SubscriptionEnded(Exception):
    """A subscription yields nothing more; `reason` says why."""

    def __init__(self, reason: Ended) -> None:
        super().__init__(reason.value)
        self.reason = reason


class Subscription:
    """One subscriber's queue of events. Not for more than one reader at a time."""

    __slots__ = ("_bytes", "_ended", "_events", "_waiter")

    def __init__(self) -> None:
        self._events: list[StoredEvent] = []
        self._bytes = 0
        self._ended: Ended | None = None
        self._waiter: Future[None] | None = None

    def push(self, events: Sequence[StoredEvent], size: int) -> None:
        """Queue events of `size` bytes in all, or end the subscription where they do not fit."""
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
        """Let the reader have no more; what is queued is dropped where it was too slow."""
        if self._ended is None:
            self._ended = reason
            if reason is Ended.TOO_SLOW:
                self._events = []
            self._wake()

    def check_log(self) -> None:
        """Raise `SubscriptionEnded` where the log was deleted: one that has begun since is another."""
        if self._ended is Ended.RESET:
            raise SubscriptionEnded(self._ended)

    def reopen(self) -> bool:
        """Begin anew with an empty queue if it had overflowed; return whether it had.

        Raises `SubscriptionEnded` where the log was deleted.
        """
        self.check_log()
        if self._ended is not Ended.TOO_SLOW:
            return False
        self._events, self._bytes, self._ended = [], 0, None
        return True

    async def next(self) -> list[StoredEvent]:
        """Return everything that is queued, waiting for at least one event.

        Raises `SubscriptionEnded`. Cancelling the wait loses nothing.
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
        """Hand a user's events, in order, to every subscriber of that user; never waits."""
        ...

    def subscribe(self, user_id: str) -> Subscription:
        """Return a new subscription to a user's events from now on."""
        ...

    def unsubscribe(self, user_id: str, subscription: Subscription) -> None:
        """Forget a subscription."""
        ...

    def end(self, user_id: str | None, reason: Ended) -> None:
        """End all subscriptions of a user, or of everyone."""
        ...
