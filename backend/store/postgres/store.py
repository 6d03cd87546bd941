"""The state store over PostgreSQL: writes in two lanes, reads in two others.

Several processes share one database. Each writes for the users whom it owns; `detour.write` refuses it for
all others.
"""

import asyncio
import secrets
from asyncio import Future
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

import asyncpg

from ...domain.context import InterruptedContext
from ...domain.errors import StoreUnavailable
from ...domain.events import StoredEvent
from ...domain.model_usage import ModelStep
from ...domain.questions import InputRequest
from ...domain.task import AgentProgress, Message, Task
from ...domain.tool_call import ToolCall
from ..base import Listener, no_lease_ends, notify
from ..export import Exported
from ..migration_files import Schema
from ..ownership import Lease, LeaseEnded, OnLeaseEnded
from ..pending_writes import Write
from ..records import (
    Checkpoint,
    History,
    News,
    Page,
    Record,
    SavedPartial,
    Snapshot,
    Standing,
    UserPosition,
    Wanted,
    epoch_of,
)
from ..threads import SavedThread, SortBy, ThreadStep
from . import migrate as privileges
from . import reads, threads
from . import reads as events
from .database import FAILURES, Connection, ConnectionLostError, Database, Lane, Spawn, is_passing, sqlstate
from .migrate import migrate
from .reads import exported
from .retention import PostgresRetention
from .rows import key
from .writing import OnFollowed, PostgresCallsNow, WriteLane, commit_apart

WRITERS = 2
"""Connections that write; each user has one."""

READERS = 2

T = TypeVar("T")


def nobody_follows(_followed: Mapping[str, Sequence[str]]) -> None:
    """Ignore who follows a user from another process."""


class PostgresStateStore(PostgresRetention):
    """Keeps everything in the database at `address`; `keep_events` bounds the events of each user.

    `spawn` starts asyncio tasks that their owner holds. `direct` and `pooled` are those of `Database`.
    `beside` are schemas of others, which are brought up to date, and granted, together with the store's own.
    """

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

    async def _as_owner(self, lease: Lease, change: Callable[[Connection], Awaitable[T]]) -> T:
        """Change what is a lease's, after all that was written before."""
        # An empty commit: pending records of the user must not be written after the change.
        await self.commit(lease)
        try:
            return await self._run(self._writer_of(lease.user_id).lane, change)
        except asyncpg.PostgresError as error:
            if sqlstate(error) == "DT001":
                raise LeaseEnded(lease) from None
            raise StoreUnavailable("The database refuses the change.") from error

    async def export(self, user_id: str) -> AsyncGenerator[Exported, None]:
        """Yield all that is stored of a user at one instant, on a connection of its own."""
        await self._writer_of(user_id).caught_up(user_id)
        connection = None
        try:
            connection = await self.database.connect()
            async with aclosing(exported(connection, user_id, timeline=self.database.timeline)) as entries:
                async for each in entries:
                    yield each
        except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            raise StoreUnavailable("The database does not answer right now.") from error
        finally:
            if connection is not None:
                connection.terminate()

    # --- reading -------------------------------------------------------------------------------------

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

    async def _change(self, change: Callable[[Connection], Awaitable[T]]) -> T:
        """Change what belongs to no lease."""
        return await self._run(self._open_writers()[0].lane, change)

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

    async def position(self, user_id: str) -> UserPosition | None:
        """Return the end of a user's log, None for an unknown user."""
        return await self._read(
            user_id, lambda at: reads.position(at, user_id, timeline=self.database.timeline)
        )

    async def stored_bytes(self, user_id: str) -> int:
        """Return about how many bytes are stored of a user."""
        return await self._read(user_id, lambda at: reads.stored_bytes(at, user_id))

    async def standing(self, user_id: str) -> Standing | None:
        """Return a user's latest task without its results, None for an unknown user."""
        return await self._read(
            user_id, lambda at: reads.standing(at, user_id, timeline=self.database.timeline)
        )

    async def history(self, user_id: str, *, limit: int, before: str | None = None) -> History | None:
        """Return the last messages, or the last before the message of that id."""
        return await self._read(
            user_id, lambda at: reads.history(at, user_id, limit, before, timeline=self.database.timeline)
        )

    async def snapshot(self, user_id: str, *, history: int) -> Snapshot | None:
        """Return all that a client is sent about a user at one instant, None for an unknown user."""
        return await self._read(
            user_id, lambda at: reads.snapshot(at, user_id, history, timeline=self.database.timeline)
        )

    async def get_messages(self, user_id: str, *, limit: int) -> tuple[Message, ...]:
        """Return the last messages of a conversation, oldest first."""
        return await self._read(user_id, lambda at: reads.messages(at, user_id, limit))

    async def get_task_metadata(self, user_id: str, task_id: str) -> Task | None:
        """Return a user's task by its id."""
        return await self._read(user_id, lambda at: reads.task(at, user_id, task_id))

    async def recent_tasks(self, user_id: str, *, limit: int) -> tuple[Task, ...]:
        """Return a user's last tasks, newest first."""
        return await self._read(user_id, lambda at: reads.recent_tasks(at, user_id, limit))

    async def get_partials(self, user_id: str, turn: int) -> tuple[SavedPartial, ...]:
        """Return what the task of a turn found and said, in order."""
        return await self._read(user_id, lambda at: reads.partials(at, user_id, turn))

    async def get_progress(self, user_id: str, turn: int) -> Mapping[str, AgentProgress]:
        """Return the progress of each agent of the task of a turn, by agent name."""
        return await self._read(user_id, lambda at: reads.progress(at, user_id, turn))

    async def get_receipt(self, user_id: str, task_id: str) -> bytes | None:
        """Return the JSON of a task's receipt."""
        return await self._read(user_id, lambda at: reads.receipt(at, user_id, task_id))

    async def get_acceptance(self, user_id: str, client_id: str) -> tuple[int, bytes] | None:
        """Return the `seq` and the JSON of the response to the message with this client id."""
        return await self._read(user_id, lambda at: reads.acceptance(at, user_id, client_id))

    async def get_interrupted_contexts(self, user_id: str) -> tuple[InterruptedContext, ...]:
        """Return the last interrupted contexts, newest first."""
        return await self._read(user_id, lambda at: reads.contexts(at, user_id))

    async def get_interrupted_context(self, user_id: str, turn: int) -> InterruptedContext | None:
        """Return the interrupted context of the task of a turn, None if it is no longer stored."""
        return await self._read(user_id, lambda at: reads.context(at, user_id, turn))

    async def get_input(self, user_id: str, request_id: str) -> InputRequest | None:
        """Return an input request by its id."""
        return await self._read(user_id, lambda at: reads.input_request(at, user_id, request_id))

    async def get_inputs(self, user_id: str, turn: int) -> tuple[InputRequest, ...]:
        """Return all input requests of the task of a turn, in order."""
        return await self._read(user_id, lambda at: reads.inputs(at, user_id, turn))

    async def get_checkpoint(self, user_id: str, turn: int) -> Checkpoint | None:
        """Return the checkpoint of the task of a turn."""
        return await self._read(user_id, lambda at: reads.checkpoint(at, user_id, turn))

    async def get_tool_calls(self, user_id: str, turn: int) -> tuple[ToolCall, ...]:
        """Return every tool call of the task of a turn in its last state, in the order they were made."""
        return await self._read(user_id, lambda at: reads.tool_calls(at, user_id, turn))

    async def unsettled_tool_calls(self, user_id: str) -> tuple[ToolCall, ...]:
        """Return every write of a user whose outcome is not known."""
        return await self._read(user_id, lambda at: reads.unsettled_tool_calls(at, user_id))

    async def get_model_steps(self, user_id: str, *, since_turn: int) -> tuple[ModelStep, ...]:
        """Return the model steps of the tasks of that turn and later ones, in order."""
        return await self._read(user_id, lambda at: reads.model_steps(at, user_id, since_turn))

    async def inputs_due(self, now: datetime) -> tuple[InputRequest, ...]:
        """Return every open input request, of all users, that expires no later than `now`."""
        return await self._read(None, lambda at: reads.inputs_due(at, now))

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

    async def unfinished_users(self) -> frozenset[str]:
        """Return the users who have `resumable` tasks or `unsettled_tool_calls`."""
        return await self._read(None, reads.unfinished_users)

    async def resumable(self, user_id: str) -> tuple[Task, ...]:
        """Return a user's tasks to resume, as `StateStore.resumable` defines them."""
        return await self._read(user_id, lambda at: reads.resumable(at, user_id))

    async def get_thread_step(
        self, user_id: str, graph: str, step_id: str | None = None
    ) -> ThreadStep | None:
        """Return a step of a thread, by default the newest; None if there is none."""
        return await self._read(user_id, lambda at: threads.step(at, user_id, graph, step_id))

    async def get_thread_steps(
        self, user_id: str, graph: str, *, limit: int, before: str | None = None, most_bytes: int
    ) -> tuple[ThreadStep, ...]:
        """Return the newest steps of a thread, or the newest before one."""
        return await self._read(
            user_id, lambda at: threads.steps(at, user_id, graph, limit, before, most_bytes)
        )

    async def get_saved_thread(self, user_id: str) -> SavedThread | None:
        """Return a thread of the index, None if it is not in it."""
        return await self._read(user_id, lambda at: threads.saved_thread(at, user_id))

    async def find_threads(
        self,
        *,
        metadata: Mapping[str, Any] | None = None,
        ids: Sequence[str] | None = None,
        person: str | None = None,
        sort_by: SortBy = "created_at",
        descending: bool = True,
        limit: int,
        offset: int = 0,
    ) -> tuple[SavedThread, ...]:
        """Return threads of the index, found by their metadata."""
        return await self._read(
            None,
            lambda at: threads.find_threads(at, metadata, ids, person, sort_by, descending, limit, offset),
        )
