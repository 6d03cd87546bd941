"""An understanding survives being stored."""

import json
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from backend.travel.understanding.codec import from_json, to_json
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
from backend.travel.values.cities import CITIES
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
flights = st.builds(
    FlightSlots,
    origin=places,
    destination=places,
    departure_date=days,
    return_date=days,
    passengers=counts,
    cabin_class=cabins,
    airline=st.none() | words,
    max_stops=st.none() | st.integers(0, 3),
    max_price=moneys,
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
    stars=counts,
    max_price=moneys,
    name=st.none() | words,
    amenities=st.lists(words, max_size=3).map(tuple),
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
def test_what_was_written_is_read_back_exactly(understanding: Understanding) -> None:
    stored = json.loads(json.dumps(to_json(understanding)))
    assert from_json(stored) == understanding


def test_a_request_stored_before_there_were_bookings_and_tours_has_neither() -> None:
    stored = to_json(Understanding(relation="new"))
    del stored["booking"], stored["tour"]
    assert from_json(stored) == Understanding(relation="new")


def test_slots_that_are_not_filled_are_not_written() -> None:
    written = to_json(Understanding(relation="new", flight=FlightSlots(max_stops=0)))
    assert written["flight"] == {"max_stops": 0}
    assert written["hotel"] == {}


def test_money_is_written_as_the_contract_writes_it() -> None:
    priced = Understanding(relation="new", hotel=HotelSlots(max_price=Money(amount=Decimal("612.40"))))
    assert to_json(priced)["hotel"]["max_price"] == {"amount": "612.40", "currency": "EUR"}
