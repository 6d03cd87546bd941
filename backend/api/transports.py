"""The web server's two protocols, which here bound what one client may hold: time, memory and connections.

To close a connection is to wait until what was written has been taken, so a client that never reads would
hold its connection, and what it was sent, for as long as it likes. An application cannot end that over ASGI.
"""

import asyncio

from uvicorn._types import ASGISendEvent
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

STUCK_S = 15.0
"""How long a client may take nothing: a send's time-out of 10 s, and 5 s to see why it was closed."""

STUCK_AT_THE_END_S = 1.0
"""How long a client may take for all that waits once the server goes down."""


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


class HttpConnection(_LettingGo, HttpToolsProtocol):
    """HTTP, event streams included."""

    def on_response_complete(self) -> None:
        """Go on with the next request, or watch that the answer is taken where it was the last one."""
        super().on_response_complete()
        if self.transport.is_closing():
            self._watch_the_end()

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection that was idle."""
        super().timeout_keep_alive_handler()
        self._watch_the_end()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP."""
        super().send_400_response(msg)
        self._watch_the_end()

    def shutdown(self) -> None:
        """Close the connection after the answer that is under way."""
        super().shutdown()
        self.let_go_soon()


class WebSocketConnection(_LettingGo, WebSocketsSansIOProtocol):
    """WebSockets. A client that reads on after it was too slow finds the code it was closed with."""

    async def run_asgi(self) -> None:
        """Serve the socket; once that has ended, the connection has to end as well."""
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
        if message["type"] == "websocket.close":
            self.writable.set()
        await super().send(message)
