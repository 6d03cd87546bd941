"""The WebSocket's events as server-sent events, for networks that block WebSockets."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Annotated

import structlog
from fastapi import APIRouter, Header, Query, Response
from starlette.types import Receive, Scope, Send

from ...domain.events import StoredEvent
from ...errors import StoreUnavailable, TooManyRequests
from ...log.event_bus.base import SubscriptionEnded
from ..services import Services
from ..wire import recorded_examples
from ..wire.feed import Start, feed
from ..wire.input import UserIdInPath
from ..wire.output import errors_for

Batch = Sequence[StoredEvent]
Batches = AsyncGenerator[Batch, None]

SEND_TIMEOUT_S = 10.0
_log = structlog.get_logger(__name__)
_HEADERS = {"content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no"}


class EventStream(Response):
    """A response of events as they come, with a comment as heartbeat while there are none.

    It ends when the client leaves or is too slow, or when the server shuts down.
    """

    def __init__(self, services: Services, user_id: str, start: Start) -> None:
        super().__init__(headers=_HEADERS)
        del self.headers["content-length"]
        self._services = services
        self._user_id = user_id
        self._start = start

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one client. Cancelling it unsubscribes.

        Errors raised before the stream starts (`StoreUnavailable`, `TooManyRequests`) become a JSON error.
        """
        services, user_id = self._services, self._user_id
        if not services.open_stream(user_id):
            raise TooManyRequests("This user has too many sockets and event streams open.")
        try:
            async with aclosing(feed(services, user_id, self._start)) as batches:
                hello = await anext(batches)
                await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
                await self._serve(hello, batches, receive, send)
        finally:
            services.close_stream(user_id)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SEND_TIMEOUT_S):
                await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _serve(
        self, hello: Batch, batches: AsyncGenerator[Batch, None], receive: Receive, send: Send
    ) -> None:
        """Send events, and heartbeats between them, until either side ends the stream."""
        services, user_id = self._services, self._user_id
        sender = services.owner.spawn(_send_events(hello, batches, send), name=f"events {user_id}")
        watcher = services.owner.spawn(_gone(receive), name=f"events watcher {user_id}")
        both = {sender, watcher}
        try:
            while not sender.done() and not watcher.done():
                done, _ = await asyncio.wait(
                    both, timeout=services.heartbeat_s, return_when=asyncio.FIRST_COMPLETED
                )
                if not done:
                    await _write(send, b": still here\n\n")
        except TimeoutError:
            return
        finally:
            sender.cancel()
            watcher.cancel()
            await asyncio.wait(both)
        if not sender.cancelled() and (error := sender.exception()) is not None:
            _log.error("an event stream failed", user_id=user_id, exc_info=error)


async def _send_events(hello: Batch, batches: Batches, send: Send) -> None:
    try:
        await _write_events(send, hello)
        async for batch in batches:
            await _write_events(send, batch)
            del batch  # else an idle stream would keep its last batch in memory
    except (SubscriptionEnded, StoreUnavailable, TimeoutError):
        return


async def _write_events(send: Send, batch: Batch) -> None:
    await _write(send, b"".join(b"id: %d\ndata: %b\n\n" % event for event in batch))


async def _write(send: Send, body: bytes) -> None:
    async with asyncio.timeout(SEND_TIMEOUT_S):
        await send({"type": "http.response.body", "body": body, "more_body": True})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def events_router(services: Services) -> APIRouter:
    """Return the route."""
    router = APIRouter()

    @router.get(
        "/events/{user_id}",
        response_class=Response,
        responses=errors_for(422, 429, 503)
        | {200: {"content": {"text/event-stream": {"example": recorded_examples.EVENTS_ANSWER}}}},
    )
    async def events(
        user_id: UserIdInPath,
        since: Annotated[str | None, Query(description="Number of the last event seen")] = None,
        epoch: Annotated[str | None, Query(description="The epoch that number belongs to")] = None,
        last_event_id: Annotated[str | None, Header()] = None,
    ) -> EventStream:
        """Stream a user's events: `id` is the `seq`, `data` the frame of the WebSocket."""
        start = Start.of(last_event_id or since, epoch)
        return EventStream(services, user_id, start)

    return router
