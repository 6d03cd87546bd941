"""The SQLite store's tables, and how a data file of an earlier version gets them.

Documents are JSON; the columns beside them are what queries search by. Each table of a user is clustered by a
key that begins with the user, so that one user's rows are close together. A row of `events` or `partials`
holds all that was put into the tables together. `journal` holds one row for each group of writes that is
durable but not in the other tables yet. `erasures` has a row while deleted words may still be legible in the
file.

`sqlite_migrations/` holds a numbered file for each change; `migrations` tells which of them a data file has.
`user_version` is the number of the last: also programs that know of no such table refuse what they cannot
read. The documents have no version: a field that a document lacks takes its default when it is read
(`codec`), and what a task was asked for is its workflow's to read.
"""

import apsw
import structlog

from .migration_files import Migration, migration_files, text_beside
from .sqlite_file import BUSY_TIMEOUT_MS, transaction

_FOLDER = f"{__package__}.sqlite_migrations"

MIGRATIONS = migration_files(_FOLDER)
"""All migrations, in order."""

OLDEST_VERSION, SCHEMA_VERSION = MIGRATIONS[0].number, MIGRATIONS[-1].number

TABLES_OF_USERS = (
    "users", "tasks", "messages", "events", "partials", "agents", "receipts", "acceptances", "contexts",
    "inputs", "checkpoints", "tool_calls", "model_steps", "thread_steps", "thread_pieces", "threads",
    "conversations",
)  # fmt: skip

_ALWAYS_THERE = {"journal", "erasures", "users", "tasks"}
"""What every file of ours has, since the first version."""

_APPLIED = """CREATE TABLE IF NOT EXISTS migrations
    (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL)"""

_log = structlog.get_logger(__name__)


def create_schema(connection: apsw.Connection, known: tuple[Migration, ...] = MIGRATIONS) -> None:
    """Set the connection up, and bring the file to the last of the migrations.

    Raises `apsw.Error`; then the file is as the last migration that could be applied has left it. The caller
    holds the file, so that no other process migrates it.
    """
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    version = connection.pragma("user_version")
    oldest, newest = known[0].number, known[-1].number
    if version != 0 and not oldest <= version <= newest:
        raise apsw.SchemaChangeError(
            f"the file has version {version}, this program reads {oldest} to {newest}"
        )
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    if tables and not (version and tables >= _ALWAYS_THERE):
        raise apsw.SchemaChangeError("the file has tables of another program")
    # Not before: of what is not ours nothing is changed.
    connection.pragma("journal_mode", "wal")
    connection.pragma("synchronous", "full")
    connection.pragma("journal_size_limit", 16 * 1024 * 1024)
    for migration in known:
        if migration.number > version:
            _apply(connection, migration, [each for each in known if each.number <= migration.number])
            if version:
                _log.info("a migration was applied", number=migration.number, name=migration.name)
    # At every start, since indices have no number: all of it takes 0.5 ms, and writes nothing new.
    with transaction(connection):
        _note(connection, known)
        connection.execute(text_beside(_FOLDER, "indices.sql"))


def _apply(connection: apsw.Connection, migration: Migration, applied: list[Migration]) -> None:
    """Apply a migration and tell so, or neither."""
    with transaction(connection):
        connection.execute(migration.text)
        _note(connection, applied)
        connection.pragma("user_version", migration.number)


def _note(connection: apsw.Connection, applied: "list[Migration] | tuple[Migration, ...]") -> None:
    # Also those of long ago: a file from before this table has them by its version.
    connection.execute(_APPLIED)
    connection.executemany(
        "INSERT OR IGNORE INTO migrations VALUES (?, ?, datetime('now'))",
        [(each.number, each.name) for each in applied],
    )
