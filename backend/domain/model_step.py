"""One step of an agent that a language model drives: its answer, and the calls it asks for. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from typing_extensions import TypedDict


class UsageView(TypedDict):
    """What language models have used for a task; `estimated` if a service did not report all of it."""

    input_tokens: int
    output_tokens: int
    model_calls: int
    estimated: bool


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or several model calls; `estimated` if a service did not report all of them."""

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

    def to_wire(self) -> UsageView:
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
