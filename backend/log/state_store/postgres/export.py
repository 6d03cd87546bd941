"""The export of the PostgreSQL store: one transaction on a connection of its own, read by cursors."""

from collections.abc import AsyncGenerator
from typing import Any

import ormsgpack

from ..export import BESIDE_USERS, Exported, ExportedTable, user_entry
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
                    for entry in table.entries(*_as_elsewhere(table, row)):
                        yield Exported(table.name, entry)
            await connection.execute(f"CLOSE {cursor}")


def _as_elsewhere(table: ExportedTable, row: Any) -> tuple[Any, ...]:
    """Return a row as the SQLite store has it."""
    if table.name == "agents":
        turn, document = row
        return turn, *ormsgpack.unpackb(document)[:AGENT_VALUES]
    return tuple(from_key(value) if isinstance(value, str) else value for value in row)
