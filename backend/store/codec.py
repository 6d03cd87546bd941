"""Records as JSON documents, and back.

A document that an earlier version wrote may lack fields: they take their defaults, so a field that is added
to a record needs a default. Fields that this version does not know are ignored.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any, TypeVar, cast

import orjson
import ormsgpack
import structlog
from pydantic import TypeAdapter

from ..domain.context import InterruptedContext
from ..domain.encoding import encode, encode_exactly
from ..domain.model_usage import ModelStep
from ..domain.partials import PartialBatch
from ..domain.questions import InputRequest
from ..domain.task import AgentProgress, Message, Task
from ..domain.tool_call import ToolCall
from .records import SavedPartial
from .threads import SavedThread

# orjson writes and pydantic reads. In us of CPU, on documents of a travel conversation, best of seven runs:
#          write: orjson  pydantic   read: pydantic  written by hand for each type
#   task             6.1      11.4             46.6   47.0
#   input request    4.6       5.1             11.7   14.8
#   tool call        2.4       3.7              9.2    8.8
#   message          1.3       2.5              3.2    2.9
#   model step       5.6       4.5              8.6   15.5
task_from_json = TypeAdapter(Task).validate_json
message_from_json = TypeAdapter(Message).validate_json
input_from_json = TypeAdapter(InputRequest).validate_json
tool_call_from_json = TypeAdapter(ToolCall).validate_json
model_step_from_json = TypeAdapter(ModelStep).validate_json
saved_thread_from_json = TypeAdapter(SavedThread).validate_json
"""Each raises `ValueError` for what is no document, or none of that record."""

_CONTEXT = TypeAdapter(InterruptedContext)


def to_json(record: Task | Message | InputRequest | ToolCall | ModelStep | SavedThread) -> bytes:
    """Return a record as a JSON document. Raises `TypeError` if it holds what has no JSON form."""
    return encode_exactly(record)


def context_to_json(context: InterruptedContext) -> bytes:
    """Return an interrupted context: a line of JSON, then its partial results as they are sent."""
    values = {
        "user_id": context.user_id,
        "task_id": context.task_id,
        "turn": context.turn,
        "message": context.message,
        "reason": context.reason,
        "at": context.at,
        "text": context.text,
        "request": context.request,
        "counts": context.counts,
        "asked": context.asked,
    }
    return encode_exactly(values) + b"\n" + context.partial_results


def context_from_json(document: bytes) -> InterruptedContext:
    """Read an interrupted context. Its partial results are not parsed: they may be megabytes."""
    head, _, partial_results = document.partition(b"\n")
    return _CONTEXT.validate_python({**orjson.loads(head), "partial_results": partial_results})


def partials_in(turn: int, packed: bytes) -> Iterator[SavedPartial]:
    """Yield what a row of partial results holds."""
    # Rows that version 3 and earlier wrote have no call id; a later release may write more at the end.
    for position, agent, source, count, items, text, *more in ormsgpack.unpackb(packed):
        call_id = more[0] if more else None
        found = PartialBatch(agent=agent, items=items, count=count, source=source, call_id=call_id)
        yield SavedPartial(turn, position, found if agent else None, text)


def progress_of(
    state: str,
    detail: str,
    done: int,
    total: int,
    count: int,
    request: bytes | None,
    since: str | None,
    until: str | None,
) -> AgentProgress:
    """Return the progress that the columns of an agent's row hold."""
    return AgentProgress(
        state=cast("Any", state),
        detail=detail,
        done=done,
        total=total,
        count=count,
        request=None if request is None else orjson.loads(request),
        since=datetime.fromisoformat(since) if since else None,
        until=datetime.fromisoformat(until) if until else None,
    )


def columns_of(now: AgentProgress) -> tuple[Any, ...]:
    """Return what `progress_of` reads."""
    since, until = (each.isoformat() if each else None for each in (now.since, now.until))
    request = None if now.request is None else encode(now.request)
    return now.state, now.detail, now.done, now.total, now.count, request, since, until


def columns_of_partial(saved: SavedPartial) -> tuple[Any, ...]:
    """Return what `partials_in` reads of one partial result."""
    found = saved.found
    if found is None:
        return saved.position, "", None, 0, b"", saved.text, None
    return saved.position, found.agent, found.source, found.count, found.items, saved.text, found.call_id


# --- readable ------------------------------------------------------------------------------------------
# Reads rows of all users, of which one that is damaged must not keep the others back.
#
# What reads one user's rows alone raises instead: nothing is made of a conversation that is only half
# known.


R = TypeVar("R")

_log = structlog.get_logger(__name__)


def readable(
    rows: Iterable[tuple[str, bytes | str]], read: Callable[[bytes | str], R], *, table: str
) -> Iterator[R]:
    """Yield the records of rows, each a user's id and a document; those that are damaged are logged."""
    for user_id, document in rows:
        try:
            yield read(document)
        except (ValueError, TypeError) as error:
            # Only the type: the error quotes the document, which is what a user wrote.
            _log.error(
                "a damaged record is left out", table=table, user_id=user_id, reason=type(error).__name__
            )
