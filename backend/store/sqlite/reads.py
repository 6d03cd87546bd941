"""The queries of the SQLite store.

They run on the store's only thread, so nothing is written between two statements of one function: what it
returns is true at one position. Each finds its rows by a key or an index, and none but `stored_bytes` looks
through all that a user has said (tests/contract/test_sqlite_growth.py).
"""

import sys
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar

import apsw
import ormsgpack

from ...domain.context import InterruptedContext
from ...domain.model_usage import ModelStep
from ...domain.questions import InputRequest
from ...domain.task import AgentProgress, Message, Task
from ...domain.tool_call import ToolCall
from ..codec import (
    context_from_json,
    input_from_json,
    message_from_json,
    model_step_from_json,
    partials_in,
    progress_of,
    readable,
    task_from_json,
    tool_call_from_json,
)
from ..pending_writes import in_order_made, latest_task, one_page, standing_of
from ..records import (
    Checkpoint,
    History,
    Page,
    SavedPartial,
    Snapshot,
    Standing,
    UserPosition,
    stored_bytes_query,
    unknown_message,
)
from ..repeated_results import PAGE_BYTES, NumberedBody, page_of

_TERMINAL = "('completed', 'failed', 'interrupted')"

# Each part finds its rows by an index, so a user of 20,000 messages is answered as fast as a new one.
_TASKS_STANDING = f"""
SELECT turn, document FROM tasks INDEXED BY tasks_unfinished WHERE user_id = ?1 AND status NOT IN {_TERMINAL}
UNION ALL SELECT * FROM (SELECT turn, document FROM tasks INDEXED BY tasks_in_turn
    WHERE user_id = ?1 AND aside = 0 AND status IN {_TERMINAL} ORDER BY turn DESC LIMIT 1)
UNION ALL SELECT * FROM (SELECT turn, document FROM tasks WHERE user_id = ?1 ORDER BY turn DESC LIMIT 1)"""
"""What `latest_task` needs: a user's unfinished tasks, the last that ended and is no aside, and the last."""

_STORED_BYTES = stored_bytes_query()

_EVENTS = "SELECT first_seq, bodies FROM events WHERE user_id = ? AND last_seq >= ? ORDER BY last_seq"


def position(connection: apsw.Connection, user_id: str) -> UserPosition | None:
    """Read the end of a user's log."""
    query = """
    SELECT epoch, (SELECT max(last_seq) FROM events WHERE user_id = users.user_id),
        (SELECT max(turn) FROM tasks WHERE user_id = users.user_id),
        (SELECT max(turn) FROM messages WHERE user_id = users.user_id)
    FROM users WHERE user_id = ?"""
    row = connection.execute(query, (user_id,)).fetchone()
    return UserPosition(epoch=row[0], seq=row[1] or 0, turn=max(row[2] or 0, row[3] or 0)) if row else None


def stored_bytes(connection: apsw.Connection, user_id: str) -> int:
    """Read how many bytes are stored of a user; SQLite tells the length of a document without reading it."""
    return next(connection.execute(_STORED_BYTES, (user_id,)))[0]


def standing(connection: apsw.Connection, user_id: str) -> Standing | None:
    """Read a user's latest task without its results."""
    at = position(connection, user_id)
    documents: dict[int, bytes] = dict(connection.execute(_TASKS_STANDING, (user_id,)))
    tasks = [task_from_json(each) for each in documents.values()]
    if at is None or not tasks:
        return None
    turn = latest_task(tasks).turn
    return standing_of(at, tasks, inputs(connection, user_id, turn), progress(connection, user_id, turn))


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """A snapshot without its results, the keys of the rows that hold them, and their size in bytes."""

    without_results: Snapshot
    partials: list[int]
    contexts: list[int]
    size: int


def outline(connection: apsw.Connection, user_id: str, history: int) -> Outline | None:
    """Read a snapshot but for its results."""
    at = standing(connection, user_id)
    if at is None:
        return None
    found = "SELECT last_position, length(found) FROM partials WHERE user_id = ? AND turn = ? ORDER BY 1"
    partials = list[Any](connection.execute(found, (user_id, at.task.turn)))
    left = "SELECT turn, length(document) FROM contexts WHERE user_id = ? ORDER BY 1 DESC"
    contexts = list[Any](connection.execute(left, (user_id,)))
    return Outline(
        without_results=at.with_results((), (), one_page(_newest_first(connection, user_id, history))),
        partials=[last for last, _ in partials],
        contexts=[turn for turn, _ in contexts],
        size=sum(length for _, length in (*partials, *contexts)),
    )


def snapshot(connection: apsw.Connection, user_id: str, history: int) -> Snapshot | None:
    """Read a whole snapshot."""
    told = outline(connection, user_id, history)
    return told and _whole(connection, told)


def _whole_if_small(connection: apsw.Connection, user_id: str, history: int) -> Outline | Snapshot | None:
    told = outline(connection, user_id, history)
    return told if told is None or told.size > AT_ONCE_BYTES else _whole(connection, told)


def _whole(connection: apsw.Connection, told: Outline) -> Snapshot:
    user_id = told.without_results.task.user_id
    turn = told.without_results.task.turn
    return replace(
        told.without_results,
        partials=partials(connection, user_id, turn),
        interrupted=contexts(connection, user_id),
    )


def messages(connection: apsw.Connection, user_id: str, limit: int) -> tuple[Message, ...]:
    """Read the last messages of a conversation, oldest first."""
    return tuple(_newest_first(connection, user_id, limit))[::-1]


def _newest_first(
    connection: apsw.Connection, user_id: str, limit: int, before: tuple[int, int] = (sys.maxsize, 0)
) -> Iterator[Message]:
    """Read the last messages before a turn and position, one at a time."""
    query = """
    SELECT document FROM messages WHERE user_id = ? AND (turn, position) < (?, ?)
    ORDER BY turn DESC, position DESC LIMIT ?"""
    for (document,) in connection.execute(query, (user_id, *before, limit)):
        yield message_from_json(document)


def history(connection: apsw.Connection, user_id: str, limit: int, before: str | None) -> History | None:
    """Read the last messages, or the last before one; raises `NotFound` if there is no such message."""
    at = position(connection, user_id)
    if at is None:
        return None
    if before is None:
        return History(at, one_page(_newest_first(connection, user_id, limit)))
    place = _place_of(connection, user_id, before)
    return History(at, one_page(_newest_first(connection, user_id, limit, place)))


def _place_of(connection: apsw.Connection, user_id: str, message_id: str) -> tuple[int, int]:
    """Return the turn and position of a message. Raises `NotFound`.

    A task's messages have its own turn or, once its questions were answered, those of the answers. So this
    looks through what was said while the task waited and no more, however long the conversation is.
    """
    task_id, _, place = message_id.rpartition(".")
    of = task(connection, user_id, task_id)
    if of is None:
        raise unknown_message(message_id)
    query = """
    SELECT turn, position FROM messages WHERE user_id = ?1 AND turn BETWEEN ?2 AND ?3 AND position = ?4
        AND document ->> '$.task_id' = ?5 ORDER BY turn LIMIT 1"""
    last_turn = max(of.turn, of.spoken_turn or 0)
    found = connection.execute(query, (user_id, of.turn, last_turn, place, task_id)).fetchone()
    # SQLite compares the text "01" with a position as if it were 1.
    if found is None or str(found[1]) != place:
        raise unknown_message(message_id)
    return found


def task(connection: apsw.Connection, user_id: str, task_id: str) -> Task | None:
    """Read a user's task by its id."""
    query = "SELECT document FROM tasks INDEXED BY tasks_by_id WHERE task_id = ? AND user_id = ?"
    row = connection.execute(query, (task_id, user_id)).fetchone()
    return task_from_json(row[0]) if row else None


def recent_tasks(connection: apsw.Connection, user_id: str, limit: int) -> tuple[Task, ...]:
    """Read a user's last tasks, newest first, without asides."""
    query = """
    SELECT document FROM tasks INDEXED BY tasks_in_turn WHERE user_id = ? AND aside = 0
    ORDER BY turn DESC LIMIT ?"""
    return tuple(task_from_json(row[0]) for row in connection.execute(query, (user_id, limit)))


def partials(
    connection: apsw.Connection, user_id: str, turn: int, last_position: int | None = None
) -> tuple[SavedPartial, ...]:
    """Read what the task of a turn found and said, in order: all, or one row by its last position."""
    query = """
    SELECT found FROM partials WHERE user_id = ? AND turn = ? AND last_position BETWEEN ? AND ?
    ORDER BY last_position"""
    rows = (0, sys.maxsize) if last_position is None else (last_position, last_position)
    found = connection.execute(query, (user_id, turn, *rows))
    return tuple(each for (packed,) in found for each in partials_in(turn, packed))


def progress(connection: apsw.Connection, user_id: str, turn: int) -> dict[str, AgentProgress]:
    """Read the progress of each agent of the task of a turn, by agent name."""
    query = """SELECT agent, state, detail, done, total, count, request, since, until
        FROM agents WHERE user_id = ? AND turn = ?"""
    return {agent: progress_of(*columns) for agent, *columns in connection.execute(query, (user_id, turn))}


def receipt(connection: apsw.Connection, user_id: str, task_id: str) -> bytes | None:
    """Read the JSON of a task's receipt."""
    query = "SELECT body FROM receipts WHERE user_id = ? AND task_id = ?"
    return connection.execute(query, (user_id, task_id)).get


def acceptance(connection: apsw.Connection, user_id: str, client_id: str) -> tuple[int, bytes] | None:
    """Read the `seq` and the JSON of the response to the message with this client id."""
    query = "SELECT seq, body FROM acceptances WHERE user_id = ? AND client_id = ?"
    row = connection.execute(query, (user_id, client_id)).fetchone()
    return (row[0], row[1]) if row else None


def contexts(connection: apsw.Connection, user_id: str) -> tuple[InterruptedContext, ...]:
    """Read the interrupted contexts that are still stored, newest first."""
    query = "SELECT document FROM contexts WHERE user_id = ? ORDER BY turn DESC"
    return tuple(context_from_json(row[0]) for row in connection.execute(query, (user_id,)))


def context(connection: apsw.Connection, user_id: str, turn: int) -> InterruptedContext | None:
    """Read the interrupted context of the task of a turn, None if it is no longer stored."""
    query = "SELECT document FROM contexts WHERE user_id = ? AND turn = ?"
    row = connection.execute(query, (user_id, turn)).fetchone()
    return context_from_json(row[0]) if row else None


def input_request(connection: apsw.Connection, user_id: str, request_id: str) -> InputRequest | None:
    """Read an input request by its id."""
    query = "SELECT document FROM inputs WHERE user_id = ? AND request_id = ?"
    document = connection.execute(query, (user_id, request_id)).get
    return input_from_json(document) if document else None


def inputs(connection: apsw.Connection, user_id: str, turn: int) -> tuple[InputRequest, ...]:
    """Read all input requests of the task of a turn, in order."""
    query = "SELECT document FROM inputs WHERE user_id = ? AND turn = ? ORDER BY number"
    return tuple(input_from_json(row[0]) for row in connection.execute(query, (user_id, turn)))


def inputs_due(connection: apsw.Connection, now: datetime) -> tuple[InputRequest, ...]:
    """Read every open input request, of all users, that expires no later than `now`."""
    query = """
    SELECT user_id, document FROM inputs INDEXED BY inputs_open WHERE resolution IS NULL AND expires_at <= ?
    ORDER BY expires_at, request_id"""
    return tuple(readable(connection.execute(query, (now.timestamp(),)), input_from_json, table="inputs"))


def tool_calls(connection: apsw.Connection, user_id: str, turn: int) -> tuple[ToolCall, ...]:
    """Read every tool call of the task of a turn, in the order they were made."""
    query = "SELECT document FROM tool_calls WHERE user_id = ? AND turn = ?"
    return in_order_made(tool_call_from_json(row[0]) for row in connection.execute(query, (user_id, turn)))


def unsettled_tool_calls(connection: apsw.Connection, user_id: str) -> tuple[ToolCall, ...]:
    """Read every write of a user whose outcome is not known."""
    query = """
    SELECT user_id, document FROM tool_calls INDEXED BY tool_calls_unsettled
    WHERE unsettled AND user_id = ?"""
    rows = connection.execute(query, (user_id,))
    return in_order_made(readable(rows, tool_call_from_json, table="tool_calls"))


def model_steps(connection: apsw.Connection, user_id: str, since_turn: int) -> tuple[ModelStep, ...]:
    """Read the model steps of the tasks of that turn and later ones, in order."""
    query = "SELECT document FROM model_steps WHERE user_id = ? AND turn >= ? ORDER BY turn, position"
    return tuple(model_step_from_json(row[0]) for row in connection.execute(query, (user_id, since_turn)))


def checkpoint(connection: apsw.Connection, user_id: str, turn: int) -> Checkpoint | None:
    """Read the checkpoint of the task of a turn."""
    query = "SELECT body, resting FROM checkpoints WHERE user_id = ? AND turn = ?"
    row = connection.execute(query, (user_id, turn)).fetchone()
    return Checkpoint(turn, row[0], bool(row[1])) if row else None


def events_after(connection: apsw.Connection, user_id: str, seq: int, limit: int) -> Page:
    """Read the events after a number."""
    oldest = "SELECT first_seq FROM events WHERE user_id = ? ORDER BY last_seq LIMIT 1"
    first_kept = connection.execute(oldest, (user_id,)).get
    found: list[NumberedBody] = []
    size, more = 0, False
    for first_seq, packed in connection.execute(_EVENTS, (user_id, seq + 1)):
        more = len(found) >= limit or size >= PAGE_BYTES
        if more:
            break
        size += len(packed)
        found += [each for each in enumerate(ormsgpack.unpackb(packed), start=first_seq) if each[0] > seq]
    return page_of(
        found[:limit],
        lambda since: events_between(connection, user_id, since, found[0][0]),
        complete=first_kept is None or seq >= first_kept - 1,
        more=more or len(found) > limit,
        most_bytes=PAGE_BYTES,
    )


def events_between(connection: apsw.Connection, user_id: str, begin: int, end: int) -> Iterator[NumberedBody]:
    """Read the events from a number on, as far as they are stored, one row at a time."""
    for first_seq, packed in connection.execute(_EVENTS, (user_id, begin)):
        for number, body in enumerate(ormsgpack.unpackb(packed), start=first_seq):
            if number >= end:
                return
            if number >= begin:
                yield number, body


_RESUMABLE = f"""
    FROM tasks INDEXED BY tasks_to_resume
    WHERE (status NOT IN {_TERMINAL} OR reason = 'shutdown') AND (status NOT IN {_TERMINAL}
        OR (status = 'interrupted' AND NOT EXISTS (SELECT 1 FROM tasks AS later
            WHERE later.user_id = tasks.user_id AND later.turn > tasks.turn AND later.aside = tasks.aside
            AND CASE WHEN tasks.aside
                THEN later.document ->> '$.previous_task_id' = tasks.task_id
                    AND later.document ->> '$.message' = tasks.document ->> '$.message'
                ELSE later.status != 'queued' END)))"""


def unfinished_users(connection: apsw.Connection) -> frozenset[str]:
    """Read the users who have tasks to resume, or writes whose outcome is not known."""
    # The index is named, so that a change of it fails here rather than scans all calls at each start.
    unsettled = "SELECT user_id FROM tool_calls INDEXED BY tool_calls_unsettled WHERE unsettled"
    rows = connection.execute(f"SELECT user_id {_RESUMABLE} UNION {unsettled}")
    return frozenset(user_id for (user_id,) in rows)


def resumable(connection: apsw.Connection, user_id: str) -> tuple[Task, ...]:
    """Read a user's tasks to resume, as `StateStore.resumable` defines them."""
    query = f"SELECT user_id, document {_RESUMABLE} AND user_id = ? ORDER BY turn"
    return tuple(readable(connection.execute(query, (user_id,)), task_from_json, table="tasks"))


def turns_to_resume(connection: apsw.Connection, user_id: str) -> set[int]:
    """Read the turns of a user's tasks to resume, damaged ones included."""
    return {turn for (turn,) in connection.execute(f"SELECT turn {_RESUMABLE} AND user_id = ?", (user_id,))}


# --- sqlite snapshot -----------------------------------------------------------------------------------
# Reads a large snapshot piece by piece, so that no write waits for all of it.
#
# One job reads which rows make up the snapshot. Rows never change, they are only added and deleted, so what
# later jobs read is still of that instant unless a row is gone; then the snapshot is read again, and after
# some tries in one piece. Measured with a snapshot of 28 MB on two busy cores: the store's thread is held
# for 9 ms of CPU at a time, and for 25 ms if all is read in one piece.


T = TypeVar("T")

Read = Callable[[Callable[[apsw.Connection], T]], Coroutine[Any, Any, T]]
"""Runs a function with the connection, after all that was written before."""

AT_ONCE_BYTES = 1024 * 1024
"""The most that one piece holds, if it is not a single row."""

_TRIES = 3


class _GoneError(Exception):
    """A row of the snapshot was deleted before it could be read."""


async def read_snapshot(read: "Read[Any]", user_id: str, history: int) -> Snapshot | None:
    """Return all that a client is sent about a user at one instant, None for an unknown user.

    Cancelling it between two pieces loses nothing.
    """
    for _ in range(_TRIES):
        found: Outline | Snapshot | None = await read(lambda at: _whole_if_small(at, user_id, history))
        if not isinstance(found, Outline):
            return found
        try:
            return await _in_pieces(read, found)
        except _GoneError:
            continue
    return await read(lambda at: snapshot(at, user_id, history))


async def _in_pieces(read: "Read[Any]", found: Outline) -> Snapshot:
    snapshot = found.without_results
    user_id, turn = snapshot.task.user_id, snapshot.task.turn

    async def piece(row: Callable[[apsw.Connection], T | None]) -> T:
        found = await read(row)
        if found is None:
            raise _GoneError
        return found

    saved: list[SavedPartial] = []
    for last in found.partials:
        saved += await piece(lambda at, last=last: partials(at, user_id, turn, last) or None)
    interrupted: list[InterruptedContext] = [
        await piece(lambda at, of=of: context(at, user_id, of)) for of in found.contexts
    ]
    # A user who was deleted and came back may have rows of the same keys: the epoch tells them apart.
    now = await piece(lambda at: position(at, user_id))
    if now.epoch != snapshot.position.epoch:
        raise _GoneError
    return replace(snapshot, partials=tuple(saved), interrupted=tuple(interrupted))
