"""The SQLite store's tables, and how each kind of record is written to them.

Documents are JSON; the columns beside them are what is searched by. Every table but `users` begins with the
user and is clustered by its key, so that all of a user lies together and a write is one descent of one tree.
"""

from collections.abc import Sequence

import apsw

from backend.domain.context import KEPT_CONTEXTS, InterruptedContext
from backend.domain.events import Event, StoredEvent, stored
from backend.domain.task import Message, Task
from backend.state_store.base import (
    Acceptance,
    ForgetPartials,
    NewUser,
    Record,
    SavedPartial,
    SavedReceipt,
    unknown_record,
)
from backend.state_store.codec import context_to_json, message_to_json, task_to_json

SCHEMA_VERSION = 1

_TABLES = ("users", "tasks", "messages", "events", "partials", "receipts", "acceptances", "contexts")

_SCHEMA = """
CREATE TABLE users (user_id TEXT PRIMARY KEY, epoch TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE tasks (user_id TEXT, turn INTEGER, task_id TEXT NOT NULL, status TEXT NOT NULL, reason TEXT,
    aside INTEGER NOT NULL, document BLOB NOT NULL, PRIMARY KEY (user_id, turn)) WITHOUT ROWID;
CREATE UNIQUE INDEX tasks_by_id ON tasks (task_id);
CREATE INDEX tasks_resumable ON tasks (status)
    WHERE status NOT IN ('completed', 'failed', 'interrupted') OR reason = 'shutdown';
CREATE TABLE messages (user_id TEXT, turn INTEGER, position INTEGER, document BLOB NOT NULL,
    PRIMARY KEY (user_id, turn, position)) WITHOUT ROWID;
CREATE TABLE events (user_id TEXT, seq INTEGER, body BLOB NOT NULL, PRIMARY KEY (user_id, seq)) WITHOUT ROWID;
CREATE TABLE partials (user_id TEXT, turn INTEGER, position INTEGER, agent TEXT NOT NULL, source TEXT,
    count INTEGER NOT NULL, items BLOB NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (user_id, turn, position)) WITHOUT ROWID;
CREATE TABLE receipts (user_id TEXT, task_id TEXT, body BLOB NOT NULL,
    PRIMARY KEY (user_id, task_id)) WITHOUT ROWID;
CREATE TABLE acceptances (user_id TEXT, client_id TEXT, seq INTEGER NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (user_id, client_id)) WITHOUT ROWID;
CREATE TABLE contexts (user_id TEXT, turn INTEGER, document BLOB NOT NULL,
    PRIMARY KEY (user_id, turn)) WITHOUT ROWID;
"""

_PUT_TASK = """
INSERT INTO tasks VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (user_id, turn) DO UPDATE
SET status = excluded.status, reason = excluded.reason, document = excluded.document
WHERE status NOT IN ('completed', 'failed', 'interrupted')"""
_TRIM_CONTEXTS = """
DELETE FROM contexts WHERE user_id = ? AND turn <=
    (SELECT turn FROM contexts WHERE user_id = ? ORDER BY turn DESC LIMIT 1 OFFSET ?)"""
_PUT_EVENT = "INSERT INTO events VALUES (?, ?, ?)"
_TRIM_EVENTS = "DELETE FROM events WHERE user_id = ? AND seq <= ?"
_TRIM_PARTIALS = "DELETE FROM partials WHERE user_id = ? AND turn < ?"
_TRIM_EVENTS_EVERY = 100
_MOST_KNOWN_SEQS = 50_000

_Rows = dict[str, list[tuple[object, ...]]]


def create_schema(connection: apsw.Connection, *, max_pages: int | None = None) -> None:
    """Set the connection up and create the tables where the file is new. Raises `apsw.Error`."""
    connection.set_busy_timeout(5000)
    connection.pragma("journal_mode", "wal")
    connection.pragma("synchronous", "full")
    connection.pragma("journal_size_limit", 16 * 1024 * 1024)
    if max_pages is not None:
        connection.pragma("max_page_count", max_pages)
    version = connection.pragma("user_version")
    if version == 0:
        with connection:
            connection.execute(_SCHEMA)
            connection.pragma("user_version", SCHEMA_VERSION)
    elif version != SCHEMA_VERSION:
        raise apsw.SchemaChangeError(f"the file has version {version}, this program reads {SCHEMA_VERSION}")


class Writer:
    """Writes groups of records, and numbers each user's events as it does."""

    def __init__(self, connection: apsw.Connection, *, keep_events: int) -> None:
        self.connection = connection
        self._keep_events = keep_events
        self._last_seq: dict[str, int] = {}

    def write(
        self, group: Sequence[tuple[str, Sequence[Record]]]
    ) -> list[tuple[tuple[StoredEvent, ...], int]]:
        """Write all of a group in one transaction; return each one's events and its user's `seq`.

        Raises `apsw.Error` where that fails; then nothing of the group is kept and no number used up.
        """
        if len(self._last_seq) > _MOST_KNOWN_SEQS:
            self._last_seq.clear()
        puts: _Rows = {}
        trims: _Rows = {}
        results: list[tuple[tuple[StoredEvent, ...], int]] = []
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            for user_id, records in group:
                results.append(self._prepare(puts, trims, user_id, records))
            for statement, bindings in (*puts.items(), *trims.items()):
                self.connection.executemany(statement, bindings)
            self.connection.execute("COMMIT")
        except Exception:
            self._last_seq.clear()
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise
        return results

    def delete_user(self, user_id: str) -> None:
        """Delete every row of a user; the numbers of one that comes back begin anew."""
        self._last_seq.pop(user_id, None)
        with self.connection:
            for table in _TABLES:
                self.connection.execute(f"DELETE FROM {table} WHERE user_id = ?", (user_id,))

    def _seq(self, user_id: str) -> int:
        known = self._last_seq.get(user_id)
        if known is None:
            query = "SELECT max(seq) FROM events WHERE user_id = ?"
            known = self.connection.execute(query, (user_id,)).get or 0
            self._last_seq[user_id] = known
        return known

    def _prepare(
        self, puts: "_Rows", trims: "_Rows", user_id: str, records: Sequence[Record]
    ) -> tuple[tuple[StoredEvent, ...], int]:
        """Sort one user's records into rows by statement, numbering the events."""
        events: list[StoredEvent] = []
        seq = self._seq(user_id)
        for record in records:
            match record:
                case Event():
                    seq += 1
                    events.append(stored(seq, record.body))
                    puts.setdefault(_PUT_EVENT, []).append((user_id, seq, record.body))
                    if seq % _TRIM_EVENTS_EVERY == 0:
                        trims.setdefault(_TRIM_EVENTS, []).append((user_id, seq - self._keep_events))
                case ForgetPartials():
                    trims.setdefault(_TRIM_PARTIALS, []).append((user_id, record.before_turn))
                case _:
                    statement, row = _row(user_id, seq, record)
                    puts.setdefault(statement, []).append(row)
                    if isinstance(record, InterruptedContext):
                        trims.setdefault(_TRIM_CONTEXTS, []).append((user_id, user_id, KEPT_CONTEXTS))
        self._last_seq[user_id] = seq
        return tuple(events), seq


def _row(user_id: str, seq: int, record: Record) -> tuple[str, tuple[object, ...]]:
    """Return the statement that keeps a record, and what it binds."""
    match record:
        case Task():
            row = (
                user_id,
                record.turn,
                record.task_id,
                record.status,
                record.reason,
                record.aside,
                task_to_json(record),
            )
            return _PUT_TASK, row
        case Message():
            row = (user_id, record.turn, record.position, message_to_json(record))
            return "INSERT OR REPLACE INTO messages VALUES (?, ?, ?, ?)", row
        case SavedPartial():
            found = record.found
            row = (
                user_id,
                record.turn,
                record.position,
                found.agent if found else "",
                found.source if found else None,
                found.count if found else 0,
                found.items if found else b"",
                record.text,
            )
            return "INSERT OR REPLACE INTO partials VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row
        case SavedReceipt():
            row = (user_id, record.task_id, record.body)
            return "INSERT OR REPLACE INTO receipts VALUES (?, ?, ?)", row
        case InterruptedContext():
            row = (user_id, record.turn, context_to_json(record))
            return "INSERT OR REPLACE INTO contexts VALUES (?, ?, ?)", row
        case Acceptance():
            row = (user_id, record.client_id, seq, record.body)
            return "INSERT OR IGNORE INTO acceptances VALUES (?, ?, ?, ?)", row
        case NewUser():
            return "INSERT OR REPLACE INTO users VALUES (?, ?)", (user_id, record.epoch)
        case _:
            raise unknown_record(record)
