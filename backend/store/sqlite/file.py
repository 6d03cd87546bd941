"""The file of an SQLite store: locked against a second server, and missed when it is deleted."""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import apsw
import structlog

from ...domain.errors import StoreUnavailable
from ..migration_files import Migration, migration_files, text_beside

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


# --- sqlite schema -------------------------------------------------------------------------------------
# The SQLite store's tables, and how a data file of an earlier version gets them.
#
# Documents are JSON; the columns beside them are what queries search by. Each table of a user is clustered
# by a key that begins with the user, so that one user's rows are close together. A row of `events` or
# `partials` holds all that was put into the tables together. `journal` holds one row for each group of
# writes that is durable but not in the other tables yet. `erasures` has a row while deleted words may still
# be legible in the file.
#
# `migrations/` holds a numbered file for each change; `migrations` tells which of them a data file
# has. `user_version` is the number of the last: also programs that know of no such table refuse what they
# cannot read. The documents have no version: a field that a document lacks takes its default when it is
# read (`codec`), and what a task was asked for is its workflow's to read.


_FOLDER = f"{__package__}.migrations"

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
    plan_once(connection)
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


def plan_once(connection: apsw.Connection) -> None:
    """Have each statement planned once.

    Else SQLite plans it anew whenever values are bound: a snapshot took 170 us instead of 60 (measured).
    """
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)


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


# --- sqlite opening ------------------------------------------------------------------------------------
# Opens an SQLite store's file, or says in a sentence what is wrong with it.


CHECK_S = 2.0
"""How long the check for damage may take: it reads some 500 MB in that time, and 32 MB in 0.1 s."""

_CHECKS_OF_THE_TIME = 1000
"""Steps of SQLite's virtual machine, or pages checked, between two looks at the clock."""

_LEAST_FREE = 256 * 1024
"""A disk with less than this has no room for what an opening writes."""

_NOT_WRITTEN = apsw.SQLITE_IOERR_WRITE
"""What SQLite says where a limit on the size of files or a quota is reached."""


def open_file(
    path: Path, held: ExitStack, *, monotonic: Callable[[], float] = time.monotonic
) -> tuple[apsw.Connection, DataFile]:
    """Open or create the file with its tables; `held` closes it again. Raises `StoreUnavailable`."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = DataFile(path)
        held.callback(file.close)  # after SQLite's connection, see there
        log = path.with_name(f"{path.name}-wal")
        if not path.stat().st_size and log.exists() and log.stat().st_size:
            # SQLite would take this for a new file and delete the log, from which much could be recovered.
            raise _damaged(path, f"it is empty, but {log.name} is not")
        connection = apsw.Connection(str(path))
        held.callback(connection.close)
        if path.stat().st_size:
            _check(connection, path, monotonic)
        create_schema(connection)
    except BlockingIOError:
        sentence = f"Another server has {path.parent}; DETOUR_DATA_DIR names the folder."
        raise StoreUnavailable(sentence) from None
    return connection, file


def why_not_opened(path: Path, error: Exception) -> StoreUnavailable:
    """Return what to tell about a file that cannot be opened."""
    if isinstance(error, StoreUnavailable):
        return error
    if isinstance(error, apsw.CorruptError):
        return _damaged(path, str(error))
    full = isinstance(error, apsw.FullError) or getattr(error, "extendedresult", 0) == _NOT_WRITTEN
    if full or (path.exists() and shutil.disk_usage(path).free < _LEAST_FREE):
        return StoreUnavailable(f"The disk is full: {path} cannot be opened until there is room on it.")
    reason = error.strerror if isinstance(error, OSError) else error
    return StoreUnavailable(f"{path} cannot be opened: {reason}.")


def _check(connection: apsw.Connection, path: Path, monotonic: Callable[[], float]) -> None:
    """Raise `StoreUnavailable` for a file that is damaged, as far as that is found in `CHECK_S`."""
    ends = monotonic() + CHECK_S
    connection.set_progress_handler(lambda: monotonic() > ends, _CHECKS_OF_THE_TIME)
    try:
        found = str(connection.execute("PRAGMA quick_check(1)").get)
    except apsw.InterruptError:
        _log.warning("the data file is too large to be checked for damage at the start", path=str(path))
        return
    finally:
        connection.set_progress_handler(None)
    if found != "ok":
        raise _damaged(path, " ".join(found.split()))


def _damaged(path: Path, how: str) -> StoreUnavailable:
    return StoreUnavailable(f"{path} is damaged: {how}. Put a backup in its place, or move it away.")


# --- sqlite backup -------------------------------------------------------------------------------------
# Copies a data file while a server writes to it.
#
# `VACUUM INTO` reads one state of the file, whatever is written meanwhile, and holds up no writer. It
# copies rows rather than pages: so words that were deleted, but not overwritten yet, are not in the copy.


def back_up(source: Path, target: Path) -> None:
    """Make `target` a copy of the data file `source`, private to its user; replace what was there.

    Raises `StoreUnavailable`; then `target` is as it was.
    """
    if not source.exists():
        raise StoreUnavailable(f"There is no data file {source}.")
    if target.exists() and target.samefile(source):
        raise StoreUnavailable(f"{target} is the data file itself.")
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise StoreUnavailable(f"{target} cannot be written: {error.strerror}.") from None
    part = Path(name)
    try:
        _copy(source, part)
        # SQLite syncs no copy of this kind, and a name must not be durable before its content is.
        os.fsync(descriptor)
        part.replace(target)
        _sync_folder(target.parent)
    except (apsw.Error, OSError) as error:
        raise StoreUnavailable(f"{source} cannot be copied to {target}: {error}.") from None
    finally:
        os.close(descriptor)
        part.unlink(missing_ok=True)


def _copy(source: Path, target: Path) -> None:
    """Copy into an empty file and read the copy whole. Raises `apsw.Error`."""
    # Read-only: the last connection to close a file puts its log into it, and a server may have just begun.
    connection = apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        connection.execute("VACUUM INTO ?", (str(target),))
    finally:
        connection.close()
    copy = apsw.Connection(str(target), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        found = str(copy.execute("PRAGMA integrity_check(1)").get)
    finally:
        copy.close()
    if found != "ok":
        raise apsw.CorruptError(" ".join(found.split()))


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
