"""Persons and grants in a PostgreSQL store."""

from abc import abstractmethod
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import TypeVar

from ..base import StateStore
from ..codec import message_from_json
from ..persons import Grant, OwnConversation
from .lanes import Connection
from .rows import from_key, key

T = TypeVar("T")

_FIRST = "SELECT document FROM detour.messages WHERE user_id = $1 ORDER BY turn, position LIMIT 1"
_LAST = "SELECT document FROM detour.messages WHERE user_id = $1 ORDER BY turn DESC, position DESC LIMIT 1"


class PostgresPersons(StateStore):
    """Implements `Persons` and `Grants` by means of `_read` and `_change`."""

    @abstractmethod
    async def _read(self, user_id: str | None, read: Callable[[Connection], Awaitable[T]]) -> T:
        """Read what is stored, with all that was written of a user before. Raises `StoreUnavailable`."""

    @abstractmethod
    async def _change(self, change: Callable[[Connection], Awaitable[T]]) -> T:
        """Change what belongs to no tenure. Raises `StoreUnavailable`; then nobody knows whether it did."""

    async def give_to(self, person: str, user_id: str, at: datetime) -> str | None:
        """Make a conversation a person's if nothing is known of it; return whose it is now."""
        return await self._change(lambda to: _give_to(to, person, user_id, at))

    async def person_of(self, user_id: str) -> str | None:
        """Return whose a conversation is."""
        return await self._read(user_id, lambda at: _person_of(at, user_id))

    async def conversations_of(
        self, person: str, *, limit: int, before: str | None = None
    ) -> tuple[OwnConversation, ...]:
        """Return the conversations that a person has begun, the newest first."""
        return await self._read(None, lambda at: _conversations_of(at, person, limit, before))

    async def put_grant(self, grant: Grant, now: datetime) -> None:
        """Keep a grant; those that have expired are dropped."""
        await self._change(lambda to: _put_grant(to, grant, now))

    async def get_grant(self, digest: bytes, now: datetime) -> Grant | None:
        """Return a grant, None if there is none or it has expired."""
        return await self._change(lambda of: _get_grant(of, digest, now))

    async def replace_grant(self, grant: Grant, now: datetime) -> None:
        """Put a grant in the place of the one with its digest, if there is one."""
        await self._change(lambda to: _replace_grant(to, grant, now))

    async def find_grants(self, part: bytes, now: datetime) -> tuple[Grant, ...]:
        """Return the grants whose body has these bytes in it."""
        return await self._change(lambda of: _find_grants(of, part, now))

    async def take_grant(self, digest: bytes, now: datetime) -> Grant | None:
        """Return a grant and drop it."""
        return await self._change(lambda of: _take_grant(of, digest, now))


async def _give_to(connection: Connection, person: str, user_id: str, at: datetime) -> str | None:
    """Make a conversation a person's if nothing is known of it; return whose it is now."""
    query = "SELECT detour.give_to($1, $2, $3)"
    return _person(await connection.fetchval(query, key(person), key(user_id), at.timestamp()))


async def _person_of(connection: Connection, user_id: str) -> str | None:
    """Read whose a conversation is."""
    query = "SELECT person FROM detour.conversations WHERE user_id = $1"
    return _person(await connection.fetchval(query, key(user_id)))


def _person(kept: str | None) -> str | None:
    return None if kept is None else from_key(kept)


async def _conversations_of(
    connection: Connection, person: str, limit: int, before: str | None
) -> tuple[OwnConversation, ...]:
    """Read the conversations that a person has begun, the newest first."""
    earlier = (
        ""
        if before is None
        else """AND (begun_at, user_id) <
            (SELECT begun_at, user_id FROM detour.conversations WHERE user_id = $3 AND person = $1)"""
    )
    query = f"""
    SELECT user_id, begun_at FROM detour.conversations WHERE person = $1 {earlier}
    ORDER BY begun_at DESC, user_id DESC LIMIT $2"""
    given = (key(person), limit) if before is None else (key(person), limit, key(before))
    found: list[OwnConversation] = []
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        for user_id, begun_at in await connection.fetch(query, *given):
            first = await connection.fetchval(_FIRST, user_id)
            last = await connection.fetchval(_LAST, user_id)
            found.append(
                OwnConversation(
                    user_id=from_key(user_id),
                    begun_at=datetime.fromtimestamp(begun_at, UTC),
                    first=None if first is None else message_from_json(first),
                    last=None if last is None else message_from_json(last),
                )
            )
    return tuple(found)


async def _put_grant(connection: Connection, grant: Grant, now: datetime) -> None:
    """Keep a grant, and drop those that have expired."""
    expires_at = grant.expires_at.timestamp()
    query = "SELECT detour.put_grant($1, $2, $3, $4)"
    await connection.execute(query, grant.digest, grant.body, expires_at, now.timestamp())


async def _get_grant(connection: Connection, digest: bytes, now: datetime) -> Grant | None:
    """Read a grant that has not expired."""
    query = "SELECT body, expires_at FROM detour.grants WHERE digest = $1 AND expires_at > $2"
    row = await connection.fetchrow(query, digest, now.timestamp())
    if row is None:
        return None
    return Grant(digest=digest, body=row[0], expires_at=datetime.fromtimestamp(row[1], UTC))


async def _replace_grant(connection: Connection, grant: Grant, now: datetime) -> None:
    """Put a grant in the place of the one with its digest, if there is one."""
    expires_at = grant.expires_at.timestamp()
    query = "SELECT detour.replace_grant($1, $2, $3, $4)"
    await connection.execute(query, grant.digest, grant.body, expires_at, now.timestamp())


async def _find_grants(connection: Connection, part: bytes, now: datetime) -> tuple[Grant, ...]:
    """Read the grants whose body has these bytes in it."""
    query = """SELECT digest, body, expires_at FROM detour.grants
        WHERE position($1::bytea in body) > 0 AND expires_at > $2"""
    return tuple(
        Grant(digest=row[0], body=row[1], expires_at=datetime.fromtimestamp(row[2], UTC))
        for row in await connection.fetch(query, part, now.timestamp())
    )


async def _take_grant(connection: Connection, digest: bytes, now: datetime) -> Grant | None:
    """Read a grant that has not expired, and delete it."""
    row = await connection.fetchrow("SELECT body, expires_at FROM detour.take_grant($1)", digest)
    if row is None or row[1] is None or row[1] <= now.timestamp():
        return None
    return Grant(digest=digest, body=row[0], expires_at=datetime.fromtimestamp(row[1], UTC))
