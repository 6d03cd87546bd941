"""What narrows the offers found, and which searches find all that another asks for."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import time
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings

from backend.domain.tool_call import call_key
from backend.travel.tools.search import FLIGHT_SEARCH, HOTEL_SEARCH
from backend.travel.understanding.queries import (
    QUERIES,
    covers,
    filters,
    fits,
    flight_query,
    hotel_query,
)
from backend.travel.understanding.result import Agent, Understanding
from backend.travel.understanding.slot_table import ROWS, rows_of
from backend.travel.values.offers import FLIGHT_LIMITS, HOTEL_LIMITS
from backend.travel.values.travel import Money
from tests.understanding.conversation import told
from tests.understanding.limited_offers import (
    LIMITS,
    car_offers,
    flight_offers,
    hotel_offers,
    limited,
    named_place,
)

FLIGHT = "flights from Berlin to Rome on 3 May"
STAY = "hotels in Rome from 3 May"
RENTAL = "a rental car in Rome from 3 May"
FLIGHTS, STAYS, RENTALS = told(FLIGHT), told(STAY), told(RENTAL)


def is_covered_by(found_for: Understanding, wanted: Understanding, agent: Agent) -> bool:
    """Whether the search of one request finds all that another asks for."""
    made, now = (QUERIES[agent](each) for each in (found_for, wanted))
    return made is not None and now is not None and covers(agent, made, now)


def fits_search(request: Understanding, offer: dict[str, Any], agent: Agent) -> bool:
    """Whether an offer is within the limits that the sources of a request's search are asked by."""
    of_ours = {slot.field: slot.empty for slot in rows_of(agent) if slot.filter and not slot.is_for_sources}
    return fits(agent, replace(request.of(agent), **of_ours), offer)


def test_every_slot_that_narrows_is_tried() -> None:
    assert LIMITS.keys() == {name for name, slot in ROWS.items() if slot.filter is not None}


@given(limited("flight", FLIGHTS), limited("flight", FLIGHTS), flight_offers)
@settings(max_examples=500, deadline=None)
def test_flight_that_fits_what_is_wanted_fits_a_search_that_covers_it(
    found_for: Understanding, wanted: Understanding, offer: dict[str, Any]
) -> None:
    if is_covered_by(found_for, wanted, "flight") and fits("flight", wanted.flight, offer):
        assert fits_search(found_for, offer, "flight")


@given(limited("hotel", STAYS), limited("hotel", STAYS), hotel_offers)
@settings(max_examples=500, deadline=None)
def test_hotel_that_fits_what_is_wanted_fits_a_search_that_covers_it(
    found_for: Understanding, wanted: Understanding, offer: dict[str, Any]
) -> None:
    if is_covered_by(found_for, wanted, "hotel") and fits("hotel", wanted.hotel, offer):
        assert fits_search(found_for, offer, "hotel")


@given(limited("car", RENTALS), limited("car", RENTALS), car_offers)
@settings(max_examples=200, deadline=None)
def test_car_that_fits_what_is_wanted_fits_a_search_that_covers_it(
    found_for: Understanding, wanted: Understanding, offer: dict[str, Any]
) -> None:
    if is_covered_by(found_for, wanted, "car") and fits("car", wanted.car, offer):
        assert fits_search(found_for, offer, "car")


@given(limited("flight", FLIGHTS), limited("hotel", STAYS))
@settings(max_examples=100, deadline=None)
def test_search_covers_itself_and_one_without_limits_covers_all_in_its_currency(
    flight: Understanding, stay: Understanding
) -> None:
    assert is_covered_by(flight, flight, "flight")
    assert is_covered_by(stay, stay, "hotel")
    prices = [
        [flight.flight.max_price, flight.flight.max_total],
        [stay.hotel.max_price, stay.hotel.max_total],
    ]
    is_home = [all(price is None or price.currency == "EUR" for price in each) for each in prices]
    assert [is_covered_by(FLIGHTS, flight, "flight"), is_covered_by(STAYS, stay, "hotel")] == is_home


@pytest.mark.parametrize(
    ("before", "change", "agent", "is_covered"),
    [
        (FLIGHT, "nonstop please", "flight", True),
        (FLIGHT, "under 300 EUR please", "flight", True),
        (FLIGHT, "under 300 USD please", "flight", False),
        (FLIGHT, "flights in the evening", "flight", True),
        (FLIGHT, "on 4 May instead", "flight", False),
        (FLIGHT, "in business class", "flight", False),
        (f"{FLIGHT} for 2", "for 3 people", "flight", False),
        (f"{FLIGHT}, nonstop", "flights with at most 1 stop", "flight", False),
        (f"{FLIGHT}, nonstop", "under 300 EUR please", "flight", True),
        (f"{FLIGHT} under 300 EUR", "flights under 200 EUR", "flight", True),
        (f"{FLIGHT} under 300 EUR", "flights under 400 EUR", "flight", False),
        (f"{FLIGHT} under 300 EUR", "forget the price limit", "flight", False),
        (FLIGHT, "thanks", "flight", True),
        (STAY, "hotels with 4 stars", "hotel", True),
        (STAY, "a hotel in the Trastevere area", "hotel", True),
        (STAY, "rated 8 or better", "hotel", True),
        (f"{STAY} rated 8 or better", "rated 7 or better", "hotel", False),
        (STAY, "2 rooms", "hotel", False),
        (STAY, "2 nights", "hotel", False),
        (STAY, "thanks", "flight", False),
    ],
)
def test_change_is_covered_where_it_only_narrows(
    before: str, change: str, agent: Agent, is_covered: bool
) -> None:
    assert is_covered_by(told(before), told(before, change), agent) is is_covered


def test_queries_cover_each_other_by_what_sources_are_asked_by() -> None:
    wide, narrow = (flight_query(told(each)) for each in (FLIGHT, f"{FLIGHT}, nonstop under 300 EUR"))
    assert wide is not None
    assert narrow is not None
    assert covers("flight", wide, narrow)
    assert covers("flight", narrow, narrow)
    assert not covers("flight", narrow, wide)
    assert not covers("flight", wide, replace(narrow, passengers=2))


def test_limits_of_a_request_are_those_that_were_said_and_are_searched_by() -> None:
    stay = told("hotels in Rome from 3 May, 4 stars, rated 8 or better, 2 rooms, with a pool")
    assert [(slot.name, value) for slot, value in filters("hotel", stay.hotel)] == [
        ("hotel.stars", 4),
        ("hotel.min_score", 8.0),
        ("hotel.amenities", ("pool",)),
    ]
    assert filters("flight", FLIGHTS.flight) == ()


def test_hotel_has_one_of_those_that_are_left_to_choose() -> None:
    stay = told(f"{STAY} with a pool or a gym, and wifi").hotel
    houses = (["pool", "wifi"], ["gym", "wifi"], ["wifi"], ["pool", "gym"])
    assert [fits("hotel", stay, {"amenities": one}) for one in houses] == [True, True, False, False]


def test_search_without_further_limits_has_the_key_that_it_had_before_there_were_any() -> None:
    query = flight_query(told(f"{FLIGHT}, nonstop under 300 EUR"))
    assert call_key(FLIGHT_SEARCH, query) == "search_flights:c913859ca059702ce9347ebf"
    assert repr(query).endswith("max_price=Money(amount=Decimal('300'), currency='EUR'))")
    morning = flight_query(told(f"{FLIGHT}, nonstop under 300 EUR, in the morning"))
    assert call_key(FLIGHT_SEARCH, morning) != call_key(FLIGHT_SEARCH, query)
    assert (
        call_key(HOTEL_SEARCH, hotel_query(told(f"{STAY}, 4 stars")))
        == "search_hotels:19eed0fb838379377d974e3a"
    )


def test_order_in_which_values_are_told_makes_no_other_search() -> None:
    one, other = (
        flight_query(told(f"{FLIGHT} with {names}"))
        for names in ("Linden Demo or Pogo Demo only", "Pogo Demo or Linden Demo only")
    )
    assert one is not None
    assert one.airlines == ("Linden Demo", "Pogo Demo")
    assert one == other


def test_sources_are_asked_by_each_limit_with_the_filter_of_its_slot() -> None:
    asked = {"flight": FLIGHT_LIMITS, "hotel": HOTEL_LIMITS}
    for agent, limits in asked.items():
        rows = {slot.field: slot.filter for slot in ROWS.values() if slot.agent == agent and slot.filter}
        assert limits == rows


@pytest.mark.parametrize(
    ("leaves", "is_fitting"), [("08:59", False), ("09:00", True), ("12:00", True), ("12:01", False)]
)
def test_flight_fits_by_the_clock_of_the_airport_it_leaves(leaves: str, is_fitting: bool) -> None:
    slots = replace(FLIGHTS.flight, departs_after=time(9), departs_before=time(12))
    segments = [{"departs_at": f"2027-05-03T{leaves}:00+09:00"}, {"departs_at": "2027-05-03T20:00:00+02:00"}]
    assert fits("flight", slots, {"slices": [{"segments": segments}]}) is is_fitting


def test_direction_with_most_stops_counts() -> None:
    slots = told(f"{FLIGHT}, nonstop").flight
    one, two = {"segments": [{}]}, {"segments": [{}, {}]}
    assert fits("flight", slots, {"slices": [one, one]})
    assert not fits("flight", slots, {"slices": [one, two]})


def a_way_there(*flights: tuple[str, str]) -> dict[str, Any]:
    """An offer one way: when each flight leaves and arrives, "10T09:05+01" in December."""
    full = [[f"2026-12-{each[:8]}:00{each[8:]}:00" for each in flight] for flight in flights]
    segments = [{"departs_at": departs, "arrives_at": arrives} for departs, arrives in full]
    return {"slices": [{"segments": segments}]}


@pytest.mark.parametrize(
    ("flights", "is_fitting"),
    [
        ([("10T06:30+01", "10T08:40+01")], True),  # Berlin to Rome
        ([("10T06:30+01", "10T10:00+01")], True),
        ([("10T09:30+01", "10T11:40+01")], False),
        ([("10T22:50+01", "11T01:00+01")], False),
        ([("10T17:00+01", "10T18:20+01"), ("11T07:00+01", "11T08:30+01")], False),  # a night in between
        ([("10T18:30+01", "11T15:30+09")], False),
        ([("10T11:00+01", "11T08:00+09")], True),  # Berlin to Tokyo
        ([("10T11:00+01", "11T16:00+09"), ("12T07:00+09", "12T08:30+09")], False),
        ([("10T19:00-05", "11T07:00+00")], True),  # New York to London overnight
        ([("10T08:00-05", "10T20:00+00")], False),
        ([("10T17:00+00", "10T20:00-05")], False),
        ([("10T09:00+00", "10T09:30-05")], True),
    ],
)
def test_hour_of_arrival_is_one_of_the_day_on_which_one_arrives_without_a_night_on_the_way(
    flights: list[tuple[str, str]], is_fitting: bool
) -> None:
    slots = replace(FLIGHTS.flight, arrives_before=time(10))
    assert fits("flight", slots, a_way_there(*flights)) is is_fitting


BARE: Mapping[str, list[dict[str, Any]]] = {
    "flight": [
        {},
        {"slices": []},
        {"slices": None},
        {"slices": [{}]},
        {"slices": [{"segments": []}]},
        {"slices": [{"segments": [{}]}, {"segments": [{}]}]},
        {"slices": [{"segments": [{"departs_at": "soon", "arrives_at": None}]}]},
        {"slices": 2, "price_total": "300 EUR", "price_per_person": {}, "checked_bags": None},
        {"price_total": {"amount": "cheap", "currency": "EUR"}, "price_per_person": None},
    ],
    "hotel": [
        {},
        {
            "name": None,
            "stars": None,
            "score": None,
            "amenities": None,
            "district": None,
            "distance_km": None,
        },
        {"price_total": {}, "price_per_night": {"amount": "cheap", "currency": "EUR"}, "amenities": 3},
    ],
    "car": [{}, {"station": None, "car_class": 3, "transmission": None, "price_per_day": None}],
}
"""Offers that lack facts: those of an earlier version, or of somebody else's provider."""

EXAMPLES: Mapping[str, Any] = {
    "flight.max_stops": 0,
    "flight.max_price": Money(amount=Decimal(300)),
    "flight.max_total": Money(amount=Decimal(300)),
    "flight.max_minutes": 120,
    "flight.max_layover": 120,
    "flight.via": (named_place("CDG"),),
    "flight.avoided": (named_place("CDG"),),
    "flight.bags": 1,
    "flight.refundable": True,
    "flight.changeable": True,
    "flight.airlines": ("Swiss",),
    "flight.not_airlines": ("Swiss",),
    "hotel.district": "Trastevere",
    "hotel.stars": 4,
    "hotel.max_price": Money(amount=Decimal(300)),
    "hotel.max_total": Money(amount=Decimal(300)),
    "hotel.min_score": 8.0,
    "hotel.name": "Heron",
    "hotel.not_names": ("Heron",),
    "hotel.amenities": ("pool",),
    "hotel.not_districts": ("Trastevere",),
    "hotel.max_km": 2.0,
    "hotel.free_cancellation": True,
    "car.station": "airport",
    "car.car_class": "suv",
    "car.transmission": "manual",
    "car.seats": 5,
    "car.max_price": Money(amount=Decimal(300)),
    "car.free_cancellation": True,
}
_THERE_AND_BACK, _THERE = BARE["flight"][5:7]
KNOWN: Mapping[str, list[dict[str, Any]]] = {
    # One flight each way is nonstop, whatever else is not told of it.
    "flight.max_stops": [_THERE_AND_BACK, _THERE],
    "flight.max_layover": [_THERE_AND_BACK, _THERE],
    # What has no way back is within any hour of it.
    "flight.returns_after": [_THERE],
    "flight.returns_before": [_THERE],
}
"""Which of them fit, since they tell enough."""


@pytest.mark.parametrize("name", [name for name, slot in ROWS.items() if slot.filter is not None])
def test_offer_that_lacks_the_fact_does_not_fit_and_nothing_fails(name: str) -> None:
    slot, wanted = ROWS[name], EXAMPLES.get(name, time(10))
    assert slot.filter is not None
    fitting = [offer for offer in BARE[slot.agent] if slot.filter.fits(offer, wanted)]
    assert fitting == KNOWN.get(name, [])
