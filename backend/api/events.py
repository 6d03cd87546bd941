"""The same events as over the WebSocket, as server-sent events, for where sockets are blocked."""

import asyncio
from contextlib import aclosing
from typing import Annotated

from fastapi import APIRouter, Header, Query, Response
from starlette.types import Receive, Scope, Send

from backend.api.feed import Start, feed
from backend.api.input import checked_user_id
from backend.api.services import Services
from backend.errors import TooManyRequests
from backend.event_bus.base import SubscriptionEnded

SEND_TIMEOUT_S = 10.0
_HEADERS = {"content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no"}


class EventStream(Response):
    """A response that never ends by itself: events as they come, a comment where there are none.

    It ends when the client goes away, is too slow, or the server goes down.
    """

    def __init__(self, services: Services, user_id: str, start: Start) -> None:
        super().__init__(headers=_HEADERS)
        del self.headers["content-length"]
        self._services = services
        self._user_id = user_id
        self._start = start

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one client. Cancelling it unsubscribes."""
        services, user_id = self._services, self._user_id
        if not services.open_stream(user_id):
            raise TooManyRequests("This user has too many sockets and event streams open.")
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        sender = services.owner.spawn(self._send_events(send), name=f"events {user_id}")
        watcher = services.owner.spawn(_gone(receive), name=f"events watcher {user_id}")
        try:
            while not sender.done() and not watcher.done():
                both = {sender, watcher}
                await asyncio.wait(both, timeout=services.heartbeat_s, return_when=asyncio.FIRST_COMPLETED)
                if not sender.done():
                    await _write(send, b": still here\n\n")
        finally:
            sender.cancel()
            watcher.cancel()
            services.close_stream(user_id)
        await asyncio.wait({sender, watcher})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _send_events(self, send: Send) -> None:
        try:
            async with aclosing(feed(self._services, self._user_id, self._start)) as batches:
                async for batch in batches:
                    body = "".join(f"id: {event.seq}\ndata: {event.frame}\n\n" for event in batch)
                    await _write(send, body.encode())
        except (SubscriptionEnded, TimeoutError):
            return


async def _write(send: Send, body: bytes) -> None:
    async with asyncio.timeout(SEND_TIMEOUT_S):
        await send({"type": "http.response.body", "body": body, "more_body": True})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def events_router(services: Services) -> APIRouter:
    """Return the route."""
    router = APIRouter()

    @router.get("/events/{user_id}", response_class=EventStream)
    async def events(
        user_id: str,
        since: Annotated[int | None, Query(ge=0)] = None,
        epoch: Annotated[str | None, Query(max_length=64)] = None,
        last_event_id: Annotated[int | None, Header(ge=0)] = None,
    ) -> EventStream:
        """Stream a user's events: `id` is the `seq`, `data` the frame of the WebSocket."""
        since = last_event_id if last_event_id is not None else since
        return EventStream(services, checked_user_id(user_id), Start(since, epoch))

    return router
