"""What is searched for: normalised, so that equal requests make equal searches."""

from datetime import date

import pytest

from backend.travel.understanding.english.wording import newly_told
from backend.travel.understanding.queries import flight_query, hotel_query, invalidated, tour_query
from backend.travel.understanding.understand import understand
from backend.travel.values.travel import fault_of
from tests.understanding.conversation import LISBON, told

TODAY = date(2026, 11, 20)


def test_two_ways_to_ask_for_the_same_flight_make_the_same_query() -> None:
    asked = "Find flights from London to Tokyo on 10 December"
    other = "one person, economy class, LON to Tokio, 2026-12-10"
    queries = [flight_query(understand(said, previous=None, today=TODAY)) for said in (asked, other)]
    assert queries[0] == queries[1]
    assert queries[0] is not None
    assert queries[0].origins == ("LCY", "LGW", "LHR", "LTN", "STN")
    assert (queries[0].passengers, queries[0].cabin_class) == (1, "economy")


@pytest.mark.parametrize(
    ("said", "nights"),
    [
        ("hotels in Rome on 3 May", 1),
        ("hotels in Rome on 3 May for 4 nights", 4),
        ("hotels in Rome from 3 to 8 May", 5),
    ],
)
def test_stay_lasts_one_night_unless_more_is_said(said: str, nights: int) -> None:
    query = hotel_query(understand(said, previous=None, today=TODAY))
    assert query is not None
    assert (query.city, query.country, query.check_in, query.nights) == (
        "Rome",
        "IT",
        date(2027, 5, 3),
        nights,
    )


@pytest.mark.parametrize(
    "said", ["flights to Rome", "flights from Berlin to Rome", "flights from Rome to Rome on 3 May"]
)
def test_without_a_route_and_a_day_there_is_no_flight_to_search_for(said: str) -> None:
    assert flight_query(understand(said, previous=None, today=TODAY)) is None


def test_without_a_city_and_a_day_there_is_no_hotel_to_search_for() -> None:
    assert hotel_query(understand("hotels in Rome", previous=None, today=TODAY)) is None


@pytest.mark.parametrize(
    ("guests", "rooms", "told_as"),
    [
        ("4 people", 1, "4 guests"),
        ("a family of 5", 2, "5 guests in 2 rooms"),
        ("9 people", 3, "9 guests in 3 rooms"),
        ("5 people in one room", 1, "5 guests"),
    ],
)
def test_guests_have_rooms_enough_unless_these_are_told(guests: str, rooms: int, told_as: str) -> None:
    understood = told(f"a hotel in Rome from 5 to 8 December for {guests}")
    query = hotel_query(understood)
    assert query is not None
    assert query.rooms == rooms
    assert newly_told(understood)[-1] == told_as


def test_there_is_no_flight_to_a_town_far_from_any_airport() -> None:
    understood = understand("flights from Rome to Moab on 3 May", previous=None, today=TODAY)
    assert understood.missing == ()
    assert flight_query(understood) is None


@pytest.mark.parametrize(
    ("said", "district"),
    [
        ("a hotel in le marais tomorrow", "Le Marais"),
        ("a hotel close to the Eiffel Tower tomorrow", "Champs-Élysées"),
        ("a hotel in New York near Central Park tomorrow", "Upper West Side"),
        ("a hotel in Rome near the centre tomorrow", "Centro Storico"),
        ("a hotel in downtown Rochester tomorrow", "Centre"),
        ("a hotel in the city centre of Leeds tomorrow", "Centre"),
        ("a hotel in Rome near the Pear Museum tomorrow", ""),
    ],
)
def test_what_a_hotel_is_to_be_near_is_searched_by_its_district(said: str, district: str) -> None:
    query = hotel_query(understand(said, previous=None, today=TODAY))
    assert query is not None
    assert query.district == district


@pytest.mark.parametrize(
    ("said", "agents"),
    [
        ("thanks", ()),
        ("try again", ()),
        ("make the hotel five stars", ("hotel",)),
        ("business class", ("flight",)),
        ("actually make it Paris", ("flight", "hotel")),
        ("forget the hotel", ("hotel",)),
        ("stop", ()),
    ],
)
def test_change_makes_those_results_out_of_date_that_it_concerns(said: str, agents: tuple[str, ...]) -> None:
    assert invalidated(told(LISBON), told(LISBON, said)) == agents


def test_tour_is_planned_as_it_was_asked_for() -> None:
    said = "Rome and Athens in any order from London, 3 nights each, between 3 and 20 May, 2 people, and back"
    tour = tour_query(told(said), today=TODAY)
    assert tour is not None
    assert tour.start is not None
    assert (tour.start.name, tour.start.airports) == ("London", ("LCY", "LGW", "LHR", "LTN", "STN"))
    assert [(stop.city.name, stop.least_nights, stop.most_nights) for stop in tour.stops] == [
        ("Athens", 3, 3),
        ("Rome", 3, 3),
    ]
    assert (tour.earliest, tour.latest) == (date(2027, 5, 3), date(2027, 5, 20))
    assert (tour.returns, tour.passengers) == (True, 2)


@pytest.mark.parametrize("days", ["", ", from 3 May", ", back by 20 December", ", in May"])
def test_tour_of_which_little_is_said_can_be_planned_all_the_same(days: str) -> None:
    tour = tour_query(told(f"Rome, Athens and Oslo in any order{days}"), today=TODAY)
    assert tour is not None
    assert fault_of(tour) == ""
    assert tour.earliest >= TODAY
    assert tour_query(told("flights from Berlin to Rome"), today=TODAY) is None


def test_tour_that_is_changed_or_left_is_planned_no_longer() -> None:
    said = "Rome and Athens in any order in May"
    before = told(said)
    assert invalidated(before, told(said, "thanks")) == ()
    assert invalidated(before, told(said, "3 nights each")) == ("planner",)
    assert invalidated(before, told(said, "flights from Berlin to Rome on 3 May")) == ("planner",)
