"""A response of server-sent events: it writes what a source yields, with a comment while there is nothing."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing

import structlog
from fastapi import Response
from starlette.types import Receive, Scope, Send

from ..errors import NotFound, StoreUnavailable, TooManyRequests
from ..log.event_bus.base import SubscriptionEnded
from .services import Services

SEND_TIMEOUT_S = 10.0

COMMENT = b": still here\n\n"

Pieces = AsyncGenerator[bytes, None]
"""Encoded events, one or more in a piece; the first piece may be empty."""

_log = structlog.get_logger(__name__)
_HEADERS = {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
}


class EventStream(Response):
    """A response of encoded events as they come, with a comment as heartbeat while there are none.

    It ends with its source, when the client leaves, is too slow or is signed out, or when the server shuts
    down. `on_leave`
    is called if the client left before the source ended. `heartbeat` is what is sent while there is nothing:
    by default a comment.
    """

    def __init__(
        self,
        services: Services,
        user_id: str,
        pieces: Pieces,
        *,
        headers: Mapping[str, str] | None = None,
        heartbeat_s: float | None = None,
        heartbeat: bytes = COMMENT,
        on_leave: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(headers={**_HEADERS, **(headers or {})})
        del self.headers["content-length"]
        self._services = services
        self._user_id = user_id
        self._pieces = pieces
        self._heartbeat_s = heartbeat_s or services.heartbeat_s
        self._heartbeat = heartbeat
        self._on_leave = on_leave

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one client. Cancelling it unsubscribes.

        Errors raised before the first piece (`StoreUnavailable`, `TooManyRequests`) become a JSON error.
        """
        services, user_id = self._services, self._user_id
        async with aclosing(self._pieces) as pieces:
            services.open_stream(user_id)
            try:
                first = await anext(pieces, b"")
                await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
                left = await self._serve(first, pieces, receive, send)
            finally:
                services.close_stream(user_id)
        if left and self._on_leave is not None:
            self._on_leave()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SEND_TIMEOUT_S):
                await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _serve(self, first: bytes, pieces: Pieces, receive: Receive, send: Send) -> bool:
        """Send events and heartbeats until either side ends; return whether the client left."""
        services, user_id = self._services, self._user_id
        sender = services.owner.spawn(_send_pieces(first, pieces, send), name=f"events {user_id}")
        watcher = services.owner.spawn(gone(receive), name=f"events watcher {user_id}")
        both = {sender, watcher}
        left = False
        try:
            while not sender.done() and not watcher.done():
                look_again_s = services.look_again_in_s()
                wait_s = self._heartbeat_s if look_again_s is None else min(self._heartbeat_s, look_again_s)
                done, _ = await asyncio.wait(both, timeout=wait_s, return_when=asyncio.FIRST_COMPLETED)
                if done:
                    continue
                if look_again_s is not None and await services.signed_out():
                    return False
                await _write(send, self._heartbeat)
            left = not sender.done()
        except TimeoutError:
            return True
        finally:
            sender.cancel()
            watcher.cancel()
            await asyncio.wait(both)
        if not sender.cancelled() and (error := sender.exception()) is not None:
            _log.error("an event stream failed", user_id=user_id, exc_info=error)
        return left


async def _send_pieces(first: bytes, pieces: Pieces, send: Send) -> None:
    try:
        if first:
            await _write(send, first)
        async for piece in pieces:
            if piece:
                await _write(send, piece)
            del piece  # else an idle stream would keep its last events in memory
    except (SubscriptionEnded, StoreUnavailable, NotFound, TooManyRequests, TimeoutError):
        # Not found: the conversation was deleted, and is somebody else's now. Too many: it would begin anew.
        return


async def _write(send: Send, body: bytes) -> None:
    async with asyncio.timeout(SEND_TIMEOUT_S):
        await send({"type": "http.response.body", "body": body, "more_body": True})


async def gone(receive: Receive) -> None:
    """Wait until the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
