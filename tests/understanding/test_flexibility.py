"""Days that may be others: a search is for one, so that is told, and how many they are is known."""

import pytest

from backend.travel.understanding.english.wording import refusals
from backend.travel.understanding.requested import requested
from tests.understanding.conversation import BERLIN_TO_TOKYO, flight, told


@pytest.mark.parametrize(
    ("said", "days"),
    [
        ("flexible by 2 days", 2),
        ("I'm flexible by one day", 1),
        ("give or take a day", 1),
        ("plus or minus three days", 3),
        ("+/- 3 days", 3),
        ("±2 days", 2),
        ("2 days either side", 2),
        ("my dates are flexible", None),
        ("I am flexible with the dates", None),
    ],
)
def test_other_days_are_told_as_not_searched_by_whenever_they_are_said(said, days):
    alone, at_once = told(BERLIN_TO_TOKYO, said), told(f"{BERLIN_TO_TOKYO}, {said}")
    for understood in (alone, at_once):
        assert [one.reason for one in understood.refused] == ["other_days"]
        assert understood.flexible_days == days
        assert flight(understood) == flight(told(BERLIN_TO_TOKYO))
        assert "I search one day at a time" in refusals(understood)
    assert requested("flight", at_once)["flexible_days"] == days


@pytest.mark.parametrize(
    "said", ["2 days later", "a flexible ticket", "for 5 days", "the flexible fare please", "stay 2 days"]
)
def test_other_words_tell_of_no_other_days(said):
    assert told(BERLIN_TO_TOKYO, said).flexible_days is None
    assert "other_days" not in [one.reason for one in told(BERLIN_TO_TOKYO, said).refused]
