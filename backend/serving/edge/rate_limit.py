"""One limit of how much may happen in a minute, as this process counts it."""

from collections.abc import Callable

from ...domain.token_bucket import Level, TokenBucket, whole_seconds
from ...errors import TooManyRequests

MOST_KEYS = 10_000
"""Users, or addresses, that one limit remembers: some 2 MB."""


class RateLimit:
    """At most `per_minute` of something for each key, a minute's worth at once; 0 is no limit.

    `what` says of what, for the sentence of a refusal, and `kind` which limit it is, where its levels are
    shared (`shared_limits`). `monotonic` returns seconds that never go back. At most `most_keys` keys are
    remembered: those with full buckets are forgotten first, then the ones unused for longest. Never blocks.
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
            # Whoever is refused uses the bucket too: else keeping on would have it forgotten, and full again.
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
        """Note how many tokens a key has left now, whoever took the others."""
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
