"""The bus within one process."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from ...domain.events import StoredEvent
from .base import Backlog, Ended, Subscription


class MemoryEventBus:
    """Hands events to the subscriptions of this process."""

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
        """Subscribe to a user's events from now on; leaving it unsubscribes."""
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
