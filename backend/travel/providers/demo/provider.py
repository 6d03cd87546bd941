"""The demo provider: seven sources over one invented inventory.

Everything it offers is invented and says so (`live=False`, `provider="demo"`). It needs no network and no
key, and gives the same answer for the same query, `today` and seed.

A search is computed on the event loop, in parts of a few milliseconds, and released in batches with a
simulated supplier delay. No asyncio task is started: closing a source's generator, or cancelling whoever
iterates it, ends the search where it stands.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Generic, TypeVar

from ....domain.encoding import Clock
from ....http.plugin import Database
from ...values.travel import CarOffer, CarQuery, FlightOffer, FlightQuery, HotelOffer, HotelQuery
from ..base import CutShort, TourProgram
from .bookings import DemoBookings
from .car_search import MOST_CARS, find_cars
from .cars import CarMarket
from .fare_calendar import DemoFareCalendar
from .file_bookings import FileBookings
from .flight_offers import PROVIDER_NAME
from .flight_search import MOST_FLIGHTS, FlightMarket, find_flights
from .goal_fares import DemoGoalFares
from .hotel_search import MOST_HOTELS, HotelMarket, find_hotels
from .pace import batches
from .postgres_bookings import PostgresBookings
from .store import Inventory, open_inventory
from .tour_program import demo_tour_program

QueryT = TypeVar("QueryT")
OfferT = TypeVar("OfferT", FlightOffer, HotelOffer, CarOffer)

_FLIGHT_BATCHES: dict[FlightMarket, int] = {"network carriers": 5, "low-cost carriers": 4, "connections": 6}
_CAR_BATCHES: dict[CarMarket, int] = {"rental chains": 3, "local rentals": 2}
_HOTEL_BATCHES: dict[HotelMarket, int] = {"hotel chains": 4, "independent hotels": 5}


class DemoProvider:
    """Implements `backend.travel.providers.base.Provider` over the file at `path`.

    The file is built first if it is not there or is another one: under a second, blocking, so construct the
    provider before serving. Bookings are kept in the `database`; without one in a file beside it, or nowhere
    where they are not kept: then they are gone with the process. `today` is asked once per search. `pace` is
    the seconds between batches; with 0 a source yields to the event loop once between batches and does not
    wait. Use from one thread.
    """

    def __init__(
        self,
        path: Path,
        *,
        clock: Clock,
        today: Callable[[], date],
        seed: int,
        pace: float,
        keeps_bookings: bool = True,
        database: Database | None = None,
    ) -> None:
        self._inventory = open_inventory(path, seed=seed)
        self._tour_program = demo_tour_program(path, today=today, seed=seed, pace=pace)
        kept = path.with_name("bookings.sqlite") if keeps_bookings else None
        store = FileBookings(kept) if database is None else PostgresBookings(database)
        self._bookings = DemoBookings(store, self._inventory, clock=clock, today=today, pace=pace)
        self._fares = DemoFareCalendar(self._inventory, bookings=self._bookings, today=today, clock=clock)
        self._goal_fares = DemoGoalFares(self._inventory, today=today)
        self._flight_sources = tuple(
            flight_source(
                self._inventory, market, bookings=self._bookings, today=today, clock=clock, pace=pace
            )
            for market in _FLIGHT_BATCHES
        )
        self._hotel_sources = tuple(
            hotel_source(self._inventory, market, bookings=self._bookings, today=today, pace=pace)
            for market in _HOTEL_BATCHES
        )
        self._car_sources = tuple(
            car_source(market, bookings=self._bookings, today=today, seed=seed, pace=pace)
            for market in _CAR_BATCHES
        )

    @property
    def name(self) -> str:
        """`demo`."""
        return PROVIDER_NAME

    @property
    def tour_program(self) -> TourProgram:
        """The program that plans tours over this inventory."""
        return self._tour_program

    @property
    def flight_sources(self) -> Sequence["DemoSource[FlightQuery, FlightOffer]"]:
        """Network carriers, low-cost carriers, connections."""
        return self._flight_sources

    @property
    def hotel_sources(self) -> Sequence["DemoSource[HotelQuery, HotelOffer]"]:
        """Hotel chains, independent hotels."""
        return self._hotel_sources

    @property
    def car_sources(self) -> Sequence["DemoSource[CarQuery, CarOffer]"]:
        """Rental chains, local rentals."""
        return self._car_sources

    @property
    def bookings(self) -> DemoBookings:
        """Where what is found is booked."""
        return self._bookings

    @property
    def fares(self) -> DemoFareCalendar:
        """What flights cost by day."""
        return self._fares

    @property
    def goal_fares(self) -> DemoGoalFares:
        """What flights to many places cost."""
        return self._goal_fares

    async def close(self) -> None:
        """Close both files, or the connection. What goes on afterwards fails, so end it first."""
        await self._bookings.close()
        self._inventory.close()


class DemoSource(Generic[QueryT, OfferT]):
    """One of the seven sources: what it sells, how it searches, and in how many batches it answers.

    A search that finds `most` offers was cut short: there may be more.
    """

    def __init__(
        self,
        name: str,
        find: Callable[[QueryT], Awaitable[Sequence[OfferT]]],
        *,
        most: int,
        batches: int,
        bookings: DemoBookings,
        pace: float,
    ) -> None:
        self._name = name
        self._find = find
        self._most = most
        self._batches = batches
        self._bookings = bookings
        self._pace = pace

    @property
    def name(self) -> str:
        """What the source sells, for people."""
        return self._name

    async def search(self, query: QueryT) -> AsyncGenerator[Sequence[OfferT], None]:
        """Yield batches of offers for which there is room, best first; nothing at all where nothing fits.

        Raises `NotOnSale`, before the first batch, for what is not sold at all (`sales_rules`). On
        cancellation or `aclose` it ends at once and leaves nothing behind.
        """
        found = await self._find(query)
        offers = await self._bookings.with_room(found)
        released = batches(offers, count=self._batches, pace=self._pace, key=(self._name, query))
        for delay, batch in released:
            await asyncio.sleep(delay)
            if batch:
                yield batch
        if len(found) >= self._most:
            yield CutShort()


def flight_source(
    inventory: Inventory,
    market: FlightMarket,
    *,
    bookings: DemoBookings,
    today: Callable[[], date],
    pace: float,
    clock: Clock | None = None,
) -> DemoSource[FlightQuery, FlightOffer]:
    """Return one of the three flight sources, which by the `clock` offers nothing that has left."""

    async def find(query: FlightQuery) -> Sequence[FlightOffer]:
        return await find_flights(
            inventory, query, market=market, today=today(), now=clock() if clock else None
        )

    most, count = MOST_FLIGHTS[market], _FLIGHT_BATCHES[market]
    return DemoSource(market, find, most=most, batches=count, bookings=bookings, pace=pace)


def hotel_source(
    inventory: Inventory,
    market: HotelMarket,
    *,
    bookings: DemoBookings,
    today: Callable[[], date],
    pace: float,
) -> DemoSource[HotelQuery, HotelOffer]:
    """Return one of the two hotel sources."""

    async def find(query: HotelQuery) -> Sequence[HotelOffer]:
        return find_hotels(inventory, query, market=market, today=today())

    count = _HOTEL_BATCHES[market]
    return DemoSource(market, find, most=MOST_HOTELS, batches=count, bookings=bookings, pace=pace)


def car_source(
    market: CarMarket, *, bookings: DemoBookings, today: Callable[[], date], seed: int, pace: float
) -> DemoSource[CarQuery, CarOffer]:
    """Return one of the two sources of rental cars."""

    async def find(query: CarQuery) -> Sequence[CarOffer]:
        return find_cars(query, market=market, today=today(), seed=seed)

    count = _CAR_BATCHES[market]
    return DemoSource(market, find, most=MOST_CARS, batches=count, bookings=bookings, pace=pace)
