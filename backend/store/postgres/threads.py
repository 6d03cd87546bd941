"""The threads, and the index of threads, of a PostgreSQL store."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..codec import readable, saved_thread_from_json
from ..ownership import Lease
from ..threads import SavedThread, SortBy, ThreadStep, found_among, ids_in, kept_of, unknown_step
from .database import Connection
from .rows import from_key, key

_COLUMN: Mapping[SortBy, str] = {
    "created_at": "created_at",
    "updated_at": "updated_at",
    "thread_id": "user_id",
}

_STEPS_AT_ONCE = 20


async def step(connection: Connection, user_id: str, graph: str, step_id: str | None) -> ThreadStep | None:
    """Read a step of a thread with its pieces, by default the newest."""
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        last = None if step_id is None else await _number_of(connection, user_id, graph, step_id)
        if step_id is not None and last is None:
            return None
        rows = await _newest_first(connection, user_id, graph, 1, last)
        found = await _with_pieces(connection, user_id, rows)
        return found[0] if found else None


async def steps(
    connection: Connection, user_id: str, graph: str, limit: int, before: str | None, most_bytes: int
) -> tuple[ThreadStep, ...]:
    """Read the newest steps of a thread, or the newest before one, with their pieces."""
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        last = None
        if before is not None:
            number = await _number_of(connection, user_id, graph, before)
            if number is None:
                raise unknown_step(before, field_name="before")
            last = number - 1
        found: list[ThreadStep] = []
        while len(found) < limit:
            at_once = min(_STEPS_AT_ONCE, limit - len(found))
            rows = await _newest_first(connection, user_id, graph, at_once, last)
            held = {piece: body for each in found for piece, body in each.held.items()}
            more = await _with_pieces(connection, user_id, rows, held)
            found = [*found, *more]
            fits = _that_fit(found, most_bytes)
            if len(rows) < at_once or len(fits) < len(found):
                return fits
            last = rows[-1].number - 1
        return tuple(found)


def _that_fit(found: Sequence[ThreadStep], most_bytes: int) -> tuple[ThreadStep, ...]:
    size = 0
    for count, each in enumerate(found):
        pages = {*ids_in(each.pages)}
        size += len(each.body) + sum(len(body) for piece, body in each.held.items() if piece not in pages)
        if count and size > most_bytes:
            return tuple(found[:count])
    return tuple(found)


async def _number_of(connection: Connection, user_id: str, graph: str, step_id: str) -> int | None:
    query = """
    SELECT number FROM detour.thread_steps WHERE user_id = $1 AND graph = $2 AND step_id = $3
    ORDER BY number DESC LIMIT 1"""
    return await connection.fetchval(query, key(user_id), key(graph), key(step_id))


async def _newest_first(
    connection: Connection, user_id: str, graph: str, limit: int, last: int | None
) -> list[ThreadStep]:
    query = """
    SELECT number, step_id, parent, turn, body, pages, pieces FROM detour.thread_steps
    WHERE user_id = $1 AND graph = $2 AND number <= $3 ORDER BY number DESC LIMIT $4"""
    most = 2**63 - 1 if last is None else last
    return [
        ThreadStep(
            graph=graph,
            number=number,
            step_id=from_key(step_id),
            parent=None if parent is None else from_key(parent),
            turn=turn,
            body=body,
            pages=pages,
            pieces=pieces,
        )
        for number, step_id, parent, turn, body, pages, pieces in await connection.fetch(
            query, key(user_id), key(graph), most, limit
        )
    ]


async def _with_pieces(
    connection: Connection,
    user_id: str,
    found: Sequence[ThreadStep],
    known: Mapping[bytes, bytes] | None = None,
) -> list[ThreadStep]:
    """Return steps with the pieces that they refer to, each read once."""
    if not found:
        return []
    held = dict(known or {})

    async def fetch(ids: set[bytes]) -> None:
        missing = [each for each in ids if each not in held]
        if missing:
            query = """
            SELECT piece_id, body FROM detour.thread_pieces
            WHERE user_id = $1 AND graph = $2 AND piece_id = ANY ($3)"""
            held.update(await connection.fetch(query, key(user_id), key(found[0].graph), missing))

    await fetch({page for each in found for page in ids_in(each.pages)})
    pages_of = {each.number: [page for page in ids_in(each.pages) if page in held] for each in found}
    pieces_of = {
        each.number: [
            *ids_in(each.pieces),
            *(piece for page in pages_of[each.number] for piece in ids_in(held[page])),
        ]
        for each in found
    }
    await fetch({piece for pieces in pieces_of.values() for piece in pieces})
    return [
        ThreadStep(
            graph=each.graph,
            number=each.number,
            step_id=each.step_id,
            parent=each.parent,
            turn=each.turn,
            body=each.body,
            pages=each.pages,
            pieces=each.pieces,
            held={
                piece: held[piece]
                for piece in (*pages_of[each.number], *pieces_of[each.number])
                if piece in held
            },
        )
        for each in found
    ]


async def saved_thread(connection: Connection, user_id: str) -> SavedThread | None:
    """Read a thread of the index. One that is damaged counts as none: clients may write it anew."""
    document = await connection.fetchval(
        "SELECT document FROM detour.threads WHERE user_id = $1", key(user_id)
    )
    rows = [] if document is None else [(user_id, document)]
    return next(readable(rows, saved_thread_from_json, table="threads"), None)


async def find_threads(
    connection: Connection,
    metadata: Mapping[str, Any] | None,
    ids: Sequence[str] | None,
    person: str | None,
    sort_by: SortBy,
    descending: bool,
    limit: int,
    offset: int,
) -> tuple[SavedThread, ...]:
    """Search the index, some threads at a time, until there are enough."""
    direction = "DESC" if descending else "ASC"
    conditions: list[str] = []
    given: list[Any] = []
    if ids is not None:
        given.append([key(each) for each in ids])
        conditions.append(f"user_id = ANY (${len(given)})")
    if person is not None:
        given.append(key(person))
        conditions.append(
            f"user_id IN (SELECT c.user_id FROM detour.conversations c WHERE c.person = ${len(given)})"
        )
    among = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    order = f"ORDER BY {_COLUMN[sort_by]} {direction}, user_id {direction}"
    query = f"SELECT user_id, document FROM detour.threads {among} {order}"
    found: list[SavedThread] = []
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        # A cursor by name, as the export has them; its name is that of what it gives.
        cursor = "threads_found"
        await connection.execute(f"DECLARE {cursor} NO SCROLL CURSOR FOR {query}", *given)
        while len(found) < limit + offset and (rows := await connection.fetch(f"FETCH 100 FROM {cursor}")):
            named = ((from_key(row[0]), row[1]) for row in rows)
            threads = readable(named, saved_thread_from_json, table="threads")
            found += found_among(threads, metadata, limit=limit + offset, offset=0)
    return tuple(found[offset : offset + limit])


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
