"""Places between which a message leaves a choice: "Tenerife or Lanzarote"; and the choice, told later."""

from datetime import date
from functools import partial

import pytest

from backend.travel.understanding.english.choices_in_words import steps_to_others
from backend.travel.understanding.english.wording import doubts
from tests.understanding.conversation import name, told

after = partial(told, today=date(2026, 11, 23))
ISLANDS = "London to Tenerife or Lanzarote on 5 December for a week"


@pytest.mark.parametrize(
    ("before", "said", "goal", "others"),
    [
        ("Munich to Male on 1 Feb for 2", "otherwise zanzibar or mauritius", "Zanzibar", ["Mauritius"]),
        ("Munich to Male on 1 Feb for 2", "or Zanzibar or Mauritius", "Zanzibar", ["Mauritius"]),
        ("Berlin to Rome on 5 December", "no, Lisbon or Porto", "Lisbon", ["Porto"]),
        ("Berlin to Rome on 5 December", "make it Oslo or Bergen", "Oslo", ["Bergen"]),
        (
            "Berlin to Rome on 5 December",
            "Athens or Crete or Rhodes please",
            "Athens",
            ["Rhodes"],
        ),
    ],
)
def test_all_that_are_named_are_held(before: str, said: str, goal: str, others: list[str]) -> None:
    understood = after(before, said)
    assert name(understood.flight.destination) == goal
    steps = " ".join(steps_to_others(understood))
    assert all(f"{other} instead" in steps for other in others)
    assert understood.refused == ()
    assert doubts(understood) == ""


@pytest.mark.parametrize(
    ("said", "goal"),
    [
        ("Lanzarote it is!", "Lanzarote"),
        ("Tenerife it is", "Tenerife"),
        ("ok lanzarote then", "Lanzarote"),
        ("Tenerife wins", "Tenerife"),
        ("Right, Lanzarote it is! Could you find us a nice hotel with a pool, two rooms", "Lanzarote"),
        ("it'll be great: Lanzarote it'll be, and add a hotel please", "Lanzarote"),
        ("Tenerife wins, add a hotel", "Tenerife"),
    ],
)
def test_what_is_chosen_is_searched_by_all_and_asked_no_more(said: str, goal: str) -> None:
    understood = after(ISLANDS, said)
    assert name(understood.flight.destination) == goal
    assert understood.hotel.city is None or name(understood.hotel.city) == goal
    assert understood.flight.departure_date == date(2026, 12, 5)
    assert steps_to_others(understood) == []
    assert doubts(understood) == ""


@pytest.mark.parametrize(
    ("said", "start", "goal"),
    [
        ("flights from JFK or ewr to Boston on 4 December", "New York", "Boston"),
        ("from jfk or ewr to Boston on 4 December", "New York", "Boston"),
        ("Boston to Newark or JFK on 4 December", "Boston", "New York"),
        ("flights from Heathrow or Gatwick to Rome on 5 December", "London", "Rome"),
        ("flights from Rome to ORY or CDG on 5 December", "Rome", "Paris"),
    ],
)
def test_airports_of_one_city_are_that_city(said: str, start: str, goal: str) -> None:
    understood = after(said)
    assert (name(understood.flight.origin), name(understood.flight.destination)) == (start, goal)
    assert understood.alternatives == ()
    assert understood.refused == ()


@pytest.mark.parametrize("said", ["lisbon it is", "Lisbon it is then", "ok lisbon it'll be", "lisbon wins"])
def test_who_decides_for_a_place_is_not_asked_whether_it_is_meant(said: str) -> None:
    understood = after("flight London to Madrid 4 dec back 8 dec", said)
    assert name(understood.flight.destination) == "Lisbon"
    assert doubts(understood) == ""
