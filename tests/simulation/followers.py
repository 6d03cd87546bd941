"""Clients that follow a user's events at whichever replica, and come back when that is gone."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from random import Random
from typing import Any

import orjson

from backend.domain.errors import ShuttingDown, StoreUnavailable
from backend.domain.events import StoredEvent
from backend.store.event_bus import Ended, SubscriptionEnded
from backend.store.event_log import EventsForgottenError
from tests.simulation.database import Database
from tests.simulation.replicas import SimulatedReplica

Find = Callable[[], Awaitable[SimulatedReplica]]


class Follower:
    """Follows one user; `seen` are the events of the log that has `epoch`. `wrong` tells what must not be."""

    def __init__(self, user: str, database: Database, find: Find, random: Random) -> None:
        self.user = user
        self.epoch: str | None = None
        self.seen: list[bytes] = []
        self.resets = 0
        self.wrong: list[str] = []
        self.leaving = False
        self._turn: asyncio.Future[None] | None = None
        self._database = database
        self._find = find
        self._random = random

    async def run(self) -> None:
        """Follow until told to leave."""
        while not self.leaving:
            replica = await self._find()
            following = replica.ask(lambda replica=replica: self._follow(replica), name=f"follow {self.user}")
            self._turn = asyncio.get_running_loop().create_future()
            await asyncio.wait({following, replica.gone, self._turn}, return_when=asyncio.FIRST_COMPLETED)
            if not following.done():
                following.cancel()
            await asyncio.sleep(self._random.choice((0.0, 0.05, 0.5)))

    def turn_away(self) -> None:
        """Go, and come back elsewhere unless this is the end."""
        if self._turn is not None and not self._turn.done():
            self._turn.set_result(None)

    async def _follow(self, replica: SimulatedReplica) -> None:
        try:
            epoch = await replica.runner.epoch(self.user)
            if epoch != self.epoch:
                self._begin_anew(epoch)
            async with aclosing(replica.log.follow(self.user, len(self.seen), epoch=epoch)) as batches:
                async for events in batches:
                    self._take(events, epoch)
        except SubscriptionEnded as ended:
            if ended.reason is Ended.RESET:
                self.epoch = None
        except EventsForgottenError:
            self.epoch = None
        except (StoreUnavailable, ShuttingDown):
            return

    def _begin_anew(self, epoch: str) -> None:
        self.resets += self.epoch is not None
        self.epoch, self.seen = epoch, []

    def _take(self, events: Sequence[StoredEvent], epoch: str) -> None:
        stored = self._database.state.kept.get(self.user)
        for event in events:
            if event.seq != len(self.seen) + 1:
                self.wrong.append(f"{event.seq} of {self.user} follows {len(self.seen)}")
            self.seen.append(event.frame)
            if stored is not None and stored.epoch == epoch and event.seq > stored.seq:
                self.wrong.append(f"{event.seq} of {self.user} is shown and not stored")

    async def missing(self) -> str | None:
        """Return what it has not been told of what is stored."""
        position = await self._database.documents.position(self.user)
        if position is None:
            return None
        if (self.epoch, len(self.seen)) != (position.epoch, position.seq):
            return f"{self.user} is followed to {len(self.seen)} of {self.epoch}, not to {position}"
        page = await self._database.documents.events_after(self.user, 0, limit=1_000_000)
        told = [*map(_plain, self.seen)]
        kept = [_plain(each.frame) for each in page.events]
        return None if told == kept else f"{self.user} was shown other events than are stored"


def _plain(frame: bytes) -> Any:
    return orjson.loads(frame)
