"""Places that nobody wants to fly to, while it is open where to: none is searched, each is kept in mind."""

from datetime import date
from functools import partial

import pytest

from backend.travel.understanding.english.wording import noted
from tests.understanding.conversation import told

after = partial(told, today=date(2026, 11, 23))
OPEN = "anywhere cheap from Berlin on 15 January"


@pytest.mark.parametrize(
    ("said", "cities"),
    [
        ("not prague or vienna tho been there", ["Prague", "Vienna"]),
        ("no dubai pls", ["Dubai"]),
        ("no dubai pls, and max 12h flights", ["Dubai"]),
        ("neither Rome nor Paris", ["Rome", "Paris"]),
        ("not Oslo, Rome or Paris", ["Oslo", "Rome", "Paris"]),
        ("anywhere but Hamburg or Munich", ["Hamburg", "Munich"]),
        ("except Prague, Vienna, or Rome", ["Prague", "Vienna", "Rome"]),
        ("we don't want to go to Cairo or to Tunis", ["Cairo", "Tunis"]),
    ],
)
def test_list_of_places_is_spoken_against_as_a_whole(said: str, cities: list[str]) -> None:
    understood = after(OPEN, said)
    assert understood.agents == ("flight",)
    assert understood.flight.destination is None
    assert understood.open_goal
    assert [place.city.name for place in understood.open_goal.left_out] == cities
    assert understood.refused == ()
    assert f"not to {cities[0]}" in noted(understood)


def test_they_add_up_and_last_until_a_place_is_chosen() -> None:
    said = (OPEN, "not Prague", "no Vienna either", "up to 100 euros")
    still = after(*said)
    assert still.open_goal
    assert [place.city.name for place in still.open_goal.left_out] == ["Prague", "Vienna"]
    chosen = after(*said, "ok Prague after all")
    assert chosen.open_goal is None
    assert chosen.flight.destination
    assert chosen.flight.destination.city.name == "Prague"


@pytest.mark.parametrize(
    ("said", "goal"),
    [
        ("not Rome, Paris", "Paris"), ("Paris not Rome or Vienna", "Paris"),
        ("not Rome or Vienna, Paris", "Paris"), ("instead of Rome: Paris or Vienna", "Paris"),
    ],
)  # fmt: skip
def test_what_is_wanted_in_their_place_is_searched(said: str, goal: str) -> None:
    flight = after("flights from Berlin to Rome on 5 December", said).flight
    assert flight.destination
    assert flight.destination.city.name == goal


def test_that_it_has_to_be_warm_is_kept() -> None:
    later = after("somewhere warm from Munich on 1 February", "no Dubai please", "2 people")
    assert later.open_goal
    assert later.open_goal.is_warm
