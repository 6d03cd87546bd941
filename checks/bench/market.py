"""A made-up market of flights and rooms whose sources answer at a set pace, and a meter of what they do.

What a search finds is a plain function of its query: every offer states all that it was searched for, and two
queries that differ in anything find different offers. So whether an answer belongs to a request can be read
off the offers alone.
"""

import asyncio
import itertools
import zlib
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Generic, TypeVar

from backend.travel.values.travel import (
    CarQuery,
    FlightOffer,
    FlightQuery,
    FlightSegment,
    FlightSlice,
    HotelOffer,
    HotelQuery,
    Money,
)

Q = TypeVar("Q", FlightQuery, HotelQuery, CarQuery)

BATCHES = 4
FLIGHT_PAUSES_S = {"network carriers": 1.0, "low-cost carriers": 1.5, "agencies": 2.0}
"""Seconds before each batch, by source: a flight search takes 8 s, the first offers come after 1 s."""
HOTEL_PAUSES_S = {"hotel chains": 0.7, "independent hotels": 1.2}
"""The same of hotels: 4.8 s."""
FLIGHTS_A_SOURCE = 8
HOTELS_A_SOURCE = 10
CABINS = {"economy": 1, "premium_economy": 2, "business": 4, "first": 7}


@dataclass(slots=True)
class Meter:
    """What was asked of all sources: how often, and for how many seconds they worked."""

    calls: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class PacedSource(Generic[Q]):
    """A source that yields what it offers for a query in batches, each after a pause."""

    prices_by_age = False

    name: str
    offers: Callable[[Q, str], Sequence[object]]
    pause_s: float
    meter: Meter

    async def search(self, query: Q, user_id: str) -> AsyncGenerator[Sequence[object], None]:
        """Yield batches; the time until it is closed counts, whoever closes it."""
        loop = asyncio.get_running_loop()
        self.meter.calls += 1
        began = loop.time()
        offers = self.offers(query, self.name)
        size = -(-len(offers) // BATCHES) or 1
        try:
            for number in range(BATCHES):
                await asyncio.sleep(self.pause_s)
                if batch := offers[number * size : (number + 1) * size]:
                    yield batch
        finally:
            self.meter.seconds += loop.time() - began


class ClosedOffice:
    """Where nothing can be booked."""

    name = "market"
    live = False
    hold_minutes = 20


@dataclass(frozen=True, slots=True)
class Market:
    """All sources, and their meter; a `pace` of 0 answers at once."""

    pace: float = 1.0
    meter: Meter = field(default_factory=Meter)
    name: str = "market"
    bookings: ClosedOffice = field(default_factory=ClosedOffice)

    @property
    def flight_sources(self) -> Sequence[PacedSource[FlightQuery]]:
        return [
            PacedSource(name, flights, pause * self.pace, self.meter)
            for name, pause in FLIGHT_PAUSES_S.items()
        ]

    @property
    def hotel_sources(self) -> Sequence[PacedSource[HotelQuery]]:
        return [
            PacedSource(name, hotels, pause * self.pace, self.meter) for name, pause in HOTEL_PAUSES_S.items()
        ]

    @property
    def car_sources(self) -> Sequence[PacedSource[CarQuery]]:
        """None: it lets no cars."""
        return []


def flights(query: FlightQuery, source: str) -> list[FlightOffer]:
    """What a source offers for a query."""
    offers = [
        _flight(query, source, origin, destination, number)
        for origin in query.origins
        for destination in query.destinations
        for number in range(FLIGHTS_A_SOURCE)
    ]
    return [
        each
        for each in offers
        if (query.max_stops is None or max(one.stops for one in each.slices) <= query.max_stops)
        and (query.max_price is None or each.price_per_person.amount <= query.max_price.amount)
    ]


def hotels(query: HotelQuery, source: str) -> list[HotelOffer]:
    """What a source offers for a query."""
    offers = [_hotel(query, source, number) for number in range(HOTELS_A_SOURCE)]
    return [
        each
        for each in offers
        if each.stars >= (query.stars or 0)
        and (query.max_price is None or each.price_per_night.amount <= query.max_price.amount)
    ]


def _drawn(*what: object, below: int) -> int:
    """A number that looks random and is always the same for the same."""
    return zlib.crc32(repr(what).encode()) % below


def _flight(query: FlightQuery, source: str, origin: str, destination: str, number: int) -> FlightOffer:
    days = [day for day in (query.departure_date, query.return_date) if day is not None]
    ways = [(origin, destination), (destination, origin)]
    slices = tuple(
        _slice(*way, day=day, number=number, source=source) for way, day in zip(ways, days, strict=False)
    )
    each = (60 + _drawn(source, ways, days, number, below=500)) * CABINS[query.cabin_class]
    said = (origin, destination, *days, query.cabin_class, f"{query.passengers} people", source, number)
    return FlightOffer(
        offer_id=" ".join(map(str, said)),
        provider="market",
        source=source,
        live=False,
        slices=slices,
        passengers=query.passengers,
        cabin_class=query.cabin_class,
        price_total=Money(amount=Decimal(each * query.passengers)),
        price_per_person=Money(amount=Decimal(each)),
        checked_bags=1,
        refundable=False,
        changeable=False,
    )


def _slice(origin: str, destination: str, *, day: date, number: int, source: str) -> FlightSlice:
    stops = _drawn(origin, destination, day, number, source, below=3)
    places = [origin, *("QQX", "QQY")[:stops], destination]
    leaves = datetime.combine(day, time(6 + number), UTC)
    segments = tuple(
        FlightSegment(
            carrier="market-air",
            carrier_name="Market Air",
            number=str(100 + number),
            origin=start,
            destination=end,
            departs_at=leaves + timedelta(hours=2 * nth),
            arrives_at=leaves + timedelta(hours=2 * nth + 1),
            duration_minutes=60,
            aircraft="narrow-body jet",
        )
        for nth, (start, end) in enumerate(itertools.pairwise(places))
    )
    return FlightSlice(segments=segments, duration_minutes=120 * stops + 60)


def _hotel(query: HotelQuery, source: str, number: int) -> HotelOffer:
    stars = 1 + _drawn(query.city, source, number, below=5)
    night = 30 * stars + _drawn(query.city, query.check_in, source, number, below=90)
    stay = (query.check_in, query.check_out)
    said = (query.city, *stay, f"{query.guests} guests", f"{query.rooms} rooms", source, number)
    return HotelOffer(
        offer_id=" ".join(map(str, said)),
        provider="market",
        source=source,
        live=False,
        name=f"House {number} of {source}",
        city=query.city,
        country=query.country,
        district=query.district,
        latitude=0.0,
        longitude=0.0,
        distance_km=1.0,
        stars=stars,
        score=8.0,
        amenities=(),
        check_in=query.check_in,
        check_out=query.check_out,
        rooms=query.rooms,
        guests=query.guests,
        price_total=Money(amount=Decimal(night * query.rooms * query.nights)),
        price_per_night=Money(amount=Decimal(night)),
        free_cancellation_until=None,
    )
