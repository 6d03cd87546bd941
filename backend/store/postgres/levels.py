"""The levels of buckets that replicas share: see `migrations/0006_buckets.sql`.

They have a connection of their own, since whoever takes from a bucket may wait for another who does, and no
write of anybody is to stand behind that.
"""

import asyncio
import time
from asyncio import Future
from collections.abc import Callable, Sequence

import asyncpg
import structlog

from ...domain.errors import StoreUnavailable
from ...domain.token_bucket import Take, Taken
from .database import Connect, Connection, Lane, Spawn
from .rows import key

STATEMENT_WITHIN_S = 1.0
"""Seconds that a statement may take; the connection is made anew then."""

FORGET_EVERY_S = 60.0
"""Seconds between two looks for buckets that are full: having them is the same as having none."""

MOST_FORGOTTEN = 10_000
"""Buckets that are deleted at once."""

_TAKE = "SELECT taken, held FROM detour.take_tokens($1, $2, $3, $4, $5, $6)"
_FORGET = "SELECT detour.forget_full_buckets($1)"

_log = structlog.get_logger(__name__)


class PostgresLevels:
    """The levels, as one replica uses them; `monotonic` returns seconds that never go back."""

    def __init__(
        self, connect: Connect, spawn: Spawn, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._connect = connect
        self._spawn = spawn
        self._monotonic = monotonic
        self._lane: Lane | None = None
        self._forget_at = 0.0

    def open(self) -> None:
        """Get ready; the first call connects."""
        self._lane = Lane(self._connect, self._spawn, name="limits")

    async def close(self) -> None:
        """Close the connection."""
        lane, self._lane = self._lane, None
        if lane is not None:
            await lane.close()

    def take(self, takes: Sequence[Take], *, owed: bool = False) -> "Future[Taken]":
        """Take from several buckets at once: all of it, or nothing if one of them has too little.

        With `owed` it is taken all the same, and a bucket may owe as much as it can hold. No bucket may be
        named twice. The future fails with `StoreUnavailable`; if it is cancelled, it may be taken or not.
        """
        if self._lane is None:
            closed: Future[Taken] = asyncio.get_running_loop().create_future()
            closed.set_exception(StoreUnavailable("The levels are closed."))
            return closed
        values = (
            [each.kind for each in takes],
            [key(each.key) for each in takes],
            [each.bucket.capacity for each in takes],
            [each.bucket.per_s for each in takes],
            [float(each.tokens) for each in takes],
            owed,
        )

        async def take(connection: Connection) -> Taken:
            if taken.cancelled():
                raise StoreUnavailable("Nobody waits for it any more.")
            try:
                row = await connection.fetchrow(_TAKE, *values, timeout=STATEMENT_WITHIN_S)
            except asyncpg.PostgresError as error:
                # Whatever it is, a message must not fail for it: a standby, a right that was not granted.
                raise StoreUnavailable("The levels cannot be changed right now.") from error
            return Taken(row["taken"], tuple(row["held"]))

        taken = self._lane.post(take)
        if self._monotonic() >= self._forget_at:
            self._forget_at = self._monotonic() + FORGET_EVERY_S
            self._lane.post(_forget_full).add_done_callback(_passed_over)
        return taken


async def _forget_full(connection: Connection) -> None:
    await connection.execute(_FORGET, MOST_FORGOTTEN, timeout=STATEMENT_WITHIN_S)


def _passed_over(done: "Future[None]") -> None:
    # The next look is soon enough.
    if not done.cancelled() and done.exception() is not None:
        _log.info("full buckets were not deleted", reason=type(done.exception()).__name__)
