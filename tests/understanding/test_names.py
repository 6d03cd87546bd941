"""Names of people, many of which are names of cities too."""

import pytest

from .conversation import BERLIN_TO_TOKYO, flight, hotel, told

BERLIN_TO_ROME = {"origin": "Berlin", "destination": "Rome"}


@pytest.mark.parametrize(
    "said",
    [
        "under the name Paris Hilton",
        "in the name of Victoria Nice",
        "my name is Lima and I'm 34",
        "call me Vienna",
        "my name's Florence",
        "send the receipt to Florence, my assistant",
        "please email the confirmation to Paris",
        "forward it to Sydney, my secretary",
        "ask Dallas",
        "my son Austin hates flying",
        "No, my daughter Florence already bought it",
    ],
)
def test_somebody_who_is_called_like_a_city_is_no_journey(said: str) -> None:
    after = told(BERLIN_TO_TOKYO, said)
    assert flight(after) == flight(told(BERLIN_TO_TOKYO))
    assert hotel(after) == {}


@pytest.mark.parametrize(
    ("said", "count"),
    [
        ("Austin and I", 2),
        ("me and Charlotte", 2),
        ("Charlotte is coming with me", 2),
        ("for Paris and me", 2),
        ("just me and Sydney", 2),
        ("I go with my son Austin", 2),
        ("me, my wife and my daughter Florence", 3),
    ],
)
def test_those_who_come_along_are_counted_by_their_names(said: str, count: int) -> None:
    assert flight(told(BERLIN_TO_TOKYO, said))["passengers"] == count
    assert flight(told(BERLIN_TO_TOKYO, said))["destination"] == "Tokyo"


@pytest.mark.parametrize(
    "said",
    [
        "Paris and I are flying from Berlin to Rome on 3 May",
        "My name is Sydney, from Berlin to Rome on 3 May",
        "from Berlin to Rome on 3 May, and my daughter Victoria and me",
    ],
)
def test_journey_beside_a_name_is_read(said: str) -> None:
    assert BERLIN_TO_ROME.items() <= flight(told(said)).items()


@pytest.mark.parametrize(
    ("said", "goal"),
    [
        ("send me to Florence on 3 May from Berlin", "Florence"),
        ("show me flights to Paris on 3 May from Berlin", "Paris"),
        ("tell me about flights to Sydney from Berlin on 3 May", "Sydney"),
        ("from Berlin to Florence and I need a hotel, 3 to 5 May", "Florence"),
        ("from Berlin to Florence, my favourite city, on 3 May", "Florence"),
        ("for my wife Berlin to Florence on 3 May", "Florence"),
        ("for my son Berlin - Florence 3 May", "Florence"),
        ("from Berlin to Florence on 3 May, my wife and I", "Florence"),
    ],
)
def test_city_is_no_name_of_somebody(said: str, goal: str) -> None:
    assert flight(told(said))["destination"] == goal


@pytest.mark.parametrize(
    "said",
    [
        "flight from Berlin to Rome on 3 May to visit my daughter",
        "my son lives in Rome, flight from Berlin to Rome on 3 May",
        "flights Berlin Rome 3 May, my son loves it there",
    ],
)
def test_child_who_is_only_spoken_of_does_not_travel(said: str) -> None:
    after = told(said).flight
    assert (after.passengers, after.children) == (None, ())
