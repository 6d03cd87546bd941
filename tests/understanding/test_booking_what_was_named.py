"""Acts on an offer that is named just before, on a condition, or beside what is left for later."""

import pytest

from backend.travel.understanding.result import BookingWish
from tests.understanding.conversation import told

FLIGHT = "flights from London to Lisbon, 11 to 14 December"
TRIP = "flight and hotel from Berlin to Paris, 20 to 28 April"


def wish(kind, **told_by):
    return BookingWish(action="book", kind=kind, **told_by)


@pytest.mark.parametrize(
    ("before", "said", "wished"),
    [
        (FLIGHT, "ok cheapest one, book", wish("flight", pick="cheapest")),
        (FLIGHT, "the second one, book please", wish("flight", number=2)),
        (FLIGHT, "fine the fastest one book", wish("flight", pick="fastest")),
        (FLIGHT, "cheapest one then. book.", wish("flight", pick="cheapest")),
        (FLIGHT, "number 2 is fine, book it", wish("flight", number=2)),
        (
            TRIP,
            "I will choose number 3. Please reserve hotel only, flight I think more.",
            wish("hotel", number=3),
        ),
        (TRIP, "number 3 is nice. book hotel", wish("hotel", number=3)),
        (TRIP, "the first one looks good, book the flight", wish("flight", number=1)),
        (TRIP, "number 3 for the hotel. reserve it please. no flight yet", wish("hotel", number=3)),
        (TRIP, "the second one is nice but too far. book the hotel", wish("hotel")),
        (TRIP, "the cheapest hotel looks good, book the flight", wish("flight")),
    ],
)
def test_verb_is_about_the_offer_that_is_named_just_before(before, said, wished):
    assert told(before, said).booking == wished


@pytest.mark.parametrize(
    "said",
    [
        "the cheapest is fine but don't book", "which is the cheapest I can book", "3 people, book",
        "the second one is too expensive to book", "should I take the second one or book?",
        "show me the cheapest before I book", "what a great book",
    ],
)  # fmt: skip
def test_verb_alone_that_is_about_nothing_books_nothing(said):
    assert told(TRIP, said).booking is None


@pytest.mark.parametrize(
    "said",
    [
        "book the cheapest hotel, flight later", "book just the cheapest hotel",
        "book only the cheapest hotel, not the flight", "book the cheapest hotel. flight I think more",
        "reserve the cheapest hotel, I will decide about flights later",
        "reserve the cheapest hotel only, no flights yet",
    ],
)  # fmt: skip
def test_what_is_left_for_later_is_not_searched_for(said):
    after = told("hotel in Paris, 20 to 28 April", said)
    assert (after.booking, after.agents) == (wish("hotel", pick="cheapest"), ("hotel",))


@pytest.mark.parametrize(
    ("said", "wished", "condition"),
    [
        ("book the second flight if it is refundable", wish("flight", number=2), "if it is refundable"),
        ("book the first hotel as long as it has wifi", wish("hotel", number=1), "as long as it has wifi"),
        ("reserve the cheapest flight, provided it's direct", wish("flight", pick="cheapest"),
         "provided it's direct"),
        ("book the second hotel. If not refundable take the third.", wish("hotel", number=2),
         "If not refundable take the third"),
    ],
)  # fmt: skip
def test_condition_is_told_and_leaves_the_list_as_it_is(said, wished, condition):
    before, after = told(TRIP), told(TRIP, said)
    assert after.booking == wished
    assert (after.flight, after.hotel) == (before.flight, before.hotel)
    assert [one.said for one in after.refused] == [condition]


def test_condition_on_one_of_two_drops_neither():
    booking = told(TRIP, "Please book the first flight and that hotel, provided it is refundable.").booking
    assert booking == wish("flight", number=1, then=wish("hotel"))


@pytest.mark.parametrize(
    "said",
    [
        "cancel that and find one for 21-28 April",
        "Ah no, we changed our plans. Can you cancel it and search for 21-28 April?",
        "please cancel that, then look for another hotel 21-28 April",
        "cancel it. Show me hotels 21-28 April",
    ],
)
def test_cancellation_is_kept_beside_another_search(said):
    after = told("hotel in Paris, 20 to 28 April", "book the cheapest hotel", said)
    assert after.booking == BookingWish(action="cancel", kind="hotel", is_latest=True)
    assert (after.relation, after.agents, after.hotel.check_in.day) == ("refine", ("hotel",), 21)


@pytest.mark.parametrize(
    ("said", "left_out"),
    [
        ("cancel that and book the second one instead", "cancel that"),
        ("cancel it, book the second one", "cancel it"),
        ("book the second one and cancel that one", "cancel that one"),
    ],
)
def test_cancellation_beside_a_booking_is_told_to_be_left_out(said, left_out):
    after = told("hotel in Paris, 20 to 28 April", "book the cheapest hotel", said)
    assert after.booking == wish("hotel", number=2)
    assert [one.said for one in after.refused] == [left_out]


@pytest.mark.parametrize(
    "said",
    [
        "ok book the new dates",
        "book those dates",
        "book it for the new dates",
        "please reserve the new dates",
    ],
)
def test_new_dates_are_what_was_found_for_them(said):
    after = told("hotel in Paris, 20 to 28 April", "21-28 April", said)
    assert after.booking == wish("hotel")
