"""A language model behind LangChain's client libraries, built as the settings name it.

Cancelling a call closes its HTTP stream before the call returns: within 1 ms, as measured for the three
libraries that are supported. The connection of a closed stream is not reused. If the model that the settings
name cannot be built, the server does not start, and says why.
"""

import contextlib
import importlib
import json
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from types import MappingProxyType
from typing import Any, cast

import structlog
from httpx import Limits
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.runnables import Runnable
from pydantic import SecretStr

from ...domain.encoding import encode
from ...domain.errors import DetourError, ModelError
from ...domain.model_usage import REFUSED, MeteredCall, UsageMeter, reported_usage
from ...http.outgoing import check_outgoing
from .base import MOST_TOKENS, AskedCall, ModelAnswer, Question, ToolSpec
from .history import openai_faults

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
    status = None if isinstance(error, DetourError) else getattr(error, "status_code", None)
    return status if isinstance(status, int) else None


def _told(error: Exception) -> str:
    status = _status(error)
    return f"status {status}" if status is not None else (str(error) or type(error).__name__)[:200]


# --- building it ---------------------------------------------------------------------------------------


class ModelNotLoadedError(DetourError):
    """`DETOUR_MODEL` names no model that can be used."""

    code = "model_not_loaded"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Provider:
    """What is special to a provider: the variable that may hold its key, and the options of its client.

    `is_open` means that a server of one's own may need no key. `http` is the path to the chat model's HTTP
    client, `closing` to the function that closes its connections, `most_tokens` the name of the option that
    bounds an answer; LangChain has no common name for them. `marks` are as in `LangchainModel`.
    """

    package: str
    http: str
    closing: str
    key_name: str = ""
    is_open: bool = False
    most_tokens: str = "max_tokens"
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    marks: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


_NEVER_FULL = Limits(max_connections=None, max_keepalive_connections=20)
"""Ollama's client is built on httpx, whose pool loses a place for good if a call is cancelled while it waits
for one (httpcore #1093). Without a limit none waits."""

# No client retries by itself: it does not know what was already shown. `stream_chunk_timeout` is off since
# langchain-openai awaits each chunk through asyncio.wait_for. The fault is CPython's: before 3.12, wait_for
# returns the chunk and drops the cancellation of a task that is cancelled as its chunk arrives, so an
# interrupted model would write on. `use_responses_api` is off since the rules of `validity.py`, and the
# servers that imitate OpenAI's, are those of chat completions.
_PROVIDERS: Mapping[str, _Provider] = {
    "openai": _Provider(
        package="langchain_openai",
        http="root_async_client._client",
        closing="root_async_client.close",
        key_name="OPENAI_API_KEY",
        is_open=True,
        options={
            "max_retries": 0,
            "stream_usage": True,
            "stream_chunk_timeout": 0,
            "use_responses_api": False,
        },
    ),
    "anthropic": _Provider(
        package="langchain_anthropic",
        http="_async_client._client",
        closing="_async_client.close",
        key_name="ANTHROPIC_API_KEY",
        options={"max_retries": 0},
        marks={"cache_control": {"type": "ephemeral"}},
    ),
    "ollama": _Provider(
        package="langchain_ollama",
        http="_async_client._client",
        closing="_async_client._client.aclose",
        most_tokens="num_predict",
        options={"async_client_kwargs": {"limits": _NEVER_FULL}},
    ),
}


def load_model(
    setting: str,
    *,
    base_url: str = "",
    key: SecretStr | None = None,
    streams: bool = True,
    plain_hosts: Collection[str] = (),
) -> LangchainModel:
    """Return the model of `provider:name`.

    Raises `ModelNotLoadedError`, which says what to do, and `PlainAddressError` for one on another machine
    that is not reached by https, unless it is one of `plain_hosts`.
    """
    provider_name, _, name = setting.partition(":")
    provider = _PROVIDERS.get(provider_name)
    if provider is None or not name:
        known = ", ".join(f"{each}:name" for each in _PROVIDERS)
        raise ModelNotLoadedError(f"DETOUR_MODEL must be one of {known}, not {setting!r}.")
    # The same for every question, of which none wants a longer answer.
    options = {**provider.options, "temperature": 0, provider.most_tokens: MOST_TOKENS}
    if base_url:
        options["base_url"] = base_url
    if provider.key_name:
        options["api_key"] = _key(provider_name, provider, key, base_url)
    model = _made(provider, setting, options)
    http: Any = attrgetter(provider.http)(model)
    # The client's own address: the library's variables may give another one than the settings.
    check_outgoing(
        "DETOUR_MODEL_BASE_URL" if base_url else f"DETOUR_MODEL={setting}", str(http.base_url), plain_hosts
    )
    # A redirect would carry key and conversation to an address that nobody has set.
    http.follow_redirects = False
    return LangchainModel(
        name=setting,
        model=model,
        disconnect=attrgetter(provider.closing)(model),
        streams=streams,
        marks=provider.marks,
    )


def _key(provider_name: str, provider: _Provider, key: SecretStr | None, base_url: str) -> SecretStr:
    found = key or SecretStr(os.environ.get(provider.key_name, ""))
    if found.get_secret_value():
        return found
    if provider.is_open and base_url:
        return SecretStr("none")
    needed = f"DETOUR_MODEL_KEY, or {provider.key_name}"
    raise ModelNotLoadedError(f"DETOUR_MODEL: {provider_name} needs a key: {needed}.")


def _made(provider: _Provider, setting: str, options: Mapping[str, Any]) -> BaseChatModel:
    missing = ""
    try:
        for missing in ("langchain.chat_models", provider.package):
            importlib.import_module(missing)
    except ImportError as error:
        distribution = provider.package.replace("_", "-")
        raise ModelNotLoadedError(
            f"DETOUR_MODEL={setting} needs libraries that are not installed ({missing.partition('.')[0]}): "
            f"python -m pip install langchain {distribution}"
        ) from error
    init_chat_model: Any = importlib.import_module("langchain.chat_models").init_chat_model
    try:
        return init_chat_model(setting, **options)
    except Exception as error:
        raise ModelNotLoadedError(f"DETOUR_MODEL={setting} cannot be used: {error}") from error
