"""Says in one line why an application does not start, where another server runs it.

The framework reports a failed start as the text of a traceback. `backend.main` itself starts the application
without its ASGI lifespan, and prints the sentence.
"""

import contextlib
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import DetourError

Lifespan = Callable[[Any], AbstractAsyncContextManager[None]]


class PlainStart:
    """The life of an application: `lifespan`, noted where it is refused, and the ASGI calls that begin it."""

    def __init__(self, lifespan: Lifespan) -> None:
        self._lifespan = lifespan
        self._refusal = ""

    @contextlib.asynccontextmanager
    async def life(self, app: Any) -> AsyncGenerator[None]:
        """Enter and exit the lifespan; raises what it raises."""
        try:
            async with self._lifespan(app):
                yield
        except DetourError as error:
            self._refusal = error.message
            raise

    def said_by(self, app: ASGIApp) -> ASGIApp:
        """Return the application for ASGI's lifespan, which gives a refusal's sentence as the reason."""

        async def begin(scope: Scope, receive: Receive, send: Send) -> None:
            async def send_plainly(message: Message) -> None:
                if message["type"] == "lifespan.startup.failed" and self._refusal:
                    message = {**message, "message": self._refusal}
                await send(message)

            await app(scope, receive, send_plainly)

        return begin
