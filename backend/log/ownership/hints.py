"""The hints of one replica: those that it tells the others, and those that it hears.

A hint is told after the write that it is about is durable, never within it: `NOTIFY` holds a lock of the
whole server until its transaction has ended (six times fewer commits, measured). A replica listens on a
connection of its own, which is its session: it holds the lock by which the others know that it lives.

A replica that polls has no session, which a pooler of transactions could not keep: the registry's connection
asks for its hints, and nothing but its lease tells that it is alive.
"""

import asyncio
from asyncio import Future
from asyncio import Task as AsyncioTask
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import asyncpg
import orjson
import structlog

from ...errors import StoreUnavailable
from ..retry import retry_pauses
from ..state_store.postgres.lanes import Connect, Connection, Lane, Spawn
from .registry import Heard, Hint

CHECK_SESSION_EVERY_S = 1.0
"""Seconds between two looks whether the listening connection is still there."""

POLL_EVERY_S = 0.1
"""Seconds between two questions for hints, of a replica that polls."""

LOST = (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError)
"""What a connection raises that cannot be made, or is gone."""

_log = structlog.get_logger(__name__)


class Hints:
    """Tells hints and hears them: `heard` takes each, `reread` is called after each gap."""

    def __init__(self, connect: Connect, spawn: Spawn, *, polls: bool) -> None:
        self._connect = connect
        self._spawn = spawn
        self._polls = polls
        self._lane: Lane | None = None
        self._listening: AsyncioTask[None] | None = None
        self._waiting: list[tuple[str, str]] = []
        self._telling: Future[None] | None = None
        self.heard: Heard = lambda _hint: None
        self.reread: Callable[[], None] = lambda: None

    def open(self, lane: Lane) -> None:
        """Tell over this lane from now on, and ask over it where hints are asked for."""
        self._lane = lane

    async def close(self) -> None:
        """Hear and tell nothing more."""
        await self.stop()
        self._lane = None

    async def hear(self, replica: str, lock_id: int) -> None:
        """Hear a replica's hints from now on, and no other's; hold its lock. Raises `StoreUnavailable`."""
        await self.stop()
        if self._polls:
            self._listening = self._spawn(self._poll(replica), name="hints")
            return
        connection = await self._session(replica, lock_id)
        self._listening = self._spawn(self._listen(connection, replica, lock_id), name="hints")

    async def stop(self) -> None:
        """Hear nothing more."""
        listening, self._listening = self._listening, None
        if listening is not None:
            listening.cancel()
            await asyncio.wait({listening})

    def tell(self, replica: str, hint: Hint) -> None:
        """Send a hint, soon: all that gather meanwhile go in one statement."""
        if self._lane is None:
            return
        self._waiting.append((channel(replica), payload(hint)))
        if self._telling is None:
            self._telling = self._lane.post(self._tell_all)
            self._telling.add_done_callback(self._told)

    def _told(self, done: "Future[None]") -> None:
        if done is self._telling:
            # It never ran, for want of a connection: what waits for it must not gather until there is one.
            self._telling = None
            self._waiting.clear()
        # A hint may be lost: whoever waits for it looks by itself after a while.
        if not done.cancelled() and done.exception() is not None:
            _log.info("hints were lost", reason=type(done.exception()).__name__)

    async def _tell_all(self, connection: Connection) -> None:
        self._telling = None
        hints, self._waiting = self._waiting, []
        query = "SELECT detour.tell($1, $2)"
        await connection.execute(query, [each[0] for each in hints], [each[1] for each in hints])

    async def _session(self, replica: str, lock_id: int) -> Connection:
        """Return a connection that listens to a replica's hints and holds its lock."""
        try:
            connection = await self._connect()
        except LOST as error:
            raise StoreUnavailable("The database cannot be reached right now.") from error
        held = False
        try:
            await connection.add_listener(channel(replica), self._on_notification)
            # Until a dead connection's lock is gone this waits; the lease runs on meanwhile.
            await connection.execute("SELECT pg_advisory_lock(detour.lock_class(), $1)", lock_id)
            await connection.execute("SELECT detour.note_sessions()")
            held = True
        except LOST as error:
            raise StoreUnavailable("The database does not answer right now.") from error
        finally:
            if not held:
                connection.terminate()
        return connection

    async def _listen(self, connection: Any, replica: str, lock_id: int) -> None:
        """Keep the session, for ever; read what hints would have told after each gap."""
        pauses = retry_pauses()
        try:
            while True:
                try:
                    if connection is None:
                        connection = await self._session(replica, lock_id)
                        pauses = retry_pauses()
                        self.reread()
                    # A connection that was cut says nothing: so it is asked.
                    await asyncio.sleep(CHECK_SESSION_EVERY_S)
                    await connection.execute("SELECT 1")
                except (*LOST, StoreUnavailable):
                    if connection is not None:
                        _log.warning("the session with the database was lost", replica=replica)
                        connection.terminate()
                        connection = None
                    await asyncio.sleep(next(pauses))
        finally:
            if connection is not None:
                connection.terminate()

    async def _poll(self, replica: str) -> None:
        """Ask for hints, for ever; read what they would have told after each gap."""

        def take(connection: Connection) -> Awaitable[Sequence[Any]]:
            return connection.fetch("SELECT payload FROM detour.take_hints($1)", replica)

        pauses = retry_pauses()
        gap = False
        while True:
            try:
                if self._lane is None:
                    return
                told = [row[0] for row in await self._lane.post(take)]
            except (StoreUnavailable, asyncpg.PostgresError) as error:
                if not gap:
                    _log.warning("hints could not be asked for", reason=type(error).__name__)
                gap = True
                await asyncio.sleep(next(pauses))
                continue
            if gap or "" in told:
                gap, pauses = False, retry_pauses()
                self.reread()
            for each in told:
                self._hear(each)
            await asyncio.sleep(POLL_EVERY_S)

    def _on_notification(self, _connection: Any, _process: int, _channel: str, told: str) -> None:
        self._hear(told)

    def _hear(self, told: str) -> None:
        try:
            hint = Hint(*orjson.loads(told)[: len(Hint._fields)])
        except (ValueError, TypeError):
            return  # of a program that tells otherwise
        try:
            self.heard(hint)
        except Exception:  # noqa: BLE001 - logged; the next hint is heard all the same
            _log.exception("a hint could not be followed", kind=hint.kind)


def payload(hint: Hint) -> str:
    """Return a hint as it is told."""
    # Without an empty reply: the first programs pass over a hint with more fields than they know.
    told = hint if hint.reply else hint[:3]
    return orjson.dumps(list(told)).decode()


def channel(replica: str) -> str:
    """Return the channel to which `detour.tell` notifies a replica."""
    return f"detour_{replica}"
