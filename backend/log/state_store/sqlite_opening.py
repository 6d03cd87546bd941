"""Opens an SQLite store's file, or says in a sentence what is wrong with it."""

import shutil
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import apsw
import structlog

from ...errors import StoreUnavailable
from .sqlite_file import DataFile
from .sqlite_schema import create_schema

CHECK_S = 2.0
"""How long the check for damage may take: it reads some 500 MB in that time, and 32 MB in 0.1 s."""

_CHECKS_OF_THE_TIME = 1000
"""Steps of SQLite's virtual machine, or pages checked, between two looks at the clock."""

_LEAST_FREE = 256 * 1024
"""A disk with less than this has no room for what an opening writes."""

_NOT_WRITTEN = apsw.SQLITE_IOERR_WRITE
"""What SQLite says where a limit on the size of files or a quota is reached."""

_log = structlog.get_logger(__name__)


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


def refusal(path: Path, error: Exception) -> StoreUnavailable:
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
