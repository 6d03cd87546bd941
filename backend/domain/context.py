"""What an interrupted task leaves behind for later tasks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NotRequired

import orjson
from typing_extensions import TypedDict

from .encoding import embedded, encode, to_wire
from .model_usage import UsageView
from .task import InterruptReason, SortedCounts, StoppedBy
from .tool_call import ToolCallView

KEPT_CONTEXTS = 5
"""How many interrupted contexts are kept for a user."""


class InterruptedView(TypedDict):
    """What an interrupted task left behind."""

    task_id: str
    message: str
    reason: InterruptReason
    at: str
    partial_results: Mapping[str, Sequence[Any]]
    text: str
    asked: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class InterruptedContext:
    """An interrupted task, as far as it got.

    `partial_results` is the JSON of `{"agent": [item, ...]}`, which may be large; `counts` holds the number
    of items of each agent. `asked` are the prompts of its unanswered questions.
    """

    user_id: str
    task_id: str
    turn: int
    message: str
    reason: InterruptReason
    at: datetime
    partial_results: bytes
    counts: Mapping[str, int]
    text: str = ""
    request: Mapping[str, Any] | None = None
    asked: tuple[str, ...] = ()

    def items(self) -> Mapping[str, list[Any]]:
        """Return the partial results as values."""
        return orjson.loads(self.partial_results)

    @property
    def found_nothing(self) -> bool:
        """Whether the task had shown no results and no text."""
        return not self.text and not any(self.counts.values())

    def to_wire(self) -> InterruptedView:
        """Return the contract's form, its partial results already encoded."""
        return {
            "task_id": self.task_id,
            "message": self.message,
            "reason": self.reason,
            "at": to_wire(self.at),
            "partial_results": embedded(self.partial_results),
            "text": self.text,
            "asked": self.asked,
        }

    def to_state(self) -> dict[str, Any]:
        """Return plain values, for a graph's `previous_context`."""
        request = dict(self.request) if self.request is not None else None
        return {**orjson.loads(encode(self.to_wire())), "request": request}


# --- receipt -------------------------------------------------------------------------------------------
# The account of how a task ended: stored with its ending, published, and amended when more becomes known.


class ReceiptAnswer(TypedDict):
    """The true account of how a task ended.

    An outcome that becomes known later amends it: `amendments` counts how often, `amended_at` is the last
    time. `set_aside` says what of a graph's stored state did not fit the graph any more, if anything.
    `stopped_by` says who stopped the task, if not its user.
    `sorted_results` counts what the message that interrupted the task makes of its results, where it does.
    """

    task_id: str
    reason: InterruptReason | None
    at: str
    requested_at: str | None
    settled_at: str
    text_kept: int
    partial_results: Mapping[str, int]
    input_request: str | None
    tool_calls: Sequence[ToolCallView]
    adopted_by: str | None
    usage: UsageView
    stopped_by: NotRequired[StoppedBy]
    set_aside: NotRequired[Sequence[str]]
    sorted_results: NotRequired[Mapping[str, SortedCounts]]
    amended_at: NotRequired[str]
    amendments: NotRequired[int]
