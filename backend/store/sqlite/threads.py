"""Removes what no kept step of the threads of an SQLite store needs."""

from collections.abc import Iterable

import apsw

from ..reads import Read
from ..threads import kept_of
from .reads import run


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

    def fetch(ids: Iterable[bytes]) -> dict[bytes, bytes]:
        return run(connection, pieces(user_id, graph, ids))

    oldest, used = kept_of(list(rows), sizes, fetch, upto=upto)
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


def pieces(user_id: str, graph: str, ids: Iterable[bytes]) -> Read[dict[bytes, bytes]]:
    """Read those of the pieces that are stored."""
    query = "SELECT piece_id, body FROM thread_pieces WHERE user_id = $1 AND graph = $2 AND piece_id = $3"
    found: dict[bytes, bytes] = {}
    for each in ids:
        found.update((yield query, (user_id, graph, each)))
    return found
