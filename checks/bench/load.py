"""The load generator's two clients, written to cost as little as possible: it must never be the limit.

`HttpClient` is one keep-alive connection that sends requests built beforehand and reads status and body.
`Subscriber` is one WebSocket that hands on each text frame as bytes, unparsed, and answers pings. Neither
checks what a server of ours can be trusted with (masking, fragmentation, chunked answers).
"""

import asyncio
import struct
import time
from collections.abc import Callable
from typing import NamedTuple, cast

import orjson

HANDSHAKE = (
    "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
CONTENT_LENGTH = b"content-length: "
TEXT, CLOSE, PING = 0x1, 0x8, 0x9
CLOSE_CODE_MISSING = 1005
ABNORMAL = 1006


class Answer(NamedTuple):
    """An HTTP answer; `body` is the JSON as it came, `at` the `time.perf_counter()` of its arrival."""

    status: int
    body: bytes
    at: float

    @property
    def task_id(self) -> str:
        if self.status not in (200, 202):
            raise RuntimeError(f"the server answered {self.status}: {self.body[:300]!r}")
        return cast(str, orjson.loads(self.body)["task_id"])


def chat_request(*, port: int, user_id: str, message: str) -> bytes:
    body = orjson.dumps({"user_id": user_id, "message": message})
    head = (
        f"POST /chat HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class HttpClient(asyncio.Protocol):
    """One keep-alive connection, one request at a time."""

    def __init__(self) -> None:
        self._received = b""
        self._answer: asyncio.Future[Answer] | None = None

    @classmethod
    async def connect(cls, port: int) -> "HttpClient":
        _, client = await asyncio.get_running_loop().create_connection(cls, "127.0.0.1", port)
        return client

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def send(self, request: bytes) -> asyncio.Future[Answer]:
        """Write the request now; the future holds its answer, or ConnectionError."""
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return self._answer

    def data_received(self, data: bytes) -> None:
        self._received = received = self._received + data
        head_end = received.find(b"\r\n\r\n")
        if head_end < 0:
            return
        at = received.lower().find(CONTENT_LENGTH, 0, head_end)
        length = 0
        if at >= 0:
            line_end = received.find(b"\r\n", at)
            length = int(received[at + len(CONTENT_LENGTH) : line_end])
        if len(received) < head_end + 4 + length:
            return
        self._received = b""
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(
                Answer(int(received[9:12]), received[head_end + 4 :], time.perf_counter())
            )

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(ConnectionError("the server closed the connection"))

    def close(self) -> None:
        self._transport.close()


class Subscriber(asyncio.Protocol):
    """One WebSocket; `on_frame` gets the payload of each text frame.

    `closed_with` is the close code once the server has closed or dropped the connection; `pings` counts the
    pings it sent.
    """

    def __init__(self, request: bytes, on_frame: Callable[[bytes], None], greeting: int) -> None:
        self._request = request
        self._on_frame = on_frame
        self._greeting = greeting
        self._received = b""
        self._upgraded = False
        self._closing = False
        self.closed_with: int | None = None
        self.pings = 0
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @classmethod
    async def connect(
        cls, *, port: int, path: str, on_frame: Callable[[bytes], None], greeting: int = 0
    ) -> "Subscriber":
        """Connect and wait for the handshake's answer, and for so many frames after it."""
        request = HANDSHAKE.format(path=path, port=port).encode()
        _, subscriber = await asyncio.get_running_loop().create_connection(
            lambda: cls(request, on_frame, greeting), "127.0.0.1", port
        )
        await subscriber.ready
        return subscriber

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        if self._received:
            data = self._received + data
        if not self._upgraded:
            data = self._after_handshake(data)
        self._received = self._frames(data)

    def _after_handshake(self, data: bytes) -> bytes:
        head, found, rest = data.partition(b"\r\n\r\n")
        if not found:
            return data
        if not head.startswith(b"HTTP/1.1 101"):
            self.ready.set_exception(ConnectionError(f"the server refused the WebSocket: {head[:200]!r}"))
            self._transport.close()
            return b""
        self._upgraded = True
        if not self._greeting:
            self.ready.set_result(None)
        return rest

    def _frames(self, data: bytes) -> bytes:
        """Hand on every complete frame; return what is left over."""
        if not self._upgraded:
            return data
        at, end = 0, len(data)
        while end - at >= 2:
            length = data[at + 1]
            start = at + 2
            if length == 126:
                start += 2
                length = int.from_bytes(data[at + 2 : start], "big")
            elif length == 127:
                start += 8
                length = int.from_bytes(data[at + 2 : start], "big")
            stop = start + length
            if start > end or stop > end:
                break
            opcode = data[at] & 0x0F
            if opcode == TEXT:
                self._on_frame(data[start:stop])
                if self._greeting:
                    self._greeted()
            else:
                self._control(opcode, data[start:stop])
            at = stop
        return data[at:] if at else data

    def _greeted(self) -> None:
        self._greeting -= 1
        if not self._greeting:
            self.ready.set_result(None)

    def _control(self, opcode: int, payload: bytes) -> None:
        if opcode == PING:
            self.pings += 1
            # A client must mask; with a key of zeros the masked payload is the payload.
            self._transport.write(bytes((0x8A, 0x80 | len(payload), 0, 0, 0, 0)) + payload)
        elif opcode == CLOSE:
            self.closed_with = struct.unpack("!H", payload[:2])[0] if payload else CLOSE_CODE_MISSING
            self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        if self.closed_with is None and not self._closing:
            self.closed_with = ABNORMAL
        if not self.ready.done():
            self.ready.set_exception(ConnectionError("the server closed the connection"))

    def close(self) -> None:
        self._closing = True
        self._transport.close()
