"""`GET /users/{user_id}/export`: everything that is stored of a user, as one JSON document."""

from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import aclosing

from fastapi import APIRouter

from ...domain.clock import to_wire
from ...domain.encoding import encode
from ...log.state_store.export import EXPORTED_TABLES, Exported
from ..download import Download
from ..plugin import KeptBeside
from ..services import Services
from ..wire.export_answer import ExportAnswer
from ..wire.input import UserIdInPath
from ..wire.output import errors_for
from .lookups import known

PIECE_BYTES = 64 * 1024
"""Entries are sent together up to this size."""


def export_router(services: Services, beside: KeptBeside) -> APIRouter:
    """Return the route."""
    router = APIRouter(tags=["Reading"])

    @router.get(
        "/users/{user_id}/export",
        summary="Export everything that is stored of a user",
        response_model=ExportAnswer,
        responses=errors_for(404, 422, 429, 502, 503),
    )
    async def export(user_id: UserIdInPath) -> Download:
        """Return everything that is stored of a user, of one instant, to be saved as a file.

        It is sent as it is read: if the connection ends early, the file is not whole, and no JSON. Rows that
        cannot be read are left out; `damaged` tells how many, of which table.
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
    """Yield the tables as members of an object, each a list, the empty ones too; then what is damaged."""
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
