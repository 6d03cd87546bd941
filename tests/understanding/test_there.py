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
        "hotel in the same place",
        "I need a hotel there, is there one with a pool?",
        "and hotels in that city",
    ],
)
def test_a_hotel_there_is_where_the_flights_go_by_now(there: str) -> None:
    for understood in (told(ROME, PARIS, there), in_turn(ROME, PARIS, there)):
        assert understood.agents == ("hotel",)
        assert hotel(understood)["city"] == "Paris"
        assert (hotel(understood)["check_in"], hotel(understood)["nights"]) == (date(2026, 12, 10), 3)
        assert flight(understood)["destination"] == "Paris"


def test_a_hotel_elsewhere_keeps_its_place_until_somebody_says_there() -> None:
    assert hotel(told(ROME, PARIS, "a hotel with a pool"))["city"] == "Rome"
    assert hotel(told(ROME, PARIS, "is there a hotel with a pool"))["city"] == "Rome"
    assert hotel(told(ROME, PARIS, "are there any hotels under 150 euros"))["city"] == "Rome"


def test_a_car_there_is_where_the_flights_go_by_now() -> None:
    understood = told(f"{ROME} and a car", PARIS, "a car there")
    assert understood.car.city is not None
    assert understood.car.city.city.name == "Paris"


def test_flights_there_go_to_where_the_hotel_is_by_now() -> None:
    understood = told(ROME, "make it a hotel in Naples instead", "and flights there")
    assert flight(understood)["destination"] == "Naples"
