"""Tracing with OpenTelemetry's SDK, put together; a thread of the SDK's sends spans to a collector."""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Generator, Sequence
from typing import Any, cast

import structlog
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult
from opentelemetry.trace import format_span_id, format_trace_id

from ... import __version__
from ...domain.encoding import Clock
from ...store.event_log import Observer, SeenByAll
from ...tasks.task_context import TaskContext
from ...tasks.workflow import Workflow
from .loading import Tracing
from .spans import DerivedIds, TaskSpans, Users

_LOGS_EACH_FAILURE = ("opentelemetry.exporter.otlp", "opentelemetry.sdk._shared_internal")

_log = structlog.get_logger(__name__)


class Exporter(OTLPSpanExporter):
    """Logs when the first spans are lost, and when they arrive again, instead of each failure."""

    _lost = 0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send spans, or drop them."""
        sent = super().export(spans)
        if sent is not SpanExportResult.SUCCESS:
            if not self._lost:
                _log.warning("spans are lost: the collector does not take them", first=len(spans))
            self._lost += len(spans)
        elif self._lost:
            _log.info("the collector takes spans again", lost=self._lost)
            self._lost = 0
        return sent


def _provider(replica: str) -> TracerProvider:
    """Return what makes spans and sends them, as OpenTelemetry's own variables say."""
    for name in _LOGS_EACH_FAILURE:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    resource = Resource.create(
        {"service.version": __version__} | ({"service.instance.id": replica} if replica else {})
    )
    if str(resource.attributes.get("service.name", "")).startswith("unknown_service"):
        resource = resource.merge(Resource({"service.name": "detour"}))
    provider = TracerProvider(resource=resource, id_generator=DerivedIds(), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(Exporter()))
    return provider


class Telemetry(Tracing):
    """Sends the spans of one server."""

    is_on = True

    def __init__(self, *, clock: Clock, workflow: str, users: Users, words: bool, replica: str) -> None:
        self._provider = _provider(replica)
        tracer = self._provider.get_tracer("detour", __version__)
        self._spans = TaskSpans(tracer, clock=clock, workflow=workflow, users=users, words=words)
        # A graph's own spans then go to the same collector, unless it has set up another.
        if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
            trace.set_tracer_provider(self._provider)

    def seeing(self, observer: Observer) -> Observer:
        """Return what observes the log: this observer, and what folds records into spans."""
        return SeenByAll(observer, self._spans)

    def traced(self, workflow: Workflow) -> Workflow:
        """Return the workflow with its runs in the span of their task."""
        return cast("Workflow", _TracedRuns(workflow, self._spans))

    async def close(self, *, within_s: float) -> None:
        """Send the spans that have ended; the rest is dropped after `within_s`."""
        loop = asyncio.get_running_loop()
        done = asyncio.Event()

        def end() -> None:
            self._provider.shutdown()
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(done.set)

        # A daemon, and none of the loop's threads: a collector that does not answer keeps no process alive.
        threading.Thread(target=end, name="end of tracing", daemon=True).start()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await done.wait()


class _TracedRuns:
    """A workflow whose runs, with their log lines and a graph's own spans, are in the span of their task."""

    def __init__(self, workflow: Workflow, spans: TaskSpans) -> None:
        self._workflow = workflow
        self._spans = spans

    def __getattr__(self, name: str) -> Any:
        return getattr(self._workflow, name)

    async def run(self, context: TaskContext) -> str | None:
        """Run the task; as `Workflow.run`."""
        with self._at_work(context):
            return await self._workflow.run(context)

    @contextlib.contextmanager
    def _at_work(self, context: TaskContext) -> Generator[None]:
        live = self._spans.live(context.task_id)
        if live is None:
            yield
            return
        self._spans.follow_models(live, context.trace.usage)
        trace_id, span_id = format_trace_id(live.context.trace_id), format_span_id(live.context.span_id)
        with (
            trace.use_span(live.own.span, record_exception=False, set_status_on_exception=False),
            structlog.contextvars.bound_contextvars(trace_id=trace_id, span_id=span_id),
        ):
            yield
