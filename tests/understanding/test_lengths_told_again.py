"""Lengths without a unit, of which the unit was told just before."""

from datetime import date

import pytest

from tests.understanding.conversation import told

TODAY = date(2026, 11, 23)
FLIGHT = "flights from Oslo to Bangkok 10 January to 31 January"


@pytest.mark.parametrize(
    ("said", "back"),
    [
        ("three weeks is too long, make it two", 24),
        ("three weeks is too long, make it two please", 24),
        ("3 weeks are too long, make that 2", 24),
        ("three weeks is too much, make it one", 17),
        ("21 days is too long, make it 14", 24),
        ("21 nights is a bit too long, make it 10 instead", 20),
        ("three weeks seems too long. make it two", 24),
        ("three weeks is far too long, just two", 24),
    ],
)
def test_number_is_one_of_the_unit_before(said: str, back: int) -> None:
    flight = told(FLIGHT, said, today=TODAY).flight
    assert (flight.departure_date, flight.return_date) == (date(2027, 1, 10), date(2027, 1, back))
    assert flight.passengers is None


@pytest.mark.parametrize(
    ("said", "people"),
    [
        ("make it two people", 2),
        ("make it 2 adults", 2),
        ("three weeks is too long", None),
        ("three weeks is fine", None),
        ("2 nights is too short", None),
        ("the layover is too long", None),
    ],
)
def test_other_numbers_are_no_length(said: str, people: int | None) -> None:
    flight = told(FLIGHT, said, today=TODAY).flight
    assert (flight.return_date, flight.passengers) == (date(2027, 1, 31), people)
