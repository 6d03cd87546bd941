"""The state store over PostgreSQL: writes in two lanes, reads in two others.

Several processes share one database. Each writes for the users whom it owns; `detour.write` refuses it for
all others.
"""

import asyncio
import secrets
from asyncio import Future
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from datetime import datetime
from functools import partial
from typing import TypeVar

import asyncpg
import ormsgpack

from ...domain.errors import StoreUnavailable
from ...domain.events import StoredEvent
from ...domain.task import AgentProgress
from ...domain.tool_call import ToolCall
from ..base import Listener, StateStore, no_lease_ends, notify
from ..codec import progress_of
from ..export import Exported
from ..migration_files import Schema
from ..ownership import Lease, LeaseEnded, OnLeaseEnded
from ..pending_writes import Write
from ..persons import Grant, grants_of
from ..reads import Read
from ..records import News, Page, Record, UserPosition, Wanted, epoch_of
from ..retention import Dropped
from . import migrate as privileges
from . import reads as events
from .database import FAILURES, Connection, ConnectionLostError, Database, Lane, Spawn, is_passing, sqlstate
from .migrate import migrate
from .reads import AGENT_VALUES, exported, position_of, run, snapshot_of
from .retention import carry_out
from .rows import from_key, key
from .writing import OnFollowed, PostgresCallsNow, WriteLane, commit_apart

WRITERS = 2
"""Connections that write; each user has one."""

READERS = 2

T = TypeVar("T")


def nobody_follows(_followed: Mapping[str, Sequence[str]]) -> None:
    """Ignore who follows a user from another process."""


class PostgresStateStore(StateStore):
    """Keeps everything in the database at `address`; `keep_events` bounds the events of each user.

    `spawn` starts asyncio tasks that their owner holds. `direct` and `pooled` are those of `Database`.
    `beside` are schemas of others, which are brought up to date, and granted, together with the store's own.
    """

    TASK_OF_MESSAGE = "task_id"
    IS_TAKEN_UP = "(later.previous_task_id = tasks.task_id AND later.said = tasks.said)"
    PLACE_IN_BODY = "position($1::bytea in body)"
    ENDED_AT = "detour.changed_at(document)"
    STEPS_AT_ONCE = 20

    def __init__(
        self,
        address: str,
        spawn: Spawn,
        *,
        keep_events: int = 2000,
        apply_migrations: bool = True,
        beside: Sequence[Schema] = (),
        direct: str = "",
        pooled: bool = False,
    ) -> None:
        self.database = Database(address, direct=direct, pooled=pooled)
        # With a `Database` of its own: the other's timeline is that of the event loop's connections.
        self._calls_now = PostgresCallsNow(Database(address, direct=direct, pooled=pooled).connect)
        self._spawn = spawn
        self._keep_events = keep_events
        self._apply_migrations = apply_migrations
        self._beside = beside
        self._identity = ""
        self._writers: list[WriteLane] = []
        self._readers: list[Lane] = []
        self.on_followed: OnFollowed = nobody_follows

    async def open(self, listener: Listener, on_lease_ended: OnLeaseEnded = no_lease_ends) -> None:
        """Connect, and bring the tables up to date. Raises `StoreUnavailable`."""
        try:
            connection = await self.database.connect()
        except FAILURES as error:
            raise self.database.unusable(error) from None
        try:
            await migrate(connection, apply=self._apply_migrations, beside=self._beside)
            self._identity = await connection.fetchval("SELECT name FROM detour.identity")
            await self.database.learn_timeline(connection)  # there may have been no table before
        except FAILURES as error:
            raise self.database.unusable(error) from None
        finally:
            connection.terminate()

        def tell(user_id: str, events: Sequence[StoredEvent]) -> None:
            notify(listener, user_id, events)

        self._readers = [self.lane(f"postgres reader {number}") for number in range(READERS)]
        self._writers = [
            WriteLane(
                self.lane(f"postgres writer {number}"),
                lambda: self.database.timeline,
                keep_events=self._keep_events,
                listener=tell,
                on_lease_ended=on_lease_ended,
                on_followed=lambda followed: self.on_followed(followed),
            )
            for number in range(WRITERS)
        ]

    async def grant(self, role: str) -> None:
        """Give a role what a server needs of the tables. Raises `StoreUnavailable`."""
        await self._change(lambda to: privileges.grant(to, role, self._beside))

    def lane(self, name: str) -> Lane:
        """Return a connection of one's own to the database, which is made with its first job."""
        return Lane(self.database.connect, self._spawn, name=name)

    async def close(self) -> None:
        """Make all accepted records durable, then close the connections."""
        writers, self._writers = self._writers, []
        readers, self._readers = self._readers, []
        await self._calls_now.close()
        for writer in writers:
            await writer.close()
        for reader in readers:
            await reader.close()

    # --- writing -------------------------------------------------------------------------------------

    def commit(self, lease: Lease, *records: Record) -> "Future[int]":
        """Store records; the future yields the user's `seq` once they are durable."""
        durable: Future[int] = asyncio.get_running_loop().create_future()
        self._writer_of(lease.user_id).accept(Write(lease, records, durable))
        return durable

    def record(self, lease: Lease, *records: Record) -> None:
        """Store records soon."""
        self._writer_of(lease.user_id).accept(Write(lease, records, None))

    def commit_from_thread(self, lease: Lease, *records: Record) -> None:
        """Store records while the event loop may stand still, on a loop and a connection of their own."""
        apart = partial(self.lane, "postgres writer apart")
        asyncio.run(commit_apart(apart, lambda: self.database.timeline, lease, records))

    def store_call_now(self, lease: Lease, call: ToolCall, *, wanted: Wanted, within_s: float) -> bool:
        """Store the begin of a call, from any thread."""
        self._open_writers()
        return self._calls_now.store(lease, call, wanted=wanted, within_s=within_s)

    def before_next_group(self, call: Callable[[], None]) -> None:
        """Call `call` once, before the next group of either lane is handed over."""
        called = False

        def once() -> None:
            nonlocal called
            if not called:
                called = True
                call()

        for writer in self._open_writers():
            writer.pending.before_next(once)

    def _open_writers(self) -> list[WriteLane]:
        if not self._writers:
            raise StoreUnavailable("The store is closed.")
        return self._writers

    def _writer_of(self, user_id: str) -> WriteLane:
        writers = self._open_writers()
        return writers[hash(user_id) % len(writers)]

    async def delete_user(self, lease: Lease, *, at_once: bool = True) -> None:
        """Delete everything about a user; only the row stays, which holds who owns the user."""
        new_epoch = secrets.token_hex(4)
        query = "SELECT detour.delete_user($1, $2, $3)"
        given = (key(lease.user_id), lease.fence, new_epoch)

        async def delete() -> None:
            await self._as_owner(lease, lambda connection: connection.execute(query, *given))

        try:
            await delete()
        except ConnectionLostError:
            await delete()  # once more: of what is gone by now nothing is deleted
        finally:
            self._writer_of(lease.user_id).forget(lease.user_id)

    async def drop_aged(self, lease: Lease, before: datetime, *, most: int) -> Dropped:
        """Drop some of a user's aged turns."""

        async def change(connection: Connection) -> Dropped:
            # What is read here stays true until the change: it fails unless the lease lasts, and then only
            # this connection writes for the user.
            drop = await run(connection, self._plan_drop(lease.user_id, before, most))
            await carry_out(connection, lease, drop)
            return drop.outcome

        return await self._as_owner(lease, change)

    async def _as_owner(self, lease: Lease, change: Callable[[Connection], Awaitable[T]]) -> T:
        """Change what is a lease's, after all that was written before.

        Raises `LeaseEnded` and `StoreUnavailable`; after the latter nobody knows whether it did.
        """
        # An empty commit: pending records of the user must not be written after the change.
        await self.commit(lease)
        try:
            return await self._run(self._writer_of(lease.user_id).lane, change)
        except asyncpg.PostgresError as error:
            if sqlstate(error) == "DT001":
                raise LeaseEnded(lease) from None
            raise StoreUnavailable("The database refuses the change.") from error

    # --- persons and grants --------------------------------------------------------------------------

    async def _change(self, change: Callable[[Connection], Awaitable[T]]) -> T:
        """Change what belongs to no lease. Raises `StoreUnavailable`; then nobody knows whether it did."""
        return await self._run(self._open_writers()[0].lane, change)

    async def give_to(self, person: str, user_id: str, at: datetime) -> str | None:
        """Make a conversation a person's if nothing is known of it; return whose it is now."""
        given = (key(person), key(user_id), at.timestamp())
        kept = await self._change(lambda to: to.fetchval("SELECT detour.give_to($1, $2, $3)", *given))
        return None if kept is None else from_key(kept)

    async def put_grant(self, grant: Grant, now: datetime) -> None:
        """Keep a grant; those that have expired are dropped."""
        given = (grant.digest, grant.body, grant.expires_at.timestamp(), now.timestamp())
        await self._change(lambda to: to.execute("SELECT detour.put_grant($1, $2, $3, $4)", *given))

    async def replace_grant(self, grant: Grant, now: datetime) -> None:
        """Put a grant in the place of the one with its digest, if there is one."""
        given = (grant.digest, grant.body, grant.expires_at.timestamp(), now.timestamp())
        await self._change(lambda to: to.execute("SELECT detour.replace_grant($1, $2, $3, $4)", *given))

    async def take_grant(self, digest: bytes, now: datetime) -> Grant | None:
        """Return a grant and drop it."""
        query = "SELECT digest_, body, expires_at FROM detour.take_grant($1) WHERE expires_at > $2"
        taken = await self._change(lambda of: of.fetch(query, digest, now.timestamp()))
        return next(grants_of(taken), None)

    # --- reading and exporting -----------------------------------------------------------------------

    async def export(self, user_id: str) -> AsyncGenerator[Exported, None]:
        """Yield all that is stored of a user at one instant, on a connection of its own."""
        await self._writer_of(user_id).caught_up(user_id)
        connection = None
        try:
            connection = await self.database.connect()
            async with aclosing(exported(connection, user_id, self._position(user_id))) as entries:
                async for each in entries:
                    yield each
        except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            raise StoreUnavailable("The database does not answer right now.") from error
        finally:
            if connection is not None:
                connection.terminate()

    async def _read(self, user_id: str | None, read: Callable[[Connection], Awaitable[T]]) -> T:
        """Read what is stored, with all that was written of a user, or of all, before."""
        if user_id is None:
            for writer in self._open_writers():
                await writer.caught_up()
        else:
            await self._writer_of(user_id).caught_up(user_id)
        if not self._readers:
            raise StoreUnavailable("The store is closed.")
        lane = min(self._readers, key=lambda each: each.waiting)
        try:
            return await self._run(lane, read)
        except ConnectionLostError:
            return await self._run(lane, read)  # once more, on a new connection: reading changes nothing

    async def run_read(
        self, user_id: str | None, read: Callable[[], Read[T]], *, at_one_instant: bool = False
    ) -> T:
        """Run a read with all that was written of a user, or of all, before."""

        async def answer(connection: Connection) -> T:
            if not at_one_instant:
                return await run(connection, read())
            async with snapshot_of(connection):
                return await run(connection, read())

        return await self._read(user_id, answer)

    async def _run(self, lane: Lane, job: Callable[[Connection], Awaitable[T]]) -> T:
        try:
            return await lane.post(job)
        except asyncpg.PostgresError as error:
            if is_passing(error):
                raise StoreUnavailable("The database does not answer right now.") from error
            raise

    async def new_epoch(self, user_id: str) -> str:
        """Return the epoch of the log that a new user's first message begins."""
        query = "SELECT epoch FROM detour.users WHERE user_id = $1"
        known = await self._read(user_id, lambda connection: connection.fetchval(query, key(user_id)))
        return known or epoch_of(f"{self._identity} {self.database.timeline}", 0, user_id)

    def _position(self, user_id: str) -> Read[UserPosition | None]:
        timeline = self.database.timeline
        query = "SELECT epoch, timeline, seq, turn FROM detour.users WHERE user_id = $1 AND begun"
        row = next((yield query, (user_id,)), None)
        return None if row is None else position_of(row, timeline)

    def _progress(self, user_id: str, turn: int) -> Read[dict[str, AgentProgress]]:
        query = "SELECT document FROM detour.agents WHERE user_id = $1 AND turn = $2 ORDER BY agent"
        rows = yield query, (user_id, turn)
        unpacked = (ormsgpack.unpackb(row[0])[:AGENT_VALUES] for row in rows)
        return {agent: progress_of(*columns) for agent, *columns in unpacked}

    def _pieces(self, user_id: str, graph: str, ids: Iterable[bytes]) -> Read[dict[bytes, bytes]]:
        query = """
        SELECT piece_id, body FROM detour.thread_pieces
        WHERE user_id = $1 AND graph = $2 AND piece_id = ANY ($3)"""
        wanted = list(ids)
        return dict((yield query, (user_id, graph, wanted))) if wanted else {}

    async def events_after(self, user_id: str, seq: int, *, limit: int) -> Page:
        """Return the events after a number, in order, at most `limit`."""
        return await self._read(user_id, lambda at: events.events_after(at, user_id, seq, limit))

    async def news_after(self, user_id: str, seq: int, *, limit: int) -> News | None:
        """Return the end of a user's log, and what `events_after` returns; None for an unknown user."""
        news = await self._read(
            user_id,
            lambda at: events.news_if_few(at, user_id, seq, limit, timeline=self.database.timeline),
        )
        return news or await super().news_after(user_id, seq, limit=limit)
