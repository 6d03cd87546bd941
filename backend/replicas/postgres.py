"""The registry of a cluster in PostgreSQL: its replicas, the owners of users, commands and hints.

See `store/postgres/migrations/0002_ownership.sql`. A replica caches nothing of it. One connection queries and
sends hints; a second one renews the lease, which must not wait for the first; a third one, in `Hints`, is the
replica's session.
"""

import asyncio
from asyncio import Future
from asyncio import Task as AsyncioTask
from collections.abc import Awaitable, Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple, TypeVar

import asyncpg
import orjson
import structlog

from ..domain.errors import StoreUnavailable
from ..store.ownership import Acquired, Lease, OwnedElsewhere
from ..store.postgres.database import ANSWER_WITHIN_S, Connect, Connection, Lane, Spawn, is_passing, sqlstate
from ..store.postgres.rows import from_key, key
from ..store.retry import retry_pauses

# --- values --------------------------------------------------------------------------------------------


class Hint(NamedTuple):
    """Tells a replica where to look; hints may be lost, late or doubled, and nothing depends on one.

    - `event`: a user whom the replica follows has new events; `command`: a user whom it owns has commands.
    - `reply`: the replica's command `command_id` was answered; the `reply` comes along if it is short.
    - `neglected`: there are users whom no replica owns.
    """

    kind: Literal["event", "command", "reply", "neglected"]
    user_id: str = ""
    command_id: str = ""
    reply: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """A user's request that another replica passes to the owner: `body` is JSON, by `kind`."""

    user_id: str
    command_id: str
    kind: str
    body: bytes
    sender: str


class Withdrawal(NamedTuple):
    """The result of withdrawing a command; with neither, it is being carried out, and a reply will come."""

    withdrawn: bool
    reply: bytes | None


# --- hints ---------------------------------------------------------------------------------------------
# A hint is sent once its write is durable, never within it: `NOTIFY` holds a lock of the whole server until
# its transaction has ended (six times fewer commits, measured). A replica listens on a connection of its own,
# its session, which holds the lock that shows the others that it is alive.
#
# A replica that polls has no session, which a transaction pooler could not keep: it polls over the registry's
# connection, and only its lease shows that it is alive.


CHECK_SESSION_EVERY_S = 1.0
"""Seconds between two looks whether the listening connection is still there."""

POLL_EVERY_S = 0.1
"""Seconds between two questions for hints, of a replica that polls."""

LOST = (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError)
"""What a connection raises that cannot be made, or is gone."""

_log = structlog.get_logger(__name__)


class Hints:
    """Sends hints and receives them: `heard` takes each, `reread` is called after each gap."""

    def __init__(self, connect: Connect, spawn: Spawn, *, polls: bool) -> None:
        self._connect = connect
        self._spawn = spawn
        self._polls = polls
        self._lane: Lane | None = None
        self._listening: AsyncioTask[None] | None = None
        self._waiting: list[tuple[str, str]] = []
        self._telling: Future[None] | None = None
        self.heard: Callable[[Hint], None] = lambda _hint: None
        self.reread: Callable[[], None] = lambda: None

    def open(self, lane: Lane) -> None:
        """Send over this lane from now on, and poll over it."""
        self._lane = lane

    async def close(self) -> None:
        """Receive and send nothing more."""
        await self.stop()
        self._lane = None

    async def hear(self, replica: str, lock_id: int) -> None:
        """Receive only this replica's hints from now on, and hold its lock. Raises `StoreUnavailable`."""
        await self.stop()
        if self._polls:
            self._listening = self._spawn(self._poll(replica), name="hints")
            return
        connection = await self._session(replica, lock_id)
        self._listening = self._spawn(self._listen(connection, replica, lock_id), name="hints")

    async def stop(self) -> None:
        """Receive nothing more."""
        listening, self._listening = self._listening, None
        if listening is not None:
            listening.cancel()
            await asyncio.wait({listening})

    def tell(self, replica: str, hint: Hint) -> None:
        """Send a hint, soon; hints that gather meanwhile go in one statement."""
        if self._lane is None:
            return
        self._waiting.append((channel(replica), payload(hint)))
        if self._telling is None:
            self._telling = self._lane.post(self._tell_all)
            self._telling.add_done_callback(self._told)

    def _told(self, done: "Future[None]") -> None:
        if done is self._telling:
            # It never ran, for want of a connection: hints must not gather until there is one.
            self._telling = None
            self._waiting.clear()
        # A hint may be lost: its receiver looks by itself after a while.
        if not done.cancelled() and done.exception() is not None:
            _log.info("hints were lost", reason=type(done.exception()).__name__)

    async def _tell_all(self, connection: Connection) -> None:
        self._telling = None
        hints, self._waiting = self._waiting, []
        query = "SELECT detour.tell($1, $2)"
        await connection.execute(query, [each[0] for each in hints], [each[1] for each in hints])

    async def _session(self, replica: str, lock_id: int) -> Connection:
        """Return a connection that listens for a replica's hints and holds its lock."""
        try:
            connection = await self._connect()
        except LOST as error:
            raise StoreUnavailable("The database cannot be reached right now.") from error
        held = False
        try:
            await connection.add_listener(channel(replica), self._on_notification)
            # Waits until a dead connection's lock is gone; the lease runs on meanwhile.
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
        """Keep the session, until cancelled; call `reread` after each gap."""
        pauses = retry_pauses()
        try:
            while True:
                try:
                    if connection is None:
                        connection = await self._session(replica, lock_id)
                        pauses = retry_pauses()
                        self.reread()
                    # A connection that was cut does not report it.
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
        """Poll for hints, until cancelled; call `reread` after each gap."""

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
            return  # of another program
        try:
            self.heard(hint)
        except Exception:  # noqa: BLE001 - logged; the next hint is heard all the same
            _log.exception("a hint could not be followed", kind=hint.kind)


def payload(hint: Hint) -> str:
    """Return a hint as it is sent."""
    # Without an empty reply: the first releases ignore a hint with more fields than they know.
    told = hint if hint.reply else hint[:3]
    return orjson.dumps(list(told)).decode()


def channel(replica: str) -> str:
    """Return the channel to which `detour.tell` notifies a replica."""
    return f"detour_{replica}"


# --- leases -------------------------------------------------------------------------------------------
# Ownership lookups, one for every message. They are coalesced: callers that arrive during a query share the
# next one. A query for each message took a quarter of a replica's CPU and half of the database's (measured).


LEASES = "SELECT user_id, replica, owner, fence, occupied, elsewhere FROM detour.tenures($1, $2)"

Found = Mapping[tuple[str, str], Acquired | OwnedElsewhere]
"""By user, and the replica that looks the user up."""


class LeaseLookups:
    """Reads leases over a lane."""

    def __init__(self, lane: Lane) -> None:
        self._lane = lane
        self._asked: list[tuple[str, str]] = []
        self._answer: Future[Found] | None = None

    async def of(self, user_id: str, replica: str) -> Acquired | None:
        """Return a replica's lease of a user, read after this call; None if it may begin one.

        Raises `OwnedElsewhere`, and the lane's errors. Cancelling one caller cancels no other.
        """
        answer = self._answer
        if answer is None or answer.done():  # done, and never begun: there is no connection
            self._asked = []
            answer = self._answer = self._lane.post(self._read)
            # Once all callers are cancelled, nobody reads its error: that is no fault to log.
            answer.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._asked.append((user_id, replica))
        await asyncio.wait({answer})  # cancelled, this does not cancel the answer that others wait for
        found = answer.result().get((user_id, replica))
        if isinstance(found, OwnedElsewhere):
            raise OwnedElsewhere(user_id, found.owner)
        return found

    async def _read(self, connection: Connection) -> Found:
        asked, self._asked, self._answer = self._asked, [], None
        users, replicas = [key(user_id) for user_id, _ in asked], [replica for _, replica in asked]
        found: dict[tuple[str, str], Acquired | OwnedElsewhere] = {}
        for row in await connection.fetch(LEASES, users, replicas):
            user_id, replica = from_key(row["user_id"]), row["replica"]
            if row["owner"] == replica:
                found[user_id, replica] = Acquired(Lease(user_id, row["fence"]), row["occupied"])
            elif row["elsewhere"]:
                found[user_id, replica] = OwnedElsewhere(user_id, row["owner"])
        return found


# --- postgres ------------------------------------------------------------------------------------------


PROTOCOL = 1
"""Version of the records and commands that this program understands; two releases run side by side."""

TOLD_BYTES = 3_000
"""A reply of so many bytes is sent with its hint, whose payload may have 8,000 once quotes are escaped."""

ALIVE = "SELECT replica FROM detour.replicas r WHERE detour.is_alive(r) ORDER BY replica"

CLAIM = "SELECT fence, unfinished, owned_by FROM detour.claim($1, $2)"
TAKE = "SELECT taken FROM detour.take($1, $2)"

ANSWERS_PER_LEASE = 4
"""How many unanswered renewals fit into a lease; each is given up then, with its connection."""

T = TypeVar("T")


class PostgresRegistry:
    """The registry, as one replica uses it.

    All coroutines raise `StoreUnavailable`; cancelling one undoes nothing.
    """

    def __init__(self, connect: Connect, spawn: Spawn, *, polls: bool = False) -> None:
        self._connect = connect
        self._spawn = spawn
        self._polls = polls
        self.hints = Hints(connect, spawn, polls=polls)
        self._lane: Lane | None = None
        self._lookups: LeaseLookups | None = None
        self._renewing: Lane | None = None
        self._renew_within_s: float | None = None

    def open(self) -> None:
        """Get ready; the first calls connect."""
        self._lane = Lane(self._connect, self._spawn, name="registry")
        self._renewing = Lane(self._connect, self._spawn, name="lease")
        self._lookups = LeaseLookups(self._lane)
        self.hints.open(self._lane)

    async def close(self) -> None:
        """Close the connections."""
        await self.hints.close()
        lanes, self._lane, self._renewing = (self._lane, self._renewing), None, None
        self._lookups = None
        for lane in lanes:
            if lane is not None:
                await lane.close()

    async def _ask(self, ask: Callable[[Connection], Awaitable[T]]) -> T:
        return await self._answered(self._open(self._lane).post(ask))

    def _open(self, part: T | None) -> T:
        if part is None:
            raise StoreUnavailable("The registry is closed.")
        return part

    async def _answered(self, answer: Awaitable[T]) -> T:
        try:
            return await answer
        except asyncpg.PostgresError as error:
            # DT004: the lease has ended, which the next renewal finds out as well.
            if is_passing(error) or sqlstate(error) == "DT004":
                raise StoreUnavailable("The database does not answer right now.") from error
            raise

    async def _call(self, query: str, *values: Any) -> Any:
        return await self._ask(lambda connection: connection.fetchval(query, *values))

    async def _rows(self, query: str, *values: Any) -> Sequence[Any]:
        return await self._ask(lambda connection: connection.fetch(query, *values))

    async def _users(self, query: str, *values: Any) -> Sequence[str]:
        return [from_key(row[0]) for row in await self._rows(query, *values)]

    async def _call_in_time(self, query: str, *values: Any) -> Any:
        """Make a call that the lease depends on, past all that wait; give up in time for another one."""
        lane, within_s = self._open(self._renewing), self._renew_within_s
        return await self._answered(
            lane.post(lambda connection: connection.fetchval(query, *values, timeout=within_s))
        )

    # --- replicas ------------------------------------------------------------------------------------

    async def join(self, replica: str, *, lease_s: float) -> None:
        """Begin a replica's lease and its session."""
        query = "SELECT detour.join($1, make_interval(secs => $2), $3, $4, $5)"
        self._renew_within_s = min(lease_s / ANSWERS_PER_LEASE, ANSWER_WITHIN_S)
        lock_id: int = await self._call_in_time(query, replica, lease_s, PROTOCOL, "", self._polls)
        await self.hints.hear(replica, lock_id)

    async def renew(self, replica: str, *, lease_s: float) -> bool:
        """Renew a lease; False if it has ended: then this replica owns nobody any more."""
        return await self._call_in_time(
            "SELECT detour.renew($1, make_interval(secs => $2))", replica, lease_s
        )

    async def note_sessions(self) -> float | None:
        """Record which replicas have lost their session; return the seconds until the first counts as dead.

        Returns None if none is about to: all have their session, or lost it before.
        """
        return await self._call_in_time("SELECT detour.watch_sessions()")

    async def leave(self, replica: str) -> None:
        """End a replica's lease and its session."""
        await self._call("SELECT detour.leave($1)", replica)
        await self.hints.stop()

    async def drain(self, replica: str, *, wanted: bool = True) -> None:
        """Have a replica take no more users, or take them again."""
        await self._call("SELECT detour.drain($1, $2)", replica, wanted)

    async def replicas(self) -> Sequence[str]:
        """Return the replicas that are alive."""
        return [row[0] for row in await self._rows(ALIVE)]

    # --- leases -------------------------------------------------------------------------------------

    async def acquire(self, user_id: str, replica: str) -> Acquired:
        """Begin a lease, or return the one that lasts. Raises `OwnedElsewhere`."""
        lasting = await self._answered(self._open(self._lookups).of(user_id, replica))
        if lasting is not None:
            return lasting
        row = await self._ask(lambda connection: connection.fetchrow(CLAIM, key(user_id), replica))
        if row["owned_by"] is not None:
            raise OwnedElsewhere(user_id, row["owned_by"])
        return Acquired(Lease(user_id, row["fence"]), row["unfinished"])

    async def reclaim(self, replica: str, *, most: int) -> Sequence[str]:
        """Begin the leases of some users without an owner who have something unfinished."""
        return await self._users(TAKE, replica, most)

    async def in_use(self, replica: str) -> Sequence[str]:
        """Return a replica's users who have something unfinished."""
        query = "SELECT user_id FROM detour.users WHERE owner = $1 AND occupied"
        return await self._users(query, replica)

    async def owned(self, user_ids: Sequence[str], replica: str) -> Set[str]:
        """Return those of these users whom a replica owns."""
        query = "SELECT user_id FROM detour.users WHERE owner = $1 AND user_id = ANY ($2)"
        return {*await self._users(query, replica, [*map(key, user_ids)])}

    async def give_up(self, lease: Lease) -> Sequence[str]:
        """End a lease, so that another replica may begin the next one; return the replicas alive."""
        # In one statement: a replica that ends gives everybody up at once.
        query = f"SELECT ARRAY({ALIVE}) FROM detour.give_up($1, $2)"
        return await self._call(query, key(lease.user_id), lease.fence)

    # --- commands ------------------------------------------------------------------------------------

    async def leave_command(self, command: Command, owner: str, *, within_s: float) -> None:
        """Store a command for its user's owner, and send a hint; a repetition only sends the hint again.

        Nobody begins it once `within_s` seconds have passed.
        """
        query = "SELECT detour.leave_command($1, $2, $3, $4, $5, $6, $7, make_interval(secs => $8))"
        user, sender = key(command.user_id), command.sender
        hint = payload(Hint("command", command.user_id))
        values = user, command.command_id, command.kind, command.body, sender, channel(owner), hint
        await self._call(query, *values, within_s)

    async def withdraw_command(self, command: Command) -> Withdrawal:
        """Withdraw a command, unless a live replica has begun it; return its reply, if any."""
        query = "SELECT withdrawn, reply FROM detour.withdraw_command($1, $2)"
        values = key(command.user_id), command.command_id
        return Withdrawal(*await self._ask(lambda connection: connection.fetchrow(query, *values)))

    async def commands_of(self, user_id: str) -> Sequence[Command]:
        """Return a user's commands that are wanted and unanswered, oldest first."""
        query = """
        SELECT command_id, kind, body, sender FROM detour.commands
        WHERE user_id = $1 AND reply IS NULL AND wanted_until > clock_timestamp() ORDER BY number"""
        return [Command(user_id, *row) for row in await self._rows(query, key(user_id))]

    async def begin_command(self, command: Command, replica: str) -> bool:
        """Record that a replica begins a command; False if it is not wanted, or another one has begun it."""
        query = "SELECT detour.begin_command($1, $2, $3)"
        return await self._call(query, key(command.user_id), command.command_id, replica)

    async def release_command(self, command: Command, replica: str) -> None:
        """Record that a replica has done nothing of a command that it had begun."""
        query = "SELECT detour.release_command($1, $2, $3)"
        await self._call(query, key(command.user_id), command.command_id, replica)

    async def waiting_commands(self, replica: str) -> Sequence[str]:
        """Return a replica's users who have commands that are wanted and unanswered."""
        query = """
        SELECT DISTINCT c.user_id FROM detour.commands c JOIN detour.users u USING (user_id)
        WHERE c.reply IS NULL AND c.wanted_until > clock_timestamp() AND u.owner = $1"""
        return await self._users(query, replica)

    async def answer_command(self, command: Command, reply: bytes) -> None:
        """Store the reply to a command, and send its sender a hint."""
        query = "SELECT detour.answer_command($1, $2, $3, $4, $5)"
        hint = Hint("reply", command.user_id, command.command_id)
        if len(reply) <= TOLD_BYTES:
            hint = hint._replace(reply=reply.decode())
        user, sender = key(command.user_id), channel(command.sender)
        await self._call(query, user, command.command_id, reply, sender, payload(hint))

    async def reply_to(self, user_id: str, command_id: str) -> bytes | None:
        """Return the reply to a command, None while there is none."""
        query = "SELECT reply FROM detour.commands WHERE user_id = $1 AND command_id = $2"
        return await self._call(query, key(user_id), command_id)

    # --- followers -----------------------------------------------------------------------------------

    async def follow(self, user_id: str, replica: str) -> None:
        """Have a replica sent hints of a user's events."""
        await self._call("SELECT detour.follow($1, $2, true)", key(user_id), replica)

    async def unfollow(self, user_id: str, replica: str) -> None:
        """Have it sent no more of them."""
        await self._call("SELECT detour.follow($1, $2, false)", key(user_id), replica)

    async def writes_of(self, user_ids: Sequence[str]) -> Mapping[str, int]:
        """Return how many writes there were of each of these users, if known."""
        query = "SELECT user_id, writes FROM detour.users WHERE user_id = ANY ($1)"
        return {from_key(row[0]): row[1] for row in await self._rows(query, [*map(key, user_ids)])}

    async def now(self) -> datetime:
        """Return the time by the database's clock."""
        return await self._call("SELECT clock_timestamp()")

    def tell(self, replica: str, hint: Hint) -> None:
        """Send a hint, soon. Never waits, and never fails."""
        self.hints.tell(replica, hint)
