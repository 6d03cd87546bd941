"""Persons and grants in an SQLite store. What changes something runs in a transaction of its own."""

from datetime import UTC, datetime

import apsw

from .codec import message_from_json
from .persons import Grant, OwnConversation

_FIRST = "SELECT document FROM messages WHERE user_id = ? ORDER BY turn, position LIMIT 1"
_LAST = "SELECT document FROM messages WHERE user_id = ? ORDER BY turn DESC, position DESC LIMIT 1"


def give_to(connection: apsw.Connection, person: str, user_id: str, at: datetime) -> str | None:
    """Make a conversation a person's if nothing is known of it; return whose it is now."""
    connection.execute(
        """INSERT INTO conversations SELECT ?1, ?2, ?3
        WHERE NOT EXISTS (SELECT 1 FROM users WHERE user_id = ?1)
            AND NOT EXISTS (SELECT 1 FROM threads WHERE user_id = ?1)
        ON CONFLICT (user_id) DO NOTHING""",
        (user_id, person, at.timestamp()),
    )
    return person_of(connection, user_id)


def person_of(connection: apsw.Connection, user_id: str) -> str | None:
    """Read whose a conversation is."""
    return connection.execute("SELECT person FROM conversations WHERE user_id = ?", (user_id,)).get


def conversations_of(
    connection: apsw.Connection, person: str, limit: int, before: str | None
) -> tuple[OwnConversation, ...]:
    """Read the conversations that a person has begun, the newest first."""
    earlier = (
        ""
        if before is None
        else """AND (begun_at, user_id) <
            (SELECT begun_at, user_id FROM conversations WHERE user_id = ?3 AND person = ?1)"""
    )
    query = f"""
    SELECT user_id, begun_at FROM conversations WHERE person = ?1 {earlier}
    ORDER BY begun_at DESC, user_id DESC LIMIT ?2"""
    given = (person, limit) if before is None else (person, limit, before)
    return tuple(
        OwnConversation(
            user_id=user_id,
            begun_at=datetime.fromtimestamp(begun_at, UTC),
            **{
                name: message_from_json(document)
                for name, said in (("first", _FIRST), ("last", _LAST))
                for (document,) in connection.execute(said, (user_id,))
            },
        )
        for user_id, begun_at in [*connection.execute(query, given)]
    )


def put_grant(connection: apsw.Connection, grant: Grant, now: datetime) -> None:
    """Keep a grant, and drop those that have expired."""
    connection.execute("DELETE FROM grants WHERE expires_at <= ?", (now.timestamp(),))
    row = (grant.digest, grant.body, grant.expires_at.timestamp())
    connection.execute("INSERT OR REPLACE INTO grants VALUES (?, ?, ?)", row)


def get_grant(connection: apsw.Connection, digest: bytes, now: datetime) -> Grant | None:
    """Read a grant that has not expired."""
    query = "SELECT body, expires_at FROM grants WHERE digest = ? AND expires_at > ?"
    row = connection.execute(query, (digest, now.timestamp())).fetchone()
    if row is None:
        return None
    return Grant(digest=digest, body=row[0], expires_at=datetime.fromtimestamp(row[1], UTC))


def replace_grant(connection: apsw.Connection, grant: Grant, now: datetime) -> None:
    """Put a grant in the place of the one with its digest, if there is one."""
    connection.execute(
        "UPDATE grants SET body = ?, expires_at = ? WHERE digest = ? AND expires_at > ?",
        (grant.body, grant.expires_at.timestamp(), grant.digest, now.timestamp()),
    )


def find_grants(connection: apsw.Connection, part: bytes, now: datetime) -> tuple[Grant, ...]:
    """Read the grants whose body has these bytes in it."""
    query = "SELECT digest, body, expires_at FROM grants WHERE instr(body, ?) AND expires_at > ?"
    return tuple(
        Grant(digest=digest, body=body, expires_at=datetime.fromtimestamp(expires_at, UTC))
        for digest, body, expires_at in connection.execute(query, (part, now.timestamp()))
    )


def take_grant(connection: apsw.Connection, digest: bytes, now: datetime) -> Grant | None:
    """Read a grant that has not expired, and delete it."""
    grant = get_grant(connection, digest, now)
    connection.execute("DELETE FROM grants WHERE digest = ?", (digest,))
    return grant
