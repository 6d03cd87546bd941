"""Log lines of what matters to whoever must know later who did what. They hold ids, never words.

`event` says what was done: `signed in`, `signed out`, `a ticket was given`, `a conversation was deleted`, `an
operator acted`. Refusals are told by `RefusalLog`.
"""

import structlog

from .principal import CALLER, Principal

_log = structlog.get_logger("detour.audit")


def note(event: str, *, principal: Principal | None = None, **about: str) -> None:
    """Tell what the present caller has done, or `principal`; `about` says to what."""
    caller = CALLER.get()
    who = (principal or caller.principal).person
    _log.info(event, person=who or "one party", address=caller.address, **about)
