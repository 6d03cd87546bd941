"""Keeps the event log of each user within `EVENT_BYTES_KEPT`, by deleting its oldest rows.

Measuring a log of 16 MiB takes 6 ms, since SQLite reads a whole row of a `WITHOUT ROWID` table to pass it. So
each log is measured once, and then not before it can be too large again: at most once per MiB written.

The counts are lost with the process, the event numbers are not: a log that was not measured yet is measured
at the next hundredth event. So its size is bounded however often the process is lost.
"""

import apsw

from .base import EVENT_BYTES_KEPT
from .sqlite_rows import STATEMENTS, TRIM_EVENTS

TRIM_EVERY_EVENTS = 100
"""At event numbers that this divides, a log is trimmed by number, and measured if its size is not known."""

TRIM_EVERY_BYTES = 1024 * 1024
"""How much is appended to a log of unknown size, or to one that is full, before it is measured."""

_MOST_COUNTED = 50_000
"""The most logs whose size is known. If there are more, all are measured anew."""

_SIZES = "SELECT last_seq, length(bodies) FROM events WHERE user_id = ? ORDER BY last_seq DESC"


class LogTrimmer:
    """Notes what is appended to each log, and trims the logs that are due. For the writer's thread."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        # How many bytes may be appended to each log before it is measured again.
        self._room: dict[str, int] = {}
        self._due: dict[str, int] = {}

    def appended(self, user_id: str, seq: int, size: int) -> None:
        """Note an event of so many bytes that goes into the tables next."""
        room = self._room.get(user_id, TRIM_EVERY_BYTES) - size
        self._room[user_id] = room
        if room <= 0 or (room < TRIM_EVERY_BYTES and seq % TRIM_EVERY_EVENTS == 0):
            self._due[user_id] = 0

    def trim(self) -> None:
        """Delete the oldest rows of the logs that are due. Raises `apsw.Error`.

        They stay due until `trimmed`: the transaction that this belongs to may be rolled back.
        """
        for user_id in self._due:
            kept, last_forgotten = self._measure(user_id)
            self._connection.execute(STATEMENTS[TRIM_EVENTS].sql, (user_id, last_forgotten))
            self._due[user_id] = EVENT_BYTES_KEPT + TRIM_EVERY_BYTES - kept

    def trimmed(self) -> None:
        """Note that the transaction in which `trim` was called is committed."""
        self._room.update(self._due)
        self._due = {}
        if len(self._room) > _MOST_COUNTED:
            self._room = {}

    def _measure(self, user_id: str) -> tuple[int, int]:
        """Return the bytes of the newest rows that fit, and the last event number of the row before them.

        The newest row fits whatever its size: the next event's number is derived from it.
        """
        kept = 0
        for last_seq, size in self._connection.execute(_SIZES, (user_id,)):
            if kept and kept + size > EVENT_BYTES_KEPT:
                return kept, last_seq
            kept += size
        return kept, 0
