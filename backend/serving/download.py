"""A response that is sent piece by piece, to be saved as a file."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from typing import Any

import structlog
from fastapi import Response
from starlette.types import Receive, Scope, Send

from ..errors import StoreUnavailable
from .edge.client_address import of_request
from .event_stream import SEND_TIMEOUT_S, gone
from .services import Services

_log = structlog.get_logger(__name__)


class Download(Response):
    """A JSON document as an attachment. It counts among the streams that a user may have open.

    A client that takes nothing for `SEND_TIMEOUT_S` is left; for one that has gone no more is read. If the
    document cannot be ended, neither is the response: the server then cuts the connection, and nobody takes a
    part for the whole.
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
        # Sending does not tell: to a connection that is closed it succeeds.
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
