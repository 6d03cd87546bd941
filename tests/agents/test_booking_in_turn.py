"""Flight and hotel booked by one wish, each once it is allowed; and what cancels a booking right after it."""

import pytest

from backend.travel.agents.response import CAME_EARLY
from tests.agents.booking_guest import FLIGHTS, HOTELS

BOTH = f"{FLIGHTS} to 9 December and a hotel there"
NOT_ALLOWED = "You did not allow it, so nothing was booked."


@pytest.mark.requirement("BOTH-ARE-BOOKED-IN-TURN")
@pytest.mark.parametrize("said", ["book both, cheapest", "take the cheapest of each"])
async def test_of_both_the_flight_is_asked_for_first_and_the_hotel_then(house, said):
    await house.say("ann", BOTH)
    await house.say("ann", said)
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
async def test_each_of_both_has_a_permission_of_its_own(house, first, second):
    await house.say("ann", BOTH)
    await house.say("ann", "book both")
    await house.say("ann", first)
    house.later(seconds=2)
    reply = await house.say("ann", second)
    assert NOT_ALLOWED in reply
    assert reply.count("Booked as DEMO-") == 1
    assert (await house.say("ann", "show my bookings")).startswith("Your booking: DEMO-")


@pytest.mark.requirement("BOTH-ARE-BOOKED-IN-TURN")
async def test_a_yes_to_the_one_and_a_no_to_the_other_asks_no_more(house):
    await house.say("ann", BOTH)
    await house.say("ann", "book both")
    reply = await house.say("ann", "yes to the flight, no to the hotel")
    assert reply.count("Booked as DEMO-") == 1
    assert (await house.status("ann"))["status"] == "completed"


@pytest.mark.requirement("CANCEL-IS-ABOUT-THE-BOOKING")
@pytest.mark.parametrize("said", ["cancel it", "cancel it please", "I changed my mind, cancel", "undo that"])
async def test_right_after_a_booking_to_cancel_asks_to_cancel_just_that(house, said):
    await house.say("ann", HOTELS)
    await house.book("ann", "book the cheapest")
    house.later(minutes=1)
    second = await house.book("ann", "book the second one")
    await house.say("ann", said)
    asked = await house.asked("ann")
    assert (asked["tool"], asked["facts"]["Booking"]) == ("cancel_booking", second)
    assert (await house.say("ann", "yes")).startswith(f"Cancelled {second}")


@pytest.mark.requirement("CANCEL-IS-ABOUT-THE-BOOKING")
async def test_while_a_booking_is_asked_for_to_cancel_withdraws_it(house):
    await house.say("ann", FLIGHTS)
    await house.say("ann", "book the cheapest")
    assert "Shall I cancel" not in await house.say("ann", "cancel it")
    assert await house.say("ann", "show my bookings") == "You have no bookings."


async def _bookings(house):
    return await house.say("ann", "show my bookings")


@pytest.mark.requirement("CANCEL-IS-ABOUT-THE-BOOKING")
@pytest.mark.parametrize("said", ["cancel", "undo that", "please cancel it", "oh no, cancel everything"])
async def test_after_a_booking_that_was_denied_there_is_nothing_to_cancel(house, said):
    await house.say("ann", HOTELS)
    older = await house.book("ann", "book the cheapest")
    await house.say("ann", "book the second one")
    await house.say("ann", "no")
    assert await house.say("ann", said) == "Nothing was booked by that, so there is nothing to cancel."
    assert f"{older} (booked)" in await _bookings(house)


@pytest.mark.requirement("CANCEL-IS-ABOUT-THE-BOOKING")
@pytest.mark.parametrize("said", ["undo that", "undo", "take it back", "cancel that"])
async def test_a_cancellation_is_not_taken_back_and_no_other_booking_cancelled_for_it(house, said):
    await house.say("ann", HOTELS)
    older = await house.book("ann", "book the cheapest")
    newer = await house.book("ann", "book the second one")
    await house.say("ann", "cancel it")
    await house.say("ann", "yes")
    assert (await house.say("ann", said)).startswith(f"{newer} is cancelled. A cancellation cannot be")
    assert f"{older} (booked)" in await _bookings(house)


@pytest.mark.requirement("CANCEL-IS-ABOUT-THE-BOOKING")
async def test_a_cancellation_that_was_denied_is_asked_for_again(house):
    await house.say("ann", HOTELS)
    await house.book("ann", "book the cheapest")
    newer = await house.book("ann", "book the second one")
    await house.say("ann", "cancel it")
    await house.say("ann", "no")
    assert f"Shall I cancel {newer}" in await house.say("ann", "cancel it")


@pytest.mark.requirement("CANCEL-IS-ABOUT-THE-BOOKING")
@pytest.mark.parametrize("said", ["cancel all of it", "cancel both", "undo that", "cancel the whole thing"])
async def test_after_both_were_booked_both_are_cancelled_in_turn(house, said):
    await house.say("ann", BOTH)
    await house.say("ann", "book both")
    await house.say("ann", "yes")
    house.later(minutes=1)
    await house.say("ann", "yes")
    await house.say("ann", said)
    first = (await house.asked("ann"))["facts"]["Booking"]
    await house.decide("ann", "allow")
    second = (await house.asked("ann"))["facts"]["Booking"]
    reply = await house.decide("ann", "allow")
    assert first != second
    assert f"Cancelled {first}" in reply
    assert f"Cancelled {second}" in reply


@pytest.mark.requirement("CANCEL-IS-ABOUT-THE-BOOKING")
async def test_of_both_the_one_that_is_named_is_cancelled(house):
    await house.say("ann", BOTH)
    await house.say("ann", "book both")
    await house.say("ann", "yes")
    house.later(minutes=1)
    await house.say("ann", "yes")
    assert "Shall I cancel DEMO-" in await house.say("ann", "cancel the hotel")
    assert "5 nights" in (await house.asked("ann"))["facts"]["What"]


@pytest.mark.requirement("BOTH-ARE-BOOKED-IN-TURN")
async def test_both_are_the_offers_that_were_spoken_of_last(house):
    await house.say("ann", BOTH)
    hotel = (await house.say("ann", "which hotel has the best rating?")).partition(" is ")[2]
    await house.say("ann", "which flight is the fastest?")
    await house.say("ann", "book both")
    await house.say("ann", "no")
    assert (await house.asked("ann"))["facts"]["What"].partition(",")[0] in hotel


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
@pytest.mark.parametrize("said", ["yes", "yes please", "ok, book it"])
async def test_a_yes_that_is_sent_twice_does_not_allow_what_is_asked_after_the_first(house, said):
    await house.say("ann", BOTH)
    await house.say("ann", "book both")
    prompt = await house.say("ann", "yes")
    hotel = await house.asked("ann")
    house.later(seconds=0.9)
    assert await house.say("ann", said) == f"{CAME_EARLY} {prompt}"
    assert (await house.asked("ann"))["request_id"] == hotel["request_id"]
    house.later(seconds=0.1)
    assert (await house.say("ann", said)).count("Booked as DEMO-") == 2


async def test_a_click_on_what_is_asked_next_decides_it_at_once(house):
    await house.say("ann", BOTH)
    await house.say("ann", "book both")
    await house.decide("ann", "allow")
    assert (await house.decide("ann", "allow")).count("Booked as DEMO-") == 2
