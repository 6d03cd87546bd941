"""The file of an SQLite store: locked against a second server, and missed when it is deleted."""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import apsw

from ...errors import StoreUnavailable

BUSY_TIMEOUT_MS = 5000
"""How long a statement waits for another program that has the file locked."""


class DataFile:
    """Holds the file at `path`, which is created if missing, for this process alone.

    Raises `BlockingIOError` where another process has it, and `OSError`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        # Private, because what users said is in it; what SQLite puts beside it is as private.
        self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            # The lock is on the file itself: one on a file beside it let a second server in once that was
            # deleted. SQLite locks ranges by `fcntl`, which `flock` neither sees nor disturbs.
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self.descriptor)
            raise
        self._name = str(path)
        self._identity = _identity(os.fstat(self.descriptor))

    def check(self) -> None:
        """Raise `StoreUnavailable` if the file was deleted or replaced: what is written would be lost.

        Costs 2 microseconds, so that every group of writes can afford it.
        """
        try:
            found = _identity(os.stat(self._name))
        except OSError:
            found = None
        if found != self._identity:
            raise StoreUnavailable(f"{self.path} was deleted or replaced while the server runs; restart it.")

    def close(self) -> None:
        """Let go of the file, after SQLite has: closing any descriptor ends the process's `fcntl` locks."""
        os.close(self.descriptor)


@contextmanager
def transaction(connection: apsw.Connection) -> Generator[None, None, None]:
    """Commit what is done within, or nothing of it.

    apsw's own (`with connection`) hides a full disk: SQLite has rolled back by itself then, and apsw's
    attempt to do so raises "cannot rollback - no transaction is active" instead.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except Exception:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def empty_log(connection: apsw.Connection) -> bool:
    """Put the write-ahead log into the file and give its room back; return whether that was possible.

    It is not while another program reads what is in the log, or while there is no room to do it. Nobody waits
    for either: with SQLite's time-out, one program that read the file held up everybody for 5 s.
    """
    connection.set_busy_timeout(0)
    try:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    except (apsw.BusyError, apsw.FullError, apsw.IOError):
        return False
    finally:
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    return True


def _identity(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino
