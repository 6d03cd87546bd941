"""The SQLite store's tables, and how a data file of an earlier version gets them.

Documents are JSON; the columns beside them are what queries search by. Each table of a user is clustered by a
key that begins with the user, so that one user's rows are close together. A row of `events` or `partials`
holds all that was put into the tables together. `journal` holds one row for each group of writes that is
durable but not in the other tables yet. `erasures` has a row while deleted words may still be legible in the
file.

`user_version` numbers the tables. The documents in them have no version: a field that a document lacks takes
its default when it is read (`codec`), and what a task was asked for is its workflow's to read.

Version 7 has the tables of version 6. But it stores a `status_update` without its results
(`repeated_results`), which an older server would send as it is: so that must not open the file. Version 8
added `thread_steps` and `thread_pieces`; an older server would begin each thread anew. Version 9 added
`threads`, which an older server would leave behind where a user is deleted.
"""

import apsw

SCHEMA_VERSION = 9

OLDEST_VERSION = 2
"""The earliest version that can be read. Version 1 lasted three hours and kept other things of a task."""

BUSY_TIMEOUT_MS = 5000
"""How long a statement waits for another program that has the file locked."""

TABLES_OF_USERS = (
    "users", "tasks", "messages", "events", "partials", "agents", "receipts", "acceptances", "contexts",
    "inputs", "checkpoints", "tool_calls", "model_steps", "thread_steps", "thread_pieces", "threads",
)  # fmt: skip

# Version 3 added inputs and checkpoints, 4 tool_calls and, later and without a new number, model_steps: files
# of versions 4 and 5 may lack it. Hence every table is created if missing, whatever the version of the file.
_TABLES = """
CREATE TABLE IF NOT EXISTS journal (id INTEGER PRIMARY KEY, rows BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS erasures (id INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS users (user_id TEXT PRIMARY KEY, epoch TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tasks (user_id TEXT, turn INTEGER, task_id TEXT NOT NULL, status TEXT NOT NULL,
    reason TEXT, aside INTEGER NOT NULL, updated_at REAL NOT NULL, document BLOB NOT NULL,
    PRIMARY KEY (user_id, turn)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS messages (user_id TEXT, turn INTEGER, position INTEGER, document BLOB NOT NULL,
    PRIMARY KEY (user_id, turn, position)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS events (user_id TEXT, last_seq INTEGER, first_seq INTEGER NOT NULL,
    bodies BLOB NOT NULL, PRIMARY KEY (user_id, last_seq)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS partials (user_id TEXT, turn INTEGER, last_position INTEGER, found BLOB NOT NULL,
    PRIMARY KEY (user_id, turn, last_position)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS agents (user_id TEXT, turn INTEGER, agent TEXT, state TEXT NOT NULL,
    detail TEXT NOT NULL, done INTEGER NOT NULL, total INTEGER NOT NULL, count INTEGER NOT NULL,
    request BLOB, since TEXT, until TEXT, PRIMARY KEY (user_id, turn, agent)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS receipts (user_id TEXT, task_id TEXT, body BLOB NOT NULL,
    PRIMARY KEY (user_id, task_id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS acceptances (user_id TEXT, client_id TEXT, seq INTEGER NOT NULL,
    body BLOB NOT NULL, PRIMARY KEY (user_id, client_id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS contexts (user_id TEXT, turn INTEGER, document BLOB NOT NULL,
    PRIMARY KEY (user_id, turn)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS inputs (user_id TEXT, request_id TEXT, turn INTEGER NOT NULL,
    number INTEGER NOT NULL, resolution TEXT, expires_at REAL NOT NULL, document BLOB NOT NULL,
    PRIMARY KEY (user_id, request_id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS checkpoints (user_id TEXT, turn INTEGER, resting INTEGER NOT NULL,
    body BLOB NOT NULL, PRIMARY KEY (user_id, turn)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tool_calls (user_id TEXT, turn INTEGER, call_id TEXT, unsettled INTEGER NOT NULL,
    document BLOB NOT NULL, PRIMARY KEY (user_id, turn, call_id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS model_steps (user_id TEXT, turn INTEGER, position INTEGER, document BLOB NOT NULL,
    PRIMARY KEY (user_id, turn, position)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS thread_steps (user_id TEXT, graph TEXT, number INTEGER, step_id TEXT NOT NULL,
    parent TEXT, turn INTEGER NOT NULL, body BLOB NOT NULL, pages BLOB NOT NULL, pieces BLOB NOT NULL,
    PRIMARY KEY (user_id, graph, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS thread_pieces (user_id TEXT, graph TEXT, piece_id BLOB, body BLOB NOT NULL,
    PRIMARY KEY (user_id, graph, piece_id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS threads (user_id TEXT PRIMARY KEY, created_at REAL NOT NULL,
    updated_at REAL NOT NULL, document BLOB NOT NULL) WITHOUT ROWID;
"""

_INDICES = """
DROP INDEX IF EXISTS tasks_ended;
CREATE INDEX IF NOT EXISTS tasks_by_id ON tasks (task_id);
CREATE INDEX IF NOT EXISTS tasks_unfinished ON tasks (user_id, turn)
    WHERE status NOT IN ('completed', 'failed', 'interrupted');
CREATE INDEX IF NOT EXISTS tasks_in_turn ON tasks (user_id, turn) WHERE aside = 0;
DROP INDEX IF EXISTS tasks_resumable;
CREATE INDEX IF NOT EXISTS tasks_to_resume ON tasks (user_id, turn)
    WHERE status NOT IN ('completed', 'failed', 'interrupted') OR reason = 'shutdown';
CREATE INDEX IF NOT EXISTS inputs_by_turn ON inputs (user_id, turn, number);
CREATE INDEX IF NOT EXISTS inputs_open ON inputs (expires_at) WHERE resolution IS NULL;
CREATE INDEX IF NOT EXISTS tool_calls_unsettled ON tool_calls (user_id) WHERE unsettled;
CREATE INDEX IF NOT EXISTS thread_steps_by_id ON thread_steps (user_id, graph, step_id);
CREATE INDEX IF NOT EXISTS threads_by_creation ON threads (created_at, user_id);
CREATE INDEX IF NOT EXISTS threads_by_change ON threads (updated_at, user_id);
"""
"""Each is as small as its queries allow: partial, or of few rows. `tasks_ended` was ordered by the clock,
`tasks_resumable` by status: a user's tasks are looked for by user.
"""

_AGENT_COLUMNS_OF_5 = (("request", "BLOB"), ("since", "TEXT"), ("until", "TEXT"))


def create_schema(connection: apsw.Connection) -> None:
    """Set the connection up and create what the file lacks. Raises `apsw.Error`; then nothing was created."""
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    connection.pragma("journal_mode", "wal")
    connection.pragma("synchronous", "full")
    connection.pragma("journal_size_limit", 16 * 1024 * 1024)
    version = connection.pragma("user_version")
    if version != 0 and not OLDEST_VERSION <= version <= SCHEMA_VERSION:
        raise apsw.SchemaChangeError(
            f"the file has version {version}, this program reads {OLDEST_VERSION} to {SCHEMA_VERSION}"
        )
    # At every start, since the number was once forgotten: takes 0.06 ms and writes nothing if all is there.
    with connection:
        connection.execute(_TABLES)
        columns = {row[1] for row in connection.execute("PRAGMA table_info(agents)")}
        for name, kind in _AGENT_COLUMNS_OF_5:
            if name not in columns:
                connection.execute(f"ALTER TABLE agents ADD COLUMN {name} {kind}")
        connection.execute(_INDICES)
        if version != SCHEMA_VERSION:
            connection.pragma("user_version", SCHEMA_VERSION)
