"""The seam to language models: the question, the answer, the protocol of a model, and the limits of each."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import structlog

from ...domain.errors import ModelError
from ...domain.model_usage import NO_USAGE, Usage, UsageMeter
from .history import Message

MOST_TOKENS = 300
"""Tokens of one answer: a reading takes about 60, a reply 100."""

MOST_FAILURES = 3
"""After so many within `FAILURES_WITHIN_S` seconds nothing is asked for `LEFT_ALONE_S` seconds."""
FAILURES_WITHIN_S = 60.0
LEFT_ALONE_S = 60.0

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as it is described to a model; `parameters` is the JSON Schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AskedCall:
    """A tool call that a model requests; `arguments` is None if they are not a JSON object."""

    tool: str
    arguments: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswer:
    """One whole answer."""

    text: str = ""
    calls: tuple[AskedCall, ...] = ()
    usage: Usage = NO_USAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a model is asked: `messages` as OpenAI takes them, valid by the rules of every service.

    With a `schema`, the JSON Schema of an object with its title, the answer is JSON that fits it, as far as
    the service can hold its model to that. The answer is whole after `within_s` seconds, or there is none.
    """

    messages: Sequence[Message]
    tools: Sequence[ToolSpec] = field(default=())
    schema: Mapping[str, Any] | None = None
    within_s: float = 15.0


class ChatModel(Protocol):
    """A language model."""

    @property
    def name(self) -> str:
        """What it is called: `provider:name`."""
        ...

    async def answer(
        self, question: Question, *, meter: UsageMeter, say: Callable[[str], None] | None = None
    ) -> ModelAnswer:
        """Ask once, and return the whole answer; `say` gets the pieces of its text as they arrive.

        Raises `ModelError` if the service does not answer, breaks off or takes too long, and whatever `say`
        raises. When cancelled, the connection to the service is closed before this returns, and `meter` has
        an estimate of what was used.
        """
        ...

    async def close(self) -> None:
        """Close the open connections to the service; nothing can be asked afterwards."""
        ...


class LimitedModel:
    """A model that has a time for each answer, and is left alone for a while after some failures."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self._failures: deque[float] = deque(maxlen=MOST_FAILURES)
        self._left_alone_until = 0.0

    @property
    def is_left_alone(self) -> bool:
        """Whether nothing is asked now."""
        return _now() < self._left_alone_until

    async def answer(
        self, question: Question, *, meter: UsageMeter, say: Callable[[str], None] | None = None
    ) -> ModelAnswer:
        """Ask, as `ChatModel.answer`. Raises `ModelError` at once while the model is left alone."""
        if self.is_left_alone:
            raise ModelError("The model has failed repeatedly, and is left alone for a minute.")
        try:
            async with asyncio.timeout(question.within_s):
                return await self._model.answer(question, meter=meter, say=say)
        except TimeoutError:
            self.failed()
            raise ModelError(f"The model took longer than {question.within_s:g} s.") from None
        except ModelError:
            self.failed()
            raise

    def failed(self) -> None:
        """Count an answer that could not be used."""
        now = _now()
        self._failures.append(now)
        if len(self._failures) == MOST_FAILURES and now - self._failures[0] <= FAILURES_WITHIN_S:
            self._left_alone_until = now + LEFT_ALONE_S
            self._failures.clear()
            _log.warning("a model is left alone", model=self._model.name, for_s=LEFT_ALONE_S)


def _now() -> float:
    return asyncio.get_running_loop().time()
