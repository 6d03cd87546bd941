"""What the PostgreSQL store drops for its age, a few turns in a transaction: `retention` says which."""

from abc import abstractmethod
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TypeVar

from ..base import StateStore
from ..ownership import Lease
from ..persons import Grant, grants_of
from ..retention import Drop, Dropped
from . import threads
from .database import Connection
from .reads import run
from .rows import from_key, key

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


class PostgresRetention(PostgresPersons):
    """Implements `Retention` by means of `_as_owner`."""

    @abstractmethod
    async def _as_owner(self, lease: Lease, change: Callable[[Connection], Awaitable[T]]) -> T:
        """Change what is a lease's, after all that was written before.

        Raises `LeaseEnded` and `StoreUnavailable`; after the latter nobody knows whether it did.
        """

    async def drop_aged(self, lease: Lease, before: datetime, *, most: int) -> Dropped:
        """Drop some of a user's aged turns."""

        async def change(connection: Connection) -> Dropped:
            # What is read here stays true until the change: it fails unless the lease lasts, and then only
            # this connection writes for the user.
            drop = await run(connection, self._plan_drop(lease.user_id, before, most))
            await _carry_out(connection, lease, drop)
            return drop.outcome

        return await self._as_owner(lease, change)


async def _carry_out(connection: Connection, lease: Lease, drop: Drop) -> None:
    user = key(lease.user_id)
    if drop.turns or drop.events_upto >= 0 or drop.rest:
        await connection.execute(
            "SELECT detour.drop_aged($1, $2, $3, $4, $5, $6, $7, $8)",
            user,
            lease.fence,
            [each.turn for each in drop.turns],
            [key(each.task_id) for each in drop.turns],
            [each.last_turn for each in drop.turns],
            [key(each) for each in drop.client_ids],
            drop.events_upto,
            [(user, *drop.rest)] if drop.rest else [],
        )
    for graph, first in drop.first_steps.items():
        await threads.drop_steps(connection, lease, graph, before=first)
