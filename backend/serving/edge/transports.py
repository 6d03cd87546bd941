"""The web server's two protocols, which here bound what one client may hold: time, memory and connections.

To close a connection is to wait until what was written has been taken, so a client that never reads would
hold its connection, and what it was sent, for as long as it likes. An application cannot end that over ASGI.
"""

import asyncio
from collections.abc import Iterable, Sized
from typing import Literal

from uvicorn._types import ASGISendEvent
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode, Frame
from websockets.protocol import State

from .text_frames import TEXTS, in_frames

STUCK_S = 15.0
"""How long a client may take nothing: a send's time-out of 10 s, and 5 s to see why it was closed."""

STUCK_AT_THE_END_S = 1.0
"""How long a client may take for all that waits once the server goes down."""

HEAD_BYTES = 64 * 1024
"""The most a request may send before its head is complete, trailers as well; browsers send about 1 KiB."""

HEAD_S = 10.0
"""How long a request's head may take: from a connection's start, or from its first byte on a kept one."""

BODY_S = 20.0
"""How long the rest of a request may take: 128 KiB, the longest body, at 52 kbit/s."""

PARSED_AT_ONCE_BYTES = 1024
"""How much is parsed before the queue of requests is looked at: room for 56, at 18 bytes for the shortest.

The loop reads up to 256 KiB at once, in which 14,000 requests fit, and each takes some 6 KiB once parsed."""

CONNECTIONS = 10_000
"""The most connections a server holds: twice the 5,200 sockets of the benchmark."""

FRAMES_PER_S = 1000
"""How many frames a socket may send over time, pings and fragments as well; a person sends a few a minute."""

FRAMES_AT_ONCE = 2000
"""How many more it may send before that counts."""

FRAGMENTS = 1024
"""The most fragments of one message: of 128 bytes each for the longest one."""

_PIECE_BYTES = 4096
"""How much of what arrived is parsed before frames are counted: at most 680. uvloop reads 256 KiB at once."""

WRITE_BYTES = 64 * 1024
"""The most that is written at once; after that it is seen whether the client keeps up."""

_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class _LettingGo(asyncio.Protocol):
    """Mixed into a protocol: aborts its transport when the client takes nothing of a full buffer."""

    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    _stuck_timer: asyncio.TimerHandle | None = None
    _ending: bool = False

    def pause_writing(self) -> None:
        """Note that the buffer is full."""
        if not self._ending:
            self._watch()
        super().pause_writing()

    def resume_writing(self) -> None:
        """Note that the client reads on. At the end all has to be taken."""
        if not self._ending:
            self._stop_watching()
        super().resume_writing()

    def eof_received(self) -> None:
        """Note that the client sends nothing more; the event loop closes the connection for that."""
        super().eof_received()
        self._watch_the_end()

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that the connection is gone."""
        self._stop_watching()
        super().connection_lost(exc)

    def let_go_soon(self) -> None:
        """Wait no longer than it takes to say goodbye where something waits: the server goes down."""
        if self._stuck_timer is not None or self.transport.is_closing():
            self._ending = True
            self._stop_watching()
            self._stuck_timer = self.loop.call_later(STUCK_AT_THE_END_S, self.transport.abort)

    def _watch_the_end(self) -> None:
        """Watch a connection that closes: what waits may be too little for `pause_writing`."""
        if not self._ending:
            self._ending = True
            self._watch()

    def _watch(self) -> None:
        self._stop_watching()
        waiting = self.transport.get_write_buffer_size()
        self._stuck_timer = self.loop.call_later(STUCK_S, self._let_go_if_stuck, waiting)

    def _let_go_if_stuck(self, waited: int) -> None:
        if self.transport.get_write_buffer_size() < waited:
            self._watch()
        else:
            self.transport.abort()

    def _stop_watching(self) -> None:
        if self._stuck_timer is not None:
            self._stuck_timer.cancel()
            self._stuck_timer = None


class _QueueFirst(FlowControl):
    """Reads no more of a connection while requests that were parsed wait for the answers before them.

    uvicorn pauses when a request has to wait, but resumes with every answer and for every body: thousands
    of requests in one go filled 2 GiB within 6 s. A body that the application waits for is never held up by
    this: whatever waits behind that request was sent after its body.
    """

    def __init__(self, transport: asyncio.Transport, waiting: Sized) -> None:
        super().__init__(transport)
        self._waiting = waiting

    def resume_reading(self) -> None:
        """Resume reading unless requests wait."""
        if not self._waiting:
            super().resume_reading()


class HttpConnection(_LettingGo, HttpToolsProtocol):
    """HTTP, event streams included. A request has to arrive in time, with a head of a bounded size.

    That costs a request 1.5 us (measured): what it sets is a time, not a timer.
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
        self.flow = _QueueFirst(transport, self.pipeline)
        if len(self.connections) > CONNECTIONS:
            transport.abort()
        else:
            self._awaited = "head"
            self._time_arrival()

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that the connection is gone."""
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
        """Leave the connection to a WebSocket."""
        self._stop_looking()
        super().handle_websocket_upgrade()

    def on_message_begin(self) -> None:
        """Expect the head of a request that has begun, maybe in the same piece as another one's end."""
        self._awaited = "head"
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Expect the body."""
        self._awaited = "body"
        self._unread_bytes = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take in a piece of a body; how long it may get is the application's concern."""
        self._unread_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Expect nothing more. What follows in the same piece has a time of its own."""
        self._awaited = self._timed = None
        self._unread_bytes = 0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Go on with the next request, or watch that the answer is taken where it was the last one."""
        super().on_response_complete()
        if self.transport.is_closing():
            self._watch_the_end()
        else:
            self._parse()
            # The request that was started last may never ask for a body, but wants to hear of a disconnect.
            self.flow.resume_reading()

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection that was idle."""
        super().timeout_keep_alive_handler()
        self._watch_the_end()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP."""
        super().send_400_response(msg)
        self._watch_the_end()

    def _refuse_head(self) -> None:
        under_way = self.cycle and not self.cycle.response_complete
        if not under_way:
            self.transport.write(_TOO_LARGE)
        self.transport.close()
        self._watch_the_end()

    def _time_arrival(self) -> None:
        """Note by when it has to arrive. The timer goes on by itself: a request need not start one."""
        self._timed = self._awaited
        if self._awaited is not None:
            now = self.loop.time()
            self._due = now + (HEAD_S if self._awaited == "head" else BODY_S)
            if self._arrival_timer is None:
                self._look_again(now)

    def _look_again(self, now: float) -> None:
        """Set the timer; not beyond `HEAD_S`, so that it is never later than what is awaited by then."""
        self._arrival_timer = self.loop.call_at(min(self._due, now + HEAD_S), self._look)

    def _look(self) -> None:
        """Let go of a client that is late, unless the server itself does not read on."""
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

    def shutdown(self) -> None:
        """Close the connection after the answer that is under way."""
        super().shutdown()
        self.let_go_soon()


class WebSocketConnection(_LettingGo, WebSocketsSansIOProtocol):
    """WebSockets. A client that reads on after it was too slow finds the code it was closed with."""

    _frames_paid_until: float = 0.0

    def data_received(self, data: bytes) -> None:
        """Take in a piece: the request for the socket comes first, and as a whole."""
        if not self.handshake_initiated:
            super().data_received(data)
            if not self.handshake_initiated:  # over the parser's own bounds, of lines and their number
                self.transport.write(b"".join(self.conn.data_to_send()))
                self.transport.close()
                self._watch_the_end()
            return
        for start in range(0, len(data), _PIECE_BYTES):
            super().data_received(data[start : start + _PIECE_BYTES])
            if self.transport.is_closing():
                return

    def handle_events(self) -> None:
        """Take in frames, unless they are too many."""
        now = self.loop.time()
        earliest = now - FRAMES_AT_ONCE / FRAMES_PER_S
        count = len(self.conn.events)
        self._frames_paid_until = max(self._frames_paid_until, earliest) + count / FRAMES_PER_S
        if self._frames_paid_until > now:
            self._refuse("too many frames")
        else:
            super().handle_events()

    def handle_cont(self, event: Frame) -> None:
        """Take in a fragment, unless the message has too many."""
        if len(self.frames) < FRAGMENTS:
            super().handle_cont(event)
        elif not self.transport.is_closing():
            self._refuse("too many fragments")

    def handle_ping(self) -> None:
        """Answer a ping. Read no more of a client that pings and does not read: pongs wait for no room."""
        super().handle_ping()
        if self._stuck_timer is not None:
            self.transport.pause_reading()

    def resume_writing(self) -> None:
        """Note that the client reads on, and read on as well."""
        super().resume_writing()
        if not self.read_paused:
            self.transport.resume_reading()

    def _refuse(self, reason: str) -> None:
        """Close the socket with 1008, not waiting for the client's own close."""
        if self.handshake_complete:
            self.conn.fail(CloseCode.POLICY_VIOLATION, reason)
            self.handle_parser_exception()
            self._watch_the_end()
        else:
            self.transport.abort()

    async def run_asgi(self) -> None:
        """Serve the socket; once that has ended, the connection has to end as well."""
        self.scope.setdefault("extensions", {})[TEXTS] = {}
        await super().run_asgi()
        if not self.disconnected:
            self._watch_the_end()

    def keepalive_timeout(self) -> None:
        """Close a socket that answered no ping."""
        super().keepalive_timeout()
        self._watch_the_end()

    def shutdown(self) -> None:
        """Close the socket with 1012."""
        super().shutdown()
        self.let_go_soon()

    async def send(self, message: ASGISendEvent) -> None:
        """Send what the application says; a close does not wait for room, it goes behind what waits."""
        if (texts := message.get("texts")) is not None:
            await self._send_texts(texts)
            return
        if message["type"] == "websocket.close":
            self.writable.set()
        await super().send(message)

    async def _send_texts(self, texts: Iterable[bytes]) -> None:
        """Send texts. Raises what it raises to send one. Cancelling it leaves no frame half sent."""
        for piece in in_frames(texts, piece_bytes=WRITE_BYTES):
            await self.writable.wait()
            if self.disconnected:
                raise ClientDisconnected
            if self.close_sent or not self.handshake_complete:
                raise RuntimeError("Texts are sent after 'websocket.accept' and before 'websocket.close'.")
            if self.conn.state is not State.OPEN:
                raise ClientDisconnected
            self.transport.write(piece)
