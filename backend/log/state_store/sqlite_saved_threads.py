"""The index of threads in an SQLite store."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import apsw

from .codec import saved_thread_from_json
from .readable import readable
from .saved_threads import SavedThread, SortBy, found_among

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
