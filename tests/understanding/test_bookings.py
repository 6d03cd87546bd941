"""What is to be booked, held, cancelled or told of, and what only sounds like it."""

import pytest

from backend.travel.understanding.result import BookingWish
from backend.travel.understanding.understand import understand
from tests.understanding.conversation import BERLIN_TO_TOKYO, LISBON, TODAY, flight, hotel, told

A_HOTEL = "a hotel in Lisbon from 12 to 15 January"


def wish(action, kind=None, **told):
    return BookingWish(action=action, kind=kind, **told)


@pytest.mark.parametrize(
    ("said", "wished"),
    [
        ("book the cheapest flight", wish("book", "flight", pick="cheapest")),
        ("book it", wish("book", "flight")),
        ("Great, book it please!", wish("book", "flight")),
        ("yes, book that one", wish("book", "flight")),
        ("take the second one", wish("book", "flight", number=2)),
        ("I'll take it", wish("book", "flight")),
        ("I'll take the 3rd", wish("book", "flight", number=3)),
        ("ok let's book number 4", wish("book", "flight", number=4)),
        ("book option #2 for us", wish("book", "flight", number=2)),
        ("reserve the first flight", wish("book", "flight", number=1)),
        ("can you book the fastest one?", wish("book", "flight", pick="fastest")),
        ("I'd like to book the quickest flight", wish("book", "flight", pick="fastest")),
        ("go with the cheapest", wish("book", "flight", pick="cheapest")),
        ("please buy the least expensive ticket", wish("book", "flight", pick="cheapest")),
        ("book the Lufthansa flight", wish("book", "flight", name="Lufthansa")),
        ("book the flight with Camellia Demo", wish("book", "flight", name="Camellia Demo")),
        ("reserve the camellia flight", wish("book", "flight", name="camellia")),
        ("book the second Larkspur Demo one", wish("book", "flight", number=2, name="Larkspur Demo")),
        ("hold the cheapest flight for now", wish("hold", "flight", pick="cheapest")),
        ("hold it for 24 hours", wish("hold", "flight")),
        ("put the second one on hold until tomorrow", wish("hold", "flight", number=2)),
        ("can you hold that flight while I ask my boss", wish("hold", "flight")),
        ("go ahead and make the booking", wish("book", "flight")),
        ("reserve a seat on the first one", wish("book", "flight", number=1)),
        ("book me on the cheapest", wish("book", "flight", pick="cheapest")),
        ("book the cheapest if it is still available", wish("book", "flight", pick="cheapest")),
        ("I like the first, so book it", wish("book", "flight", number=1)),
        ("I don't like the first, book the second", wish("book", "flight", number=2)),
    ],
)
def test_act_on_an_offer_books_it_and_searches_for_the_same_again(said, wished):
    before, after = told(BERLIN_TO_TOKYO), told(BERLIN_TO_TOKYO, said)
    assert after.booking == wished
    assert (after.relation, after.agents) == ("refine", ("flight",))
    assert (after.flight, after.hotel, after.dropped) == (before.flight, before.hotel, ())
    assert set(after.carried) == {"flight.origin", "flight.destination", "flight.departure_date"}


@pytest.mark.parametrize(
    ("said", "wished"),
    [
        ("book it", wish("book", "hotel")),
        ("book this hotel", wish("book", "hotel")),
        (
            "reserve the Hilton-like one called Blue Anchor Demo Inn",
            wish("book", "hotel", name="Blue Anchor Demo Inn"),
        ),
        ("reserve the one called quillon demo baixa", wish("book", "hotel", name="quillon demo baixa")),
        ("book the Silver Swan Demo Hotel", wish("book", "hotel", name="Silver Swan Demo Hotel")),
        ("I want to book the Hilton", wish("book", "hotel", name="Hilton")),
        ("take the best one", wish("book", "hotel", pick="best")),
        ("book the top rated hotel", wish("book", "hotel", pick="best")),
        ("book a room at the second one", wish("book", "hotel", number=2)),
        ("I would like to reserve a room at that hotel", wish("book", "hotel")),
        ("book the cheapest room", wish("book", "hotel", pick="cheapest")),
        ("book hotel 3", wish("book", "hotel", number=3)),
    ],
)
def test_hotel_is_booked_likewise(said, wished):
    before, after = told(A_HOTEL), told(A_HOTEL, said)
    assert after.booking == wished
    assert (after.relation, after.agents, after.hotel) == ("refine", ("hotel",), before.hotel)


@pytest.mark.parametrize(
    ("said", "wished", "agents"),
    [
        ("book the cheapest hotel", wish("book", "hotel", pick="cheapest"), ("hotel",)),
        ("book the cheapest flight", wish("book", "flight", pick="cheapest"), ("flight",)),
        ("book the fastest", wish("book", "flight", pick="fastest"), ("flight",)),
        ("book the second one", wish("book", number=2), ("flight", "hotel")),
        ("book it", wish("book"), ("flight", "hotel")),
        ("book the hotel too, the second one", wish("book", "hotel", number=2), ("hotel",)),
        ("book the flight, the cheapest please", wish("book", "flight", pick="cheapest"), ("flight",)),
    ],
)
def test_of_flight_and_hotel_the_one_that_is_named_is_booked(said, wished, agents):
    after = told(LISBON, said)
    assert (after.booking, after.agents) == (wished, agents)


BOTH = (
    ("book flight and hotel", None, None), ("book the flight and the hotel", None, None),
    ("book both", None, None), ("book both of them please", None, None), ("I'll take both", None, None),
    ("book the cheapest flight and hotel", "cheapest", "cheapest"), ("book everything", None, None),
    ("book both, cheapest", "cheapest", "cheapest"), ("take the cheapest of each", "cheapest", "cheapest"),
    ("okay book the cheapest flight and the cheapest hotel", "cheapest", "cheapest"),
    ("book both, the cheapest ones", "cheapest", "cheapest"), ("book the best of both", "best", "best"),
    ("book the fastest flight and the best hotel", "fastest", "best"), ("Book it all!", None, None),
    ("please book the cheapest for both", "cheapest", "cheapest"), ("yes book both", None, None),
)  # fmt: skip


@pytest.mark.requirement("BOTH-ARE-BOOKED-IN-TURN")
@pytest.mark.parametrize(("said", "flight_pick", "hotel_pick"), BOTH)
def test_flight_and_hotel_are_wanted_one_after_the_other(said, flight_pick, hotel_pick):
    after = told(LISBON, said)
    hotel_too = wish("book", "hotel", pick=hotel_pick)
    assert after.booking == wish("book", "flight", pick=flight_pick, then=hotel_too)
    assert (after.agents, after.refused) == (("flight", "hotel"), ())
    assert (after.flight, after.hotel) == (told(LISBON).flight, told(LISBON).hotel)


@pytest.mark.parametrize("said", ["book both", "book the flight and the hotel", "take the cheapest of each"])
def test_where_flights_alone_were_searched_for_the_hotel_is_told_to_be_left_out(said):
    after = told(BERLIN_TO_TOKYO, said)
    assert after.booking is not None
    assert (after.booking.kind, after.booking.then) == ("flight", None)
    assert [one.reason for one in after.refused] == ["one_booking_at_a_time"]


@pytest.mark.parametrize(
    "said",
    [
        "don't book both", "both are nice", "book a table for both", "hold everything!",
        "can we take both dogs?",
        "hold everything, my boss just called", "take everything into account", "I'll take both kids with me",
    ],
)  # fmt: skip
def test_mention_of_both_books_nothing(said):
    assert told(LISBON, said).booking is None


CANCELS = (
    "cancel it", "cancel", "Cancel that please", "I changed my mind, cancel", "cancel it please",
    "undo that", "undo",
    "no wait, cancel it", "can you cancel it", "oh no, cancel that", "I want to cancel it", "please cancel",
    "sorry, cancel it again", "my plans changed, cancel it", "too expensive, cancel it", "unbook it",
    "call it off",
    "that was a mistake, undo it", "I need to cancel", "cancel this one", "actually cancel it please",
)  # fmt: skip


@pytest.mark.requirement("CANCEL-IS-ABOUT-THE-BOOKING")
@pytest.mark.parametrize("said", CANCELS)
def test_right_after_a_booking_to_cancel_is_to_cancel_that(said):
    after = told(LISBON, "book the cheapest flight", said)
    assert (after.relation, after.agents) == ("add", ())
    assert after.booking == wish("cancel", "flight", is_latest=True)
    assert after.flight == told(LISBON).flight


@pytest.mark.requirement("CANCEL-IS-ABOUT-THE-BOOKING")
@pytest.mark.parametrize("said", CANCELS)
def test_while_nothing_is_booked_to_cancel_cancels_no_booking(said):
    assert told(LISBON, said).booking is None
    assert told(LISBON, "book the cheapest flight", "make it two people", said).booking is None
    booking = told(LISBON, "book the cheapest flight")
    for still in ({"deciding": True}, {"unfinished": True}):
        assert understand(said, previous=booking, today=TODAY, **still).booking is None


@pytest.mark.parametrize(
    "said",
    [
        "cancel that, make it Rome",
        "stop",
        "never mind",
        "don't cancel it",
        "cancel the hotel search",
        "undo the",
    ],
)
def test_after_a_booking_other_words_cancel_nothing(said):
    wished = told(LISBON, "book the cheapest flight", said).booking
    assert wished is None or not wished.is_latest


def test_hotel_is_booked_after_the_flight():
    after = told(LISBON, "book the cheapest flight", "book the hotel too")
    assert (after.booking, after.agents) == (wish("book", "hotel"), ("hotel",))
    alone = told(BERLIN_TO_TOKYO, "book the cheapest flight", "book the hotel too")
    assert (alone.booking, alone.agents) == (wish("book", "hotel"), ("hotel",))
    assert hotel(alone)["city"] == "Tokyo"


@pytest.mark.parametrize(
    ("said", "wished"),
    [
        (
            "find and book the cheapest flight from Berlin to Rome on 5 December",
            wish("book", "flight", pick="cheapest"),
        ),
        ("book the fastest flight from Berlin to Rome on 5 December", wish("book", "flight", pick="fastest")),
        (
            "flights from Berlin to Rome on 5 December, and book the cheapest",
            wish("book", "flight", pick="cheapest"),
        ),
        (
            "hold the cheapest flight from Berlin to Rome on 5 December",
            wish("hold", "flight", pick="cheapest"),
        ),
    ],
)
def test_whole_request_searches_and_books(said, wished):
    for conversation in ([said], [LISBON, said]):
        after = told(*conversation)
        assert (after.booking, after.agents) == (wished, ("flight",))
        assert flight(after)["origin"] == "Berlin"
        assert flight(after)["destination"] == "Rome"
        assert str(flight(after)["departure_date"]) == "2026-12-05"


def test_what_was_never_searched_for_is_asked_about_and_booked_with_the_answer():
    asked = told("book the cheapest flight to Rome on 5 December")
    assert asked.booking == wish("book", "flight", pick="cheapest")
    assert asked.missing == ("flight.origin",)
    answered = told("book the cheapest flight to Rome on 5 December", "Berlin")
    assert (answered.relation, answered.missing) == ("answer", ())
    assert answered.booking == wish("book", "flight", pick="cheapest")


def test_booking_says_what_else_it_wants_in_the_same_breath():
    after = told(BERLIN_TO_TOKYO, "book the first one, and find me a hotel there for 3 nights")
    assert after.booking == wish("book", "flight", number=1)
    assert after.agents == ("flight", "hotel")
    assert hotel(after)["nights"] == 3
    changed = told(BERLIN_TO_TOKYO, "make it business class and book the cheapest")
    assert changed.booking == wish("book", "flight", pick="cheapest")
    assert flight(changed)["cabin_class"] == "business"


@pytest.mark.parametrize(
    "said",
    [
        "make it business class",
        "make it 2 people",
        "thanks",
        "try again",
        "and a hotel there",
        "stop",
        "on 12 December",
    ],
)
def test_booking_wish_does_not_outlive_its_message(said):
    assert told(BERLIN_TO_TOKYO, "book the cheapest flight", said).booking is None


@pytest.mark.parametrize(
    "said",
    [
        "I want to book a flight to Rome",
        "book a table for two tomorrow",
        "book a room in Rome from 3 December",
        "can you book flights?",
        "book me a hotel in Oslo from 3 to 5 December",
        "I need to book a cheap flight",
        "hold on",
        "hold on, make it Osaka",
        "hold that thought",
        "take me to Rome",
        "take the train instead",
        "take it easy",
        "I'll take a shower",
        "book the restaurant on the corner",
        "book the cheapest train",
        "don't book it",
        "do not book the cheapest one",
        "please don't, under any circumstances, book it",
        "should I book it?",
        "how do I book the second one?",
        "what happens if I book the first one?",
        "what would it cost to book it",
        "I'll book it later",
        "I would book it if it were cheaper",
        "before I book it, is there anything cheaper?",
        'my friend said "book the cheapest one"',
        "I'm not ready to book the first one yet",
        "I'm reading a book about it",
        "is the booking refundable?",
        "the cheapest one looks good",
        "which one is the cheapest?",
        "what about the second one?",
    ],
)
def test_what_only_sounds_like_a_booking_is_none(said):
    assert told(said).booking is None
    assert told(BERLIN_TO_TOKYO, said).booking is None
    assert told(LISBON, said).booking is None


@pytest.mark.parametrize("said", ["book it", "take the second one", "I'll take it", "book the cheapest"])
def test_nothing_is_booked_where_nothing_was_spoken_of(said):
    understood = told(said)
    assert (understood.booking, understood.relation, understood.agents) == (None, "other", ())


@pytest.mark.parametrize(
    ("said", "wished"),
    [
        ("cancel my booking DEMO-7K2Q4M", wish("cancel", reference="DEMO-7K2Q4M")),
        ("book DEMO-7K2Q4M", wish("book", reference="DEMO-7K2Q4M")),
        ("please book what is held as demo-7k2q4m", wish("book", reference="DEMO-7K2Q4M")),
        ("cancel DEMO-7K2Q", wish("cancel", reference="DEMO-7K2Q")),
        ("please cancel demo-7k2q4m", wish("cancel", reference="DEMO-7K2Q4M")),
        ("cancel my flight booking", wish("cancel", "flight")),
        ("I want to cancel the hotel booking", wish("cancel", "hotel")),
        ("can you cancel my booking?", wish("cancel")),
        ("cancel the flight I booked", wish("cancel", "flight")),
        ("undo the booking", wish("cancel")),
        ("release the hold", wish("cancel")),
    ],
)
@pytest.mark.parametrize("before", [[], [BERLIN_TO_TOKYO], [LISBON]])
def test_what_is_done_about_a_booking_leaves_the_search_as_it_is(before, said, wished):
    after = told(*before, said)
    assert (after.booking, after.agents) == (wished, ())
    assert after.relation == ("add" if before else "new")
    if before:
        known = told(*before)
        assert (after.flight, after.hotel, after.wanted) == (known.flight, known.hotel, known.wanted)
        assert after.dropped == ()


def test_what_was_booked_a_moment_ago_can_be_cancelled_by_its_kind():
    after = told(LISBON, "book the cheapest flight", "cancel my flight")
    assert (after.booking, after.agents) == (wish("cancel", "flight"), ())
    assert after.wanted == ("flight", "hotel")
    again = told(LISBON, "book the cheapest flight", "cancel that booking again please")
    assert (again.booking, again.agents) == (wish("cancel", "flight"), ())


@pytest.mark.parametrize(
    "said",
    ["cancel", "cancel that", "cancel it", "cancel everything", "cancel the search", "stop", "stop it"],
)
def test_to_cancel_what_runs_is_still_a_stop(said):
    for before in ([BERLIN_TO_TOKYO], [BERLIN_TO_TOKYO, "book the cheapest"]):
        after = understand(said, previous=told(*before), today=TODAY, unfinished=True)
        assert (after.relation, after.booking) == ("stop", None)


def test_to_cancel_the_flights_of_a_search_still_leaves_them_out():
    after = told(LISBON, "cancel the flight")
    assert (after.wanted, after.booking) == (("hotel",), None)


@pytest.mark.parametrize(
    "said",
    [
        "don't cancel my booking",
        "how do I cancel a booking?",
        "what is the cancellation policy?",
        "was my booking cancelled?",
    ],
)
def test_what_only_sounds_like_a_cancellation_is_none(said):
    for before in ([], [BERLIN_TO_TOKYO]):
        booking = told(*before, said).booking
        assert booking is None or booking.action == "list"


@pytest.mark.parametrize(
    ("said", "wished"),
    [
        ("what have I booked?", wish("list")),
        ("show my bookings", wish("list")),
        ("show me my flight bookings", wish("list", "flight")),
        ("list all my reservations please", wish("list")),
        ("do I have any hotel bookings?", wish("list", "hotel")),
        ("what did I book so far", wish("list")),
        ("have I booked a hotel already?", wish("list", "hotel")),
        ("my bookings", wish("list")),
        ("which hotel did I book?", wish("list", "hotel")),
    ],
)
@pytest.mark.parametrize("before", [[], [BERLIN_TO_TOKYO], [LISBON]])
def test_bookings_are_told_of_beside_whatever_goes_on(before, said, wished):
    after = told(*before, said)
    assert (after.booking, after.relation, after.agents) == (wished, "other", ())
    if before:
        known = told(*before)
        assert (after.flight, after.hotel, after.wanted) == (known.flight, known.hotel, known.wanted)


@pytest.mark.parametrize("said", ["book the newest one", "book the closest flight", "take the next one"])
def test_word_for_an_offer_that_nobody_picks_by_is_told(said):
    after = told(BERLIN_TO_TOKYO, said)
    assert after.booking == wish("book", "flight")
    assert [one.reason for one in after.refused] == ["not_searched_by"]
