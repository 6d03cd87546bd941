"""Reads whether tracing is on, and only then imports OpenTelemetry."""

import importlib
import importlib.util
from collections.abc import Iterable, Mapping
from typing import Any

from ...domain.encoding import Clock
from ...domain.errors import DetourError
from ...store.event_log import Observer
from ...tasks.workflow import Workflow
from ..outgoing import check_outgoing
from ..settings import Settings

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
"""Variables of OpenTelemetry, of which one switches tracing on unless `DETOUR_TRACING` says otherwise."""

CAPTURES_WORDS = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_WITH_WORDS = frozenset({"true", "span_only", "span_and_event"})

_TELEMETRY = ".telemetry"
_NEEDED: Iterable[str] = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")


class NoTracingError(DetourError):
    """Tracing is on, and OpenTelemetry is not installed."""

    code = "no_tracing"


class Tracing:
    """Tracing that is off. One that is on sends a span for each task and each of its parts."""

    is_on = False

    def seeing(self, observer: Observer) -> Observer:
        """Return what observes the log: this observer, and what folds records into spans."""
        return observer

    def traced(self, workflow: Workflow) -> Workflow:
        """Return the workflow; its runs are in the span of their task."""
        return workflow

    async def close(self, *, within_s: float) -> None:
        """Send the spans that have ended; the rest is dropped after `within_s`, or at once if cancelled."""


def load_tracing(settings: Settings, environment: Mapping[str, str], *, clock: Clock) -> Tracing:
    """Return the tracing of a server, as it is set. Raises `NoTracingError` and `PlainAddressError`."""
    if not _is_on(settings, environment):
        return Tracing()
    if not all(map(_is_installed, _NEEDED)):
        raise NoTracingError(
            "Tracing needs OpenTelemetry: python -m pip install opentelemetry-sdk "
            'opentelemetry-exporter-otlp-proto-http. Or set DETOUR_TRACING="no".'
        )
    endpoint = next((name for name in ENDPOINTS if environment.get(name)), None)
    if endpoint is not None:
        check_outgoing(endpoint, environment[endpoint], settings.plain_hosts)
    words = settings.tracing_words or environment.get(CAPTURES_WORDS, "").lower() in _WITH_WORDS
    telemetry: Any = importlib.import_module(_TELEMETRY, __package__)
    # Without the folders of a path.
    workflow = settings.graph.rpartition("/")[2] or "travel"
    return telemetry.Telemetry(
        clock=clock, workflow=workflow, users=settings.tracing_users, words=words, replica=settings.replica
    )


def _is_on(settings: Settings, environment: Mapping[str, str]) -> bool:
    if environment.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return False
    if settings.tracing is not None:
        return settings.tracing
    return any(environment.get(name) for name in ENDPOINTS)


def _is_installed(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:  # not even the package that it is in
        return False
