"""Copies a data file while a server writes to it.

`VACUUM INTO` reads one state of the file, whatever is written meanwhile, and holds up no writer. It copies
rows rather than pages: so words that were deleted, but not overwritten yet, are not in the copy.
"""

import os
import tempfile
from pathlib import Path

import apsw

from ...errors import StoreUnavailable
from .sqlite_file import BUSY_TIMEOUT_MS


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
