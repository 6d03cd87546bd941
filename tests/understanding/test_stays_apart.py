"""Journeys whose nights are told after the cities, and those that go back to where they begin."""

from datetime import date
from functools import partial

import pytest

from tests.understanding import tours
from tests.understanding.conversation import told
from tests.understanding.tours import nights, way

TODAY = date(2026, 11, 23)
wish = partial(tours.wish, today=TODAY)
ARROWS = "Lisbon -> Madrid -> Barcelona -> Lisbon"
WHOLE = f"{ARROWS}, start 1 February, 3 nights Madrid, 4 nights Barcelona, 2 people"


@pytest.mark.parametrize(
    "said",
    [
        WHOLE,
        f"{ARROWS}, starting 1 February. Madrid: 3 nights, Barcelona: 4 nights",
        "Lisbon to Madrid to Barcelona to Lisbon, 3 nights in Madrid, 4 in Barcelona, from 1 February",
        "Lisbon - Madrid - Barcelona - Lisbon from 1 February, Madrid 3 nights, Barcelona 4 nights",
        "Lisbon > Madrid > Barcelona > Lisbon (3 nights Madrid, 4 nights Barcelona) 1 Feb",
        "Lisbon to Madrid then Barcelona and back, 3 nights in Madrid, 4 nights in Barcelona, starting 1 Feb",
        "Lisbon, Madrid, Barcelona and back to Lisbon, starting 1 Feb, 3 nights in Madrid, 4 in Barcelona",
        "Lisbon, Madrid and Barcelona, then back to Lisbon, 3 nights Madrid, 4 nights Barcelona, start 1 Feb",
    ],
)
def test_nights_told_behind_the_way_are_those_of_its_cities(said: str) -> None:
    tour = wish(said)
    assert (way(tour), nights(tour)) == (["Lisbon", "Madrid", "Barcelona", "Lisbon"], [3, 4])
    assert (tour.first_day, tour.latest, tour.ordered) == (date(2027, 2, 1), None, True)


@pytest.mark.parametrize(
    ("said", "cities", "stayed"),
    [
        ("what if we do Barcelona first", "Lisbon Barcelona Madrid Lisbon", [4, 3]),
        ("add Valencia in between for 1 night", "Lisbon Madrid Valencia Barcelona Lisbon", [3, 1, 4]),
        ("add 1 night in Valencia between the two", "Lisbon Madrid Valencia Barcelona Lisbon", [3, 1, 4]),
        ("add Valencia for 1 night", "Lisbon Madrid Barcelona Valencia Lisbon", [3, 4, 1]),
    ],
)
def test_such_a_journey_is_changed_in_few_words(said: str, cities: str, stayed: list[int]) -> None:
    tour = wish(WHOLE, said)
    assert (way(tour), nights(tour)) == (cities.split(), stayed)


@pytest.mark.parametrize(
    "said",
    [
        "Lisbon to Madrid on 1 February, hotel in Madrid for 3 nights",
        "Lisbon to Madrid 1 February, 3 nights in Madrid",
        "flights Lisbon - Madrid - Lisbon 1 February, 3 nights in Madrid",
        "Lisbon to Madrid or Barcelona and back to Lisbon, 1 to 5 February",
        "flights from Lisbon to Madrid on 1 February and back to Lisbon on 5 February",
    ],
)
def test_there_and_back_is_no_such_journey(said: str) -> None:
    assert told(said, today=TODAY).tour is None
