"""The threads of an SQLite store: reads their steps, and removes what no kept step needs."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import apsw

from ..codec import readable, saved_thread_from_json
from ..threads import SavedThread, SortBy, ThreadStep, found_among, kept_of, page_of_steps, unknown_step

_COLUMNS = "graph, number, step_id, parent, turn, body, pages, pieces"


def step(connection: apsw.Connection, user_id: str, graph: str, step_id: str | None) -> ThreadStep | None:
    """Read a step of a thread with its pieces, by default the newest."""
    last = None if step_id is None else _number_of(connection, user_id, graph, step_id)
    if step_id is not None and last is None:
        return None
    found = page_of_steps(
        _newest_first(connection, user_id, graph, 1, last),
        partial(_pieces, connection, user_id, graph),
        most_bytes=0,
    )
    return found[0] if found else None


def steps(
    connection: apsw.Connection, user_id: str, graph: str, limit: int, before: str | None, most_bytes: int
) -> tuple[ThreadStep, ...]:
    """Read the newest steps of a thread, or the newest before one, with their pieces."""
    last = None
    if before is not None:
        number = _number_of(connection, user_id, graph, before)
        if number is None:
            raise unknown_step(before, field_name="before")
        last = number - 1
    rows = _newest_first(connection, user_id, graph, limit, last)
    return page_of_steps(rows, partial(_pieces, connection, user_id, graph), most_bytes=most_bytes)


def trim(connection: apsw.Connection, user_id: str, graph: str, upto: int) -> None:
    """Delete the steps of a thread beyond its bounds, and the pieces of no kept step. Raises `apsw.Error`.

    Steps after the number `upto` are kept and do not count.
    """
    thread = (user_id, graph)
    rows = connection.execute(
        "SELECT number, pages, pieces FROM thread_steps WHERE user_id = ? AND graph = ? ORDER BY number DESC",
        thread,
    )
    stored = "SELECT piece_id, length(body) FROM thread_pieces WHERE user_id = ? AND graph = ?"
    sizes: dict[bytes, int] = dict(connection.execute(stored, thread))
    oldest, used = kept_of(list(rows), sizes, partial(_pieces, connection, user_id, graph), upto=upto)
    connection.execute(
        "DELETE FROM thread_steps WHERE user_id = ? AND graph = ? AND number < ?", (*thread, oldest)
    )
    connection.executemany(
        "DELETE FROM thread_pieces WHERE user_id = ? AND graph = ? AND piece_id = ?",
        [(*thread, each) for each in sizes if each not in used],
    )


def drop_steps(connection: apsw.Connection, user_id: str, graph: str, *, before: int) -> None:
    """Delete the steps of a thread before a number, and the pieces of no kept step. Raises `apsw.Error`."""
    thread = (user_id, graph)
    connection.execute(
        "DELETE FROM thread_steps WHERE user_id = ? AND graph = ? AND number < ?", (*thread, before)
    )
    trim(connection, user_id, graph, upto=0)


def _number_of(connection: apsw.Connection, user_id: str, graph: str, step_id: str) -> int | None:
    query = """
    SELECT number FROM thread_steps WHERE user_id = ? AND graph = ? AND step_id = ?
    ORDER BY number DESC LIMIT 1"""
    return connection.execute(query, (user_id, graph, step_id)).get


def _newest_first(
    connection: apsw.Connection, user_id: str, graph: str, limit: int, last: int | None
) -> Iterator[ThreadStep]:
    query = f"""
    SELECT {_COLUMNS} FROM thread_steps WHERE user_id = ? AND graph = ? AND number <= ?
    ORDER BY number DESC LIMIT ?"""
    most = 2**63 - 1 if last is None else last
    for graph_name, number, step_id, parent, turn, body, pages, pieces in connection.execute(
        query, (user_id, graph, most, limit)
    ):
        yield ThreadStep(
            graph=graph_name,
            number=number,
            step_id=step_id,
            parent=parent,
            turn=turn,
            body=body,
            pages=pages,
            pieces=pieces,
        )


def _pieces(
    connection: apsw.Connection, user_id: str, graph: str, ids: Sequence[bytes]
) -> dict[bytes, bytes]:
    query = "SELECT piece_id, body FROM thread_pieces WHERE user_id = ? AND graph = ? AND piece_id = ?"
    return dict(connection.executemany(query, [(user_id, graph, each) for each in ids]))


# --- sqlite saved threads ------------------------------------------------------------------------------
# The index of threads in an SQLite store.


_COLUMN: Mapping[SortBy, str] = {
    "created_at": "created_at",
    "updated_at": "updated_at",
    "thread_id": "user_id",
}


def saved_thread(connection: apsw.Connection, user_id: str) -> SavedThread | None:
    """Read a thread of the index. One that is damaged counts as none: clients may write it anew."""
    rows = connection.execute("SELECT user_id, document FROM threads WHERE user_id = ?", (user_id,))
    return next(_threads(rows), None)


def find_threads(
    connection: apsw.Connection,
    metadata: Mapping[str, Any] | None,
    ids: Sequence[str] | None,
    person: str | None,
    sort_by: SortBy,
    descending: bool,
    limit: int,
    offset: int,
) -> tuple[SavedThread, ...]:
    """Search the index, one thread at a time, until there are enough."""
    direction = "DESC" if descending else "ASC"
    conditions: list[str] = []
    if ids is not None:
        conditions.append(f"user_id IN ({', '.join('?' * len(ids))})")
    if person is not None:
        conditions.append("user_id IN (SELECT user_id FROM conversations WHERE person = ?)")
    among = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    order = f"ORDER BY {_COLUMN[sort_by]} {direction}, user_id {direction}"
    given = (*(ids or ()), *(() if person is None else (person,)))
    rows = connection.execute(f"SELECT user_id, document FROM threads {among} {order}", given)
    return found_among(_threads(rows), metadata, limit=limit, offset=offset)


def _threads(rows: Iterator[Any]) -> Iterator[SavedThread]:
    return readable(rows, saved_thread_from_json, table="threads")
