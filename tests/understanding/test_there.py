"""What "there" means once a conversation has come to another place."""

from datetime import date

import pytest

from tests.understanding.conversation import flight, hotel, in_turn, told

ROME = "flights from Berlin to Rome on 10 December and a hotel there for 3 nights"
PARIS = "actually flights to Paris instead"


@pytest.mark.parametrize(
    "there",
    [
        "a hotel there",
        "and a hotel there please",
        "find me a room there",
        "I need a hotel there, is there one with a pool?",
        "is there a cheaper hotel there?",
        "hotels there under 150 euros",
    ],
)
def test_hotel_there_is_where_the_flights_go_by_now(there: str) -> None:
    for understood in (told(ROME, PARIS, there), in_turn(ROME, PARIS, there)):
        assert understood.agents == ("hotel",)
        assert hotel(understood)["city"] == "Paris"
        assert (hotel(understood)["check_in"], hotel(understood)["nights"]) == (date(2026, 12, 10), 3)
        assert flight(understood)["destination"] == "Paris"


@pytest.mark.parametrize(
    "said",
    [
        "a hotel with a pool",
        "is there a hotel with a pool",
        "are there any hotels under 150 euros",
        "keep the hotel there",
        "the hotel can stay there",
        "hi there, a cheaper hotel please",
        "the hotel is fine but there has to be breakfast",
        "could there be a cheaper hotel?",
        "I want a hotel there should be wifi",
        "find a hotel, there you go",
        "there should be wifi in the hotel",
        "the hotel should stay in the same place",
    ],
)
def test_hotel_keeps_its_place_until_somebody_asks_for_one_there(said: str) -> None:
    assert hotel(told(ROME, PARIS, said))["city"] == "Rome"
    assert hotel(told(ROME, "is Naples nice in december?", said))["city"] == "Rome"


def test_hotel_there_is_not_where_the_flights_start_nor_where_nobody_flies() -> None:
    assert hotel(told(ROME, "any airline", "Berlin", "and hotels there"))["city"] == "Rome"
    assert hotel(told(ROME, "is Naples nice in december?", "a hotel there"))["city"] == "Rome"


def test_place_that_is_taken_over_from_the_flights_is_named_as_carried() -> None:
    assert "hotel.city" in told(ROME, PARIS, "a hotel there").carried


@pytest.mark.parametrize("said", ["direct flights there", "business class on the flight there"])
def test_flights_there_keep_their_goal_beside_a_hotel_elsewhere(said: str) -> None:
    assert flight(told(ROME, "make it a hotel in Naples instead", said))["destination"] == "Rome"


def test_car_there_is_where_the_flights_go_by_now() -> None:
    understood = told(f"{ROME} and a car", PARIS, "a car there")
    assert understood.car.city is not None
    assert understood.car.city.city.name == "Paris"
