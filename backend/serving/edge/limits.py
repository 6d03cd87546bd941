"""Limits how fast one user may send messages: a token bucket per user.

A bucket holds a minute's worth of messages and refills evenly, so a burst is allowed and the sustained rate
is bounded. The routes call it rather than the guard, because the user id is in the body.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from ...errors import TooManyRequests
from .refusals import RefusalLog

_ROUNDING = 1e-9
"""Refilling in many small steps sums up to a little less than a whole token."""


@dataclass(slots=True)
class _Bucket:
    tokens: float
    updated_s: float


class RateLimiter:
    """At most `per_minute` messages of a user a minute, after a burst of as many.

    `monotonic` returns seconds that never go back. At most `max_users` users are remembered: full
    buckets are forgotten first, then the ones unused for longest. Never blocks.
    """

    def __init__(self, per_minute: int, monotonic: Callable[[], float], *, max_users: int = 10_000) -> None:
        if per_minute < 1 or max_users < 1:
            raise ValueError("a limit below one would let nothing through")
        self._capacity = float(per_minute)
        self._per_second = per_minute / 60
        self._monotonic = monotonic
        self._max_users = max_users
        self._buckets: dict[str, _Bucket] = {}  # the one used longest ago comes first
        self._refusals = RefusalLog(monotonic)

    def __len__(self) -> int:
        """Return how many users are remembered."""
        return len(self._buckets)

    def check(self, user_id: str) -> None:
        """Count one message of `user_id`. Raises TooManyRequests, with the seconds to wait."""
        now = self._monotonic()
        bucket = self._buckets.pop(user_id, None) or _Bucket(self._capacity, now)
        self._forget_idle(now)
        self._buckets[user_id] = bucket
        bucket.tokens = min(self._capacity, bucket.tokens + (now - bucket.updated_s) * self._per_second)
        bucket.updated_s = now
        if bucket.tokens < 1 - _ROUNDING:
            wait_s = max(1, math.ceil((1 - bucket.tokens) / self._per_second))
            error = TooManyRequests(
                f"That is more than {self._capacity:.0f} messages a minute; try again in {wait_s} s.",
                retry_after_s=wait_s,
            )
            self._refusals.note(error, user_id=user_id)
            raise error
        bucket.tokens -= 1

    def _forget_idle(self, now: float) -> None:
        """Make room for one user. A bucket unused for a minute is full, which equals having none."""
        while self._buckets:
            oldest = next(iter(self._buckets))
            idle = now - self._buckets[oldest].updated_s >= 60
            if not idle and len(self._buckets) < self._max_users:
                return
            del self._buckets[oldest]
