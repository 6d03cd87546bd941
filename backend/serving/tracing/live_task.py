"""The spans of one task that has not ended: its own, and those of its agents, tool calls and model calls."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from opentelemetry.trace import SpanContext

from ...domain.task import Task
from ...domain.usage import UsageMeter
from . import names
from .opening import OpenSpan, nanoseconds


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
    models: dict[int, OpenSpan] = field(default_factory=dict[int, OpenSpan])
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
        for part in (self.models, self.calls, self.agents):
            for each in list(part.values()):
                each.end(at, {})
            part.clear()
