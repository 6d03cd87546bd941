"""A wish for a booking in its conversation: how long it lasts, and that nobody is given one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.travel.understanding.codec import from_json, to_json
from backend.travel.understanding.english.language.text import Text
from backend.travel.understanding.result import BookingWish, Understanding
from backend.travel.understanding.understand import understand
from tests.understanding.conversation import BERLIN_TO_TOKYO, LISBON, TODAY, told

A_HOTEL = "a hotel in Lisbon from 12 to 15 January"


def while_deciding(said, *before):
    return understand(said, previous=told(*before), today=TODAY, deciding=True)


@pytest.mark.parametrize("said", ["yes but make it two people", "make it two people", "for 2 people please"])
def test_while_the_user_is_asked_to_allow_it_a_booking_goes_on_with_what_is_changed(said):
    after = while_deciding(said, BERLIN_TO_TOKYO, "book the cheapest flight")
    assert after.booking == BookingWish(action="book", kind="flight", pick="cheapest")
    assert (after.flight.passengers, after.agents) == (2, ("flight",))


@pytest.mark.parametrize(
    "said",
    [
        "thanks",
        "stop",
        "cancel the booking",
        "hotels in Rome tomorrow from 3 to 5 May",
        "what have I booked?",
        "no flights please",
    ],
)
def test_what_does_not_go_on_with_a_booking_that_is_asked_about_wishes_it_no_more(said):
    booking = while_deciding(said, BERLIN_TO_TOKYO, "book the cheapest flight").booking
    assert booking is None or booking.action == "list"


def test_to_cancel_a_booking_that_is_only_asked_about_is_a_stop():
    asked = (BERLIN_TO_TOKYO, "book the cheapest flight")
    assert while_deciding("cancel the booking", *asked).relation == "stop"
    assert while_deciding("cancel my booking DEMO-7K2Q4M", *asked).booking.action == "cancel"


def test_number_tells_an_offer_only_among_those_it_was_shown_with():
    asked = (BERLIN_TO_TOKYO, "book the second one")
    assert while_deciding("make it two people", *asked).booking is None


SHOWN_STAY = 'Book the hotel "Hotel Demo Alfama" in Alfama from 12 January 2027 to 15 January 2027.'


@pytest.mark.parametrize(
    ("said", "goes_on"), [("rather one with 4 stars", False), ("and fly in business class", True)]
)
def test_what_is_told_as_it_is_shown_is_wished_only_while_its_search_stays_the_same(said, goes_on):
    after = while_deciding(said, BERLIN_TO_TOKYO, f"and {A_HOTEL}", SHOWN_STAY)
    assert (after.booking is not None) == goes_on
    assert set(after.agents) >= {"flight" if goes_on else "hotel"}


ACTS = {
    "book the cheapest flight": "book", "book it": "book", "take the second one": "book",
    "thanks, book the cheapest of these": "book", "hold the cheapest of those": "hold",
    "hold the fastest one for now": "hold", "reserve the first hotel please": "book",
    "book the cheapest hotel": "book", "cancel my booking DEMO-7K2Q4M": "cancel",
    "what have I booked?": "list", "show my bookings": "list",
}  # fmt: skip
OTHERS = (
    BERLIN_TO_TOKYO, LISBON, A_HOTEL, "make it business class", "5 stars", "on 12 December", "thanks", "stop",
    "and a hotel there", "forget the flights", "try again", "yes", "no", "Rome", "the first one", "2 people",
    "rome, athens and oslo in any order", "3 nights each", "hello", "cheapest?", "the fastest", "from Berlin",
)  # fmt: skip


@given(st.lists(st.sampled_from([*ACTS, *OTHERS]), min_size=1, max_size=7), st.booleans())
@settings(max_examples=300, deadline=None)
def test_every_wish_is_one_that_the_message_has_or_goes_on_with(said, deciding):
    before = None
    for one in said:
        after = understand(one, previous=before, today=TODAY, deciding=deciding)
        if after.booking is not None:
            was_open = before is not None and (deciding or bool(before.missing))
            is_kept = was_open and after.booking == before.booking and one not in ACTS
            is_instead = was_open and before.booking is not None and one in ("the first one", "the fastest")
            action = before.booking.action if is_instead else ACTS.get(one)
            assert is_kept or after.booking.action == action, said
        if ACTS.get(one) in ("cancel", "list"):
            known = before or Understanding(relation="other")
            assert (after.flight, after.hotel, after.tour) == (known.flight, known.hotel, known.tour), said
            assert after.agents == (), said
        if ACTS.get(one) in ("book", "hold") and after.booking is None:
            # There was nothing to book: what it says is understood as it would be of any search.
            assert before is None or before.wanted in ((), ("planner",)), said
        assert from_json(to_json(after)) == after
        before = after


BOOKING_WORDS = {
    "book", "books", "booked", "booking", "bookings", "reserve", "reserved", "reservation", "reservations",
    "hold", "holds", "held", "buy", "bought", "purchase", "purchased", "take", "have", "go", "grab", "lock",
    "secure", "put", "place", "keep", "set", "make", "complete", "confirm", "finalise", "finalize", "proceed",
    "cancel", "cancelling", "canceling", "call", "undo", "annul", "void", "release", "drop", "revoke", "give",
    "get", "withdraw", "going", "demo", "ill", "well",
}  # fmt: skip


@given(st.text(max_size=80) | st.lists(st.sampled_from([*ACTS, *OTHERS]), max_size=3).map(" ".join))
@settings(max_examples=300, deadline=None)
def test_no_booking_is_wished_without_a_word_for_it(said):
    words = {token.norm for token in Text(said).tokens}
    for before in ((), (LISBON,)):
        understood = understand(said, previous=told(*before) if before else None, today=TODAY)
        assert understood.booking is None or words & BOOKING_WORDS


@pytest.mark.parametrize(
    ("said", "told_by"),
    [
        ("no, the second one", {"number": 2}), ("yes the second one", {"number": 2}),
        ("the third flight", {"number": 3}),
        ("I'd rather have the third flight please", {"number": 3}), ("no, the fastest", {"pick": "fastest"}),
        ("sorry, I meant the first one", {"number": 1}), ("not this, the fourth option instead", None),
        ("no, the 12th", None), ("the cheapest is too expensive", None), ("no, the wrong one", None),
        ("no, this one", None), ("the second one is nice", None), ("is the second one nonstop?", None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("action", ["book", "hold"])
def test_while_one_offer_is_asked_about_another_one_that_is_named_is_meant(said, told_by, action):
    after = while_deciding(said, BERLIN_TO_TOKYO, f"{action} the cheapest flight")
    was_cheapest = BookingWish(action=action, kind="flight", pick="cheapest")
    if told_by is None:
        assert after.booking in (None, was_cheapest)
    else:
        assert after.booking == BookingWish(action=action, kind="flight", **told_by)
