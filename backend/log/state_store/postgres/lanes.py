"""Connections to PostgreSQL, each used by one asyncio task that nobody cancels.

Whoever wants something of the database waits for a future, so how a driver takes a cancellation does not
matter. A connection that was lost is made anew by the next job.
"""

import asyncio
import contextlib
from asyncio import Future
from asyncio import Task as AsyncioTask
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, NamedTuple, Protocol, TypeVar

import asyncpg
import structlog

from ....errors import StoreUnavailable

CONNECT_WITHIN_S = 3
"""Seconds that connecting may take."""

ANSWER_WITHIN_S = 10
"""Seconds that a statement may take; the connection counts as lost then: a cut network says nothing."""

T = TypeVar("T")
Connection = Any
"""An asyncpg connection: the library has no types."""

Job = Callable[[Connection], Awaitable[T]]
Connect = Callable[[], Awaitable[Connection]]

_UNAVAILABLE = ("08", "53", "57", "58", "XX")
"""Classes of errors that are the server's: connections, resources, shutdown, its system."""

_PASSING = ("25006", "40001", "40P01", "55P03")
"""Errors that pass: a standby that takes no writes, a conflict or a deadlock, a lock that was not had."""

_log = structlog.get_logger(__name__)


class Spawn(Protocol):
    """Starts an asyncio task that its owner holds."""

    def __call__(self, work: Coroutine[Any, Any, Any], *, name: str) -> "AsyncioTask[Any]":
        """Start the work."""
        ...


class ConnectionLostError(StoreUnavailable):
    """The connection was lost while a job ran: nobody knows whether it took effect."""


def sqlstate(error: BaseException) -> str:
    """Return the code of an error of the database; empty for any other."""
    return str(getattr(error, "sqlstate", None) or "")


def detail_of(error: BaseException) -> str:
    """Return the detail of an error of the database."""
    return str(getattr(error, "detail", None) or "")


def is_lost(error: BaseException) -> bool:
    """Return whether an error means that the connection is gone, and not that a statement failed."""
    if isinstance(error, asyncpg.PostgresError):
        return sqlstate(error)[:2] in ("08", "57")
    return isinstance(error, (OSError, TimeoutError, asyncpg.InterfaceError, EOFError))


def is_passing(error: BaseException) -> bool:
    """Return whether an error is the server's, so that the same may succeed later."""
    state = sqlstate(error)
    return is_lost(error) or state[:2] in _UNAVAILABLE or state in _PASSING


class _Posted(NamedTuple):
    job: Job[Any]
    result: "Future[Any]"


class Lane:
    """One connection, and the jobs that take turns on it."""

    def __init__(self, connect: Connect, spawn: Spawn, *, name: str) -> None:
        self._connect = connect
        self._jobs: asyncio.Queue[_Posted | None] = asyncio.Queue()
        self._connection: Connection | None = None
        self.waiting = 0
        self._closing = False
        self._task = spawn(self._work(), name=name)

    def post(self, job: Job[T]) -> "Future[T]":
        """Have a job done after those before it. Cancelling the future does not cancel the job.

        The future fails with what the job raises; with `ConnectionLostError` if the connection is lost
        meanwhile, and with `StoreUnavailable` if there is none to be had, or the lane is closed or ends.
        """
        result: Future[T] = asyncio.get_running_loop().create_future()
        if self._closing or self._task.done():
            result.set_exception(StoreUnavailable("The connection to the database is closed."))
            return result
        self.waiting += 1
        self._jobs.put_nowait(_Posted(job, result))
        return result

    async def close(self) -> None:
        """Do the jobs that were posted, then close the connection."""
        self._closing = True  # what comes after the end of the queue would never be answered
        self._jobs.put_nowait(None)
        await asyncio.wait([self._task])

    async def _work(self) -> None:
        try:
            while (posted := await self._jobs.get()) is not None:
                await self._answer(posted)
            if self._connection is not None and not self._connection.is_closed():
                with contextlib.suppress(
                    OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError
                ):
                    await self._connection.close(timeout=CONNECT_WITHIN_S)
        finally:
            if self._connection is not None:
                self._connection.terminate()

    async def _answer(self, posted: _Posted) -> None:
        value, error = None, None
        try:
            value = await self._do(posted.job)
        except Exception as raised:  # noqa: BLE001 - raised in the caller; the lane goes on
            error = raised
        self.waiting -= 1
        if posted.result.done():
            return
        if error is not None:
            posted.result.set_exception(error)
        else:
            posted.result.set_result(value)

    async def _do(self, job: Job[T]) -> T:
        connection = await self._connected()
        try:
            return await job(connection)
        except Exception as error:
            if not (is_lost(error) or connection.is_closed()):
                raise
            self._connection = None
            connection.terminate()
            _log.warning("a connection to the database was lost", reason=type(error).__name__)
            raise ConnectionLostError("The database does not answer right now.") from error

    async def _connected(self) -> Connection:
        if self._connection is None or self._connection.is_closed():
            try:
                self._connection = await self._connect()
            except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
                raise StoreUnavailable("The database cannot be reached right now.") from error
        return self._connection
