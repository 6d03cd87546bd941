"""The events of a user, as PostgreSQL keeps them: a row holds those of one write."""

from collections.abc import Iterable, Sequence
from typing import Any

import ormsgpack

from ..repeated_results import PAGE_BYTES, Numbered, page_of, since_of
from ..told import News, Page
from .lanes import Connection
from .reads import position_of, snapshot_of
from .rows import key

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
        earlier: list[Numbered] = []
        if found and since < found[0][0]:
            earlier = await _between(connection, user_id, since, found[0][0] - 1)
    return page_of(
        found[:limit],
        lambda begin: [each for each in earlier if begin <= each[0] < found[0][0]],
        complete=_is_complete(first_kept, seq),
        more=more or len(found) > limit,
        most_bytes=PAGE_BYTES,
    )


async def _between(connection: Connection, user_id: str, begin: int, end: int) -> list[Numbered]:
    """Read the rows that hold the events from one number to another."""
    query = """
    SELECT first_seq, bodies FROM detour.events WHERE user_id = $1 AND last_seq >= $2 AND first_seq <= $3
    ORDER BY last_seq"""
    return _numbered(await connection.fetch(query, key(user_id), begin, end))


def _numbered(rows: Iterable[tuple[int, bytes]]) -> list[Numbered]:
    return [
        each for first_seq, packed in rows for each in enumerate(ormsgpack.unpackb(packed), start=first_seq)
    ]


def _first_needed(page: Sequence[Numbered], seq: int) -> int:
    """Return the first event that the events of a page need, which may lie before them."""
    return min((since_of(body) or number for number, body in page), default=seq)


def _is_complete(first_kept: int | None, seq: int) -> bool:
    """Return whether all events after a number are still stored."""
    return first_kept is None or seq >= first_kept - 1
