"""A language model behind LangChain's client libraries.

Cancelling a call closes its HTTP stream before the call returns: within 1 ms, as measured for the three
libraries that are supported. The connection of a closed stream is not reused.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import structlog
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.runnables import Runnable

from ...domain.encoding import encode
from ...domain.errors import ModelError
from ...domain.model_usage import REFUSED, MeteredCall, UsageMeter, reported_usage
from .base import AskedCall, ModelAnswer, Question, ToolSpec
from .validity import openai_faults

RETRY_S = (0.5, 2.0)
"""Seconds before a question is asked again, unless the service says how long to wait (`Retry-After`)."""

LONGEST_WAIT_S = 10.0
"""A service that asks for a longer wait is considered down: a user would not wait for it."""

# 529 is Anthropic's "overloaded".
_RETRYABLE = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})

_log = structlog.get_logger(__name__)

Say = Callable[[str], None]


class _Silence(Exception):
    """The service said nothing for too long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LangchainModel:
    """Asks a LangChain chat model, which must not retry by itself; `disconnect` closes its connections.

    `streams` is false for a service that cannot stream: its answers come whole. `silence_s` is how long the
    service may send nothing before the attempt fails. There is one attempt more than there are `pauses`.
    """

    name: str
    model: BaseChatModel
    disconnect: Callable[[], Awaitable[None]]
    streams: bool = True
    silence_s: float = 60.0
    pauses: tuple[float, ...] = RETRY_S

    async def answer(self, question: Question, *, meter: UsageMeter, say: Say | None = None) -> ModelAnswer:
        """Ask, and return the whole answer; as `ChatModel.answer`."""
        faults = openai_faults(question.messages)
        if faults:
            raise ModelError(f"The model was not asked: {faults[0]}.")
        sent = sum(len(json.dumps(each)) for each in (*question.messages, *map(_function, question.tools)))
        said = _Said(say)
        for pause in (*self.pauses, None):  # None: no further attempt
            provider, _, name = self.name.rpartition(":")
            metered = meter.begin(sent, provider=provider, model=name)
            try:
                message = await self._ask(question, said, metered)
            except Exception as error:
                # A refused question is not charged. One that ends in silence, or is cut, may be.
                refused = _status(error) is not None and not metered.received
                metered.end(REFUSED if refused else None, failed=True)
                wait = _wait(error, pause)
                _log.warning("a model call failed", model=self.name, reason=_told(error), again_in_s=wait)
                # After the first piece a second attempt would say the answer twice.
                if said.anything or wait is None:
                    raise _model_error(error) from error
            else:
                metered.end(reported_usage(message.usage_metadata, received=metered.received))
                calls = tuple(_calls(message))
                return ModelAnswer(text=_plain(str(message.text)), calls=calls, usage=metered.usage)
            await asyncio.sleep(wait)
        raise AssertionError("the last attempt either answers or raises")

    async def close(self) -> None:
        """Close the open connections to the service; nothing can be asked afterwards."""
        await self.disconnect()

    async def _ask(self, question: Question, say: "_Said", metered: MeteredCall) -> AIMessage:
        messages = [dict(message) for message in question.messages]
        runnable = self._with_tools(question.tools)
        if not self.streams:
            async with self._not_silent():
                message = await runnable.ainvoke(messages)
            metered.received += len(str(message.text)) + sum(len(str(call)) for call in message.tool_calls)
            say(str(message.text))
            return message
        whole: AIMessageChunk | None = None
        chunks = cast("AsyncGenerator[AIMessageChunk, None]", runnable.astream(messages))
        # Closed here when cancelled: a generator that is left to the garbage collector would keep its stream.
        async with self._not_silent() as silence, contextlib.aclosing(chunks):
            async for chunk in chunks:
                # Each chunk renews the limit: a long answer is no silence.
                silence.reschedule(asyncio.get_running_loop().time() + self.silence_s)
                whole = chunk if whole is None else whole + chunk
                calls = chunk.tool_call_chunks
                metered.received += len(str(chunk.content)) + sum(len(call["args"] or "") for call in calls)
                say(str(chunk.text))
        if whole is None:
            raise ModelError(f"The model {self.name} answered nothing.")
        return whole

    @contextlib.asynccontextmanager
    async def _not_silent(self) -> AsyncGenerator[asyncio.Timeout, None]:
        try:
            async with asyncio.timeout(self.silence_s) as silence:
                yield silence
        except TimeoutError as error:
            raise _Silence(f"it said nothing for {self.silence_s:g} s") from error

    def _with_tools(self, tools: Sequence[ToolSpec]) -> Runnable[LanguageModelInput, AIMessage]:
        if not tools:
            return self.model
        return self.model.bind_tools([_function(tool) for tool in tools])


class _Said:
    """Hands text on, and knows whether there was any."""

    def __init__(self, say: Say | None) -> None:
        self._say = say
        self.anything = False

    def __call__(self, text: str) -> None:
        if self._say is not None and text:
            self.anything = True
            self._say(_plain(text))


def _calls(message: AIMessage) -> list[AskedCall]:
    """Return the tool calls of an answer. Arguments that arrived in pieces count only as whole JSON."""
    if isinstance(message, AIMessageChunk):
        # Not `tool_calls`: there LangChain completes half an object, and half of the arguments would be used.
        chunks = message.tool_call_chunks
        return [AskedCall(chunk["name"] or "", _object(chunk["args"])) for chunk in chunks]
    asked = [AskedCall(call["name"], _object(json.dumps(call["args"]))) for call in message.tool_calls]
    return asked + [AskedCall(call["name"] or "", None) for call in message.invalid_tool_calls]


def _object(text: str | None) -> Mapping[str, Any] | None:
    """Return the JSON object of a text; None if it is none, or one that cannot be written again."""
    try:
        value = json.loads(text or "{}")
        encode(value)
    except (ValueError, TypeError):
        return None
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else None


def _plain(text: str) -> str:
    """Return a text in which lone surrogates, which UTF-8 cannot encode, are replaced."""
    return text.encode(errors="replace").decode()


def _function(tool: ToolSpec) -> dict[str, Any]:
    """Return a tool in the form that LangChain binds."""
    parameters = dict(tool.parameters)
    function = {"name": tool.name, "description": tool.description, "parameters": parameters}
    return {"type": "function", "function": function}


def _status(error: Exception) -> int | None:
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else None


def _wait(error: Exception, pause: float | None) -> float | None:
    """Return how long to wait before the next attempt; None if there should be none."""
    status = _status(error)
    if pause is None or isinstance(error, ModelError) or (status is not None and status not in _RETRYABLE):
        return None
    headers: Mapping[str, str] = getattr(getattr(error, "response", None), "headers", {})
    try:
        wait = float(headers.get("retry-after", pause))
    except ValueError:
        wait = pause
    return wait if 0 <= wait <= LONGEST_WAIT_S else None


def _model_error(error: Exception) -> ModelError:
    return error if isinstance(error, ModelError) else ModelError(f"The model did not answer: {_told(error)}")


def _told(error: Exception) -> str:
    status = _status(error)
    return f"status {status}" if status is not None else (str(error) or type(error).__name__)[:200]
