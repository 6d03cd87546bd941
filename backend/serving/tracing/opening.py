"""Spans that are open, how they are opened, and the ids of late ones, which is all that a link needs."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from opentelemetry.context import Context
from opentelemetry.trace import (
    Link,
    Span,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    Tracer,
    set_span_in_context,
)

from . import names
from .span_ids import GivenIds

MOST_RECENT = 10_000
"""How many spans can be linked to."""


@dataclass(slots=True)
class OpenSpan:
    """A span that has not ended; an agent's has the time `since` when it works, once that is told."""

    span: Span
    began: datetime
    since: str | None = None

    @property
    def inside(self) -> Context:
        """The context of spans within it."""
        return set_span_in_context(self.span)

    @property
    def context(self) -> SpanContext:
        """Its ids."""
        return self.span.get_span_context()

    def end(self, at: datetime, attributes: Mapping[str, Any], *, error: str = "") -> None:
        """End it, with an error of that type if there was one."""
        self.span.set_attributes(attributes)
        if error:
            self.span.set_attribute(names.ERROR_TYPE, error)
            self.span.set_status(Status(StatusCode.ERROR))
        self.span.end(nanoseconds(max(at, self.began)))


class SpanOpener:
    """Opens spans."""

    def __init__(self, tracer: Tracer, ids: GivenIds) -> None:
        self._tracer = tracer
        self._ids = ids

    def open(
        self,
        name: str,
        at: datetime,
        within: Context,
        attributes: Mapping[str, Any],
        *,
        ids: tuple[int, int] | None = None,
        links: Sequence[Link] = (),
        kind: SpanKind = SpanKind.INTERNAL,
    ) -> OpenSpan:
        """Open a span that began `at` a time; `ids` are its trace's and its own, random ones by default."""
        if ids is not None:
            with self._ids.given(*ids):
                return self.open(name, at, within, attributes, links=links, kind=kind)
        span = self._tracer.start_span(
            name, within, kind, attributes=attributes, links=links, start_time=nanoseconds(at)
        )
        return OpenSpan(span, at)


class RecentSpans:
    """The ids of the latest spans, by a name each."""

    def __init__(self) -> None:
        self._spans: OrderedDict[str, SpanContext] = OrderedDict()

    def __contains__(self, name: str) -> bool:
        """Return whether that one is known."""
        return name in self._spans

    def get(self, name: str) -> SpanContext | None:
        """Return the ids of one, if it is known."""
        return self._spans.get(name)

    def add(self, name: str, span: SpanContext) -> None:
        """Know one more; the oldest is forgotten."""
        self._spans[name] = span
        self._spans.move_to_end(name)
        if len(self._spans) > MOST_RECENT:
            self._spans.popitem(last=False)


def nanoseconds(at: datetime) -> int:
    """Return a time as spans have it, since 1970."""
    return int(at.timestamp() * 1_000_000) * 1000
