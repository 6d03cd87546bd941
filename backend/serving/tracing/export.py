"""Sends spans to a collector, in a thread of its own, and tells once when that fails."""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Sequence

import structlog
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from ... import __version__
from .span_ids import GivenIds

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
