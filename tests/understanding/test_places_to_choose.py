"""Places between which a message leaves a choice: "Tenerife or Lanzarote"; and the choice, told later."""

from datetime import date
from functools import partial

import pytest

from backend.travel.understanding.english.wording import doubts, steps_to_others
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
def test_chosen_place_is_not_asked_about(said: str) -> None:
    understood = after("flight London to Madrid 4 dec back 8 dec", said)
    assert name(understood.flight.destination) == "Lisbon"
    assert doubts(understood) == ""


LISBON = "flights from London to Lisbon on 12 January"


@pytest.mark.parametrize(
    "by",
    [
        "instead, whichever is cheaper", ", whichever is cheapest", " whatever's cheapest",
        ". Whichever costs less", " instead, whichever has the lower fares", " instead, the cheaper one",
        ", the cheaper of the two please",
        ", depending on the price", " instead, wherever is less expensive", " if they are cheaper",
        " instead, whichever you prefer", ", whichever works out cheaper for us",
    ],
)  # fmt: skip
@pytest.mark.parametrize("start", ["", "either ", "make it ", "to ", "no, "])
def test_cities_are_held_whatever_tells_how_to_choose(start: str, by: str) -> None:
    understood = after(LISBON, f"{start}Rome or Madrid {by}")
    assert name(understood.flight.destination) == "Rome"
    assert steps_to_others(understood) == ["Madrid instead"]
    assert understood.refused == ()
    assert understood.flight.departure_date == date(2027, 1, 12)


@pytest.mark.parametrize(
    "by",
    [
        "whichever is nicer", "whichever's warmer", "whichever is closer to the beach",
        "the sunnier of the two",
        "whichever has the better weather", "whichever is quicker to get to", "depending on the weather",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "said", ["Rome or Madrid instead, {}", "Rome, Madrid or Paris, {}", "{}: Rome or Madrid"]
)
def test_what_cities_are_not_compared_by_is_left_to_the_user(said: str, by: str) -> None:
    understood = after(LISBON, said.format(by))
    assert name(understood.flight.destination) == "Rome"
    assert "Madrid instead" in steps_to_others(understood)
    assert [(one.said, one.reason) for one in understood.refused] == [(by, "not_compared")]


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("hotel in Lisbon from 3 to 6 May", "Rome or Madrid instead, whichever is cheaper"),
        ("flights to Lisbon on 12 January", "from Berlin or Hamburg, whichever is cheaper"),
    ],
)
def test_stays_and_starts_are_not_compared(before: str, said: str) -> None:
    assert [one.reason for one in after(before, said).refused] == ["not_compared"]


@pytest.mark.parametrize(
    "said", ["or Rome, whichever is cheaper", "or to Rome if it's cheaper", "or Rome, the cheaper of the two"]
)
def test_city_beside_the_known_one_is_a_choice(said: str) -> None:
    understood = after(LISBON, said)
    assert name(understood.flight.destination) == "Lisbon"
    assert steps_to_others(understood) == ["Rome instead"]
    assert understood.refused == ()


@pytest.mark.parametrize(
    ("said", "others"),
    [
        ("flights from London to Rome, Madrid or Paris on 12 January", ["Madrid instead", "Paris instead"]),
        ("flights from London to Rome, Madrid, Oslo, or Paris on 12 January", 3),
        ("flights from Rome, Madrid on 12 January", []),
    ],
)
def test_list_with_commas_is_held_as_a_whole(said: str, others: list[str] | int) -> None:
    steps = steps_to_others(after(said))
    assert others in (steps, len(steps))


@pytest.mark.parametrize(
    ("said", "goal", "day"),
    [
        ("Rome or Madrid on 14 January", "Rome", 14),
        ("Rome or Madrid on 14 January instead, whichever is cheaper", "Rome", 14),
        ("13 or 14 January, whichever is cheaper", "Lisbon", 13),
    ],
)
def test_days_beside_a_choice_are_read(said: str, goal: str, day: int) -> None:
    flight = after(LISBON, said).flight
    assert (name(flight.destination), flight.departure_date) == (goal, date(2027, 1, day))


@pytest.mark.parametrize(
    ("said", "start", "goal"),
    [
        ("jfk or ewr to lax on 12 January", "New York", "Los Angeles"),
        ("flights jfk, lga or ewr to lax 12 jan", "New York", "Los Angeles"),
        ("lhr or lgw to rome 12 jan", "London", "Rome"),
        ("flight lgw or lhr - bcn 12 jan", "London", "BCN"),
        ("lax to jfk or ewr 12 jan", "Los Angeles", "New York"),
    ],
)
def test_codes_in_small_letters_of_one_city_are_that_city(said: str, start: str, goal: str) -> None:
    understood = after(said)
    assert (name(understood.flight.origin), name(understood.flight.destination)) == (start, goal)
    assert understood.refused == ()


def test_second_one_of_a_place_that_was_decided_for_is_no_other_place() -> None:
    understood = after("flights from London to Rome or Madrid on 12 January", "Rome wins, the second one")
    assert name(understood.flight.destination) == "Rome"
    assert understood.refused == ()
