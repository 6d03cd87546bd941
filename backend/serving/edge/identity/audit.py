"""Log lines of what matters to whoever must know later who did what. They hold ids, never words.

`event` says what was done: `signed in`, `signed out`, `a conversation was deleted`, `an operator acted`, `an
operator ended sessions`. Refusals are told by `RefusalLog`.
"""

import hashlib
from collections.abc import Callable

import structlog

from .principal import CALLER, Principal

_log = structlog.get_logger("detour.audit")


def note(event: str, *, principal: Principal | None = None, **about: str) -> None:
    """Tell what the present caller has done, or `principal`; `about` says to what."""
    caller = CALLER.get()
    who = (principal or caller.principal).person
    _log.info(event, person=who or "one party", address=caller.address, **about)


MOST_REMEMBERED = 20_000
"""Tokens, with the address that each came from, that are known to have a line: some 3 MB."""

AGAIN_AFTER_S = 3600.0
"""Seconds after which what is still used gets a line again."""


class SignIns:
    """Tells of each token, and of each person whom a proxy names, once for each address that they come from.

    They come with every request. `monotonic` returns seconds that never go back.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._told: dict[bytes, float] = {}  # the one told longest ago comes first

    def note(self, principal: Principal, address: str, by: str, token: bytes) -> None:
        """Tell that somebody comes with a token, or by a proxy, unless that was told within the hour."""
        # Not the token itself, which memory need not hold.
        key = hashlib.blake2b(
            b"\0".join((token, (principal.person or "").encode(), address.encode())), digest_size=16
        ).digest()
        now = self._monotonic()
        told = self._told.get(key)
        if told is not None and now - told < AGAIN_AFTER_S:
            return
        self._told.pop(key, None)
        if len(self._told) >= MOST_REMEMBERED:
            del self._told[next(iter(self._told))]
        self._told[key] = now
        _log.info("signed in", person=principal.person or "one party", address=address, by=by)
