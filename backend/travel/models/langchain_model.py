"""A language model behind LangChain's client libraries.

Cancelling a call closes its HTTP stream before the call returns: within 1 ms, as measured for the three
libraries that are supported. The connection of a closed stream is not reused.
"""

import contextlib
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
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

_log = structlog.get_logger(__name__)

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class LangchainModel:
    """Asks a LangChain chat model, which must not retry by itself; `disconnect` closes its connections.

    Nothing is asked twice: an answer is late by then, and the rules have one. `streams` is false for a
    service that cannot stream: its answers come whole. `marks` are the options that mark what the service
    may keep in its cache, where it wants to be told.
    """

    name: str
    model: BaseChatModel
    disconnect: Callable[[], Awaitable[None]]
    streams: bool = True
    marks: Mapping[str, Any] = field(default_factory=dict[str, Any])

    async def answer(self, question: Question, *, meter: UsageMeter, say: Say | None = None) -> ModelAnswer:
        """Ask, and return the whole answer; as `ChatModel.answer`."""
        faults = openai_faults(question.messages)
        if faults:
            raise ModelError(f"The model was not asked: {faults[0]}.")
        asked = [*question.messages, *map(_function, question.tools), question.schema or {}]
        provider, _, name = self.name.rpartition(":")
        metered = meter.begin(sum(len(json.dumps(each)) for each in asked), provider=provider, model=name)
        try:
            message = await self._ask(question, say or _say_nothing, metered)
        except Exception as error:
            # A refused question is not charged. One that ends in silence, or is cut, may be.
            refused = _status(error) is not None and not metered.received
            metered.end(REFUSED if refused else None, failed=True)
            _log.warning("a model call failed", model=self.name, reason=_told(error))
            if isinstance(error, ModelError):
                raise
            raise ModelError(f"The model did not answer: {_told(error)}") from error
        metered.end(reported_usage(message.usage_metadata, received=metered.received))
        calls = tuple(_calls(message))
        return ModelAnswer(text=_plain(str(message.text)), calls=calls, usage=metered.usage)

    async def close(self) -> None:
        """Close the open connections to the service; nothing can be asked afterwards."""
        await self.disconnect()

    async def _ask(self, question: Question, say: Say, metered: MeteredCall) -> AIMessage:
        messages = [dict(message) for message in question.messages]
        runnable = self._prepared(question)
        if not self.streams:
            message = await runnable.ainvoke(messages)
            metered.received += len(str(message.text)) + sum(len(str(call)) for call in message.tool_calls)
            _hand_on(message, say)
            return message
        whole: AIMessageChunk | None = None
        chunks = cast("AsyncGenerator[AIMessageChunk, None]", runnable.astream(messages))
        # Closed here when cancelled: a generator that is left to the garbage collector would keep its stream.
        async with contextlib.aclosing(chunks):
            async for chunk in chunks:
                whole = chunk if whole is None else whole + chunk
                calls = chunk.tool_call_chunks
                metered.received += len(str(chunk.content)) + sum(len(call["args"] or "") for call in calls)
                _hand_on(chunk, say)
        if whole is None:
            raise ModelError(f"The model {self.name} answered nothing.")
        return whole

    def _prepared(self, question: Question) -> Runnable[LanguageModelInput, AIMessage]:
        if question.tools:
            return self.model.bind_tools([_function(tool) for tool in question.tools], **self.marks)
        if question.schema is None:
            return self.model.bind(**self.marks)
        # All three clients take OpenAI's form, and make of it what their service has for it.
        schema = {"name": str(question.schema["title"]), "strict": True, "schema": dict(question.schema)}
        wanted = {"type": "json_schema", "json_schema": schema}
        return self.model.bind(response_format=wanted, **self.marks)


def _say_nothing(_text: str) -> None:
    """Show an answer to nobody."""


def _hand_on(message: AIMessage, say: Say) -> None:
    text = str(message.text)
    if text:
        say(_plain(text))


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


def _told(error: Exception) -> str:
    status = _status(error)
    return f"status {status}" if status is not None else (str(error) or type(error).__name__)[:200]
