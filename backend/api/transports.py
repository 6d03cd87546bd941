"""The web server's two protocols, which here let go of a client that takes nothing more.

To close a connection is to wait until what was written has been taken, so a client that never reads would
hold its connection, and what it was sent, for as long as it likes. An application cannot end that over ASGI.
"""

import asyncio

from uvicorn._types import ASGISendEvent
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

STUCK_S = 15.0
"""How long a full buffer may stay full: a send's time-out of 10 s, and 5 s to see why it was closed."""

STUCK_AT_THE_END_S = 1.0
"""The same once the server goes down."""


class _LettingGo(asyncio.Protocol):
    """Mixed into a protocol: aborts its transport when the write buffer stays full."""

    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    _stuck_timer: asyncio.TimerHandle | None = None

    def pause_writing(self) -> None:
        """Note that the buffer is full."""
        self._let_go_after(STUCK_S)
        super().pause_writing()

    def resume_writing(self) -> None:
        """Note that the client reads on."""
        self._stop_timer()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that the connection is gone."""
        self._stop_timer()
        super().connection_lost(exc)

    def let_go_soon(self) -> None:
        """Wait no longer than it takes to say goodbye where the buffer is full: the server goes down."""
        if self._stuck_timer is not None:
            self._let_go_after(STUCK_AT_THE_END_S)

    def _let_go_after(self, seconds: float) -> None:
        self._stop_timer()
        self._stuck_timer = self.loop.call_later(seconds, self.transport.abort)

    def _stop_timer(self) -> None:
        if self._stuck_timer is not None:
            self._stuck_timer.cancel()
            self._stuck_timer = None


class HttpConnection(_LettingGo, HttpToolsProtocol):
    """HTTP, event streams included."""

    def shutdown(self) -> None:
        """Close the connection after the answer that is under way."""
        super().shutdown()
        self.let_go_soon()


class WebSocketConnection(_LettingGo, WebSocketsSansIOProtocol):
    """WebSockets. A client that reads on after it was too slow finds the code it was closed with."""

    def shutdown(self) -> None:
        """Close the socket with 1012."""
        super().shutdown()
        self.let_go_soon()

    async def send(self, message: ASGISendEvent) -> None:
        """Send what the application says; a close does not wait for room, it goes behind what waits."""
        if message["type"] == "websocket.close":
            self.writable.set()
        await super().send(message)
