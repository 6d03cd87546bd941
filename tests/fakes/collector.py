"""An OpenTelemetry collector: takes what is sent over HTTP, as protobuf, and keeps the spans."""

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

Attributes = dict[str, Any]


@dataclass(frozen=True)
class Linked:
    trace_id: str
    span_id: str
    attributes: Attributes


@dataclass(frozen=True)
class Event:
    name: str
    at: int
    attributes: Attributes


@dataclass(frozen=True, kw_only=True)
class Span:
    """A span as it was received; ids are hexadecimal, times in nanoseconds since 1970."""

    name: str
    trace_id: str
    span_id: str
    parent_id: str
    kind: int
    began: int
    ended: int
    failed: bool
    attributes: Attributes
    links: list[Linked]
    events: list[Event]

    @property
    def operation(self) -> str:
        return self.attributes.get("gen_ai.operation.name", "")

    def linked(self, kind: str) -> list[str]:
        """Return the ids of the spans that this is so linked to."""
        return [each.span_id for each in self.links if each.attributes["detour.link"] == kind]

    def event(self, name: str) -> Event:
        (event,) = [each for each in self.events if each.name == name]
        return event


@dataclass
class Collector:
    """What was received: whole bodies, resources and spans.

    `answers` is the status it answers with, `sends_to` the address that it redirects to.
    """

    port: int = 0
    bodies: list[bytes] = field(default_factory=list)
    resources: list[Attributes] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    answers: int = 200
    sends_to: str = ""
    may_answer: threading.Event = field(default_factory=threading.Event)
    was_asked: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def take(self, body: bytes) -> None:
        self.bodies.append(body)
        for of_resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            self.resources.append(_values(of_resource.resource.attributes))
            for of_scope in of_resource.scope_spans:
                self.spans += map(_span, of_scope.spans)

    def named(self, name: str) -> list[Span]:
        return [each for each in self.spans if each.name == name]

    def task(self, task_id: str) -> Span:
        (task,) = [
            each
            for each in self.spans
            if each.operation == "invoke_workflow" and each.attributes["detour.task.id"] == task_id
        ]
        return task

    def within(self, span: Span, operation: str) -> list[Span]:
        """Return what has this span as its parent."""
        return [each for each in self.spans if each.parent_id == span.span_id and each.operation == operation]


@contextlib.contextmanager
def collecting() -> Iterator[Collector]:
    """Run a collector on a free port, in threads of its own."""
    collector = Collector()
    collector.may_answer.set()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/traces"
            assert self.headers["content-type"] == "application/x-protobuf"
            body = self.rfile.read(int(self.headers["content-length"]))
            collector.was_asked.set()
            collector.may_answer.wait()
            if collector.answers == 200:
                collector.take(body)
            with contextlib.suppress(ConnectionError):  # the client has given up
                self.send_response(collector.answers)
                self.send_header("content-length", "0")
                if collector.sends_to:
                    self.send_header("location", collector.sends_to)
                self.end_headers()

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        collector.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield collector
        finally:
            collector.may_answer.set()
            server.shutdown()
            thread.join()


def _span(span: Any) -> Span:
    return Span(
        name=span.name,
        trace_id=span.trace_id.hex(),
        span_id=span.span_id.hex(),
        parent_id=span.parent_span_id.hex(),
        kind=span.kind,
        began=span.start_time_unix_nano,
        ended=span.end_time_unix_nano,
        failed=span.status.code == 2,
        attributes=_values(span.attributes),
        links=[
            Linked(each.trace_id.hex(), each.span_id.hex(), _values(each.attributes)) for each in span.links
        ],
        events=[Event(each.name, each.time_unix_nano, _values(each.attributes)) for each in span.events],
    )


def _values(attributes: Any) -> Attributes:
    return {each.key: _value(each.value) for each in attributes}


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(each) for each in value.array_value.values]
    return getattr(value, kind) if kind else None
