"""Hearing the server: one WebSocket, which comes back after a lost connection to where it was."""

import asyncio
import random
from collections.abc import Callable
from typing import Any

import orjson
from websockets.asyncio.client import connect
from websockets.exceptions import (
    ConnectionClosed,
    InvalidHandshake,
    InvalidStatus,
    InvalidURI,
    WebSocketException,
)

from .api import Refused, Server

FIRST_WAIT_S = 0.25
LONGEST_WAIT_S = 8.0
_OPEN_TIMEOUT_S = 10.0
_REFUSALS = {
    4401: "The server asks for a token: give it with --token, or DETOUR_TOKEN.",
    4403: "This user is not yours.",
    4404: "The server does not accept this user id.",
    4409: "This user has as many connections open as the server allows; close one.",
}


def wait_before(attempt: int) -> float:
    """Return the seconds before the next attempt: doubled each time up to a bound, and spread by half.

    Spread, because all clients of a server that comes back would otherwise knock at the same instant.
    """
    longest = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** min(attempt, 10))
    return longest * random.uniform(0.5, 1.0)


class Link:
    """Follows a user's events. `position` tells where to go on, None for the beginning."""

    def __init__(
        self,
        server: Server,
        *,
        position: Callable[[], tuple[int, str] | None],
        on_frame: Callable[[dict[str, Any]], None],
        on_change: Callable[[bool], None],
    ) -> None:
        self._server = server
        self._position = position
        self._on_frame = on_frame
        self._on_change = on_change

    async def follow(self) -> None:
        """Hear everything, for ever; raises `Refused` where trying again would not help."""
        attempt = 0
        while True:
            heard = False
            try:
                async with self._open() as socket:
                    async for text in socket:
                        if not heard:
                            heard, attempt = True, 0
                            self._on_change(True)
                        self._on_frame(orjson.loads(text))
            except ConnectionClosed as error:
                _raise_if_refused(error)
            except InvalidStatus as error:
                _raise_if_final(error.response.status_code)
            except InvalidURI as error:
                raise Refused(f"That is no address of a server: {self._server.url}") from error
            except (OSError, TimeoutError, InvalidHandshake, WebSocketException):
                pass
            self._on_change(False)
            await asyncio.sleep(wait_before(attempt))
            attempt += 1

    def _open(self) -> connect:
        seq, epoch = self._position() or (None, "")
        return connect(
            self._server.socket_url(seq, epoch),
            additional_headers=self._server.headers,
            open_timeout=_OPEN_TIMEOUT_S,
            max_size=None,
            proxy=None if self._server.is_this_machine else True,
        )


def _raise_if_refused(closed: ConnectionClosed) -> None:
    if sentence := _REFUSALS.get(closed.rcvd.code if closed.rcvd else 0):
        raise Refused(sentence) from closed


def _raise_if_final(status: int) -> None:
    if status in {401, 403}:
        raise Refused("The server does not let this client in: it may need a token (--token).")
    if status == 404:
        raise Refused("There is a server, but it is not Detour.")
