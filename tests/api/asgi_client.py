"""A bare ASGI client: what goes in and what comes out are the protocol's own messages."""

from dataclasses import dataclass, field
from typing import Any

import orjson

HERE = ("127.0.0.1", 8000)
OWN_HOST = (b"host", b"127.0.0.1:8000")
JSON = (b"content-type", b"application/json")
CONNECT = {"type": "websocket.connect"}


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def error(self) -> dict[str, Any]:
        return orjson.loads(self.body)["error"]


@dataclass
class RecordingApp:
    """Reads the whole body, then answers 200; keeps what it was given. A socket it accepts and holds."""

    bodies: list[bytes] = field(default_factory=list)
    sockets: int = 0
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)

    async def __call__(self, scope, receive, send) -> None:
        if scope["type"] == "websocket":
            await receive()
            self.sockets += 1
            await send({"type": "websocket.accept"})
            return
        body, more = b"", True
        while more:
            message = await receive()
            assert message["type"] == "http.request"
            body += message.get("body", b"")
            more = message.get("more_body", False)
        self.bodies.append(body)
        await send({"type": "http.response.start", "status": 200, "headers": list(self.headers)})
        await send({"type": "http.response.body", "body": b"{}"})


class Feed:
    """A client's side of `receive`: gives the messages in order and counts how many were taken."""

    def __init__(self, *messages: dict[str, Any]) -> None:
        self.messages = list(messages)
        self.taken = 0

    async def __call__(self) -> dict[str, Any]:
        self.taken += 1
        return self.messages.pop(0)


def chunks(*bodies: bytes) -> Feed:
    """Return a request body in pieces, then the client leaving."""
    last = len(bodies) - 1
    pieces = [
        {"type": "http.request", "body": body, "more_body": index < last} for index, body in enumerate(bodies)
    ]
    return Feed(*pieces, {"type": "http.disconnect"})


def _scope(kind: str, **fields: Any) -> dict[str, Any]:
    given = {"query_string": b"", "scheme": "ws" if kind == "websocket" else "http", "server": HERE, **fields}
    return {"type": kind, **given, "headers": [*given["headers"]]}


async def request(
    app, method="GET", path="/status/ann", headers=(OWN_HOST,), feed=None, **fields: Any
) -> Answer | None:
    """Send one HTTP request, with these fields of the scope; None if nothing was answered."""
    sent: list[dict[str, Any]] = []

    async def send(message) -> None:
        sent.append(message)

    scope = _scope("http", method=method, path=path, headers=headers, **fields)
    await app(scope, feed or chunks(b""), send)
    if not sent:
        return None
    start, *rest = sent
    names = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
    return Answer(start["status"], names, b"".join(message.get("body", b"") for message in rest))


async def connect(app, path="/ws/ann", headers=(OWN_HOST,), **fields: Any) -> list[dict[str, Any]]:
    """Open a WebSocket and return every message that the application sent."""
    sent: list[dict[str, Any]] = []

    async def send(message) -> None:
        sent.append(message)

    await app(_scope("websocket", path=path, headers=headers, **fields), Feed(CONNECT), send)
    return sent
