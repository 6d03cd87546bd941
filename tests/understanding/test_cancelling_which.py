"""Whether "cancel my flight" is about a booking or about the search: told by what was to be booked."""

import pytest

from backend.travel.understanding.understand import understand
from tests.understanding.conversation import TODAY, told

FLIGHTS = "flight Prague to Paris 10 feb, back 13 feb"
BOOKED = "book the cheapest"
BOTH = "hotel too, 3 stars"


def after_a_booking(message):
    """What a message means once a flight was booked and a hotel is looked for as well."""
    searched, booked = told(FLIGHTS), told(FLIGHTS, BOOKED)
    both = understand(BOTH, previous=booked, today=TODAY, alike=(searched,))
    return understand(message, previous=both, today=TODAY, alike=(booked, searched))


@pytest.mark.parametrize(
    "message",
    [
        "cancel my flight",
        "cancel the flight",
        "please cancel my flight",
        "cancel my flight please",
        "ok cancel the flight",
        "can you cancel my flight?",
        "drop my flight",
        "i want to cancel my flight",
    ],
)
def test_kind_that_was_booked_is_cancelled(message):
    understood = after_a_booking(message)
    assert (understood.booking.action, understood.booking.kind) == ("cancel", "flight")
    assert understood.wanted == ("flight", "hotel")


@pytest.mark.parametrize("message", ["cancel the hotel", "cancel my hotel", "drop the hotel", "no hotel"])
def test_kind_that_was_not_booked_is_searched_for_no_more(message):
    understood = after_a_booking(message)
    assert (understood.booking, understood.wanted) == (None, ("flight",))


@pytest.mark.parametrize("message", ["no flights", "forget the flight", "only the hotel"])
def test_what_cancels_nothing_leaves_the_booking(message):
    assert after_a_booking(message).booking is None


@pytest.mark.parametrize(
    "message",
    [
        "drop the hotels",
        "drop the hotels, friends put us up",
        "please drop the hotel",
        "ok drop the hotel",
        "let's drop the hotels",
        "you can drop the hotel",
        "just drop the hotels",
        "drop the hotels please",
    ],
)
def test_what_was_never_booked_is_dropped_from_the_request(message):
    alone = told(FLIGHTS, message)
    assert (alone.booking, alone.wanted) == (None, ("flight",))
    both = told(f"{FLIGHTS} and a hotel there", message)
    assert (both.booking, both.wanted) == (None, ("flight",))


@pytest.mark.parametrize(
    "message", ["cancel my hotel", "drop my hotel booking", "cancel the hotel I booked", "cancel DEMO-7K2Q4M"]
)
def test_booking_is_a_booking_where_no_hotel_is_searched_for(message):
    assert told(FLIGHTS, message).booking.action == "cancel"
