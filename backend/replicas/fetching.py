"""The event bus of a replica: publishes events that this process stores, and fetches those of others.

A subscription registers this replica as a follower before it reads: so a write either finds the follower, and
sends a hint, or is part of what the subscription reads. Hints may be lost: the bus publishes only events that
continue the last one, and fetches those in between.
"""

from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any

from ..domain.errors import StoreUnavailable
from ..domain.events import StoredEvent
from ..store.base import StateStore
from ..store.event_bus import Ended, EventBus, Subscription
from ..store.retry import until_available
from .leases import Membership

PAGE = 500
"""Events that are fetched at once."""


class _Followed:
    """A user with subscribers here: the last event that was published, and whether there may be `more`."""

    __slots__ = ("begun", "epoch", "fetching", "last_seq", "more", "subscribers", "writes")

    def __init__(self) -> None:
        self.subscribers = 0
        self.begun = False
        self.epoch: str | None = None
        self.last_seq = 0
        self.fetching = False
        self.more = False
        self.writes = -1


class FetchingEventBus(EventBus):
    """Publishes a user's events to the subscriptions of this process, whichever process stores them."""

    def __init__(
        self, store: StateStore, follows: Membership, spawn: Callable[[Coroutine[Any, Any, None]], Any]
    ) -> None:
        super().__init__()
        self._store = store
        self._follows = follows
        self._spawn = spawn
        self._followed: dict[str, _Followed] = {}

    @asynccontextmanager
    async def subscription(self, user_id: str) -> AsyncGenerator[Subscription, None]:
        """Subscribe to a user's events from now on; leaving it unsubscribes. Raises `StoreUnavailable`."""
        followed = self._followed.setdefault(user_id, _Followed())
        followed.subscribers += 1
        subscription: Subscription | None = None
        try:
            # In this order: hints tell of what is stored after this, and what was stored before is read here.
            await self._follows.follow(user_id)
            position = await self._store.position(user_id)
            # Also for a user without a log: events published here need an epoch, or a new log that begins
            # elsewhere would go unnoticed.
            promised = None if position else await self._store.new_epoch(user_id)
            subscription = self.subscribe(user_id)
            if followed.begun:
                self.look(user_id)  # for the earlier subscribers: this one reads what is stored
            else:
                followed.begun = True
                if position is not None:
                    followed.epoch, followed.last_seq = position.epoch, position.seq
                elif followed.epoch is None:
                    followed.epoch = promised
            yield subscription
        finally:
            if subscription is not None:
                self.unsubscribe(user_id, subscription)
            followed.subscribers -= 1
            if not followed.subscribers and self._followed.get(user_id) is followed:
                del self._followed[user_id]
                self._spawn(self._leave(user_id))

    async def _leave(self, user_id: str) -> None:
        try:
            await self._follows.unfollow(user_id)
        except StoreUnavailable:
            return  # hints come in vain until the user's next subscriber leaves
        # A subscriber may have come meanwhile, whose registration this has removed.
        if user_id in self._followed:
            await until_available(lambda: self._follows.follow(user_id), user_id=user_id)
            self.look(user_id)

    def publish(self, user_id: str, events: Sequence[StoredEvent]) -> None:
        """Publish events that this process has stored."""
        followed = self._followed.get(user_id)
        if followed is None:
            return
        if events[0].seq == followed.last_seq + 1:
            followed.last_seq = events[-1].seq
            super().publish(user_id, events)
        elif events[-1].seq > followed.last_seq or events[0].seq == 1:
            # Another process has stored those in between, or the log has begun anew.
            self.look(user_id)

    def end(self, user_id: str | None, reason: Ended) -> None:
        """End all subscriptions of a user, or of everyone."""
        super().end(user_id, reason)
        followed = self._followed.get(user_id) if user_id is not None else None
        if followed is not None and reason is Ended.RESET:
            followed.begun, followed.epoch, followed.last_seq = False, None, 0

    def look(self, user_id: str) -> None:
        """Start to fetch a user's new events, if there are subscribers. Never waits."""
        followed = self._followed.get(user_id)
        if followed is None:
            return
        followed.more = True
        if not followed.fetching:
            followed.fetching = True
            self._spawn(self._fetch(user_id, followed))

    def look_at_all(self) -> None:
        """Start to fetch new events for all subscribers: hints may have been lost."""
        for user_id in list(self._followed):
            self.look(user_id)

    async def catch_up(self) -> None:
        """Fetch the events of users who have been written since the last call: hints may have been lost.

        A hint is sent after the write, so it is lost with its sender's connection or process. Raises
        `StoreUnavailable`.
        """
        if not self._followed:
            return
        known = await self._follows.writes_of(list(self._followed))
        for user_id, writes in known.items():
            followed = self._followed.get(user_id)
            if followed is not None and followed.writes != writes:
                followed.writes = writes
                self.look(user_id)

    async def follow_anew(self) -> None:
        """Register all followed users under this replica's new name. Raises `StoreUnavailable`."""
        for user_id in list(self._followed):
            await self._follows.follow(user_id)
        self.look_at_all()

    async def _fetch(self, user_id: str, followed: _Followed) -> None:
        try:
            while followed.more and self._followed.get(user_id) is followed:
                followed.more = False
                await until_available(lambda: self._fetch_once(user_id, followed), user_id=user_id)
        finally:
            followed.fetching = False

    async def _fetch_once(self, user_id: str, followed: _Followed) -> None:
        epoch, after = followed.epoch, followed.last_seq
        news = await self._store.news_after(user_id, after, limit=PAGE)
        if followed.epoch != epoch:
            followed.more = True  # the log was ended here meanwhile: the page may be of the old one
            return
        if news is None:
            if followed.last_seq:
                self.end(user_id, Ended.RESET)
            return
        position, page = news
        followed.epoch = position.epoch
        if epoch is not None and position.epoch != epoch:
            self.end(user_id, Ended.RESET)
            followed.epoch, followed.more = position.epoch, True
            return
        if position.seq <= followed.last_seq:
            return
        # Own events may have been published meanwhile.
        events = [each for each in page.events if each.seq > followed.last_seq]
        if not page.complete:
            # Those in between are no longer stored: each subscriber begins again with a snapshot.
            followed.last_seq = position.seq
            self.end(user_id, Ended.TOO_SLOW)
        elif events:
            followed.last_seq = events[-1].seq
            super().publish(user_id, events)
        followed.more = followed.more or page.more or position.seq > followed.last_seq
