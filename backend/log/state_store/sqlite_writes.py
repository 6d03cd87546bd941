"""How records are written to SQLite: durable at once in the journal, and into the tables a little later.

A group of writes is one row in the journal, so making it durable is one statement and a few pages, whatever
the number of users in it. The rows it holds are also kept here and put into the tables together: before
anything is read, when many have gathered, or when there is nothing else to do. By then most of what a running
task had rewritten again and again is one row, and its events and partial results lie together in another.
What a crash leaves in the journal is put into the tables when the file is opened.

Measured on two cores with 50 users, for a task with 22 events and 10 partial results: 0.27 ms of CPU and
75 KB written, where a statement for every record, straight into the tables, took 0.57 ms and 190 KB.
"""

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import apsw
import ormsgpack
import structlog

from ...domain.clock import Clock, system_clock
from ...domain.events import Event, StoredEvent, stored
from ...domain.task import TERMINAL
from .base import MustBeOpen, Record, not_open
from .sqlite_erasure import Eraser, Goal
from .sqlite_file import DataFile, empty_log, transaction
from .sqlite_identity import Identity
from .sqlite_rows import (
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
    Numbered,
    Row,
    as_today,
    event_rows,
    rows_of,
)
from .sqlite_schema import TABLES_OF_USERS
from .sqlite_trimming import TRIM_EVERY_EVENTS, LogTrimmer

MOST_UNAPPLIED = 2000
"""Rows that may gather before they are put into the tables, which then takes some 5 ms. That is done after
those who wait for the group have been told: before it, every hundredth commit took 5 ms longer.
"""

_BYTES_LIKE_A_ROW = 8192
"""How much of what was written counts as one more row in `unapplied`: so at most 16 MiB gather."""

_APPLY_AGAIN_S = 0.5
"""How long after a failure reads do without the tables: each try may write megabytes that come to nothing."""

_MOST_KNOWN_SEQS = 50_000
_NO_BOUND = 2**32 - 2
"""The most pages that SQLite allows."""

T = TypeVar("T")
_log = structlog.get_logger(__name__)


class Writer:
    """Writes groups of records, and numbers each user's events as it does. For one thread.

    `unapplied` is the number of rows that are durable but not in the tables yet.
    """

    def __init__(
        self,
        connection: apsw.Connection,
        file: DataFile,
        *,
        keep_events: int,
        max_pages: int | None = None,
        clock: Clock = system_clock,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Put into the tables what the journal still holds. Raises `apsw.Error` and `OSError`.

        Where the file has `max_pages`, nothing more becomes durable; what is durable still gets into tables.
        """
        self._connection = connection
        self._file = file
        self._monotonic = monotonic
        self._apply_not_before = monotonic()
        self._keep_events = keep_events
        self._max_pages = max_pages
        self._last_seq: dict[str, int] = {}
        self.unapplied = 0
        self._rows: dict[Row, Numbered] = {}
        self._events: dict[str, tuple[int, list[bytes]]] = {}
        self._partials: dict[tuple[str, int], list[Row]] = {}
        self._trimmer = LogTrimmer(connection)
        self.identity = Identity(connection, file, clock=clock)
        for (rows,) in connection.execute("SELECT rows FROM journal ORDER BY id"):
            self._gather([(number, as_today(number, row)) for number, row in ormsgpack.unpackb(rows)])
        self.apply()
        self._limit_pages(self._max_pages)
        self.eraser = Eraser(connection, file, monotonic=monotonic)

    def write(
        self, group: Sequence[tuple[str, Sequence[Record]]]
    ) -> list[tuple[tuple[StoredEvent, ...], int]]:
        """Make all of a group durable together; return each one's events and its user's `seq`.

        Raises `apsw.Error` if that fails, and `StoreUnavailable` if the file was deleted; then nothing of the
        group is kept and no number used up.
        """
        self._file.check()
        if len(self._last_seq) > _MOST_KNOWN_SEQS:
            self.apply()
        rows: list[Numbered] = []
        before: dict[str, int] = {}
        try:
            results = [self._prepare(rows, before, user_id, records) for user_id, records in group]
            if rows:
                packed = ormsgpack.packb(rows)
                self._connection.execute(
                    "INSERT INTO journal VALUES (?, ?)", (self.identity.groups + 1, packed)
                )
                self.identity.group_written()
                self.unapplied += len(packed) // _BYTES_LIKE_A_ROW
        except Exception:
            self._last_seq.update(before)
            raise
        self._gather(rows)
        return results

    def apply(self) -> None:
        """Put everything that is durable into the tables. Raises `apsw.Error`; then it is still durable.

        The disk is not waited for: where the power fails, the journal's rows are there and put in again.
        """
        if self.unapplied:
            self._limit_pages(_NO_BOUND)
            self._connection.pragma("synchronous", "normal")
            try:
                with transaction(self._connection):
                    self._put_into_tables()
            finally:
                self._connection.pragma("synchronous", "full")
                self._limit_pages(self._max_pages)
            self.unapplied = 0
            self._rows, self._events, self._partials = {}, {}, {}
            self._trimmer.trimmed()
        if len(self._last_seq) > _MOST_KNOWN_SEQS:
            self._last_seq.clear()

    def _put_into_tables(self) -> None:
        # First the journal: on a full disk, the tables then take its place.
        self._connection.execute("DELETE FROM journal")
        self.identity.keep()
        by_statement = self._by_statement()
        for number in sorted(by_statement):
            self._connection.executemany(STATEMENTS[number].sql, by_statement[number])
        self._trimmer.trim()

    def read(self, read: Callable[[apsw.Connection], T]) -> T:
        """Read from the tables, with all that is durable in them. Raises `apsw.Error`.

        Works on a full disk, too, where nothing can be put into the tables to stay.
        """
        if self._monotonic() >= self._apply_not_before:
            try:
                self.apply()
            except (apsw.FullError, apsw.IOError) as error:
                self._apply_not_before = self._monotonic() + _APPLY_AGAIN_S
                self.eraser.lose_track()
                empty_log(self._connection)
                _log.warning("the journal could not be put into the tables yet", reason=str(error))
        if not self.unapplied:
            return read(self._connection)
        # In a transaction that is never committed and does not spill, SQLite keeps what it changes in memory.
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

    def delete_user(self, user_id: str) -> Goal | None:
        """Delete every row of a user; the numbers of one that comes back begin anew, under another epoch.

        What they held leaves the file by and by; return when it has, for `Eraser.erase_at_once`. Returns None
        if nothing was known about the user. Raises `apsw.Error` and `StoreUnavailable`.
        """
        self._file.check()
        self.apply()
        known, before = False, self._connection.total_changes()
        with transaction(self._connection):
            for table in TABLES_OF_USERS:
                self._connection.execute(f"DELETE FROM {table} WHERE user_id = ?", (user_id,))
            known = self._connection.total_changes() > before
            if known:
                self.eraser.note()
                self.identity.keep_deletion()
        self._last_seq.pop(user_id, None)
        if not known:
            return None
        self.identity.user_deleted()
        return self.eraser.begin()

    def _limit_pages(self, pages: int | None) -> None:
        if self._max_pages is not None:
            self._connection.pragma("max_page_count", pages)

    def _gather(self, rows: Sequence[Numbered]) -> None:
        """Add rows to those that go into the tables next, each in the place of the one it replaces.

        What is gathered here is in the journal already. SQLite's own log would make rows durable, too, but
        page by page, and a task's rows lie on as many pages as there are tables. One row for the whole group
        took half the CPU and 40 % of the bytes (figures above), and most are replaced before they get there.
        """
        self.unapplied += len(rows)
        for number, row in rows:
            if number == EVENT:
                user_id, seq, body = row
                self._events.setdefault(user_id, (seq, []))[1].append(body)
                self._trimmer.appended(user_id, seq, len(body))
            elif number == PARTIAL:
                self._partials.setdefault(row[:2], []).append(row[2:])
            else:
                if number == FORGET_CHECKPOINT:
                    # Statements run in the order of their numbers, so that a checkpoint saved after this one
                    # is kept; one saved before it must therefore not be there any more.
                    self._rows.pop((CHECKPOINT, *row), None)
                key = (number, *row[: STATEMENTS[number].key or None])
                old = self._rows.get(key)
                # The tables' own conditions (`ON CONFLICT ... WHERE`) never see a row that is replaced here.
                if old is None or not _is_final(old):
                    self._rows[key] = (number, row)

    def _by_statement(self) -> dict[int, list[Row]]:
        """Return what goes into the tables: the values that each statement binds."""
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
        known = self._last_seq.get(user_id)
        if known is None:
            query = "SELECT max(last_seq) FROM events WHERE user_id = ?"
            known = self._connection.execute(query, (user_id,)).get or 0
        return known

    def _prepare(
        self, rows: list[Numbered], before: dict[str, int], user_id: str, records: Sequence[Record]
    ) -> tuple[tuple[StoredEvent, ...], int]:
        """Turn one user's records into rows, numbering the events; `before` notes where the numbers were.

        Raises `NotOpen` where a condition among them does not hold.
        """
        for record in records:
            if isinstance(record, MustBeOpen) and not self._is_open(rows, user_id, record.request_id):
                raise not_open(record.request_id)
        events: list[StoredEvent] = []
        seq = self._seq(user_id)
        before.setdefault(user_id, seq)
        for record in records:
            if isinstance(record, Event):
                seq += 1
                events.append(stored(seq, record.body))
                rows.append((EVENT, (user_id, seq, record.body)))
                if seq % TRIM_EVERY_EVENTS == 0:
                    rows.append((TRIM_EVENTS, (user_id, seq - self._keep_events)))
            elif not isinstance(record, MustBeOpen):
                rows += rows_of(user_id, seq, record)
        self._last_seq[user_id] = seq
        return tuple(events), seq

    def _is_open(self, rows: Sequence[Numbered], user_id: str, request_id: str) -> bool:
        """Tell whether an input request is open, after all that is to be written before.

        Looks in three places, for two answers to one question may be in one group, or one of them in the
        journal and not in the tables yet; putting it there first would cost each answer 5 ms.
        """
        key = (user_id, request_id)
        about = [row for number, row in rows if number == INPUT and row[:2] == key]
        gathered = self._rows.get((INPUT, *key))
        about += [gathered[1]] if gathered else []
        query = "SELECT resolution FROM inputs WHERE user_id = ? AND request_id = ?"
        resolutions = [row[RESOLUTION] for row in about] + [
            row[0] for row in self._connection.execute(query, key)
        ]
        return bool(resolutions) and not any(resolutions)


def _is_final(old: Numbered) -> bool:
    """Tell whether a row is final: later rows of its key are dropped, as the statements drop them.

    So a task that was interrupted stays so, though its own last write comes later in the same group.
    """
    number, row = old
    if number == INPUT:
        return row[RESOLUTION] is not None
    return number == ACCEPTANCE or (number == TASK and row[STATUS] in TERMINAL)
