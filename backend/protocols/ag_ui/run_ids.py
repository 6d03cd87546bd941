"""The ids that clients give their runs, and the runs that they stand for."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from .wire import Resumed

MOST_IDS = 10_000
"""Ids that are remembered; the oldest are forgotten first. A run's id is of use while it is under way."""

ACCEPTED_WITHIN_S = 5.0
"""Seconds that a stop waits for a run which is just being accepted."""


@dataclass(slots=True)
class _Known:
    resumed: Sequence[Resumed]
    run_id: str | None = None
    decided: asyncio.Event = field(default_factory=asyncio.Event)


class RunIds:
    """Which run each client's id stands for. Kept in memory: a restart cuts the lines of all clients."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str], _Known] = OrderedDict()
        self._stopped: OrderedDict[tuple[str, str], None] = OrderedDict()

    def announce(self, user_id: str, theirs: str, resumed: Sequence[Resumed] = ()) -> bool:
        """Remember that a run of this id is just being accepted; return whether its stop came first.

        `resumed` is what it makes of open questions.
        """
        self._known[user_id, theirs] = _Known(resumed)
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

    def decide(self, user_id: str, theirs: str, run_id: str | None) -> None:
        """Remember which run an id stands for; None if it was not accepted."""
        known = self._known.get((user_id, theirs))
        if known is not None:
            known.run_id = run_id
            known.decided.set()

    def run_that_resumed(self, user_id: str, theirs: str, resumed: Sequence[Resumed]) -> str | None:
        """Return the run that the first sending of these answers with this id has begun, if any."""
        known = self._known.get((user_id, theirs))
        return known.run_id if known is not None and known.resumed == resumed else None

    def knows(self, user_id: str, theirs: str) -> bool:
        """Return whether a run of this id has come."""
        return (user_id, theirs) in self._known

    async def run_id(self, user_id: str, theirs: str) -> str | None:
        """Return the run that an id stands for, if any; waits for one that is just being accepted."""
        known = self._known.get((user_id, theirs))
        if known is None:
            return None
        try:
            async with asyncio.timeout(ACCEPTED_WITHIN_S):
                await known.decided.wait()
        except TimeoutError:
            return None
        return known.run_id
