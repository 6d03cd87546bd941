"""How an error travels over HTTP: its JSON and the headers that go with its status.

Shared by the guard, which speaks bare ASGI, and the application's exception handler, so that a client
cannot see which of them refused.
"""

from collections.abc import Callable, Mapping
from typing import Any

import orjson
from starlette.types import Send

from ...errors import DetourError, Unauthorized

ErrorForm = Callable[[DetourError], Mapping[str, Any]]
"""Returns the JSON of an error."""


class ErrorForms:
    """The forms of errors by their paths: `by_prefix` names those of other protocols, by first segments.

    They hold for what the guard refuses, for what no route answers and for faults; routes render their own.
    """

    def __init__(self, by_prefix: Mapping[str, ErrorForm] | None = None) -> None:
        self._by_prefix = dict(by_prefix or {})

    def body(self, path: str, error: DetourError) -> Mapping[str, Any]:
        """Return the JSON of an error at a path, in the contract's form unless another protocol has it."""
        for prefix, form in self._by_prefix.items():
            if path == prefix or path.startswith(f"{prefix}/"):
                return form(error)
        return error.to_json()


CONTRACT_ALONE = ErrorForms()


def reply_headers(error: DetourError) -> dict[str, str]:
    """Return an answer's further headers: `Retry-After` in seconds, the challenge of a 401."""
    headers: dict[str, str] = {}
    if error.retry_after_s is not None:
        headers["Retry-After"] = str(error.retry_after_s)
    if isinstance(error, Unauthorized):
        headers["WWW-Authenticate"] = "Bearer"
    return headers


async def send_error(send: Send, error: DetourError, content: Mapping[str, Any]) -> None:
    """Send a whole response for `error` with its JSON.

    Cancelled, it may have sent the head without the body.
    """
    body = orjson.dumps(content)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers += [(name.lower().encode(), value.encode()) for name, value in reply_headers(error).items()]
    await send({"type": "http.response.start", "status": error.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": body})
