"""Where a car is picked up, and what is told of a car that none is searched by."""

import pytest

from tests.understanding.conversation import told

CAR = "car in Malaga 3 to 10 april"


@pytest.mark.parametrize(
    "said",
    [
        "Need an SUV, pick up Denver airport Sat Dec 19, drop off Dec 27",
        "rent a car from Denver airport 19 to 27 dec",
        "rental car at phoenix airport from feb 20 to feb 24",
        "I would like to rent a car in Malaga airport since 20 december until 3 january",
        "car at schiphol airport 3-5 dec",
    ],
)
def test_airport_of_a_named_city_is_where_a_car_is_picked_up(said: str) -> None:
    assert told(said).car.station == "airport"


@pytest.mark.parametrize(
    "said",
    [
        "flight from berlin to malaga airport 3 dec and a car there",
        "a hotel near Malaga airport 3-5 dec",
        "a hotel downtown in Malaga from 3 to 5 may, and a rental car",
    ],
)
def test_place_of_a_flight_or_a_hotel_is_none_to_pick_a_car_up(said: str) -> None:
    assert told(said).car.station is None


@pytest.mark.parametrize(
    ("said", "wishes"),
    [
        ("automatic, we r 5 with luggage", ["we r 5", "with luggage"]),
        ("something bigger, we're 5 people with golf clubs", ["we're 5 people", "golf clubs"]),
        ("automatic please, and I'm 23 if that matters", ["I'm 23"]),
        ("an estate, room for our suitcases", ["for our suitcases"]),
        ("return it by noon please", ["by noon"]),
        ("automatic, for 2 people", []),
    ],
)
def test_what_no_car_is_searched_by_is_told(said: str, wishes: list[str]) -> None:
    assert [one.said for one in told(CAR, said).refused] == wishes


@pytest.mark.parametrize(
    ("said", "where"),
    [
        ("flights Boston to Chicago Midway 12-15 January and a rental car from O'Hare", "from O'Hare"),
        ("rental car from O'Hare, 12 to 15 January", "from O'Hare"),
        ("a car in London from 12 to 15 January, pick it up at Heathrow", "at Heathrow"),
        ("a car at JFK from 12 to 15 January", "at JFK"),
    ],
)
def test_at_which_airport_a_car_is_picked_up_is_told_to_be_no_search(said: str, where: str) -> None:
    understood = told(said)
    assert "car" in understood.agents
    assert [(one.said, one.reason) for one in understood.refused] == [(where, "not_searched_by")]


@pytest.mark.parametrize(
    "said",
    [
        "flights from O'Hare to Boston on 12 January and a rental car",
        "a car from Malaga airport from 12 to 15 January",
        "flights Boston to O'Hare 12-15 January and a rental car at the airport",
    ],
)
def test_airport_of_the_flight_or_the_only_one_is_refused_to_no_car(said: str) -> None:
    assert told(said).refused == ()
