"""The requests of searches that have not ended, kept for who runs them again after a crash."""

from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Any, TypeVar

import structlog

from ...domain.encoding import Clock, encode_sorted
from ...domain.errors import ProviderError
from .booking_database import BookingDatabase, Steps

T = TypeVar("T")

OLDEST = timedelta(minutes=5)
"""Offers of an older request may have ended, or cost something else: it is made anew."""

_log = structlog.get_logger(__name__)


class BegunSearches:
    """Keeps them in the database of bookings, by user and by what is searched for.

    Where that fails, a search goes on without: after a crash it is made anew.
    """

    def __init__(self, database: BookingDatabase, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def take(self, user_id: str, query: Any) -> str | None:
        """Return the id of the request with which a process of the user died, once; None if there is none."""
        return await self._write(_take(user_id, _search(query), self._clock() - OLDEST))

    async def begin(self, user_id: str, query: Any, request_id: str) -> None:
        """Keep a request."""
        await self._write(_begin(user_id, _search(query), request_id, self._clock()))

    async def end(self, user_id: str, query: Any) -> None:
        """Forget a request. Cancelling the wait changes nothing."""
        await self._write(_end(user_id, _search(query)))

    async def _write(self, steps: Steps[T]) -> T | None:
        try:
            return await self._database.write(steps)
        except ProviderError as error:
            _log.warning("a search cannot be kept over a crash", reason=error.message)
            return None


def _search(query: Any) -> str:
    return blake2b(encode_sorted(query), digest_size=16).hexdigest()


def _take(user_id: str, search: str, since: datetime) -> Steps[str | None]:
    query = (
        "SELECT request_id FROM detour_sellers.searches WHERE user_id = $1 AND search = $2 AND begun_at > $3"
    )
    found = yield query, (user_id, search, since)
    yield from _end(user_id, search)
    return found[0][0] if found else None


def _begin(user_id: str, search: str, request_id: str, at: datetime) -> Steps[None]:
    yield from _end(user_id, search)
    yield "INSERT INTO detour_sellers.searches VALUES ($1, $2, $3, $4)", (user_id, search, request_id, at)


def _end(user_id: str, search: str) -> Steps[None]:
    yield "DELETE FROM detour_sellers.searches WHERE user_id = $1 AND search = $2", (user_id, search)
