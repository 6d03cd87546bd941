"""Where bookings are: in an SQLite file, in memory, or in the PostgreSQL of the server.

What is read and written is said once for all, in `demo.bookings` and `begun_searches`: a generator yields
statements, in PostgreSQL's words, and is sent their rows. A write is one transaction, which has the bookings
to itself: the file is locked, or the table of claims. So it decides on what all before have committed, and
nobody waits in a circle.

What was handed over is done, whole or not at all, whatever becomes of whoever waits: cancelling the wait
changes nothing, and after a kill or a power cut there is what was committed and nothing else.
"""

import asyncio
import contextlib
import re
import secrets
import threading
from collections.abc import Awaitable, Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol, TypeVar

import apsw
import asyncpg
import structlog

from ...domain.errors import OutcomeUnknown, ProviderError, StoreUnavailable
from ...http.plugin import Database, Lane

T = TypeVar("T")
Steps = Generator[tuple[str, Sequence[Any]], list[Any], T]
"""Yields a statement with its values, and is sent its rows."""

ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""What references are made of: nothing that is taken for something else when read out or copied."""

_log = structlog.get_logger(__name__)


def new_reference(prefix: str) -> str:
    """Return a reference at random, one of 887 million with a prefix."""
    return f"{prefix}-{''.join(secrets.choice(ALPHABET) for _ in range(6))}"


class BookingDatabase(Protocol):
    """A database with the tables of bookings: the schemas `detour_demo`, and `detour_sellers` for others."""

    async def read(self, steps: Steps[T]) -> T:
        """Read, and return what the generator returns. Raises what it raises, and `ProviderError`."""
        ...

    async def write(self, steps: Steps[T]) -> T:
        """Do one transaction; what the generator raises undoes it all and is raised here.

        Raises `ProviderError` if nothing was done, `OutcomeUnknown` if that cannot be told.
        """
        ...

    async def close(self) -> None:
        """Do what was handed over, then close; nothing can be done afterwards."""
        ...


# --- SQLite --------------------------------------------------------------------------------------------

_OLDEST, _VERSION = 1, 4
"""Versions of the file: 2 has void calls among its calls, 3 the names of PostgreSQL's tables, 4 the sellers'
tables."""

_WITH_POSTGRES_NAMES = 3
_RENAMED = "".join(f"ALTER TABLE {name} RENAME TO {name}s;" for name in ("booking", "claim", "call"))


class SqliteBookings:
    """The file at `path`, or without one what is in memory and gone with the process.

    Opening blocks for milliseconds, and raises `StoreUnavailable`. There is no write-ahead log, which would
    keep what was forgotten until it is written over: a booking has the milliseconds to spare.
    """

    def __init__(self, path: Path | None) -> None:
        try:
            if path is not None:
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                path.touch(mode=0o600)  # what SQLite puts beside it is as private
            self._connection = apsw.Connection(str(path) if path else ":memory:")
            _prepare(self._connection)
        except (apsw.Error, OSError) as error:
            raise StoreUnavailable(f"{path} cannot be opened: {error}.") from None
        self._thread = ThreadPoolExecutor(1, "bookings")
        self._lock = threading.Lock()
        self._is_closed = False

    async def read(self, steps: Steps[T]) -> T:
        """Read at one instant. See `BookingDatabase`."""
        # Each search reads what is taken, in microseconds: it waits for the thread only behind a write.
        if not self._is_closed and self._lock.acquire(blocking=False):
            try:
                return self._do("BEGIN", steps)
            finally:
                self._lock.release()
        return await self._hand_over(lambda: self._transact("BEGIN", steps))

    async def write(self, steps: Steps[T]) -> T:
        """Do one transaction. See `BookingDatabase`."""
        return await self._hand_over(lambda: self._transact("BEGIN IMMEDIATE", steps))

    async def close(self) -> None:
        """Do what was handed over, then close the file. Blocks until then; idempotent."""
        self.close_now()

    def close_now(self) -> None:
        """Do the same where nothing can be awaited."""
        self._is_closed = True
        self._thread.shutdown()
        self._connection.close()

    async def _hand_over(self, job: Callable[[], T]) -> T:
        try:
            done = asyncio.wrap_future(self._thread.submit(job))
        except RuntimeError:
            raise ProviderError("The bookings are closed.") from None
        done.add_done_callback(lambda job: job.exception())  # nobody may be left to be told
        await asyncio.wait([done])  # which cancels nothing, if it is cancelled
        return done.result()

    def _transact(self, begin: str, steps: Steps[T]) -> T:
        with self._lock:
            return self._do(begin, steps)

    def _do(self, begin: str, steps: Steps[T]) -> T:
        connection = self._connection
        try:
            connection.execute(begin)
            value = self._run(steps)
        except Exception as error:
            _undo(connection)
            if isinstance(error, apsw.Error):
                raise ProviderError(f"The file of bookings could not take it: {error}.") from None
            raise
        try:
            connection.execute("COMMIT")
        except apsw.Error as error:
            _undo(connection)
            raise OutcomeUnknown(
                f"It cannot be told whether the file of bookings took it: {error}."
            ) from None
        return value

    def _run(self, steps: Steps[T]) -> T:
        try:
            statement, values = next(steps)
            while True:
                kept = [each.timestamp() if isinstance(each, datetime) else each for each in values]
                rows: Any = self._connection.execute(_in_sqlite(statement), kept)
                statement, values = steps.send(list(rows))
        except StopIteration as done:
            return done.value


@lru_cache(maxsize=100)
def _in_sqlite(statement: str) -> str:
    return re.sub(r"\$(\d)", r"?\1", re.sub(r"\bdetour_(?:demo|sellers)\.", "", statement))


def _prepare(connection: apsw.Connection) -> None:
    connection.set_busy_timeout(5000)
    connection.pragma("journal_mode", "delete")
    connection.pragma("synchronous", "extra")  # without a write-ahead log, full is not enough
    connection.pragma("secure_delete", True)  # what is forgotten is overwritten
    with connection:
        version = connection.pragma("user_version")
        if version and not _OLDEST <= version <= _VERSION:
            raise apsw.SchemaChangeError(
                f"it has version {version}, this program reads {_OLDEST} to {_VERSION}"
            )
        if version != _VERSION:
            if version < _WITH_POSTGRES_NAMES:
                connection.execute(_RENAMED if version else _tables("demo/bookings.sql"))
            connection.execute(_tables("sellers.sql"))
            connection.pragma("user_version", _VERSION)


def _tables(name: str) -> str:
    return files(__package__ or "").joinpath(name).read_text("utf-8")


def _undo(connection: apsw.Connection) -> None:
    with contextlib.suppress(apsw.Error):  # some failures have undone it already
        connection.execute("ROLLBACK")


# --- PostgreSQL ----------------------------------------------------------------------------------------

_BOUNDS = "SET LOCAL idle_in_transaction_session_timeout = '5s'"
"""The database ends a transaction whose process has frozen: others wait for its lock."""

_LOCK = "LOCK TABLE detour_demo.claims IN SHARE ROW EXCLUSIVE MODE"
"""Nobody else writes until the transaction has ended; whoever reads does not wait. A replica of an earlier
version, which locked places one by one, waits for it with its first claim, and is waited for after that."""


class PostgresBookings:
    """The server's database, with the tables of `migrations.BOOKINGS`, which several replicas share.

    Its connection is made with the first call. Use from one event loop.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lane: Lane | None = None

    async def read(self, steps: Steps[T]) -> T:
        """Read. See `BookingDatabase`."""
        try:
            return await self._post(lambda connection: _run(connection, steps))
        except StoreUnavailable as error:
            raise ProviderError(f"The bookings cannot be reached. {error.message}") from None

    async def write(self, steps: Steps[T]) -> T:
        """Do one transaction. See `BookingDatabase`."""
        return await self._transact(lambda connection: _run(connection, steps))

    async def close(self) -> None:
        """Do what was handed over, then close the connection."""
        if self._lane is not None:
            await self._lane.close()

    async def _transact(self, job: Callable[[Any], Awaitable[T]]) -> T:
        async def transaction(connection: Any) -> T:
            async with connection.transaction():
                await connection.execute(_BOUNDS)
                await connection.execute(_LOCK)
                return await job(connection)

        try:
            return await self._post(transaction)
        except StoreUnavailable as error:
            raise OutcomeUnknown(f"It cannot be told whether the bookings took it. {error.message}") from None

    async def _post(self, job: Callable[[Any], Awaitable[T]]) -> T:
        if self._lane is None:
            self._lane = self._database.lane("bookings")
        try:
            return await self._lane.post(job)
        except asyncpg.PostgresError as error:
            # The connection is there, so the database has answered that nothing was done. Its words name
            # tables and rights: they are for operators.
            _log.warning("the database refused the bookings", reason=str(error))
            raise ProviderError("The bookings could not take it.") from None


async def _run(connection: Any, steps: Steps[T]) -> T:
    try:
        statement, values = next(steps)
        while True:
            statement, values = steps.send(await connection.fetch(statement, *values))
    except StopIteration as done:
        return done.value
