"""Journeys that fly home from another city than the one they went to, and flights one after the other."""

from datetime import date

import pytest

from backend.travel.understanding.result import Understanding

from .conversation import flight, told


def flight_places(understood: Understanding) -> tuple[str, ...]:
    ends = (understood.flight.origin, understood.flight.destination)
    return tuple(end.city.name for end in ends if end)


MONDAY = date(2026, 11, 23)


@pytest.mark.parametrize(
    "message",
    [
        "fly into Rome and out of Venice, leaving Boston",
        "flights into Rome and out of Venice from Boston",
        "flying into Rome on 3 May and out of Venice on 12 May, from Boston",
        "fly into Rome and home from Venice, from Boston",
        "we land in Rome and fly home out of Venice, starting from Boston",
        "arrive in Rome, leave from Venice, from Boston, 3-12 May",
        "arriving in Rome and departing from Venice, from Boston",
        "Boston to Rome 3 May, Venice to Boston 12 May",
        "boston to rome 3 may, venice to boston 12 may",
        "from Boston to Rome 3 May, back from Venice 12 May",
        "Boston to Rome 3 May, returning from Venice 12 May",
        "fly to Rome from Boston and return from Venice",
        "open jaw Boston to Rome, Venice to Boston",
        "from Boston into Rome and out of Venice in May",
        "leaving Boston, into Rome and out of Venice",
    ],
)
def test_way_home_from_another_city_is_told_and_no_start(message: str) -> None:
    understood = told(message, today=MONDAY)
    assert understood.tour is None
    assert flight_places(understood) == ("Boston", "Rome")
    assert ("venice", "open_jaw") in [(one.said.lower(), one.reason) for one in understood.refused]


@pytest.mark.parametrize(
    "message",
    [
        "I'd like to fly out of Boston into Rome on 3 May",
        "fly out of Boston into Rome on 3 May and return 12 May",
        "fly into Rome out of Boston on 3 May",
        "arrive in Rome on 3 May, leaving from Boston",
        "to Rome from Boston on 3 May",
        "Rome, leaving Boston 3 May",
        "into Rome on 3 May from Boston",
        "Boston to Rome 3 May, Rome to Boston 12 May",
        "get me into Rome by 3 May, departing Boston",
    ],
)
def test_start_is_no_way_home(message: str) -> None:
    understood = told(message, today=MONDAY)
    assert flight_places(understood) == ("Boston", "Rome")
    assert not [one for one in understood.refused if one.reason == "open_jaw"]


@pytest.mark.parametrize(
    "message",
    [
        "Frankfurt to Chicago on 18 January, then Chicago to Denver on the 21st, and back to Frankfurt from"
        " Denver on the 24th",
        "Frankfurt to Chicago on 18 January, Chicago to Denver on the 21st, Denver to Frankfurt on the 24th",
        "Frankfurt to Chicago 18 Jan, Chicago to Denver 21 Jan, back to Frankfurt from Denver 24 Jan",
        "Frankfurt to Chicago on 18 January, Chicago to Denver on the 21st, back to Frankfurt on the 24th",
        "Frankfurt to Chicago on 18 January, then Chicago to Denver on the 21st, and back from Denver on the"
        " 24th",
        "fly Frankfurt to Chicago 18 Jan, then on to Denver 21 Jan, then home from Denver 24 Jan",
        "frankfurt to chicago 18 jan, then chicago to denver 21 jan, then denver back to frankfurt 24 jan",
        "18 January Frankfurt to Chicago, 21 January Chicago to Denver, 24 January Denver to Frankfurt",
        "FRA-ORD 18 Jan, ORD-DEN 21 Jan, DEN-FRA 24 Jan",
        "Frankfurt to Chicago on the 18th of January, Chicago to Denver on the 21st, home to Frankfurt from"
        " Denver on the 24th",
    ],
)
def test_flights_one_after_the_other_are_a_journey_with_its_days(message: str) -> None:
    tour = told(message, today=MONDAY).tour
    assert tour is not None
    assert tour.start is not None
    assert (tour.start.city.name, [one.city.name for one in tour.cities]) == (
        "Frankfurt",
        ["Chicago", "Denver"],
    )
    assert (tour.ordered, tour.returns, tour.first_day) == (True, True, date(2027, 1, 18))
    assert [tour.stay_in(city).nights for city in tour.cities] == [3, 3]


def test_return_is_no_journey_through_several() -> None:
    found = flight(told("Boston to Rome on 3 May, then Rome to Boston on 12 May", today=MONDAY))
    assert (found["departure_date"], found["return_date"]) == (date(2027, 5, 3), date(2027, 5, 12))
