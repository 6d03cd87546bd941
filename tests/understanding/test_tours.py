"""Journeys to several cities in any order, and what stays one city at a time."""

from datetime import date

import pytest

from backend.travel.understanding.understand import understand
from tests.understanding.conversation import BERLIN_TO_TOKYO, TODAY, flight, name, told

MAY = {"earliest": date(2027, 5, 1), "latest": date(2027, 5, 31)}
ROME_ATHENS_LISBON = (
    "I want to visit Rome, Athens and Lisbon from Berlin, 3 nights each, between 3 and 20 May, and back"
)


def tour(understood):
    wish = understood.tour
    if wish is None:
        return None
    names = ("nights", "earliest", "latest", "passengers")
    shown = {key: getattr(wish, key) for key in names if getattr(wish, key) is not None}
    shown |= {"start": name(wish.start)} if wish.start else {}
    return (
        shown | {"cities": [name(city) for city in wish.cities]} | ({"returns": True} if wish.returns else {})
    )


@pytest.mark.parametrize(
    ("said", "wished"),
    [
        (
            "Berlin, Rome, Athens and Lisbon in any order in May, cheapest",
            {"cities": ["Berlin", "Rome", "Athens", "Lisbon"], **MAY},
        ),
        (
            ROME_ATHENS_LISBON,
            {
                "start": "Berlin",
                "cities": ["Rome", "Athens", "Lisbon"],
                "nights": 3,
                "earliest": date(2027, 5, 3),
                "latest": date(2027, 5, 20),
                "returns": True,
            },
        ),
        (
            "plan a trip through Vienna, Prague and Budapest in May for two people",
            {"cities": ["Vienna", "Prague", "Budapest"], "passengers": 2, **MAY},
        ),
        (
            "multi-city from Oslo: Rome, Nice and Madrid, 2 nights per city, back to Oslo, in May",
            {"start": "Oslo", "cities": ["Rome", "Nice", "Madrid"], "nights": 2, "returns": True, **MAY},
        ),
        ("rome, athens, lisbon any order", {"cities": ["Rome", "Athens", "Lisbon"]}),
        (
            "I'd like a tour of Tokyo, Osaka and Seoul starting in London on 3 May",
            {"start": "London", "cities": ["Tokyo", "Osaka", "Seoul"], "earliest": date(2027, 5, 3)},
        ),
        (
            "we want to visit Rome and Athens in either order, round trip from Berlin, from 3 to 20 May",
            {
                "start": "Berlin",
                "cities": ["Rome", "Athens"],
                "earliest": date(2027, 5, 3),
                "latest": date(2027, 5, 20),
                "returns": True,
            },
        ),
        (
            "plan a multi-city trip: Berlin -> Rome -> Athens -> Lisbon -> Berlin in May",
            {"start": "Berlin", "cities": ["Rome", "Athens", "Lisbon"], "returns": True, **MAY},
        ),
    ],
)
def test_list_of_cities_in_any_order_is_a_tour(said, wished):
    for before in ([], [BERLIN_TO_TOKYO]):
        after = told(*before, said)
        assert tour(after) == wished
        assert (after.relation, after.agents, after.wanted) == ("new", ("planner",), ("planner",))
        assert (flight(after), after.missing) == ({}, ())


@pytest.mark.parametrize(
    ("said", "changed"),
    [
        ("make it 2 nights each", {"nights": 2}),
        ("4 nights in each city", {"nights": 4}),
        ("and Madrid", {"cities": ["Rome", "Athens", "Lisbon", "Madrid"]}),
        ("add Madrid and Vienna please", {"cities": ["Rome", "Athens", "Lisbon", "Madrid", "Vienna"]}),
        ("without Athens", {"cities": ["Rome", "Lisbon"]}),
        ("skip Athens", {"cities": ["Rome", "Lisbon"]}),
        ("Madrid instead of Athens", {"cities": ["Rome", "Madrid", "Lisbon"]}),
        ("in June instead", {"earliest": date(2027, 6, 1), "latest": date(2027, 6, 30)}),
        ("start from Munich", {"start": "Munich"}),
        ("for 2 people", {"passengers": 2}),
        ("one way please", {"returns": None}),
        ("try again", {}),
    ],
)
def test_tour_is_changed_in_few_words(said, changed):
    before, after = told(ROME_ATHENS_LISBON), told(ROME_ATHENS_LISBON, said)
    expected = {key: value for key, value in (tour(before) | changed).items() if value is not None}
    assert tour(after) == expected
    assert (after.relation, after.agents) == ("refine", ("planner",))


@pytest.mark.parametrize(
    ("said", "relation"), [("thanks", "other"), ("stop", "stop"), ("tell me a joke", "other")]
)
def test_small_talk_and_stops_leave_a_tour_as_it_is(said, relation):
    after = told(ROME_ATHENS_LISBON, said)
    assert (after.relation, after.agents) == (relation, ())
    assert tour(after) == tour(told(ROME_ATHENS_LISBON))
    assert tour(told(ROME_ATHENS_LISBON, said, "2 nights each"))["nights"] == 2


def test_request_for_flights_takes_the_place_of_a_tour():
    after = told(ROME_ATHENS_LISBON, "find flights from Oslo to Rome on 5 December")
    assert (after.tour, after.relation, after.agents) == (None, "new", ("flight",))
    assert (told(ROME_ATHENS_LISBON, "flights from Oslo to Rome on 5 May", "make it Milan").tour) is None


@pytest.mark.parametrize(
    "said",
    [
        "flights from Berlin to Rome",
        "flights from Berlin to Rome or Athens in May",
        "plan a trip to Rome in May",
        "I want to visit Rome from Berlin in May",
        "flights to Rome and a hotel in Florence",
        "fly to Tokyo via Dubai on 5 May",
        "hotels in Rome, not Athens and not Lisbon",
        "I have seen Rome, Athens and Lisbon",
        "which is nicer, Rome, Athens or Lisbon?",
        "cheapest flight from Berlin to Rome in May, any airline",
        "Rome",
        "a city tour of Rome",
    ],
)
def test_one_city_at_a_time_stays_so(said):
    assert told(said).tour is None


def test_value_that_a_tour_cannot_take_is_told():
    nine = "visit Rome, Athens, Lisbon, Madrid, Vienna, Prague, Budapest, Oslo and Tokyo in any order in May"
    assert [(one.said, one.reason) for one in told(nine).refused] == [("Tokyo", "too_many_cities")]
    assert len(told(nine).tour.cities) == 8
    unknown = told("visit Rome, Xanadu and Lisbon in any order in May")
    assert [(one.said, one.reason) for one in unknown.refused] == [("Xanadu", "unknown_place")]
    assert tour(unknown)["cities"] == ["Rome", "Lisbon"]
    past = told("visit Rome, Athens and Lisbon in any order between 3 and 20 May 2025")
    assert [one.reason for one in past.refused] == ["day_has_passed"]


def test_tour_that_was_left_is_taken_up_again():
    left = told(ROME_ATHENS_LISBON)
    flights = told(ROME_ATHENS_LISBON, BERLIN_TO_TOKYO)
    said = "go back to the previous search"
    again = understand(said, previous=flights, today=TODAY, recent=[left])
    assert (again.resumes, again.agents, again.tour) == (0, ("planner",), left.tour)
    assert set(again.dropped) == {"flight.origin", "flight.destination", "flight.departure_date"}


def test_booking_is_cancelled_and_told_of_beside_a_tour():
    cancelled = told(ROME_ATHENS_LISBON, "cancel my booking DEMO-7K2Q4M")
    assert (cancelled.relation, cancelled.agents, cancelled.booking.action) == ("add", (), "cancel")
    assert tour(cancelled) == tour(told(ROME_ATHENS_LISBON))
    assert told(ROME_ATHENS_LISBON, "what have I booked?").relation == "other"
    assert told(ROME_ATHENS_LISBON, "book it").booking is None


@pytest.mark.parametrize(
    "said",
    [
        "only count nonstop flights for the short ones",
        "nonstop only please",
        "business class",
        "now hotels too, around 70 eur a night each place",
        "flights only for now",
        "which order is cheaper overall",
    ],
)
def test_value_that_a_tour_cannot_take_changes_nothing(said):
    asked = "Amsterdam > Singapore 2 Feb, Singapore > Bangkok 7 Feb, Bangkok > Amsterdam 22 Feb. 2 people."
    before, after = told(asked), told(asked, said)
    assert (after.relation, after.agents, after.wanted) == ("other", (), before.wanted)
    assert after.tour == before.tour
