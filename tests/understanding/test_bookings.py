"""Wishes for a booking: nobody is given one, and which booking "cancel my flight" means."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.travel.understanding.codec import from_json, to_json
from backend.travel.understanding.english.language.text import Text
from backend.travel.understanding.result import BookingWish, Understanding
from backend.travel.understanding.understand import understand
from tests.understanding.conversation import BERLIN_TO_TOKYO, LISBON, TODAY, in_turn, told

A_HOTEL = "a hotel in Lisbon from 12 to 15 January"
BOOKED = ("flight Prague to Paris 10 feb, back 13 feb", "book the cheapest", "hotel too, 3 stars")


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


@pytest.mark.parametrize("said", ["cancel my flight", "please cancel my flight", "drop my flight"])
def test_kind_that_was_booked_is_cancelled(said):
    understood = in_turn(*BOOKED, said)
    assert (understood.booking.action, understood.booking.kind) == ("cancel", "flight")
    assert understood.wanted == ("flight", "hotel")


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("cancel the hotel", ("flight",)),
        ("drop the hotel", ("flight",)),
        ("no flights", ("hotel",)),
        ("only the hotel", ("hotel",)),
    ],
)
def test_kind_that_was_not_booked_is_searched_for_no_more(said, wanted):
    understood = in_turn(*BOOKED, said)
    assert (understood.booking, understood.wanted) == (None, wanted)


@pytest.mark.parametrize(
    ("said", "is_earlier"),
    [
        ("book the second Lisbon flight", True),
        ("book the cheapest Lisbon flight please", True),
        ("hold the first Lisbon flight", True),
        ("book the second Rome flight", None),
        ("book the second flight", None),
        ("book the second Oslo flight", None),
    ],
)
def test_after_a_stop_an_offer_is_picked_from_what_was_found(said, is_earlier):
    lisbon, rome = told(LISBON), told(LISBON, "make it Rome")
    stopped = Understanding(relation="stop", flight=rome.flight, hotel=rome.hotel, wanted=rome.wanted)
    after = understand(said, previous=stopped, today=TODAY, alike=(lisbon,), history=(0,))
    assert (after.relation, after.flight, after.agents) == ("refine", rome.flight, ("flight",))
    assert after.booking is not None
    assert after.booking.is_earlier == is_earlier


def test_wish_for_an_offer_from_before_survives_being_stored():
    before = told(BERLIN_TO_TOKYO, "make it Osaka", "book the cheapest one from before")
    stored = to_json(before)
    assert from_json(stored) == before
    del stored["booking"]["is_earlier"]
    assert from_json(stored).booking == BookingWish(action="book", kind="flight", pick="cheapest")
    assert "is_earlier" not in to_json(told(BERLIN_TO_TOKYO, "book the cheapest"))["booking"]
