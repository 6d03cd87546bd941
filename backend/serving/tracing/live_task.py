"""The spans of one task that has not ended: its own, and those of its agents, tool calls and model calls."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from opentelemetry.trace import SpanContext

from ...domain.model_step import Usage
from ...domain.task import Task
from ...domain.usage import MeteredCall, UsageMeter
from . import names
from .opening import OpenSpan, nanoseconds


class OpenModel(NamedTuple):
    """The span of a model's call that has not ended, and the meter of the call."""

    span: OpenSpan
    call: MeteredCall


@dataclass(slots=True)
class LiveTask:
    """A task that has not ended, as it was last written; `meter` knows what its models have used.

    It `continues` if another process has worked on it. `stretches` counts how often each agent began to work.
    """

    task: Task
    own: OpenSpan
    continues: bool
    stretches: Counter[str] = field(default_factory=Counter[str])
    agents: dict[str, OpenSpan] = field(default_factory=dict[str, OpenSpan])
    calls: dict[str, OpenSpan] = field(default_factory=dict[str, OpenSpan])
    models: dict[int, OpenModel] = field(default_factory=dict[int, OpenModel])
    meter: UsageMeter | None = None
    reply: str = ""

    @property
    def context(self) -> SpanContext:
        """The ids of its span."""
        return self.own.context

    def event(self, name: str, at: datetime, attributes: Mapping[str, Any]) -> None:
        """Add an event to the task's span."""
        self.own.span.add_event(name, dict(attributes), nanoseconds(at))

    def link(self, kind: str, target: SpanContext) -> None:
        """Link the task's span to another."""
        self.own.span.add_link(target, {names.LINK: kind})

    def end_parts(self, at: datetime) -> None:
        """End what is still open within the task: it ends with it."""
        for span, call in list(self.models.values()):
            span.end(at, used(call.usage))
        self.models.clear()
        for part in (self.calls, self.agents):
            for each in list(part.values()):
                each.end(at, {})
            part.clear()


def used(usage: Usage) -> dict[str, Any]:
    """Return what models have used, as attributes."""
    of_parts = {
        names.CACHE_READ_TOKENS: usage.cache_read,
        names.CACHE_CREATION_TOKENS: usage.cache_creation,
        names.REASONING_TOKENS: usage.reasoning,
    }
    return {
        names.INPUT_TOKENS: usage.input_tokens,
        names.OUTPUT_TOKENS: usage.output_tokens,
        names.MODEL_CALLS: usage.calls,
        names.USAGE_ESTIMATED: usage.estimated,
    } | {name: tokens for name, tokens in of_parts.items() if tokens}
