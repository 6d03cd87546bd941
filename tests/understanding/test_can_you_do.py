"""A place or a day that is asked for with "can you do" takes the place of the one before."""

from datetime import date

import pytest

from tests.understanding.conversation import flight, told

TODAY = date(2026, 11, 23)
FLIGHT = "flights from Barcelona to Paris on 15 January"


@pytest.mark.parametrize(
    ("said", "goal", "day"),
    [
        ("can u do CDG only", "CDG", 15),
        ("can you do CDG only?", "CDG", 15),
        ("can you do CDG", "CDG", 15),
        ("can we do Orly", "ORY", 15),
        ("could you do Orly instead", "ORY", 15),
        ("could we do Orly please", "ORY", 15),
        ("can you do Rome", "Rome", 15),
        ("can you do Monday?", "Paris", 18),
        ("could we do the 16th", "Paris", 16),
    ],
)
def test_what_can_be_done_instead_is_searched(said: str, goal: str, day: int) -> None:
    understood = told(FLIGHT, said, today=TODAY)
    shown = flight(understood)
    assert (shown["destination"], shown["departure_date"]) == (goal, date(2027, 1, day))
    assert understood.agents == ("flight",)


@pytest.mark.parametrize(
    "said",
    [
        "what can you do",
        "can you do that",
        "can you do me a favour",
        "can you do anything about it",
        "can you do trains",
    ],
)
def test_other_things_that_can_be_done_change_nothing(said: str) -> None:
    understood = told(FLIGHT, said, today=TODAY)
    assert (understood.agents, understood.flight) == ((), told(FLIGHT, today=TODAY).flight)
