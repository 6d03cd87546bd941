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
def test_the_airport_of_a_named_city_is_where_a_car_is_picked_up(said: str) -> None:
    assert told(said).car.station == "airport"


@pytest.mark.parametrize(
    "said",
    [
        "flight from berlin to malaga airport 3 dec and a car there",
        "a hotel near Malaga airport 3-5 dec",
        "a hotel downtown in Malaga from 3 to 5 may, and a rental car",
    ],
)
def test_a_place_of_a_flight_or_a_hotel_is_none_to_pick_a_car_up(said: str) -> None:
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
