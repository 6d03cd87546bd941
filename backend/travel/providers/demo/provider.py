"""The demo provider: five sources over one invented inventory.

Everything it offers is invented and says so (`live=False`, `provider="demo"`). It needs no network and no
key, and gives the same answer for the same query, `today` and seed.

A search is computed on the event loop, in parts of a few milliseconds, and released in batches with a
simulated supplier delay. No asyncio task is started: closing a source's generator, or cancelling whoever
iterates it, ends the search where it stands.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from datetime import date
from pathlib import Path

from ....domain.clock import Clock
from ...values.travel import FlightOffer, FlightQuery, HotelOffer, HotelQuery
from ..base import CutShort, TourProgram
from .bookings import DemoBookings
from .fare_calendar import DemoFareCalendar
from .flight_offers import PROVIDER_NAME
from .flight_search import MOST_FLIGHTS, FlightMarket, find_flights
from .hotel_search import MOST_HOTELS, HotelMarket, find_hotels
from .pace import batches
from .store import Inventory, open_inventory
from .tour_program import demo_tour_program

_FLIGHT_BATCHES: dict[FlightMarket, int] = {"network carriers": 5, "low-cost carriers": 4, "connections": 6}
_HOTEL_BATCHES: dict[HotelMarket, int] = {"hotel chains": 4, "independent hotels": 5}


class DemoProvider:
    """Implements `backend.travel.providers.base.Provider` over the file at `path`.

    The file is built first if it is not there or is another one: under a second, blocking, so construct the
    provider before serving. The file of bookings is beside it, or there is none where they are not
    kept: then they are gone with the process. `today` is asked once per search. `pace` is the seconds between
    batches; with 0 a source yields to the event loop once between batches and does not wait. Use from one
    thread.
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
    ) -> None:
        self._inventory = open_inventory(path, seed=seed)
        self._tour_program = demo_tour_program(path, today=today, seed=seed, pace=pace)
        kept = path.with_name("bookings.sqlite") if keeps_bookings else None
        self._bookings = DemoBookings(kept, self._inventory, clock=clock, today=today, pace=pace)
        self._fares = DemoFareCalendar(self._inventory, bookings=self._bookings, today=today)
        self._flight_sources = tuple(
            DemoFlightSource(self._inventory, market, bookings=self._bookings, today=today, pace=pace)
            for market in _FLIGHT_BATCHES
        )
        self._hotel_sources = tuple(
            DemoHotelSource(self._inventory, market, bookings=self._bookings, today=today, pace=pace)
            for market in _HOTEL_BATCHES
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
    def flight_sources(self) -> Sequence["DemoFlightSource"]:
        """Network carriers, low-cost carriers, connections."""
        return self._flight_sources

    @property
    def hotel_sources(self) -> Sequence["DemoHotelSource"]:
        """Hotel chains, independent hotels."""
        return self._hotel_sources

    @property
    def bookings(self) -> DemoBookings:
        """Where what is found is booked."""
        return self._bookings

    @property
    def fares(self) -> DemoFareCalendar:
        """What flights cost by day."""
        return self._fares

    def close(self) -> None:
        """Close both files. What goes on afterwards fails, so end it first."""
        self._bookings.close()
        self._inventory.close()


class DemoFlightSource:
    """One of the three flight sources."""

    def __init__(
        self,
        inventory: Inventory,
        market: FlightMarket,
        *,
        bookings: DemoBookings,
        today: Callable[[], date],
        pace: float,
    ) -> None:
        self._inventory = inventory
        self._bookings = bookings
        self._market: FlightMarket = market
        self._today = today
        self._pace = pace

    @property
    def name(self) -> str:
        """What the source sells, for people."""
        return self._market

    async def search(self, query: FlightQuery) -> AsyncGenerator[Sequence[FlightOffer], None]:
        """Yield batches of offers for which there are seats, best first; nothing at all where nothing flies.

        Raises `NotOnSale`, before the first batch, for what is not sold at all (`sales_rules`). On
        cancellation or `aclose` it ends at once and leaves nothing behind.
        """
        found = await find_flights(self._inventory, query, market=self._market, today=self._today())
        offers = self._bookings.with_room(found)
        count = _FLIGHT_BATCHES[self._market]
        for delay, batch in batches(offers, count=count, pace=self._pace, key=(self._market, query)):
            await asyncio.sleep(delay)
            if batch:
                yield batch
        if len(found) >= MOST_FLIGHTS[self._market]:
            yield CutShort()


class DemoHotelSource:
    """One of the two hotel sources."""

    def __init__(
        self,
        inventory: Inventory,
        market: HotelMarket,
        *,
        bookings: DemoBookings,
        today: Callable[[], date],
        pace: float,
    ) -> None:
        self._inventory = inventory
        self._bookings = bookings
        self._market: HotelMarket = market
        self._today = today
        self._pace = pace

    @property
    def name(self) -> str:
        """What the source sells, for people."""
        return self._market

    async def search(self, query: HotelQuery) -> AsyncGenerator[Sequence[HotelOffer], None]:
        """Yield batches of offers for which there are rooms, best first; nothing at all where nothing fits.

        Raises `NotOnSale`, before the first batch, for what is not sold at all (`sales_rules`). On
        cancellation or `aclose` it ends at once and leaves nothing behind.
        """
        found = find_hotels(self._inventory, query, market=self._market, today=self._today())
        offers = self._bookings.with_room(found)
        count = _HOTEL_BATCHES[self._market]
        for delay, batch in batches(offers, count=count, pace=self._pace, key=(self._market, query)):
            await asyncio.sleep(delay)
            if batch:
                yield batch
        if len(found) >= MOST_HOTELS:
            yield CutShort()
