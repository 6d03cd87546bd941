"""The queries of the PostgreSQL store; each of more than one statement runs in a snapshot of its own."""

import contextlib
import sys
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

import ormsgpack

from ...domain.context import InterruptedContext
from ...domain.model_usage import ModelStep
from ...domain.questions import InputRequest
from ...domain.task import AgentProgress, Message, Task
from ...domain.tool_call import ToolCall
from ..base import HISTORY_BYTES
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
from ..export import BESIDE_USERS, Exported, ExportedTable, entries_of_row, user_entry
from ..pending_writes import in_order_made, latest_task, one_page, standing_of
from ..records import (
    Checkpoint,
    History,
    News,
    Page,
    SavedPartial,
    Snapshot,
    Standing,
    UserPosition,
    stored_bytes_query,
    unknown_message,
)
from ..repeated_results import PAGE_BYTES, NumberedBody, page_of, since_of
from .database import Connection
from .rows import Row, from_key, key

_TERMINAL = "('completed', 'failed', 'interrupted')"

_TASKS_STANDING = f"""
SELECT document FROM detour.tasks WHERE user_id = $1 AND turn IN (
    SELECT turn FROM detour.tasks WHERE user_id = $1 AND status NOT IN {_TERMINAL}
    UNION ALL (SELECT turn FROM detour.tasks
        WHERE user_id = $1 AND NOT aside AND status IN {_TERMINAL} ORDER BY turn DESC LIMIT 1)
    UNION ALL (SELECT max(turn) FROM detour.tasks WHERE user_id = $1))
ORDER BY turn"""
"""What `latest_task` needs: a user's unfinished tasks, the last that ended and is no aside, and the last."""

_STORED_BYTES = stored_bytes_query(schema="detour.", length="octet_length", user="$1")

_MESSAGES_AT_ONCE = 100

AGENT_VALUES = 9
"""Values of an agent's row; a later release may write more at its end."""


@contextlib.asynccontextmanager
async def snapshot_of(connection: Connection) -> AsyncGenerator[None]:
    """Have all statements read the same state."""
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        yield


async def position(connection: Connection, user_id: str, *, timeline: str) -> UserPosition | None:
    """Read the end of a user's log."""
    query = "SELECT epoch, timeline, seq, turn FROM detour.users WHERE user_id = $1 AND begun"
    row = await connection.fetchrow(query, key(user_id))
    return None if row is None else position_of(row, timeline)


def position_of(row: Row, timeline: str) -> UserPosition:
    """Return the end of the log of a row of users: its epoch, timeline, `seq` and turn."""
    # After a failover or a restore numbers may come again that clients have seen: their logs begin anew.
    epoch = row[0] if row[1] == timeline else f"{row[0]}-{timeline}"
    return UserPosition(epoch=epoch, seq=row[2], turn=row[3])


async def stored_bytes(connection: Connection, user_id: str) -> int:
    """Read how many bytes are stored of a user."""
    return int(await connection.fetchval(_STORED_BYTES, key(user_id)))


async def standing(connection: Connection, user_id: str, *, timeline: str) -> Standing | None:
    """Read a user's latest task without its results."""
    async with snapshot_of(connection):
        return await _standing(connection, user_id, timeline)


async def _standing(connection: Connection, user_id: str, timeline: str) -> Standing | None:
    at = await position(connection, user_id, timeline=timeline)
    if at is None:
        return None
    tasks = [task_from_json(row[0]) for row in await connection.fetch(_TASKS_STANDING, key(user_id))]
    if not tasks:
        return None
    turn = latest_task(tasks).turn
    asked = await inputs(connection, user_id, turn)
    return standing_of(at, tasks, asked, await progress(connection, user_id, turn))


async def snapshot(connection: Connection, user_id: str, history: int, *, timeline: str) -> Snapshot | None:
    """Read a whole snapshot."""
    async with snapshot_of(connection):
        at = await _standing(connection, user_id, timeline)
        if at is None:
            return None
        found = await partials(connection, user_id, at.task.turn)
        left = await contexts(connection, user_id)
        return at.with_results(found, left, await _page_of_messages(connection, user_id, history))


async def messages(connection: Connection, user_id: str, limit: int) -> tuple[Message, ...]:
    """Read the last messages of a conversation, oldest first."""
    query = """
    SELECT document FROM detour.messages WHERE user_id = $1 ORDER BY turn DESC, position DESC LIMIT $2"""
    rows = await connection.fetch(query, key(user_id), limit)
    return tuple(message_from_json(row[0]) for row in reversed(rows))


async def _page_of_messages(
    connection: Connection, user_id: str, limit: int, before: tuple[int, int] = (sys.maxsize, 0)
) -> tuple[Message, ...]:
    """Read the last messages before a turn and position that fit in one page, oldest first."""
    query = """
    SELECT turn, position, document FROM detour.messages WHERE user_id = $1 AND (turn, position) < ($2, $3)
    ORDER BY turn DESC, position DESC LIMIT $4"""
    found: list[Message] = []
    size = 0
    while limit > 0 and size <= HISTORY_BYTES:
        at_once = min(limit, _MESSAGES_AT_ONCE)
        rows = await connection.fetch(query, key(user_id), *before, at_once)
        found += [message_from_json(row[2]) for row in rows]
        size += sum(len(row[2]) for row in rows)
        if len(rows) < at_once:
            break
        limit -= at_once
        before = rows[-1][0], rows[-1][1]
    return one_page(found)


async def history(
    connection: Connection, user_id: str, limit: int, before: str | None, *, timeline: str
) -> History | None:
    """Read the last messages, or the last before one; raises `NotFound` if there is no such message."""
    async with snapshot_of(connection):
        at = await position(connection, user_id, timeline=timeline)
        if at is None:
            return None
        if before is None:
            return History(at, await _page_of_messages(connection, user_id, limit))
        place = await _place_of(connection, user_id, before)
        return History(at, await _page_of_messages(connection, user_id, limit, place))


async def _place_of(connection: Connection, user_id: str, message_id: str) -> tuple[int, int]:
    """Return the turn and position of a message. Raises `NotFound`."""
    task_id, _, place = message_id.rpartition(".")
    of = await task(connection, user_id, task_id)
    if of is None or not place.isascii() or not place.isdecimal() or str(int(place)) != place:
        raise unknown_message(message_id)
    query = """
    SELECT turn, position FROM detour.messages
    WHERE user_id = $1 AND turn BETWEEN $2 AND $3 AND position = $4 AND task_id = $5 ORDER BY turn LIMIT 1"""
    last_turn = max(of.turn, of.spoken_turn or 0)
    number = int(place)
    if number > sys.maxsize:
        raise unknown_message(message_id)
    found = await connection.fetchrow(query, key(user_id), of.turn, last_turn, number, key(task_id))
    if found is None:
        raise unknown_message(message_id)
    return found[0], found[1]


async def task(connection: Connection, user_id: str, task_id: str) -> Task | None:
    """Read a user's task by its id."""
    query = "SELECT document FROM detour.tasks WHERE user_id = $1 AND task_id = $2"
    document = await connection.fetchval(query, key(user_id), key(task_id))
    return None if document is None else task_from_json(document)


async def recent_tasks(connection: Connection, user_id: str, limit: int) -> tuple[Task, ...]:
    """Read a user's last tasks, newest first, without asides."""
    query = "SELECT document FROM detour.tasks WHERE user_id = $1 AND NOT aside ORDER BY turn DESC LIMIT $2"
    return tuple(task_from_json(row[0]) for row in await connection.fetch(query, key(user_id), limit))


async def partials(connection: Connection, user_id: str, turn: int) -> tuple[SavedPartial, ...]:
    """Read what the task of a turn found and said, in order."""
    query = "SELECT found FROM detour.partials WHERE user_id = $1 AND turn = $2 ORDER BY last_position"
    rows = await connection.fetch(query, key(user_id), turn)
    return tuple(each for row in rows for each in partials_in(turn, row[0]))


async def progress(connection: Connection, user_id: str, turn: int) -> dict[str, AgentProgress]:
    """Read the progress of each agent of the task of a turn, by agent name."""
    query = "SELECT document FROM detour.agents WHERE user_id = $1 AND turn = $2 ORDER BY agent"
    rows = await connection.fetch(query, key(user_id), turn)
    unpacked = (ormsgpack.unpackb(row[0])[:AGENT_VALUES] for row in rows)
    return {agent: progress_of(*columns) for agent, *columns in unpacked}


async def receipt(connection: Connection, user_id: str, task_id: str) -> bytes | None:
    """Read the JSON of a task's receipt."""
    query = "SELECT body FROM detour.receipts WHERE user_id = $1 AND task_id = $2"
    return await connection.fetchval(query, key(user_id), key(task_id))


async def acceptance(connection: Connection, user_id: str, client_id: str) -> tuple[int, bytes] | None:
    """Read the `seq` and the JSON of the response to the message with this client id."""
    query = "SELECT seq, body FROM detour.acceptances WHERE user_id = $1 AND client_id = $2"
    row = await connection.fetchrow(query, key(user_id), key(client_id))
    return (row[0], row[1]) if row else None


async def contexts(connection: Connection, user_id: str) -> tuple[InterruptedContext, ...]:
    """Read the interrupted contexts that are still stored, newest first."""
    query = "SELECT document FROM detour.contexts WHERE user_id = $1 ORDER BY turn DESC"
    return tuple(context_from_json(row[0]) for row in await connection.fetch(query, key(user_id)))


async def context(connection: Connection, user_id: str, turn: int) -> InterruptedContext | None:
    """Read the interrupted context of the task of a turn, None if it is no longer stored."""
    query = "SELECT document FROM detour.contexts WHERE user_id = $1 AND turn = $2"
    document = await connection.fetchval(query, key(user_id), turn)
    return None if document is None else context_from_json(document)


async def input_request(connection: Connection, user_id: str, request_id: str) -> InputRequest | None:
    """Read an input request by its id."""
    query = "SELECT document FROM detour.inputs WHERE user_id = $1 AND request_id = $2"
    document = await connection.fetchval(query, key(user_id), key(request_id))
    return None if document is None else input_from_json(document)


async def inputs(connection: Connection, user_id: str, turn: int) -> tuple[InputRequest, ...]:
    """Read all input requests of the task of a turn, in order."""
    query = "SELECT document FROM detour.inputs WHERE user_id = $1 AND turn = $2 ORDER BY number"
    return tuple(input_from_json(row[0]) for row in await connection.fetch(query, key(user_id), turn))


async def inputs_due(connection: Connection, now: datetime) -> tuple[InputRequest, ...]:
    """Read every open input request, of all users, that expires no later than `now`."""
    query = """
    SELECT user_id, document FROM detour.inputs WHERE resolution IS NULL AND expires_at <= $1
    ORDER BY expires_at, request_id"""
    rows = await connection.fetch(query, now.timestamp())
    return tuple(readable(((from_key(row[0]), row[1]) for row in rows), input_from_json, table="inputs"))


async def tool_calls(connection: Connection, user_id: str, turn: int) -> tuple[ToolCall, ...]:
    """Read every tool call of the task of a turn, in the order they were made."""
    query = "SELECT document FROM detour.tool_calls WHERE user_id = $1 AND turn = $2"
    return in_order_made(
        tool_call_from_json(row[0]) for row in await connection.fetch(query, key(user_id), turn)
    )


async def unsettled_tool_calls(connection: Connection, user_id: str) -> tuple[ToolCall, ...]:
    """Read every write of a user whose outcome is not known."""
    query = "SELECT user_id, document FROM detour.tool_calls WHERE unsettled AND user_id = $1"
    rows = await connection.fetch(query, key(user_id))
    return in_order_made(
        readable(((user_id, row[1]) for row in rows), tool_call_from_json, table="tool_calls")
    )


async def model_steps(connection: Connection, user_id: str, since_turn: int) -> tuple[ModelStep, ...]:
    """Read the model steps of the tasks of that turn and later ones, in order."""
    query = """
    SELECT document FROM detour.model_steps WHERE user_id = $1 AND turn >= $2 ORDER BY turn, position"""
    return tuple(
        model_step_from_json(row[0]) for row in await connection.fetch(query, key(user_id), since_turn)
    )


async def checkpoint(connection: Connection, user_id: str, turn: int) -> Checkpoint | None:
    """Read the checkpoint of the task of a turn."""
    query = "SELECT body, resting FROM detour.checkpoints WHERE user_id = $1 AND turn = $2"
    row = await connection.fetchrow(query, key(user_id), turn)
    return Checkpoint(turn, row[0], row[1]) if row else None


_RESUMABLE = f"""
FROM detour.tasks WHERE (status NOT IN {_TERMINAL} OR reason = 'shutdown')
    AND (status NOT IN {_TERMINAL} OR (status = 'interrupted' AND NOT EXISTS (
        SELECT FROM detour.tasks AS later
        WHERE later.user_id = tasks.user_id AND later.turn > tasks.turn AND later.aside = tasks.aside
            AND CASE WHEN tasks.aside THEN later.previous_task_id = tasks.task_id
                AND later.said = tasks.said ELSE later.status <> 'queued' END)))"""


async def unfinished_users(connection: Connection) -> frozenset[str]:
    """Read the users who have tasks to resume, or writes whose outcome is not known."""
    query = f"SELECT user_id {_RESUMABLE} UNION SELECT user_id FROM detour.tool_calls WHERE unsettled"
    return frozenset(from_key(row[0]) for row in await connection.fetch(query))


async def resumable(connection: Connection, user_id: str) -> tuple[Task, ...]:
    """Read a user's tasks to resume, as `StateStore.resumable` defines them."""
    query = f"SELECT user_id, document {_RESUMABLE} AND user_id = $1 ORDER BY turn"
    rows = await connection.fetch(query, key(user_id))
    return tuple(readable(((user_id, row[1]) for row in rows), task_from_json, table="tasks"))


async def turns_to_resume(connection: Connection, user_id: str) -> set[int]:
    """Read the turns of a user's tasks to resume, damaged ones included."""
    rows = await connection.fetch(f"SELECT turn {_RESUMABLE} AND user_id = $1", key(user_id))
    return {row[0] for row in rows}


# --- events --------------------------------------------------------------------------------------------
# The events of a user, as PostgreSQL keeps them: a row holds those of one write.


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
        earlier: list[NumberedBody] = []
        if found and since < found[0][0]:
            earlier = await _between(connection, user_id, since, found[0][0] - 1)
    return page_of(
        found[:limit],
        lambda begin: [each for each in earlier if begin <= each[0] < found[0][0]],
        complete=_is_complete(first_kept, seq),
        more=more or len(found) > limit,
        most_bytes=PAGE_BYTES,
    )


async def _between(connection: Connection, user_id: str, begin: int, end: int) -> list[NumberedBody]:
    """Read the rows that hold the events from one number to another."""
    query = """
    SELECT first_seq, bodies FROM detour.events WHERE user_id = $1 AND last_seq >= $2 AND first_seq <= $3
    ORDER BY last_seq"""
    return _numbered(await connection.fetch(query, key(user_id), begin, end))


def _numbered(rows: Iterable[tuple[int, bytes]]) -> list[NumberedBody]:
    return [
        each for first_seq, packed in rows for each in enumerate(ormsgpack.unpackb(packed), start=first_seq)
    ]


def _first_needed(page: Sequence[NumberedBody], seq: int) -> int:
    """Return the first event that the events of a page need, which may lie before them."""
    return min((since_of(body) or number for number, body in page), default=seq)


def _is_complete(first_kept: int | None, seq: int) -> bool:
    """Return whether all events after a number are still stored."""
    return first_kept is None or seq >= first_kept - 1


# --- export --------------------------------------------------------------------------------------------
# The export of the PostgreSQL store: one transaction on a connection of its own, read by cursors.


ROWS_AT_ONCE = 8
"""Rows that are in memory together: a message may have megabytes."""


async def exported(connection: Connection, user_id: str, *, timeline: str) -> AsyncGenerator[Exported, None]:
    """Yield all that is stored of a user, of one instant. Raises as asyncpg does."""
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        stands = await position(connection, user_id, timeline=timeline)
        if stands is not None:
            yield user_entry(stands)
        for table in BESIDE_USERS:
            # A cursor by name: the driver's own would leave a prepared statement behind a pooler. A name for
            # each table: the driver remembers the columns that a statement gave.
            cursor = f"export_{table.name}"
            columns = "turn, document" if table.name == "agents" else table.columns
            await connection.execute(
                f"DECLARE {cursor} NO SCROLL CURSOR FOR SELECT {columns} FROM detour.{table.name}"
                f" WHERE user_id = $1 ORDER BY {table.order}",
                key(user_id),
            )
            while rows := await connection.fetch(f"FETCH {ROWS_AT_ONCE} FROM {cursor}"):
                for row in rows:
                    for each in _entries(table, row, user_id):
                        yield each
            await connection.execute(f"CLOSE {cursor}")


def _entries(table: ExportedTable, row: Any, user_id: str) -> Iterator[Exported]:
    """Yield the entries of a row; an agent's is stored otherwise than in the SQLite store."""
    if table.name == "agents":
        as_elsewhere = table.entries

        def entries(turn: int, packed: bytes) -> Iterable[bytes]:
            return as_elsewhere(turn, *ormsgpack.unpackb(packed)[:AGENT_VALUES])

        table = table._replace(entries=entries)
    values = [from_key(value) if isinstance(value, str) else value for value in row]
    return entries_of_row(table, values, user_id=user_id)
