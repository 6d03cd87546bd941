"""Writes records to SQLite: at once, durably, to a journal; a little later to the tables.

A group of writes is one row in the journal, so making it durable takes one statement and a few pages, however
many users are in it. Memory keeps the rows as well, and they are applied to the tables together: before a
read, when many have gathered, or when the thread is idle. By then the rows that a running task has rewritten
again and again are one row, and its events and partial results lie together in another. Opening the file
applies what a crash has left in the journal.

Measured on two cores with 50 users, for a task with 22 events and 10 partial results: 0.27 ms of CPU and
75 KB written, where a statement for every record, straight into the tables, took 0.57 ms and 190 KB.
"""

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import apsw
import ormsgpack
import structlog

from ...domain.encoding import Clock, system_clock
from ...domain.errors import StoreUnavailable
from ...domain.events import Event, StoredEvent, stored
from ...domain.task import TERMINAL
from ...domain.tool_call import ToolCall
from ..base import EVENT_BYTES_KEPT
from ..reads import Read
from ..records import MustBeOpen, Record, Wanted, not_open
from ..repeated_results import RepeatedResults
from ..retention import Drop, Dropped
from .erasure import Eraser, Goal, NoEraser
from .file import TABLES_OF_USERS, DataFile, empty_log, transaction
from .identity import Identity
from .reads import run
from .retention import carry_out
from .retention import trim as trim_thread
from .rows import (
    ACCEPTANCE,
    CHECKPOINT,
    EVENT,
    FORGET_CHECKPOINT,
    INPUT,
    PARTIAL,
    RESOLUTION,
    STATEMENTS,
    STATUS,
    TASK,
    TRIM_EVENTS,
    TRIM_THREAD,
    Row,
    StatementRow,
    as_today,
    event_rows,
    rows_of,
)

# --- sqlite trimming -----------------------------------------------------------------------------------
# Keeps the event log of each user within `EVENT_BYTES_KEPT`, by deleting its oldest rows.
#
# Measuring a log of 16 MiB takes 6 ms, since SQLite reads a whole row of a `WITHOUT ROWID` table to pass
# it. So each log is measured once, and then not before it can be too large again: at most once per MiB
# written.
#
# The counts are lost with the process, the event numbers are not: a log that was not measured yet is
# measured at the next hundredth event. So its size is bounded however often the process is lost.


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


# --- sqlite writes -------------------------------------------------------------------------------------


MOST_UNAPPLIED = 8000
"""Rows that may gather before they are applied to the tables, which takes some 20 ms (measured).

With a fourth of it, a user's rows lay on the same pages again and again, each time written anew.
"""

_BYTES_LIKE_A_ROW = 2048
"""Bytes that count as one more row in `unapplied`: so at most 16 MiB gather."""

_APPLY_AGAIN_S = 0.5
"""Seconds after a failure in which reads do not try to apply: each try may write megabytes in vain."""

_MOST_KNOWN_SEQS = 50_000
_NO_BOUND = 2**32 - 2
"""The most pages that SQLite allows."""

T = TypeVar("T")
_log = structlog.get_logger(__name__)


class Writer:
    """Writes groups of records, and numbers each user's events. For use by one thread.

    `unapplied` is the number of rows that are durable but not in the tables yet.
    """

    def __init__(
        self,
        connection: apsw.Connection,
        file: DataFile | None,
        *,
        keep_events: int,
        max_pages: int | None = None,
        clock: Clock = system_clock,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Apply what the journal still holds; without a `file`, all is in memory.

        Raises `apsw.Error` and `OSError`. A file of `max_pages` accepts no more writes; what is durable
        can still be applied to the tables.
        """
        self._connection = connection
        self._file = file
        self._monotonic = monotonic
        self._apply_not_before = monotonic()
        self._keep_events = keep_events
        self._max_pages = max_pages
        self._last_seq: dict[str, int] = {}
        self.unapplied = 0
        self._rows: dict[Row, StatementRow] = {}
        self._events: dict[str, tuple[int, list[bytes]]] = {}
        self._partials: dict[tuple[str, int], list[Row]] = {}
        self._trimmer = LogTrimmer(connection)
        self._threads_to_trim: set[Row] = set()
        self._results = RepeatedResults(keep_events=keep_events)
        self.identity = Identity(connection, file, clock=clock)
        # The journal's rows may be from an earlier version: `as_today` gives them today's columns.
        for (rows,) in connection.execute("SELECT rows FROM journal ORDER BY id"):
            self._gather([(number, as_today(number, row)) for number, row in ormsgpack.unpackb(rows)])
        self.apply()
        # After `apply`, which must not fail for the bound of a full file.
        self._limit_pages(self._max_pages)
        self.eraser = NoEraser() if file is None else Eraser(connection, file, monotonic=monotonic)

    def write(
        self, group: Sequence[tuple[str, Sequence[Record]]]
    ) -> list[tuple[tuple[StoredEvent, ...], int]]:
        """Make a whole group durable; return each write's events and its user's `seq`.

        Raises `apsw.Error` if that fails, and `StoreUnavailable` if the file was deleted; then nothing of the
        group is stored and no number is used up.
        """
        self._check_file()
        # `apply` forgets the numbers in memory: they can be read from the tables once these are up to date.
        if len(self._last_seq) > _MOST_KNOWN_SEQS:
            self.apply()
        rows: list[StatementRow] = []
        before: dict[str, int] = {}
        try:
            results = [self._number_events(rows, before, user_id, records) for user_id, records in group]
            if rows and self._file is not None:
                packed = ormsgpack.packb(rows)
                self._connection.execute(
                    "INSERT INTO journal VALUES (?, ?)", (self.identity.groups + 1, packed)
                )
                self.identity.group_written()
                self.unapplied += len(packed) // _BYTES_LIKE_A_ROW
        except Exception:
            # The numbers go back, so that the next write leaves no gap.
            self._last_seq.update(before)
            for user_id in before:
                self._results.forget(user_id)
            raise
        # After the journal: what memory holds is always durable.
        self._gather(rows)
        return results

    def store_call(self, user_id: str, call: ToolCall, wanted: Wanted) -> bool:
        """Make the begin of a call durable if it is wanted. Raises `StoreUnavailable`."""
        if not wanted():
            return False
        try:
            self.write([(user_id, (call,))])
        except apsw.Error as error:
            raise StoreUnavailable(f"The store could not keep it: {error}.") from error
        return True

    def apply(self) -> None:
        """Apply everything that is durable to the tables. Raises `apsw.Error`; then it is still durable."""
        if self.unapplied:
            with self._without_bounds(), transaction(self._connection):
                self._put_into_tables()
            # Only after the transaction: rows of a failed one are applied by the next.
            self.unapplied = 0
            self._rows, self._events, self._partials = {}, {}, {}
            self._threads_to_trim = set()
            self._trimmer.trimmed()
        if len(self._last_seq) > _MOST_KNOWN_SEQS:
            self._last_seq.clear()

    @contextmanager
    def _without_bounds(self) -> Generator[None]:
        if self._file is None:
            yield
            return
        # A file at its bound must still take what is durable already.
        self._limit_pages(_NO_BOUND)
        # Without waiting for the disk: after a power failure the journal's rows are applied again.
        self._connection.pragma("synchronous", "normal")
        try:
            yield
        finally:
            self._connection.pragma("synchronous", "full")
            self._limit_pages(self._max_pages)

    def _put_into_tables(self) -> None:
        if self._file is not None:
            # The journal first: on a full disk the tables then use the pages that it frees.
            self._connection.execute("DELETE FROM journal")
            self.identity.keep()
        # In the order of the statements' numbers: the trims come after the inserts that they trim.
        by_statement = self._by_statement()
        for number in sorted(by_statement):
            self._connection.executemany(STATEMENTS[number].sql, by_statement[number])
        self._trimmer.trim()
        for row in sorted(self._threads_to_trim):
            trim_thread(self._connection, *row)

    def read(self, read: Callable[[apsw.Connection], T]) -> T:
        """Read from the tables after everything durable has been applied. Raises `apsw.Error`.

        Works on a full disk, too: the rows are then applied for this read alone.
        """
        if self._monotonic() >= self._apply_not_before:
            try:
                self.apply()
            except (apsw.FullError, apsw.IOError) as error:
                self._apply_not_before = self._monotonic() + _APPLY_AGAIN_S
                self.eraser.lose_track()
                # Gives the pages of the failed try back to the disk; the next writes need them.
                empty_log(self._connection)
                _log.warning("the journal could not be put into the tables yet", reason=str(error))
        if not self.unapplied:
            return read(self._connection)
        # In a transaction that is never committed and does not spill, SQLite keeps its changes in memory.
        self._limit_pages(_NO_BOUND)
        self._connection.pragma("cache_spill", False)
        self._connection.execute("BEGIN")
        try:
            self._put_into_tables()
            return read(self._connection)
        finally:
            self._connection.execute("ROLLBACK")
            self._connection.pragma("cache_spill", True)
            self._limit_pages(self._max_pages)

    def change(self, change: Callable[[apsw.Connection], T]) -> T:
        """Change the tables at once, durably, after everything durable has been applied.

        Raises `apsw.Error` and `StoreUnavailable`; then nothing was changed.
        """
        self._check_file()
        self.apply()
        with transaction(self._connection):
            return change(self._connection)

    def delete_user(self, user_id: str) -> Goal | None:
        """Delete every row of a user; a user who comes back gets a new epoch, with numbers from 1.

        Returns the goal for `Eraser.erase_at_once`, which overwrites the bytes in slices; None if the user
        was unknown. Raises `apsw.Error` and `StoreUnavailable`.
        """
        self._check_file()
        # The journal may hold rows of this user, which a later `apply` would bring back.
        self.apply()
        known, before = False, self._connection.total_changes()
        with transaction(self._connection):
            for table in TABLES_OF_USERS:
                self._connection.execute(f"DELETE FROM {table} WHERE user_id = ?", (user_id,))
            known = self._connection.total_changes() > before
            # In the same transaction: after a crash the next opening must know what to erase.
            if known:
                self.eraser.note()
                self.identity.keep_deletion()
        self._last_seq.pop(user_id, None)
        self._results.forget(user_id)
        if not known:
            return None
        self.identity.user_deleted()
        return self.eraser.begin()

    def drop_aged(self, user_id: str, plan: Read[Drop]) -> Dropped:
        """Plan what is to be dropped of a user, and drop it. Raises as `delete_user` does."""
        self._check_file()
        self.apply()
        changes = self._connection.total_changes()
        with transaction(self._connection):
            drop = run(self._connection, plan)
            carry_out(self._connection, user_id, drop)
            has_dropped = self._connection.total_changes() > changes
            if has_dropped:
                self.eraser.note()
        if has_dropped:
            self._results.forget(user_id)  # which results the log still holds is known no more
            self.eraser.begin()
        return drop.outcome

    def _check_file(self) -> None:
        # SQLite would go on writing to a deleted file, and every acknowledged message would be lost.
        if self._file is not None:
            self._file.check()

    def _limit_pages(self, pages: int | None) -> None:
        if self._max_pages is not None:
            self._connection.pragma("max_page_count", pages)

    def _gather(self, rows: Sequence[StatementRow]) -> None:
        """Add rows to those that are applied next, each in place of the one that it replaces."""
        # They are in the journal already. SQLite's own log would make rows durable too, but page by page, and
        # a task's rows lie on as many pages as there are tables. One journal row for the group took half the
        # CPU and 40 % of the bytes (figures above), and most rows are replaced before they are applied.
        self.unapplied += len(rows)
        for number, row in rows:
            if number == EVENT:
                user_id, seq, body = row
                self._events.setdefault(user_id, (seq, []))[1].append(body)
                self._trimmer.appended(user_id, seq, len(body))
            elif number == PARTIAL:
                self._partials.setdefault(row[:2], []).append(row[2:])
            elif number == TRIM_THREAD:
                self._threads_to_trim.add(row)
            else:
                if number == FORGET_CHECKPOINT:
                    # Statements run in the order of their numbers, the deletion first: so a checkpoint that
                    # is saved after it stays, and one saved before it must be removed here.
                    self._rows.pop((CHECKPOINT, *row), None)
                key = (number, *row[: STATEMENTS[number].key or None])
                old = self._rows.get(key)
                # The same condition as `ON CONFLICT ... WHERE`, which never sees a row replaced here.
                if old is None or not _is_final(old):
                    self._rows[key] = (number, row)

    def _by_statement(self) -> dict[int, list[Row]]:
        """Return the values that each statement binds."""
        found: dict[int, list[Row]] = {
            EVENT: [
                row
                for user_id, (first_seq, bodies) in self._events.items()
                for row in event_rows(user_id, first_seq, bodies)
            ],
            PARTIAL: [
                (user_id, turn, saved[-1][0], ormsgpack.packb(saved))
                for (user_id, turn), saved in self._partials.items()
            ],
        }
        for number, row in self._rows.values():
            found.setdefault(number, []).append(row)
        return found

    def _seq(self, user_id: str) -> int:
        # Whoever has unapplied events has a known number: the table is up to date for all others.
        known = self._last_seq.get(user_id)
        if known is None:
            query = "SELECT max(last_seq) FROM events WHERE user_id = ?"
            known = self._connection.execute(query, (user_id,)).get or 0
        return known

    def _number_events(
        self, rows: list[StatementRow], before: dict[str, int], user_id: str, records: Sequence[Record]
    ) -> tuple[tuple[StoredEvent, ...], int]:
        """Turn one user's records into rows, and number the events; `before` gets the last number before.

        Raises `NotOpen` if a condition among the records does not hold.
        """
        # All conditions first: records that fail must leave no rows behind.
        for record in records:
            if isinstance(record, MustBeOpen) and not self._is_open(rows, user_id, record.request_id):
                raise not_open(record.request_id)
        events: list[StoredEvent] = []
        seq = self._seq(user_id)
        before.setdefault(user_id, seq)  # a user's first write in the group counts
        for record in records:
            if isinstance(record, Event):
                seq += 1
                events.append(stored(seq, record.body))
                rows.append((EVENT, (user_id, seq, self._results.body_to_store(user_id, seq, record))))
                if seq % TRIM_EVERY_EVENTS == 0:
                    rows.append((TRIM_EVENTS, (user_id, seq - self._keep_events)))
            elif not isinstance(record, MustBeOpen):
                rows += rows_of(user_id, seq, record)
        self._last_seq[user_id] = seq
        return tuple(events), seq

    def _is_open(self, rows: Sequence[StatementRow], user_id: str, request_id: str) -> bool:
        """Return whether an input request is open, after everything that is written before."""
        # Three places: two answers to one question may be in one group, or one of them in the journal and not
        # in the tables yet. Applying the journal first would cost each answer 5 ms.
        key = (user_id, request_id)
        about = [row for number, row in rows if number == INPUT and row[:2] == key]
        gathered = self._rows.get((INPUT, *key))
        about += [gathered[1]] if gathered else []
        query = "SELECT resolution FROM inputs WHERE user_id = ? AND request_id = ?"
        resolutions = [row[RESOLUTION] for row in about] + [
            row[0] for row in self._connection.execute(query, key)
        ]
        return bool(resolutions) and not any(resolutions)


def _is_final(old: StatementRow) -> bool:
    """Return whether a row is final: later rows of its key are dropped, as the statements drop them."""
    # So an interrupted task stays interrupted, though its own last write may come later in the same group.
    number, row = old
    if number == INPUT:
        return row[RESOLUTION] is not None
    return number == ACCEPTANCE or (number == TASK and row[STATUS] in TERMINAL)
