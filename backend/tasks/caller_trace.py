"""The W3C trace context of whoever sends a message, from the edge of the server to the task's record.

A context variable, as OpenTelemetry keeps it too: what lies between the edge and the record need not know it.
"""

from contextvars import ContextVar

CALLER_TRACE: ContextVar[str | None] = ContextVar("caller_trace", default=None)
"""The `traceparent` of the request that is being served; None if it has none, or without tracing."""
