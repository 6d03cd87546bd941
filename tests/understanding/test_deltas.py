"""Changes that do not tell the new value: days moved, wishes taken away, numbers nobody can mean."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from backend.travel.understanding.english.details.removals import find_removals
from backend.travel.understanding.english.details.shifts import find_shift
from backend.travel.understanding.english.language.text import Text
from backend.travel.values.travel import Money
from tests.understanding.conversation import BERLIN_TO_TOKYO, LISBON, flight, hotel, told

RETURN = "return flights from Oslo to Athens, 4 to 8 December, 2 people"
STAY = "a hotel in Rome from 3 May for 2 nights"


def day(text: str) -> date:
    return date.fromisoformat(text)


@pytest.mark.parametrize(
    ("before", "said", "changed"),
    [
        (BERLIN_TO_TOKYO, "two weeks later", {"departure_date": day("2026-12-24")}),
        (BERLIN_TO_TOKYO, "a day earlier please", {"departure_date": day("2026-12-09")}),
        (BERLIN_TO_TOKYO, "leave a day earlier", {"departure_date": day("2026-12-09")}),
        (BERLIN_TO_TOKYO, "a month later", {"departure_date": day("2027-01-10")}),
        (BERLIN_TO_TOKYO, "the friday after that", {"departure_date": day("2026-12-11")}),
        (BERLIN_TO_TOKYO, "the tuesday before", {"departure_date": day("2026-12-08")}),
        (BERLIN_TO_TOKYO, "the day after", {"departure_date": day("2026-12-11")}),
        (BERLIN_TO_TOKYO, "one more person", {"passengers": 2}),
        (BERLIN_TO_TOKYO, "the other way round please", {"origin": "Tokyo", "destination": "Berlin"}),
        (BERLIN_TO_TOKYO, "the week after", {"departure_date": day("2026-12-17")}),
        (RETURN, "I'd like to stay out there one day more", {"return_date": day("2026-12-09")}),
        (
            RETURN,
            "a week later",
            {"departure_date": day("2026-12-11"), "return_date": day("2026-12-15")},
        ),
        (RETURN, "leave one day earlier", {"departure_date": day("2026-12-03")}),
        (RETURN, "come back a day later", {"return_date": day("2026-12-09")}),
        (RETURN, "stay two days longer", {"return_date": day("2026-12-10")}),
        (RETURN, "a day shorter", {"return_date": day("2026-12-07")}),
        (RETURN, "another adult", {"passengers": 3}),
        (
            RETURN,
            "postpone it by 3 days",
            {"departure_date": day("2026-12-07"), "return_date": day("2026-12-11")},
        ),
    ],
)
def test_flight_is_moved_by_what_is_said(before: str, said: str, changed: dict[str, Any]) -> None:
    understood = told(before, said)
    assert (understood.relation, understood.agents) == ("refine", ("flight",))
    assert flight(understood) == flight(told(before)) | changed


@pytest.mark.parametrize(
    ("said", "changed"),
    [
        ("one night more", {"nights": 3}),
        ("one more night", {"nights": 3}),
        ("a week longer", {"nights": 9}),
        ("another night", {"nights": 3}),
        ("extend it by two nights", {"nights": 4}),
        ("one night less", {"nights": 1}),
        ("two days later", {"check_in": day("2027-05-05")}),
        ("another room", {"rooms": 2}),
    ],
)
def test_stay_is_moved_or_lengthened_by_what_is_said(said: str, changed: dict[str, Any]) -> None:
    understood = told(STAY, said)
    assert (understood.relation, understood.agents) == ("refine", ("hotel",))
    assert hotel(understood) == hotel(told(STAY)) | changed


def test_night_more_moves_the_flight_back_of_the_same_trip() -> None:
    understood = told(LISBON, "one night more")
    assert understood.agents == ("flight", "hotel")
    assert (understood.flight.return_date, understood.hotel.check_out) == (
        day("2027-01-16"),
        day("2027-01-16"),
    )


def test_night_more_at_the_hotel_alone_leaves_the_flight() -> None:
    understood = told(LISBON, "make the hotel one night longer")
    assert understood.flight.return_date == day("2027-01-15")
    assert understood.hotel.check_out == day("2027-01-16")


@pytest.mark.parametrize(
    ("said", "reason"),
    [("two months earlier", "day_has_passed"), ("a week shorter", "ends_before_it_begins")],
)
def test_change_that_cannot_be_is_refused_and_changes_nothing(said: str, reason: str) -> None:
    understood = told(RETURN, said)
    assert flight(understood) == flight(told(RETURN))
    assert [(one.said, one.reason) for one in understood.refused] == [(said, reason)]


@pytest.mark.parametrize(
    "said",
    [
        "cheaper options later",
        "the day after tomorrow",
        "3 days before Christmas",
        "two nights",
        "a later flight",
    ],
)
def test_what_tells_no_amount_or_a_day_of_its_own_moves_nothing(said: str) -> None:
    assert find_shift(Text(said)) is None


PRICES = {"flight.max_price", "flight.max_total", "hotel.max_price", "hotel.max_total", "car.max_price"}


@pytest.mark.parametrize(
    ("said", "slots"),
    [
        ("forget the price limit", PRICES),
        ("price doesn't matter", PRICES),
        ("any airline is fine", {"flight.airline", "flight.airlines", "flight.not_airlines"}),
        ("not Lufthansa", {"flight.airline", "flight.airlines:Lufthansa"}),
        ("I'd rather not fly with easyJet", {"flight.airline", "flight.airlines:easyJet"}),
        ("cancel the return", {"flight.return_date"}),
        ("without the return flight", {"flight.return_date"}),
        ("make it one way", {"flight.return_date"}),
        ("it doesn't have to be direct", {"flight.max_stops"}),
        ("not business class", {"flight.cabin_class"}),
        ("the star rating is not important", {"hotel.stars"}),
        ("never mind the 4 stars", {"hotel.stars"}),
        ("I don't mind stops", {"flight.max_stops"}),
        ("any area", {"hotel.district"}),
        ("no pool", {"hotel.amenities:pool"}),
        ("no return flights?", {"flight.return_date"}),
        ("any return flights?", set()),
        ("no more than 200 euros", set()),
        ("not one way", set()),
        ("14th not 4th", set()),
    ],
)
def test_removed_value_empties_its_slots(said: str, slots: set[str]) -> None:
    assert {slot for removal in find_removals(Text(said)) for slot in removal.slots} == slots


@pytest.mark.parametrize(
    ("before", "said", "dropped"),
    [
        ("Lisbon to Madrid on 28 Nov under 80 euros", "forget the price limit", "flight.max_price"),
        (RETURN, "cancel the return", "flight.return_date"),
        (RETURN, "one way", "flight.return_date"),
        ("business class from Oslo to Rome on 3 May", "not business class", "flight.cabin_class"),
    ],
)
def test_wish_taken_away_is_dropped_and_the_rest_kept(before: str, said: str, dropped: str) -> None:
    known, understood = told(before), told(before, said)
    assert (understood.relation, understood.agents, understood.dropped) == ("refine", ("flight",), (dropped,))
    name = dropped.partition(".")[2]
    assert flight(understood) == {key: value for key, value in flight(known).items() if key != name}


def test_airline_that_is_taken_away_is_left_out_from_then_on() -> None:
    understood = told("from Oslo to Rome on 3 May with Lufthansa", "not Lufthansa please")
    assert understood.dropped == ("flight.airline", "flight.airlines")
    assert flight(understood) == flight(told("from Oslo to Rome on 3 May")) | {"not_airlines": ("Lufthansa",)}


def test_one_amenity_of_several_can_be_taken_away() -> None:
    understood = told("a hotel in Rome tomorrow with pool and wifi", "no pool needed")
    assert understood.hotel.amenities == ("wifi",)


def test_what_is_said_instead_counts() -> None:
    understood = told("business class from Oslo to Rome on 3 May", "not business, economy. up to 200 euros")
    assert understood.flight.cabin_class == "economy"
    assert understood.flight.max_price == Money(amount=Decimal(200))


def test_airline_that_is_not_wanted_is_no_wish_for_it_and_is_left_out() -> None:
    understood = told("flights from Oslo to Rome on 3 May, not Lufthansa")
    assert understood.flight.airline is None
    assert understood.flight.not_airlines == ("Lufthansa",)
    assert understood.refused == ()


@pytest.mark.parametrize(
    ("said", "refused"),
    [
        ("flights from Oslo to Rome on 3 May for 0 people", "0 people"),
        ("flights from Oslo to Rome on 3 May for 1000 people", "1000 people"),
        ("a hotel in Rome tomorrow for 900 nights", "900 nights"),
        ("a 7-star hotel in Rome tomorrow", "7-star"),
        ("a hotel in Rome tomorrow, 100 rooms", "100 rooms"),
    ],
)
def test_number_nobody_can_mean_is_refused_in_words(said: str, refused: str) -> None:
    understood = told(said)
    assert [(one.said, one.reason) for one in understood.refused] == [(refused, "impossible_count")]
    assert (understood.flight.passengers, understood.hotel.guests, understood.hotel.stars) == (
        None,
        None,
        None,
    )


def test_day_trip_that_is_moved_remains_one() -> None:
    moved = told("flights from Berlin to Rome on 5 December, returning 5 December", "a day later")
    assert (moved.flight.departure_date, moved.flight.return_date) == (date(2026, 12, 6), date(2026, 12, 6))


def test_one_more_joins_those_that_either_side_of_the_trip_tells() -> None:
    joined = told(
        "forget the price limit", "flights from Berlin to Rome tomorrow, 2 people", "one more person"
    )
    assert (joined.flight.passengers, joined.hotel.guests) == (3, 3)
