"""The seam to language models: the question, the answer, and the protocol of a model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ...domain.model_usage import NO_USAGE, Usage, UsageMeter
from .validity import Message


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
        """Ask, and return the whole answer; `say` gets the pieces of its text as they arrive.

        An attempt that fails before any text arrived is repeated. Raises `ModelError` if the service does not
        answer or breaks off; text that was handed to `say` is not taken back. When cancelled, the connection
        to the service is closed before this returns, and `meter` has an estimate of what was used.
        """
        ...

    async def close(self) -> None:
        """Close the open connections to the service; nothing can be asked afterwards."""
        ...
