"""Stores the begin of a tool call over PostgreSQL for a caller that cannot await it.

The lanes of the store live on the server's event loop, which the caller may block. So this has a thread with
an event loop and a connection of its own, both made with the first such call.
"""

import asyncio
import threading
from concurrent.futures import Future
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, NamedTuple

import asyncpg

from ....domain.tool_call import ToolCall
from ....errors import StoreUnavailable
from ...ownership.base import Tenure, TenureEnded
from ..call_now import Wanted, answer, answer_of
from ..codec import to_json
from .database import FAILURES
from .lanes import CONNECT_WITHIN_S, Connect, Connection, is_lost, sqlstate
from .rows import key

_BEGIN = "SELECT detour.begin_call($1, $2, $3, $4, $5)"


class _Asked(NamedTuple):
    tenure: Tenure
    call: ToolCall
    wanted: Wanted
    stored: "Future[bool]"


class PostgresCallsNow:
    """A thread with a connection, for whoever cannot wait on the event loop; for any thread.

    The connections of `connect` are used on that thread alone.
    """

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._lock = threading.Lock()
        self._jobs: SimpleQueue[_Asked | Future[None]] | None = None

    def store(self, tenure: Tenure, call: ToolCall, *, wanted: Wanted, within_s: float) -> bool:
        """Store the begin of a call, as `CallsNow.store_call_now` says."""
        stored: Future[bool] = Future()
        with self._lock:
            if self._jobs is None:
                self._jobs = SimpleQueue()
                work = _Connected(self._connect).work
                threading.Thread(target=work, args=[self._jobs], name="postgres calls", daemon=True).start()
            self._jobs.put(_Asked(tenure, call, wanted, stored))
        return answer_of(stored, within_s)

    async def close(self) -> None:
        """Do what was asked for, then close the connection and end the thread."""
        with self._lock:
            jobs, self._jobs = self._jobs, None
        if jobs is not None:
            ended: Future[None] = Future()
            jobs.put(ended)
            await asyncio.wrap_future(ended)


class _Connected:
    """What the thread does: one call after the other, on one connection."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._connection: Connection | None = None

    def work(self, jobs: "SimpleQueue[_Asked | Future[None]]") -> None:
        with asyncio.Runner() as runner:
            job = jobs.get()
            while isinstance(job, _Asked):
                self._answer(runner, job)
                job = jobs.get()
            runner.run(self._close())
        job.set_result(None)

    def _answer(self, runner: asyncio.Runner, asked: _Asked) -> None:
        answer(asked.stored, lambda: runner.run(self._store(asked)))

    async def _store(self, asked: _Asked) -> bool:
        """Store the begin of a call, once more if the connection is lost: stored twice it is the same."""
        try:
            try:
                return await self._begin(asked)
            except FAILURES as error:
                if not is_lost(error):
                    raise
                self._drop()
                return await self._begin(asked)
        except FAILURES as error:
            if sqlstate(error) == "DT001":
                raise TenureEnded(asked.tenure) from None
            if is_lost(error):
                self._drop()
            raise StoreUnavailable("The database could not keep it.") from error

    async def _begin(self, asked: _Asked) -> bool:
        connection: Any = self._connection
        if connection is None or connection.is_closed():
            connection = self._connection = await self._connect()
        tenure, call = asked.tenure, asked.call
        given = key(tenure.user_id), tenure.fence, call.turn, key(call.call_id), to_json(call)
        # Only now: it may have taken a while until here.
        return asked.wanted() and await connection.fetchval(_BEGIN, *given)

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None

    async def _close(self) -> None:
        connection: Any = self._connection
        if connection is not None:
            with suppress(OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError):
                await connection.close(timeout=CONNECT_WITHIN_S)
            connection.terminate()
