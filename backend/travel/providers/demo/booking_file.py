"""The file of the demo's bookings, and the one thread that works on it, a whole transaction at a time.

Whoever asks hands over a job and waits for what it comes to. A job that was handed over is done, whole or
not at all, whatever becomes of whoever waits: cancelling the wait changes nothing in the file, and after a
kill or a power cut the file holds what was committed and nothing else. There is no write-ahead log, which
would keep what was forgotten until it is written over: a booking has the milliseconds to spare.
"""

import asyncio
import contextlib
import queue
import threading
from asyncio import AbstractEventLoop, Future
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import apsw

from ....domain.errors import OutcomeUnknown, ProviderError, StoreUnavailable

SCHEMA_VERSION = 2
"""Version 2 has the tables of version 1; an older program cannot read the void calls among its calls."""

OLDEST_VERSION = 1

_SCHEMA = """
CREATE TABLE booking (reference TEXT PRIMARY KEY, user_id TEXT NOT NULL, subject TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('held', 'booked', 'cancelled')), made_at REAL NOT NULL,
    held_until REAL, document BLOB NOT NULL) WITHOUT ROWID;
CREATE INDEX booking_of_user ON booking (user_id, made_at);
CREATE TABLE claim (item TEXT, day INTEGER, reference TEXT NOT NULL, count INTEGER NOT NULL CHECK (count > 0),
    until REAL, PRIMARY KEY (item, day, reference)) WITHOUT ROWID;
CREATE INDEX claim_of_booking ON claim (reference);
CREATE TABLE call (user_id TEXT, call_id TEXT, arguments TEXT NOT NULL, document BLOB NOT NULL,
    PRIMARY KEY (user_id, call_id)) WITHOUT ROWID;
"""
"""`claim` is what a booking takes, for good or, where it is held, until then. `call` holds what each call
came to."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Job:
    run: Callable[[apsw.Connection], Any]
    loop: AbstractEventLoop
    result: "Future[Any]"


class BookingFile:
    """The open file; without a path it is in memory, and gone with the process.

    Opening blocks for some milliseconds; raises `StoreUnavailable`.
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
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._closed = False
        self._thread = threading.Thread(target=self._serve, name="demo bookings", daemon=True)
        self._thread.start()

    def read_at_first(self, run: Callable[[apsw.Connection], T]) -> T:
        """Read before anything has been handed over; blocks. Raises `StoreUnavailable`."""
        try:
            return run(self._connection)
        except apsw.Error as error:
            raise StoreUnavailable(f"The demo's file of bookings cannot be read: {error}.") from None

    async def transact(self, run: Callable[[apsw.Connection], T]) -> T:
        """Run a job as one transaction and return what it returns.

        What the job raises undoes it all and is raised here. Raises `ProviderError` where the file could not
        take it, `OutcomeUnknown` where it cannot be told whether it did. When the wait is cancelled, the job
        is done all the same.
        """
        if self._closed:
            raise ProviderError("The demo's bookings are closed.")
        loop = asyncio.get_running_loop()
        job = _Job(run, loop, loop.create_future())
        self._jobs.put(job)
        return await job.result

    def close(self) -> None:
        """Do what was handed over, then close the file. Blocks until then; idempotent."""
        if not self._closed:
            self._closed = True
            self._jobs.put(None)
            self._thread.join()

    def _serve(self) -> None:
        while (job := self._jobs.get()) is not None:
            value, error = _done(self._connection, job.run)
            with contextlib.suppress(RuntimeError):  # a loop that has closed waits for nothing
                job.loop.call_soon_threadsafe(_settle, job.result, value, error)
        self._connection.close()


def _prepare(connection: apsw.Connection) -> None:
    connection.set_busy_timeout(5000)
    connection.pragma("journal_mode", "delete")
    connection.pragma("synchronous", "extra")  # without a write-ahead log, full is not enough
    connection.pragma("secure_delete", True)  # what is forgotten is overwritten
    with connection:
        version = connection.pragma("user_version")
        if version == 0:
            connection.execute(_SCHEMA)
            connection.pragma("user_version", SCHEMA_VERSION)
        elif not OLDEST_VERSION <= version <= SCHEMA_VERSION:
            raise apsw.SchemaChangeError(
                f"it has version {version}, this program reads {OLDEST_VERSION} to {SCHEMA_VERSION}"
            )
        elif version != SCHEMA_VERSION:
            connection.pragma("user_version", SCHEMA_VERSION)


def _done(
    connection: apsw.Connection, run: Callable[[apsw.Connection], T]
) -> tuple[T | None, Exception | None]:
    """Run a job whole or not at all; return what it came to, or why not."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        value = run(connection)
    except Exception as error:  # noqa: BLE001 - whoever waits gets it; the thread serves on
        _undo(connection)
        return None, _unavailable(error) if isinstance(error, apsw.Error) else error
    try:
        connection.execute("COMMIT")
    except apsw.Error as error:
        _undo(connection)
        return None, OutcomeUnknown(
            f"It cannot be told whether the demo's file of bookings took it: {error}."
        )
    return value, None


def _unavailable(error: apsw.Error) -> ProviderError:
    return ProviderError(f"The demo's file of bookings could not take it: {error}.")


def _undo(connection: apsw.Connection) -> None:
    with contextlib.suppress(apsw.Error):  # some failures have undone it already
        connection.execute("ROLLBACK")


def _settle(result: "Future[Any]", value: object, error: Exception | None) -> None:
    if result.done():
        return
    if error is None:
        result.set_result(value)
    else:
        result.set_exception(error)
