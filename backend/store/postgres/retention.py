"""What the PostgreSQL store drops for its age, a few turns in a transaction: `retention` says which."""

from abc import abstractmethod
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TypeVar

import ormsgpack

from ...domain.task import TERMINAL
from ..base import StateStore
from ..ownership import Lease
from ..persons import Grant, grants_of
from ..reads import Read
from ..retention import (
    EVENTS_AT_ONCE_BYTES,
    Dropped,
    Plan,
    StoredTurn,
    aged_events,
    client_id_of,
    first_kept_step,
    last_turn_of,
    planned,
)
from . import reads, threads
from .database import Connection
from .rows import Row, from_key, key

# --- persons -------------------------------------------------------------------------------------------
# Persons and grants in a PostgreSQL store.


T = TypeVar("T")


class PostgresPersons(StateStore):
    """Implements `Persons` and `Grants` by means of `_change`."""

    @abstractmethod
    async def _change(self, change: Callable[[Connection], Awaitable[T]]) -> T:
        """Change what belongs to no lease. Raises `StoreUnavailable`; then nobody knows whether it did."""

    async def give_to(self, person: str, user_id: str, at: datetime) -> str | None:
        """Make a conversation a person's if nothing is known of it; return whose it is now."""
        return await self._change(lambda to: _give_to(to, person, user_id, at))

    async def put_grant(self, grant: Grant, now: datetime) -> None:
        """Keep a grant; those that have expired are dropped."""
        await self._change(lambda to: _put_grant(to, grant, now))

    async def replace_grant(self, grant: Grant, now: datetime) -> None:
        """Put a grant in the place of the one with its digest, if there is one."""
        await self._change(lambda to: _replace_grant(to, grant, now))

    async def take_grant(self, digest: bytes, now: datetime) -> Grant | None:
        """Return a grant and drop it."""
        return await self._change(lambda of: _take_grant(of, digest, now))


async def _give_to(connection: Connection, person: str, user_id: str, at: datetime) -> str | None:
    """Make a conversation a person's if nothing is known of it; return whose it is now."""
    query = "SELECT detour.give_to($1, $2, $3)"
    kept = await connection.fetchval(query, key(person), key(user_id), at.timestamp())
    return None if kept is None else from_key(kept)


async def _put_grant(connection: Connection, grant: Grant, now: datetime) -> None:
    """Keep a grant, and drop those that have expired."""
    expires_at = grant.expires_at.timestamp()
    query = "SELECT detour.put_grant($1, $2, $3, $4)"
    await connection.execute(query, grant.digest, grant.body, expires_at, now.timestamp())


async def _replace_grant(connection: Connection, grant: Grant, now: datetime) -> None:
    """Put a grant in the place of the one with its digest, if there is one."""
    expires_at = grant.expires_at.timestamp()
    query = "SELECT detour.replace_grant($1, $2, $3, $4)"
    await connection.execute(query, grant.digest, grant.body, expires_at, now.timestamp())


async def _take_grant(connection: Connection, digest: bytes, now: datetime) -> Grant | None:
    """Read a grant that has not expired, and delete it."""
    query = "SELECT digest_, body, expires_at FROM detour.take_grant($1)"
    taken = [row for row in await connection.fetch(query, digest) if row[2] is not None]
    return next((each for each in grants_of(taken) if each.expires_at > now), None)


# --- retention -----------------------------------------------------------------------------------------


_UNFINISHED = """
SELECT EXISTS (SELECT FROM detour.tasks
    WHERE user_id = $1 AND status NOT IN ('completed', 'failed', 'interrupted'))"""

_UNSETTLED = "SELECT turn FROM detour.tool_calls WHERE unsettled AND user_id = $1"

_TURNS = """
SELECT turn, task_id, status, reason, detour.changed_at(document), document FROM detour.tasks
WHERE user_id = $1 AND turn > $2 ORDER BY turn LIMIT $3"""

_SAID = """
SELECT m.document FROM detour.messages m
JOIN unnest($2::bigint[], $3::text[], $4::bigint[]) AS t (turn, task_id, last_turn)
    ON m.turn BETWEEN t.turn AND t.last_turn AND (m.turn = t.turn OR m.task_id = t.task_id)
WHERE m.user_id = $1"""

_EVENTS = """
SELECT last_seq, first_seq, bodies FROM detour.events WHERE user_id = $1 AND last_seq > $2
ORDER BY last_seq LIMIT 1"""

_BESIDE_TASKS = """
SELECT (SELECT max(updated_at) FROM detour.threads WHERE user_id = $1),
    (SELECT max(begun_at) FROM detour.conversations WHERE user_id = $1),
    EXISTS (SELECT FROM detour.tasks WHERE user_id = $1)"""

_DROP = "SELECT detour.drop_aged($1, $2, $3, $4, $5, $6, $7, $8)"


class PostgresRetention(PostgresPersons):
    """Implements `Retention` by means of `_read` and `_as_owner`."""

    @abstractmethod
    async def _as_owner(self, lease: Lease, change: Callable[[Connection], Awaitable[T]]) -> T:
        """Change what is a lease's, after all that was written before.

        Raises `LeaseEnded` and `StoreUnavailable`; after the latter nobody knows whether it did.
        """

    async def drop_aged(self, lease: Lease, before: datetime, *, most: int) -> Dropped:
        """Drop some of a user's aged turns."""
        return await self._as_owner(
            lease, lambda at: _drop_aged(at, lease, before, most, self._turns_to_resume(lease.user_id))
        )


async def _drop_aged(
    connection: Connection, lease: Lease, before: datetime, most: int, to_resume: Read[set[int]]
) -> Dropped:
    # What is read here stays true until the change: it fails unless the lease lasts, and then only this
    # connection writes for the user.
    user = key(lease.user_id)
    if await connection.fetchval(_UNFINISHED, user):
        return Dropped()
    plan = await _plan(connection, lease.user_id, before, most, to_resume)
    upto, rest, more = -1, [], False
    if plan.until is not None:
        upto, rest, more = await _aged_events(connection, user, before)
    turns = (
        plan.numbers,
        [key(each.task_id) for each in plan.turns],
        [each.last_turn for each in plan.turns],
    )
    if plan.turns or upto >= 0 or rest:
        said = await connection.fetch(_SAID, user, *turns)
        client_ids = [key(each) for row in said if (each := client_id_of(row[0])) is not None]
        await connection.execute(_DROP, user, lease.fence, *turns, client_ids, upto, rest)
    if plan.until is None:
        return Dropped(len(plan.turns), more=True)
    await _drop_steps(connection, lease, plan.until)
    thread_at, begun_at, has_tasks = await connection.fetchrow(_BESIDE_TASKS, user)
    times = [each for each in (thread_at, begun_at) if each is not None]
    is_known = bool(has_tasks or times)
    are_aged = all(each < before.timestamp() for each in times)
    return Dropped(len(plan.turns), more, plan.is_everything and is_known and are_aged and not more)


async def _plan(
    connection: Connection, user_id: str, before: datetime, most: int, to_resume: Read[set[int]]
) -> Plan:
    held = {row[0] for row in await connection.fetch(_UNSETTLED, key(user_id))}
    held |= await reads.run(connection, to_resume)
    turns: list[StoredTurn] = []
    plan = Plan((), 0)
    while True:
        after = turns[-1].turn if turns else 0
        rows = await connection.fetch(_TURNS, key(user_id), after, most + 1)
        turns += [_stored(row) for row in rows]
        plan = planned(turns, held, before.timestamp(), most=most)
        if len(rows) <= most or plan.until != turns[-1].turn:
            return plan


def _stored(row: Row) -> StoredTurn:
    turn, task_id, status, reason, ended_at, document = row
    last_turn = last_turn_of(turn, document)
    return StoredTurn(turn, from_key(task_id), status in TERMINAL, reason, ended_at, last_turn)


async def _aged_events(connection: Connection, user: str, before: datetime) -> tuple[int, list[Row], bool]:
    """Return the last number of the rows that go, what stays of the next row, and if there may be more."""
    newest = await connection.fetchval("SELECT max(last_seq) FROM detour.events WHERE user_id = $1", user)
    upto, size = -1, 0
    while size < EVENTS_AT_ONCE_BYTES and (row := await connection.fetchrow(_EVENTS, user, upto)):
        last_seq, first_seq, packed = row
        size += len(packed)
        bodies = ormsgpack.unpackb(packed)
        # As every store: the last event stays.
        aged = aged_events(bodies[:-1] if last_seq == newest else bodies, before)
        if aged < len(bodies):
            rest = (user, last_seq, first_seq + aged, ormsgpack.packb(bodies[aged:]))
            return upto, [rest] if aged else [], False
        upto = last_seq
    return upto, [], size >= EVENTS_AT_ONCE_BYTES


async def _drop_steps(connection: Connection, lease: Lease, until: int) -> None:
    user = key(lease.user_id)
    query = "SELECT graph, number, turn FROM detour.thread_steps WHERE user_id = $1 ORDER BY graph, number"
    by_graph: dict[str, list[tuple[int, int]]] = {}
    for graph, number, turn in await connection.fetch(query, user):
        by_graph.setdefault(from_key(graph), []).append((number, turn))
    for graph, steps in by_graph.items():
        first = first_kept_step(iter(steps), steps[-1][0], until)
        if first > steps[0][0]:
            await threads.drop_steps(connection, lease, graph, before=first)
