"""Which place a bare name fills: the one that is asked for, or, in words of correction, the goal."""

import pytest

from tests.understanding.conversation import flight, hotel, told

SEVERAL_GOALS = "a flight from Hamburg to Athens on 3 December and a hotel in {}"


@pytest.mark.parametrize(
    "said",
    ["Actually, make it Kyoto", "make it Kyoto", "Kyoto instead", "rather Kyoto", "Kyoto, actually"],
)
def test_correction_changes_the_goal_while_the_start_is_asked_for(said: str) -> None:
    understood = told("find flights to Sapporo on 4 December", said)
    assert (understood.relation, understood.missing) == ("refine", ("flight.origin",))
    assert flight(understood) | {"departure_date": None} == {"destination": "Kyoto", "departure_date": None}


def test_correction_changes_the_goal_of_flight_and_stay() -> None:
    understood = told("flights and hotels in Athens", "make it Lisbon")
    assert (flight(understood), hotel(understood)) == ({"destination": "Lisbon"}, {"city": "Lisbon"})


@pytest.mark.parametrize("said", ["Kyoto", "actually from Kyoto", "Kyoto, and make it 2 people"])
def test_what_corrects_no_place_still_answers_where_to_start(said: str) -> None:
    understood = told("find flights to Sapporo on 4 December", said)
    assert (flight(understood)["origin"], flight(understood)["destination"]) == ("Kyoto", "Sapporo")


@pytest.mark.parametrize("place", ["Portugal", "Qwertyville"])
def test_hotel_in_no_city_that_is_known_is_not_put_where_the_flight_goes(place: str) -> None:
    understood = told(SEVERAL_GOALS.format(place))
    assert (understood.missing, "city" in hotel(understood)) == (("hotel.city",), False)


@pytest.mark.parametrize("place", ["Portugal", "Qwertyville"])
def test_city_of_the_hotel_stays_open_until_it_is_said(place: str) -> None:
    understood = told(SEVERAL_GOALS.format(place), "for 2 people")
    assert understood.missing == ("hotel.city",)
    understood = told(SEVERAL_GOALS.format(place), "for 2 people", "Porto")
    assert (hotel(understood)["city"], flight(understood)["destination"]) == ("Porto", "Athens")


def test_hotel_in_a_country_is_added_without_a_city() -> None:
    understood = told("flights from Hamburg to Athens on 3 December", "add a hotel in Portugal")
    assert (understood.agents, understood.missing) == (("hotel",), ("hotel.city",))


FLIGHT_TO_LISBON = "flights from London to Lisbon 12 January to 19 January"


@pytest.mark.parametrize(
    ("said", "goal"),
    [
        ("hmm what about the canaries", None),
        ("what about the canary islands instead", None),
        ("Canaries maybe", None),
        ("maybe the greek islands", None),
        ("how about greece", None),
        ("hmm, tuscany?", None),
        ("I would rather go to the Canaries", None),
        ("make it the canaries", None),
        ("or the algarve", "Faro"),
        ("the canaries are too far", "Lisbon"),
        ("we were in greece last year", "Lisbon"),
        ("what about the weather in the canaries", "Lisbon"),
    ],
)
def test_region_in_the_place_of_the_goal_is_asked_for_its_city(said: str, goal: str | None) -> None:
    understood = told(FLIGHT_TO_LISBON, said)
    assert flight(understood).get("destination") == goal
    assert (understood.missing == ("flight.destination",)) == (goal is None)
