"""The SQLite store without a file and without a thread: it ends with its process.

Each call has done its work when it returns: what is written is stored, and what is read is read, without a
step of the event loop in between.
"""

import asyncio
import threading
from asyncio import Future
from collections.abc import AsyncGenerator, Callable
from functools import cache
from typing import TypeVar

import apsw
import structlog

from ...domain.errors import StoreUnavailable
from ...domain.tool_call import ToolCall
from ..base import Listener, no_lease_ends, notify
from ..export import Exported
from ..ownership import Lease, OnLeaseEnded
from ..records import Record, Wanted
from .export import entries
from .file import create_schema, plan_once
from .reader import SqliteReader
from .writing import Writer

T = TypeVar("T")
_log = structlog.get_logger(__name__)


class MemoryStateStore(SqliteReader):
    """Keeps everything in memory; `keep_events` and `EVENT_BYTES_KEPT` bound the events of each user.

    It is ready once constructed; `open` only sets the listener. Closed, it refuses everything until it is
    opened again, with what it held.
    """

    def __init__(self, *, keep_events: int = 2000) -> None:
        connection = apsw.Connection(":memory:")
        with connection.backup("main", _empty(), "main") as copy:
            copy.step()
        plan_once(connection)
        self._writer = Writer(connection, None, keep_events=keep_events)
        self._lock = threading.RLock()  # for calls that begin in other threads
        self._listener: Listener = lambda _user_id, _events: None
        self._closed = False

    async def open(self, listener: Listener, on_lease_ended: OnLeaseEnded = no_lease_ends) -> None:
        """Set the listener."""
        self._listener = listener
        self._closed = False

    async def close(self) -> None:
        """Refuse reads and writes until the same store is opened again."""
        self._closed = True

    def commit(self, lease: Lease, *records: Record) -> "Future[int]":
        """Store records; the future is done when this returns. Raises `StoreUnavailable`."""
        self._check_open()
        durable: Future[int] = asyncio.get_running_loop().create_future()
        try:
            durable.set_result(self._write(lease, records))
        except Exception as error:  # noqa: BLE001 - raised where the future is awaited
            durable.set_exception(error)
        return durable

    def record(self, lease: Lease, *records: Record) -> None:
        """Store records. Raises `StoreUnavailable` if the store is closed."""
        self._check_open()
        try:
            self._write(lease, records)
        except Exception as error:  # noqa: BLE001 - nobody waits for it
            _log.error("records were lost", user_id=lease.user_id, reason=str(error))

    def commit_from_thread(self, lease: Lease, *records: Record) -> None:
        """Store records, in whatever thread."""
        self._check_open()
        self._write(lease, records)

    def store_call_now(self, lease: Lease, call: ToolCall, *, wanted: Wanted, within_s: float) -> bool:
        """Store the begin of a call, in whatever thread."""
        self._check_open()
        with self._lock:
            return self._writer.store_call(lease.user_id, call, wanted)

    async def new_epoch(self, user_id: str) -> str:
        """Return the epoch of the log that a user without one begins."""
        self._check_open()
        return self._writer.identity.epoch_of(user_id)

    async def delete_user(self, lease: Lease, *, at_once: bool = True) -> None:
        """Delete everything about a user."""
        await self._on_writer(lambda writer: writer.delete_user(lease.user_id))

    async def export(self, user_id: str) -> AsyncGenerator[Exported, None]:
        """Yield all that is stored of a user at one instant."""
        for each in await self._read(lambda connection: [*entries(connection, user_id)]):
            yield each

    async def _on_writer(self, run: Callable[[Writer], T]) -> T:
        self._check_open()
        with self._lock:
            return run(self._writer)

    def _check_open(self) -> None:
        if self._closed:
            raise StoreUnavailable("The store is closed.")

    def _write(self, lease: Lease, records: tuple[Record, ...]) -> int:
        with self._lock:
            [(events, seq)] = self._writer.write([(lease.user_id, records)])
        if events:
            notify(self._listener, lease.user_id, events)
        return seq


@cache
def _empty() -> apsw.Connection:
    """Return a database with the tables alone, to be copied: to make them takes longer than a short test."""
    connection = apsw.Connection(":memory:")
    create_schema(connection)
    return connection
