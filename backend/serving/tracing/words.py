"""What users, agents and tools have said, as attributes of spans; only where that was switched on."""

from typing import Any

import orjson

from ...domain.encoding import encode
from ...domain.tool_call import ToolCall
from . import names


def message_words(attribute: str, role: str, text: str) -> dict[str, str]:
    """Return one message, in the form of the conventions."""
    said = [{"role": role, "parts": [{"type": "text", "content": text}]}]
    return {attribute: orjson.dumps(said).decode()}


def call_words(call: ToolCall) -> dict[str, Any]:
    """Return what a tool was asked and what it answered."""
    return {
        names.TOOL_ARGUMENTS: encode(call.arguments).decode(),
        names.TOOL_RESULT: encode(call.result).decode(),
    }
