"""Records as JSON documents, for stores that keep them elsewhere."""

from datetime import datetime
from typing import Any

import orjson

from ...domain.context import InterruptedContext
from ...domain.encoding import encode_exactly
from ...domain.inputs import InputRequest, Permission, Question
from ...domain.model_step import ModelStep, RequestedCall, Usage
from ...domain.task import InterruptReason, Message, Task, TaskStatus
from ...domain.tool_call import ToolCall


def task_to_json(task: Task) -> bytes:
    """Encode a task."""
    return encode_exactly(task)


def task_from_json(document: bytes | str) -> Task:
    """Decode what `task_to_json` made."""
    values: dict[str, Any] = orjson.loads(document)
    reason = values["reason"]
    values |= {
        "carried": tuple(values["carried"]),
        "dropped": tuple(values["dropped"]),
        "status": TaskStatus(values["status"]),
        "reason": InterruptReason(reason) if reason else None,
        "created_at": datetime.fromisoformat(values["created_at"]),
        "updated_at": datetime.fromisoformat(values["updated_at"]),
        "started_at": _time_or_none(values["started_at"]),
        "interrupt_requested_at": _time_or_none(values["interrupt_requested_at"]),
    }
    return Task(**values)


def _time_or_none(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def message_to_json(message: Message) -> bytes:
    """Encode a message."""
    return encode_exactly(message)


def message_from_json(document: bytes | str) -> Message:
    """Decode what `message_to_json` made."""
    values: dict[str, Any] = orjson.loads(document)
    values["at"] = datetime.fromisoformat(values["at"])
    return Message(**values)


def context_to_json(context: InterruptedContext) -> bytes:
    """Encode an interrupted context: a line of JSON, then its partial results, which are sent as they are."""
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
    """Decode what `context_to_json` made; how much was found makes no difference."""
    head, _, partial_results = document.partition(b"\n")
    values: dict[str, Any] = orjson.loads(head)
    values |= {
        "reason": InterruptReason(values["reason"]),
        "at": datetime.fromisoformat(values["at"]),
        "partial_results": partial_results,
        "asked": tuple(values["asked"]),
    }
    return InterruptedContext(**values)


def input_to_json(request: InputRequest) -> bytes:
    """Encode an input request."""
    return encode_exactly(request)


def input_from_json(document: bytes | str) -> InputRequest:
    """Decode what `input_to_json` made."""
    values: dict[str, Any] = orjson.loads(document)
    values |= {
        "question": Question(**values["question"]),
        "permission": Permission(**permission) if (permission := values.get("permission")) else None,
        "asked_at": datetime.fromisoformat(values["asked_at"]),
        "expires_at": datetime.fromisoformat(values["expires_at"]),
    }
    return InputRequest(**values)


def tool_call_to_json(call: ToolCall) -> bytes:
    """Encode a tool call."""
    return encode_exactly(call)


def tool_call_from_json(document: bytes | str) -> ToolCall:
    """Decode what `tool_call_to_json` made."""
    values: dict[str, Any] = orjson.loads(document)
    values |= {
        "requested_at": datetime.fromisoformat(values["requested_at"]),
        "started_at": _time_or_none(values["started_at"]),
        "ended_at": _time_or_none(values["ended_at"]),
        "fresh_until": _time_or_none(values["fresh_until"]),
    }
    return ToolCall(**values)


def model_step_to_json(step: ModelStep) -> bytes:
    """Encode a model's step."""
    return encode_exactly(step)


def model_step_from_json(document: bytes | str) -> ModelStep:
    """Decode what `model_step_to_json` made."""
    values: dict[str, Any] = orjson.loads(document)
    values |= {
        "calls": tuple(RequestedCall(**each) for each in values["calls"]),
        "usage": Usage(**values["usage"]),
        "at": datetime.fromisoformat(values["at"]),
    }
    return ModelStep(**values)
