"""Persons and grants in an SQLite store. What changes something runs in a transaction of its own."""

import contextlib
import os
import secrets
from datetime import UTC, datetime
from pathlib import Path

import apsw
import structlog

from ...domain.encoding import Clock
from ..codec import message_from_json
from ..persons import Grant, OwnConversation
from ..records import epoch_of
from .file import DataFile, transaction

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


# --- sqlite identity -----------------------------------------------------------------------------------
# Tells whether a file is still the one that was last written, or an older state of it was put in its place.
#
# A file that was restored gives numbers a second time that clients have already seen under the same epoch,
# with other events. So the groups of writes are counted, in the file and in a mark beside it, and a file
# that is behind its mark gets new epochs. The mark is written after those who wait for a group have been
# told (12 microseconds, not synced): a kill or a power cut may only leave it behind the file, which means
# nothing.
#
# A whole folder that was restored has its old mark, too. That shows by its times: the mark holds the time
# at which it was written, and only writing gives a file one time for its content and its inode. What puts
# the whole disk back, as a virtual machine's snapshot does, leaves no trace that could be seen from inside.


_TABLE = """CREATE TABLE IF NOT EXISTS identity
    (id INTEGER PRIMARY KEY, name TEXT NOT NULL, groups INTEGER NOT NULL, deletions INTEGER NOT NULL)"""

_SAME_S = 1.0
"""How far times of one write may lie apart, since file systems round them."""

_MARK = "%s %020d %.3f\n"

_log = structlog.get_logger(__name__)


class Identity:
    """How far a file has come. For one thread, but for `epoch_of`.

    `groups` counts the groups of writes and the deletions that are durable.
    """

    def __init__(self, connection: apsw.Connection, file: DataFile | None, *, clock: Clock) -> None:
        """Give the file new epochs if it is not the one last written; without one, nothing is kept.

        Raises `apsw.Error` and `OSError`.
        """
        self._connection = connection
        self._clock = clock
        self._descriptor: int | None = None
        self._marked = -1
        self.groups = 0
        if file is None:
            self._name, self._deletions = secrets.token_hex(8), 0
            return
        connection.execute(_TABLE)
        kept = connection.execute("SELECT name, groups, deletions FROM identity").fetchone()
        if kept is None:
            kept = secrets.token_hex(8), 0, 0
            connection.execute("INSERT INTO identity VALUES (1, ?, ?, ?)", kept)
        self._name, applied, self._deletions = kept
        in_journal = connection.execute("SELECT max(id) FROM journal").get or 0
        self.groups = max(applied, in_journal)
        path = file.path.with_suffix(".mark")
        set_back = self._why_set_back(path)
        if set_back:
            self._begin_anew()
            _log.error("the data file is not the one last written; all clients begin anew", reason=set_back)
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self.mark()

    def epoch_of(self, user_id: str) -> str:
        """Return the epoch of the log that a user without one begins."""
        return epoch_of(self._name, self._deletions, user_id)

    def group_written(self) -> None:
        """Count a group of writes that has become durable as the journal's row `groups` + 1."""
        self.groups += 1

    def keep(self) -> None:
        """Keep the count in the transaction that empties the journal."""
        self._connection.execute("UPDATE identity SET groups = ?", (self.groups,))

    def keep_deletion(self) -> None:
        """Count a deletion, in its transaction."""
        if self._descriptor is None:
            return
        kept = self.groups + 1, self._deletions + 1
        self._connection.execute("UPDATE identity SET groups = ?, deletions = ?", kept)

    def user_deleted(self) -> None:
        """Note that a deletion has become durable."""
        self._deletions += 1
        self.group_written()
        self.mark()

    def mark(self) -> None:
        """Write the mark, if groups have been written since."""
        if self._descriptor is not None and self._marked != self.groups:
            self._marked = self.groups
            mark = _MARK % (self._name, self.groups, self._clock().timestamp())
            with contextlib.suppress(OSError):  # a mark that is behind is no fault, and the group is durable
                os.pwrite(self._descriptor, mark.encode(), 0)

    def close(self) -> None:
        """Let go of the mark."""
        if self._descriptor is not None:
            os.close(self._descriptor)

    def _why_set_back(self, path: Path) -> str:
        """Return why the file cannot be the one last written, or nothing."""
        try:
            name, groups, written_at = path.read_text().split()
            marked, seconds = int(groups), float(written_at)
            times = path.stat()
        except (OSError, ValueError):
            # A file of an earlier version has no mark, and nothing was counted in it.
            return f"there is no mark of it in {path}" if self.groups else ""
        if name != self._name:
            return f"{path} is the mark of another file"
        if marked > self.groups:
            return f"it lacks the last {marked - self.groups} of the writes that were acknowledged"
        if max(abs(times.st_mtime - seconds), abs(times.st_ctime - seconds)) > _SAME_S:
            return f"{path} was copied or restored"
        return ""

    def _begin_anew(self) -> None:
        self._name = secrets.token_hex(8)
        with transaction(self._connection):
            self._connection.execute("UPDATE identity SET name = ?", (self._name,))
            self._connection.execute("UPDATE users SET epoch = lower(hex(randomblob(4)))")
