"""A user's events as server-sent events, for networks that block WebSockets; a user's data as a file."""

from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

from fastapi import Header, Query, Response

from ...domain.encoding import encode, to_wire
from ...store.export import EXPORTED_TABLES, Exported
from ..event_stream import Download, EventStream
from ..identity.access import Act
from ..plugin import KeptBeside
from ..services import Services
from ..wire.answers import ExportAnswer
from ..wire.bodies import UserIdInPath
from ..wire.examples import RECORDED
from ..wire.feed import Start, feed
from .calls import CallRouter
from .lookups import known

PIECE_BYTES = 64 * 1024
"""Entries of an export are sent together up to this size."""


async def _encoded(services: Services, user_id: str, start: Start) -> AsyncGenerator[bytes, None]:
    async with aclosing(feed(services, user_id, start)) as batches:
        async for batch in batches:
            yield b"".join(b"id: %d\ndata: %b\n\n" % event for event in batch)
            del batch  # else an idle stream would keep its last batch in memory


def events_router(services: Services, beside: KeptBeside) -> CallRouter:
    """Return the routes; `beside` reads what an export has from outside the store."""
    router = CallRouter()

    @router.call(
        "GET /events/{user_id}",
        "Follow the events as a stream",
        None,
        (422, 429, 503),
        responses={200: {"content": {"text/event-stream": {"example": RECORDED["EVENTS_ANSWER"]}}}},
        act=Act.FOLLOW,
        tags=["Events"],
        response_class=Response,
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

    @router.call(
        "GET /users/{user_id}/export",
        "Export everything that is stored of a user",
        ExportAnswer,
        (404, 422, 429, 502, 503),
        tags=["Reading"],
    )
    async def export(user_id: UserIdInPath) -> Download:
        """Return everything that is stored of a user, of one instant, to be saved as a file.

        It is sent as it is read: if the connection ends early, the file is not whole, and no JSON. Rows that
        cannot be read are left out; `damaged` counts them by table.
        """
        return Download(services, user_id, _document(services, user_id, beside), name="detour-export.json")

    return router


async def _document(services: Services, user_id: str, beside: KeptBeside) -> AsyncGenerator[bytes, None]:
    async with aclosing(services.store.export(user_id)) as entries:
        first = known(await anext(entries, None), user_id)
        head = {"user_id": user_id, "exported_at": to_wire(services.clock())}
        yield encode({**head, **{name: await read(user_id) for name, read in beside.items()}})[:-1]
        async for piece in _tables(first, entries):
            yield piece
        yield b"}"


async def _tables(first: Exported, others: AsyncGenerator[Exported, None]) -> AsyncGenerator[bytes, None]:
    """Yield the tables as members of an object, each a list, the empty ones too; then `damaged`."""
    left = iter(EXPORTED_TABLES)
    damaged: Counter[str] = Counter()
    table, piece = "", b""

    def begin(wanted: str | None) -> bytes:
        """End the table before, and begin those that come up to the one that is wanted, or all."""
        nonlocal table
        begun = b"]" if table else b""
        for table in left:
            begun += b',"%b":[' % table.encode()
            if table == wanted:
                return begun
            begun += b"]"
        return begun

    async for each in _all(first, others):
        if each.entry is None:
            damaged[each.table] += 1
            continue
        piece += b"," + each.entry if each.table == table else begin(each.table) + each.entry
        if len(piece) >= PIECE_BYTES:
            yield piece
            piece = b""
    yield piece + begin(None) + b',"damaged":' + encode(damaged)


async def _all(first: Exported, others: AsyncGenerator[Exported, None]) -> AsyncGenerator[Exported, None]:
    yield first
    async for each in others:
        yield each
