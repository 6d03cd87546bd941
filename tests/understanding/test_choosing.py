"""What is booked for whom, whether it went through, and where a no leads."""

import pytest

from backend.travel.understanding.english.talk.decisions import decision_in
from tests.understanding.conversation import BERLIN_TO_TOKYO, LISBON, told


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("book it in the name of Peter Kellermann", "in the name of Peter Kellermann"),
        ("book it for Maria Gonzalez", "for Maria Gonzalez"),
        ("book the cheapest for Maria Gonzalez please", "for Maria Gonzalez"),
        ("book number 2 for John Smith", "for John Smith"),
        ("please book the second one under the name Paris Hilton", "under the name Paris Hilton"),
    ],
)
def test_name_that_something_is_booked_in_is_told_not_to_be_taken(message, said):
    after = told(BERLIN_TO_TOKYO, message)
    assert after.booking is not None
    assert [one.said for one in after.refused if one.reason == "no_names"] == [said]


@pytest.mark.parametrize("message", ["book it for us", "book it for me and my wife", "book it for Friday"])
def test_what_is_no_name_is_told_as_none(message):
    assert not [one for one in told(BERLIN_TO_TOKYO, message).refused if one.reason == "no_names"]


@pytest.mark.parametrize("message", ["did it go through?", "did my booking go through?"])
def test_whether_it_went_through_is_asked_of_the_bookings(message):
    wish = told(LISBON, message).booking
    assert wish is not None
    assert wish.action == "list"


@pytest.mark.parametrize(
    "message",
    [
        *(
            "wait no, cancel that",
            "no, cancel it",
            "wait, no",
            "nope cancel that",
            "hold on, no thanks",
        ),
        *("oh wait no", "no scrap that", "hang on, no, too expensive", "no no cancel it please"),
    ],
)
def test_no_that_takes_it_back_denies(message):
    assert decision_in(message) == "deny"


@pytest.mark.parametrize(
    "message", ["cancel that", "no wait", "wait", "no, stop", "wait, yes", "wait no make it two", "hold on"]
)
def test_what_is_no_plain_no_denies_nothing(message):
    assert decision_in(message) != "deny"


def test_to_say_no_to_a_cancellation_cancels_nothing():
    assert decision_in("no, cancel it", to="cancel") is None
