"""The callback handlers that follow the models and tools of one run: LangChain calls them where the run is.

One handler for both, since LangChain asks every handler about every token. Tools that are awaited need a
second one, whose start is a coroutine. No callback waits for the event loop: an async node that calls an
agent by `invoke` blocks the loop until the agent's threads have ended.
"""

import asyncio
import inspect
import json
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from typing import Any, cast
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.tracers.context import register_configure_hook
from pydantic import BaseModel, TypeAdapter

from ..domain.errors import GraphFailedError
from ..domain.model_usage import CHARACTERS_PER_TOKEN
from .followed_models import FollowedModels
from .followed_tools import FollowedTools, InlineHandler, result_of, started
from .graph_output import LoopCalls

# --- model calls ---------------------------------------------------------------------------------------
# The length of a model's call, and whether its answer is for a program, from what LangChain reports.

TOKENS_OF_MEDIA = 765
"""For estimates: what OpenAI charges for an image of 1,024 x 1,024. A file or a recording counts as much."""

TOKENS_AROUND_MESSAGE = 3
"""For estimates: the tokens that a service adds to each message."""

_MEDIA = frozenset({"image", "image_url", "input_image", "audio", "input_audio", "video", "file", "document"})
_SENT = ("tools", "functions", "response_format", "format", "output_config")
"""The parameters of a call that its service counts as input."""

_DEEPEST = 32


def characters_sent(messages: Sequence[Any], parameters: Mapping[str, Any]) -> int:
    """Return the length of a call's messages, and of the schemas of its tools and of its answer.

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
    """Return the length of the tool calls and the reasoning in a piece of an answer."""
    content: Any = message.content
    blocks = cast("list[Any]", content) if isinstance(content, list) else []
    thinking = [cast("dict[str, Any]", each) for each in blocks if isinstance(each, dict)]
    thoughts = [each.get("thinking") or each.get("reasoning") for each in thinking]
    thoughts.append(message.additional_kwargs.get("reasoning_content"))
    return calls_in(message) + sum(_characters(each) for each in thoughts)


def is_structured(parameters: Mapping[str, Any], options: Mapping[str, Any]) -> bool:
    """Tell whether a call asks for an answer in a form that a program reads, such as JSON of a schema.

    LangChain reports it for `with_structured_output`. For a model that is bound to a format by hand, and the
    agents of `create_agent` with a `ProviderStrategy`, the parameters do: `response_format` is OpenAI's,
    `format` Ollama's, `output_config` Anthropic's, `response_schema` and `response_mime_type` Google's.
    """
    if "ls_structured_output_format" in options:
        return True
    output: Any = parameters.get("output_config")
    asked: list[Any] = [parameters.get(name) for name in ("response_format", "format", "response_schema")]
    asked += [output.get("format")] if isinstance(output, dict) else []
    mime_type = parameters.get("response_mime_type") or "text/plain"
    return mime_type != "text/plain" or any(each and each not in ("text", {"type": "text"}) for each in asked)


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


# --- run callbacks -------------------------------------------------------------------------------------


# LangChain adds what these hold to the callbacks of each model and tool, as a node may give those others:
# `agent.invoke(state, {"callbacks": [tracer]})` would replace the ones that it has inherited.
_AWAITED: ContextVar[BaseCallbackHandler | None] = ContextVar("awaited_tools", default=None)
_FOLLOWING: ContextVar[BaseCallbackHandler | None] = ContextVar("following", default=None)
register_configure_hook(_AWAITED, inheritable=True)
register_configure_hook(_FOLLOWING, inheritable=True)


def handlers_of(
    models: FollowedModels, tools: FollowedTools, on_loop: LoopCalls
) -> list[BaseCallbackHandler]:
    """Return the handlers to give to LangChain, for a run on this event loop, in this asyncio task."""
    following = _Following(models, tools, on_loop)
    awaited = _AwaitedTools(tools, on_loop)
    _AWAITED.set(awaited)
    _FOLLOWING.set(following)
    return [awaited, following]


class _Following(BaseCallbackHandler):
    """Follows the models and tools of one run, in the thread that each is called in."""

    # In the thread of the call and in order: LangChain would otherwise take a thread for each token.
    run_inline = True
    # A task that shows too much fails at the piece that is too much, and not after the whole answer.
    raise_error = True

    # Starts and ends of nodes come with the run's stream; retrievers are not followed.
    @property
    def ignore_chain(self) -> bool:
        return True

    @property
    def ignore_retriever(self) -> bool:
        return True

    def __init__(self, models: FollowedModels, tools: FollowedTools, on_loop: LoopCalls) -> None:
        self._models = models
        self._tools = tools
        self._on_loop = on_loop

    # --- models ---------------------------------------------------------------------------------------

    # A model streams although it is only awaited if a handler has these two methods
    # (`BaseChatModel._should_stream`). LangChain calls them for its own streams of events alone.

    def tap_output_aiter(self, run_id: UUID, output: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Return the stream unchanged."""
        return output

    def tap_output_iter(self, run_id: UUID, output: Iterator[Any]) -> Iterator[Any]:
        """Return the stream unchanged."""
        return output

    def check_wanted(self) -> None:
        """End the answer of an interrupted run at its next token, and a further one before it begins.

        Each token is paid for, and nothing can stop a thread; on the event loop a client may have lost the
        cancellation (`cancel_scope`). Raises `CancelledError` there, and `GraphFailedError` in a thread.
        """
        if self._models.is_interrupted:
            if self._on_loop.is_on_loop:
                raise asyncio.CancelledError
            raise GraphFailedError("The task was interrupted before its model had answered.")

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[Any]],
        *,
        run_id: UUID,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Follow an answer. Raises as `check_wanted`."""
        self.check_wanted()
        parameters: dict[str, Any] = kwargs.get("invocation_params") or {}
        sent = [message for batch in messages for message in batch]  # the list is the caller's
        self._models.begin(
            run_id,
            lambda: characters_sent(sent, parameters),
            tags or (),
            metadata or {},
            is_structured=is_structured(parameters, kwargs.get("options") or {}),
        )

    def on_llm_start(
        self,
        serialized: dict[str, Any],
        prompts: list[str],
        *,
        run_id: UUID,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Follow a completion as an answer. Raises as `check_wanted`."""
        self.check_wanted()
        self._models.begin(run_id, lambda: sum(map(len, prompts)), tags or (), metadata or {})

    def on_llm_new_token(self, token: Any, *, chunk: Any = None, run_id: UUID, **kwargs: Any) -> None:
        """Say a piece of an answer. Raises `TooMuchShownError`, and as `check_wanted`."""
        self.check_wanted()
        message = getattr(chunk, "message", None)
        text: Any = token if message is None else message.text
        if isinstance(text, str) and text:
            self._on_loop.soon(self._models.say, run_id, str(text), getattr(message, "id", None))
        elif message is not None and (characters := not_shown_in(message)):
            self._on_loop.soon(self._models.count, run_id, characters)
        if chunks := getattr(message, "tool_call_chunks", ()):
            self._on_loop.soon(self._models.ask, run_id, chunks, getattr(message, "id", None))

    def on_llm_end(self, response: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Say an answer that did not come in pieces. Raises `TooMuchShownError`."""
        generations = getattr(response, "generations", ())
        whole: Any = generations[0][0] if generations and generations[0] else None
        message: Any = getattr(whole, "message", None)
        text, usage = str(getattr(whole, "text", "")), getattr(message, "usage_metadata", None)
        not_shown = not_shown_in(message) if message is not None else 0
        end = partial(self._models.end, not_shown=not_shown)
        self._on_loop.soon(end, run_id, message, text, getattr(message, "id", None), usage)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """End an answer that was cut short."""
        status = getattr(error, "status_code", None)
        refused = isinstance(status, int) and status >= 400  # Ollama's client has -1 for "none"
        self._on_loop.soon(partial(self._models.fail, refused=refused), run_id)

    # --- tools ----------------------------------------------------------------------------------------

    def on_tool_start(
        self, serialized: dict[str, Any], input_str: str, *, run_id: UUID, **kwargs: Any
    ) -> None:
        """Enter a call in its thread, which waits until that is durable. Raises as `ObservedCalls.begin`.

        That is the event loop's own thread where an async node calls the tool by `invoke`. Of a tool that is
        awaited there, `_AwaitedTools` enters the call.
        """
        if self._on_loop.is_on_loop and _is_called_by_coroutine():
            return
        self._tools.begin_here(started(serialized, input_str, run_id, kwargs))

    def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Note what a call came to."""
        self._tools.leave(run_id)
        outcome, value = result_of(output)  # in the tool's thread, as it may be large
        self._on_loop.soon(self._tools.end, run_id, outcome, value)

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Note that a call failed, or that it asked its user."""
        self._tools.leave(run_id)
        self._on_loop.soon(self._tools.fail, run_id, error)


class _AwaitedTools(InlineHandler):
    """Enters the calls of tools that are awaited on the event loop, so that the loop serves others meanwhile.

    All others are entered by `_Following`: of a tool that is called by `invoke`, LangChain runs the coroutine
    of this in another thread, and drops what it raises there.
    """

    @property
    def ignore_agent(self) -> bool:
        """Whether tools are not followed: LangChain would make an event loop for each call in a thread."""
        return not self._on_loop.is_on_loop

    def __init__(self, tools: FollowedTools, on_loop: LoopCalls) -> None:
        self._tools = tools
        self._on_loop = on_loop

    async def on_tool_start(
        self, serialized: dict[str, Any], input_str: str, *, run_id: UUID, **kwargs: Any
    ) -> None:
        if self._on_loop.is_on_loop:
            await self._tools.begin(started(serialized, input_str, run_id, kwargs))

    # Not the coroutines of the base class, of which LangChain runs each in another thread after an `invoke`.

    def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Do nothing."""

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Do nothing."""


def _is_called_by_coroutine() -> bool:
    """Tell whether LangChain awaits the handlers, by who has called the one that calls this.

    It calls both kinds of handlers for both kinds of calls, in no order that lasts, and says nothing of it.
    """
    return bool(sys._getframe(2).f_code.co_flags & inspect.CO_COROUTINE)  # pyright: ignore[reportPrivateUsage]
