"""How an error travels over HTTP: the contract's JSON and the headers that go with its status.

Shared by the guard, which speaks bare ASGI, and the application's exception handler, so that a client
cannot see which of them refused.
"""

import orjson
from starlette.types import Send

from ...errors import DetourError, Unauthorized


def reply_headers(error: DetourError) -> dict[str, str]:
    """Return an answer's further headers: `Retry-After` in seconds, the challenge of a 401."""
    headers: dict[str, str] = {}
    if error.retry_after_s is not None:
        headers["Retry-After"] = str(error.retry_after_s)
    if isinstance(error, Unauthorized):
        headers["WWW-Authenticate"] = "Bearer"
    return headers


async def send_error(send: Send, error: DetourError) -> None:
    """Send a whole response for `error`. Cancelled, it may have sent the head without the body."""
    body = orjson.dumps(error.to_json())
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers += [(name.lower().encode(), value.encode()) for name, value in reply_headers(error).items()]
    await send({"type": "http.response.start", "status": error.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": body})
