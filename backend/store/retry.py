"""Tries again what must be stored or read, for as long as the store is down."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import TypeVar

import structlog

from ..domain.errors import StoreUnavailable

RETRY_S = (0.1, 0.2, 0.5, 1.0)
"""Seconds between tries while the store is down; the last pause repeats."""

T = TypeVar("T")
_log = structlog.get_logger(__name__)


def retry_pauses(pauses: Sequence[float] = RETRY_S) -> Iterator[float]:
    """Yield the seconds to wait before each further try, without end: the last pause repeats."""
    return itertools.chain(pauses, itertools.repeat(pauses[-1]))


async def until_available(step: Callable[[], Awaitable[T]], *, user_id: str) -> T:
    """Repeat `step` until it raises no `StoreUnavailable`, and return its result.

    Other errors are raised. Cancelling this stops the tries.
    """
    pauses = retry_pauses()
    while True:
        try:
            return await step()
        except StoreUnavailable as error:
            _log.warning("the store is down; it is tried again", user_id=user_id, reason=error.message)
        await asyncio.sleep(next(pauses))
