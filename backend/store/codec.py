"""Records as JSON documents, and back.

A document that an earlier version wrote may lack fields: they take their defaults, so a field that is added
to a record needs a default. Fields that this version does not know are ignored.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import orjson
import structlog
from pydantic import TypeAdapter

from ..domain.context import InterruptedContext
from ..domain.encoding import encode_exactly
from ..domain.model_usage import ModelStep
from ..domain.questions import InputRequest
from ..domain.task import Message, Task
from ..domain.tool_call import ToolCall
from .threads import SavedThread

# orjson writes and pydantic reads. In us of CPU, on documents of a travel conversation, best of seven runs:
#          write: orjson  pydantic   read: pydantic  written by hand for each type
#   task             6.1      11.4             46.6   47.0
#   input request    4.6       5.1             11.7   14.8
#   tool call        2.4       3.7              9.2    8.8
#   message          1.3       2.5              3.2    2.9
#   model step       5.6       4.5              8.6   15.5
_TASK = TypeAdapter(Task)
_MESSAGE = TypeAdapter(Message)
_CONTEXT = TypeAdapter(InterruptedContext)
_INPUT = TypeAdapter(InputRequest)
_TOOL_CALL = TypeAdapter(ToolCall)
_MODEL_STEP = TypeAdapter(ModelStep)
_SAVED_THREAD = TypeAdapter(SavedThread)


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


# All that read a document raise `ValueError` for what is none, or no record of that kind.


def task_from_json(document: bytes | str) -> Task:
    """Read a task."""
    return _TASK.validate_json(document)


def message_from_json(document: bytes | str) -> Message:
    """Read a message."""
    return _MESSAGE.validate_json(document)


def context_from_json(document: bytes) -> InterruptedContext:
    """Read an interrupted context. Its partial results are not parsed: they may be megabytes."""
    head, _, partial_results = document.partition(b"\n")
    return _CONTEXT.validate_python({**orjson.loads(head), "partial_results": partial_results})


def input_from_json(document: bytes | str) -> InputRequest:
    """Read an input request."""
    return _INPUT.validate_json(document)


def tool_call_from_json(document: bytes | str) -> ToolCall:
    """Read a tool call."""
    return _TOOL_CALL.validate_json(document)


def model_step_from_json(document: bytes | str) -> ModelStep:
    """Read a model's step."""
    return _MODEL_STEP.validate_json(document)


def saved_thread_from_json(document: bytes | str) -> SavedThread:
    """Read a thread of the index."""
    return _SAVED_THREAD.validate_json(document)


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
