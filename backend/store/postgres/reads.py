"""Runs reads on a PostgreSQL database; what this database keeps in its own way is read here."""

import contextlib
import re
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, TypeVar

import ormsgpack

from ..export import BESIDE_USERS, Exported, ExportedTable, entries_of_row, user_entry
from ..reads import Read
from ..records import News, Page, UserPosition
from ..repeated_results import PAGE_BYTES, NumberedBody, page_of, since_of
from .database import Connection
from .rows import Row, from_key, key

T = TypeVar("T")

AGENT_VALUES = 9
"""Values of an agent's row; a later release may write more at its end."""


@contextlib.asynccontextmanager
async def snapshot_of(connection: Connection) -> AsyncGenerator[None]:
    """Have all statements read the same state."""
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        yield


async def run(connection: Connection, read: Read[T]) -> T:
    """Run a read. Raises as asyncpg does, and what the read raises."""
    try:
        statement, values = next(read)
        while True:
            kept = (key(each) if isinstance(each, str) else each for each in values)
            rows = await connection.fetch(in_own_words(statement), *kept)
            statement, values = read.send(map(_from_keys, rows))
    except StopIteration as done:
        return done.value


@lru_cache(maxsize=1000)
def in_own_words(statement: str) -> str:
    """Return a statement as PostgreSQL has it, which chooses indexes itself."""
    return re.sub(r" INDEXED BY \w+", "", statement)


def _from_keys(row: Iterable[Any]) -> Row:
    # Documents are bytes: all texts are keys.
    return tuple([from_key(each) if isinstance(each, str) else each for each in row])


def position_of(row: Row, timeline: str) -> UserPosition:
    """Return the end of the log of a row of users: its epoch, timeline, `seq` and turn."""
    # After a failover or a restore numbers may come again that clients have seen: their logs begin anew.
    epoch = row[0] if row[1] == timeline else f"{row[0]}-{timeline}"
    return UserPosition(epoch=epoch, seq=row[2], turn=row[3])


# --- events --------------------------------------------------------------------------------------------
# The events of a user, as PostgreSQL keeps them: a row holds those of one write.


_ROWS_OF_A_PAGE = 1000

FEW_ROWS = 50
FEW_BYTES = 256 * 1024
"""What is new of a user who is followed is read in one statement up to so much."""

# Of a larger row the number alone: so what is read is bounded.
_NEWS = """
SELECT u.epoch, u.timeline, u.seq, u.turn,
    (SELECT first_seq FROM detour.events WHERE user_id = $1 ORDER BY last_seq LIMIT 1) AS first_kept,
    e.last_seq, e.first_seq, CASE WHEN e.size <= $4 THEN e.bodies END AS bodies
FROM detour.users u LEFT JOIN (
    SELECT last_seq, first_seq, bodies, sum(octet_length(bodies)) OVER (ORDER BY last_seq) AS size
    FROM detour.events WHERE user_id = $1 AND last_seq > $2 ORDER BY last_seq LIMIT $3) e ON true
WHERE u.user_id = $1 AND u.begun ORDER BY e.last_seq"""


async def news_if_few(
    connection: Connection, user_id: str, seq: int, limit: int, *, timeline: str
) -> News | None:
    """Read the end of a log and the events after a number in one round trip.

    Returns None for an unknown user, and where that would read too much, or needs what lies before.
    """
    rows: Sequence[Any] = await connection.fetch(_NEWS, key(user_id), seq, FEW_ROWS, FEW_BYTES)
    new = [row for row in rows if row["last_seq"] is not None]
    if not rows or len(new) == FEW_ROWS or any(row["bodies"] is None for row in new):
        return None
    found = [each for each in _numbered((row["first_seq"], row["bodies"]) for row in new) if each[0] > seq]
    if found and _first_needed(found[:limit], seq) < found[0][0]:
        return None
    page = page_of(
        found[:limit],
        lambda _begin: (),
        complete=_is_complete(rows[0]["first_kept"], seq),
        more=len(found) > limit,
        most_bytes=PAGE_BYTES,
    )
    return News(position_of(rows[0], timeline), page)


async def events_after(connection: Connection, user_id: str, seq: int, limit: int) -> Page:
    """Read the events after a number."""
    async with snapshot_of(connection):
        oldest = "SELECT first_seq FROM detour.events WHERE user_id = $1 ORDER BY last_seq LIMIT 1"
        first_kept = await connection.fetchval(oldest, key(user_id))
        # The sizes first: the rows may be far more than the page takes.
        sizes = """
        SELECT last_seq, octet_length(bodies) FROM detour.events WHERE user_id = $1 AND last_seq > $2
        ORDER BY last_seq LIMIT $3"""
        upto, size, more = seq, 0, False
        rows = await connection.fetch(sizes, key(user_id), seq, _ROWS_OF_A_PAGE)
        for last_seq, length in rows:
            # As many events as rows, at least: whoever wants few reads few.
            more = upto - seq >= limit or size >= PAGE_BYTES
            if more:
                break
            upto, size = last_seq, size + length
        more = more or len(rows) == _ROWS_OF_A_PAGE
        found = [each for each in await _between(connection, user_id, seq + 1, upto) if each[0] > seq]
        since = _first_needed(found[:limit], seq)
        earlier: list[NumberedBody] = []
        if found and since < found[0][0]:
            earlier = await _between(connection, user_id, since, found[0][0] - 1)
    return page_of(
        found[:limit],
        lambda begin: [each for each in earlier if begin <= each[0] < found[0][0]],
        complete=_is_complete(first_kept, seq),
        more=more or len(found) > limit,
        most_bytes=PAGE_BYTES,
    )


async def _between(connection: Connection, user_id: str, begin: int, end: int) -> list[NumberedBody]:
    """Read the rows that hold the events from one number to another."""
    query = """
    SELECT first_seq, bodies FROM detour.events WHERE user_id = $1 AND last_seq >= $2 AND first_seq <= $3
    ORDER BY last_seq"""
    return _numbered(await connection.fetch(query, key(user_id), begin, end))


def _numbered(rows: Iterable[tuple[int, bytes]]) -> list[NumberedBody]:
    return [
        each for first_seq, packed in rows for each in enumerate(ormsgpack.unpackb(packed), start=first_seq)
    ]


def _first_needed(page: Sequence[NumberedBody], seq: int) -> int:
    """Return the first event that the events of a page need, which may lie before them."""
    return min((since_of(body) or number for number, body in page), default=seq)


def _is_complete(first_kept: int | None, seq: int) -> bool:
    """Return whether all events after a number are still stored."""
    return first_kept is None or seq >= first_kept - 1


# --- export --------------------------------------------------------------------------------------------
# The export of the PostgreSQL store: one transaction on a connection of its own, read by cursors.


ROWS_AT_ONCE = 8
"""Rows that are in memory together: a message may have megabytes."""


async def exported(
    connection: Connection, user_id: str, position: Read[UserPosition | None]
) -> AsyncGenerator[Exported, None]:
    """Yield all that is stored of a user, of one instant. Raises as asyncpg does."""
    async with snapshot_of(connection):
        stands = await run(connection, position)
        if stands is not None:
            yield user_entry(stands)
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
    return entries_of_row(table, _from_keys(row), user_id=user_id)
