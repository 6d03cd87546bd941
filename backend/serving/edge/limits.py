"""Limits how much may happen in a minute: of one user, from one address, and in all.

Each limit is a token bucket for each key: it holds a minute's worth and refills evenly, so a burst is allowed
and the sustained rate is bounded. What is over a limit changes nothing, costs nothing of the other limits,
and is told when it would be let through.
"""

import time
from collections.abc import Callable
from typing import Protocol

from ...domain.token_bucket import Level, TokenBucket, whole_seconds
from ...errors import TooManyRequests, Unauthorized
from .refusals import RefusalLog

MOST_KEYS = 10_000
"""Users, or addresses, that one limit remembers: some 2 MB."""

IN_ALL = ""
"""The one key of a limit of all together."""


class RateLimit:
    """At most `per_minute` of something for each key, a minute's worth at once; 0 is no limit.

    `what` says of what, for the sentence of a refusal. `monotonic` returns seconds that never go back. At
    most `most_keys` keys are remembered: those with full buckets are forgotten first, then the ones unused
    for longest. Never blocks.
    """

    def __init__(
        self, per_minute: int, what: str, monotonic: Callable[[], float], *, most_keys: int = MOST_KEYS
    ) -> None:
        if per_minute < 0 or most_keys < 1:
            raise ValueError("a limit below zero would let nothing through")
        self._bucket = TokenBucket.of_a_minute(per_minute) if per_minute else None
        self._says = f"That is more than {per_minute} {what}"
        self._monotonic = monotonic
        self._most_keys = most_keys
        self._levels: dict[str, Level] = {}  # the one used longest ago comes first

    def __len__(self) -> int:
        """Return how many keys are remembered."""
        return len(self._levels)

    def check(self, key: str) -> None:
        """Raise `TooManyRequests`, with the seconds to wait, if there may be no more of a key now."""
        if self._bucket is None:
            return
        wait_s = self._bucket.wait_s(self._levels.get(key), self._monotonic())
        if wait_s:
            # Whoever is refused uses the bucket too: else keeping on would have it forgotten, and full again.
            self._levels[key] = self._levels.pop(key)
            seconds = whole_seconds(wait_s)
            raise TooManyRequests(f"{self._says}; try again in {seconds} s.", retry_after_s=seconds)

    def count(self, key: str) -> None:
        """Count one more of a key, which `check` has let through."""
        if self._bucket is None:
            return
        now = self._monotonic()
        level = self._levels.pop(key, None)
        self._forget_idle(self._bucket, now)
        self._levels[key] = self._bucket.take(level, now)

    def take(self, key: str) -> None:
        """Count one more of a key. Raises `TooManyRequests`, with the seconds to wait."""
        self.check(key)
        self.count(key)

    def _forget_idle(self, bucket: TokenBucket, now: float) -> None:
        """Make room for one key."""
        while self._levels:
            oldest = next(iter(self._levels))
            idle = now - self._levels[oldest].at >= bucket.full_after_s
            if not idle and len(self._levels) < self._most_keys:
                return
            del self._levels[oldest]


class PerMinute(Protocol):
    """What each limit lets through in a minute, as the settings name it; 0 turns one off."""

    messages_per_minute: int
    address_messages_per_minute: int
    total_messages_per_minute: int
    address_requests_per_minute: int
    address_conversations_per_minute: int
    address_guesses_per_minute: int


class Limits:
    """All limits of how much may happen in a minute. What refuses a message notes it in the log."""

    def __init__(self, most: PerMinute, monotonic: Callable[[], float] = time.monotonic) -> None:
        def limit(per_minute: int, what: str) -> RateLimit:
            return RateLimit(per_minute, what, monotonic)

        address = "a minute from one address"
        self._user = limit(most.messages_per_minute, "messages a minute")
        self._address = limit(most.address_messages_per_minute, f"messages {address}")
        self._all = limit(most.total_messages_per_minute, "messages a minute of all users together")
        self._requests = limit(most.address_requests_per_minute, f"requests {address}")
        self._conversations = limit(most.address_conversations_per_minute, f"new conversations {address}")
        self._guesses = limit(most.address_guesses_per_minute, f"wrong tokens {address}")
        self._refusals = RefusalLog(monotonic)

    def take_request(self, address: str) -> None:
        """Count a request, of whatever kind. Raises `TooManyRequests`; whoever catches it notes it."""
        self._requests.take(address)

    def take_message(self, user_id: str, address: str) -> None:
        """Count a message or an answer. Raises `TooManyRequests`; then nothing was counted."""
        try:
            self._user.check(user_id)
            self._address.check(address)
            self._all.check(IN_ALL)
        except TooManyRequests as error:
            self._refusals.note(error, user_id=user_id, address=address)
            raise
        self._user.count(user_id)
        self._address.count(address)
        self._all.count(IN_ALL)

    def take_conversation(self, address: str) -> None:
        """Count a conversation that begins. Raises `TooManyRequests`."""
        try:
            self._conversations.take(address)
        except TooManyRequests as error:
            self._refusals.note(error, address=address)
            raise

    def check_guesses(self, address: str) -> None:
        """Raise `TooManyRequests` if an address has sent too many wrong tokens to be believed now."""
        self._guesses.check(address)

    def count_wrong_token(self, address: str) -> None:
        """Count a token that was wrong; whoever refuses it notes it."""
        self._guesses.count(address)

    def note_wrong_token(self, address: str) -> None:
        """Note a token that was wrong in the log."""
        self._refusals.note(Unauthorized("A wrong token was sent."), address=address)


class _Nothing:
    messages_per_minute = 0
    address_messages_per_minute = 0
    total_messages_per_minute = 0
    address_requests_per_minute = 0
    address_conversations_per_minute = 0
    address_guesses_per_minute = 0


NO_LIMITS = Limits(_Nothing())
