"""A sentence that only names a fact is about the request that is on, and what was not used of it is told."""

import pytest

from backend.travel.understanding.english.wording import doubts
from tests.understanding.conversation import flight, hotel, told

FLIGHT = "flight London to Madrid 4 dec back 8 dec"
STAY = "hotel in Rome 5-8 dec"


@pytest.mark.parametrize(
    ("said", "goal"),
    [
        ("barcelona has the conference", "Barcelona"),
        ("Barcelona has the conference", "Barcelona"),
        ("turns out barcelona hosts it", "Barcelona"),
        ("seville is where my friends want to go", "Seville"),
        ("seville won the vote", "Seville"),
        ("we changed our mind its lisbon", "Lisbon"),
        ("lisbon after all", "Lisbon"),
        ("could it be barcelona, what do you think", "Barcelona"),
    ],
)
def test_city_that_a_sentence_only_names_is_taken_and_doubted(said: str, goal: str) -> None:
    understood = told(FLIGHT, said)
    assert (understood.relation, flight(understood)["destination"]) == ("refine", goal)
    assert "did you mean Madrid, Spain?" in doubts(understood)


@pytest.mark.parametrize(
    ("said", "unused"),
    [
        ("barcelona has the conference", ["has the conference"]),
        ("seville won the vote", ["won the vote"]),
        ("wife says 5th", []),
    ],
)
def test_what_a_sentence_says_beside_the_fact_is_told(said: str, unused: list[str]) -> None:
    assert [one.said for one in told(FLIGHT, said).refused] == unused


@pytest.mark.parametrize("said", ["wife says 5th", "boss wants 5th", "doc says 5th december only"])
def test_day_that_a_sentence_only_names_is_taken(said: str) -> None:
    assert str(flight(told(FLIGHT, said))["departure_date"]) == "2026-12-05"


def test_part_of_town_that_a_sentence_only_names_is_taken() -> None:
    assert hotel(told(STAY, "monti is lovely i hear"))["district"] == "Monti"


@pytest.mark.parametrize(
    "said",
    ["we met in seville", "heathrow is too far for us", "my sister lives in dublin", "any jetlag tips lol",
     "what about jazz?", "my son is celiac", "what's the weather like in seville", "i got married in seville",
     "is seville nice", "nobody likes seville"],
)  # fmt: skip
def test_story_a_question_and_what_is_spoken_against_change_nothing(said: str) -> None:
    before, after = told(FLIGHT), told(FLIGHT, said)
    assert (after.flight, after.agents) == (before.flight, ())


@pytest.mark.parametrize(
    ("said", "slot", "value"),
    [
        ("with breakfast, is that possible?", "amenities", ("breakfast",)),
        ("two rooms is that ok", "rooms", 2),
        ("we'd like to stay till the 10th, can that be done?", "nights", None),
    ],
)
def test_question_whether_it_goes_leaves_what_is_asked_for(said: str, slot: str, value: object) -> None:
    understood = told(STAY, said)
    assert understood.relation == "refine"
    assert hotel(understood).get(slot) == value


@pytest.mark.parametrize("said", ["is that ok?", "what do you think?", "does that work", "would that be ok"])
def test_such_a_question_alone_changes_nothing(said: str) -> None:
    assert told(STAY, said).hotel == told(STAY).hotel
