"""How long a journey takes is told before its first day, and weekdays near known days."""

from datetime import date

import pytest

from tests.understanding.conversation import told

MONDAY = date(2026, 11, 23)
IN_FEBRUARY = "flights from Manchester to Lisbon, 5 to 8 February"


@pytest.mark.parametrize(
    ("first", "then", "days"),
    [
        ("how much to fly from toronto to vancouver in july, 2 weeks", "leaving 4th", (7, 4, 7, 18)),
        ("fly from Dublin to Rome in May for a week", "the 4th", (5, 4, 5, 11)),
        ("flights from leeds to krakow, 3 nights in march", "12th march then", (3, 12, 3, 15)),
        ("flights from oslo to rome in may for 5 days", "3 may please", (5, 3, 5, 8)),
        ("a week in rome from oslo in may", "the 4th", (5, 4, 5, 11)),
        ("flights from gatwick to tenerife in april, about a week", "the 3rd", (4, 3, 4, 10)),
        ("flights from oslo to rome in may for 5 days", "3 may, back on the 10th", (5, 3, 5, 10)),
        ("flights from london to tenerife on 3 april", "a week", (4, 3, 4, 10)),
        ("flights from london to tenerife on 3 april", "about a week", (4, 3, 4, 10)),
        ("flights from london to tenerife on 3 april", "a week please", (4, 3, 4, 10)),
        ("flights from london to tenerife on 3 april", "roughly 2 weeks", (4, 3, 4, 17)),
        ("flights to tenerife on 3 april", "from gatwick, about a week", (4, 3, 4, 10)),
        ("flights to tenerife on 3 april", "from gatwick, a fortnight", (4, 3, 4, 17)),
    ],
)
def test_how_long_is_kept_until_the_first_day_is_told(
    first: str, then: str, days: tuple[int, int, int, int]
) -> None:
    flight = told(first, then, today=MONDAY).flight
    assert flight.departure_date == date(2027, days[0], days[1])
    assert flight.return_date == date(2027, days[2], days[3])


def test_hotel_that_joins_ends_with_the_journey() -> None:
    understood = told(
        "flights from leeds to krakow, 3 nights in march", "hotel too", "12 march", today=MONDAY
    )
    assert understood.hotel.check_out == date(2027, 3, 15)


@pytest.mark.parametrize("message", ["about a week later", "maybe a week earlier", "in about a week"])
def test_week_that_moves_a_day_is_no_length(message: str) -> None:
    assert (
        told("flights from london to tenerife on 3 april", message, today=MONDAY).flight.return_date is None
    )


@pytest.mark.parametrize(
    ("message", "first", "last"),
    [
        ("is it any cheaper if we go thurs instead", (2, 4), (2, 8)),
        ("what about leaving thursday", (2, 4), (2, 8)),
        ("and on saturday?", (2, 6), (2, 8)),
        ("saturday instead", (2, 6), (2, 8)),
        ("fri to tues", (2, 5), (2, 9)),
        ("can we leave wednesday", (2, 3), (2, 8)),
        ("back on tuesday", (2, 5), (2, 9)),
        ("r there evening flights on friday", (2, 5), (2, 8)),
    ],
)
def test_weekday_is_the_one_nearest_to_the_journey(
    message: str, first: tuple[int, int], last: tuple[int, int]
) -> None:
    flight = told(IN_FEBRUARY, message, today=MONDAY).flight
    assert (flight.departure_date, flight.return_date) == (date(2027, *first), date(2027, *last))


@pytest.mark.parametrize(
    "message", ["this friday", "flights from Oslo to Rome on friday", "to Porto on friday"]
)
def test_weekday_of_this_week_or_of_another_journey_is_the_coming_one(message: str) -> None:
    assert told(IN_FEBRUARY, message, today=MONDAY).flight.departure_date == date(2026, 11, 27)


@pytest.mark.parametrize(
    ("message", "origin", "people"),
    [
        ("flights to lisbon from leeds for me n my bf 3 march", "Leeds", 2),
        ("me n my sister wanna fly leeds to lisbon 3 march", "Leeds", 2),
        ("can u find flights leeds to lisbon w my wife 3 march", "Leeds", 2),
        ("hiya flights leeds to lisbon 3 march, 2 adults n 1 child", "Leeds", 3),
        ("we r 4 ppl, leeds to lisbon 3 march", "Leeds", 4),
    ],
)
def test_letters_for_words_are_read_as_the_words(message: str, origin: str, people: int) -> None:
    understood = told(message, today=MONDAY)
    assert understood.flight.origin is not None
    assert understood.flight.origin.city.name == origin
    assert understood.flight.passengers == people
    assert not [one for one in understood.refused if one.reason == "not_understood"]


def test_letters_are_units_and_names_as_before() -> None:
    stay = told("hotel paris fri 3n 2p", today=MONDAY).hotel
    assert (stay.nights, stay.guests) == (3, 2)
    assert told("hotel in Barcelona 3 March, W Barcelona", today=MONDAY).hotel.city is not None
