"""What language models have done for one task, kept as they do it."""

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any

from .model_step import NO_USAGE, ModelStep
from .tool_call import ToolCall
from .usage import UsageMeter

Past = tuple[Sequence[ModelStep], Sequence[ToolCall]]

ReadPast = Callable[[int], Coroutine[Any, Any, Past]]
"""Returns the steps of the user's tasks from that turn on, and all tool calls of those tasks, as stored."""


async def no_past(_since_turn: int) -> Past:
    """Return nothing: no model was asked before."""
    return (), ()


@dataclass(slots=True)
class ModelTrace:
    """The `steps` of a task, whole answers in the order in which they came, and what all of it has used."""

    past: ReadPast = no_past
    steps: list[ModelStep] = field(default_factory=list[ModelStep])
    usage: UsageMeter = field(default_factory=UsageMeter)

    @classmethod
    def of(cls, past: ReadPast, steps: Sequence[ModelStep]) -> "ModelTrace":
        """Return the trace of a task that goes on after these steps."""
        return cls(past, list(steps), UsageMeter(sum((step.usage for step in steps), NO_USAGE)))
