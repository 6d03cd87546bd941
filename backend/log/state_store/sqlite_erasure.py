"""What was deleted leaves the file, too: SQLite by itself only forgets where it was.

Deleted rows stay legible in free pages, in the unused parts of pages in use, and in the write-ahead log,
until something happens to be written over them. `secure_delete` does not change that: in a file of 40 users
of whom 20 were deleted, `FAST` left thousands of words of all of them and `ON` some of 6 of them, copied
about as pages were split, and with `ON` every task wrote 39 % more. So the file is written anew (`VACUUM`)
and the log emptied. That costs nothing until somebody is deleted, and then 1 s for every 100 MB, in which the
store does nothing else. Hence a small file is written anew at once and a large one when there is nothing else
to do, and either for a hundredth of the time at most; what is still due is done when the file is next opened.
"""

from collections.abc import Callable

import apsw
import structlog

AT_ONCE_BYTES = 32 * 1024 * 1024
"""The largest file that is written anew while others wait, which takes 0.3 s."""

IDLE_S = 1.0
"""How long there has been nothing to do before a larger file is written anew."""

_PAUSE = 100
"""How many times as long as it took to write a file anew it is not done again."""

_log = structlog.get_logger(__name__)


class Eraser:
    """Writes a file anew after something was deleted from it. For one thread.

    `due` tells that the file may hold what was deleted; that outlives the process.
    """

    def __init__(self, connection: apsw.Connection, *, monotonic: Callable[[], float]) -> None:
        """Erase what a process before this one left to be erased."""
        self._connection = connection
        self._monotonic = monotonic
        self._not_before = monotonic()
        self.due = bool(connection.execute("SELECT EXISTS (SELECT 1 FROM erasures)").get)
        if self.due:
            self._erase()

    @property
    def wait_s(self) -> float:
        """How long the store is to be idle before `when_idle`."""
        return max(IDLE_S, self._not_before - self._monotonic())

    def note(self) -> None:
        """Note that something is being deleted, in the transaction that deletes it."""
        self._connection.execute("INSERT OR IGNORE INTO erasures VALUES (1)")

    def after_deletion(self) -> None:
        """Erase at once what was deleted, if that holds up nobody for long."""
        self.due = True
        size = self._connection.pragma("page_count") * self._connection.pragma("page_size")
        if size <= AT_ONCE_BYTES and self._monotonic() >= self._not_before:
            self._erase()

    def when_idle(self) -> None:
        """Erase what is due, there being nothing else to do."""
        if self.due:
            self._erase()

    def _erase(self) -> None:
        began = self._monotonic()
        try:
            self._connection.execute("VACUUM")
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            self._connection.execute("DELETE FROM erasures")
            self.due = False
        except apsw.Error as error:
            _log.warning("what was deleted could not be erased from the file yet", reason=str(error))
        ended = self._monotonic()
        self._not_before = ended + _PAUSE * (ended - began)
