"""Limits how much may happen in a minute: of one user, from one address, and in all.

Each limit is a token bucket for each key: it holds a minute's worth and refills evenly, so a burst is allowed
and the sustained rate is bounded. A refusal counts in no bucket, and says how long to wait.

Replicas share the buckets (`Sharing`): they count messages, conversations and wrong tokens together before
anything else happens, and requests in portions. A process that is alone waits for nothing here.
"""

import asyncio
import contextlib
import time
from asyncio import Future
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from types import SimpleNamespace
from typing import Protocol, cast

import structlog

from ...domain.errors import TooManyRequests, Unauthorized
from ...domain.token_bucket import Level, Take, Taken, TokenBucket, whole_seconds
from .refusals import RefusalLog

MOST_KEYS = 10_000
"""Users, or addresses, that one limit remembers: some 2 MB."""


class RateLimit:
    """At most `per_minute` of something for each key, a minute's worth at once; 0 is no limit.

    `what` names it in a refusal, `kind` where levels are shared (`Sharing`). `monotonic` returns seconds that
    never go back. At most `most_keys` keys are remembered: those with full buckets are forgotten first, then
    the ones unused for longest. Never blocks.
    """

    def __init__(
        self,
        per_minute: int,
        what: str,
        monotonic: Callable[[], float],
        *,
        kind: str = "",
        most_keys: int = MOST_KEYS,
    ) -> None:
        if per_minute < 0 or most_keys < 1:
            raise ValueError("a limit below zero would let nothing through")
        self.kind = kind
        self.bucket = TokenBucket.of_a_minute(per_minute) if per_minute else None
        self._says = f"That is more than {per_minute} {what}"
        self._monotonic = monotonic
        self._most_keys = most_keys
        self._levels: dict[str, Level] = {}  # the one used longest ago comes first

    def __len__(self) -> int:
        """Return how many keys are remembered."""
        return len(self._levels)

    def check(self, key: str) -> None:
        """Raise `TooManyRequests`, with the seconds to wait, if there may be no more of a key now."""
        if self.bucket is None:
            return
        wait_s = self.bucket.wait_s(self._levels.get(key), self._monotonic())
        if wait_s:
            # A refusal is a use: else a key that keeps on would be forgotten, and its bucket full again.
            self._levels[key] = self._levels.pop(key)
            self._refuse(wait_s)

    def check_left(self, tokens: float) -> None:
        """Raise `TooManyRequests` if so many tokens are too few for one more."""
        if self.bucket is not None and (wait_s := self.bucket.wait_s(Level(tokens, 0.0), 0.0)):
            self._refuse(wait_s)

    def count(self, key: str) -> None:
        """Count one more of a key, which `check` has let through."""
        if self.bucket is None:
            return
        now = self._monotonic()
        level = self._levels.pop(key, None)
        self._forget_idle(self.bucket, now)
        self._levels[key] = self.bucket.take(level, now)

    def take(self, key: str) -> None:
        """Count one more of a key. Raises `TooManyRequests`, with the seconds to wait."""
        self.check(key)
        self.count(key)

    def note(self, key: str, tokens: float) -> None:
        """Note how many tokens a key has left now."""
        if self.bucket is None:
            return
        now = self._monotonic()
        self._levels.pop(key, None)
        self._forget_idle(self.bucket, now)
        self._levels[key] = Level(tokens, now)

    def _refuse(self, wait_s: float) -> None:
        seconds = whole_seconds(wait_s)
        raise TooManyRequests(f"{self._says}; try again in {seconds} s.", retry_after_s=seconds)

    def _forget_idle(self, bucket: TokenBucket, now: float) -> None:
        """Make room for one key."""
        while self._levels:
            oldest = next(iter(self._levels))
            idle = now - self._levels[oldest].at >= bucket.full_after_s
            if not idle and len(self._levels) < self._most_keys:
                return
            del self._levels[oldest]


# --- shared limits -------------------------------------------------------------------------------------
# What this process knows of a level is the last answer, less what it has counted since and plus what the
# bucket got back. Others may have taken more meanwhile, never less: so what is refused here needs no
# question, and a flood costs no round trips.
#
# While the levels do not answer, this process counts alone, from what it knows: nothing is let through
# uncounted, and nothing is refused for the missing answer.


WITHIN_S = 1.0
"""Seconds that a message waits for the levels."""

ALONE_S = 1.0
"""Seconds before the levels are asked again after they did not answer."""

PORTION = 100
"""Requests are reported in portions of a minute's worth divided by this: 120 of 12,000."""

MOST_UNTOLD = 10_000
"""Keys with requests that are not reported yet."""

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
        self._is_due = False

    async def take(self, *asked: Asked, owed: bool = False) -> bool:
        """Take a token for each of them, or none; with `owed`, whether there are any or not.

        Returns False without an answer in time: the caller must count alone. Raises `TooManyRequests` if
        there are too few. Cancelling the wait leaves open whether they were taken.
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
        """Wait until what a key owes is taken. May be cancelled."""
        while (owed := self._owed.get((limit, key))) is not None:
            await asyncio.wait([owed])

    def count_later(self, limit: RateLimit, key: str) -> None:
        """Count one more of a key, to be taken with others soon, even if tokens are short. Never blocks."""
        if limit.bucket is None:
            return
        if (limit, key) in self._untold or len(self._untold) < MOST_UNTOLD:
            self._untold[limit, key] += 1
            self._untold_in_all += 1
        if self._untold_in_all >= limit.bucket.capacity / PORTION:
            self._is_due = True
            if not self._telling:
                self._tell()

    def _tell(self) -> None:
        self._is_due = False
        untold, self._untold, self._untold_in_all = self._untold, Counter[Asked](), 0
        future = self._ask(untold, owed=True)
        if future is not None:
            self._telling = True
            future.add_done_callback(self._told)

    def _told(self, _done: "Future[Taken]") -> None:
        self._telling = False
        if self._is_due:  # not with the next request: there is none once the tokens here have run out
            self._tell()

    def _ask(self, counts: Mapping[Asked, int], *, owed: bool) -> "Future[Taken] | None":
        """Ask for so many of each, of limits that are on; return None if nothing is to be asked."""
        if not counts or self._monotonic() < self._ask_again_at:
            return None
        takes = [
            Take(limit.kind, key, limit.bucket, count)
            for (limit, key), count in counts.items()
            if limit.bucket is not None
        ]
        future = self._levels.take(takes, owed=owed)
        # Before those who wait for it go on, and also if they have left.
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


# --- limits --------------------------------------------------------------------------------------------


class PerMinute(Protocol):
    """What each limit lets through in a minute, as the settings name it; 0 turns one off."""

    messages_per_minute: int
    address_messages_per_minute: int
    total_messages_per_minute: int
    address_requests_per_minute: int
    address_conversations_per_minute: int
    address_guesses_per_minute: int


class Limits:
    """All limits of how much may happen in a minute; refused messages are logged here.

    `shared` are the levels that replicas share; None for a process that is alone.
    """

    def __init__(
        self,
        most: PerMinute,
        monotonic: Callable[[], float] = time.monotonic,
        *,
        shared: SharedLevels | None = None,
    ) -> None:
        def limit(kind: str, per_minute: int, what: str) -> RateLimit:
            return RateLimit(per_minute, what, monotonic, kind=kind)

        address = "a minute from one address"
        self._user = limit("user", most.messages_per_minute, "messages a minute")
        self._address = limit("address", most.address_messages_per_minute, f"messages {address}")
        self._all = limit("all", most.total_messages_per_minute, "messages a minute of all users together")
        self._requests = limit("requests", most.address_requests_per_minute, f"requests {address}")
        self._conversations = limit(
            "conversations", most.address_conversations_per_minute, f"new conversations {address}"
        )
        self._guesses = limit("guesses", most.address_guesses_per_minute, f"wrong tokens {address}")
        self._sharing = Sharing(shared, monotonic) if shared is not None else None
        self._refusals = RefusalLog(monotonic)

    def take_request(self, address: str) -> None:
        """Count a request of any kind. Raises `TooManyRequests`, which the caller logs."""
        self._requests.take(address)
        if self._sharing is not None:
            self._sharing.count_later(self._requests, address)

    async def take_message(self, user_id: str, address: str) -> None:
        """Count a message or an answer. Raises `TooManyRequests`; then nothing was counted."""
        with self._logging(user_id=user_id, address=address):
            await self._take((self._user, user_id), (self._address, address), (self._all, ""))

    async def take_conversation(self, address: str) -> None:
        """Count a conversation that begins. Raises `TooManyRequests`."""
        with self._logging(address=address):
            await self._take((self._conversations, address))

    @contextlib.contextmanager
    def _logging(self, **about: str) -> Generator[None]:
        try:
            yield
        except TooManyRequests as error:
            self._refusals.note(error, **about)
            raise

    async def check_guesses(self, address: str) -> None:
        """Raise `TooManyRequests` if an address has sent too many wrong tokens to be believed now."""
        if self._sharing is not None:
            # One guess at a time: only once the last one is counted is it known whether another is allowed.
            await self._sharing.caught_up(self._guesses, address)
        self._guesses.check(address)

    async def count_wrong_token(self, address: str) -> None:
        """Count a token that was wrong, which the caller logs.

        Raises `TooManyRequests` if the address had used up its wrong tokens at other replicas.
        """
        self._guesses.count(address)
        if self._sharing is not None:
            await self._sharing.take((self._guesses, address), owed=True)

    def note_wrong_token(self, address: str) -> None:
        """Log a token that was wrong."""
        self._refusals.note(Unauthorized("A wrong token was sent."), address=address)

    async def _take(self, *asked: Asked) -> None:
        for limit, key in asked:
            limit.check(key)
        if self._sharing is not None:
            if await self._sharing.take(*asked):
                return
            for limit, key in asked:  # others were counted meanwhile
                limit.check(key)
        for limit, key in asked:
            limit.count(key)


NO_LIMITS = Limits(cast("PerMinute", SimpleNamespace(**dict.fromkeys(PerMinute.__annotations__, 0))))
