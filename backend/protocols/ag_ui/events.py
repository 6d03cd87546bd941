"""AG-UI's events as server-sent events.

The client reads `data:` alone, and refuses null where a field is optional: such fields are left out.
"""

from collections.abc import Mapping
from typing import Any

import orjson

Event = dict[str, Any]

INTERRUPTION = "detour.interruption"
"""The `activityType` of the account of an interruption."""


def event(kind: str, **fields: Any) -> bytes:
    """Return an event without the fields that are None."""
    body = {"type": kind, **{name: value for name, value in fields.items() if value is not None}}
    return b"data: " + orjson.dumps(body) + b"\n\n"


def text_start(message_id: str) -> bytes:
    """A text of the assistant begins."""
    return event("TEXT_MESSAGE_START", messageId=message_id, role="assistant")


def text_piece(message_id: str, piece: str) -> bytes:
    """A piece of a text."""
    return event("TEXT_MESSAGE_CONTENT", messageId=message_id, delta=piece)


def text_end(message_id: str) -> bytes:
    """A text is complete."""
    return event("TEXT_MESSAGE_END", messageId=message_id)


def activity(message_id: str, receipt: Mapping[str, Any]) -> bytes:
    """The account of an interruption."""
    return event("ACTIVITY_SNAPSHOT", messageId=message_id, activityType=INTERRUPTION, content=receipt)


def patch(*operations: tuple[str, tuple[str, ...], Any]) -> bytes:
    """Changes of the state: each an operation of JSON Patch, a path and a value."""
    delta = [{"op": op, "path": pointer(path), "value": value} for op, path, value in operations]
    return event("STATE_DELTA", delta=delta)


def pointer(path: tuple[str, ...]) -> str:
    """Return a JSON Pointer."""
    return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in path)


def refused(message: str, code: str) -> bytes:
    """A run failed, or was not accepted. Nothing may follow it."""
    return event("RUN_ERROR", message=message, code=code)
