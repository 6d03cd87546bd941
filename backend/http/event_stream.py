"""Responses that are written as their source yields: server-sent events, and downloads."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import aclosing
from typing import Any

import structlog
from fastapi import Response
from starlette.types import Receive, Scope, Send

from ..domain.errors import NotFound, StoreUnavailable, TooManyRequests
from ..store.event_bus import SubscriptionEnded
from .edge.headers import of_request
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

    It ends with its source, and when the client leaves, is too slow or is signed out. `on_leave` is called
    if the client left before the source ended.
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
        # Not found: the conversation was deleted, and has another owner now. Too many: it would begin anew.
        return


async def _write(send: Send, body: bytes) -> None:
    async with asyncio.timeout(SEND_TIMEOUT_S):
        await send({"type": "http.response.body", "body": body, "more_body": True})


async def gone(receive: Receive) -> None:
    """Wait until the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


class Download(Response):
    """A JSON document as an attachment, sent piece by piece. It counts among the user's open streams.

    A client that takes nothing for `SEND_TIMEOUT_S` is cut off. If the document cannot be completed, neither
    is the response: the server then cuts the connection, and nobody takes a part for the whole.
    """

    media_type = "application/json"

    def __init__(
        self, services: Services, user_id: str, pieces: AsyncGenerator[bytes, None], *, name: str
    ) -> None:
        disposition = f'attachment; filename="{name}"'
        super().__init__(headers={"content-disposition": disposition, "cache-control": "no-store"})
        del self.headers["content-length"]
        self._services = services
        self._user_id = user_id
        self._pieces = pieces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one client. Errors raised before the first piece become a JSON error."""
        async with aclosing(self._pieces) as pieces:
            self._services.open_stream(self._user_id)
            try:
                async with self._services.long_read(self._user_id):
                    first = await anext(pieces)
                await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
                await self._send_while_there(self._send_all(first, pieces, send), receive)
            finally:
                self._services.close_stream(self._user_id)

    async def _send_while_there(self, sending: Coroutine[Any, Any, None], receive: Receive) -> None:
        """Send to the end, or until the client has gone. Raises what sending raises."""
        spawn = self._services.owner.spawn
        sender = spawn(sending, name=f"download {self._user_id}")
        # To send to a closed connection succeeds.
        watcher = spawn(gone(receive), name=f"download watcher {self._user_id}")
        both = {sender, watcher}
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            sender.cancel()
            watcher.cancel()
            await asyncio.wait(both)
        if not sender.cancelled():
            sender.result()

    async def _send_all(self, piece: bytes, others: AsyncGenerator[bytes, None], send: Send) -> None:
        address = of_request.get()
        try:
            while piece:
                async with asyncio.timeout(SEND_TIMEOUT_S):
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
                # A turn for each piece: the client may take its time between two.
                async with self._services.answers.turn(address):
                    piece = await anext(others, b"")
        except (StoreUnavailable, TimeoutError) as error:
            _log.warning("a download was cut", reason=type(error).__name__)
            return
        await send({"type": "http.response.body", "body": b"", "more_body": False})
