"""The export of the PostgreSQL store: one transaction on a connection of its own, read by cursors."""

from collections.abc import AsyncGenerator, Iterable, Iterator
from typing import Any

import ormsgpack

from ..export import BESIDE_USERS, Exported, ExportedTable, entries_of_row, user_entry
from . import reads
from .lanes import Connection
from .rows import from_key, key

ROWS_AT_ONCE = 8
"""Rows that are in memory together: a message may have megabytes."""

AGENT_VALUES = 9
"""Values of an agent's row; a later release may write more at its end."""


async def exported(connection: Connection, user_id: str, *, timeline: str) -> AsyncGenerator[Exported, None]:
    """Yield all that is stored of a user, of one instant. Raises as asyncpg does."""
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        position = await reads.position(connection, user_id, timeline=timeline)
        if position is not None:
            yield user_entry(position)
        for table in BESIDE_USERS:
            # A cursor by name: the driver's own would leave a prepared statement behind a pooler. A name for
            # each table: the driver remembers the columns that a statement gave.
            cursor = f"export_{table.name}"
            columns = "turn, document" if table.name == "agents" else table.columns
            await connection.execute(
                f"DECLARE {cursor} NO SCROLL CURSOR FOR SELECT {columns} FROM detour.{table.name}"
                f" WHERE user_id = $1 ORDER BY {table.order}",
                key(user_id),
            )
            while rows := await connection.fetch(f"FETCH {ROWS_AT_ONCE} FROM {cursor}"):
                for row in rows:
                    for each in _entries(table, row, user_id):
                        yield each
            await connection.execute(f"CLOSE {cursor}")


def _entries(table: ExportedTable, row: Any, user_id: str) -> Iterator[Exported]:
    """Yield the entries of a row; an agent's is stored otherwise than in the SQLite store."""
    if table.name == "agents":
        as_elsewhere = table.entries

        def entries(turn: int, packed: bytes) -> Iterable[bytes]:
            return as_elsewhere(turn, *ormsgpack.unpackb(packed)[:AGENT_VALUES])

        table = table._replace(entries=entries)
    values = [from_key(value) if isinstance(value, str) else value for value in row]
    return entries_of_row(table, values, user_id=user_id)
