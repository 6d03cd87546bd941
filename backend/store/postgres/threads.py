"""Removes what no kept step of the threads of a PostgreSQL store needs."""

from ..ownership import Lease
from ..threads import ids_in, kept_of
from .database import Connection
from .rows import key


async def trim(connection: Connection, lease: Lease, graph: str, *, upto: int) -> None:
    """Delete the steps of a thread beyond its bounds, and the pieces that no kept step needs."""
    await _trim(connection, lease, graph, since=0, upto=upto)


async def drop_steps(connection: Connection, lease: Lease, graph: str, *, before: int) -> None:
    """Delete the steps of a thread before a number, and the pieces that no kept step needs."""
    await _trim(connection, lease, graph, since=before, upto=0)


async def _trim(connection: Connection, lease: Lease, graph: str, *, since: int, upto: int) -> None:
    thread = (key(lease.user_id), key(graph))
    steps = await connection.fetch(
        "SELECT number, pages, pieces FROM detour.thread_steps "
        "WHERE user_id = $1 AND graph = $2 AND number >= $3 ORDER BY number DESC",
        *thread,
        since,
    )
    pieces = await connection.fetch(
        "SELECT piece_id, octet_length(body) FROM detour.thread_pieces WHERE user_id = $1 AND graph = $2",
        *thread,
    )
    pages = await connection.fetch(
        "SELECT piece_id, body FROM detour.thread_pieces "
        "WHERE user_id = $1 AND graph = $2 AND piece_id = ANY ($3)",
        *thread,
        list({page for step in steps for page in ids_in(step["pages"])}),
    )
    bodies: dict[bytes, bytes] = {row[0]: row[1] for row in pages}
    sizes: dict[bytes, int] = {row[0]: row[1] for row in pieces}
    oldest, used = kept_of(
        [(step[0], step[1], step[2]) for step in steps],
        sizes,
        lambda ids: {each: bodies[each] for each in ids if each in bodies},
        upto=upto,
    )
    unused = [each for each in sizes if each not in used]
    query = "SELECT detour.trim_thread($1, $2, $3, $4, $5)"
    await connection.execute(query, thread[0], lease.fence, thread[1], max(oldest, since), unused)
