"""Messages of people who type little: airport codes in small letters, "3n 2p", a bare "hotel"."""

from datetime import date
from functools import partial

import pytest

from tests.understanding.conversation import told

in_turn = partial(told, today=date(2026, 11, 22))


@pytest.mark.parametrize(
    ("message", "origin", "goal", "start"),
    [
        ("ber lis 12/12 - 15/12 2 ppl", "Berlin", "Lisbon", date(2026, 12, 12)),
        ("bcn-rom fri", "Barcelona", "Rome", date(2026, 11, 27)),
        ("LON>NYC 5 jan 1 way", "London", "New York", date(2027, 1, 5)),
        ("lon > nyc 5 jan", "London", "New York", date(2027, 1, 5)),
        ("lon->nyc 5 jan", "London", "New York", date(2027, 1, 5)),
        ("mad bcn tomorrow one way", "Madrid", "Barcelona", date(2026, 11, 23)),
        ("fly lhr to jfk 3 jan", "London", "New York", date(2027, 1, 3)),
        ("from ber to lis next fri", "Berlin", "Lisbon", date(2026, 11, 27)),
        ("muc/lis 5 jan", "Munich", "Lisbon", date(2027, 1, 5)),
        ("ber → lis 12.12. 2 adults", "Berlin", "Lisbon", date(2026, 12, 12)),
        ("flights ham vie 20 jan", None, None, date(2027, 1, 20)),
        ("vie ath 20 jan", "Vienna", "Athens", date(2027, 1, 20)),
    ],
)
def test_pair_of_codes_in_small_letters_is_a_route(
    message: str, origin: str | None, goal: str | None, start: date
) -> None:
    flight = in_turn(message).flight
    assert (flight.origin.city.name if flight.origin else None) == origin
    assert (flight.destination.city.name if flight.destination else None) == goal
    assert flight.departure_date == start


@pytest.mark.parametrize(
    "message",
    [
        "can you fly me out", "sat sun only", "no per night please", "the man and the dog", "for her and him",
        "is it in the sea", "was led to mad prices", "a gig in the pop bar", "my dad and my son", "fat cat",
        "it is not far for me", "led lights in the room", "to see and to fly", "from my dad", "sun and sea",
        "take the bus or cab", "see you in may", "we had fun", "mad prices", "hotel bar", "hotel map",
    ],
)  # fmt: skip
def test_three_letters_that_are_a_word_are_no_airport(message: str) -> None:
    after = in_turn("flights and hotels in Prague from Zagreb on 5 January", message)
    assert after.flight.origin is not None
    assert after.flight.destination is not None
    assert after.flight.origin.city.name == "Zagreb"
    assert after.flight.destination.city.name == "Prague"


@pytest.mark.parametrize(
    "message", ["paris hotel 3n 2p fri", "hotel paris fri 3n 2 pax", "PAR hotel fri 3n 2pers"]
)
def test_nights_and_people_in_one_letter(message: str) -> None:
    hotel = in_turn(message).hotel
    assert (hotel.nights, hotel.guests, hotel.check_in) == (3, 2, date(2026, 11, 27))


@pytest.mark.parametrize("message", ["my reference is TUX6P1KD", "room 6P5MIATO", "seat 12p3"])
def test_reference_counts_nobody(message: str) -> None:
    after = in_turn("hotel in Paris on 5 January for 3 nights", message)
    assert after.hotel.guests is None


def test_bare_hotel_is_one_where_the_flight_goes() -> None:
    after = in_turn("rome from berlin 5 jan", "hotel")
    assert after.agents == ("hotel",)
    assert after.hotel.city is not None
    assert after.hotel.city.city.name == "Rome"


def test_typing_error_in_a_city_that_opens_a_terse_message_is_forgiven() -> None:
    hotel = in_turn("barcelone 2 nights from friday").hotel
    assert hotel.city is not None
    assert hotel.city.city.name == "Barcelona"


@pytest.mark.parametrize(
    ("message", "hours"),
    [
        ("fra lhr tmrw morning 1 pax", (5, 12)),
        ("ber lis 12/12 morning 2 pax", (5, 12)),
        ("ber lis 12/12 evening", (18, None)),
        ("ber lis on 12/12 morning", (5, 12)),
        ("lhr jfk 3/5 afternoon", (12, 18)),
        ("lhr jfk 3 may morning 1 pax", (5, 12)),
        ("muc ath 2026-12-10 evening 1 pax", (18, None)),
        ("muc ath fri evening", (18, None)),
        ("ber cdg 12/12 morning back 15/12 evening", (5, 12)),
        ("ber lis 12/12 2 pax", (None, None)),
        ("ber lis 12/12, morning person here", (None, None)),
        ("ber lis 12-15 dec, 2 pax", (None, None)),
    ],
)
def test_part_of_a_day_beside_a_day_tells_when_to_leave(
    message: str, hours: tuple[int | None, int | None]
) -> None:
    found = told(message).flight
    assert tuple(time and time.hour for time in (found.departs_after, found.departs_before)) == hours
