"""Tells whether a file is still the one that was last written, or an older state of it was put in its place.

A file that was restored gives numbers a second time that clients have already seen under the same epoch,
with other events. So the groups of writes are counted, in the file and in a mark beside it, and a file
that is behind its mark gets new epochs. The mark is written after those who wait for a group have been
told (12 microseconds, not synced): a kill or a power cut may only leave it behind the file, which means
nothing.

A whole folder that was restored has its old mark, too. That shows by its times: the mark holds the time
at which it was written, and only writing gives a file one time for its content and its inode. What puts
the whole disk back, as a virtual machine's snapshot does, leaves no trace that could be seen from inside.
"""

import contextlib
import os
import secrets
from pathlib import Path

import apsw
import structlog

from ...domain.encoding import Clock
from ..records import epoch_of
from .file import DataFile, transaction

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
