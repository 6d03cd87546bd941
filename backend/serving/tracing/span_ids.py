"""The ids of spans, derived from what they are spans of.

So a process that takes a task up after another has died continues the very span that the other had begun,
and the spans that the other had sent still have their parent.
"""

import contextlib
from collections.abc import Generator
from contextvars import ContextVar
from hashlib import blake2b

from opentelemetry.sdk.trace.id_generator import IdGenerator, RandomIdGenerator
from opentelemetry.trace import SpanContext, TraceFlags

_GIVEN: ContextVar[tuple[int, int] | None] = ContextVar("given_span_ids", default=None)


class GivenIds(IdGenerator):
    """Gives the ids that are `given`, and random ones to all other spans, such as those of a graph's own."""

    def __init__(self) -> None:
        self._random = RandomIdGenerator()

    @contextlib.contextmanager
    def given(self, trace_id: int, span_id: int) -> Generator[None]:
        """Give these to the span that is started within."""
        token = _GIVEN.set((trace_id, span_id))
        try:
            yield
        finally:
            _GIVEN.reset(token)

    def generate_trace_id(self) -> int:
        """Return the id for a new trace."""
        given = _GIVEN.get()
        return given[0] if given is not None else self._random.generate_trace_id()

    def generate_span_id(self) -> int:
        """Return the id for a new span."""
        given = _GIVEN.get()
        return given[1] if given is not None else self._random.generate_span_id()


def span_id(*parts: str) -> int:
    """Return the id of the span of a task, or of a part of it."""
    return _number("\x1f".join(parts), 8)


def caller_of(traceparent: str | None) -> SpanContext | None:
    """Return the span of whoever sent a message; None without a valid `traceparent`."""
    fields = (traceparent or "").split("-")
    if len(fields) < 4:
        return None
    try:
        trace_id, parent_id, flags = (int(field, 16) for field in fields[1:4])
    except ValueError:
        return None
    caller = SpanContext(trace_id, parent_id, is_remote=True, trace_flags=TraceFlags(flags))
    return caller if caller.is_valid else None


def task_context(task_id: str, traceparent: str | None) -> SpanContext:
    """Return the span of a task: in its caller's trace, or in one of its own."""
    caller = caller_of(traceparent)
    trace_id = caller.trace_id if caller is not None else _number(task_id, 16)
    flags = caller.trace_flags if caller is not None else TraceFlags(TraceFlags.SAMPLED)
    return SpanContext(trace_id, span_id(task_id), is_remote=True, trace_flags=flags)


def _number(text: str, size: int) -> int:
    digest = blake2b(text.encode(), digest_size=size, person=b"detour span").digest()
    return int.from_bytes(digest, "big") or 1  # 0 is no id
