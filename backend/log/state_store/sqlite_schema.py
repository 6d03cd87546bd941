"""The SQLite store's tables.

Documents are JSON; the columns beside them are what is searched by. Events and partial results lie several to
a row: those that were put into the tables together. Every table but `journal` begins with the
user and is clustered by its key, so that all of a user lies together. `journal` holds what is durable but not
yet in the other tables, one row for each group of writes. `erasures` has a row while what was
deleted is still legible in the file.
"""

import apsw

SCHEMA_VERSION = 5

BUSY_TIMEOUT_MS = 5000
"""How long a statement waits for another program that has the file locked."""

TABLES_OF_USERS = (
    "users", "tasks", "messages", "events", "partials", "agents", "receipts", "acceptances", "contexts",
    "inputs", "checkpoints", "tool_calls", "model_steps",
)  # fmt: skip

_PAUSES = """
CREATE TABLE inputs (user_id TEXT, request_id TEXT, turn INTEGER NOT NULL, number INTEGER NOT NULL,
    resolution TEXT, expires_at REAL NOT NULL, document BLOB NOT NULL,
    PRIMARY KEY (user_id, request_id)) WITHOUT ROWID;
CREATE INDEX inputs_open ON inputs (expires_at) WHERE resolution IS NULL;
CREATE TABLE checkpoints (user_id TEXT, turn INTEGER, resting INTEGER NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (user_id, turn)) WITHOUT ROWID;
"""
"""What version 3 adds."""

_TOOL_CALLS = """
CREATE TABLE tool_calls (user_id TEXT, turn INTEGER, call_id TEXT, unsettled INTEGER NOT NULL,
    document BLOB NOT NULL, PRIMARY KEY (user_id, turn, call_id)) WITHOUT ROWID;
CREATE INDEX tool_calls_unsettled ON tool_calls (user_id) WHERE unsettled;
CREATE TABLE model_steps (user_id TEXT, turn INTEGER, position INTEGER, document BLOB NOT NULL,
    PRIMARY KEY (user_id, turn, position)) WITHOUT ROWID;
"""
"""What version 4 adds."""

_AGENTS_WORK = """
ALTER TABLE agents ADD COLUMN request BLOB;
ALTER TABLE agents ADD COLUMN since TEXT;
ALTER TABLE agents ADD COLUMN until TEXT;
"""
"""What version 5 adds."""

_SINCE = {2: _PAUSES + _TOOL_CALLS + _AGENTS_WORK, 3: _TOOL_CALLS + _AGENTS_WORK, 4: _AGENTS_WORK}
"""What a file of an earlier version lacks."""

_SCHEMA = """
CREATE TABLE journal (id INTEGER PRIMARY KEY, rows BLOB NOT NULL);
CREATE TABLE erasures (id INTEGER PRIMARY KEY);
CREATE TABLE users (user_id TEXT PRIMARY KEY, epoch TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE tasks (user_id TEXT, turn INTEGER, task_id TEXT NOT NULL, status TEXT NOT NULL, reason TEXT,
    aside INTEGER NOT NULL, updated_at REAL NOT NULL, document BLOB NOT NULL,
    PRIMARY KEY (user_id, turn)) WITHOUT ROWID;
CREATE INDEX tasks_by_id ON tasks (task_id);
CREATE INDEX tasks_unfinished ON tasks (user_id, turn)
    WHERE status NOT IN ('completed', 'failed', 'interrupted');
CREATE INDEX tasks_ended ON tasks (user_id, aside, updated_at)
    WHERE status IN ('completed', 'failed', 'interrupted');
CREATE INDEX tasks_resumable ON tasks (status)
    WHERE status NOT IN ('completed', 'failed', 'interrupted') OR reason = 'shutdown';
CREATE TABLE messages (user_id TEXT, turn INTEGER, position INTEGER, document BLOB NOT NULL,
    PRIMARY KEY (user_id, turn, position)) WITHOUT ROWID;
CREATE TABLE events (user_id TEXT, last_seq INTEGER, first_seq INTEGER NOT NULL, bodies BLOB NOT NULL,
    PRIMARY KEY (user_id, last_seq)) WITHOUT ROWID;
CREATE TABLE partials (user_id TEXT, turn INTEGER, last_position INTEGER, found BLOB NOT NULL,
    PRIMARY KEY (user_id, turn, last_position)) WITHOUT ROWID;
CREATE TABLE agents (user_id TEXT, turn INTEGER, agent TEXT, state TEXT NOT NULL, detail TEXT NOT NULL,
    done INTEGER NOT NULL, total INTEGER NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (user_id, turn, agent)) WITHOUT ROWID;
CREATE TABLE receipts (user_id TEXT, task_id TEXT, body BLOB NOT NULL,
    PRIMARY KEY (user_id, task_id)) WITHOUT ROWID;
CREATE TABLE acceptances (user_id TEXT, client_id TEXT, seq INTEGER NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (user_id, client_id)) WITHOUT ROWID;
CREATE TABLE contexts (user_id TEXT, turn INTEGER, document BLOB NOT NULL,
    PRIMARY KEY (user_id, turn)) WITHOUT ROWID;
"""


def create_schema(connection: apsw.Connection) -> None:
    """Set the connection up and create the tables that the file does not have yet. Raises `apsw.Error`."""
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    connection.pragma("journal_mode", "wal")
    connection.pragma("synchronous", "full")
    connection.pragma("journal_size_limit", 16 * 1024 * 1024)
    version = connection.pragma("user_version")
    if version == 0:
        with connection:
            connection.execute(_SCHEMA + _SINCE[2])
            connection.pragma("user_version", SCHEMA_VERSION)
    elif version in _SINCE:
        with connection:
            connection.execute(_SINCE[version])
            connection.pragma("user_version", SCHEMA_VERSION)
    elif version != SCHEMA_VERSION:
        raise apsw.SchemaChangeError(f"the file has version {version}, this program reads {SCHEMA_VERSION}")
