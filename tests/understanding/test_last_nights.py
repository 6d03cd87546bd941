"""A bed for the end of a journey alone, and those who travel from elsewhere than the others."""

from datetime import date

import pytest

from backend.travel.understanding.english.wording import refusals
from tests.understanding.conversation import flight, told

FLIGHT = "flight London to Geneva 5 dec back 12 dec"


@pytest.mark.parametrize(
    ("said", "nights"),
    [
        ("hotel only for the last night", 1),
        ("the last night in Geneva please", 1),
        ("hotel for the final 3 nights pls", 3),
        ("only need somewhere to sleep the last two nights", 2),
        ("hotel just for the last 2 nights", 2),
    ],
)
def test_last_nights_are_those_before_the_flight_back(said: str, nights: int) -> None:
    understood = told(FLIGHT, said)
    assert (understood.hotel.check_in, understood.hotel.check_out) == (
        date(2026, 12, 12 - nights),
        date(2026, 12, 12),
    )
    assert (understood.flight, understood.refused) == (told(FLIGHT).flight, ())


def test_last_night_may_be_told_in_the_opening_message() -> None:
    understood = told("flying madrid to athens 2-10 march, hotel only for the last night")
    assert (understood.hotel.check_in, understood.hotel.check_out) == (date(2027, 3, 9), date(2027, 3, 10))


def test_last_night_is_yesterdays() -> None:
    assert told(FLIGHT, "i slept badly last night").agents == ()


@pytest.mark.parametrize(
    ("said", "origin", "left_out"),
    [
        ("we are 3 from Berlin and 2 from Munich, all to Lisbon 5 to 9 march", "Berlin", "2 from Munich"),
        ("flights to Lisbon 5-9 march, me from Berlin and my friend from Hamburg", "Berlin",
         "my friend from Hamburg"),
        ("flights to Lisbon 5-9 march from Berlin, my sister flies from Oslo", "Berlin",
         "my sister flies from Oslo"),
        ("flights to Lisbon 5-9 march, two people from London, one from Paris", "London", "one from Paris"),
    ],
)  # fmt: skip
def test_those_who_start_elsewhere_are_told_to_be_left_out(said: str, origin: str, left_out: str) -> None:
    understood = told(said)
    assert flight(understood)["origin"] == origin
    assert f'"{left_out}" changed nothing' in refusals(understood)


def test_traveller_from_elsewhere_changes_no_flight_of_the_others() -> None:
    before = "flights London to Rome 5-12 dec for 4"
    understood = told(before, "my brother joins from Dublin on the 7th")
    assert understood.flight == told(before).flight
    assert '"my brother joins from Dublin on the 7th" changed nothing' in refusals(understood)


@pytest.mark.parametrize(
    "said",
    ["flights from Berlin or Hamburg to Lisbon 5-9 march", "flight from Berlin, no from Hamburg, to Lisbon",
     "flights from Berlin to Rome 3 may and from Rome to Athens 7 may"],
)  # fmt: skip
def test_choice_a_correction_and_a_further_leg_leave_nobody_out(said: str) -> None:
    assert "changed nothing" not in refusals(told(said))
