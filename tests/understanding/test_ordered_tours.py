"""Journeys through several cities in the order that is told."""

from datetime import date
from functools import partial

import pytest

from backend.travel.understanding.english.wording import describe, refusals
from backend.travel.understanding.queries import tour_query
from tests.understanding import tours
from tests.understanding.conversation import told
from tests.understanding.tours import nights, way

TODAY = date(2026, 11, 22)
in_turn = partial(told, today=TODAY)
wish = partial(tours.wish, today=TODAY)
ROME_ATHENS = "Berlin to Rome to Athens and back, starting 8 January, 3 nights each"


def test_flights_that_go_on_to_another_city_are_a_journey_in_that_order() -> None:
    tour = wish("flights from Oslo to Lima on 3 May, then on to Quito")
    assert (way(tour), tour.ordered, tour.first_day) == (["Oslo", "Lima", "Quito"], True, date(2027, 5, 3))


@pytest.mark.parametrize(
    ("message", "cities", "stays", "first_day"),
    [
        (ROME_ATHENS, "Berlin Rome Athens Berlin", [3, 3], date(2027, 1, 8)),
        ("A trip Berlin - Rome - Athens - Berlin on 8 January", "Berlin Rome Athens Berlin", [None, None],
         date(2027, 1, 8)),
        ("LON>VIE>MUC>LON 5 jan", "London Vienna Munich London", [None, None], date(2027, 1, 5)),
        ("lon-vie-muc-lon 5 jan", "London Vienna Munich London", [None, None], date(2027, 1, 5)),
        ("first Rome for 3 nights then Athens 4 nights, then home", "Rome Athens Rome", [3, 4], None),
        ("fly from Berlin to Rome on 5 May for 3 nights, then to Athens for 4 nights, then back to Berlin",
         "Berlin Rome Athens Berlin", [3, 4], date(2027, 5, 5)),
        ("Berlin to Rome, on the way back two days in Paris", "Berlin Rome Paris Berlin", [None, 2], None),
        ("from Berlin to Rome, then to Athens", "Berlin Rome Athens", [None, None], None),
        ("rome then athens then istanbul, one way, from berlin, 2 nights each", "Berlin Rome Athens Istanbul",
         [2, 2, 2], None),
        ("go to Lisbon first, after that Porto, and home to Hamburg", "Hamburg Lisbon Porto Hamburg",
         [None, None], None),
        ("from Munich to Vienna (2 nights), then 3 nights in Prague and back", "Munich Vienna Prague Munich",
         [2, 3], None),
        ("Oslo → Rome → Lisbon", "Oslo Rome Lisbon", [None, None], None),
        ("we fly from Oslo to Rome, followed by Lisbon", "Oslo Rome Lisbon", [None, None], None),
    ],
)  # fmt: skip
def test_order_that_is_told_is_kept(
    message: str, cities: str, stays: list[int | None], first_day: date | None
) -> None:
    tour = wish(message)
    assert tour.ordered
    assert way(tour) == cities.split()
    assert nights(tour) == stays
    assert tour.first_day == first_day


@pytest.mark.parametrize(
    "message",
    [
        "flights from Berlin to Rome", "Berlin to Rome on 5 May then back to Berlin on 9 May",
        "flight from Berlin to Rome then a hotel there", "Berlin to Tokyo via Dubai",
        "from Berlin to Rome to see the pope", "fly to Rome, no then Athens instead",
        "Berlin to Rome or to Athens", "to Rome, not to Athens", "Berlin to Rome, return to Berlin",
        "flights to Rome and then a hotel in Florence", "I need to get to Rome to talk to Paul",
    ],
)  # fmt: skip
def test_one_goal_is_no_order(message: str) -> None:
    assert in_turn(message).tour is None


def test_any_order_stays_any_order() -> None:
    tour = wish("Vienna, Budapest, Prague in whatever order is cheapest, starting from London on 5 January")
    assert not tour.ordered
    assert tour.first_day == date(2027, 1, 5)


@pytest.mark.parametrize(
    ("changes", "cities", "stays"),
    [
        (["4 nights in Athens"], "Berlin Rome Athens Berlin", [3, 4]),
        (["Athens for 4 nights please"], "Berlin Rome Athens Berlin", [3, 4]),
        (["add Istanbul after Athens, 2 nights"], "Berlin Rome Athens Istanbul Berlin", [3, 3, 2]),
        (["add Istanbul after Rome"], "Berlin Rome Istanbul Athens Berlin", [3, 3, 3]),
        (["also Istanbul before Rome for 2 nights"], "Berlin Istanbul Rome Athens Berlin", [2, 3, 3]),
        (["4 nights in Athens", "add Istanbul", "skip Rome"], "Berlin Athens Istanbul Berlin", [4, 3]),
        (["4 nights in Athens", "2 nights each"], "Berlin Rome Athens Berlin", [2, 2]),
        (["Vienna instead of Rome, add"], "Berlin Vienna Athens Berlin", [3, 3]),
    ],
)
def test_change_keeps_the_order(changes: list[str], cities: str, stays: list[int]) -> None:
    tour = wish(ROME_ATHENS, *changes)
    assert tour.ordered
    assert way(tour) == cities.split()
    assert nights(tour) == stays
    assert tour.first_day == date(2027, 1, 8)


def test_day_in_one_of_the_cities_is_of_that_city_alone() -> None:
    before = "I want to see Vienna, Budapest and Prague in any order, starting from London on 5 January"
    tour = wish(before, "I must be in Budapest on 10 January")
    assert [(stay.city.city.name, stay.on) for stay in tour.stays] == [("Budapest", date(2027, 1, 10))]
    assert tour.first_day == date(2027, 1, 5)


def test_query_keeps_order_days_and_nights() -> None:
    query = tour_query(in_turn(ROME_ATHENS, "4 nights in Athens"), today=TODAY)
    assert query is not None
    assert query.ordered
    assert query.begins == date(2027, 1, 8)
    assert [(stop.city.name, stop.least_nights, stop.most_nights) for stop in query.stops] == [
        ("Rome", 3, 3),
        ("Athens", 4, 4),
    ]


def test_reply_tells_the_order() -> None:
    told = describe(in_turn(ROME_ATHENS, "4 nights in Athens"))
    assert told == (
        "a trip from Berlin to Rome, then Athens (4 nights) and back to Berlin, 3 nights in each, "
        "starting on Fri 8 January 2027, 1 passenger"
    )


@pytest.mark.parametrize(
    ("messages", "city"),
    [
        (["fly from Berlin to Milan on 5 May, back from Venice"], "Venice"),
        (["flights from Frankfurt to Tokyo on 14 January", "into Tokyo but back from Osaka please"], "Osaka"),
        (["flights from Frankfurt to Tokyo on 14 January", "returning from Osaka on the 28th"], "Osaka"),
    ],
)
def test_way_back_from_another_city_is_refused_by_its_name(messages: list[str], city: str) -> None:
    understood = in_turn(*messages)
    assert [(one.said, one.reason) for one in understood.refused] == [(city, "open_jaw")]
    assert f"left out the way back from {city}" in refusals(understood)


def test_way_back_from_where_the_flight_goes_is_no_other_city() -> None:
    assert in_turn("fly from Berlin to Milan on 5 May, back from Milan on 9 May").refused == ()
