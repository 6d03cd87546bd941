"""What no reader made anything of is told in the user's own words, and stays with the request."""

from dataclasses import replace
from datetime import date

import pytest

from backend.travel.understanding.dialogue.prompt import Situation
from backend.travel.understanding.dialogue.search_requests import understand_search
from backend.travel.understanding.dialogue.whole_requests import MOST_UNUSED
from backend.travel.understanding.english.reader import read_message
from backend.travel.understanding.english.wording import noted, refusals
from backend.travel.understanding.requested import requested, unused_of
from tests.understanding.conversation import TODAY, told

STAY = "a hotel in Rome from 5 to 8 December"
FLIGHT = "flights from Berlin to Lisbon on 10 December"


def unread(*messages: str) -> list[str]:
    return [one.said for one in told(*messages).refused if one.reason == "not_understood"]


def test_unused_words_are_told_in_one_sentence() -> None:
    assert refusals(told(f"{STAY} with a sea view")) == 'I did nothing with "with a sea view".'
    several = refusals(told(f"{STAY}, with a sea view, a crib and a bathtub"))
    assert several == 'I did nothing with "with a sea view", "a crib" and "a bathtub".'


def test_request_keeps_the_latest_dozen_of_its_unused_wishes() -> None:
    things = (
        "crib bathtub balcony lift library terrace fireplace piano minibar kettle hammock telescope bidet"
    )
    wishes = [f"a {thing}" for thing in (*things.split(), "sea view")]
    unused = told(STAY, *(f"4 stars and {wish}" for wish in wishes)).unused
    assert unused == tuple(wishes[-MOST_UNUSED:])


def test_wishes_beside_an_act_and_a_tour_are_told() -> None:
    assert [one.said for one in told(STAY, "book the cheapest with a sea view").refused] == ["a sea view"]
    tour = "Rome, Athens and Lisbon from Berlin in any order in May, 3 nights each"
    assert unread(tour) == []
    assert unread(f"{tour}, with a sea view") == ["with a sea view"]


def test_clients_are_shown_what_is_not_used_and_what_is_assumed() -> None:
    understood = told(f"{FLIGHT} for 2 with a stroller, and a hotel there")
    flight, stay = requested("flight", understood), requested("hotel", understood)
    assert flight["unused"] == stay["unused"] == ["with a stroller"]
    assert flight["assumed"] == ["cabin_class"]
    assert stay["assumed"] == ["check_in", "check_out", "guests", "rooms"]
    assert unused_of(told(f"{STAY} near my aunt")) == ("my aunt",)


@pytest.mark.parametrize(
    ("said", "is_request"),
    [
        (f"{STAY} with a sea view", True),
        ("in Naples instead, with a sea view", True),
        ("what kind of weather can I expect there on the 1st?", False),
        ("could you reserve a table for 6 at Lucille's under the name Tom at 5pm", False),
    ],
)
def test_unread_words_are_looked_for_in_requests_only(said, is_request):
    looked_for = []

    def read(message, background):
        return replace(read_message(message, background), unread=lambda: looked_for.append(message) or ())

    before = told(STAY)
    understood = understand_search(said, read, Situation(before, TODAY))
    assert (understood.relation not in ("other", "stop")) == is_request
    assert looked_for == ([said] if is_request else [])


@pytest.mark.parametrize(("message", "nights"), [("for 5 nights", 5), ("two weeks i think", 14)])
def test_how_long_a_journey_takes_is_noted_and_kept_until_its_day_is_told(message, nights):
    asked = told("flights from Toronto to Vancouver in July", message)
    assert noted(asked) == f"Noted: for {nights} nights."
    left = told("flights from Toronto to Vancouver in July", message, "the 12th").flight
    assert left.return_date == date(2027, 7, 12 + nights)


@pytest.mark.parametrize(
    ("said", "told_of_it"),
    [("only the hotel for now", "Noted: hotels only."), ("2 people", "Noted: 2 passengers.")],
)
def test_what_is_told_while_a_day_is_asked_is_noted(said, told_of_it):
    assert noted(told("flights and hotel in Rome from Berlin in May", said)) == told_of_it
