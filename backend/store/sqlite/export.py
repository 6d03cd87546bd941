"""The export of the SQLite store: read in slices, so that no write waits for all of it.

A connection of its own holds the state of one instant, while the store goes on writing. The slices are read
on the store's thread, in turn with everything else.
"""

from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import apsw

from ...domain.errors import StoreUnavailable
from ..export import BESIDE_USERS, Exported, entries_of_row, user_entry
from . import reads
from .file import BUSY_TIMEOUT_MS

SLICE_BYTES = 256 * 1024
"""The most that is read at once, if it is not a single row: some 2 ms of the store's thread."""

T = TypeVar("T")
Read = Callable[[Callable[[apsw.Connection], T]], Coroutine[Any, Any, T]]
"""Runs a function on the store's thread, after all that was written before."""


async def exported(path: Path, read: "Read[Any]", user_id: str) -> AsyncGenerator[Exported, None]:
    """Yield all that the file at `path` has of a user. Raises `StoreUnavailable`.

    The state is let go when the generator is closed; until then the write-ahead log grows by what is written.
    """
    at: apsw.Connection = await read(lambda own: _beginning(path, own))
    try:
        rest = entries(at, user_id)
        while some := await read(lambda _own: _slice(rest)):
            for each in some:
                yield each
    finally:
        try:
            await read(lambda _own: at.close(force=True))
        except StoreUnavailable:
            at.close(force=True)


def _beginning(path: Path, own: apsw.Connection) -> apsw.Connection:
    if own.in_transaction:
        # The disk is full, and the last rows are in memory alone, where only `own` sees them.
        raise StoreUnavailable("Nothing can be exported while the disk is full.")
    at = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    at.set_busy_timeout(BUSY_TIMEOUT_MS)
    at.execute("BEGIN")
    at.execute("SELECT 1 FROM users LIMIT 1").fetchall()  # the first read fixes the state
    return at


def entries(at: apsw.Connection, user_id: str) -> Iterator[Exported]:
    """Yield all that is stored of a user."""
    position = reads.run(at, reads.position(user_id))
    if position is not None:
        yield user_entry(position)
    for table in BESIDE_USERS:
        query = f"SELECT {table.columns} FROM {table.name} WHERE user_id = ? ORDER BY {table.order}"
        for row in at.execute(query, (user_id,)):
            yield from entries_of_row(table, row, user_id=user_id)


def _slice(rest: Iterator[Exported]) -> list[Exported]:
    found: list[Exported] = []
    size = 0
    for each in rest:
        found.append(each)
        size += len(each.entry or b"")
        if size >= SLICE_BYTES:
            break
    return found
