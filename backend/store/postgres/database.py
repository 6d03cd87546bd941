"""The database of a server: how its connections are made."""

import asyncio
import contextlib
import getpass
import os
import socket
import ssl
from asyncio import Future
from asyncio import Task as AsyncioTask
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar
from urllib.parse import parse_qs, unquote, urlsplit

import asyncpg
import structlog

from ...domain.errors import StoreUnavailable

# --- lanes ---------------------------------------------------------------------------------------------
# Connections to PostgreSQL, each used by one asyncio task that nobody cancels.
#
# Whoever wants something of the database waits for a future, so how a driver takes a cancellation does not
# matter. A connection that was lost is made anew by the next job.


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


# --- refusing ------------------------------------------------------------------------------------------
# Says why a database refuses a start, in sentences that name where it is, and never a password.


_PORT = "5432"
_NO_ADDRESS = (
    "it is no address of a database, such as postgresql://user:password@host/database. In a password "
    "/, ?, #, @ and % are written as %2F, %3F, %23, %40 and %25."
)


@dataclass(frozen=True, slots=True)
class _Place:
    """What an address names, as the driver reads it: a variable counts where the address is silent."""

    server: str
    role: str
    database: str


def unusable(error: Exception, address: str) -> StoreUnavailable:
    """Return what refuses a start because of an error, without its words: they may hold a password."""
    return StoreUnavailable(f"DETOUR_POSTGRES: {_reason(error, address)}")


def _reason(error: Exception, address: str) -> str:
    # A certificate that is not trusted is a `ValueError`, too.
    is_no_address = isinstance(error, ValueError) and not isinstance(error, OSError)
    place = None if is_no_address else _place(address)
    if place is None:
        return _NO_ADDRESS
    match error:
        case asyncpg.InsufficientPrivilegeError():
            needed = "`python -m backend.migrate --grant ROLE`, run as the role that owns the tables"
            return f"its role may not do what is needed, before {needed}."
        case socket.gaierror():
            return f"the host of {place.server} is not known."
        case ConnectionRefusedError() | FileNotFoundError():
            return f"nothing listens at {place.server}."
        case ssl.SSLCertVerificationError():
            return f"the certificate of {place.server} is not one that this machine trusts."
        case TimeoutError():
            return f"{place.server} does not answer."
        case asyncpg.InvalidAuthorizationSpecificationError():
            # Some servers tell a missing role from a wrong password, and others on purpose do not.
            wrong = "the password is wrong, there is no such role, or it may not come from here"
            return f"{place.server} does not let the role {place.role!r} in: {wrong}."
        case asyncpg.InvalidCatalogNameError():
            made = f"`createdb {place.database}` makes it"
            return f"{place.server} has no database {place.database!r}; {made}."
        case _:
            told = f"{type(error).__name__} {sqlstate(error)}".strip()
            return f"the database {place.database!r} at {place.server} cannot be used: {told}."


def _place(address: str) -> _Place | None:
    """Return what an address names; None where a part of a password could be taken for something else."""
    parts = urlsplit(address)
    if "@" in f"{parts.path}{parts.query}{parts.fragment}":
        return None
    asked = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    named, _, hosts = parts.netloc.rpartition("@")
    host = unquote(hosts) or asked.get("host") or os.environ.get("PGHOST") or "localhost"
    port = asked.get("port") or os.environ.get("PGPORT") or _PORT
    has_port = host.rpartition("]")[2].count(":") > 0
    server = host if has_port or host.startswith("/") else f"{host}:{port}"
    role = (
        unquote(named.partition(":")[0]) or asked.get("user") or os.environ.get("PGUSER") or getpass.getuser()
    )
    database = unquote(parts.path[1:]) or asked.get("database") or asked.get("dbname")
    return _Place(server, role, database or os.environ.get("PGDATABASE") or role)


# --- database ------------------------------------------------------------------------------------------


FAILURES = (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError, ValueError)
"""What a connection raises that cannot be made or used; `ValueError` where the address is none."""

_TIMELINE = """
SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8)
    || '-' || coalesce(to_regclass('detour.users')::oid, 0)"""
"""The timeline is another one after a failover, and the table after a restore by `pg_restore`."""

_STATEMENTS_KEPT = 200
"""Prepared statements of a connection."""


class Database:
    """The database at `address`; `timeline` is that of the newest connection.

    With `pooled`, a pooler may be in between that gives each transaction another connection: then nothing is
    prepared ahead. `direct` is the address of the same database with no such pooler in between; where it is
    "", `address` is.
    """

    def __init__(self, address: str, *, direct: str = "", pooled: bool = False) -> None:
        self._address = address
        self._direct = direct
        self._statements_kept = 0 if pooled else _STATEMENTS_KEPT
        self.timeline = ""

    def unusable(self, error: Exception) -> StoreUnavailable:
        """Return what refuses a start because of an error of a connection."""
        return unusable(error, self._address)

    async def connect(self) -> Connection:
        """Return a new connection. Raises one of `FAILURES`."""
        return await self._connect(self._address, self._statements_kept)

    async def connect_directly(self) -> Connection:
        """Return a new connection that may be a session, if there is an address for that."""
        if not self._direct:
            return await self.connect()
        return await self._connect(self._direct, _STATEMENTS_KEPT)

    async def _connect(self, address: str, statements_kept: int) -> Connection:
        connect: Any = asyncpg.connect  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        connection: Connection = await connect(
            address,
            timeout=CONNECT_WITHIN_S,
            command_timeout=ANSWER_WITHIN_S,
            statement_cache_size=statements_kept,
            server_settings={"application_name": "detour"},
        )
        usable = False
        try:
            # A failover breaks every connection, so the timeline is right for as long as one lasts.
            await self.learn_timeline(connection)
            usable = True
        finally:
            if not usable:
                connection.terminate()
        return connection

    async def learn_timeline(self, connection: Connection) -> None:
        """Read the timeline. Raises one of `FAILURES`."""
        self.timeline = await connection.fetchval(_TIMELINE)
