"""Follows a user's events over one WebSocket, and reconnects after a break to the event it saw last."""

import asyncio
import logging
import random
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlencode

import orjson
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI

from .api import VERSION, Refused, User

FIRST_WAIT_S = 0.25
LONGEST_WAIT_S = 8.0
OPEN_TIMEOUT_S = 10.0

Frame = dict[str, Any]

# The library logs a lost connection as an error with its traceback. To `follow` it is nothing unusual, and
# whoever follows is told; in a terminal the traceback would be written over the conversation.
_UNHEARD = logging.Logger("detour websocket", level=logging.CRITICAL)

_FINAL_CLOSE_CODES = {
    4401: ("unauthorized", "The server asks for a token."),
    4403: ("forbidden", "This user is not yours."),
    4404: ("bad_user_id", "The server does not accept this user id."),
    4409: ("too_many_sockets", "This user has as many connections open as the server allows; close one."),
}
_FINAL_STATUSES = {
    401: ("unauthorized", "The server does not let this client in: it may need a token."),
    403: ("forbidden", "The server does not let this client in: it may need a token."),
    404: ("not_found", "There is a server, but it is not Detour."),
}


class Position(NamedTuple):
    """An event's number and the epoch of its log. `Position(0)` comes before the first event of any log."""

    seq: int
    epoch: str = ""


@dataclass(frozen=True, slots=True)
class Connection:
    """Whether the events arrive just now; `sentence` says why not, where the server said so."""

    is_open: bool
    sentence: str = ""


async def follow(user: User, position: Position | None = None) -> AsyncGenerator[Frame | Connection, None]:
    """Yield the server's frames and, with each change, the `Connection`; never ends by itself.

    The first frames are a hello and a snapshot; with a `position`, a hello and the events after it. After a
    break the events go on where they broke off: none is missing, and none comes twice. Where the server
    cannot resume, it sends a reset and a snapshot. Raises `Refused` where another attempt would not help.
    Closing the generator closes the socket.
    """
    attempt = 0
    while True:
        is_open = False
        try:
            async with _connect(user, position) as socket:
                async for text in socket:
                    frame: Frame = orjson.loads(text)
                    position = position_after(frame, position)
                    if not is_open:
                        is_open, attempt = True, 0
                        yield Connection(is_open=True)
                    yield frame
        except ConnectionClosed as closed:
            _raise_if_final(_FINAL_CLOSE_CODES, closed.rcvd.code if closed.rcvd else 0)
        except InvalidStatus as answered:
            _raise_if_final(_FINAL_STATUSES, answered.response.status_code)
        except InvalidURI as error:
            raise Refused(f"That is no address of a server: {user.url}") from error
        except (OSError, TimeoutError, InvalidHandshake, orjson.JSONDecodeError):
            pass  # down, restarting, or a proxy's page: worth another attempt
        yield Connection(is_open=False)
        await asyncio.sleep(wait_before(attempt))
        attempt += 1


def position_after(frame: Frame, position: Position | None) -> Position | None:
    """Return where to resume once a frame has arrived; None means from a snapshot.

    Of a hello only a new epoch counts. The reset that follows it may be lost with the connection, and the
    old number with the new epoch would name some other event.
    """
    match frame["type"]:
        case "hello" if position is not None and position.epoch in ("", frame["epoch"]):
            return Position(position.seq, frame["epoch"])
        case "hello" | "reset":
            return None
        case "snapshot":
            return Position(frame["seq"], frame["epoch"])
        case _ if position is not None and "seq" in frame:
            return Position(frame["seq"], position.epoch)
        case _:
            return position


def wait_before(attempt: int) -> float:
    """Return the seconds before the next attempt: doubled each time up to a bound, and spread by half.

    Spread, because all clients of a server that comes back would otherwise connect at the same instant.
    """
    longest = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** min(attempt, 10))
    return longest * random.uniform(0.5, 1.0)


def _connect(user: User, position: Position | None) -> connect:
    fields = {"since": position.seq, "epoch": position.epoch} if position else {}
    query = urlencode({name: value for name, value in fields.items() if value != ""})
    return connect(
        "ws" + user.url.rstrip("/").removeprefix("http") + f"{VERSION}/ws/{user.quoted_id}?{query}",
        additional_headers=user.headers,
        open_timeout=OPEN_TIMEOUT_S,
        max_size=None,  # a snapshot holds all that the latest tasks have found
        # No bound: at 16 unread frames the library stops reading, and closing in the middle of a replay then
        # waits its full 10 s for the server's close frame, which is behind them.
        max_queue=None,
        proxy=None if user.is_on_this_machine else True,
        logger=_UNHEARD,
    )


def _raise_if_final(final: dict[int, tuple[str, str]], code: int) -> None:
    if code in final:
        word, sentence = final[code]
        raise Refused(sentence, code=word)
