"""An understanding survives being stored."""

import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.travel.understanding.codec import Unreadable, from_json, to_json
from backend.travel.understanding.result import (
    Alternative,
    BookingWish,
    FlightSlots,
    HotelSlots,
    Period,
    Place,
    Refused,
    ShownDirection,
    ShownStay,
    TourWish,
    Understanding,
)
from backend.travel.values.places import CITIES
from backend.travel.values.travel import City, Money

words = st.text(min_size=1, max_size=12)
counts = st.none() | st.integers(1, 99)
days = st.none() | st.dates()
moneys = st.none() | st.builds(
    Money, amount=st.decimals(0, 10**6, places=2), currency=st.sampled_from(["EUR", "USD", "JPY"])
)
unknown_cities = st.builds(
    City,
    name=words,
    country=st.sampled_from(["DE", "US"]),
    airports=st.lists(st.sampled_from(["BER", "JFK"])).map(tuple),
    tier=st.integers(1, 3),
    subdivision=st.just("") | words,
    metro=st.just("") | words,
    aliases=st.lists(words, max_size=3).map(tuple),
    centre=st.none() | st.tuples(st.floats(-90, 90), st.floats(-180, 180)),
)
places = st.none() | st.builds(
    Place, city=st.sampled_from(CITIES) | unknown_cities, airport=st.sampled_from(["", "BER", "HND"])
)
cabins = st.none() | st.sampled_from(["economy", "premium_economy", "business", "first"])
names = st.lists(st.sampled_from(["flight.origin", "hotel.city"]), max_size=2).map(tuple)
ages = st.lists(st.integers(-1, 17), max_size=3).map(tuple)
several = st.lists(words, max_size=3).map(tuple)
times = st.none() | st.times().map(lambda time: time.replace(microsecond=0))
flights = st.builds(
    FlightSlots,
    origin=places,
    destination=places,
    departure_date=days,
    return_date=days,
    passengers=counts,
    children=ages,
    cabin_class=cabins,
    airline=st.none() | words,
    airlines=several,
    not_airlines=several,
    max_stops=st.none() | st.integers(0, 3),
    max_price=moneys,
    max_total=moneys,
    departs_after=times,
    departs_before=times,
    arrives_after=times,
    arrives_before=times,
    returns_after=times,
    returns_before=times,
    max_minutes=counts,
    max_layover=counts,
    via=st.lists(places.filter(bool), max_size=2).map(tuple),
    avoided=st.lists(places.filter(bool), max_size=2).map(tuple),
    bags=counts,
    refundable=st.none() | st.booleans(),
    changeable=st.none() | st.booleans(),
    seats=several,
)
stays = st.builds(
    HotelSlots,
    city=places,
    district=st.none() | words,
    check_in=days,
    check_out=days,
    nights=counts,
    rooms=counts,
    guests=counts,
    children=ages,
    stars=counts,
    max_price=moneys,
    name=st.none() | words,
    min_score=st.none() | st.floats(1, 10),
    max_total=moneys,
    not_names=several,
    amenities=several,
    not_districts=several,
    max_km=st.none() | st.floats(0, 100),
    free_cancellation=st.none() | st.booleans(),
)
ways = st.builds(ShownDirection, flights=st.lists(words).map(tuple), leaves=words)
shown = (
    st.none()
    | st.lists(ways).map(tuple)
    | st.builds(ShownStay, hotel=words, district=st.just("") | words, check_in=days, check_out=days)
)
bookings = st.builds(
    BookingWish,
    action=st.sampled_from(["hold", "book", "cancel", "list"]),
    kind=st.sampled_from([None, "flight", "hotel"]),
    pick=st.sampled_from([None, "cheapest", "fastest", "best"]),
    number=st.none() | st.integers(-1, 40),
    name=st.none() | words,
    shown=shown,
    reference=st.none() | words,
)
tours = st.builds(
    TourWish,
    start=places,
    cities=st.lists(places.filter(bool), max_size=8).map(tuple),
    nights=counts,
    earliest=days,
    latest=days,
    returns=st.booleans(),
    passengers=counts,
)
understandings = st.builds(
    Understanding,
    relation=st.sampled_from(["new", "refine", "add", "answer", "stop", "other"]),
    agents=st.sampled_from([(), ("flight",), ("hotel",), ("flight", "hotel"), ("planner",)]),
    flight=flights,
    hotel=stays,
    whole_flight=flights,
    whole_hotel=stays,
    carried=names,
    dropped=names,
    alternatives=st.lists(
        st.builds(
            Alternative,
            slot=words,
            taken=st.text(max_size=9),
            others=st.lists(words).map(tuple),
            said=st.text(max_size=9),
        ),
        max_size=2,
    ).map(tuple),
    wanted=st.sampled_from([(), ("flight",), ("hotel",), ("flight", "hotel")]),
    period=st.none() | st.builds(Period, said=words, start=st.dates(), end=st.dates()),
    refused=st.lists(
        st.builds(Refused, said=words, reason=st.sampled_from(["unknown_place", "no_such_day"])), max_size=2
    ).map(tuple),
    resumes=st.none() | st.integers(0, 4),
    booking=st.none() | bookings,
    tour=st.none() | tours,
)


@given(understandings)
@settings(max_examples=200, deadline=None)
def test_stored_understanding_is_read_back_exactly(understanding: Understanding) -> None:
    stored = json.loads(json.dumps(to_json(understanding)))
    assert from_json(stored) == understanding


# Written by the codec of version 0.1, which wrote None as null; `said` are the messages that led to it.
RECORDED = [
    json.loads(line)
    for line in Path(__file__).with_name("stored_requests.jsonl").read_text("utf-8").splitlines()
]
THE_WISHES, THE_AIRPORT, THE_STAY, THE_PERIOD, _, THE_WAIVED, THE_TOUR, _, THE_FLIGHTS, THE_HOTEL, *_ = (
    each["stored"] for each in RECORDED
)


@pytest.mark.parametrize("stored", [each["stored"] for each in RECORDED], ids=lambda each: each["relation"])
def test_stored_form_of_an_earlier_version_is_read_whole(stored: dict[str, Any]) -> None:
    assert to_json(from_json(stored)) == {name: held for name, held in stored.items() if held is not None}


def test_stored_form_of_an_earlier_version_is_read_as_it_was() -> None:
    flight, hotel = from_json(THE_WISHES).flight, from_json(THE_STAY).hotel
    assert (flight.departure_date, flight.return_date) == (date(2026, 12, 10), date(2026, 12, 20))
    assert flight.max_price == Money(amount=Decimal("900.50"))
    assert (flight.passengers, flight.cabin_class, flight.max_stops) == (2, "business", 0)
    assert hotel.max_price == Money(amount=Decimal(120), currency="USD")
    assert (hotel.stars, hotel.rooms, hotel.amenities) == (4, 1, ("breakfast",))
    goal = from_json(THE_AIRPORT).flight.destination
    assert goal is not None
    assert (goal.city.name, goal.city.centre, goal.airports) == ("Tokyo", (35.68, 139.76), ("HND",))
    assert from_json(THE_PERIOD).period == Period(
        said="early June", start=date(2027, 6, 1), end=date(2027, 6, 10)
    )
    assert from_json(THE_WAIVED).whole_hotel.nights == 2


def test_bookings_and_tours_stored_by_an_earlier_version_are_read_as_they_were() -> None:
    flights, stay, tour = (from_json(each) for each in (THE_FLIGHTS, THE_HOTEL, THE_TOUR))
    assert flights.booking is not None
    assert flights.booking.shown == (
        ShownDirection(flights=("Amberwing Demo 253", "Amberwing Demo 1908"), leaves="2026-12-10T09:05"),
        ShownDirection(flights=("Linden Demo 12", "Larch Demo 1767"), leaves="2026-12-20T11:05"),
    )
    assert stay.booking is not None
    assert stay.booking.shown == ShownStay(
        hotel="Quillon Demo Kyoto",
        district="Alfama",
        check_in=date(2027, 1, 12),
        check_out=date(2027, 1, 15),
    )
    assert tour.tour is not None
    assert [place.city.name for place in tour.tour.cities] == ["Rome", "Paris", "Madrid"]
    assert (tour.tour.nights, tour.tour.earliest, tour.tour.returns) == (3, date(2027, 3, 1), True)


def test_request_stored_before_there_were_bookings_and_tours_has_neither() -> None:
    later = ("whole_flight", "whole_hotel", "booking", "tour")
    stored = {name: held for name, held in THE_AIRPORT.items() if name not in later}
    assert from_json(stored) == from_json(THE_AIRPORT)


def test_fields_of_a_later_version_are_ignored() -> None:
    stored = {**THE_AIRPORT, "mood": "good", "flight": {**THE_AIRPORT["flight"], "seat": "aisle"}}
    assert from_json(stored) == from_json(THE_AIRPORT)


@pytest.mark.parametrize(
    ("damage", "where"),
    [
        ({"flight": {"passengers": "two"}}, "flight.passengers"),
        ({"flight": {"passengers": "2"}}, "flight.passengers"),
        ({"flight": {"passengers": True}}, "flight.passengers"),
        ({"flight": {"departure_date": 20261210}}, "flight.departure_date"),
        ({"flight": {"departure_date": "10 December"}}, "flight.departure_date"),
        ({"flight": {"origin": "Berlin"}}, "flight.origin"),
        ({"flight": None}, "flight"),
        ({"hotel": {"max_price": {"amount": "many", "currency": "EUR"}}}, "hotel.max_price.amount"),
        ({"hotel": {"amenities": "breakfast"}}, "hotel.amenities"),
        ({"relation": "guess"}, "relation"),
        ({"is_elsewhere": 1}, "is_elsewhere"),
        ({"agents": ["train"]}, "agents.0"),
        ({"booking": {"number": 1}}, "booking.action"),
        ({"mentioned": 1 + 2j}, "request"),
    ],
    ids=str,
)
def test_request_of_wrong_types_is_unreadable_and_told_without_its_words(
    damage: dict[str, Any], where: str
) -> None:
    with pytest.raises(Unreadable, match=rf"^{where}: ") as refused:
        from_json({**THE_AIRPORT, **damage})
    assert not any(word in str(refused.value) for word in ("two", "December", "Berlin", "many", "guess"))


@pytest.mark.parametrize("field", ["wanted", "relation", "carried", "searched", "hotel"])
def test_request_of_a_version_that_did_not_know_a_field_is_unreadable(field: str) -> None:
    with pytest.raises(Unreadable, match=f"^{field}: "):
        from_json({name: held for name, held in THE_AIRPORT.items() if name != field})


@pytest.mark.parametrize("stored", [None, [], "new", {}, 7], ids=str)
def test_stored_form_of_no_request_is_unreadable(stored: Any) -> None:
    with pytest.raises(Unreadable):
        from_json(stored)


def test_slots_that_are_not_filled_are_not_written() -> None:
    written = to_json(Understanding(relation="new", flight=FlightSlots(max_stops=0)))
    assert written["flight"] == {"max_stops": 0}
    assert written["hotel"] == {}


def test_money_is_written_as_the_contract_writes_it() -> None:
    priced = Understanding(relation="new", hotel=HotelSlots(max_price=Money(amount=Decimal("612.40"))))
    assert to_json(priced)["hotel"]["max_price"] == {"amount": "612.40", "currency": "EUR"}
