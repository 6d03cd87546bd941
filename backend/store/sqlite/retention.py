"""What an SQLite store drops for its age, and of threads beyond their bounds; each runs in a transaction."""

from collections.abc import Iterable
from typing import Any

import apsw

from ..reads import Read
from ..retention import Drop
from ..threads import kept_of
from .reads import run

BY_TURN = (
    "tasks", "partials", "agents", "contexts", "checkpoints", "tool_calls", "model_steps",
    "inputs INDEXED BY inputs_by_turn",
)  # fmt: skip
"""The tables whose rows have the turn of their task; by its key a user's questions would all be looked at."""


def carry_out(connection: apsw.Connection, user_id: str, drop: Drop) -> None:
    """Delete what is to be dropped of a user; the caller has a transaction open. Raises `apsw.Error`."""

    def delete(condition: str, values: Iterable[tuple[Any, ...]]) -> None:
        given = [(user_id, *each) for each in values]
        connection.executemany(f"DELETE FROM {condition}", given)

    delete("messages WHERE user_id = ? AND turn = ? AND position = ?", drop.said)
    delete("acceptances WHERE user_id = ? AND client_id = ?", ((each,) for each in drop.client_ids))
    delete("receipts WHERE user_id = ? AND task_id = ?", ((each.task_id,) for each in drop.turns))
    for table in BY_TURN:
        delete(f"{table} WHERE user_id = ? AND turn = ?", ((each.turn,) for each in drop.turns))
    delete("events WHERE user_id = ? AND last_seq <= ?", [(drop.events_upto,)])
    if drop.rest is not None:
        last_seq, first_seq, bodies = drop.rest
        connection.execute(
            "UPDATE events SET first_seq = ?, bodies = ? WHERE user_id = ? AND last_seq = ?",
            (first_seq, bodies, user_id, last_seq),
        )
    for graph, first in drop.first_steps.items():
        delete("thread_steps WHERE user_id = ? AND graph = ? AND number < ?", [(graph, first)])
        trim(connection, user_id, graph, upto=0)


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


def pieces(user_id: str, graph: str, ids: Iterable[bytes]) -> Read[dict[bytes, bytes]]:
    """Read those of the pieces that are stored."""
    query = "SELECT piece_id, body FROM thread_pieces WHERE user_id = $1 AND graph = $2 AND piece_id = $3"
    found: dict[bytes, bytes] = {}
    for each in ids:
        found.update((yield query, (user_id, graph, each)))
    return found
