"""What language models have done for one task: their answers, and what they have used."""

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any

from .model_step import NO_USAGE, ModelStep
from .tool_call import ToolCall
from .usage import UsageMeter

Past = tuple[Sequence[ModelStep], Sequence[ToolCall]]

ReadPast = Callable[[int], Coroutine[Any, Any, Past]]
"""Reads the steps of the user's tasks from a turn on, and all tool calls of those tasks."""


async def no_past(_since_turn: int) -> Past:
    """Return nothing: no model was asked before."""
    return (), ()


@dataclass(slots=True)
class ModelTrace:
    """The `steps` of a task, complete answers in order, and the `usage` of all its model calls."""

    past: ReadPast = no_past
    steps: list[ModelStep] = field(default_factory=list[ModelStep])
    usage: UsageMeter = field(default_factory=UsageMeter)

    @classmethod
    def of(cls, past: ReadPast, steps: Sequence[ModelStep]) -> "ModelTrace":
        """Return the trace of a task that resumes after these steps."""
        return cls(past, list(steps), UsageMeter(sum((step.usage for step in steps), NO_USAGE)))
