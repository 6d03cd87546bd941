"""Sources of real sellers over their stand-ins, and what a search of theirs brings."""

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from backend.domain.errors import ProviderError
from backend.http.settings import TravelSettings
from backend.travel.providers.base import CutShort, Notice, Source
from backend.travel.providers.booking_database import SqliteBookings
from backend.travel.providers.inventory import Sellers, sellers
from backend.travel.values.travel import FlightQuery, HotelQuery
from tests.fakes.duffel import Duffel
from tests.fakes.liteapi import LiteApi

FLIGHTS = FlightQuery(
    origins=("BER",), destinations=("HND", "NRT"), departure_date=date(2027, 3, 10), passengers=2
)
HOTELS = HotelQuery(
    city="Tokyo", country="JP", check_in=date(2027, 3, 10), check_out=date(2027, 3, 12), guests=3, rooms=2
)


@asynccontextmanager
async def sellers_of(
    duffel: Duffel | None = None, liteapi: LiteApi | None = None, *, path: Path | None = None
) -> AsyncIterator[Sellers]:
    """Yield the sellers of a server whose settings name the stand-ins; `path` is its file of bookings."""
    given: dict[str, Any] = {}
    if duffel is not None:
        given |= {"duffel_token": duffel.token, "duffel_url": duffel.url}
    if liteapi is not None:
        urls = {"liteapi_url": liteapi.url, "liteapi_book_url": liteapi.book_url}
        given |= {"liteapi_key": liteapi.key, **urls}
    database = SqliteBookings(path)
    made = sellers(TravelSettings(**given), database, clock=lambda: datetime.now(UTC))  # noqa: TID251
    try:
        yield made
    finally:
        for service in made.services:
            await service.close()
        await database.close()


class Found:
    """What a search brought: its batches of offers, what it said, how it ended."""

    def __init__(self) -> None:
        self.batches: list[Sequence[Any]] = []
        self.notices: list[str] = []
        self.is_cut_short = False
        self.error: ProviderError | None = None

    @property
    def offers(self) -> list[Any]:
        return [offer for batch in self.batches for offer in batch]


async def searched(source: Source[Any, Any] | None, query: Any, *, user_id: str = "ada") -> Found:
    """Search to the end."""
    found = Found()
    assert source is not None
    try:
        async with aclosing(source.search(query, user_id)) as batches:
            async for batch in batches:
                if isinstance(batch, Notice):
                    found.notices.append(batch.text)
                elif isinstance(batch, CutShort):
                    found.is_cut_short = True
                else:
                    found.batches.append(batch)
    except ProviderError as error:
        found.error = error
    return found
