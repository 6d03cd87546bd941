"""What a language model said on the way to an answer: one step of an agent that it drives. Pure values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or several model calls; `estimated` where a service did not tell (all of) them."""

    input_tokens: int = 0
    output_tokens: int = 0
    calls: int = 0
    estimated: bool = False

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.calls + other.calls,
            self.estimated or other.estimated,
        )

    def to_wire(self) -> dict[str, Any]:
        """Return the contract's form."""
        return {
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "model_calls": self.calls,
            "estimated": self.estimated,
        }


NO_USAGE = Usage()


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedCall:
    """A tool call that a model asks for.

    `call_id` is unique among the model's calls. `key` is the ledger's key of the call that it is: what
    became of that is its result. It is "" where the call was `refused`, for that reason, and never made.
    """

    call_id: str
    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    key: str = ""
    refused: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStep:
    """One whole answer of the model that drives an agent; stored before any of its calls is made.

    An answer that is cut short is no step: nothing of it is ever told to a model. `turn` is the task's, as in
    its tool calls; `said_in` the turn at which the conversation stood then, which is a later one where the
    user had answered a question. `position` counts the steps of a task.
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
