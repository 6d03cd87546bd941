"""Who cancels "my flight" while something is booked and searched for is asked about the booking."""

from tests.agents.booking_guest import FLIGHTS


async def test_my_flight_is_the_one_that_is_booked_though_flights_are_searched_for(house):
    await house.say("ann", f"{FLIGHTS} to 9 December")
    reference = await house.book("ann", "second cheapest please, book it")
    await house.say("ann", "hotel too, 3 stars")
    asked = await house.say("ann", "cancel my flight")
    assert reference in asked
    assert (await house.asked("ann"))["tool"] == "cancel_booking"


async def test_hotels_are_dropped_where_nothing_was_booked(house):
    await house.say("ann", f"{FLIGHTS} to 9 December")
    reply = await house.say("ann", "drop the hotels, friends put us up")
    assert "booking" not in reply
    assert reply.startswith("I look for flights only.")
