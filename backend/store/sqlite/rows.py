"""The rows that keep a record, and the statements that put rows into the tables."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import ormsgpack

from ...domain.context import KEPT_CONTEXTS, InterruptedContext
from ...domain.model_usage import ModelStep
from ...domain.questions import InputRequest
from ...domain.task import Message, Task
from ...domain.tool_call import ToolCall
from ..codec import columns_of, columns_of_partial, context_to_json, to_json
from ..records import (
    Acceptance,
    Checkpoint,
    ForgetCheckpoint,
    ForgetPartials,
    InUse,
    NewUser,
    Record,
    SavedPartial,
    SavedProgress,
    SavedReceipt,
    unknown_record,
)
from ..threads import SavedThread, ThreadStep


class _Statement(NamedTuple):
    """A statement, and how many of the values it binds identify the row; 0 where none replaces another."""

    sql: str
    key: int = 0


USER, TASK, MESSAGE, EVENT, PARTIAL, AGENT, RECEIPT, CONTEXT, ACCEPTANCE = range(9)
TRIM_EVENTS, TRIM_PARTIALS, TRIM_AGENTS, TRIM_CONTEXTS = range(9, 13)
INPUT, FORGET_CHECKPOINT, CHECKPOINT, TOOL_CALL, MODEL_STEP, STEP, PIECE = range(13, 20)

TRIM_THREAD = 20
"""Carried out by `threads.trim` after all statements."""

SAVED_THREAD = 21

# In the order in which they are carried out; the journal names them by number. None may fail for what it
# binds: what is in the journal is durable, so it must fit the tables.
STATEMENTS = (
    _Statement("INSERT OR REPLACE INTO users VALUES (?, ?)", 1),
    _Statement(
        """INSERT INTO tasks VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (user_id, turn) DO UPDATE
        SET status = excluded.status, reason = excluded.reason, aside = excluded.aside,
            updated_at = excluded.updated_at, document = excluded.document
        WHERE status NOT IN ('completed', 'failed', 'interrupted')""",
        2,
    ),
    _Statement("INSERT OR REPLACE INTO messages VALUES (?, ?, ?, ?)", 3),
    _Statement("INSERT OR REPLACE INTO events VALUES (?, ?, ?, ?)"),
    _Statement("INSERT OR REPLACE INTO partials VALUES (?, ?, ?, ?)"),
    _Statement("INSERT OR REPLACE INTO agents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", 3),
    _Statement("INSERT OR REPLACE INTO receipts VALUES (?, ?, ?)", 2),
    _Statement("INSERT OR REPLACE INTO contexts VALUES (?, ?, ?)", 2),
    _Statement("INSERT OR IGNORE INTO acceptances VALUES (?, ?, ?, ?)", 2),
    _Statement("DELETE FROM events WHERE user_id = ? AND last_seq <= ?"),
    _Statement("DELETE FROM partials WHERE user_id = ? AND turn < ?"),
    _Statement("DELETE FROM agents WHERE user_id = ? AND turn < ?"),
    _Statement(
        """DELETE FROM contexts WHERE user_id = ? AND turn <=
        (SELECT turn FROM contexts WHERE user_id = ? ORDER BY turn DESC LIMIT 1 OFFSET ?)"""
    ),
    _Statement(
        """INSERT INTO inputs VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (user_id, request_id) DO UPDATE
        SET resolution = excluded.resolution, document = excluded.document WHERE resolution IS NULL""",
        2,
    ),
    _Statement("DELETE FROM checkpoints WHERE user_id = ? AND turn = ?"),
    _Statement("INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?, ?)", 2),
    _Statement("INSERT OR REPLACE INTO tool_calls VALUES (?, ?, ?, ?, ?)", 3),
    _Statement("INSERT OR REPLACE INTO model_steps VALUES (?, ?, ?, ?)", 3),
    _Statement("INSERT OR REPLACE INTO thread_steps VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", 3),
    _Statement("INSERT OR IGNORE INTO thread_pieces VALUES (?, ?, ?, ?)", 3),
    _Statement(""),  # the number of `TRIM_THREAD`, which is no statement
    _Statement("INSERT OR REPLACE INTO threads VALUES (?, ?, ?, ?)", 1),
)
STATUS, RESOLUTION = 3, 4
"""Where a task's row has its status, and an input request's its resolution."""

EVENT_ROW_BYTES = 1024 * 1024
"""Events are put into another row from here on: a log is read, and trimmed, by whole rows."""

_AGENT_BEFORE_5 = 8

Row = tuple[Any, ...]
StatementRow = tuple[int, Row]


def as_today(number: int, row: Sequence[Any]) -> Row:
    """Return a row of the journal as its statement takes it: before version 5 an agent's had less."""
    return (*row, None, None, None) if number == AGENT and len(row) == _AGENT_BEFORE_5 else tuple(row)


def rows_of(user_id: str, seq: int, record: Record) -> list[StatementRow]:
    """Return the rows that keep a record, each with the number of its statement."""
    match record:
        case SavedPartial():
            return [(PARTIAL, (user_id, record.turn, *columns_of_partial(record)))]
        case SavedProgress():
            return [(AGENT, (user_id, record.turn, record.agent, *columns_of(record.progress)))]
        case Task():
            document, reason = to_json(record), record.reason.value if record.reason else None
            status = (record.status.value, reason, record.aside, record.updated_at.timestamp())
            return [(TASK, (user_id, record.turn, record.task_id, *status, document))]
        case Message():
            return [(MESSAGE, (user_id, record.turn, record.position, to_json(record)))]
        case SavedReceipt():
            return [(RECEIPT, (user_id, record.task_id, record.body))]
        case InterruptedContext():
            row = (user_id, record.turn, context_to_json(record))
            return [(CONTEXT, row), (TRIM_CONTEXTS, (user_id, user_id, KEPT_CONTEXTS))]
        case Acceptance():
            return [(ACCEPTANCE, (user_id, record.client_id, seq, record.body))]
        case ForgetPartials():
            before = (user_id, record.before_turn)
            return [(TRIM_PARTIALS, before), (TRIM_AGENTS, before)]
        case ToolCall() | ModelStep():
            return [_work_row(user_id, record)]
        case NewUser():
            return [(USER, (user_id, record.epoch))]
        case _:
            return _state_rows(user_id, record)


def event_rows(user_id: str, first_seq: int, bodies: Sequence[bytes]) -> Iterator[Row]:
    """Yield the rows of the table that keep consecutive events, each of at least one."""
    begin = size = 0
    for end, body in enumerate(bodies, start=1):
        size += len(body)
        if size >= EVENT_ROW_BYTES or end == len(bodies):
            packed = ormsgpack.packb(bodies[begin:end])
            yield user_id, first_seq + end - 1, first_seq + begin, packed
            begin, size = end, 0


def _work_row(user_id: str, record: ToolCall | ModelStep) -> StatementRow:
    """Return the row of what an agent did, with the number of its statement."""
    if isinstance(record, ModelStep):
        return MODEL_STEP, (user_id, record.turn, record.position, to_json(record))
    document = to_json(record)
    return TOOL_CALL, (user_id, record.turn, record.call_id, record.left_open, document)


def _step_rows(user_id: str, step: ThreadStep) -> list[StatementRow]:
    """Return the rows of a step of a thread and of its new pieces."""
    thread = (user_id, step.graph)
    about = (step.number, step.step_id, step.parent, step.turn, step.body, step.pages, step.pieces)
    rows: list[StatementRow] = [(STEP, (*thread, *about))]
    rows += [(PIECE, (*thread, each, body)) for each, body in step.held.items()]
    return [*rows, (TRIM_THREAD, (*thread, step.number))] if step.trims else rows


def _state_rows(user_id: str, record: Record) -> list[StatementRow]:
    """Return the rows of a record about a question, the state of a graph, or the index of threads."""
    match record:
        case InputRequest():
            about = (record.turn, record.number, record.resolution, record.expires_at.timestamp())
            return [(INPUT, (user_id, record.request_id, *about, to_json(record)))]
        case Checkpoint():
            return [(CHECKPOINT, (user_id, record.turn, record.resting, record.body))]
        case ForgetCheckpoint():
            return [(FORGET_CHECKPOINT, (user_id, record.turn))]
        case ThreadStep():
            return _step_rows(user_id, record)
        case SavedThread():
            since, last = record.created_at.timestamp(), record.updated_at.timestamp()
            return [(SAVED_THREAD, (user_id, since, last, to_json(record)))]
        case InUse():
            return []
        case _:
            raise unknown_record(record)
