"""A second city that is not searched is offered or named, and never dropped in silence."""

from datetime import date

import pytest

from backend.travel.understanding.english.wording import steps_to_others
from tests.understanding.conversation import told

TODAY = date(2026, 11, 23)
FLIGHT = "flights from Milan to Naples on 5 December"
STAY = "hotel in Turin from 11 to 13 December"


def _left_out(*messages: str) -> list[str]:
    refused = told(*messages, today=TODAY).refused
    return [one.said for one in refused if one.reason == "one_city_at_a_time"]


@pytest.mark.parametrize(
    ("before", "said", "city"),
    [
        (FLIGHT, "or Palermo, whichever is cheaper", "Palermo"),
        (FLIGHT, "or Palermo if it is cheaper", "Palermo"),
        (FLIGHT, "Palermo or Naples, whichever is cheaper", "Palermo"),
        (FLIGHT, "Naples or Palermo, whichever is cheaper", "Palermo"),
        (FLIGHT, "or to Palermo, whichever is cheaper", "Palermo"),
        (STAY, "actually I'd rather be near the lake, Como", "Como"),
        (STAY, "I'd like to be near the sea, Genoa", "Genoa"),
        (STAY, "somewhere near a lake: Como!", "Como"),
        (STAY, "wait, can you show both side by side? Genoa and Turin", "Genoa"),
        (STAY, "show me Genoa and Turin side by side", "Genoa"),
    ],
)
def test_city_that_is_not_searched_is_named(before: str, said: str, city: str) -> None:
    understood = told(before, said, today=TODAY)
    held = understood.flight.destination or understood.hotel.city
    assert held
    is_offered = f"{city} instead" in steps_to_others(understood)
    assert [held.city.name == city, _left_out(before, said) == [city], is_offered].count(True) == 1


@pytest.mark.parametrize(
    "said",
    [
        "flights from Milan to Naples or Palermo on 5 December",
        "from Gatwick or Heathrow to Rome on 5 December",
        "flights to Portland, Oregon from Boston on 5 May",
        "flights from Milan to Naples on 5 December with Lufthansa or Singapore Airlines",
        "flights from Milan to Naples on 5 December, one way",
        "flights for both of us from Milan to Naples on 5 December",
        "flights from Milan on 5 December, not to Naples or Palermo",
        "flights from Milan to Naples or nice beaches on 5 December",
        "we go together from Milan to Naples on 5 December",
        "my sister lives in Porto, find a hotel in Lisbon on 5 December",
        "hotel in Turin, near the station, Turin, on 5 December",
        "hotel in Turin on 5 December for two or three nights",
    ],
)
def test_cities_that_are_searched_or_offered_are_not_left_out(said: str) -> None:
    assert _left_out(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "and Turin before that", "Turin after that", "and then Turin", "and then on to Turin please",
        "after that to Turin", "Turin on the way", "but before that Turin", "and Turin afterwards",
    ],
)  # fmt: skip
def test_city_beside_the_goal_takes_its_place_nowhere(said: str) -> None:
    goal = told(FLIGHT, said, today=TODAY).flight.destination
    assert goal
    assert goal.city.name == "Naples"
    assert _left_out(FLIGHT, said) == ["Turin"]


@pytest.mark.parametrize("said", ["then Turin", "ok Turin then", "Turin it is", "no, Turin"])
def test_city_in_the_place_of_the_goal_is_searched(said: str) -> None:
    goal = told(FLIGHT, said, today=TODAY).flight.destination
    assert goal
    assert goal.city.name == "Turin"
