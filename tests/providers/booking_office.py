"""A booking office on the session's inventory with a clock that a test moves, and things to book there."""

from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta

from backend.domain.errors import BookingRefused
from backend.travel.providers.booking_database import SqliteBookings
from backend.travel.providers.demo.bookings import DemoBookings
from backend.travel.providers.demo.flights import find_flights
from backend.travel.providers.demo.hotels import find_hotels
from backend.travel.values.booking import Order
from backend.travel.values.travel import FlightQuery, HotelQuery
from tests.providers.markets import FLIGHT_MARKETS, HOTEL_MARKETS, TODAY

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)

THERE = FlightQuery(origins=("LHR",), destinations=("JFK",), departure_date=date(2026, 12, 4))
THERE_AND_BACK = FlightQuery(
    origins=("LHR",), destinations=("JFK",), departure_date=date(2026, 12, 4), return_date=date(2026, 12, 11)
)
STAY = HotelQuery(city="Tokyo", country="JP", check_in=date(2026, 12, 4), check_out=date(2026, 12, 9))


class Office:
    """Bookings over an inventory; `now` and `today` are what its clock says."""

    def __init__(self, database, inventory, **options):
        self.now = NOW
        self.today = TODAY
        self.inventory = inventory
        settings = {"clock": lambda: self.now, "today": lambda: self.today, "pace": 0, **options}
        self.bookings = DemoBookings(database=database, inventory=inventory, **settings)

    def later(self, **duration):
        self.now += timedelta(**duration)

    async def flights(self, query=THERE):
        return [
            offer
            for market in FLIGHT_MARKETS
            for offer in await find_flights(self.inventory, query, market=market, today=self.today)
        ]

    def hotels(self, query=STAY):
        return [
            offer
            for market in HOTEL_MARKETS
            for offer in find_hotels(query, market=market, today=self.today, seed=self.inventory.seed)
        ]

    async def flight(self, query=THERE, **asked):
        """The first order of a flight of which all that is asked is true: `refundable=True`."""
        return first(await self.flights(query), asked)

    def stay(self, query=STAY, **asked):
        """The same of a stay."""
        return first(self.hotels(query), asked)

    async def sell_out(self, order, *, calls="abcdefghijklmnop"):
        """Book until no more is sold; how often that went well."""
        for count, call in enumerate(calls):
            try:
                await self.bookings.book("crowd", call, order)
            except BookingRefused:
                return count
        raise AssertionError("it never sells out")


def first(offers, asked):
    offer = next(each for each in offers if all(getattr(each, name) == asked[name] for name in asked))
    return Order(offer=offer)


@contextmanager
def an_office(path, inventory, **options):
    """An office whose bookings are in a file."""
    store = SqliteBookings(path)
    try:
        yield Office(store, inventory, **options)
    finally:
        store.close_now()
