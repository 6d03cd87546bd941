"""What narrows the offers found, and which searches find all that another asks for."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import time
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.domain.tool_call import call_key
from backend.travel.tools.search import FLIGHT_SEARCH
from backend.travel.understanding.queries import (
    covers,
    filters,
    fits,
    flight_query,
    hotel_query,
    query_covers,
)
from backend.travel.understanding.result import Agent, Understanding
from backend.travel.understanding.slot_table import ROWS
from backend.travel.values.travel import Money
from tests.understanding.conversation import told

FLIGHT = "flights from Berlin to Rome on 3 May"
STAY = "hotels in Rome from 3 May"
FLIGHTS, STAYS = told(FLIGHT), told(STAY)

moneys = st.builds(
    Money,
    amount=st.integers(1, 9).map(Decimal),
    currency=st.sampled_from(["EUR", "EUR", "USD"]),
)
times = st.builds(time, st.integers(0, 23), st.sampled_from([0, 30]))
LIMITS: Mapping[str, st.SearchStrategy[Any]] = {
    "flight.max_stops": st.integers(0, 3),
    "flight.max_price": moneys,
    "flight.departs_after": times,
    "flight.departs_before": times,
    "hotel.district": st.sampled_from(["Trastevere", "Centro Storico", "Nowhere"]),
    "hotel.stars": st.integers(0, 5),
    "hotel.max_price": moneys,
    "hotel.min_score": st.sampled_from([7.0, 8.0, 8.5]),
}


def limited(agent: Agent, base: Understanding) -> st.SearchStrategy[Understanding]:
    """The request with any limits, each said or not."""
    limits = {
        ROWS[name].field: st.none() | values for name, values in LIMITS.items() if ROWS[name].agent == agent
    }

    def with_limits(values: dict[str, Any]) -> Understanding:
        changed: dict[str, Any] = {agent: replace(base.of(agent), **values)}
        return replace(base, **changed)

    return st.fixed_dictionaries(limits).map(with_limits)


def written(money: Money) -> dict[str, str]:
    return {"amount": str(money.amount), "currency": money.currency}


flight_offers = st.builds(
    lambda stops, price, leaves: {
        "slices": [{"segments": [{"departs_at": f"2027-05-03T{leaves:%H:%M}:00+02:00"}] * (stops + 1)}],
        "price_per_person": written(price),
    },
    st.integers(0, 4),
    moneys,
    times,
)
hotel_offers = st.builds(
    lambda stars, score, price, district: {
        "stars": stars,
        "score": score,
        "price_per_night": written(price),
        "district": district,
    },
    st.integers(0, 5),
    st.floats(5, 10),
    moneys,
    st.sampled_from(["Trastevere", "trastevere", "Centro Storico", "Prati"]),
)


def test_every_slot_that_narrows_is_tried() -> None:
    assert LIMITS.keys() == {name for name, slot in ROWS.items() if slot.filter is not None}


@given(limited("flight", FLIGHTS), limited("flight", FLIGHTS), flight_offers)
@settings(max_examples=500, deadline=None)
def test_a_flight_that_fits_what_is_wanted_fits_a_search_that_covers_it(
    found_for: Understanding, wanted: Understanding, offer: dict[str, Any]
) -> None:
    if covers(found_for, wanted, "flight") and fits("flight", wanted.flight, offer):
        assert fits("flight", found_for.flight, offer)


@given(limited("hotel", STAYS), limited("hotel", STAYS), hotel_offers)
@settings(max_examples=500, deadline=None)
def test_a_hotel_that_fits_what_is_wanted_fits_a_search_that_covers_it(
    found_for: Understanding, wanted: Understanding, offer: dict[str, Any]
) -> None:
    if covers(found_for, wanted, "hotel") and fits("hotel", wanted.hotel, offer):
        assert fits("hotel", found_for.hotel, offer)


@given(limited("flight", FLIGHTS), limited("hotel", STAYS))
@settings(max_examples=100, deadline=None)
def test_a_search_covers_itself_and_one_without_limits_covers_all_in_its_currency(
    flight: Understanding, stay: Understanding
) -> None:
    assert covers(flight, flight, "flight")
    assert covers(stay, stay, "hotel")
    prices = [flight.flight.max_price, stay.hotel.max_price]
    is_home = [price is None or price.currency == "EUR" for price in prices]
    assert [covers(FLIGHTS, flight, "flight"), covers(STAYS, stay, "hotel")] == is_home


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
def test_a_change_is_covered_where_it_only_narrows(
    before: str, change: str, agent: Agent, is_covered: bool
) -> None:
    assert covers(told(before), told(before, change), agent) is is_covered


def test_queries_cover_each_other_by_what_sources_are_asked_by() -> None:
    wide, narrow = (flight_query(told(each)) for each in (FLIGHT, f"{FLIGHT}, nonstop under 300 EUR"))
    assert wide is not None
    assert narrow is not None
    assert query_covers("flight", wide, narrow)
    assert query_covers("flight", narrow, narrow)
    assert not query_covers("flight", narrow, wide)
    assert not query_covers("flight", wide, replace(narrow, passengers=2))


def test_the_limits_of_a_request_are_those_that_were_said_and_are_searched_by() -> None:
    stay = told("hotels in Rome from 3 May, 4 stars, rated 8 or better, 2 rooms, with a pool")
    assert [(slot.name, value) for slot, value in filters("hotel", stay.hotel)] == [
        ("hotel.stars", 4),
        ("hotel.min_score", 8.0),
    ]
    assert filters("flight", FLIGHTS.flight) == ()


def test_limits_that_no_source_is_asked_by_leave_the_query_and_its_key_as_they_are() -> None:
    plain, limited = (
        told(f"{FLIGHT}, nonstop under 300 EUR"),
        told(f"{FLIGHT}, nonstop under 300 EUR, in the morning"),
    )
    assert flight_query(limited) == flight_query(plain)
    assert call_key(FLIGHT_SEARCH, flight_query(limited)) == "search_flights:c913859ca059702ce9347ebf"
    assert hotel_query(told(f"{STAY} rated 8 or better")) == hotel_query(STAYS)


@pytest.mark.parametrize(
    ("leaves", "is_fitting"), [("08:59", False), ("09:00", True), ("12:00", True), ("12:01", False)]
)
def test_a_flight_fits_by_the_clock_of_the_airport_it_leaves(leaves: str, is_fitting: bool) -> None:
    slots = replace(FLIGHTS.flight, departs_after=time(9), departs_before=time(12))
    segments = [{"departs_at": f"2027-05-03T{leaves}:00+09:00"}, {"departs_at": "2027-05-03T20:00:00+02:00"}]
    assert fits("flight", slots, {"slices": [{"segments": segments}]}) is is_fitting


def test_the_direction_with_most_stops_counts() -> None:
    slots = told(f"{FLIGHT}, nonstop").flight
    one, two = {"segments": [{}]}, {"segments": [{}, {}]}
    assert fits("flight", slots, {"slices": [one, one]})
    assert not fits("flight", slots, {"slices": [one, two]})
