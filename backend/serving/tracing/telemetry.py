"""Tracing with OpenTelemetry, put together."""

import contextlib
from collections.abc import Generator
from typing import Any, cast

import structlog
from opentelemetry import trace
from opentelemetry.context import attach, detach
from opentelemetry.trace import format_span_id, format_trace_id

from ... import __version__
from ...domain.clock import Clock
from ...log.event_log import Observer, SeenByAll
from ...tasks.task_context import TaskContext
from ...tasks.workflow import Workflow
from .export import shut_down, tracer_provider
from .loading import Tracing
from .opening import SpanOpener
from .span_ids import GivenIds
from .task_spans import TaskSpans, Users


class Telemetry(Tracing):
    """Sends the spans of one server."""

    is_on = True

    def __init__(self, *, clock: Clock, workflow: str, users: Users, words: bool, replica: str) -> None:
        ids = GivenIds()
        self._provider = tracer_provider(ids, replica=replica)
        tracer = self._provider.get_tracer("detour", __version__)
        self._spans = TaskSpans(
            SpanOpener(tracer, ids), clock=clock, workflow=workflow, users=users, words=words
        )
        # A graph may use OpenTelemetry itself: what it makes then goes the same way, unless it has its own.
        if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
            trace.set_tracer_provider(self._provider)

    def seeing(self, observer: Observer) -> Observer:
        """Return what observes the log: this observer, and what folds records into spans."""
        return SeenByAll(observer, self._spans)

    def traced(self, workflow: Workflow) -> Workflow:
        """Return the workflow with its runs in the span of their task."""
        return cast("Workflow", _TracedRuns(workflow, self))

    @contextlib.contextmanager
    def at_work(self, context: TaskContext) -> Generator[None]:
        """Have log lines, and spans of a graph's own, belong to a task's span."""
        live = self._spans.live(context.task_id)
        if live is None:
            yield
            return
        self._spans.follow_models(live, context.trace.usage)
        ids = live.context
        token = attach(live.own.inside)
        try:
            with structlog.contextvars.bound_contextvars(
                trace_id=format_trace_id(ids.trace_id), span_id=format_span_id(ids.span_id)
            ):
                yield
        finally:
            detach(token)

    async def close(self, *, within_s: float) -> None:
        """Send what has ended; what is not sent by then is dropped."""
        await shut_down(self._provider, within_s=within_s)


class _TracedRuns:
    """A workflow whose runs are at work in the span of their task."""

    def __init__(self, workflow: Workflow, telemetry: Telemetry) -> None:
        self._workflow = workflow
        self._telemetry = telemetry

    def __getattr__(self, name: str) -> Any:
        return getattr(self._workflow, name)

    async def run(self, context: TaskContext) -> str | None:
        """Run the task; as `Workflow.run`."""
        with self._telemetry.at_work(context):
            return await self._workflow.run(context)
