"""Renders one run as a chat completion or as a response: each a function of the stored events alone.

Both are made of the chunks in which the AI SDK gets a run: its texts and its tool calls, in their order.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import orjson

from ...domain.encoding import encode
from ..ai_sdk.rendering import Chunk, RunChunks
from ..thread.fold import FoldedEvent
from ..thread.state import Frame, Run, ThreadState

Body = dict[str, Any]

DONE = b"data: [DONE]\n\n"

BETWEEN = "\n\n"
"""What stands in a completion between the texts of two models."""


class _RunFrames:
    """The frames of one run. A `Renderer`; it follows no other run."""

    def __init__(self, run_id: str, model: str, user_id: str) -> None:
        self._run_id = run_id
        self._model = model
        self._user_id = user_id
        self._chunks = RunChunks(run_id)
        self._usage: Mapping[str, Any] = {}
        self._receipt: Frame | None = None
        self._failure: str | None = None
        self._cuts = False
        """Whether the event that is rendered cuts the texts short that end with it."""
        self.run: Run | None = None
        """The run as far as it was rendered, None before its first event."""

    def step(self, step: FoldedEvent, state: ThreadState) -> Sequence[bytes | None]:
        """Render an event."""
        frame = step.frame
        if "usage" in frame and frame["type"] == "status_update":
            run = state.run_of(frame["task_id"])
            if run is not None and run.run_id == self._run_id:
                self._usage = frame["usage"]
        self._cuts = frame["type"] == "agent_update" and frame["state"] in ("interrupted", "failed")
        return self._rendered(self._chunks.step(step, state), state)

    def go_on(self, run: Run, step: FoldedEvent, state: ThreadState) -> Sequence[bytes | None]:
        """Render another run from this event on: a run that is followed by its id has none."""
        raise AssertionError(f"{run.run_id} is another run than {self._run_id}")

    def present(self, run: Run, state: ThreadState) -> Sequence[bytes | None]:
        """Render the run as far as it is known, without its events."""
        return self._rendered(self._chunks.present(run, state), state)

    def _rendered(self, chunks: Iterator[Chunk], state: ThreadState) -> list[bytes | None]:
        frames: list[bytes | None] = []
        for chunk in chunks:
            self.run = state.runs[self._run_id]
            if chunk["type"] == "data-interruption":
                self._receipt = chunk["data"]
            elif chunk["type"] == "error":
                self._failure = chunk["errorText"]
            frames += self._frames(chunk)
        return frames

    def _frames(self, chunk: Chunk) -> Iterator[bytes | None]:
        raise NotImplementedError

    @property
    def failure(self) -> str | None:
        """Why the run failed, None if it has not."""
        return self._failure

    @property
    def is_cut(self) -> bool:
        """Whether the run was interrupted."""
        return self.run is not None and self.run.status in {"interrupted", "timeout"}

    def _detour(self) -> Body:
        """Return what OpenAI's forms have no field for."""
        run = self.run
        ending = {} if run is None else {"reason": run.reason}
        about = {**ending, "receipt": self._receipt}
        return {"thread_id": self._user_id, **{name: each for name, each in about.items() if each}}


# --- chat completions ----------------------------------------------------------------------------------


class CompletionFrames(_RunFrames):
    """The chunks of a chat completion; `said` is called with each piece of its text.

    The texts of models that do not reply, and tool calls, are left out: a client would carry calls out.
    """

    def __init__(
        self,
        run_id: str,
        model: str,
        user_id: str,
        *,
        tells_usage: bool,
        said: Callable[[str], None],
    ) -> None:
        super().__init__(run_id, model, user_id)
        self._tells_usage = tells_usage
        self._said = said
        self._text = ""
        self._is_between = False
        self._replies: set[str] = set()

    def completion(self) -> Body:
        """Return the completion of a run that has ended."""
        message: Body = {"role": "assistant", "content": self._text, "refusal": None, "annotations": []}
        choice: Body = {
            "index": 0,
            "message": message,
            "logprobs": None,
            "finish_reason": self._finish_reason,
        }
        return {
            **self._head("chat.completion"),
            "choices": [choice],
            "usage": self._used(),
            "detour": self._detour(),
        }

    def _frames(self, chunk: Chunk) -> Iterator[bytes | None]:
        match chunk["type"]:
            case "start":
                yield self._chunk({"role": "assistant", "content": ""})
            case "reset-step":
                self._text, self._is_between = "", bool(self._text)
            case "text-start":
                self._is_between = self._is_between or bool(self._text)
            case "text-delta":
                text = (BETWEEN if self._is_between else "") + chunk["delta"]
                self._is_between = False
                self._text += text
                self._said(text)
                yield self._chunk({"content": text})
            case "finish" if self._failure is not None:
                yield failed(self._failure)
                yield DONE
            case "finish":
                yield self._chunk({}, self._finish_reason, detour=self._detour())
                if self._tells_usage:
                    head = self._head("chat.completion.chunk")
                    yield framed({**head, "choices": [], "usage": self._used()})
                yield DONE
            case _:
                pass

    @property
    def _finish_reason(self) -> str:
        # There is no better word for an answer that was cut.
        return "length" if self.is_cut else "stop"

    def _head(self, kind: str) -> Body:
        run = self.run
        created = 0 if run is None else seconds(run.created_at)
        head = {"id": f"chatcmpl-{self._run_id}", "object": kind, "created": created, "model": self._model}
        return {**head, "system_fingerprint": None, "service_tier": None}

    def _chunk(self, delta: Body, finish_reason: str | None = None, **more: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        usage = {"usage": None} if self._tells_usage else {}
        return framed({**self._head("chat.completion.chunk"), "choices": [choice], **usage, **more})

    def _used(self) -> Body:
        used = self._usage
        given, said = used.get("input_tokens", 0), used.get("output_tokens", 0)
        return {
            "prompt_tokens": given,
            "completion_tokens": said,
            "total_tokens": given + said,
            "prompt_tokens_details": {"cached_tokens": used.get("cache_read_tokens", 0)},
            "completion_tokens_details": {"reasoning_tokens": used.get("reasoning_tokens", 0)},
        }


# --- responses -----------------------------------------------------------------------------------------


class ResponseFrames(_RunFrames):
    """The events of a response. `asked` are the fields of its request that it repeats.

    Only events after the one with the number `after` are sent. `said` is called with each piece of its text.
    A tool call is an item `mcp_call`: that is what OpenAI calls one that the server carries out. Clients
    would carry a `function_call` out.
    """

    def __init__(
        self,
        run_id: str,
        model: str,
        user_id: str,
        asked: Body,
        *,
        after: int = -1,
        said: Callable[[str], None] = lambda _: None,
    ) -> None:
        super().__init__(run_id, model, user_id)
        self._asked = asked
        self._after = after
        self._said = said
        self._output: list[Body] = []
        self._open: dict[str, int] = {}
        """By the id of a text part, or of a tool call, the place of its item while that is open."""
        self._number = 0

    def response(self) -> Body:
        """Return the response as far as it was rendered."""
        run = self.run
        status = "queued" if run is None else _STATUS[run.status]
        if run is not None and run.reason == "stopped":
            status = "cancelled"
        cut = None
        if status == "incomplete" and run is not None:
            cut = {"reason": "steered" if run.reason == "superseded" else None}
        error = None if self._failure is None else {"code": "server_error", "message": self._failure}
        has_ended = run is not None and run.ended
        return {
            "id": response_id(self._run_id, self._user_id),
            "object": "response",
            "created_at": 0 if run is None else seconds(run.created_at),
            "status": status,
            "completed_at": seconds(run.updated_at) if run and status == "completed" else None,
            "error": error,
            "incomplete_details": cut,
            "instructions": None,
            "max_output_tokens": None,
            "model": self._model,
            "output": [dict(each) for each in self._output],
            "parallel_tool_calls": True,
            "reasoning": {"effort": None, "summary": None},
            "store": True,
            "temperature": None,
            "text": {"format": {"type": "text"}},
            "tool_choice": "auto",
            "tools": [],
            "top_p": None,
            "truncation": "disabled",
            "usage": self._used() if has_ended else None,
            "conversation": {"id": self._user_id},
            **_ASKED,
            **self._asked,
            "detour": self._detour(),
        }

    def error(self, message: str, code: str) -> bytes:
        """Return the event of a stream that ends before its run."""
        return self._event("error", message=message, code=code, param=None) or b""

    def _frames(self, chunk: Chunk) -> Iterator[bytes | None]:
        kind = chunk["type"]
        match kind:
            case "start":
                yield self._event("response.created", response=self.response())
                yield self._event("response.in_progress", response=self.response())
            case "reset-step":
                for name in [*self._open]:
                    yield from self._close(name, "incomplete")
            case "text-start":
                yield from self._begin_text(chunk["id"])
            case "text-delta" if chunk["id"] in self._open:
                place = self._open[chunk["id"]]
                self._output[place]["content"][0]["text"] += chunk["delta"]
                self._said(chunk["delta"])
                delta: Body = {"content_index": 0, "delta": chunk["delta"], "logprobs": []}
                yield self._of_item("response.output_text.delta", place, **delta)
            case "text-end" if chunk["id"] in self._open:
                yield from self._close(
                    chunk["id"], "incomplete" if self._cuts or self.is_cut else "completed"
                )
            case "finish":
                yield self._event(_LAST[self.response()["status"]], response=self.response())
            case _ if kind.startswith("tool-"):
                yield from self._call(chunk)
            case _:
                pass

    def _begin_text(self, part_id: str) -> Iterator[bytes | None]:
        part: Body = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
        item: Body = {"type": "message", "role": "assistant", "status": "in_progress", "content": []}
        place, added = self._begin(part_id, "msg", item)
        yield added
        self._output[place]["content"].append(part)
        yield self._of_item("response.content_part.added", place, content_index=0, part=dict(part))

    def _call(self, chunk: Chunk) -> Iterator[bytes | None]:
        kind, call_id = chunk["type"], chunk["toolCallId"]
        if kind == "tool-input-start" or ("toolName" in chunk and call_id not in self._open):
            if call_id in self._open:  # another call of the same id
                yield from self._close(call_id, "incomplete")
            about: Body = {"name": chunk["toolName"], "server_label": "detour", "arguments": ""}
            outcome = {"output": None, "error": None, "approval_request_id": None}
            item = {"type": "mcp_call", "status": "in_progress", **about, **outcome}
            place, added = self._begin(call_id, "mcp", item)
            yield added
            yield self._of_item("response.mcp_call.in_progress", place)
        if call_id not in self._open:
            return
        place = self._open[call_id]
        item = self._output[place]
        if kind == "tool-input-delta":
            item["arguments"] += chunk["inputTextDelta"]
            yield self._of_item("response.mcp_call_arguments.delta", place, delta=chunk["inputTextDelta"])
        elif kind == "tool-input-available":
            item["arguments"] = item["arguments"] or _arguments(chunk["input"])
            yield self._of_item("response.mcp_call_arguments.done", place, arguments=item["arguments"])
        elif kind == "tool-output-available":
            item["output"] = _text(chunk["output"])
            yield self._of_item("response.mcp_call.completed", place)
            yield from self._close(call_id, "completed")
        elif kind in ("tool-output-error", "tool-input-error"):
            words = [{"type": "text", "text": chunk["errorText"]}]
            item["error"] = {"type": "mcp_tool_execution_error", "content": words}
            yield self._of_item("response.mcp_call.failed", place)
            yield from self._close(call_id, "failed")

    def _begin(self, name: str, prefix: str, item: Body) -> tuple[int, bytes | None]:
        place = self._open[name] = len(self._output)
        self._output.append({"id": f"{prefix}_{self._run_id}_{place}", **item})
        return place, self._event("response.output_item.added", output_index=place, item=self._item(place))

    def _close(self, name: str, status: str) -> Iterator[bytes | None]:
        place = self._open.pop(name)
        item = self._output[place]
        item["status"] = status
        if item["type"] == "message":
            (part,) = item["content"]
            text: Body = {"text": part["text"], "logprobs": []}
            yield self._of_item("response.output_text.done", place, content_index=0, **text)
            yield self._of_item("response.content_part.done", place, content_index=0, part=dict(part))
        yield self._event("response.output_item.done", output_index=place, item=self._item(place))

    def _item(self, place: int) -> Body:
        item = self._output[place]
        return {**item, "content": [*item["content"]]} if "content" in item else dict(item)

    def _of_item(self, kind: str, place: int, **fields: Any) -> bytes | None:
        return self._event(kind, item_id=self._output[place]["id"], output_index=place, **fields)

    def _event(self, kind: str, **fields: Any) -> bytes | None:
        number, self._number = self._number, self._number + 1
        if number <= self._after:
            return None
        body = encode({"type": kind, "sequence_number": number, **fields})
        return b"event: %b\ndata: %b\n\n" % (kind.encode(), body)

    def _used(self) -> Body:
        used = self._usage
        given, said = used.get("input_tokens", 0), used.get("output_tokens", 0)
        cached = {"cached_tokens": used.get("cache_read_tokens", 0)}
        return {
            "input_tokens": given,
            "input_tokens_details": {
                **cached,
                "cache_write_tokens": used.get("cache_creation_tokens", 0),
            },
            "output_tokens": said,
            "output_tokens_details": {"reasoning_tokens": used.get("reasoning_tokens", 0)},
            "total_tokens": given + said,
        }


_STATUS = {
    "pending": "queued",
    "running": "in_progress",
    "success": "completed",
    "error": "failed",
    "interrupted": "incomplete",
    "timeout": "incomplete",
}
_LAST = {
    "completed": "response.completed",
    "failed": "response.failed",
    "incomplete": "response.incomplete",
    # There is no event of its own for that.
    "cancelled": "response.incomplete",
}
_ASKED: Body = {"background": False, "metadata": {}, "previous_response_id": None}
"""What a response repeats of a request that it knows nothing of."""


def input_items(run: Run, state: ThreadState) -> list[Body]:
    """Return the messages that a response was made from, the oldest first: its own is the last."""
    said = state.messages_in_order()
    own = (number for number, each in enumerate(said) if each["message_id"] == run.message_id)
    until = next(own, len(said)) + 1
    return [_item_of(each) for each in said[:until] if each["role"] in ("user", "assistant")]


def _item_of(message: Frame) -> Body:
    item: Body = {"id": f"msg_{message['message_id']}", "type": "message", "role": message["role"]}
    if message["role"] == "user":
        part: Body = {"type": "input_text", "text": message["text"]}
        return {**item, "status": "completed", "content": [part]}
    part = {"type": "output_text", "text": message["text"], "annotations": [], "logprobs": []}
    return {**item, "status": "incomplete" if message["interrupted"] else "completed", "content": [part]}


def _arguments(given: Any) -> str:
    return "" if given is None else _text(given)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()


# --- ids and frames ------------------------------------------------------------------------------------


_RESPONSE = "resp_"


def response_id(run_id: str, user_id: str) -> str:
    """Return the id of a response: it has the conversation in it, so any replica can find it."""
    return f"{_RESPONSE}{run_id}_{user_id}"


def parts_of(given: str) -> tuple[str, str]:
    """Return the run and the user of a response's id, both "" if it is none."""
    run_id, _, user_id = given.removeprefix(_RESPONSE).partition("_")
    return (run_id, user_id) if given.startswith(_RESPONSE) and user_id else ("", "")


def seconds(at: str) -> int:
    """Return a time as OpenAI has it."""
    return int(datetime.fromisoformat(at).timestamp())


def framed(body: Mapping[str, Any]) -> bytes:
    """Return a chunk as a server-sent event."""
    return b"data: %b\n\n" % encode(body)


def failed(message: str, code: str = "server_error") -> bytes:
    """Return the frame by which a stream of chunks fails."""
    return framed({"error": {"message": message, "type": "server_error", "param": None, "code": code}})
