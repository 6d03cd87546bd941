"""Writes groups of records to PostgreSQL: one round trip a group, fenced, each exactly once.

A user's writes always take the same lane, which numbers the user's events. `detour.write` checks the fence
and the count of the user's writes, so what a process believes that was taken for dead changes nothing.

When the connection is lost while a group is written, nobody knows whether it was stored. The lane makes a new
one, asks `detour.was_stored`, and sends again what is not. Whoever waits is refused only if that takes longer
than `DOUBT_WITHIN_S`; what was stored after all is published once that is known, and its users are let go.
"""

import asyncio
import contextlib
import threading
from asyncio import Future
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent import futures
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any, NamedTuple

import asyncpg
import orjson
import structlog

from ...domain.errors import NotOpen, StoreUnavailable
from ...domain.events import Event, StoredEvent, stored
from ...domain.tool_call import ToolCall
from ..base import Listener, no_lease_ends
from ..codec import to_json
from ..ownership import Lease, LeaseEnded, OnLeaseEnded
from ..pending_writes import PendingWrites, Write, Written
from ..records import Record, Wanted, answer, answer_of, not_open
from ..repeated_results import RepeatedResults
from ..retry import retry_pauses
from .database import (
    CONNECT_WITHIN_S,
    FAILURES,
    Connect,
    Connection,
    ConnectionLostError,
    Lane,
    detail_of,
    is_lost,
    is_passing,
    sqlstate,
)
from .retention import trim as trim_thread
from .rows import WRITE, Rows, from_key, has_condition, key

# --- groups --------------------------------------------------------------------------------------------
# Groups of writes: which of them can be written at once, and what is known of each.
#
# Nobody knows of a group whose connection was lost whether it was stored, until the database is asked.


DOUBT_PAUSES_S = (0.0, 0.05, 0.1, 0.2, 0.5)
"""Seconds before each of these tries; the last pause repeats. Mostly only the connection was lost."""


@dataclass(slots=True)
class Group:
    """A group under way: its writes, and by identity the outcomes of those of which it is known.

    `failed` are the users of whom a write has failed that will be retried. `until` is set once its connection
    was lost: the loop's time until which it is tried again.
    """

    writes: Sequence[Write]
    outcomes: dict[int, Written] = field(default_factory=dict[int, Written])
    failed: dict[str, Exception] = field(default_factory=dict[str, Exception])
    until: float | None = None
    pauses: Iterator[float] = field(default_factory=lambda: retry_pauses(DOUBT_PAUSES_S))

    def note(self, outcomes: Iterable[Written]) -> None:
        """Take the outcomes of some of the writes."""
        for each in outcomes:
            self.outcomes[id(each.write)] = each
            if each.write.durable is None and isinstance(each.error, StoreUnavailable):
                self.failed[each.write.lease.user_id] = each.error

    def left(self) -> list[Write]:
        """Return the writes without an outcome."""
        return [each for each in self.writes if id(each) not in self.outcomes]


@dataclass(slots=True)
class InDoubt:
    """Writes of which nobody knows whether they were stored: all of them, or none.

    So one user tells it of all, of those whose leases last; `writes` is how many each had before. Once it is
    known, `stored` keeps it: what follows may take several tries, and changes what was asked.
    """

    group: Group
    writes: Mapping[Lease, int]
    outcomes: Sequence[Written]
    stored: bool | None = None


def parts_of(group: Sequence[Write]) -> Iterator[list[Write]]:
    """Yield a group's writes in parts, in order: one with a condition alone, and one lease of each user."""
    part: list[Write] = []
    leases: dict[str, Lease] = {}
    for each in group:
        alone = has_condition(each.records)
        if part and (alone or leases.setdefault(each.lease.user_id, each.lease) != each.lease):
            yield part
            part, leases = [], {}
        part.append(each)
        leases[each.lease.user_id] = each.lease
        if alone:
            yield part
            part, leases = [], {}
    if part:
        yield part


def never_known(write: Write) -> Written:
    """Return the outcome of a write that may have been stored, by a process that owns its user no more."""
    # Not `LeaseEnded` to who waits: that would be decided once more, and may be there already.
    error = StoreUnavailable("The database does not answer right now.") if write.durable is not None else None
    return Written(write, error=error or LeaseEnded(write.lease))


# --- writing -------------------------------------------------------------------------------------------


TRIM_EVERY_EVENTS = 100
"""At event numbers that this divides, a log is trimmed by number."""

MEASURE_EVERY_BYTES = 1024 * 1024
"""How much is appended to a log before it is measured: the rows of 16 MiB are looked through then."""

MOST_KNOWN = 50_000
"""The most users whose last number is known; beyond it all are read anew."""

DOUBT_WITHIN_S = 5.0
"""Seconds for which a group is tried again whose connection was lost, before those who wait are refused."""

FIND_OUT_AFTER_S = 1.0
"""Seconds after such a refusal until the next look at what became of the group."""

OnFollowed = Callable[[Mapping[str, Sequence[str]]], None]
"""Called with the users of a group whom other processes follow, and with the names of these."""

_log = structlog.get_logger(__name__)


class WriteLane:
    """The users of one lane: their pending writes, and their numbers."""

    def __init__(
        self,
        lane: Lane,
        timeline: Callable[[], str],
        *,
        keep_events: int,
        listener: Listener,
        on_lease_ended: OnLeaseEnded,
        on_followed: OnFollowed,
    ) -> None:
        self.lane = lane
        self._timeline = timeline
        self._keep_events = keep_events
        self._on_followed = on_followed
        self.pending = PendingWrites(self._hand_over, listener, on_lease_ended)
        self._handed_over, self._done = 0, 0
        self._waiting: list[tuple[int, Future[None]]] = []
        self._unwritten: Counter[str] = Counter()
        self._known: dict[Lease, tuple[int, int]] = {}
        self._room: dict[str, tuple[int, bool]] = {}
        self._results = RepeatedResults(keep_events=keep_events)
        self._in_doubt: InDoubt | None = None
        self._looks: asyncio.TimerHandle | None = None

    def accept(self, write: Write) -> None:
        """Take a write for the next group. Raises `StoreUnavailable` if too many wait."""
        self.pending.accept(write)
        self._unwritten[write.lease.user_id] += 1

    async def caught_up(self, user_id: str | None = None) -> None:
        """Wait until what was accepted before, of a user or of all, was written, or was tried at least."""
        self.pending.flush()
        if user_id is not None and not self._unwritten[user_id]:
            return
        group = self._handed_over + (1 if self.pending.waits else 0)
        if self._done < group:
            done: Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append((group, done))
            await done

    async def close(self) -> None:
        """Write what was accepted, giving up what fails; then close the connection."""
        # From here on a write that fails is given up, or this would wait for a lost database for ever.
        self.pending.gives_up = True
        while self.pending.has_any:
            await self.caught_up()
            await asyncio.sleep(0)
        await self.lane.close()

    def forget(self, user_id: str) -> None:
        """Forget the numbers of a user who was deleted."""
        for lease in [each for each in self._known if each.user_id == user_id]:
            del self._known[lease]
        self._forget_log(user_id)

    def _forget_log(self, user_id: str) -> None:
        self._room.pop(user_id, None)
        self._results.forget(user_id)

    def _hand_over(self, writes: list[Write]) -> None:
        self._handed_over += 1
        self._try(Group(writes))

    def _try(self, group: Group) -> None:
        self.lane.post(lambda connection: self._write_group(connection, group)).add_done_callback(
            lambda done: self._tried(group, done.exception())
        )

    def _tried(self, group: Group, error: BaseException | None) -> None:
        now = asyncio.get_running_loop().time()
        if isinstance(error, ConnectionLostError) and group.until is None:
            group.until = now + DOUBT_WITHIN_S
        if isinstance(error, StoreUnavailable) and group.until is not None and now < group.until:
            asyncio.get_running_loop().call_later(next(group.pauses), self._try, group)
            return
        if error is not None:
            if self._in_doubt is not None and self._looks is None:  # or each group that fails would add one
                self._looks = asyncio.get_running_loop().call_later(FIND_OUT_AFTER_S, self._find_out_soon)
            told = _told(error)
            group.note([Written(each, error=told) for each in group.left()])
        outcomes = [group.outcomes[id(each)] for each in group.writes]
        for each in outcomes:
            retried = each.write.durable is None and isinstance(each.error, StoreUnavailable)
            if not retried or self.pending.gives_up:
                user_id = each.write.lease.user_id
                self._unwritten[user_id] -= 1
                if not self._unwritten[user_id]:
                    del self._unwritten[user_id]
        self.pending.written(outcomes)
        self._done += 1
        for waiting in [each for each in self._waiting if each[0] <= self._done]:
            self._waiting.remove(waiting)
            if not waiting[1].done():
                waiting[1].set_result(None)

    # --- on the lane's connection --------------------------------------------------------------------

    async def _write_group(self, connection: Connection, group: Group) -> None:
        """Write what has no outcome yet. What it raises is of the rest: outcomes noted before stay."""
        await self._find_out(connection, group)
        for part in parts_of(group.left()):
            # After a write that will be retried its user's later ones fail, too, to keep their order.
            kept_back = [each for each in part if each.lease.user_id in group.failed]
            group.note([Written(each, error=group.failed[each.lease.user_id]) for each in kept_back])
            rest = [each for each in part if each.lease.user_id not in group.failed]
            await self._write_part(connection, rest, group)

    async def _write_part(self, connection: Connection, part: Sequence[Write], group: Group) -> None:
        """Write writes that fail or succeed together, but for those whose lease has ended."""
        if not part:
            return
        await self._learn(connection, {each.lease for each in part})
        rows = Rows(self._timeline(), self._keep_events)
        try:
            outcomes = [self._number_events(rows, each) for each in part]
            arguments = rows.arguments()
        except Exception as error:  # noqa: BLE001 - a record that cannot be stored fails its write alone
            self._take_back(part)
            if len(part) > 1:
                await self._singly(connection, part, group)
            else:
                group.note([Written(part[0], error=error)])
            return
        try:
            followed = await connection.fetch(WRITE, *arguments)
        except Exception as error:
            self._take_back(part)
            # Refused by a database that answers: nothing of it is stored, and nothing is in doubt.
            if isinstance(error, asyncpg.PostgresError) and not is_lost(error):
                await self._refused(connection, part, error, group)
                return
            writes = {each.lease: self._known[each.lease][1] for each in part}
            self._in_doubt = InDoubt(group, writes, outcomes)
            self._known.clear()
            raise
        for lease in {each.lease for each in part}:
            self._known[lease] = rows.own[lease.user_id].seq, self._known[lease][1] + 1
        group.note(outcomes)
        self._tell_followers(followed)
        for (lease, graph), upto in rows.threads_to_trim.items():
            await trim_thread(connection, lease, graph, upto=upto)

    def _tell_followers(self, followed: Sequence[tuple[str, Sequence[str]]]) -> None:
        if followed:
            self._on_followed({from_key(user): names for user, names in followed})

    def _number_events(self, rows: Rows, write: Write) -> Written:
        """Add a write's rows, and number its events. Raises `TypeError` for what cannot be stored."""
        lease, user_id = write.lease, write.lease.user_id
        own = rows.begin(lease, *self._known[lease])
        events: list[StoredEvent] = []
        for record in write.records:
            if not isinstance(record, Event):
                rows.add(lease, record)
                continue
            seq = own.seq + 1
            events.append(stored(seq, record.body))
            body = self._results.body_to_store(user_id, seq, record)
            rows.add_event(user_id, seq, body)
            if seq % TRIM_EVERY_EVENTS == 0:
                rows.trim(user_id, seq - self._keep_events)
            self._count_bytes(rows, user_id, seq, len(body))
        return Written(write, tuple(events), own.seq)

    def _count_bytes(self, rows: Rows, user_id: str, seq: int, size: int) -> None:
        """Have a log measured once so much was appended; one not measured yet also at a hundredth event.

        What was counted is lost with the process, the numbers are not: so no log grows without bound.
        """
        room, measured = self._room.get(user_id, (MEASURE_EVERY_BYTES, False))
        room -= size
        if room <= 0 or (not measured and seq % TRIM_EVERY_EVENTS == 0):
            rows.measured.add(user_id)
            room, measured = MEASURE_EVERY_BYTES, True
        self._room[user_id] = room, measured

    async def _learn(self, connection: Connection, leases: set[Lease]) -> None:
        """Read the last number, and the count of writes, of users who have not written here yet."""
        if len(self._known) > MOST_KNOWN:
            self._known.clear()
            self._room.clear()
        unknown = {key(each.user_id): each for each in leases if each not in self._known}
        if unknown:
            query = "SELECT user_id, seq, writes FROM detour.users WHERE user_id = ANY ($1)"
            found = {row[0]: (row[1], row[2]) for row in await connection.fetch(query, list(unknown))}
            for named, lease in unknown.items():
                self._known[lease] = found.get(named, (0, 0))
                # Another process may have written meanwhile, and even deleted: the log is no longer as noted.
                self._forget_log(lease.user_id)

    def _take_back(self, part: Sequence[Write]) -> None:
        for each in part:
            self._results.forget(each.lease.user_id)

    async def _refused(
        self, connection: Connection, part: Sequence[Write], error: asyncpg.PostgresError, group: Group
    ) -> None:
        """Note the outcomes of writes that the database refused; what can be stored without them, is."""
        state, detail = sqlstate(error), detail_of(error)
        if state == "DT001":
            users = {from_key(each) for each in orjson.loads(detail)}
            ended = [each for each in part if each.lease.user_id in users]
            for each in ended:
                self._known.pop(each.lease, None)
            group.note([Written(each, error=LeaseEnded(each.lease)) for each in ended])
            rest = [each for each in part if each.lease.user_id not in users]
            await self._write_part(connection, rest, group)
        elif state == "DT003":
            # A deletion was stored whose answer was lost, or a failover has lost what was stored.
            for each in part:
                self._known.pop(each.lease, None)
            await self._write_part(connection, part, group)
        elif state == "DT002":
            group.note([Written(each, error=not_open(from_key(detail))) for each in part])
        elif is_passing(error):
            raise error
        elif len(part) > 1:
            await self._singly(connection, part, group)
        else:
            _log.error("the database refuses a write", state=state, reason=str(error))
            group.note([Written(part[0], error=StoreUnavailable("The store could not keep it."))])

    async def _singly(self, connection: Connection, part: Sequence[Write], group: Group) -> None:
        for each in part:
            failed = group.failed.get(each.lease.user_id)
            if failed is not None:
                group.note([Written(each, error=failed)])
            else:
                await self._write_part(connection, [each], group)

    async def _find_out(self, connection: Connection, group: Group) -> None:
        """Note the outcomes of the writes in doubt that were stored."""
        doubt = self._in_doubt
        if doubt is None:
            return
        if doubt.stored is None:
            doubt.stored = await self._was_stored(connection, doubt.writes)
        stored = doubt.stored
        under_way = {id(each) for each in group.writes}
        if stored is None:
            self._in_doubt = None
            group.note(never_known(each.write) for each in doubt.outcomes if id(each.write) in under_way)
            return
        refused = {
            each.write.lease
            for each in doubt.outcomes
            if stored and each.write.durable is not None and id(each.write) not in under_way
        }
        for lease in refused:
            # Have the user taken up from what is stored: the owner decided without what it took for refused.
            await connection.execute("SELECT detour.let_go($1, $2)", key(lease.user_id), lease.fence)
        self._in_doubt = None
        if not stored:
            return
        if doubt.group is group:
            group.note(doubt.outcomes)  # published with the rest of it, in order
        else:
            # All of them now, in order: nobody waits any more for those that were refused meanwhile.
            self.pending.publish(doubt.outcomes)
            group.note([each._replace(events=()) for each in doubt.outcomes if id(each.write) in under_way])
        users = [key(each) for each in {each.write.lease.user_id for each in doubt.outcomes}]
        query = """
        SELECT user_id, followers FROM detour.users WHERE user_id = ANY ($1) AND followers <> '{}'"""
        self._tell_followers(await connection.fetch(query, users))
        for lease in refused:
            if lease.fence:
                self.pending.end(lease)

    async def _was_stored(self, connection: Connection, writes: Mapping[Lease, int]) -> bool | None:
        """Return whether the write after so many was stored; None if all these leases have ended."""
        query = "SELECT detour.was_stored($1, $2, $3)"
        for lease, before in writes.items():
            stored = await connection.fetchval(query, key(lease.user_id), lease.fence, before)
            if stored is not None:
                return stored
        return None

    def _find_out_soon(self) -> None:
        """Have the next group written, which finds out of what is in doubt, though nobody writes anything."""
        # Else whoever sends a refused message again would read that it was accepted, and nobody would run it.
        self._looks = None
        if self._in_doubt is not None and not self.pending.gives_up:
            durable: Future[int] = asyncio.get_running_loop().create_future()
            durable.add_done_callback(lambda done: done.exception())
            with contextlib.suppress(StoreUnavailable):  # so many wait that the next group comes by itself
                self.accept(Write(next(iter(self._in_doubt.writes)), (), durable))


async def commit_apart(
    made: Callable[[], Lane], timeline: Callable[[], str], lease: Lease, records: tuple[Record, ...]
) -> None:
    """Write records, of which none is an event, in a lane of their own, made on this event loop.

    The lease's own lane then finds that its count of writes is no longer right, and reads it anew. Raises
    `StoreUnavailable` and `LeaseEnded`.
    """
    lane = WriteLane(
        made(),
        timeline,
        keep_events=0,  # no event, so no log is trimmed
        listener=lambda _user_id, _events: None,
        on_lease_ended=no_lease_ends,
        on_followed=lambda _followed: None,
    )
    durable: Future[int] = asyncio.get_running_loop().create_future()
    try:
        lane.accept(Write(lease, records, durable))
        await durable
    finally:
        await lane.close()


def _told(error: BaseException) -> Exception:
    """Return what a caller is told of a failure."""
    if isinstance(error, (StoreUnavailable, TypeError, NotOpen)):
        return error
    if isinstance(error, ConnectionLostError) or is_passing(error):
        return StoreUnavailable("The database does not answer right now.")
    _log.error("a group could not be written", exc_info=error)
    return StoreUnavailable("The store could not keep it.")


# --- calls now -----------------------------------------------------------------------------------------
# Stores the begin of a tool call over PostgreSQL for a caller that cannot await it.
#
# The lanes of the store live on the server's event loop, which the caller may block. So this has a thread
# with an event loop and a connection of its own, both made with the first such call.


_BEGIN = "SELECT detour.begin_call($1, $2, $3, $4, $5)"


class _Asked(NamedTuple):
    lease: Lease
    call: ToolCall
    wanted: Wanted
    stored: "futures.Future[bool]"


class PostgresCallsNow:
    """A thread with a connection, for whoever cannot wait on the event loop; for any thread.

    The connections of `connect` are used on that thread alone.
    """

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._lock = threading.Lock()
        self._jobs: SimpleQueue[_Asked | futures.Future[None]] | None = None

    def store(self, lease: Lease, call: ToolCall, *, wanted: Wanted, within_s: float) -> bool:
        """Store the begin of a call, as `CallsNow.store_call_now` says."""
        stored: futures.Future[bool] = futures.Future()
        with self._lock:
            if self._jobs is None:
                self._jobs = SimpleQueue()
                work = _Connected(self._connect).work
                threading.Thread(target=work, args=[self._jobs], name="postgres calls", daemon=True).start()
            self._jobs.put(_Asked(lease, call, wanted, stored))
        return answer_of(stored, within_s)

    async def close(self) -> None:
        """Do what was asked for, then close the connection and end the thread."""
        with self._lock:
            jobs, self._jobs = self._jobs, None
        if jobs is not None:
            ended: futures.Future[None] = futures.Future()
            jobs.put(ended)
            await asyncio.wrap_future(ended)


class _Connected:
    """What the thread does: one call after the other, on one connection."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._connection: Connection | None = None

    def work(self, jobs: "SimpleQueue[_Asked | futures.Future[None]]") -> None:
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
                raise LeaseEnded(asked.lease) from None
            if is_lost(error):
                self._drop()
            raise StoreUnavailable("The database could not keep it.") from error

    async def _begin(self, asked: _Asked) -> bool:
        connection: Any = self._connection
        if connection is None or connection.is_closed():
            connection = self._connection = await self._connect()
        lease, call = asked.lease, asked.call
        given = key(lease.user_id), lease.fence, call.turn, key(call.call_id), to_json(call)
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
