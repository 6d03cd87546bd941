"""The limits of a search: the demo's sources honour them before they cut their answers to the best."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, time
from decimal import Decimal
from typing import Any

import pytest
from pydantic import TypeAdapter

from backend.travel.providers.demo.flights import MOST_FLIGHTS
from backend.travel.providers.demo.hotels import MOST_HOTELS, HotelMarket, find_hotels
from backend.travel.providers.demo.inventory import Inventory
from backend.travel.providers.demo.world import limits_of
from backend.travel.values.offers import FLIGHT_LIMITS, HOTEL_LIMITS
from backend.travel.values.travel import Airports, FlightOffer, FlightQuery, HotelOffer, HotelQuery, Money
from tests.providers.conftest import flights
from tests.providers.markets import FLIGHT_MARKETS, HOTEL_MARKETS, TODAY
from tests.providers.test_demo_flights import query_between

FLIGHTS, HOTELS = TypeAdapter(FlightOffer), TypeAdapter(HotelOffer)
DAY = date(2026, 12, 10)
TRIPS = [
    query_between("London, GB", "New York, New York, US", return_date=date(2026, 12, 11)),
    query_between("Berlin, DE", "Tokyo, JP", return_date=date(2026, 12, 20)),
    query_between("Berlin, DE", "Rome, IT", passengers=2),
]
ROME = HotelQuery(city="Rome", country="IT", check_in=DAY, check_out=date(2026, 12, 12))

FLIGHT_WISHES: dict[str, Sequence[Any]] = {
    "max_total": [Money(amount=Decimal(400))],
    "airlines": [("Amberwing Demo", "Pogo Demo")],
    "not_airlines": [("Amberwing Demo",)],
    "departs_after": [time(18)],
    "departs_before": [time(8)],
    "arrives_after": [time(20)],
    "arrives_before": [time(10)],
    "returns_after": [time(18)],
    "returns_before": [time(8)],
    "max_minutes": [500],
    "max_layover": [90],
    "via": [(Airports(airports=("IST",)), Airports(airports=("DXB",)))],
    "avoided": [(Airports(airports=("CDG", "ORY")),)],
    "bags": [1],
    "refundable": [True],
    "changeable": [True],
}
HOTEL_WISHES: dict[str, Sequence[Any]] = {
    "max_total": [Money(amount=Decimal(150))],
    "name": ["Heron"],
    "not_names": [("Quillon", "Wayfold")],
    "min_score": [8.5],
    "amenities": [("pool", "pets")],
    "not_districts": [("Trastevere",)],
    "max_km": [0.5],
    "free_cancellation": [True],
}


def of_market(inventory: Inventory, query: HotelQuery, market: HotelMarket) -> list[HotelOffer]:
    return find_hotels(query, market=market, today=TODAY, seed=inventory.seed)


def is_flight_within(query: FlightQuery, offer: FlightOffer) -> bool:
    form = FLIGHTS.dump_python(offer, mode="json")
    return all(
        FLIGHT_LIMITS[name].fits(form, value) for name, value in limits_of(query, FLIGHT_LIMITS).items()
    )


def is_hotel_within(query: HotelQuery, offer: HotelOffer) -> bool:
    form = HOTELS.dump_python(offer, mode="json")
    return all(HOTEL_LIMITS[name].fits(form, value) for name, value in limits_of(query, HOTEL_LIMITS).items())


def test_limits_are_all_tried() -> None:
    assert FLIGHT_LIMITS.keys() - FLIGHT_WISHES.keys() == {"max_stops", "max_price"}
    assert HOTEL_LIMITS.keys() - HOTEL_WISHES.keys() == {"district", "stars", "max_price"}


@pytest.mark.parametrize("market", FLIGHT_MARKETS)
@pytest.mark.parametrize("field", FLIGHT_WISHES)
def test_limit_finds_all_flights_within_it(inventory: Inventory, field: str, market: Any) -> None:
    for trip in TRIPS:
        wide = flights(inventory, trip, market=market)
        for wish in FLIGHT_WISHES[field]:
            query = replace(trip, **{field: wish})
            found = flights(inventory, query, market=market)
            assert all(is_flight_within(query, offer) for offer in found)
            known = {offer.offer_id: offer for offer in found}
            if len(found) < MOST_FLIGHTS[market]:
                wanted = {offer.offer_id: offer for offer in wide if is_flight_within(query, offer)}
                assert wanted.items() <= known.items()


@pytest.mark.parametrize("market", HOTEL_MARKETS)
@pytest.mark.parametrize("field", HOTEL_WISHES)
def test_limit_finds_all_hotels_within_it(
    inventory: Inventory, monkeypatch: pytest.MonkeyPatch, field: str, market: Any
) -> None:
    for wish in HOTEL_WISHES[field]:
        query = replace(ROME, **{field: wish})
        found = of_market(inventory, query, market)
        monkeypatch.setattr("backend.travel.providers.demo.hotels.MOST_HOTELS", 10_000)
        every = [offer for offer in of_market(inventory, ROME, market) if is_hotel_within(query, offer)]
        monkeypatch.undo()
        assert found == every[:MOST_HOTELS]


def test_place_to_change_planes_is_looked_for_beyond_the_shortest_ways(inventory: Inventory) -> None:
    trip = query_between("Berlin, DE", "Tokyo, JP", return_date=date(2026, 12, 20))
    far = Airports(airports=("DOH", "DXB"))
    wide = flights(inventory, trip, market="connections")
    via = replace(trip, via=(far,))
    assert not any(is_flight_within(via, offer) for offer in wide)
    assert flights(inventory, via, market="connections")
