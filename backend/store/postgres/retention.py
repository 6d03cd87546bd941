"""What a PostgreSQL store drops for its age, and of threads beyond their bounds."""

from ..ownership import Lease
from ..retention import Drop
from ..threads import ids_in, kept_of
from .database import Connection
from .rows import key


async def carry_out(connection: Connection, lease: Lease, drop: Drop) -> None:
    """Delete what is to be dropped of a lease's user, a few turns in a transaction."""
    user = key(lease.user_id)
    if drop.turns or drop.events_upto >= 0 or drop.rest:
        await connection.execute(
            "SELECT detour.drop_aged($1, $2, $3, $4, $5, $6, $7, $8)",
            user,
            lease.fence,
            [each.turn for each in drop.turns],
            [key(each.task_id) for each in drop.turns],
            [each.last_turn for each in drop.turns],
            [key(each) for each in drop.client_ids],
            drop.events_upto,
            [(user, *drop.rest)] if drop.rest else [],
        )
    for graph, first in drop.first_steps.items():
        await _trim(connection, lease, graph, since=first, upto=0)


async def trim(connection: Connection, lease: Lease, graph: str, *, upto: int) -> None:
    """Delete the steps of a thread beyond its bounds, and the pieces that no kept step needs."""
    await _trim(connection, lease, graph, since=0, upto=upto)


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
