"""The bounds that every connection of a server is kept within: its place, and what its client does not read.

A transport closes only after the client has received what was written. A client that never reads would
therefore hold its connection, and the answers on it, for as long as it likes.
"""

import asyncio
from typing import ClassVar

from .client_address import UNKNOWN, counted_address
from .cross_origin import Headers
from .security_headers import security_headers
from .shares import Places, Unread

STUCK_S = 15.0
"""How long a client may read nothing: a send's time-out of 10 s, and 5 s to read the close code."""

STUCK_AT_THE_END_S = 1.0
"""How long a client may take to read everything buffered once the server shuts down."""

CONNECTIONS = 10_000
"""The most connections a server holds: twice the 5,200 sockets of the benchmark."""

UNREAD_BYTES = 128 * 1024 * 1024
"""What clients may leave unread in all, unless a server is told otherwise."""


class Bounds:
    """What all connections of one server share; with `https_alone` browsers are told to come by https."""

    def __init__(self, *, unread_bytes: int = UNREAD_BYTES, https_alone: bool = False) -> None:
        self.places = Places(CONNECTIONS)
        self.unread = Unread(unread_bytes)
        self.headers: Headers = security_headers(https_alone=https_alone)


class BoundedConnection(asyncio.Protocol):
    """Mixed into a protocol of uvicorn's: keeps its connection within the bounds of its server.

    Aborts the connection of a client that stops reading, or holds more than its share.
    """

    bounds: ClassVar[Bounds]
    client: tuple[str, int] | None
    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    _stuck_timer: asyncio.TimerHandle | None = None
    _ending: bool = False

    def pause_writing(self) -> None:
        """Start watching: the write buffer is full."""
        if not self._ending:
            self._watch()
        super().pause_writing()

    def resume_writing(self) -> None:
        """Stop watching: the client reads again. A connection that is closing has to drain completely."""
        if not self._ending:
            self._stop_watching()
        super().resume_writing()

    def eof_received(self) -> None:
        """Watch the connection close: the event loop closes it when the client has sent its end of file."""
        super().eof_received()
        self._watch_closing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop watching and free its place: the connection is gone."""
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
