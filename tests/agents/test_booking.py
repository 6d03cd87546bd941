"""Booking by talking: what is meant is picked from what was shown, asked for exactly, and done if allowed."""

import re

import pytest

from tests.agents.booking_guest import FLIGHTS, HOTELS

REFERENCE = re.compile(r"DEMO-[2-9A-HJKMNP-Z]{6}")


def total(item):
    return f"{float(item['price_total']['amount']):,.2f} {item['price_total']['currency']}"


async def shown(house, user_id, agent):
    """What was found, in the order in which it is shown."""
    found = (await house.partial_results(user_id))["partial_results"][agent]
    return sorted(found, key=lambda item: float(item["price_total"]["amount"]))


async def test_the_cheapest_flight_is_booked_once_it_is_allowed(house):
    await house.say("ann", FLIGHTS)
    cheapest = (await shown(house, "ann", "flight"))[0]
    prompt = await house.say("ann", "book the cheapest")
    asked = await house.asked("ann")
    assert prompt == asked["prompt"]
    assert (asked["tool"], asked["agent"]) == ("book_flight", "booking")
    assert list(asked["facts"]) == ["What", "Who", "Total", "Refund rule", "Demo"]
    assert asked["facts"]["Total"] == total(cheapest)
    assert asked["facts"]["Who"] == "1 passenger"
    assert "nothing is bought" in prompt
    said = await house.decide("ann", "allow")
    (reference,) = REFERENCE.findall(said)
    assert said.startswith(f"Booked as {reference}: ")
    assert said.endswith(f"for {total(cheapest)} (demo: nothing is bought).")
    assert (await house.status("ann"))["status"] == "completed"
    assert f"{reference} (booked)" in await house.say("ann", "what have I booked?")


@pytest.mark.parametrize(
    ("said", "position"), [("book the second one", 1), ("take the 3rd", 2), ("book number 10", 9)]
)
async def test_a_number_counts_the_offers_as_they_are_shown(house, said, position):
    await house.say("ann", FLIGHTS)
    await house.say("ann", said)
    offers = await shown(house, "ann", "flight")
    assert (await house.asked("ann"))["facts"]["Total"] == total(offers[position])


async def test_the_fastest_flight_is_the_one_with_the_fewest_minutes(house):
    await house.say("ann", FLIGHTS)
    offers = await shown(house, "ann", "flight")
    fastest = min(offers, key=lambda item: sum(each["duration_minutes"] for each in item["slices"]))
    await house.say("ann", "book the fastest")
    first = fastest["slices"][0]["segments"][0]
    assert f"{first['carrier_name']} {first['number']}" in (await house.asked("ann"))["facts"]["What"]


async def test_the_best_hotel_is_the_one_that_guests_like_most(house):
    await house.say("ann", HOTELS)
    best = max(await shown(house, "ann", "hotel"), key=lambda item: item["score"])
    await house.say("ann", "book the best one")
    asked = await house.asked("ann")
    assert asked["tool"] == "book_hotel"
    assert any(
        each["name"] in asked["facts"]["What"]
        for each in await shown(house, "ann", "hotel")
        if each["score"] == best["score"]
    )
    assert "5 nights" in asked["facts"]["What"]
    assert REFERENCE.search(await house.decide("ann", "allow"))


async def test_a_hotel_is_booked_by_its_name(house):
    await house.say("ann", HOTELS)
    wished = (await shown(house, "ann", "hotel"))[4]["name"]
    await house.say("ann", f"book the {wished}")
    assert wished in (await house.asked("ann"))["facts"]["What"]


async def test_a_carrier_that_none_of_them_is_with_is_said_to_be_none_of_them(house):
    await house.say("ann", FLIGHTS)
    said = await house.say("ann", "book the Lufthansa flight")
    assert re.search(r"None of the \d+ flights I found is with Lufthansa\.", said)
    assert (await house.status("ann"))["status"] == "completed"


async def test_there_is_no_hundredth_offer(house):
    await house.say("ann", FLIGHTS)
    assert "There is no number 99: there are only " in await house.say("ann", "book number 99")


async def test_search_and_booking_fit_in_one_message(house):
    prompt = await house.say("ann", f"find and book the cheapest flight{FLIGHTS.removeprefix('flights')}")
    assert prompt.startswith("Shall I book ")
    said = await house.say("ann", "yes")
    assert "I found " in said
    assert REFERENCE.search(said)


@pytest.mark.parametrize("said", ["no", "deny it", "no thanks"])
async def test_what_is_not_allowed_is_not_done(house, said):
    await house.say("ann", FLIGHTS)
    await house.say("ann", "book the cheapest")
    task_id = (await house.status("ann"))["task_id"]
    assert await house.say("ann", said) == "You did not allow it, so nothing was booked."
    assert ("book_flight", "denied") in await house.calls("ann", task_id)
    assert await house.say("ann", "show my bookings") == "You have no bookings."


async def test_a_permission_is_good_for_one_booking_only(house):
    await house.say("ann", FLIGHTS)
    await house.say("ann", "book the cheapest")
    request_id = (await house.asked("ann"))["request_id"]
    await house.decide("ann", "allow")
    for decision in ("allow", "deny"):
        await house.refused("ann", {"request_id": request_id, "decision": decision}, 409, "answered")
    await house.say("ann", "book the cheapest")
    assert (await house.asked("ann"))["request_id"] != request_id


async def test_a_price_that_changed_while_it_was_thought_over_is_asked_for_anew(house):
    await house.say("ann", FLIGHTS)
    await house.say("ann", "book the cheapest")
    before = await house.asked("ann")
    house.later(days=1)
    await house.decide("ann", "allow")
    after = await house.asked("ann")
    assert after["request_id"] != before["request_id"]
    assert after["facts"]["What"] == before["facts"]["What"], "the same flights"
    assert after["facts"]["Total"] != before["facts"]["Total"]
    task_id = (await house.status("ann"))["task_id"]
    said = await house.decide("ann", "allow")
    assert after["facts"]["Total"] in said
    assert REFERENCE.search(said)
    calls = await house.calls("ann", task_id)
    assert [outcome for tool, outcome in calls if tool == "book_flight"] == ["failed", "completed"]


@pytest.mark.requirement("A-PAYMENT-CAN-FAIL")
async def test_a_payment_above_what_the_demo_card_pays_is_declined_and_books_nothing(house):
    await house.say("ann", "business class flights from London to New York on 4 December for 9 people")
    await house.say("ann", "book the fastest")
    said = await house.decide("ann", "allow")
    assert "was declined: the demo card pays up to 5,000 EUR. Nothing was booked." in said
    assert (await house.status("ann"))["status"] == "completed"
    assert await house.say("ann", "show my bookings") == "You have no bookings."


async def test_what_is_held_is_booked_under_its_reference(house):
    await house.say("ann", FLIGHTS)
    held = await house.book("ann", "hold the second one")
    assert f"{held} (held until 12:20 UTC)" in await house.say("ann", "show my bookings")
    await house.say("ann", "book it")
    said = await house.decide("ann", "allow")
    assert said.startswith(f"Booked as {held}: ")


async def test_what_is_held_of_another_journey_is_not_what_is_booked(house):
    await house.say("ann", FLIGHTS)
    held = await house.book("ann", "hold the cheapest")
    await house.say("ann", "flights from Berlin to Rome on 5 December")
    cheapest = (await shown(house, "ann", "flight"))[0]
    await house.say("ann", "book it")
    assert (await house.asked("ann"))["facts"]["Total"] == total(cheapest)
    assert held not in await house.decide("ann", "allow")


async def test_a_hold_is_booked_by_its_reference_until_it_has_expired(house):
    await house.say("ann", FLIGHTS)
    held = await house.book("ann", "hold the cheapest")
    assert (await house.say("ann", f"book {held}")).startswith("Shall I book ")
    await house.say("ann", "no")
    house.later(minutes=20)
    assert f"{held} is expired already." in await house.say("ann", f"book {held}")


async def test_a_hotel_is_not_held(house):
    await house.say("ann", HOTELS)
    assert "Only flights can be held; a hotel is booked at once." in await house.say(
        "ann", "hold the cheapest"
    )


async def test_of_flight_and_hotel_it_is_asked_which_is_meant(house):
    await house.say("ann", f"{FLIGHTS} to 9 December and a hotel there")
    assert "Shall I book the flight or the hotel? Please say which." in await house.say("ann", "book it")


async def test_a_booking_is_cancelled_once_that_is_allowed_for_what_it_gives_back(house):
    await house.say("ann", HOTELS)
    reference = await house.book("ann", "book the cheapest")
    await house.say("ann", f"cancel {reference.lower()}")
    asked = await house.asked("ann")
    assert asked["tool"] == "cancel_booking"
    assert asked["facts"]["Booking"] == reference
    back = asked["facts"]["Given back"]
    said = await house.say("ann", "yes, cancel it")
    assert said == f"Cancelled {reference}; {back} is given back (demo: nothing is bought)."
    assert f"{reference} (cancelled)" in await house.say("ann", "show my bookings")
    said = await house.say("ann", f"cancel {reference}")
    assert f"{reference} is cancelled already; there is nothing to cancel." in said


async def test_the_only_booking_needs_no_reference_and_of_several_it_is_asked_which(house):
    assert "You have no booking that could be cancelled." in await house.say("ann", "cancel my booking")
    await house.say("ann", FLIGHTS)
    first = await house.book("ann", "book the cheapest")
    await house.say("ann", "cancel my booking")
    assert (await house.asked("ann"))["facts"]["Booking"] == first
    await house.say("ann", "no")
    house.later(minutes=1)
    second = await house.book("ann", "book the second one")
    assert f"Which one shall I cancel: {first}, {second}?" in await house.say("ann", "cancel my booking")


@pytest.mark.requirement("BOOKINGS-ARE-ONES-OWN")
async def test_the_booking_of_another_user_is_neither_shown_nor_cancelled(house):
    await house.say("ann", FLIGHTS)
    reference = await house.book("ann", "book the cheapest")
    assert await house.say("bob", "show my bookings") == "You have no bookings."
    assert f"You have no booking {reference}." in await house.say("bob", f"cancel {reference}")
    assert f"You have no booking {reference}." in await house.say("bob", f"book {reference}")
    assert f"You have no booking {reference}." in await house.say("bob", f"what about {reference}?")
    assert f"{reference} (booked)" in await house.say("ann", f"what about {reference}?")


async def test_asking_what_is_booked_leaves_open_what_is_asked_to_be_allowed(house):
    await house.say("ann", FLIGHTS)
    prompt = await house.say("ann", "book the cheapest")
    assert await house.say("ann", "what have I booked?") == f"You have no bookings. {prompt}"
    assert REFERENCE.search(await house.say("ann", "yes"))


@pytest.mark.requirement("THE-LAST-SEAT-ONCE")
async def test_what_is_sold_out_is_not_shown_any_more(house):
    await house.say("ann", FLIGHTS)
    first = (await shown(house, "ann", "flight"))[0]
    for each in range(9):
        await house.say(f"guest-{each}", FLIGHTS)
        if (await shown(house, f"guest-{each}", "flight"))[0] != first:
            break
        await house.book(f"guest-{each}", "book the cheapest")
    else:
        raise AssertionError("there is no end of seats")
    house.later(minutes=10)  # what ann was shown is not fresh any more
    said = await house.say("ann", "book the cheapest")
    assert said.startswith("Shall I book ")
    assert (await house.asked("ann"))["facts"]["Total"] != total(first)


@pytest.mark.requirement("DELETE-FORGETS")
async def test_the_bookings_of_a_user_who_is_deleted_are_forgotten(house):
    await house.say("ann", FLIGHTS)
    reference = await house.book("ann", "book the cheapest")
    assert (await house.call("DELETE", "/users/ann")).status_code == 204
    assert await house.say("ann", "show my bookings") == "You have no bookings."
    assert f"You have no booking {reference}." in await house.say("ann", f"cancel {reference}")
