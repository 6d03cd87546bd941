"""The demo provider: seven sources over one invented inventory, and what flights cost by day and by goal.

Everything it offers is invented and says so (`live=False`, `provider="demo"`). It needs no network and no
key, and gives the same answer for the same query, `today` and seed.

A search is computed on the event loop, in parts of a few milliseconds, and released in batches with a
simulated supplier delay. No asyncio task is started: closing a source's generator, or cancelling whoever
iterates it, ends the search where it stands.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import partial
from itertools import product
from pathlib import Path
from typing import Generic, TypeVar, get_args

from ....domain.encoding import Clock
from ...values.travel import (
    HOME_CURRENCY,
    SALES_DAYS,
    CarOffer,
    CarQuery,
    City,
    DayFare,
    FlightOffer,
    FlightQuery,
    GoalFare,
    HotelOffer,
    HotelQuery,
)
from ..base import CutShort, TourProgram
from ..booking_database import BookingDatabase, SqliteBookings
from .bookings import DemoBookings
from .cars import MOST_CARS, CarMarket, find_cars
from .flights import MOST_FLIGHTS, FlightMarket, find_flights, journeys_one_way
from .hotels import MOST_HOTELS, HotelMarket, find_hotels
from .inventory import open_inventory
from .journeys import TicketCounter
from .tours import demo_tour_program
from .world import PROVIDER_NAME, in_currency, unit

QueryT = TypeVar("QueryT")
OfferT = TypeVar("OfferT", FlightOffer, HotelOffer, CarOffer)

_FLIGHT_BATCHES: dict[FlightMarket, int] = {"network carriers": 5, "low-cost carriers": 4, "connections": 6}
_HOTEL_BATCHES: dict[HotelMarket, int] = {"hotel chains": 4, "independent hotels": 5}
_CAR_BATCHES: dict[CarMarket, int] = {"rental chains": 3, "local rentals": 2}


class DemoProvider:
    """Implements `Provider`, `FareCalendar` and `GoalFares` of `providers.base` over the file at `path`.

    The file is built first if it is not there or is another one: under a second, blocking, so construct the
    provider before serving. Bookings are kept in the `database`, without one in memory. `today` is asked once
    per search. `pace` is the seconds between batches; with 0 a source yields to the event loop once between
    batches and does not wait. Use from one thread.
    """

    name = PROVIDER_NAME

    def __init__(
        self,
        path: Path,
        *,
        clock: Clock,
        today: Callable[[], date],
        seed: int,
        pace: float,
        database: BookingDatabase | None = None,
    ) -> None:
        self._inventory = inventory = open_inventory(path, seed=seed)
        self._clock = clock
        self._today = today
        self.bookings = DemoBookings(
            database=database or SqliteBookings(None),
            inventory=inventory,
            clock=clock,
            today=today,
            pace=pace,
        )
        self.tour_program: TourProgram = demo_tour_program(path, today=today, seed=seed, pace=pace)

        async def flights(market: FlightMarket, query: FlightQuery) -> Sequence[FlightOffer]:
            return await find_flights(inventory, query, market=market, today=today(), now=clock())

        async def hotels(market: HotelMarket, query: HotelQuery) -> Sequence[HotelOffer]:
            return find_hotels(query, market=market, today=today(), seed=seed)

        async def cars(market: CarMarket, query: CarQuery) -> Sequence[CarOffer]:
            return find_cars(query, market=market, today=today(), seed=seed)

        self.flight_sources = [
            DemoSource(market, partial(flights, market), MOST_FLIGHTS[market], count, self.bookings, pace)
            for market, count in _FLIGHT_BATCHES.items()
        ]
        self.hotel_sources = [
            DemoSource(market, partial(hotels, market), MOST_HOTELS, count, self.bookings, pace)
            for market, count in _HOTEL_BATCHES.items()
        ]
        self.car_sources = [
            DemoSource(market, partial(cars, market), MOST_CARS, count, self.bookings, pace)
            for market, count in _CAR_BATCHES.items()
        ]

    async def cheapest_by_day(self, query: FlightQuery, *, days: int) -> AsyncGenerator[DayFare, None]:
        """Yield the fares of the days around that of the query, each found without the delay of a search.

        A week for two cities with several airports takes some 40 ms of computing, in parts of a few
        milliseconds. On cancellation or `aclose` it ends at once. Raises `NotOnSale`, before the first day,
        for what is sold on no day at all.
        """
        today, now = self._today(), self._clock()
        latest = min(filter(None, (today + timedelta(days=SALES_DAYS), query.return_date)))
        middle = query.departure_date.toordinal()  # ordinals, since a date may be the calendar's last
        for day in range(max(today.toordinal(), middle - days), min(latest.toordinal(), middle + days) + 1):
            that_day = replace(query, departure_date=date.fromordinal(day))
            prices = [
                offer.price_total
                for market in get_args(FlightMarket)
                for offer in await self.bookings.with_room(
                    await find_flights(self._inventory, that_day, market=market, today=today, now=now)
                )
            ]
            cheapest = min(prices, key=lambda price: price.amount, default=None)
            yield DayFare(date=that_day.departure_date, price_total=cheapest)
            await asyncio.sleep(0)

    async def cheapest_by_goal(
        self, origins: Sequence[str], goals: Sequence[City], days: Sequence[date], *, passengers: int
    ) -> Sequence[GoalFare]:
        """Return the cheapest way to each goal on each day, cheapest first. May be cancelled.

        About a millisecond for each pair of airports and day, in parts between which others have their turn.
        """
        today = self._today()
        counter = TicketCounter(inventory=self._inventory, today=today, passengers=passengers)
        on_sale = [day for day in days if today <= day <= today + timedelta(days=SALES_DAYS)]
        found: list[GoalFare] = []
        for goal, day in product(goals, on_sale):
            journeys = journeys_one_way(counter, origins, goal.airports, day=day.toordinal())
            if journeys:
                fare = min(journey.fare for journey in journeys)
                found.append(GoalFare(city=goal, date=day, price=in_currency(fare, HOME_CURRENCY)))
            await asyncio.sleep(0)
        return sorted(found, key=lambda one: one.price.amount)

    async def close(self) -> None:
        """Close both files, or the connection. What goes on afterwards fails, so end it first."""
        await self.bookings.close()
        self._inventory.close()


@dataclass(frozen=True, slots=True)
class DemoSource(Generic[QueryT, OfferT]):
    """One of the seven sources: what it sells, how it searches, and in how many batches it answers.

    A search that finds `most` offers was cut short: there may be more. It sells to heads, whatever their age.
    """

    prices_by_age = False

    name: str
    find: Callable[[QueryT], Awaitable[Sequence[OfferT]]]
    most: int
    batches: int
    bookings: DemoBookings
    pace: float

    async def search(self, query: QueryT, user_id: str) -> AsyncGenerator[Sequence[OfferT], None]:
        """Yield batches of offers for which there is room, best first; nothing at all where nothing fits.

        Raises `NotOnSale`, before the first batch, for what is not sold at all. On
        cancellation or `aclose` it ends at once and leaves nothing behind.
        """
        found = await self.find(query)
        offers = await self.bookings.with_room(found)
        for delay, batch in batches(offers, count=self.batches, pace=self.pace, key=(self.name, query)):
            await asyncio.sleep(delay)
            if batch:
                yield batch
        if len(found) >= self.most:
            yield CutShort()


def batches(
    offers: Sequence[OfferT], *, count: int, pace: float, key: tuple[object, ...]
) -> Iterator[tuple[float, Sequence[OfferT]]]:
    """Yield `count` pairs, or fewer, of a delay in seconds and the offers to release after it.

    The first delay is 0.3 to 0.8 of `pace`, the later ones 0.7 to 1.3, by a hash of source and query, so that
    the sources interleave, and the same search looks the same again. Without offers there is one delay and an
    empty batch: a supplier takes its time to find nothing, too.
    """
    count = max(1, min(count, len(offers)))
    for position in range(count):
        luck = unit("pace", *key, position)
        delay = pace * (0.7 + 0.6 * luck if position else 0.3 + 0.5 * luck)
        yield delay, offers[position * len(offers) // count : (position + 1) * len(offers) // count]
