"""What the SQLite store drops for its age, a few turns in a transaction: `retention` says which."""

from collections.abc import Iterator
from datetime import datetime

import apsw
import ormsgpack

from ...domain.task import TERMINAL
from ..reads import Read
from ..retention import (
    EVENTS_AT_ONCE_BYTES,
    Dropped,
    Plan,
    StoredTurn,
    aged_events,
    client_id_of,
    first_kept_step,
    is_said_of,
    last_turn_of,
    planned,
)
from . import reads
from .threads import drop_steps

BY_TURN = (
    "tasks", "partials", "agents", "contexts", "checkpoints", "tool_calls", "model_steps",
    "inputs INDEXED BY inputs_by_turn",
)  # fmt: skip
"""The tables whose rows have the turn of their task; by its key a user's questions would all be looked at."""

_UNFINISHED = """
SELECT 1 FROM tasks INDEXED BY tasks_unfinished
WHERE user_id = ? AND status NOT IN ('completed', 'failed', 'interrupted') LIMIT 1"""

_BESIDE_TASKS = """
SELECT (SELECT max(updated_at) FROM threads WHERE user_id = ?1),
    (SELECT max(begun_at) FROM conversations WHERE user_id = ?1),
    EXISTS (SELECT 1 FROM tasks WHERE user_id = ?1)"""


def drop_aged(
    connection: apsw.Connection, user_id: str, before: datetime, most: int, to_resume: Read[set[int]]
) -> Dropped:
    """Drop some of a user's aged turns; the caller has a transaction open. Raises `apsw.Error`."""
    if connection.execute(_UNFINISHED, (user_id,)).get:
        return Dropped()
    plan = _plan(connection, user_id, before, most, to_resume)
    for turn in plan.turns:
        _drop_turn(connection, user_id, turn)
    if plan.until is None:
        return Dropped(len(plan.turns), more=True)
    graphs = "SELECT DISTINCT graph FROM thread_steps INDEXED BY thread_steps_by_id WHERE user_id = ?"
    for (graph,) in list(connection.execute(graphs, (user_id,))):
        _drop_steps(connection, user_id, graph, plan.until)
    more = _drop_events(connection, user_id, before)
    thread_at, begun_at, has_tasks = next(connection.execute(_BESIDE_TASKS, (user_id,)))
    times = [each for each in (thread_at, begun_at) if each is not None]
    is_known = bool(has_tasks or times)
    are_aged = all(each < before.timestamp() for each in times)
    return Dropped(len(plan.turns), more, plan.is_everything and is_known and are_aged and not more)


def _plan(
    connection: apsw.Connection, user_id: str, before: datetime, most: int, to_resume: Read[set[int]]
) -> Plan:
    unsettled = "SELECT turn FROM tool_calls INDEXED BY tool_calls_unsettled WHERE unsettled AND user_id = ?"
    held = {turn for (turn,) in connection.execute(unsettled, (user_id,))}
    held |= reads.run(connection, to_resume)
    return planned(_turns(connection, user_id), held, before.timestamp(), most=most)


def _turns(connection: apsw.Connection, user_id: str) -> Iterator[StoredTurn]:
    query = """
    SELECT turn, task_id, status, reason, updated_at, document FROM tasks WHERE user_id = ? ORDER BY turn"""
    for turn, task_id, status, reason, updated_at, document in connection.execute(query, (user_id,)):
        last_turn = last_turn_of(turn, document)
        yield StoredTurn(turn, task_id, status in TERMINAL, reason, updated_at, last_turn)


def _drop_turn(connection: apsw.Connection, user_id: str, task: StoredTurn) -> None:
    messages = "SELECT turn, position, document FROM messages WHERE user_id = ? AND turn BETWEEN ? AND ?"
    rows = connection.execute(messages, (user_id, task.turn, task.last_turn))
    said = [row for row in rows if is_said_of(task, row[0], row[2])]
    connection.executemany(
        "DELETE FROM messages WHERE user_id = ? AND turn = ? AND position = ?",
        [(user_id, turn, position) for turn, position, _ in said],
    )
    connection.executemany(
        "DELETE FROM acceptances WHERE user_id = ? AND client_id = ?",
        [(user_id, each) for each in (client_id_of(row[2]) for row in said) if each is not None],
    )
    connection.execute("DELETE FROM receipts WHERE user_id = ? AND task_id = ?", (user_id, task.task_id))
    for table in BY_TURN:
        connection.execute(f"DELETE FROM {table} WHERE user_id = ? AND turn = ?", (user_id, task.turn))


def _drop_steps(connection: apsw.Connection, user_id: str, graph: str, until: int) -> None:
    thread = (user_id, graph)
    ends = "SELECT min(number), max(number) FROM thread_steps WHERE user_id = ? AND graph = ?"
    oldest, newest = next(connection.execute(ends, thread))
    steps = connection.execute(
        "SELECT number, turn FROM thread_steps WHERE user_id = ? AND graph = ? ORDER BY number", thread
    )
    first = first_kept_step(steps, newest, until)
    if first > oldest:
        drop_steps(connection, user_id, graph, before=first)


def _drop_events(connection: apsw.Connection, user_id: str, before: datetime) -> bool:
    """Drop the events from before a moment, but not the last; return whether there may be more."""
    newest = connection.execute("SELECT max(last_seq) FROM events WHERE user_id = ?", (user_id,)).get
    rows = "SELECT last_seq, first_seq, bodies FROM events WHERE user_id = ? ORDER BY last_seq"
    upto, size = -1, 0
    for last_seq, first_seq, packed in connection.execute(rows, (user_id,)):
        if size >= EVENTS_AT_ONCE_BYTES:
            break
        size += len(packed)
        bodies = ormsgpack.unpackb(packed)
        # The next event takes its number from the last one.
        aged = aged_events(bodies[:-1] if last_seq == newest else bodies, before)
        if aged == len(bodies):
            upto = last_seq
            continue
        if aged:
            connection.execute(
                "UPDATE events SET first_seq = ?, bodies = ? WHERE user_id = ? AND last_seq = ?",
                (first_seq + aged, ormsgpack.packb(bodies[aged:]), user_id, last_seq),
            )
        size = 0
        break
    connection.execute("DELETE FROM events WHERE user_id = ? AND last_seq <= ?", (user_id, upto))
    return size >= EVENTS_AT_ONCE_BYTES
