"""The token bucket: how much may happen at once and in the long run. Pure arithmetic over a level.

A level says how many tokens a bucket held at an instant; a bucket without a level is full.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

_ROUNDING = 1e-9
"""Refilling in many small steps sums up to a little less than a whole token."""


class Level(NamedTuple):
    """How many tokens a bucket held, and when, in seconds of a clock that all its levels share."""

    tokens: float
    at: float


@dataclass(frozen=True, slots=True)
class TokenBucket:
    """A bucket of `capacity` tokens that gets `per_s` of them back each second."""

    capacity: float
    per_s: float

    def __post_init__(self) -> None:
        if self.capacity < 1 or self.per_s <= 0:
            raise ValueError("a bucket that never holds a token would let nothing through")

    @classmethod
    def of_a_minute(cls, count: int) -> "TokenBucket":
        """Return the bucket that lets so many through in a minute, a minute's worth at once."""
        return cls(float(count), count / 60)

    @property
    def full_after_s(self) -> float:
        """Seconds after which an empty bucket is full, which equals having no level."""
        return self.capacity / self.per_s

    def tokens(self, level: Level | None, now: float) -> float:
        """Return what a bucket holds by now. A clock that was set back refills nothing."""
        if level is None:
            return self.capacity
        return min(self.capacity, level.tokens + max(0.0, now - level.at) * self.per_s)

    def wait_s(self, level: Level | None, now: float) -> float:
        """Return the seconds until there is a token; 0 if there is one."""
        tokens = self.tokens(level, now)
        return 0.0 if tokens >= 1 - _ROUNDING else (1 - tokens) / self.per_s

    def take(self, level: Level | None, now: float) -> Level:
        """Return the level without one more token. Take one only if `wait_s` is 0."""
        return Level(self.tokens(level, now) - 1, now if level is None else max(now, level.at))


class Take(NamedTuple):
    """Tokens of one bucket: of which kind it is and whose, what it may hold, and how many are taken."""

    kind: str
    key: str
    bucket: TokenBucket
    tokens: float = 1.0


class Taken(NamedTuple):
    """Whether there were tokens enough in every bucket, and what each holds now, in the order of the takes.

    A bucket that holds less than 0 owes tokens.
    """

    enough: bool
    tokens: tuple[float, ...]


def whole_seconds(wait_s: float) -> int:
    """Return a wait for `Retry-After`: whole seconds, rounded up, at least one."""
    return max(1, math.ceil(wait_s))
