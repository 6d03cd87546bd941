"""A small HTTP/1.1 server on a real socket, for fakes that misbehave as real servers do.

It notices at once when a client closes its connection in the middle of an answer, and can cut one itself.
One request at a time on a connection, bodies with a length, answers in chunks or with a length.
"""

import asyncio
import contextlib
import json
import socket
from collections.abc import Awaitable, Callable, Mapping, MutableSet
from http import HTTPStatus
from typing import Any

HEAD_END = b"\r\n\r\n"


class Exchange:
    """One request and the answer to it. `body` is the request's JSON, None where `raw` is none.

    `ended` is set when the answer is complete or the connection has closed; `cut_at` is the loop's time at
    which the client closed it before the answer was complete, None unless it did.
    """

    def __init__(self, transport: asyncio.Transport, head: bytes, body: bytes) -> None:
        lines = head.decode("latin-1").split("\r\n")
        self.method, self.path, _ = lines[0].split(" ", 2)
        fields = (line.split(":", 1) for line in lines[1:])
        self.headers = {name.strip().lower(): value.strip() for name, value in fields}
        self.raw = body
        self.body: Any = _json(body)
        self.cut_at: float | None = None
        self.complete = False
        self.dropped = False
        self.ended = asyncio.Event()
        self._transport = transport

    def start(self, *, content_type: str, headers: Mapping[str, str] | None = None) -> None:
        """Begin an answer in chunks."""
        fields = {"Content-Type": content_type, "Transfer-Encoding": "chunked", **(headers or {})}
        self._transport.write(_head(200, fields))

    def send(self, data: bytes) -> None:
        """Send a chunk."""
        self._transport.write(b"%x\r\n%b\r\n" % (len(data), data))

    def end(self) -> None:
        """End an answer in chunks."""
        self._transport.write(b"0\r\n\r\n")
        self._completed()

    def answer(self, status: int, value: Any, *, headers: Mapping[str, str] | None = None) -> None:
        """Give a whole answer in JSON."""
        fields = {"Content-Type": "application/json", **(headers or {})}
        self.begin(status, body := json.dumps(value).encode(), headers=fields)
        self.finish(body)

    def begin(self, status: int, body: bytes, *, headers: Mapping[str, str]) -> None:
        """Send the head of an answer with this body, none of which is sent yet."""
        length = {} if status == HTTPStatus.NO_CONTENT else {"Content-Length": str(len(body))}
        self._transport.write(_head(status, {**headers, **length}))

    def write(self, part: bytes) -> None:
        """Send a part of an answer that has begun."""
        self._transport.write(part)

    def finish(self, rest: bytes) -> None:
        """Send what is left of an answer that has begun."""
        self._transport.write(rest)
        self._completed()

    def drop(self) -> None:
        """Cut the connection, as a server does that dies."""
        self.dropped = True
        self._transport.abort()

    def _completed(self) -> None:
        self.complete = True
        self.ended.set()


def _json(body: bytes) -> Any:
    try:
        return json.loads(body) if body else None
    except ValueError:
        return None


def _head(status: int, fields: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", *(f"{k}: {v}" for k, v in fields.items())]
    return "\r\n".join(lines).encode() + HEAD_END


Handler = Callable[[Exchange], Awaitable[None]]


class HttpServer:
    """Serves on a free port of this machine, for as long as it is entered.

    What a handler raises is in `errors`; leaving raises the first of them, or a test would not hear of it.
    """

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._tasks: set[asyncio.Task[None]] = set()
        self._transports: set[asyncio.Transport] = set()
        self._server: asyncio.Server | None = None
        self.errors: list[BaseException] = []
        self.port = 0

    @property
    def open_connections(self) -> int:
        """How many connections are open."""
        return len(self._transports)

    async def __aenter__(self) -> "HttpServer":
        """Start to serve."""
        self._server = await asyncio.get_running_loop().create_server(
            lambda: _Connection(self), sock=listen_on_another_port(_had)
        )
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_error: object) -> None:
        """Close every connection, then raise what a handler raised."""
        assert self._server is not None
        self._server.close()
        for transport in self._transports:
            transport.abort()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        if self.errors:
            raise self.errors[0]

    def opened(self, transport: asyncio.Transport) -> None:
        """Note a connection."""
        self._transports.add(transport)

    def closed(self, transport: asyncio.Transport) -> None:
        """Note that a connection is no more."""
        self._transports.discard(transport)

    def handle(self, exchange: Exchange) -> "asyncio.Task[None]":
        """Have a request answered."""
        task = asyncio.get_running_loop().create_task(self._handled(exchange))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _handled(self, exchange: Exchange) -> None:
        try:
            await self._handler(exchange)
        except Exception as error:  # noqa: BLE001 - raised when the server is left
            self.errors.append(error)
            exchange.drop()


_had: set[int] = set()


def listen_on_another_port(had: MutableSet[int]) -> socket.socket:
    """Listen on a free port that is not in `had`, and add it.

    LangChain keeps one HTTP client for each address, even once it was closed with the model that had it:
    a server that was given an old one's port was never asked, and the test that waited for it never ended.
    """
    with contextlib.ExitStack() as others:
        while True:
            listener = socket.create_server(("127.0.0.1", 0))
            port = listener.getsockname()[1]
            if port not in had:
                had.add(port)
                return listener
            others.enter_context(listener)  # open, or the system could give it again


class _Connection(asyncio.Protocol):
    """One connection: reads requests one after the other, and ends the handler of one that is cut."""

    def __init__(self, server: HttpServer) -> None:
        self._server = server
        self._received = b""
        self._exchange: Exchange | None = None
        self._handling: asyncio.Task[None] | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._server.opened(transport)

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, separator, rest = self._received.partition(HEAD_END)
        if not separator or (self._handling is not None and not self._handling.done()):
            return
        length = _length(head)
        if len(rest) < length:
            return
        self._received = rest[length:]
        assert self._transport is not None
        self._exchange = Exchange(self._transport, head, rest[:length])
        self._handling = self._server.handle(self._exchange)
        self._handling.add_done_callback(lambda _done: self._received and self.data_received(b""))

    def connection_lost(self, exc: Exception | None) -> None:
        assert self._transport is not None
        self._server.closed(self._transport)
        if self._exchange is not None and not self._exchange.complete:
            if not self._exchange.dropped:
                self._exchange.cut_at = asyncio.get_running_loop().time()
            self._exchange.ended.set()
        if self._handling is not None:
            self._handling.cancel()


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            return int(value)
    return 0
