"""The seam between the process that stores an event and the sockets that wait for it.

Each subscriber has a bounded queue. Publishing never waits: a subscriber that does not keep up loses its
queue and gets an error; others do not notice.
"""

import asyncio
from asyncio import Future
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from enum import Enum

from ..domain.events import StoredEvent

MOST_FRAMES = 1024
MOST_BYTES = 1024 * 1024
"""Bounds of one subscriber's queue. Subscribers share frames, so a full queue takes 8 KiB of its own. With
256 frames, a graph that showed 2,000 items at once ended 200 readers that kept up (measured).
"""

BACKLOG_BYTES = 256 * 1024 * 1024
"""Bound of all queues of a bus, with what their readers still send."""

UNCOUNTED_BYTES = 64 * 1024
"""What a subscriber holds may be less than this without being counted: whoever keeps up costs nothing."""


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


class Backlog:
    """What all subscriptions of a bus hold; beyond `most` bytes those who hold most of it are too slow."""

    def __init__(self, most: int = BACKLOG_BYTES) -> None:
        self._most = most
        self._held: dict[Subscription, int] = {}
        self.total = 0

    def hold(self, subscription: "Subscription", count: int) -> None:
        """Note how many bytes a subscription holds by now. May end subscriptions, this one too."""
        self.total += count - self._held.pop(subscription, 0)
        if count:
            self._held[subscription] = count
        while self.total > self._most and len(self._held) > 1:
            fullest = max(self._held, key=self._held.__getitem__)
            self.total -= self._held.pop(fullest)
            fullest.end(Ended.TOO_SLOW)


class Subscription:
    """One subscriber's queue of events, for one reader at a time."""

    __slots__ = (
        "_backlog",
        "_bytes",
        "_ended",
        "_events",
        "_is_counted",
        "_is_given_up",
        "_taken",
        "_waiter",
    )

    def __init__(self, backlog: Backlog) -> None:
        self._backlog = backlog
        self._events: list[StoredEvent] = []
        self._bytes = 0
        self._is_counted = False
        self._is_given_up = False
        self._taken = 0  # bytes that the reader has and may not have sent yet
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
        elif self._is_counted or self._taken + self._bytes > UNCOUNTED_BYTES:  # as hardly ever
            self._count()
        self._wake()

    def end(self, reason: Ended) -> None:
        """End the subscription after what is queued; if it was too slow, drop that as well."""
        if self._ended is None:
            self._ended = reason
            # The rest would have a gap in it; the reader gets all of it again from the store.
            if reason is Ended.TOO_SLOW:
                self._events, self._bytes = [], 0
                self._count()
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
        self._taken = 0
        if self._is_counted:
            self._count()
        while not self._events:
            if self._ended is not None:
                raise SubscriptionEnded(self._ended)
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        events, self._events = self._events, []
        self._taken, self._bytes = self._bytes, 0
        return events

    def close(self) -> None:
        """Count no more with the others. What is queued can be read, and goes with the last who has this."""
        self._backlog.hold(self, 0)
        self._is_given_up = True

    def _count(self) -> None:
        """Tell the backlog how much is held, if that is much or was."""
        if self._is_given_up:
            return
        held = self._taken + self._bytes
        if held > UNCOUNTED_BYTES:
            self._backlog.hold(self, held)
            self._is_counted = True
        elif self._is_counted:
            self._backlog.hold(self, 0)
            self._is_counted = False

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class EventBus:
    """Hands stored events to the subscriptions of this process; `publish` never waits."""

    def __init__(self, *, backlog: Backlog | None = None) -> None:
        self._backlog = backlog or Backlog()
        self._subscriptions: dict[str, set[Subscription]] = {}

    def publish(self, user_id: str, events: Sequence[StoredEvent]) -> None:
        """Queue events with every subscriber of a user."""
        subscriptions = self._subscriptions.get(user_id)
        if subscriptions:
            size = sum(len(event.frame) for event in events)
            for subscription in subscriptions:
                subscription.push(events, size)

    @asynccontextmanager
    async def subscription(self, user_id: str) -> AsyncGenerator[Subscription, None]:
        """Subscribe to a user's events from now on, wherever they are stored; leaving it unsubscribes.

        Entering it raises `StoreUnavailable`. Once it is entered no event is missed that is stored later.
        """
        subscription = self.subscribe(user_id)
        try:
            yield subscription
        finally:
            self.unsubscribe(user_id, subscription)

    def subscribe(self, user_id: str) -> Subscription:
        """Return a new subscription to a user's events from now on."""
        subscription = Subscription(self._backlog)
        self._subscriptions.setdefault(user_id, set()).add(subscription)
        return subscription

    def unsubscribe(self, user_id: str, subscription: Subscription) -> None:
        """Remove a subscription. What is queued counts no more."""
        subscription.close()
        subscriptions = self._subscriptions.get(user_id, set())
        subscriptions.discard(subscription)
        if not subscriptions:
            self._subscriptions.pop(user_id, None)

    def end(self, user_id: str | None, reason: Ended) -> None:
        """End all subscriptions of a user, or of everyone."""
        users = list(self._subscriptions) if user_id is None else [user_id]
        for user in users:
            for subscription in list(self._subscriptions.get(user, ())):
                subscription.end(reason)
