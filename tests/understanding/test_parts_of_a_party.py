"""Some of those who travel do so on other days: one search is for all who travel together."""

import pytest

from .conversation import flight, told

FLIGHTS = "flights from London to Porto 3-12 March for 4 people"


@pytest.mark.parametrize(
    "message",
    [
        "my parents fly on the 17th",
        "two of the girls come home on Monday instead",
        "one of us has to fly back on the 10th",
        "the kids will fly home on the 10th",
        "my brother is flying from Leeds",
        "half of the group leaves on the 5th",
        "the others return on the 14th",
        "my sister will come from Dublin",
        "some of us leave on the 2nd",
        "but my mother flies back on the 9th",
        "my wife can only leave on the 4th",
        "our kids arrive on the 5th",
        "my dad goes home on the 8th",
        "two of us are coming back on the 9th",
        "and three of us want to return on the 10th",
    ],
)
def test_what_some_do_changes_nothing_for_all_and_is_told(message: str) -> None:
    understood = told(FLIGHTS, message)
    assert flight(understood) == flight(told(FLIGHTS))
    assert [one.reason for one in understood.refused] == ["part_of_party"]


@pytest.mark.parametrize(
    "message",
    [
        "we fly on the 17th",
        "all of us fly on the 17th",
        "my parents and I fly on the 17th",
        "my mother is coming too",
        "can we fly on the 17th",
        "two more people are coming",
        "come back on the 9th",
        "the flight on the 17th",
        "we can only leave on the 4th",
    ],
)
def test_what_all_do_changes_the_search(message: str) -> None:
    understood = told(FLIGHTS, message)
    assert flight(understood) != flight(told(FLIGHTS))
    assert not [one for one in understood.refused if one.reason == "part_of_party"]


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("flights to Porto on 3 March for my parents", "my parents fly from London"),
        ("flights from London to Porto for my sister", "my sister flies on 3 March"),
    ],
)
def test_answer_about_those_who_travel_is_taken(asked: str, answer: str) -> None:
    found = told(asked, answer).flight
    assert found.origin is not None
    assert found.departure_date is not None
