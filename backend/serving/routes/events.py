"""The WebSocket's events as server-sent events, for networks that block WebSockets."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

from fastapi import APIRouter, Header, Query, Response

from ..event_stream import EventStream
from ..services import Services
from ..wire import recorded_examples
from ..wire.feed import Start, feed
from ..wire.input import UserIdInPath
from ..wire.output import errors_for


async def _encoded(services: Services, user_id: str, start: Start) -> AsyncGenerator[bytes, None]:
    async with aclosing(feed(services, user_id, start)) as batches:
        async for batch in batches:
            yield b"".join(b"id: %d\ndata: %b\n\n" % event for event in batch)
            del batch  # else an idle stream would keep its last batch in memory


def events_router(services: Services) -> APIRouter:
    """Return the route."""
    router = APIRouter(tags=["Events"])

    @router.get(
        "/events/{user_id}",
        summary="Follow the events as a stream",
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
        return EventStream(services, user_id, _encoded(services, user_id, start))

    return router
