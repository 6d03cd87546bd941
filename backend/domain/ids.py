"""Task ids: opaque, unique, and sortable by the time they were made."""

import secrets
from collections.abc import Callable

from .clock import Clock

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: sorts as the numbers do


def _base32(number: int, length: int) -> str:
    return "".join(_ALPHABET[(number >> (5 * place)) & 31] for place in reversed(range(length)))


def task_id_factory(clock: Clock) -> Callable[[], str]:
    """Return a function that makes ids of 26 characters: 60 bits of microseconds, then 70 random bits.

    Ids of one factory never go backwards, whatever the clock does.
    """
    last = 0

    def new_task_id() -> str:
        nonlocal last
        last = max(last + 1, int(clock().timestamp() * 1_000_000))
        return _base32(last, 12) + _base32(secrets.randbits(70), 14)

    return new_task_id
