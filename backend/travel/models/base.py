"""The seam to language models: what is asked of one, and what it answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ...domain.model_step import NO_USAGE, Usage
from ...domain.usage import UsageMeter
from .validity import Message


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model is told of it; `parameters` is the JSON Schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AskedCall:
    """A tool call as a model asks for it; `arguments` is None where they are no JSON object."""

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
    """What a model is asked: `messages` as OpenAI takes them, valid by the rules of every service."""

    messages: Sequence[Message]
    tools: Sequence[ToolSpec] = field(default=())


class ChatModel(Protocol):
    """A language model."""

    @property
    def name(self) -> str:
        """What it is called: `provider:name`."""
        ...

    async def answer(
        self, question: Question, *, meter: UsageMeter, say: Callable[[str], None] | None = None
    ) -> ModelAnswer:
        """Ask, and return the whole answer; pieces of its text are handed to `say` as they arrive.

        What fails before anything was said is tried again. Raises `ModelError` where the service does not
        answer, or breaks off; what was said stays said. When cancelled, the connection to the service is
        closed before this ends, and `meter` has an estimate of what was used.
        """
        ...

    async def close(self) -> None:
        """Close the connections that are left to the service; nothing can be asked afterwards."""
        ...
