"""`/ws/{user_id}`: a user's events out, a client's commands in. Closing a socket never stops a task.

Two asyncio tasks serve a socket: one sends what the user's feed yields, the other reads commands. The first
to end ends both. A client that does not read is closed with 1013 and comes back with the number it has seen.
"""

import asyncio
from contextlib import aclosing
from typing import Any

import orjson
from fastapi import APIRouter
from pydantic import TypeAdapter
from starlette.websockets import WebSocket

from backend.api.feed import Start, feed
from backend.api.input import is_user_id, parse
from backend.api.schemas import ChatCommand, Command, PingCommand, StopCommand
from backend.api.services import Services
from backend.domain.clock import Clock, to_wire
from backend.domain.encoding import encode
from backend.errors import BadInput, DetourError
from backend.event_bus.base import Ended, SubscriptionEnded

SEND_TIMEOUT_S = 10.0
"""How long a client may take to take in one batch of frames."""

RESTARTING, TOO_SLOW, BAD_USER_ID, TOO_MANY_SOCKETS = 1012, 1013, 4404, 4409

_CLOSE_CODES = {Ended.TOO_SLOW: TOO_SLOW, Ended.CLOSED: RESTARTING}
_command: TypeAdapter[Any] = TypeAdapter(Command)


class ConnectionManager:
    """Serves the WebSockets of all users."""

    def __init__(self, services: Services, clock: Clock) -> None:
        self._services = services
        self._clock = clock

    async def serve(self, socket: WebSocket, user_id: str) -> None:
        """Serve one socket until either side closes it. Cancelling it unsubscribes and closes."""
        await socket.accept()
        if not is_user_id(user_id):
            await socket.close(BAD_USER_ID, "bad user id")
        elif not self._services.open_stream(user_id):
            await socket.close(TOO_MANY_SOCKETS, "too many sockets")
        else:
            try:
                await self._serve(socket, user_id)
            finally:
                self._services.close_stream(user_id)

    async def _serve(self, socket: WebSocket, user_id: str) -> None:
        owner = self._services.owner
        sender = owner.spawn(self._send(socket, user_id), name=f"socket sender {user_id}")
        reader = owner.spawn(self._read(socket, user_id), name=f"socket reader {user_id}")
        try:
            await asyncio.wait({sender, reader}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            sender.cancel()
            reader.cancel()
        await asyncio.wait({sender, reader})
        if not sender.cancelled() and sender.exception() is None:
            async with asyncio.timeout(SEND_TIMEOUT_S):
                await socket.close(sender.result())

    async def _send(self, socket: WebSocket, user_id: str) -> int:
        """Send the user's events; return the close code when there will be no more."""
        try:
            async with aclosing(feed(self._services, user_id, _start(socket))) as batches:
                async for batch in batches:
                    async with asyncio.timeout(SEND_TIMEOUT_S):
                        for event in batch:
                            await socket.send({"type": "websocket.send", "text": event.frame})
        except SubscriptionEnded as ended:
            return _CLOSE_CODES[ended.reason]
        except TimeoutError:
            return TOO_SLOW
        return RESTARTING

    async def _read(self, socket: WebSocket, user_id: str) -> None:
        """Carry out the client's commands, one after the other, until it goes away."""
        while (frame := await socket.receive())["type"] == "websocket.receive":
            reply = await self._carry_out(user_id, frame.get("text"))
            await socket.send({"type": "websocket.send", "text": encode(reply).decode()})

    async def _carry_out(self, user_id: str, text: str | None) -> dict[str, Any]:
        ref = None
        try:
            if text is None:
                raise BadInput("Binary frames are not understood; send JSON text.")
            command = parse(_command, text)
            ref = command.ref
            return await self._reply(user_id, command)
        except DetourError as error:
            return {"type": "error", "ref": ref, **error.to_json()}

    async def _reply(self, user_id: str, command: PingCommand | ChatCommand | StopCommand) -> dict[str, Any]:
        services = self._services
        match command:
            case PingCommand():
                return {"type": "pong", "ref": command.ref, "at": to_wire(self._clock())}
            case ChatCommand():
                services.limiter.check(user_id)
                accepted = await services.runner.handle_user_message(
                    user_id,
                    command.message,
                    policy=command.policy,
                    priority=command.priority,
                    client_id=command.client_id,
                )
                return {"type": "ack", "ref": command.ref, **accepted.to_wire()}
            case StopCommand():
                receipt = await services.runner.stop(user_id, command.task_id)
                answer = orjson.loads(receipt) if receipt else {"user_id": user_id, "status": "cancelling"}
                return {"type": "ack", "ref": command.ref, **answer}


def _start(socket: WebSocket) -> Start:
    """Read where the client wants to go on; what is no number counts as one that is not known."""
    since = socket.query_params.get("since")
    if since is None:
        return Start()
    known = since.isascii() and since.isdecimal() and len(since) < 16
    return Start(int(since) if known else 10**16, socket.query_params.get("epoch"))


def websocket_router(manager: ConnectionManager) -> APIRouter:
    """Return the route."""
    router = APIRouter()

    @router.websocket("/ws/{user_id}")
    async def websocket(socket: WebSocket, user_id: str) -> None:
        """Serve one socket."""
        await manager.serve(socket, user_id)

    return router
