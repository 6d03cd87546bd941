"""`/ws/{user_id}`: a user's events out, a client's commands in. Closing a socket never stops a task.

Two asyncio tasks serve a socket: one sends what the user's feed yields, the other reads commands. The first
to end ends both. A client that does not read is closed with 1013, and resumes from the last `seq` it saw.
"""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from typing import Any

import orjson
import structlog
from fastapi import APIRouter
from pydantic import TypeAdapter, ValidationError
from starlette.routing import WebSocketRoute
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from ...domain.encoding import Clock, encode, to_wire
from ...domain.errors import BadInput, DetourError, Forbidden, NotFound, StoreUnavailable, TooManyRequests
from ...store.event_bus import Ended, SubscriptionEnded
from ..edge.guard import CLOSE_FORBIDDEN, CLOSE_NOT_SIGNED_IN
from ..edge.refusals import note_input
from ..edge.transports import TEXTS
from ..identity.access import Act
from ..identity.authentication import subprotocol_of
from ..services import Services
from ..wire.answers import StoppingAnswer
from ..wire.bodies import is_user_id, parse
from ..wire.feed import Start, feed
from ..wire.requests import (
    AnswerCommand,
    AnyCommand,
    ChatCommand,
    Command,
    PingCommand,
    StopCommand,
)
from .chat import accept, take_answer, take_stop

SEND_TIMEOUT_S = 10.0
"""How long a client may take to receive one batch of frames."""

FAULT, RESTARTING, TRY_AGAIN, BAD_USER_ID, TOO_MANY_SOCKETS = 1011, 1012, 1013, 4404, 4409

PATH = "/ws/"

Closing = tuple[int, str]
"""The code and the reason that a socket is closed with."""

UNKNOWN_USER: Closing = (BAD_USER_ID, "unknown user")
TOO_MANY_BEGUN: Closing = (TRY_AGAIN, "too many new conversations")

_CLOSINGS: dict[Ended, Closing] = {
    Ended.TOO_SLOW: (TRY_AGAIN, "too slow"),
    Ended.CLOSED: (RESTARTING, "restarting"),
}
_log = structlog.get_logger(__name__)
_command: TypeAdapter[Any] = TypeAdapter(Command)


class ConnectionManager:
    """Serves the WebSockets of all users."""

    def __init__(self, services: Services, clock: Clock) -> None:
        self._services = services
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one socket until either side closes it. Cancelling it unsubscribes and closes."""
        socket = WebSocket(scope, receive, send)
        # Not the router's parameter, whose expression drops a final newline: `ada%0A` is not the user `ada`.
        user_id = str(scope["path"]).removeprefix(PATH)
        await socket.accept(subprotocol=subprotocol_of(scope))
        refused = await self._refused(user_id)
        if refused is not None:
            await socket.close(*refused)
            return
        try:
            self._services.open_stream(user_id)
        except TooManyRequests:
            await socket.close(TOO_MANY_SOCKETS, "too many sockets")
            return
        try:
            await self._serve(socket, user_id)
        finally:
            self._services.close_stream(user_id)

    async def _refused(self, user_id: str) -> Closing | None:
        """Return how to close the socket of a caller who may not follow the user."""
        if not is_user_id(user_id):
            return BAD_USER_ID, "bad user id"
        try:
            await self._services.access.check(user_id, Act.FOLLOW)
        except NotFound:
            return UNKNOWN_USER
        except Forbidden as error:
            return CLOSE_FORBIDDEN, error.message
        except StoreUnavailable:
            return TRY_AGAIN, "store unavailable"
        except TooManyRequests:
            return TOO_MANY_BEGUN
        return None

    async def _serve(self, socket: WebSocket, user_id: str) -> None:
        # No `asyncio.Event`, which would take 0.7 KiB for as long as the socket is open.
        owner, greeted = self._services.owner, asyncio.get_running_loop().create_future()
        sender = owner.spawn(self._send(socket, user_id, greeted), name=f"socket sender {user_id}")
        reader = owner.spawn(self._read(socket, user_id, greeted), name=f"socket reader {user_id}")
        both = (sender, reader)
        closing = None
        try:
            closing = await self._until_one_ends(both)
        finally:
            sender.cancel()
            reader.cancel()
        await asyncio.wait(both)
        closing = closing or next(filter(None, (_closing(task) for task in both)), None)
        if closing is not None:
            with contextlib.suppress(TimeoutError, WebSocketDisconnect):
                async with asyncio.timeout(SEND_TIMEOUT_S):
                    await socket.close(*closing)

    async def _until_one_ends(self, both: "Sequence[asyncio.Task[Any]]") -> Closing | None:
        """Wait for one of a socket's tasks, or until its client is signed out; return how to close then."""
        while True:
            look_again_s = self._services.look_again_in_s()
            done, _ = await asyncio.wait(both, timeout=look_again_s, return_when=asyncio.FIRST_COMPLETED)
            if done:
                return None
            if await self._services.signed_out():
                return CLOSE_NOT_SIGNED_IN, "signed out"

    async def _send(self, socket: WebSocket, user_id: str, greeted: "asyncio.Future[None]") -> Closing:
        """Send the user's events, the greeting first; return how to close when there will be no more."""
        start = Start.of(socket.query_params.get("since"), socket.query_params.get("epoch"))
        try:
            async with aclosing(feed(self._services, user_id, start)) as batches:
                async for batch in batches:
                    frames = [event.frame for event in batch]
                    # Most clients keep up: a deadline and the framework's layers would double the cost.
                    if not _put_now(socket, frames):
                        async with asyncio.timeout(SEND_TIMEOUT_S):
                            await _put(socket, frames)
                    del frames
                    del batch  # else an idle socket would keep its last batch in memory
                    if not greeted.done():
                        greeted.set_result(None)
        except SubscriptionEnded as ended:
            return _CLOSINGS[ended.reason]
        except TimeoutError:
            return _CLOSINGS[Ended.TOO_SLOW]
        except StoreUnavailable:
            return TRY_AGAIN, "store unavailable"
        except NotFound:
            return UNKNOWN_USER
        except TooManyRequests:  # it was deleted, and would begin anew
            return TOO_MANY_BEGUN
        return _CLOSINGS[Ended.CLOSED]

    async def _read(self, socket: WebSocket, user_id: str, greeted: "asyncio.Future[None]") -> None:
        """Carry out the client's commands, one at a time, until it disconnects."""
        await greeted
        while (frame := await socket.receive())["type"] == "websocket.receive":
            reply = await self._carry_out(user_id, frame.get("text"))
            await _put(socket, [encode(reply)])

    async def _carry_out(self, user_id: str, text: str | None) -> dict[str, Any]:
        try:
            if text is None:
                raise BadInput("Binary frames are not understood; send JSON text.")
            return await self._reply(user_id, parse(_command.validate_json, text))
        except DetourError as error:
            note_input(error)
            return {"type": "error", "ref": _ref(text), **error.to_json()}

    async def _reply(
        self, user_id: str, command: PingCommand | ChatCommand | StopCommand | AnswerCommand
    ) -> dict[str, Any]:
        services = self._services
        match command:
            case PingCommand():
                return {"type": "pong", "ref": command.ref, "at": to_wire(self._clock())}
            case ChatCommand():
                accepted = await accept(
                    services, user_id, command, client_id=command.client_id, policy=command.named_policy
                )
                return {"type": "ack", "ref": command.ref, **accepted}
            case AnswerCommand():
                await services.access.check(user_id, Act.CHANGE)
                return {"type": "ack", "ref": command.ref, **await take_answer(services, user_id, command)}
            case StopCommand():
                await services.access.check(user_id, Act.END)
                services.admit_command()
                stopped = await take_stop(services, user_id, command)
                stopping = StoppingAnswer(user_id=user_id, status="cancelling")
                answer = orjson.loads(stopped) if stopped else stopping
                return {"type": "ack", "ref": command.ref, **answer}


def websocket_router(services: Services, clock: Clock) -> APIRouter:
    """Return the route of all paths below `/ws/`: an invalid user id is refused by a close code."""
    router = APIRouter()
    # An ASGI application as the endpoint: for a function, the framework would wrap every frame that is sent.
    router.routes.append(WebSocketRoute(PATH + "{user_id:path}", ConnectionManager(services, clock)))
    return router


def _put_now(socket: WebSocket, frames: Sequence[bytes]) -> bool:
    """Write frames if that needs no wait; return whether it did."""
    extensions: Mapping[str, Any] = socket.scope.get("extensions") or {}
    return TEXTS in extensions and bool(extensions[TEXTS]["write"](frames))


async def _put(socket: WebSocket, frames: Sequence[bytes]) -> None:
    """Send frames. Raises `WebSocketDisconnect` if the socket is closed already."""
    try:
        if TEXTS in (socket.scope.get("extensions") or ()):
            await socket.send({"type": "websocket.send", "texts": frames})
        else:
            for frame in frames:
                await socket.send({"type": "websocket.send", "text": frame.decode()})
    except RuntimeError:  # the web server has closed by itself: a frame that was too large, or no pong
        raise WebSocketDisconnect(code=1006) from None


def _closing(task: "asyncio.Task[Closing] | asyncio.Task[None]") -> Closing | None:
    """Return how to close the socket after one of its tasks ended; None if it is closed already."""
    error = None if task.cancelled() else task.exception()
    if error is not None and not isinstance(error, WebSocketDisconnect):
        _log.error("a socket failed", task=task.get_name(), exc_info=error)
        return FAULT, "a fault of the server"
    return None if task.cancelled() or error else task.result()


def _ref(text: str | None) -> str | int | None:
    """Return the `ref` of a refused command, None if it cannot be read."""
    try:
        return AnyCommand.model_validate_json(text or "").ref
    except ValidationError:
        return None
