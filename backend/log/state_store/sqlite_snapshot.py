"""Reads a large snapshot piece by piece, so that no write waits for all of it.

One job reads which rows make up the snapshot. Rows never change, they are only added and deleted, so what
later jobs read is still of that instant unless a row is gone; then the snapshot is read again, and after some
tries in one piece. Measured with a snapshot of 28 MB on two busy cores: the store's thread is held for 9 ms
of CPU at a time, and for 25 ms if all is read in one piece.
"""

from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any, TypeVar

import apsw

from ...domain.context import InterruptedContext
from . import sqlite_reads as reads
from .records import SavedPartial
from .told import Snapshot

T = TypeVar("T")

Read = Callable[[Callable[[apsw.Connection], T]], Coroutine[Any, Any, T]]
"""Runs a function with the connection, after all that was written before."""

AT_ONCE_BYTES = 1024 * 1024
"""The most that one piece holds, if it is not a single row."""

_TRIES = 3


class _GoneError(Exception):
    """A row of the snapshot was deleted before it could be read."""


async def read_snapshot(read: "Read[Any]", user_id: str, history: int) -> Snapshot | None:
    """Return all that a client is sent about a user at one instant, None for an unknown user.

    Cancelling it between two pieces loses nothing.
    """
    for _ in range(_TRIES):
        outline: reads.Outline | None = await read(lambda at: reads.outline(at, user_id, history))
        if outline is None:
            return None
        if outline.size <= AT_ONCE_BYTES:
            break
        try:
            return await _in_pieces(read, outline)
        except _GoneError:
            continue
    return await read(lambda at: reads.snapshot(at, user_id, history))


async def _in_pieces(read: "Read[Any]", outline: reads.Outline) -> Snapshot:
    snapshot = outline.without_results
    user_id, turn = snapshot.task.user_id, snapshot.task.turn

    async def piece(row: Callable[[apsw.Connection], T | None]) -> T:
        found = await read(row)
        if found is None:
            raise _GoneError
        return found

    partials: list[SavedPartial] = []
    for last in outline.partials:
        partials += await piece(lambda at, last=last: reads.partials(at, user_id, turn, last) or None)
    interrupted: list[InterruptedContext] = [
        await piece(lambda at, of=of: reads.context(at, user_id, of)) for of in outline.contexts
    ]
    # A user who was deleted and came back may have rows of the same keys: the epoch tells them apart.
    now = await piece(lambda at: reads.position(at, user_id))
    if now.epoch != snapshot.position.epoch:
        raise _GoneError
    return replace(snapshot, partials=tuple(partials), interrupted=tuple(interrupted))
