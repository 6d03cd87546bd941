"""The limits of a search: the demo's sources honour them before they cut their answers to the best."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, time
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from backend.travel.providers.demo.flight_search import MOST_FLIGHTS
from backend.travel.providers.demo.hotel_search import MOST_HOTELS, HotelMarket, find_hotels
from backend.travel.providers.demo.limits import limits_of
from backend.travel.providers.demo.store import Inventory
from backend.travel.values.flight_filters import FLIGHT_LIMITS
from backend.travel.values.hotel_filters import HOTEL_LIMITS
from backend.travel.values.travel import Airports, FlightOffer, FlightQuery, HotelOffer, HotelQuery, Money
from tests.providers.conftest import flights
from tests.providers.markets import FLIGHT_MARKETS, HOTEL_MARKETS, TODAY
from tests.providers.test_demo_flights import query_between

FLIGHTS, HOTELS = TypeAdapter(FlightOffer), TypeAdapter(HotelOffer)
DAY = date(2026, 12, 10)
TRIPS = [
    query_between("London, GB", "New York, New York, US"),
    query_between("London, GB", "New York, New York, US", return_date=date(2026, 12, 11)),
    query_between("Berlin, DE", "Tokyo, JP", return_date=date(2026, 12, 20)),
    query_between("Berlin, DE", "Rome, IT", passengers=2),
]
ROME = HotelQuery(city="Rome", country="IT", check_in=DAY, check_out=date(2026, 12, 12))

FLIGHT_WISHES: dict[str, Sequence[Any]] = {
    "max_total": [Money(amount=Decimal(400))],
    "airlines": [("Linden Demo",), ("Amberwing Demo", "Pogo Demo")],
    "not_airlines": [("Amberwing Demo",)],
    "departs_after": [time(18)],
    "departs_before": [time(8)],
    "arrives_after": [time(20)],
    "arrives_before": [time(10)],
    "returns_after": [time(18)],
    "returns_before": [time(8)],
    "max_minutes": [150, 500, 900],
    "max_layover": [60, 90],
    "via": [(Airports(airports=("FRA",)),), (Airports(airports=("IST",)), Airports(airports=("DXB",)))],
    "avoided": [(Airports(airports=("CDG", "ORY")),)],
    "bags": [1, 2],
    "refundable": [True],
    "changeable": [True],
}
HOTEL_WISHES: dict[str, Sequence[Any]] = {
    "max_total": [Money(amount=Decimal(150))],
    "name": ["Heron", "Quillon"],
    "not_names": [("Heron",), ("Quillon", "Wayfold")],
    "min_score": [8.5, 9.0],
    "amenities": [("pool",), ("pool", "pets", "kitchen")],
    "not_districts": [("Trastevere",)],
    "max_km": [0.5, 2.0],
    "free_cancellation": [True],
}


def of_market(inventory: Inventory, query: HotelQuery, market: HotelMarket) -> list[HotelOffer]:
    return find_hotels(inventory, query, market=market, today=TODAY)


def is_flight_within(query: FlightQuery, offer: FlightOffer) -> bool:
    form = FLIGHTS.dump_python(offer, mode="json")
    return all(FLIGHT_LIMITS[name].fits(form, value) for name, value in limits_of(query).items())


def is_hotel_within(query: HotelQuery, offer: HotelOffer) -> bool:
    form = HOTELS.dump_python(offer, mode="json")
    return all(HOTEL_LIMITS[name].fits(form, value) for name, value in limits_of(query).items())


def test_every_limit_is_tried() -> None:
    assert FLIGHT_LIMITS.keys() - FLIGHT_WISHES.keys() == {"max_stops", "max_price"}
    assert HOTEL_LIMITS.keys() - HOTEL_WISHES.keys() == {"district", "stars", "max_price"}


@pytest.mark.parametrize("market", FLIGHT_MARKETS)
@pytest.mark.parametrize("field", FLIGHT_WISHES)
def test_a_source_finds_all_that_it_sold_without_the_limit_and_that_is_within_it(
    inventory: Inventory, field: str, market: Any
) -> None:
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


@given(st.data())
@settings(max_examples=40)
def test_several_limits_hold_at_once(inventory: Inventory, data: st.DataObject) -> None:
    wishes = {name: st.none() | st.sampled_from(values) for name, values in FLIGHT_WISHES.items()}
    query = replace(data.draw(st.sampled_from(TRIPS)), **data.draw(st.fixed_dictionaries(wishes)))
    for market in FLIGHT_MARKETS:
        assert all(is_flight_within(query, offer) for offer in flights(inventory, query, market=market))


@pytest.mark.parametrize("market", HOTEL_MARKETS)
@pytest.mark.parametrize("field", HOTEL_WISHES)
def test_hotels_within_a_limit_are_those_of_all_that_there_are(
    inventory: Inventory, monkeypatch: pytest.MonkeyPatch, field: str, market: Any
) -> None:
    for wish in HOTEL_WISHES[field]:
        query = replace(ROME, **{field: wish})
        found = of_market(inventory, query, market)
        monkeypatch.setattr("backend.travel.providers.demo.hotel_search.MOST_HOTELS", 10_000)
        every = [offer for offer in of_market(inventory, ROME, market) if is_hotel_within(query, offer)]
        monkeypatch.undo()
        assert found == every[:MOST_HOTELS]


def test_flights_that_leave_too_early_to_be_among_the_best_are_found_when_they_are_asked_for(
    inventory: Inventory,
) -> None:
    trip = query_between("London, GB", "New York, New York, US", return_date=date(2026, 12, 11))
    early = replace(trip, departs_before=time(8))
    best, asked = (
        [offer for market in FLIGHT_MARKETS for offer in flights(inventory, query, market=market)]
        for query in (trip, early)
    )
    assert len(asked) > 2 * sum(is_flight_within(early, offer) for offer in best)


def test_a_place_to_change_planes_is_looked_for_beyond_the_shortest_ways(inventory: Inventory) -> None:
    trip = query_between("Berlin, DE", "Tokyo, JP", return_date=date(2026, 12, 20))
    far = Airports(airports=("DOH", "DXB"))
    wide = flights(inventory, trip, market="connections")
    via = replace(trip, via=(far,))
    assert not any(is_flight_within(via, offer) for offer in wide)
    assert flights(inventory, via, market="connections")


def test_prices_and_ids_are_those_of_a_search_without_limits(inventory: Inventory) -> None:
    trip = query_between("Berlin, DE", "Rome, IT")
    wide = {offer.offer_id: offer for offer in flights(inventory, trip, market="network carriers")}
    late = replace(trip, departs_after=time(12))
    found = {offer.offer_id: offer for offer in flights(inventory, late, market="network carriers")}
    both = wide.keys() & found.keys()
    assert both
    assert all(wide[offer_id] == found[offer_id] for offer_id in both)
