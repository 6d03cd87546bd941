"""Writes groups of records to PostgreSQL: one round trip a group, fenced, each exactly once.

A user's writes always take the same lane, which numbers the user's events. `detour.write` checks the fence
and the number, so what a process believes that was taken for dead changes nothing.

When the connection is lost while a group is written, nobody knows whether it was stored. The rows of users
count their writes: before the lane writes again it reads the count, and what was stored is not sent again.
"""

import asyncio
from asyncio import Future
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import asyncpg
import orjson
import structlog

from ....domain.events import Event, StoredEvent, stored
from ....errors import NotOpen, StoreUnavailable
from ...ownership.base import OnTenureEnded, Tenure, TenureEnded
from ..base import Listener
from ..pending_writes import PendingWrites, Write, Written
from ..refused import not_open
from ..repeated_results import RepeatedResults
from ..thread_steps import ids_in, kept_of
from .lanes import Connection, ConnectionLostError, Lane, detail_of, is_passing, sqlstate
from .rows import WRITE, Rows, from_key, has_condition, key

TRIM_EVERY_EVENTS = 100
"""At event numbers that this divides, a log is trimmed by number."""

MEASURE_EVERY_BYTES = 1024 * 1024
"""How much is appended to a log before it is measured: the rows of 16 MiB are looked through then."""

MOST_KNOWN = 50_000
"""The most users whose last number is known; beyond it all are read anew."""

OnFollowed = Callable[[Mapping[str, Sequence[str]]], None]
"""Called with the users of a group whom other processes follow, and with the names of these."""

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _InDoubt:
    """A group of which nobody knows whether it was stored: if so, a row of it counts one write more."""

    user_id: str
    fence: int
    writes: int
    outcomes: Mapping[int, Written]


class WriteLane:
    """The users of one lane: their pending writes, and their numbers."""

    def __init__(
        self,
        lane: Lane,
        timeline: Callable[[], str],
        *,
        keep_events: int,
        listener: Listener,
        on_tenure_ended: OnTenureEnded,
        on_followed: OnFollowed,
    ) -> None:
        self.lane = lane
        self._timeline = timeline
        self._keep_events = keep_events
        self._on_followed = on_followed
        self.pending = PendingWrites(self._hand_over, listener, on_tenure_ended)
        self._handed_over, self._done = 0, 0
        self._waiting: list[tuple[int, Future[None]]] = []
        self._unwritten: Counter[str] = Counter()
        self._known: dict[Tenure, tuple[int, int]] = {}
        self._room: dict[str, tuple[int, bool]] = {}
        self._results = RepeatedResults(keep_events=keep_events)
        self._in_doubt: _InDoubt | None = None

    def accept(self, write: Write) -> None:
        """Take a write for the next group. Raises `StoreUnavailable` if too many wait."""
        self.pending.accept(write)
        self._unwritten[write.tenure.user_id] += 1

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
        for tenure in [each for each in self._known if each.user_id == user_id]:
            del self._known[tenure]
        self._room.pop(user_id, None)
        self._results.forget(user_id)

    def _hand_over(self, group: list[Write]) -> None:
        self._handed_over += 1
        self.lane.post(lambda connection: self._write_group(connection, group)).add_done_callback(
            lambda done: self._written(group, done)
        )

    def _written(self, group: Sequence[Write], done: "Future[list[Written]]") -> None:
        error = done.exception()
        outcomes = done.result() if error is None else [Written(each, error=_told(error)) for each in group]
        for each in outcomes:
            retried = each.write.durable is None and isinstance(each.error, StoreUnavailable)
            if not retried or self.pending.gives_up:
                user_id = each.write.tenure.user_id
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

    async def _write_group(self, connection: Connection, group: Sequence[Write]) -> list[Written]:
        stored_before = await self._find_out(connection)
        outcomes = [stored_before[id(each)] for each in group if id(each) in stored_before]
        left = [each for each in group if id(each) not in stored_before]
        failed: dict[str, Exception] = {}
        for part in _parts(left):
            # After a write that will be retried its user's later ones fail, too, to keep their order.
            outcomes += [
                Written(each, error=failed[each.tenure.user_id])
                for each in part
                if each.tenure.user_id in failed
            ]
            for outcome in await self._write_part(
                connection, [each for each in part if each.tenure.user_id not in failed]
            ):
                outcomes.append(outcome)
                if outcome.write.durable is None and isinstance(outcome.error, StoreUnavailable):
                    failed[outcome.write.tenure.user_id] = outcome.error
        return outcomes

    async def _write_part(self, connection: Connection, part: Sequence[Write]) -> list[Written]:
        """Write writes that fail or succeed together, but for those whose tenure has ended."""
        if not part:
            return []
        await self._learn(connection, {each.tenure for each in part})
        rows = Rows(self._timeline(), self._keep_events)
        try:
            outcomes = [self._add(rows, each) for each in part]
        except Exception as error:  # noqa: BLE001 - a record that cannot be stored fails its write alone
            self._take_back(part)
            return [Written(part[0], error=error)] if len(part) == 1 else await self._singly(connection, part)
        try:
            followed = await connection.fetch(WRITE, *rows.arguments())
        except asyncpg.PostgresError as error:
            self._take_back(part)
            return await self._refused(connection, part, error)
        except Exception:
            self._take_back(part)
            first = part[0].tenure
            writes = self._known.get(first, (0, 0))[1]
            self._in_doubt = _InDoubt(
                first.user_id, first.fence, writes, {id(each.write): each for each in outcomes}
            )
            self._known.clear()
            raise
        for tenure in {each.tenure for each in part}:
            own = rows.own[tenure.user_id]
            self._known[tenure] = own.seq, self._known[tenure][1] + 1
        if followed:
            self._on_followed({from_key(user): names for user, names in followed})
        await self._trim_threads(connection, rows)
        return outcomes

    def _add(self, rows: Rows, write: Write) -> Written:
        """Add a write's rows, and number its events. Raises `TypeError` for what cannot be stored."""
        tenure, user_id = write.tenure, write.tenure.user_id
        own = rows.begin(tenure, self._known[tenure][0])
        events: list[StoredEvent] = []
        for record in write.records:
            if not isinstance(record, Event):
                rows.add(tenure, record)
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

    async def _learn(self, connection: Connection, tenures: set[Tenure]) -> None:
        """Read the last number, and the count of writes, of users who have not written here yet."""
        if len(self._known) > MOST_KNOWN:
            self._known.clear()
            self._room.clear()
        unknown = {key(each.user_id): each for each in tenures if each not in self._known}
        if unknown:
            query = "SELECT user_id, seq, writes FROM detour.users WHERE user_id = ANY ($1)"
            found = {row[0]: (row[1], row[2]) for row in await connection.fetch(query, list(unknown))}
            for named, tenure in unknown.items():
                self._known[tenure] = found.get(named, (0, 0))

    def _take_back(self, part: Sequence[Write]) -> None:
        for each in part:
            self._results.forget(each.tenure.user_id)

    async def _refused(
        self, connection: Connection, part: Sequence[Write], error: asyncpg.PostgresError
    ) -> list[Written]:
        """Return the outcomes of writes that the database refused; what can be stored without them, is."""
        state, detail = sqlstate(error), detail_of(error)
        if state == "DT001":
            users = {from_key(each) for each in orjson.loads(detail)}
            ended = [each for each in part if each.tenure.user_id in users]
            for each in ended:
                self._known.pop(each.tenure, None)
            rest = [each for each in part if each.tenure.user_id not in users]
            outcomes = [Written(each, error=TenureEnded(each.tenure)) for each in ended]
            return [*outcomes, *await self._write_part(connection, rest)]
        if state == "DT003":
            # Another tenure of this very process has written, or a failover has lost what was stored.
            for each in part:
                self._known.pop(each.tenure, None)
            return await self._write_part(connection, part)
        if state == "DT002":
            return [Written(each, error=not_open(from_key(detail))) for each in part]
        if is_passing(error):
            raise error
        if len(part) > 1:
            return await self._singly(connection, part)
        _log.error("the database refuses a write", state=state, reason=str(error))
        return [Written(part[0], error=StoreUnavailable("The store could not keep it."))]

    async def _singly(self, connection: Connection, part: Sequence[Write]) -> list[Written]:
        outcomes: list[Written] = []
        for each in part:
            outcomes += await self._write_part(connection, [each])
        return outcomes

    async def _find_out(self, connection: Connection) -> Mapping[int, Written]:
        """Return the outcomes of the writes in doubt that were stored, by the identity of the write."""
        doubt = self._in_doubt
        if doubt is None:
            return {}
        query = "SELECT fence, writes FROM detour.users WHERE user_id = $1"
        row = await connection.fetchrow(query, key(doubt.user_id))
        self._in_doubt = None
        if row is None or row["fence"] != doubt.fence or row["writes"] <= doubt.writes:
            return {}
        # All of them now, in order: nobody waits any more for the commits among them.
        self.pending.publish([*doubt.outcomes.values()])
        return {at: each._replace(events=()) for at, each in doubt.outcomes.items()}

    async def _trim_threads(self, connection: Connection, rows: Rows) -> None:
        """Delete the steps of threads beyond their bounds, and the pieces that no kept step needs."""
        for (tenure, graph), upto in rows.threads_to_trim.items():
            thread = (key(tenure.user_id), key(graph))
            steps = await connection.fetch(
                "SELECT number, pages, pieces FROM detour.thread_steps WHERE user_id = $1 AND graph = $2 "
                "ORDER BY number DESC",
                *thread,
            )
            stored_pieces = await connection.fetch(
                "SELECT piece_id, octet_length(body) FROM detour.thread_pieces "
                "WHERE user_id = $1 AND graph = $2",
                *thread,
            )
            pages = {page for step in steps for page in ids_in(step[1])}
            bodies = await connection.fetch(
                "SELECT piece_id, body FROM detour.thread_pieces "
                "WHERE user_id = $1 AND graph = $2 AND piece_id = ANY ($3)",
                *thread,
                list(pages),
            )
            by_id: dict[bytes, bytes] = {row[0]: row[1] for row in bodies}
            sizes: dict[bytes, int] = {row[0]: row[1] for row in stored_pieces}
            oldest, used = kept_of(
                [(step[0], step[1], step[2]) for step in steps],
                sizes,
                lambda ids, by_id=by_id: {each: by_id[each] for each in ids if each in by_id},
                upto=upto,
            )
            unused = [each for each in sizes if each not in used]
            await connection.execute(
                "SELECT detour.trim_thread($1, $2, $3, $4, $5)",
                thread[0],
                tenure.fence,
                thread[1],
                oldest,
                unused,
            )


def _parts(group: Sequence[Write]) -> Iterator[list[Write]]:
    """Yield a group's writes in parts, in order: one with a condition alone, and one tenure of each user."""
    part: list[Write] = []
    tenures: dict[str, Tenure] = {}
    for each in group:
        alone = has_condition(each.records)
        if part and (alone or tenures.setdefault(each.tenure.user_id, each.tenure) != each.tenure):
            yield part
            part, tenures = [], {}
        part.append(each)
        tenures[each.tenure.user_id] = each.tenure
        if alone:
            yield part
            part, tenures = [], {}
    if part:
        yield part


def _told(error: BaseException) -> Exception:
    """Return what a caller is told of a failure."""
    if isinstance(error, (StoreUnavailable, TypeError, NotOpen)):
        return error
    if isinstance(error, ConnectionLostError) or is_passing(error):
        return StoreUnavailable("The database does not answer right now.")
    _log.error("a group could not be written", exc_info=error)
    return StoreUnavailable("The store could not keep it.")
