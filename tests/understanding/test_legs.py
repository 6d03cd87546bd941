"""Journeys that are told flight by flight, or stay by stay, and lists of cities to go through."""

from datetime import date

import pytest

from .conversation import flight, hotel, told
from .tours import nights, way, wish

SPAIN = "tour Madrid Seville Granada from Paris 1-10 May"


@pytest.mark.parametrize(
    ("message", "cities", "stays"),
    [
        ("Berlin to Rome 3 may, Rome to Athens 7 may, Athens back to Berlin 11 may",
         "Berlin Rome Athens Berlin", [4, 4]),
        ("Berlin to Rome 3 may, then Rome to Athens 7 may", "Berlin Rome Athens", [4, None]),
        ("berlin to rome 3 may, rome to athens 7 may, athens to berlin 11 may for 2",
         "Berlin Rome Athens Berlin", [4, 4]),
        ("BER-FCO 3 may, FCO-ATH 7 may, ATH-BER 11 may", "Berlin Rome Athens Berlin", [4, 4]),
        ("fly from Berlin to Rome on 3 May, from Rome to Athens on 7 May and from Athens to Berlin on 11 May",
         "Berlin Rome Athens Berlin", [4, 4]),
        ("3 May Berlin to Rome, 7 May Rome to Athens", "Berlin Rome Athens", [4, None]),
        ("Berlin to Rome 3 may, Athens 7 may, back to Berlin 11 may", "Berlin Rome Athens Berlin", [4, 4]),
        ("from Berlin to Rome 3 may, Athens 7 may, Oslo 11 may", "Berlin Rome Athens Oslo", [4, 4, None]),
        ("3 days Paris, 2 days Lyon, 4 days Nice from Berlin starting 3 may", "Berlin Paris Lyon Nice",
         [3, 2, 4]),
        ("Paris 3 days, Lyon 2 days, Nice 4 days from Berlin starting 3 may", "Berlin Paris Lyon Nice",
         [3, 2, 4]),
        ("3 nights in Rome and 2 nights in Naples from Berlin, starting 3 may, and back",
         "Berlin Rome Naples Berlin", [3, 2]),
        ("a loop: Copenhagen, Hamburg, Berlin, Prague, starting 3 may, 3 nights each",
         "Copenhagen Hamburg Berlin Prague Copenhagen", [3, 3, 3]),
    ],
)  # fmt: skip
def test_journey_told_in_its_parts_is_one_in_that_order(
    message: str, cities: str, stays: list[int | None]
) -> None:
    tour = wish(message)
    assert tour.ordered
    assert (way(tour), nights(tour), tour.first_day) == (cities.split(), stays, date(2027, 5, 3))


@pytest.mark.parametrize(
    ("message", "cities", "ordered"),
    [
        (SPAIN, "Paris Madrid Seville Granada", False),
        (
            "round trip from Paris: Madrid, Seville, Granada, 1-10 may",
            "Paris Madrid Seville Granada Paris",
            True,
        ),
        (
            "round trip: Madrid, Seville, Granada from Paris, 1-10 may",
            "Paris Madrid Seville Granada Paris",
            True,
        ),
        ("itinerary from Paris: Madrid, Seville, 1-10 may", "Paris Madrid Seville", False),
    ],
)
def test_all_cities_of_a_list_are_gone_to(message: str, cities: str, ordered: bool) -> None:
    tour = wish(message)
    assert (way(tour), tour.ordered) == (cities.split(), ordered)
    assert (tour.earliest, tour.latest) == (date(2027, 5, 1), date(2027, 5, 10))


@pytest.mark.parametrize(
    "message",
    [
        "flights Oslo to Rome 3 may, Rome to Oslo 9 may",
        "flights from Berlin to Rome 3 may back 9 may",
        "I was in Rome, now from Rome to Oslo 3 may",
        "hotel in Rome for 3 nights or 2 nights in Rome",
        "hotels: 3 nights in Rome and 2 nights in Naples",
        "round trip Paris Madrid 1-10 may",
        "round trip from Paris to Madrid, 1-10 may",
        "Berlin to Rome 3 may or Berlin to Athens 7 may",
        "Rome 3 nights, no, 2 nights",
        "2 nights in Rome from 3 may",
    ],
)
def test_one_goal_is_no_journey_through_several(message: str) -> None:
    understood = told(message)
    assert understood.tour is None
    assert flight(understood) or hotel(understood)


@pytest.mark.parametrize(
    ("said", "cities", "ordered"),
    [
        ("start with Granada", "Paris Granada Madrid Seville", True),
        ("Granada first", "Paris Granada Madrid Seville", True),
        ("end in Madrid", "Paris Seville Granada Madrid", True),
        ("Madrid last please", "Paris Seville Granada Madrid", True),
        ("in that order", "Paris Madrid Seville Granada", True),
        ("skip Granada", "Paris Madrid Seville", False),
        ("add Malaga", "Paris Madrid Seville Granada Málaga", False),
        ("3 nights in Seville", "Paris Madrid Seville Granada", False),
        ("for 2", "Paris Madrid Seville Granada", False),
        ("and back", "Paris Madrid Seville Granada Paris", False),
        ("start on 3 May", "Paris Madrid Seville Granada", False),
    ],
)
def test_list_that_is_gone_through_is_changed_in_few_words(said: str, cities: str, ordered: bool) -> None:
    tour = wish(SPAIN, said)
    assert (way(tour), tour.ordered) == (cities.split(), ordered)


def test_order_is_given_up_again() -> None:
    assert not wish(SPAIN, "in that order", "any order is fine").ordered
