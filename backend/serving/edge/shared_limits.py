"""Limits whose levels several replicas share: asked of where they are kept, and known here as last told.

What this process knows of a level is what it was told last, less what it has counted since and plus what the
bucket got back. Others may have taken more meanwhile, never less: so what is refused here needs nobody to be
asked, and a flood costs no round trips.

While the levels cannot be asked, this process counts alone, from what it knows: the door is never open, and
never shut by that.
"""

import asyncio
from asyncio import Future
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import structlog

from ...domain.token_bucket import Take, Taken
from .rate_limit import RateLimit

WITHIN_S = 1.0
"""Seconds within which the levels must be told: a message waits no longer for them."""

ALONE_S = 1.0
"""Seconds for which nobody asks again after the levels were not told."""

PORTION = 100
"""What is told later is told when there is this part of a minute's worth of it: 120 of 12,000."""

MOST_UNTOLD = 10_000
"""Keys of which something waits to be told."""

_log = structlog.get_logger(__name__)

Asked = tuple[RateLimit, str]
"""A limit, and the key that it counts for."""


class SharedLevels(Protocol):
    """Where the levels are kept that replicas share."""

    def take(self, takes: Sequence[Take], *, owed: bool = False) -> "Future[Taken]":
        """Take from several buckets at once: all of it, or nothing if one of them has too little.

        With `owed` it is taken all the same, and a bucket may owe as much as it can hold. No bucket may be
        named twice. The future fails with `StoreUnavailable`; if it is cancelled, it may be taken or not.
        """
        ...


class Sharing:
    """Counts in the levels that all replicas share; `monotonic` returns seconds that never go back."""

    def __init__(self, levels: SharedLevels, monotonic: Callable[[], float]) -> None:
        self._levels = levels
        self._monotonic = monotonic
        self._alone = False
        self._ask_again_at = 0.0
        self._owed: dict[Asked, Future[Taken]] = {}
        self._untold: Counter[Asked] = Counter()
        self._untold_in_all = 0
        self._telling = False

    async def take(self, *asked: Asked, owed: bool = False) -> bool:
        """Take a token for each of them, or none; with `owed`, whether there are any or not.

        Returns False if that could not be asked in time, and the caller is to count alone. Raises
        `TooManyRequests` if there are too few. Cancelling the wait leaves open whether they were taken.
        """
        limited = [each for each in asked if each[0].bucket is not None]
        future = self._ask(dict.fromkeys(limited, 1), owed=owed)
        if future is None:
            return False
        if owed:
            self._owed.update(dict.fromkeys(limited, future))
        await asyncio.wait([future], timeout=WITHIN_S)
        if not future.done():
            future.cancel()
            self._go_alone("no answer")
        if future.cancelled() or future.exception() is not None:
            return False
        if not (taken := future.result()).enough:
            for (limit, _), tokens in zip(limited, taken.tokens, strict=True):
                limit.check_left(tokens)
        return True

    async def caught_up(self, limit: RateLimit, key: str) -> None:
        """Wait until what a key owes is taken, if something of it is on the way. May be cancelled."""
        while (owed := self._owed.get((limit, key))) is not None:
            await asyncio.wait([owed])

    def count_later(self, limit: RateLimit, key: str) -> None:
        """Count one more of a key, which is taken with others soon, enough tokens or not. Never blocks."""
        if limit.bucket is None:
            return
        if (limit, key) in self._untold or len(self._untold) < MOST_UNTOLD:
            self._untold[limit, key] += 1
            self._untold_in_all += 1
        if self._untold_in_all >= limit.bucket.capacity / PORTION and not self._telling:
            self._tell()

    def _tell(self) -> None:
        untold, self._untold, self._untold_in_all = self._untold, Counter[Asked](), 0
        future = self._ask(untold, owed=True)
        if future is not None:
            self._telling = True
            future.add_done_callback(self._told)

    def _told(self, _done: "Future[Taken]") -> None:
        self._telling = False

    def _ask(self, counts: Mapping[Asked, int], *, owed: bool) -> "Future[Taken] | None":
        """Ask for so many of each, of limits that are on; return None if nobody is to be asked."""
        if not counts or self._monotonic() < self._ask_again_at:
            return None
        takes = [
            Take(limit.kind, key, limit.bucket, count)
            for (limit, key), count in counts.items()
            if limit.bucket is not None
        ]
        future = self._levels.take(takes, owed=owed)
        # Before anybody who waits for it goes on, and also if they have gone.
        future.add_done_callback(lambda done: self._note([*counts], done))
        return future

    def _note(self, asked: Sequence[Asked], done: "Future[Taken]") -> None:
        for each in asked:
            if self._owed.get(each) is done:
                del self._owed[each]
        if done.cancelled():
            return
        if (error := done.exception()) is not None:
            self._go_alone(type(error).__name__)
            return
        if self._alone:
            self._alone = False
            _log.info("limits are shared with the other replicas again")
        for (limit, key), tokens in zip(asked, done.result().tokens, strict=True):
            limit.note(key, tokens - self._untold[limit, key])

    def _go_alone(self, reason: str) -> None:
        self._ask_again_at = self._monotonic() + ALONE_S
        if not self._alone:
            self._alone = True
            _log.warning("this replica counts limits alone for now", reason=reason)
