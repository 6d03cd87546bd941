"""Reads what LangChain tells of a model's call: how long it is, and whether its answer is for a program."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, cast

from pydantic import BaseModel, TypeAdapter

from ..domain.usage import CHARACTERS_PER_TOKEN

TOKENS_OF_MEDIA = 765
"""For estimates: what OpenAI charges for an image of 1,024 x 1,024. A file or a recording counts as much."""

TOKENS_AROUND_MESSAGE = 3
"""For estimates: what a service adds to each message."""

_MEDIA = frozenset({"image", "image_url", "input_image", "audio", "input_audio", "video", "file", "document"})
_SENT = ("tools", "functions", "response_format", "format", "output_config")
"""The parameters of a call that its service counts as input."""

_DEEPEST = 32


def characters_sent(messages: Sequence[Any], parameters: Mapping[str, Any]) -> int:
    """Return the length of what a call sends: its messages, and the schemas of its tools and of its answer.

    Never raises, whatever there is among them.
    """
    around = TOKENS_AROUND_MESSAGE * CHARACTERS_PER_TOKEN
    said = sum(around + _characters(getattr(each, "content", each)) + calls_in(each) for each in messages)
    return said + sum(_characters(parameters.get(name)) for name in _SENT)


def calls_in(message: Any) -> int:
    """Return the length of the tool calls that a message, or a piece of one, asks for."""
    calls: Sequence[Any] = getattr(message, "tool_call_chunks", ()) or getattr(message, "tool_calls", ())
    return sum(_characters(call.get("name")) + _characters(call.get("args")) for call in calls)


def not_shown_in(message: Any) -> int:
    """Return the length of what a piece of an answer says that is no text: tool calls and reasoning."""
    content: Any = message.content
    blocks = cast("list[Any]", content) if isinstance(content, list) else []
    thinking = [cast("dict[str, Any]", each) for each in blocks if isinstance(each, dict)]
    thoughts = [each.get("thinking") or each.get("reasoning") for each in thinking]
    thoughts.append(message.additional_kwargs.get("reasoning_content"))
    return calls_in(message) + sum(_characters(each) for each in thoughts)


def is_structured(parameters: Mapping[str, Any], options: Mapping[str, Any]) -> bool:
    """Tell whether a call asks for an answer in a form that a program reads, such as JSON of a schema.

    LangChain tells so of `with_structured_output`. Of a model that is bound to a format by hand, and of the
    agents of `create_agent` with a `ProviderStrategy`, the parameters do: `response_format` is OpenAI's,
    `format` Ollama's, `output_config` Anthropic's, `response_schema` and `response_mime_type` Google's.
    """
    if "ls_structured_output_format" in options:
        return True
    output: Any = parameters.get("output_config")
    asked: list[Any] = [parameters.get(name) for name in ("response_format", "format", "response_schema")]
    asked += [output.get("format")] if isinstance(output, dict) else []
    mime_type = parameters.get("response_mime_type") or "text/plain"
    return mime_type != "text/plain" or any(each and not _is_text(each) for each in asked)


def _is_text(form: Any) -> bool:
    return form in ("text", {"type": "text"})


def _characters(value: Any, depth: int = 0) -> int:
    if value is None or depth > _DEEPEST:
        return 0
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        fields = cast("Mapping[Any, Any]", value)
        if fields.get("type") in _MEDIA:
            return TOKENS_OF_MEDIA * CHARACTERS_PER_TOKEN
        # Quotes and punctuation count: they are sent as JSON.
        return sum(len(str(name)) + 4 + _characters(each, depth + 1) for name, each in fields.items())
    if isinstance(value, list | tuple):
        parts = cast("Sequence[Any]", value)
        return sum(_characters(each, depth + 1) for each in parts)
    if isinstance(value, int | float):
        return len(str(value))
    if isinstance(value, type):
        with suppress(Exception):  # a class that has no schema is not sent
            return len(json.dumps(TypeAdapter(value).json_schema()))
    return _characters(value.__dict__, depth + 1) if isinstance(value, BaseModel) else 0
