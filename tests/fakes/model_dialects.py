"""The wire forms of three services of language models, as much as chat with tools needs.

Each dialect tells what is wrong with a request (the service would answer 400), and writes the steps of an
answer in its own form: piece by piece for a stream, or whole.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from backend.travel.models.history import openai_faults
from tests.fakes.model_script import Call, Text, Thinking
from tests.models.anthropic_rules import anthropic_faults

Said = Text | Thinking | Call
PIECES = 3
"""In so many pieces the arguments of a tool call are streamed, as far as they are long enough."""


class Dialect(Protocol):
    """How one service talks."""

    content_type: str

    def faults(self, headers: Mapping[str, str], body: Any) -> list[str]: ...

    def streams(self, body: Any) -> bool: ...

    def stream(self, body: Any) -> "Stream": ...

    def whole(self, body: Any, steps: Sequence[Said], usage: tuple[int, int]) -> Any: ...

    def error(self, status: int, message: str) -> Any: ...


class Stream(Protocol):
    """One streamed answer."""

    def begin(self, usage: tuple[int, int]) -> Iterator[bytes]: ...

    def pieces(self, step: Said) -> Iterator[bytes]: ...

    def end(self, usage: tuple[int, int]) -> Iterator[bytes]: ...


def arguments_of(call: Call) -> str:
    return call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)


def in_pieces(text: str) -> Iterator[str]:
    size = max(1, -(-len(text) // PIECES))
    yield from (text[at : at + size] for at in range(0, len(text), size))


def data(value: Any, event: str = "") -> bytes:
    """Return one server-sent event."""
    return (f"event: {event}\n" if event else "").encode() + b"data: " + json.dumps(value).encode() + b"\n\n"


def faults_of_strict_schema(schema: Any, at: str = "schema") -> list[str]:
    """Return why services refuse a schema as strict: each object names all fields, and takes no others."""
    if isinstance(schema, list):
        return [fault for each in schema for fault in faults_of_strict_schema(each, at)]
    if not isinstance(schema, dict):
        return []
    refused = ("maxLength", "minLength", "default")
    faults = [f"{at}: {name} is not permitted" for name in refused if name in schema]
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            faults.append(f"{at}: additionalProperties must be false")
        if set(schema.get("required", ())) != set(schema.get("properties", {})):
            faults.append(f"{at}: required must name every field")
    inner = {**schema.get("properties", {}), **schema.get("$defs", {}), at: schema.get("items")}
    faults += [fault for name, each in inner.items() for fault in faults_of_strict_schema(each, name)]
    return faults + faults_of_strict_schema(schema.get("anyOf", []), at)


class OpenAI:
    """`POST /v1/chat/completions`."""

    content_type = "text/event-stream; charset=utf-8"

    def faults(self, headers: Mapping[str, str], body: Any) -> list[str]:
        faults = openai_faults(body.get("messages", []))
        if not body.get("model"):
            faults.append("you must provide a model parameter")
        if body.get("stream_options") is not None and not body.get("stream"):
            faults.append("stream_options is only allowed where stream is true")
        for tool in body.get("tools", ()):
            function = tool.get("function", {})
            is_object = function.get("parameters", {}).get("type") == "object"
            if tool.get("type") != "function" or not function.get("name") or not is_object:
                faults.append("a tool has the type 'function', a name, and an object schema as parameters")
        if body.get("tools") == []:
            faults.append("tools is too short")
        wanted = body.get("response_format", {}).get("json_schema", {})
        if wanted.get("strict"):
            faults += faults_of_strict_schema(wanted["schema"])
        return faults

    def streams(self, body: Any) -> bool:
        return bool(body.get("stream"))

    def stream(self, body: Any) -> Stream:
        return _OpenAIStream(body)

    def whole(self, body: Any, steps: Sequence[Said], usage: tuple[int, int]) -> Any:
        calls = [
            {
                "id": step.call_id,
                "type": "function",
                "function": {"name": step.name, "arguments": arguments_of(step)},
            }
            for step in steps
            if isinstance(step, Call)
        ]
        text = "".join(step.text for step in steps if isinstance(step, Text))
        message = {"role": "assistant", "content": text or None, "refusal": None}
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": body["model"],
            "choices": [
                {
                    "index": 0,
                    "message": {**message, "tool_calls": calls} if calls else message,
                    "logprobs": None,
                    "finish_reason": "tool_calls" if calls else "stop",
                }
            ],
            "usage": _openai_usage(usage),
        }

    def error(self, status: int, message: str) -> Any:
        return {"error": {"message": message, "type": "error", "param": None, "code": str(status)}}


def _openai_usage(usage: tuple[int, int]) -> Any:
    return {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}


class _OpenAIStream:
    def __init__(self, body: Any) -> None:
        self._body = body
        self._calls = 0
        self._has_usage = (body.get("stream_options") or {}).get("include_usage", False)

    def _chunk(self, delta: Any, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return self._frame({"choices": [choice], **({"usage": None} if self._has_usage else {})})

    def _frame(self, fields: Any) -> bytes:
        head = {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": self._body["model"],
        }
        return data({**head, **fields})

    def begin(self, usage: tuple[int, int]) -> Iterator[bytes]:
        yield self._chunk({"role": "assistant", "content": "", "refusal": None})

    def pieces(self, step: Said) -> Iterator[bytes]:
        if isinstance(step, Text):
            yield self._chunk({"content": step.text})
        elif isinstance(step, Thinking):
            yield self._chunk({"reasoning_content": step.text})
        else:
            at, self._calls = self._calls, self._calls + 1
            function = {"name": step.name, "arguments": ""}
            named = {"index": at, "id": step.call_id, "type": "function", "function": function}
            yield self._chunk({"tool_calls": [named]})
            for piece in in_pieces(arguments_of(step)):
                yield self._chunk({"tool_calls": [{"index": at, "function": {"arguments": piece}}]})

    def end(self, usage: tuple[int, int]) -> Iterator[bytes]:
        yield self._chunk({}, "tool_calls" if self._calls else "stop")
        if self._has_usage:
            yield self._frame({"choices": [], "usage": _openai_usage(usage)})
        yield b"data: [DONE]\n\n"


class Anthropic:
    """`POST /v1/messages`."""

    content_type = "text/event-stream; charset=utf-8"

    def faults(self, headers: Mapping[str, str], body: Any) -> list[str]:
        faults = anthropic_faults(body.get("messages", []))
        faults += [f"{name}: field required" for name in ("model", "max_tokens") if not body.get(name)]
        faults += [f"{name}: header is required" for name in ("anthropic-version",) if name not in headers]
        if any(tool.get("input_schema", {}).get("type") != "object" for tool in body.get("tools", ())):
            faults.append("tools: input_schema is an object's schema")
        return faults

    def streams(self, body: Any) -> bool:
        return bool(body.get("stream"))

    def stream(self, body: Any) -> Stream:
        return _AnthropicStream(body)

    def whole(self, body: Any, steps: Sequence[Said], usage: tuple[int, int]) -> Any:
        calls = any(isinstance(step, Call) for step in steps)
        return {
            **_anthropic_head(body),
            "content": [_anthropic_block(step) for step in _texts_joined(steps)],
            "stop_reason": "tool_use" if calls else "end_turn",
            "usage": {"input_tokens": usage[0], "output_tokens": usage[1]},
        }

    def error(self, status: int, message: str) -> Any:
        return {"type": "error", "error": {"type": "error", "message": message}}


def _texts_joined(steps: Sequence[Said]) -> list[Said]:
    joined: list[Said] = []
    for step in steps:
        if isinstance(step, Text) and joined and isinstance(joined[-1], Text):
            joined[-1] = Text(joined[-1].text + step.text)
        else:
            joined.append(step)
    return joined


def _anthropic_head(body: Any) -> Any:
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": []}
    return {**head, "stop_reason": None, "stop_sequence": None}


def _anthropic_block(step: Said) -> Any:
    if isinstance(step, Text):
        return {"type": "text", "text": step.text}
    if isinstance(step, Thinking):
        return {"type": "thinking", "thinking": step.text, "signature": step.signature}
    value = json.loads(arguments_of(step))
    return {"type": "tool_use", "id": step.call_id, "name": step.name, "input": value}


class _AnthropicStream:
    def __init__(self, body: Any) -> None:
        self._body = body
        self._at = -1
        self._is_text = False
        self._calls = 0

    def _event(self, kind: str, **fields: Any) -> bytes:
        return data({"type": kind, **fields}, event=kind)

    def begin(self, usage: tuple[int, int]) -> Iterator[bytes]:
        head = {**_anthropic_head(self._body), "usage": {"input_tokens": usage[0], "output_tokens": 1}}
        yield self._event("message_start", message=head)

    def pieces(self, step: Said) -> Iterator[bytes]:
        if not (isinstance(step, Text) and self._is_text):
            yield from self._close()
            yield self._open(step)
        self._is_text = isinstance(step, Text)
        if isinstance(step, Text):
            yield self._delta(type="text_delta", text=step.text)
        elif isinstance(step, Thinking):
            yield self._delta(type="thinking_delta", thinking=step.text)
            yield self._delta(type="signature_delta", signature=step.signature)
        else:
            self._calls += 1
            for piece in in_pieces(arguments_of(step)):
                yield self._delta(type="input_json_delta", partial_json=piece)

    def end(self, usage: tuple[int, int]) -> Iterator[bytes]:
        yield from self._close()
        why = {"stop_reason": "tool_use" if self._calls else "end_turn", "stop_sequence": None}
        totals = {"input_tokens": usage[0], "output_tokens": usage[1]}
        yield self._event("message_delta", delta=why, usage=totals)
        yield self._event("message_stop")

    def _open(self, step: Said) -> bytes:
        self._at += 1
        block = {
            Text: {"type": "text", "text": ""},
            Thinking: {"type": "thinking", "thinking": "", "signature": ""},
            Call: {},
        }[type(step)]
        if isinstance(step, Call):
            block = {"type": "tool_use", "id": step.call_id, "name": step.name, "input": {}}
        return self._event("content_block_start", index=self._at, content_block=block)

    def _close(self) -> Iterator[bytes]:
        if self._at >= 0:
            yield self._event("content_block_stop", index=self._at)

    def _delta(self, **delta: Any) -> bytes:
        return self._event("content_block_delta", index=self._at, delta=delta)


@dataclass(frozen=True, slots=True)
class Ollama:
    """`POST /api/chat`; its tool calls have no ids, and come whole."""

    content_type: str = "application/x-ndjson"

    def faults(self, headers: Mapping[str, str], body: Any) -> list[str]:
        roles = [message.get("role") for message in body.get("messages", ())]
        known = {"system", "user", "assistant", "tool"}
        return [f"there is no role {role!r}" for role in roles if role not in known]

    def streams(self, body: Any) -> bool:
        return body.get("stream", True)

    def stream(self, body: Any) -> Stream:
        return _OllamaStream(body)

    def whole(self, body: Any, steps: Sequence[Said], usage: tuple[int, int]) -> Any:
        calls = [_ollama_call(step) for step in steps if isinstance(step, Call)]
        text = "".join(step.text for step in steps if isinstance(step, Text))
        message = {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}
        return _ollama_part(body, message, usage)

    def error(self, status: int, message: str) -> Any:
        return {"error": message}


def _ollama_call(call: Call) -> Any:
    return {"function": {"name": call.name, "arguments": json.loads(arguments_of(call))}}


def _ollama_part(body: Any, message: Any, usage: tuple[int, int] | None = None) -> Any:
    part = {"model": body["model"], "created_at": "2026-01-01T00:00:00Z", "message": message}
    if usage is None:
        return {**part, "done": False}
    counts = {"prompt_eval_count": usage[0], "eval_count": usage[1]}
    return {**part, "done": True, "done_reason": "stop", **counts}


class _OllamaStream:
    def __init__(self, body: Any) -> None:
        self._body = body

    def _line(self, message: Any, usage: tuple[int, int] | None = None) -> bytes:
        return json.dumps(_ollama_part(self._body, message, usage)).encode() + b"\n"

    def begin(self, usage: tuple[int, int]) -> Iterator[bytes]:
        yield from ()

    def pieces(self, step: Said) -> Iterator[bytes]:
        message = {"role": "assistant", "content": step.text if isinstance(step, Text) else ""}
        if isinstance(step, Thinking):
            message["thinking"] = step.text
        if isinstance(step, Call):
            yield self._line({**message, "tool_calls": [_ollama_call(step)]})
        else:
            yield self._line(message)

    def end(self, usage: tuple[int, int]) -> Iterator[bytes]:
        yield self._line({"role": "assistant", "content": ""}, usage)
