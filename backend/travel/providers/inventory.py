"""What a server sells: the demo inventory, and instead of its flights or hotels those of a real seller.

Cars and tours are the demo's in any case. Fares by day and by place are too, so where flights are real there
are none: an invented price beside a real one would be taken for real.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ...domain.encoding import Clock
from ...http.outgoing import check_outgoing
from ...http.settings import TravelSettings, is_test
from ..values.travel import CarOffer, CarQuery, FlightOffer, FlightQuery, HotelOffer, HotelQuery
from .base import BookingProvider, Source
from .begun_searches import BegunSearches
from .booking_database import BookingDatabase
from .demo.provider import DemoProvider
from .duffel import search as duffel
from .duffel.orders import DuffelOrders
from .liteapi import search as liteapi
from .liteapi.bookings import LiteapiBookings
from .seller_bookings import Desk
from .service import Service

_DUFFEL_HEADERS = {"Duffel-Version": "v2", "Accept": "application/json", "Content-Type": "application/json"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sellers:
    """The real sellers that the settings have keys for."""

    flights: Source[FlightQuery, FlightOffer] | None = None
    hotels: Source[HotelQuery, HotelOffer] | None = None
    desks: Sequence[Desk] = ()
    services: Sequence[Service] = ()


def sellers(settings: TravelSettings, database: BookingDatabase, *, clock: Clock) -> Sellers:
    """Return the sellers of a server. Raises `PlainAddressError` where a key could be read on its way."""
    flights, hotels, desks, services = None, None, list[Desk](), list[Service]()
    if token := settings.duffel_token:
        check_outgoing("DETOUR_DUFFEL_URL", settings.duffel_url, settings.plain_hosts)
        headers = {**_DUFFEL_HEADERS, "Authorization": f"Bearer {token.get_secret_value()}"}
        service = Service("Duffel", settings.duffel_url, headers, fault_of=duffel.fault_of)
        flights = duffel.DuffelFlights(service, BegunSearches(database, clock))
        desks.append(DuffelOrders(service, live=not is_test("duffel_token", token)))
        services.append(service)
    if key := settings.liteapi_key:
        check_outgoing("DETOUR_LITEAPI_URL", settings.liteapi_url, settings.plain_hosts)
        headers = {"X-API-Key": key.get_secret_value(), "Accept": "application/json, text/event-stream"}
        service = Service("LiteAPI", settings.liteapi_url, headers, fault_of=liteapi.fault_of)
        is_live = not is_test("liteapi_key", key)
        hotels = liteapi.LiteapiHotels(service, nationality=settings.nationality, live=is_live)
        check_outgoing("DETOUR_LITEAPI_BOOK_URL", settings.liteapi_book_url, settings.plain_hosts)
        booking = Service("LiteAPI", settings.liteapi_book_url, headers, fault_of=liteapi.fault_of)
        desks.append(LiteapiBookings(booking, live=is_live, clock=clock))
        services += [service, booking]
    return Sellers(flights=flights, hotels=hotels, desks=desks, services=services)


class Inventory:
    """Implements `Provider`; `fares` are those by day and by place, None where flights are real."""

    def __init__(self, demo: DemoProvider, of: Sellers, bookings: BookingProvider) -> None:
        self._demo = demo
        self._sellers = of
        self.name = demo.name
        self.flight_sources: Sequence[Source[FlightQuery, FlightOffer]] = (
            [of.flights] if of.flights else demo.flight_sources
        )
        self.hotel_sources: Sequence[Source[HotelQuery, HotelOffer]] = (
            [of.hotels] if of.hotels else demo.hotel_sources
        )
        self.car_sources: Sequence[Source[CarQuery, CarOffer]] = demo.car_sources
        self.bookings = bookings
        self.fares = None if of.flights else demo

    async def close(self) -> None:
        """Close all connections and files. What goes on afterwards fails, so end it first."""
        for service in self._sellers.services:
            await service.close()
        await self._demo.close()
