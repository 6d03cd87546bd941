"""One step of an agent that a language model drives: its answer, and the calls it asks for. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NotRequired

from typing_extensions import TypedDict


class UsageView(TypedDict):
    """What language models have used for a task; `estimated` if a service did not report all of it.

    Where a service told them: of the input tokens those that it read from its cache and wrote to it, of the
    output tokens those of reasoning.
    """

    input_tokens: int
    output_tokens: int
    model_calls: int
    estimated: bool
    cache_read_tokens: NotRequired[int]
    cache_creation_tokens: NotRequired[int]
    reasoning_tokens: NotRequired[int]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or several model calls; `estimated` if a service did not report all of them.

    `cache_read` and `cache_creation` are part of the input tokens, `reasoning` of the output tokens.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    calls: int = 0
    estimated: bool = False
    cache_read: int = 0
    cache_creation: int = 0
    reasoning: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.calls + other.calls,
            self.estimated or other.estimated,
            self.cache_read + other.cache_read,
            self.cache_creation + other.cache_creation,
            self.reasoning + other.reasoning,
        )

    def to_wire(self) -> UsageView:
        """Return the contract's form."""
        view: UsageView = {
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "model_calls": self.calls,
            "estimated": self.estimated,
        }
        if self.cache_read:
            view["cache_read_tokens"] = self.cache_read
        if self.cache_creation:
            view["cache_creation_tokens"] = self.cache_creation
        if self.reasoning:
            view["reasoning_tokens"] = self.reasoning
        return view


NO_USAGE = Usage()


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedCall:
    """A tool call that a model asks for.

    `call_id` is unique among the model's calls. `key` is the ledger's key of the call, whose outcome is the
    result; "" if the call was `refused`, for that reason, and never made.
    """

    call_id: str
    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    key: str = ""
    refused: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStep:
    """One complete answer of the model that drives an agent; stored before any of its calls is made.

    An answer that was cut short is not a step, and no model ever sees it. `turn` is the task's, as in its
    tool calls; `said_in` is the turn of the conversation at that moment: a later one if the user had answered
    a question. `position` counts the steps of a task.
    """

    user_id: str
    task_id: str
    turn: int
    said_in: int
    position: int
    agent: str
    text: str = ""
    calls: tuple[RequestedCall, ...] = ()
    usage: Usage = NO_USAGE
    at: datetime
