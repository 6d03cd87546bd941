"""The ids that clients give their runs, and the runs that they stand for."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256, sha512
from typing import Any, NamedTuple

import orjson

from ...log.state_store.base import Keep, StateStore
from ...log.state_store.records import Acceptance
from .wire import Resumed

MOST_IDS = 10_000
"""Ids that are remembered in memory; the oldest are forgotten first. A run's id is of use while it runs."""

ACCEPTED_WITHIN_S = 5.0
"""Seconds that a stop waits for a run which is just being accepted."""


class StandsFor(NamedTuple):
    """What a client's id stands for: a run, or that of a message which was sent to steer it."""

    run_id: str
    message_id: str | None = None


@dataclass(slots=True)
class _Known:
    stands_for: StandsFor | None = None
    decided: asyncio.Event = field(default_factory=asyncio.Event)


class RunIds:
    """Which run each client's id stands for.

    The store keeps that for as long as the user, for answers that are sent again, and stops, after a restart.
    """

    def __init__(self, store: StateStore, keep: Keep) -> None:
        self._store = store
        self._keep = keep
        self._known: OrderedDict[tuple[str, str], _Known] = OrderedDict()
        self._stopped: OrderedDict[tuple[str, str], None] = OrderedDict()

    def announce(self, user_id: str, theirs: str) -> bool:
        """Remember that a run of this id is just being accepted; return whether its stop came first."""
        self._known[user_id, theirs] = _Known()
        while len(self._known) > MOST_IDS:
            self._known.popitem(last=False)
        is_stopped = (user_id, theirs) in self._stopped
        self._stopped.pop((user_id, theirs), None)
        return is_stopped

    def stop_early(self, user_id: str, theirs: str) -> None:
        """Remember a stop that came before its run: a run brings the whole conversation, a stop nothing."""
        self._stopped[user_id, theirs] = None
        while len(self._stopped) > MOST_IDS:
            self._stopped.popitem(last=False)

    def decide(self, user_id: str, theirs: str, stands_for: StandsFor | None) -> None:
        """Remember which run an id stands for; None if it was not accepted."""
        known = self._known.get((user_id, theirs))
        if known is not None:
            known.stands_for = stands_for
            known.decided.set()

    async def keep(
        self, user_id: str, theirs: str, stands_for: StandsFor, resumed: Sequence[Resumed]
    ) -> None:
        """Store which run an id stands for, and what it made of open questions. Raises `StoreUnavailable`."""
        body = orjson.dumps({**stands_for._asdict(), "resumed": _digest(resumed)})
        await self._keep(user_id, Acceptance(_key(theirs), body))

    async def run_that_resumed(self, user_id: str, theirs: str, resumed: Sequence[Resumed]) -> str | None:
        """Return the run that the first sending of these answers with this id has begun, if any."""
        kept = await self._kept(user_id, theirs)
        return kept["run_id"] if kept is not None and kept["resumed"] == _digest(resumed) else None

    def knows(self, user_id: str, theirs: str) -> bool:
        """Return whether a run of this id has come since the server started."""
        return (user_id, theirs) in self._known

    async def stands_for(self, user_id: str, theirs: str) -> StandsFor | None:
        """Return what an id stands for, if anything; waits for a run that is just being accepted."""
        known = self._known.get((user_id, theirs))
        if known is None:
            kept = await self._kept(user_id, theirs)
            return StandsFor(kept["run_id"], kept.get("message_id")) if kept is not None else None
        try:
            async with asyncio.timeout(ACCEPTED_WITHIN_S):
                await known.decided.wait()
        except TimeoutError:
            return None
        return known.stands_for

    async def _kept(self, user_id: str, theirs: str) -> dict[str, Any] | None:
        found = await self._store.get_acceptance(user_id, _key(theirs))
        return orjson.loads(found[1]) if found is not None else None


def _key(theirs: str) -> str:
    """Return what the store keeps an id under: longer than any message's `client_id`, so it is never one."""
    return f"ag-ui {sha512(theirs.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _digest(resumed: Sequence[Resumed]) -> str:
    said = [[each.interrupt_id, each.cancelled, each.payload] for each in resumed]
    return sha256(orjson.dumps(said, option=orjson.OPT_SORT_KEYS)).hexdigest()
