"""uvicorn's two protocols, with bounds on the time, memory and connections that one client may hold.

Neither ASGI nor uvicorn has such bounds, so these classes override undocumented methods of uvicorn's; each
override says which bound needs it. After an upgrade of uvicorn run `tests/api/test_rude_clients.py` and
`test_slow_readers.py`, which prove the bounds over real connections.
"""

import asyncio
import re
from collections.abc import Generator, Iterable, Sequence, Sized
from http import HTTPStatus
from struct import Struct
from typing import Any, ClassVar, Literal

from uvicorn._types import ASGISendEvent
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode, Frame
from websockets.http11 import Response
from websockets.protocol import State
from websockets.server import ServerProtocol

from .headers import UNKNOWN, Headers, counted_address, security_headers
from .shares import Places, Unread

# --- text frames ---------------------------------------------------------------------------------------
# An ASGI extension that sends many text messages of a WebSocket in one write. A server that supports it names
# `TEXTS` in the scope's extensions. A `websocket.send` may then carry `texts`, a sequence of UTF-8 texts,
# instead of `text`. The extension's `write` takes such texts without waiting, and returns whether it did: it
# does unless the client is behind, or gone.
#
# A server's frames are unmasked and may stay uncompressed (RFC 7692, 7.2.1), so a frame is a header of 2, 4
# or 10 bytes followed by the text (RFC 6455, 5.2). The websockets library takes 5 times as long to build one.


TEXTS = "detour.texts"

_WHOLE_TEXT = 0x81
_HEADER_2, _HEADER_4, _HEADER_10 = Struct("!BB").pack, Struct("!BBH").pack, Struct("!BBQ").pack


def in_frames(texts: Iterable[bytes], *, piece_bytes: int) -> Generator[bytes, None, None]:
    """Yield the texts' frames in pieces of up to `piece_bytes` of text; a longer one is its own piece."""
    parts: list[bytes] = []
    waiting = 0
    for text in texts:
        length = len(text)
        if parts and waiting + length > piece_bytes:
            yield b"".join(parts)
            parts, waiting = [], 0
        parts += (_header(length), text)
        waiting += length
    if parts:
        yield b"".join(parts)


def _header(length: int) -> bytes:
    if length < 126:
        return _HEADER_2(_WHOLE_TEXT, length)
    if length < 1 << 16:
        return _HEADER_4(_WHOLE_TEXT, 126, length)
    return _HEADER_10(_WHOLE_TEXT, 127, length)


# --- bounded connection --------------------------------------------------------------------------------
# A transport closes only after the client has received what was written. A client that never reads would
# therefore hold its connection, and the answers on it, for as long as it likes.


STUCK_S = 15.0
"""How long a client may read nothing: a send's time-out of 10 s, and 5 s to read the close code."""

STUCK_AT_THE_END_S = 1.0
"""How long a client may take to read everything buffered once the server shuts down."""

CONNECTIONS = 10_000
"""The most connections a server holds: twice the 5,200 sockets of the benchmark."""

UNREAD_BYTES = 128 * 1024 * 1024
"""Bytes that clients may leave unread in all, by default."""


class Bounds:
    """What all connections of one server share; with `https_alone` browsers must come by https."""

    def __init__(self, *, unread_bytes: int = UNREAD_BYTES, https_alone: bool = False) -> None:
        self.places = Places(CONNECTIONS)
        self.unread = Unread(unread_bytes)
        self.headers: Headers = security_headers(https_alone=https_alone)


class BoundedConnection(asyncio.Protocol):
    """Mixed into a protocol of uvicorn's: aborts clients that stop reading, or hold more than their share."""

    bounds: ClassVar[Bounds]
    client: tuple[str, int] | None
    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    _stuck_timer: asyncio.TimerHandle | None = None
    _ending: bool = False

    def pause_writing(self) -> None:
        """Watch the client: the write buffer is full."""
        if not self._ending:
            self._watch()
        super().pause_writing()

    def resume_writing(self) -> None:
        """Stop watching, unless the connection is closing, and must drain completely."""
        if not self._ending:
            self._stop_watching()
        super().resume_writing()

    def eof_received(self) -> None:
        """Watch the connection close: the event loop closes it after the client's end of file."""
        super().eof_received()
        self._watch_closing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Free the connection's place."""
        self._stop_watching()
        self.bounds.places.leave(self._address, self.transport)
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Close the connection in good order; abort it soon if the client still has something to read.

        uvicorn would wait for such a client until its own time-out for the whole shutdown.
        """
        super().shutdown()  # type: ignore[misc]
        if self._stuck_timer is not None or self.transport.is_closing():
            self._ending = True
            self._stop_watching()
            self._stuck_timer = self.loop.call_later(STUCK_AT_THE_END_S, self.transport.abort)

    @property
    def _address(self) -> str:
        return counted_address(self.client[0]) if self.client else UNKNOWN

    def _has_place(self) -> bool:
        """Return whether there is a place for a new connection."""
        return self.bounds.places.enter(self._address, self.transport)

    def _watch_closing(self) -> None:
        """Watch a connection that is closing: too little may be buffered for `pause_writing` to be called."""
        if not self._ending:
            self._ending = True
            self._watch()

    def _watch(self) -> None:
        self._stop_watching()
        buffered = self.transport.get_write_buffer_size()
        self.bounds.unread.note(self._address, self.transport, buffered)
        self._stuck_timer = self.loop.call_later(STUCK_S, self._abort_if_stuck, buffered)

    def _abort_if_stuck(self, buffered: int) -> None:
        if self.transport.get_write_buffer_size() < buffered:
            self._watch()  # slow, but reading
        else:
            self.transport.abort()

    def _stop_watching(self) -> None:
        if self._stuck_timer is not None:
            self._stuck_timer.cancel()
            self._stuck_timer = None
            self.bounds.unread.forget(self._address, self.transport)


# --- HTTP ----------------------------------------------------------------------------------------------


HEAD_BYTES = 64 * 1024
"""The largest head of a request, or trailers; browsers send about 1 KiB."""

HEAD_S = 10.0
"""How long a head may take to arrive: from the start of a new connection, else from its first byte."""

BODY_S = 20.0
"""How long a body may take to arrive: the longest one, 128 KiB, at 52 kbit/s."""

PARSED_AT_ONCE_BYTES = 1024
"""Bytes parsed between two looks at the queue of requests: room for 56, at 18 bytes for the shortest.

The loop reads up to 256 KiB at once, in which 14,000 requests fit, and each takes some 6 KiB once parsed."""


class _QueueFirst(FlowControl):
    """Pauses reading from a connection while parsed requests wait for the answers to earlier ones.

    uvicorn resumes with every answer and for every body: thousands of requests in one go filled 2 GiB within
    6 s. A body that the application waits for is never delayed: the requests that wait came after it.
    """

    def __init__(self, transport: asyncio.Transport, waiting: Sized) -> None:
        super().__init__(transport)
        self._waiting = waiting

    def resume_reading(self) -> None:
        """Resume reading unless requests wait."""
        if not self._waiting:
            super().resume_reading()


_ABSOLUTE = re.compile(rb"[^:/?#]+://([^/?#]*)")


class HttpConnection(BoundedConnection, HttpToolsProtocol):
    """HTTP and event streams. Bounds a head's size, the time a request takes to arrive, and pipelining.

    Timing a request costs 1.5 us (measured): it sets a deadline, and one timer a connection looks at it.
    """

    _awaited: Literal["head", "body"] | None = None
    _timed: Literal["head", "body"] | None = None
    _arrival_timer: asyncio.TimerHandle | None = None
    _due: float = 0.0
    _unread_bytes: int = 0
    _unparsed: bytes = b""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Expect a first request, unless there are too many connections."""
        super().connection_made(transport)
        # Only here: uvicorn hands the flow control to each request when it is parsed.
        self.flow = _QueueFirst(transport, self.pipeline)
        if not self._has_place():
            transport.abort()
        else:
            self._awaited = "head"
            self._time_arrival()

    def connection_lost(self, exc: Exception | None) -> None:
        """Drop the arrival timer."""
        self._stop_looking()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take in a piece of a request, or of several."""
        self._unparsed += data
        self._parse()

    def _parse(self) -> None:
        """Parse what has arrived, up to where a request has to wait for the answer to the one before it."""
        data, end = self._unparsed, 0
        self._unparsed = b""
        while end < len(data) and not self.pipeline and self._reads_http():
            start, end = end, end + PARSED_AT_ONCE_BYTES
            self._parse_piece(data[start:end])
        if self._reads_http():
            self._unparsed = data[end:]

    def _reads_http(self) -> bool:
        """Return whether the connection is open, and not a WebSocket's by now."""
        return self in self.connections and not self.transport.is_closing()

    def _parse_piece(self, piece: bytes) -> None:
        self._unread_bytes += len(piece)
        if self._awaited is None:
            self._awaited = "head"
        super().data_received(piece)
        if self._unread_bytes > HEAD_BYTES and not self.transport.is_closing():
            self._refuse_head()
        if self._awaited is not self._timed:
            self._time_arrival()

    def handle_websocket_upgrade(self) -> None:
        """Drop the arrival timer: the connection is a WebSocket's from now on."""
        self._stop_looking()
        super().handle_websocket_upgrade()

    def on_message_begin(self) -> None:
        """Expect a head: a request has begun, perhaps in the piece in which the one before it ended."""
        self._awaited = "head"
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Expect the body. An absolute target replaces `Host` (RFC 9112, 3.2.2), which the guard looks at."""
        self._awaited = "body"
        self._unread_bytes = 0
        if not self.url.startswith(b"/") and (absolute := _ABSOLUTE.match(self.url)):
            named = absolute[1]
            self.headers[:] = [(name, named if name == b"host" else value) for name, value in self.headers]
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Start counting anew: a body is no head. The guard bounds its size."""
        self._unread_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Expect nothing more: what follows in the same piece gets a deadline of its own."""
        self._awaited = self._timed = None
        self._unread_bytes = 0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Parse on for the next request; after the last one, watch the connection close."""
        super().on_response_complete()
        if self.transport.is_closing():
            self._watch_closing()
        else:
            self._parse()
            # uvicorn resumed while requests still waited, which `_QueueFirst` refused. Without this, the last
            # of them would not hear of a disconnect unless it reads its body.
            self.flow.resume_reading()

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection, and watch it close."""
        super().timeout_keep_alive_handler()
        self._watch_closing()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP, and watch the connection close."""
        self._refuse(HTTPStatus.BAD_REQUEST, msg)

    def _refuse_head(self) -> None:
        answering = self.cycle and not self.cycle.response_complete
        if answering:  # the refusal would land inside that answer
            self.transport.close()
            self._watch_closing()
        else:
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "The head is too long.")

    def _refuse(self, status: HTTPStatus, text: str) -> None:
        """Answer without the application, which sees no such request; close, and watch that."""
        headers = [
            *self.bounds.headers,
            (b"cache-control", b"no-store"),
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"content-length", b"%d" % len(text)),
            (b"connection", b"close"),
        ]
        lines = [b"HTTP/1.1 %d %s" % (status, status.phrase.encode())]
        lines += [name + b": " + value for name, value in headers]
        self.transport.write(b"\r\n".join([*lines, b"", text.encode("ascii")]))
        self.transport.close()
        self._watch_closing()

    def _time_arrival(self) -> None:
        """Set the deadline of what is awaited, which the connection's one timer checks."""
        self._timed = self._awaited
        if self._awaited is not None:
            now = self.loop.time()
            self._due = now + (HEAD_S if self._awaited == "head" else BODY_S)
            if self._arrival_timer is None:
                self._look_again(now)

    def _look_again(self, now: float) -> None:
        """Set the timer, at most `HEAD_S` ahead, which is all that a head has that begins meanwhile."""
        self._arrival_timer = self.loop.call_at(min(self._due, now + HEAD_S), self._look)

    def _look(self) -> None:
        """Abort the connection of a client that is late, unless the server itself has paused reading."""
        self._arrival_timer = None
        now = self.loop.time()
        if self._awaited is not None:
            if self.flow.read_paused:
                self._due = now + BODY_S
            if now < self._due:
                self._look_again(now)
            else:
                self.transport.abort()

    def _stop_looking(self) -> None:
        if self._arrival_timer is not None:
            self._arrival_timer.cancel()
            self._arrival_timer = None


# --- WebSockets ----------------------------------------------------------------------------------------


FRAMES_PER_S = 1000
"""The sustained rate of frames from a client, pings and fragments included; a person sends a few a minute."""

FRAMES_AT_ONCE = 2000
"""The burst allowed on top of that rate."""

FRAGMENTS = 1024
"""The most fragments of one message: of 128 bytes each for the longest one."""

_PIECE_BYTES = 4096
"""Bytes parsed before frames are counted: at most 680 frames. uvloop reads up to 256 KiB at once."""

WRITE_BYTES = 64 * 1024
"""The most that is written at once, before waiting until the client has read enough of it."""


class _Handshake(ServerProtocol):
    """Gives each refused handshake the headers of every answer."""

    headers: Headers

    def reject(self, status: Any, text: str) -> Response:
        """Return the refusal."""
        refusal = super().reject(status, text)
        for name, value in self.headers:
            refusal.headers[name.decode()] = value.decode()
        return refusal


class WebSocketConnection(BoundedConnection, WebSocketsSansIOProtocol):
    """WebSockets. Bounds frames and fragments, writes many texts at once, closes without waiting for room.

    So a client that was too slow and reads again finds its close code.
    """

    _frames_paid_until: float = 0.0

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # Without extensions, as uvicorn's own with `ws_per_message_deflate` off.
        self.conn = _Handshake(max_size=self.config.ws_max_size, logger=self.logger)
        self.conn.headers = self.bounds.headers

    def data_received(self, data: bytes) -> None:
        """Parse what arrived: first the handshake, which uvicorn hands over in one piece, then frames."""
        if not self.handshake_initiated:
            super().data_received(data)
            # The parser refuses too many or too long lines, and uvicorn neither sends that nor closes.
            if not self.handshake_initiated:
                self.transport.write(b"".join(self.conn.data_to_send()))
                self.transport.close()
                self._watch_closing()
            return
        for start in range(0, len(data), _PIECE_BYTES):
            super().data_received(data[start : start + _PIECE_BYTES])
            if self.transport.is_closing():
                return

    def handle_events(self) -> None:
        """Handle the parsed frames, unless there are too many: each costs an answer or a parse."""
        now = self.loop.time()
        earliest = now - FRAMES_AT_ONCE / FRAMES_PER_S
        count = len(self.conn.events)
        self._frames_paid_until = max(self._frames_paid_until, earliest) + count / FRAMES_PER_S
        if self._frames_paid_until > now:
            self._refuse("too many frames")
        else:
            super().handle_events()

    def handle_cont(self, event: Frame) -> None:
        """Handle a fragment, unless its message has too many: its bound in bytes counts payloads alone."""
        if len(self.frames) < FRAGMENTS:
            super().handle_cont(event)
        elif not self.transport.is_closing():
            self._refuse("too many fragments")

    def send_receive_event_to_app(self) -> None:
        """Hand on a message, unless its text is not UTF-8: uvicorn logs a traceback for each such message."""
        if self.curr_msg_data_type == "text" and not self.close_sent:
            try:
                b"".join(self.frames).decode()
            except UnicodeDecodeError:
                self._refuse("text that is not UTF-8", CloseCode.INVALID_DATA)
                return
        super().send_receive_event_to_app()

    def handle_ping(self) -> None:
        """Answer a ping; pause reading if the client does not read: uvicorn writes pongs without waiting."""
        super().handle_ping()
        if self._stuck_timer is not None:
            self.transport.pause_reading()

    def resume_writing(self) -> None:
        """Resume reading what `handle_ping` paused, unless uvicorn has paused it too."""
        super().resume_writing()
        if not self.read_paused:
            self.transport.resume_reading()

    def _refuse(self, reason: str, code: CloseCode = CloseCode.POLICY_VIOLATION) -> None:
        """Close the socket, without waiting for the client's own close."""
        if self.handshake_complete:
            self.conn.fail(code, reason)
            self.handle_parser_exception()
            self._watch_closing()
        else:
            self.transport.abort()

    async def run_asgi(self) -> None:
        """Serve the socket; then watch the connection close, which uvicorn leaves to the client."""
        self.scope.setdefault("extensions", {})[TEXTS] = {"write": self.write_texts}
        await super().run_asgi()
        if not self.disconnected:
            self._watch_closing()

    def keepalive_timeout(self) -> None:
        """Close a socket that answered no ping, and watch the connection close."""
        super().keepalive_timeout()
        self._watch_closing()

    async def send(self, message: ASGISendEvent) -> None:
        """Send a message of the application's. A close is buffered at once, instead of waiting for room."""
        if (texts := message.get("texts")) is not None:
            await self._send_texts(texts)
            return
        if message["type"] == "websocket.close":
            self.writable.set()
        await super().send(message)

    def write_texts(self, texts: Sequence[bytes]) -> bool:
        """Write texts at once; return False, with nothing written, where only `send` can wait or raise."""
        is_open = self.handshake_complete and not (self.close_sent or self.disconnected)
        if not (is_open and self.writable.is_set() and self.conn.state is State.OPEN):
            return False
        if sum(map(len, texts)) > WRITE_BYTES:
            return False
        for piece in in_frames(texts, piece_bytes=WRITE_BYTES):
            self.transport.write(piece)
        return True

    async def _send_texts(self, texts: Iterable[bytes]) -> None:
        """Send texts. Raises what sending one would raise. Cancelling it leaves no frame half sent."""
        for piece in in_frames(texts, piece_bytes=WRITE_BYTES):
            await self.writable.wait()
            if self.disconnected:
                raise ClientDisconnected
            if self.close_sent or not self.handshake_complete:
                raise RuntimeError("Texts are sent after 'websocket.accept' and before 'websocket.close'.")
            if self.conn.state is not State.OPEN:
                raise ClientDisconnected
            self.transport.write(piece)


def bounded(bounds: Bounds) -> tuple[type[HttpConnection], type[WebSocketConnection]]:
    """Return the protocols of a server whose connections share these bounds."""

    class Http(HttpConnection):
        pass

    class WebSocket(WebSocketConnection):
        pass

    Http.bounds = WebSocket.bounds = bounds
    return Http, WebSocket
