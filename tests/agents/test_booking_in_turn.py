"""Several bookings by one wish, each once it is allowed; and what cancels a booking."""

import re

import pytest

from backend.travel.agents.response import CAME_EARLY, NOTHING_TO_STOP, WHAT_CANCELS
from tests.agents.booking_guest import BOTH, FLIGHTS, HOTELS, NO_BOOKINGS, total

NOT_ALLOWED = r"You did not allow the (flight|hotel), so it was not booked\."
CARS = "a rental car in Rome from 4 to 9 December"
TRIP = f"{FLIGHTS} to 9 December, a hotel and a rental car there"


async def book_both(house):
    await house.say("ann", BOTH)
    await house.say("ann", "book both")
    await house.decide("ann", "allow")
    return await house.decide("ann", "allow")


@pytest.mark.requirement("BOTH-ARE-BOOKED-IN-TURN")
async def test_flight_is_asked_for_first_and_hotel_next(house):
    await house.say("ann", BOTH)
    assert "I will ask about the hotel next." in await house.say("ann", "take the cheapest of each")
    assert (await house.asked("ann"))["tool"] == "book_flight"
    task_id = (await house.status("ann"))["task_id"]
    await house.say("ann", "yes")
    assert (await house.asked("ann"))["tool"] == "book_hotel"
    house.later(seconds=2)
    reply = await house.say("ann", "yes")
    assert reply.count("Booked as DEMO-") == 2
    assert [call for call in await house.calls("ann", task_id) if call[0].startswith("book")] == [
        ("book_flight", "completed"),
        ("book_hotel", "completed"),
    ]


@pytest.mark.requirement("BOTH-ARE-BOOKED-IN-TURN")
@pytest.mark.parametrize(("first", "second"), [("no, too expensive", "yes"), ("yes", "no")])
async def test_each_booking_of_two_has_a_permission_of_its_own(house, first, second):
    await house.say("ann", BOTH)
    await house.say("ann", "book both")
    await house.say("ann", first)
    house.later(seconds=2)
    reply = await house.say("ann", second)
    assert re.search(NOT_ALLOWED, reply)
    assert reply.count("Booked as DEMO-") == 1
    assert (await house.say("ann", "show my bookings")).startswith("Your booking: DEMO-")


@pytest.mark.requirement("BOTH-ARE-BOOKED-IN-TURN")
async def test_yes_to_one_and_no_to_the_other_asks_no_more(house):
    await house.say("ann", BOTH)
    await house.say("ann", "book both")
    reply = await house.say("ann", "yes to the flight, no to the hotel")
    assert reply.count("Booked as DEMO-") == 1
    assert (await house.status("ann"))["status"] == "completed"


@pytest.mark.requirement("BOTH-ARE-BOOKED-IN-TURN")
async def test_flight_hotel_and_car_are_booked_in_turn(house):
    await house.say("ann", TRIP)
    await house.say("ann", "book everything")
    for tool in ("book_flight", "book_hotel", "book_car"):
        assert (await house.asked("ann"))["tool"] == tool
        house.later(minutes=1)
        reply = await house.say("ann", "yes")
    assert reply.count("Booked as DEMO-") == 3


@pytest.mark.requirement("BOTH-ARE-BOOKED-IN-TURN")
@pytest.mark.parametrize(
    "said",
    [
        "ok book flight and hotel, cheapest",
        "okay go ahead and book both of those, cheapest",
        "book all of them, cheapest",
        "book both the flight and the hotel, cheapest please",
        "book the cheapest of each",
        "book flight + hotel, both cheapest",
    ],
)
async def test_cheapest_of_both_is_booked_though_others_were_spoken_of(house, said):
    await house.say("ann", BOTH)
    await house.say("ann", "which hotel has the best rating?")
    await house.say("ann", "which flight is the fastest?")
    assert "I will ask about the hotel next." in await house.say("ann", said)
    for agent in ("flight", "hotel"):
        cheapest = (await house.found("ann", agent))[0]
        assert (await house.asked("ann"))["facts"]["Total"] == total(cheapest)
        await house.say("ann", "no")


@pytest.mark.requirement("BOTH-ARE-BOOKED-IN-TURN")
async def test_kind_of_which_none_was_found_is_told_beside_the_other(house):
    await house.say("ann", f"{FLIGHTS} to 9 December for under 20 euros, and a hotel there")
    asked = await house.say("ann", "book both")
    assert (await house.asked("ann"))["tool"] == "book_hotel"
    assert "There is no flight to choose from." in asked


@pytest.mark.requirement("BOTH-ARE-BOOKED-IN-TURN")
@pytest.mark.parametrize("said", ["book both", "book these two", "book both of those"])
async def test_two_hotels_are_booked_one_at_a_time_and_no_flight_is_searched(house, said):
    await house.say("ann", HOTELS)
    asked = await house.say("ann", said)
    assert (await house.asked("ann"))["tool"] == "book_hotel"
    assert "I book one thing at a time, and left out" in asked


@pytest.mark.requirement("BOTH-ARE-BOOKED-IN-TURN")
async def test_booking_that_is_declined_beside_a_yes_is_not_asked_for(house):
    await house.say("ann", TRIP)
    await house.say("ann", "book the flight, the hotel and the car")
    await house.say("ann", "yes, but not the hotel")
    assert (await house.asked("ann"))["tool"] == "book_car"
    house.later(minutes=1)
    assert (await house.say("ann", "yes")).count("Booked as DEMO-") == 2


@pytest.mark.requirement("BOTH-ARE-BOOKED-IN-TURN")
async def test_both_means_the_offers_that_were_spoken_of_last(house):
    await house.say("ann", BOTH)
    hotel = (await house.say("ann", "which hotel has the best rating?")).partition(" is ")[2]
    await house.say("ann", "which flight is the fastest?")
    await house.say("ann", "book both")
    await house.say("ann", "no")
    assert (await house.asked("ann"))["facts"]["What"].partition(",")[0] in hotel


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
async def test_yes_that_is_sent_twice_does_not_allow_the_next_booking(house):
    await house.say("ann", BOTH)
    await house.say("ann", "book both")
    prompt = await house.say("ann", "yes")
    hotel = await house.asked("ann")
    house.later(seconds=0.9)
    assert await house.say("ann", "yes") == f"{CAME_EARLY} {prompt}"
    assert (await house.asked("ann"))["request_id"] == hotel["request_id"]
    house.later(seconds=0.1)
    assert (await house.say("ann", "yes")).count("Booked as DEMO-") == 2


async def test_click_on_the_next_question_decides_it_at_once(house):
    assert (await book_both(house)).count("Booked as DEMO-") == 2


@pytest.mark.requirement("CANCEL-IS-ABOUT-THE-BOOKING")
async def test_booking_is_cancelled_once_that_is_allowed_for_what_it_gives_back(house):
    await house.say("ann", HOTELS)
    reference = await house.book("ann", "book the cheapest")
    await house.say("ann", f"cancel {reference.lower()}")
    asked = await house.asked("ann")
    assert (asked["tool"], asked["facts"]["Booking"]) == ("cancel_booking", reference)
    back = asked["facts"]["Given back"]
    said = await house.say("ann", "yes, cancel it")
    assert said == f"Cancelled {reference}; {back} is given back (demo: nothing is bought)."
    assert f"{reference} (cancelled)" in await house.say("ann", "show my bookings")
    said = await house.say("ann", f"cancel {reference}")
    assert f"{reference} is cancelled already; there is nothing to cancel." in said


async def test_cancellation_asks_which_of_several_bookings(house):
    assert "You have no booking that could be cancelled." in await house.say("ann", "cancel my booking")
    await house.say("ann", FLIGHTS)
    first = await house.book("ann", "book the cheapest")
    await house.say("ann", "cancel my booking")
    assert (await house.asked("ann"))["facts"]["Booking"] == first
    await house.say("ann", "no")
    house.later(minutes=1)
    second = await house.book("ann", "book the second one")
    assert f"Which one shall I cancel: {first}, {second}?" in await house.say("ann", "cancel my booking")
    await house.say("ann", CARS)
    car = await house.book("ann", "book the cheapest car")
    await house.say("ann", "cancel my car booking")
    assert (await house.asked("ann"))["facts"]["Booking"] == car


@pytest.mark.requirement("CANCEL-IS-ABOUT-THE-BOOKING")
@pytest.mark.parametrize("said", ["cancel it please", "undo that"])
async def test_cancel_right_after_a_booking_is_about_that_booking(house, said):
    await house.say("ann", HOTELS)
    older = await house.book("ann", "book the cheapest")
    house.later(minutes=1)
    newer = await house.book("ann", "book the second one")
    await house.say("ann", said)
    asked = await house.asked("ann")
    assert (asked["tool"], asked["facts"]["Booking"]) == ("cancel_booking", newer)
    await house.say("ann", "no")
    assert f"Shall I cancel {newer}" in await house.say("ann", said)
    assert (await house.say("ann", "yes")).startswith(f"Cancelled {newer}")
    assert (await house.say("ann", "undo that")).startswith(
        f"{newer} is cancelled. A cancellation cannot be taken back"
    )
    assert f"{older} (booked)" in await house.say("ann", "show my bookings")


@pytest.mark.requirement("CANCEL-IS-ABOUT-THE-BOOKING")
async def test_cancel_while_a_booking_is_asked_for_withdraws_it(house):
    await house.say("ann", FLIGHTS)
    await house.say("ann", "book the cheapest")
    assert "Shall I cancel" not in await house.say("ann", "cancel it")
    assert await house.say("ann", "show my bookings") == NO_BOOKINGS


@pytest.mark.requirement("CANCEL-IS-ABOUT-THE-BOOKING")
async def test_cancel_after_a_denied_booking_cancels_no_other(house):
    await house.say("ann", HOTELS)
    older = await house.book("ann", "book the cheapest")
    await house.say("ann", "book the second one")
    await house.say("ann", "no")
    told = "Nothing was booked by that, so there is nothing to cancel."
    assert await house.say("ann", "oh no, cancel everything") == told
    assert f"{older} (booked)" in await house.say("ann", "show my bookings")


@pytest.mark.requirement("CANCEL-IS-ABOUT-THE-BOOKING")
@pytest.mark.parametrize("said", ["cancel both", "undo that"])
async def test_cancel_after_two_bookings_cancels_both_in_turn(house, said):
    await book_both(house)
    await house.say("ann", said)
    first = (await house.asked("ann"))["facts"]["Booking"]
    await house.decide("ann", "allow")
    second = (await house.asked("ann"))["facts"]["Booking"]
    reply = await house.decide("ann", "allow")
    assert first != second
    assert f"Cancelled {first}" in reply
    assert f"Cancelled {second}" in reply


@pytest.mark.requirement("CANCEL-IS-ABOUT-THE-BOOKING")
async def test_cancel_of_a_kind_is_about_the_booking_of_that_kind(house):
    await book_both(house)
    assert "Shall I cancel DEMO-" in await house.say("ann", "cancel the hotel")
    assert "5 nights" in (await house.asked("ann"))["facts"]["What"]


@pytest.mark.requirement("CANCEL-IS-ABOUT-THE-BOOKING")
async def test_booked_hotel_is_cancelled_and_searched_on_other_days_by_one_message(house):
    await house.say("ann", "hotel in Copenhagen, 4-6 December, 1 person")
    booked = await house.book("ann", "book the second one")
    hotel = (await house.call("GET", "/bookings/ann")).json()["bookings"][0]["offer"]["name"]
    asked = await house.say("ann", "please cancel it and look for the same hotel on 11-13 December")
    assert booked in asked
    assert (await house.asked("ann"))["tool"] == "cancel_booking"
    reply = await house.decide("ann", "allow")
    assert f"Cancelled {booked}" in reply
    assert "Fri 11 to Sun 13 December" in reply
    assert hotel in await house.say("ann", "book the new dates")


COPENHAGEN = "hotel in Copenhagen, 11 to 13 December, 2 adults"


async def hotel_booked(house, reference):
    bookings = (await house.call("GET", "/bookings/ann")).json()["bookings"]
    return next(each["offer"] for each in bookings if each["reference"] == reference)


@pytest.mark.requirement("CANCEL-IS-ABOUT-THE-BOOKING")
@pytest.mark.parametrize(
    ("said", "days"),
    [
        (
            "oh no, wrong weekend, it should be 18 to 20. can you change the booking?",
            "Fri 18 to Sun 20 December",
        ),
        ("can I change my booking to 18 to 20 December?", "Fri 18 to Sun 20 December"),
        ("I booked the wrong dates, I need 18-20 December", "Fri 18 to Sun 20 December"),
        ("could you amend the reservation to three nights?", "Mon 14 December"),
        ("please change my booking", "Nothing else has changed."),
    ],
)
async def test_changed_booking_is_told_as_one_to_cancel_and_its_days_are_searched(house, said, days):
    await house.say("ann", COPENHAGEN)
    booked = await house.book("ann", "book the cheapest")
    reply = await house.say("ann", said)
    assert 'I cannot change what is booked: "cancel it and book the same one" asks' in reply
    assert days in reply
    assert "I did nothing with" not in reply
    assert (await house.say("ann", "show my bookings")).count(f"{booked} (booked)") == 1


@pytest.mark.requirement("CANCEL-IS-ABOUT-THE-BOOKING")
async def test_other_days_told_behind_a_booking_leave_it_and_say_so(house):
    await house.say("ann", COPENHAGEN)
    assert "stays as it is" not in await house.say("ann", "one more night")
    booked = await house.book("ann", "book the cheapest")
    reply = await house.say("ann", "one more night")
    assert f'{booked} stays as it is: say "cancel it" if you do not want it.' in reply
    assert "Tue 15 December" in reply
    assert "stays as it is" not in await house.say("ann", "with breakfast")


@pytest.mark.requirement("CANCEL-IS-ABOUT-THE-BOOKING")
@pytest.mark.parametrize(
    "said",
    [
        ["18 to 20 December", "then cancel it and book the same hotel for the 18th"],
        ["wrong weekend, make it 18 to 20 December", "cancel my booking and book the same one"],
        ["cancel it and book the same place for 18 to 20 December"],
        ["cancel it and book the same hotel for a week later"],
        ["cancel it and book the same a week later"],
        ["19 to 21 December", "cancel that and book it again one day earlier"],
        ["19 to 21 December", "book the same one day earlier and cancel the old booking"],
        ["cancel this and book it again, but a week later"],
        ["please cancel the old booking and book me that same hotel for 18-20 December"],
    ],
)
async def test_hotel_is_booked_on_other_days_and_its_first_booking_is_cancelled_next(house, said):
    await house.say("ann", COPENHAGEN)
    old = await hotel_booked(house, reference := await house.book("ann", "book the fourth"))
    *before, last = said
    for each in before:
        await house.say("ann", each)
    asked = await house.say("ann", last)
    assert asked.startswith(f"Shall I book {old['name']} in Copenhagen from Fri 18 December 2026")
    assert re.search(rf"I will ask about cancelling {reference} \(.+ is given back\) next\.$", asked)
    assert "I did nothing with" not in asked
    asked = await house.decide("ann", "allow")
    assert asked.startswith(f"Shall I cancel {reference}")
    house.later(minutes=1)
    reply = await house.decide("ann", "allow")
    assert f"Cancelled {reference}" in reply
    new = await hotel_booked(house, reply.partition("Booked as ")[2][:11])
    assert (new["name"], new["check_in"]) == (old["name"], "2026-12-18")


@pytest.mark.requirement("CANCEL-IS-ABOUT-THE-BOOKING")
@pytest.mark.parametrize(
    "instead", ["cancel it and book the second", "cancel it and book the Hotel Blixnorf"]
)
async def test_booking_stays_without_another_in_its_place(house, instead):
    await house.say("ann", COPENHAGEN)
    reference = await house.book("ann", "book the cheapest")
    reply = await house.say("ann", instead)
    if (await house.status("ann"))["input_request"]:
        reply = await house.decide("ann", "deny")
    assert reply.endswith(f'{reference} stays as it is: "cancel {reference}" cancels it.')
    assert (await house.status("ann"))["input_request"] is None
    assert (await house.say("ann", "show my bookings")).count("(booked)") == 1
    assert f"{reference} (booked)" in await house.say("ann", "show my bookings")


FLIGHT_ON_SATURDAY = "flight from London to Edinburgh on Saturday 5 December"


@pytest.mark.requirement("CANCEL-IS-ABOUT-THE-BOOKING")
@pytest.mark.parametrize(
    "said",
    [
        "book the cheapest of those and cancel the Saturday one",
        "cancel the one on Saturday and book the cheapest of these",
        "take the second one and get rid of the one on the 5th",
        "book it and cancel my saturday flight",
    ],
)
async def test_day_of_what_is_cancelled_is_not_the_day_that_is_booked(house, said):
    await house.say("ann", FLIGHT_ON_SATURDAY)
    reference = await house.book("ann", "book the cheapest")
    await house.say("ann", "show me Sunday")
    asked = await house.say("ann", said)
    assert re.search(r"^Shall I book .+ on Sun 6 December 2026 for", asked)
    assert f"I will ask about cancelling {reference} (nothing is given back) next." in asked
    asked = await house.say("ann", "yes to both")
    assert asked.startswith(f"Shall I cancel {reference}")
    house.later(minutes=1)
    assert f"Cancelled {reference}" in await house.say("ann", "yes")


async def test_booking_is_cancelled_by_its_day(house):
    await house.say("ann", FLIGHT_ON_SATURDAY)
    saturday = await house.book("ann", "book the cheapest")
    await house.say("ann", "show me Sunday")
    sunday = await house.book("ann", "book the cheapest")
    assert f"Shall I cancel {saturday}" in await house.say("ann", "cancel the Saturday one")
    await house.say("ann", "no")
    assert f"Shall I cancel {sunday}" in await house.say("ann", "cancel my flight on 6 December")
    await house.say("ann", "no")
    reply = await house.say("ann", "cancel the Monday one")
    assert reply.startswith("You have booked nothing called Monday: ")
    assert saturday in reply


@pytest.mark.parametrize(
    "said", ["don't cancel it and book the same for 18 to 20 December", "keep it and book the second one too"]
)
async def test_booking_that_is_to_stay_is_booked_beside_and_not_cancelled(house, said):
    await house.say("ann", COPENHAGEN)
    await house.book("ann", "book the cheapest")
    asked = await house.say("ann", said)
    assert asked.startswith("Shall I book ")
    assert "cancel" not in asked


@pytest.mark.parametrize("said", ["yes to both", "both", "book both"])
async def test_yes_to_both_books_nothing_where_one_is_asked_about(house, said):
    await house.say("ann", COPENHAGEN)
    question = await house.say("ann", "book the cheapest")
    reply = await house.say("ann", said)
    assert reply.endswith(question)
    assert (await house.say("ann", "show my bookings")).startswith(NO_BOOKINGS)


async def test_offer_asked_about_is_replaced_by_the_one_named_with_a_cancellation(house):
    await house.say("ann", COPENHAGEN)
    first = await house.say("ann", "book the cheapest")
    asked = await house.say("ann", "cancel that and book the second")
    assert asked.startswith("Shall I book ")
    assert asked != first


async def test_same_car_is_the_one_that_was_booked(house):
    await house.say("ann", CARS)
    await house.book("ann", "book the second")
    old = (await house.call("GET", "/bookings/ann")).json()["bookings"][0]["offer"]
    asked = await house.say("ann", "cancel it and book the same car for 12 to 14 December")
    assert asked.startswith(f"Shall I book {old['model']}, {old['supplier']}")


async def test_cancel_with_nothing_to_stop_tells_how_a_booking_is_cancelled(house):
    await house.say("ann", COPENHAGEN)
    await house.book("ann", "book the cheapest")
    await house.say("ann", "18 to 20 December")
    assert await house.say("ann", "cancel it") == f"{NOTHING_TO_STOP} {WHAT_CANCELS}"
