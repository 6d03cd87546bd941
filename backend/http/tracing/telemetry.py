"""Tracing with OpenTelemetry, put together."""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Generator, Sequence
from typing import Any, cast

import structlog
from opentelemetry import trace
from opentelemetry.context import attach, detach
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import format_span_id, format_trace_id

from ... import __version__
from ...domain.encoding import Clock
from ...store.event_log import Observer, SeenByAll
from ...tasks.task_context import TaskContext
from ...tasks.workflow import Workflow
from .loading import Tracing
from .spans import GivenIds, SpanOpener, TaskSpans, Users

# --- export --------------------------------------------------------------------------------------------
# Sends spans to a collector, in a thread of its own, and tells once when that fails.


_TELLS_EACH_TIME = ("opentelemetry.exporter.otlp", "opentelemetry.sdk._shared_internal")

_log = structlog.get_logger(__name__)


class ToldOnce(SpanExporter):
    """Exports through another exporter; says when the first spans are lost, and when they arrive again."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter
        self._lost = 0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send spans, or drop them."""
        sent = self._exporter.export(spans)
        if sent is not SpanExportResult.SUCCESS:
            if not self._lost:
                _log.warning("spans are lost: the collector does not take them", first=len(spans))
            self._lost += len(spans)
        elif self._lost:
            _log.info("the collector takes spans again", lost=self._lost)
            self._lost = 0
        return sent

    def shutdown(self) -> None:
        """End the other exporter."""
        self._exporter.shutdown()


def tracer_provider(ids: GivenIds, *, replica: str) -> TracerProvider:
    """Return what makes spans and sends them, as OpenTelemetry's own variables say."""
    for name in _TELLS_EACH_TIME:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # `ToldOnce` says it
    provider = TracerProvider(resource=_resource(replica), id_generator=ids, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(ToldOnce(OTLPSpanExporter())))
    return provider


def _resource(replica: str) -> Resource:
    named = Resource.create(
        {"service.version": __version__} | ({"service.instance.id": replica} if replica else {})
    )
    unnamed = str(named.attributes.get("service.name", "")).startswith("unknown_service")
    return named.merge(Resource({"service.name": "detour"})) if unnamed else named


async def shut_down(provider: TracerProvider, *, within_s: float) -> None:
    """Send what is left, for so long at most; then drop it."""
    loop = asyncio.get_running_loop()
    done = asyncio.Event()

    def end() -> None:
        provider.shutdown()
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(done.set)

    # A daemon, and none of the loop's own threads: a collector that does not answer keeps no process alive.
    threading.Thread(target=end, name="end of tracing", daemon=True).start()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(within_s):
            await done.wait()


# --- telemetry -----------------------------------------------------------------------------------------


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
