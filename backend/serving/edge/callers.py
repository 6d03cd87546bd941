"""Notes the trace context of each caller, for the tasks that its request begins."""

import re

from starlette.types import ASGIApp, Receive, Scope, Send

from ...tasks.caller_trace import CALLER_TRACE

_IDS = rb"-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}"
# A later version than 00 may have more fields; ff is none.
_TRACEPARENT = re.compile(rb"00" + _IDS + rb"|(?!00|ff)[0-9a-f]{2}" + _IDS + rb"(-.*)?")


class TracedCallers:
    """ASGI application around another one, which is then asked in the trace of its caller."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Note the request's `traceparent` if it has one that is valid, and let the request through."""
        traceparent = _traceparent(scope) if scope["type"] == "http" else None
        if traceparent is None:
            await self._app(scope, receive, send)
            return
        token = CALLER_TRACE.set(traceparent)
        try:
            await self._app(scope, receive, send)
        finally:
            CALLER_TRACE.reset(token)


def _traceparent(scope: Scope) -> str | None:
    found = [value for name, value in scope["headers"] if name == b"traceparent"]
    if len(found) != 1 or _TRACEPARENT.fullmatch(found[0]) is None:
        return None
    # Of a later version only these fields are known.
    return found[0][:55].decode()
