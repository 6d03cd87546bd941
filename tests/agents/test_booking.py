"""Booking by talking: an offer that was shown is picked, asked for exactly, and booked once allowed."""

import re

import pytest

from backend.travel.providers.demo.cars import MOST_OF_A_CAR
from tests.agents.booking_guest import BOTH, FLIGHTS, HOTELS, NO_BOOKINGS, total
from tests.frontend.saying import said

REFERENCE = re.compile(r"DEMO-[2-9A-HJKMNP-Z]{6}")
CARS = "a rental car in Rome from 4 to 9 December"


async def test_cheapest_flight_is_booked_once_it_is_allowed(house):
    await house.say("ann", FLIGHTS)
    cheapest = (await house.found("ann", "flight"))[0]
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


async def test_cheapest_car_is_booked_once_it_is_allowed(house):
    await house.say("ann", CARS)
    cheapest = (await house.found("ann", "car"))[0]
    await house.say("ann", "book the cheapest car")
    asked = await house.asked("ann")
    assert (asked["tool"], asked["facts"]["Who"]) == ("book_car", "1 driver")
    assert asked["facts"]["What"].startswith(f"{cheapest['model']}, {cheapest['supplier']}: ")
    assert (await house.say("ann", "yes, book the car")).startswith("Booked as DEMO-")
    [booked] = (await house.call("GET", "/bookings/ann")).json()["bookings"]
    assert (booked["kind"], booked["state"], booked["cancellable"]) == ("car", "booked", True)
    assert booked["offer"]["offer_id"] == cheapest["offer_id"]


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
async def test_yes_to_another_kind_books_no_car(house):
    await house.say("ann", CARS)
    await house.say("ann", "book the cheapest car")
    await house.say("ann", "yes, book the hotel")
    assert (await house.say("ann", "show my bookings")).startswith(NO_BOOKINGS)


@pytest.mark.parametrize(("said", "position"), [("book the second one", 1), ("book number 10", 9)])
async def test_number_counts_the_offers_as_they_are_shown(house, said, position):
    await house.say("ann", FLIGHTS)
    await house.say("ann", said)
    offers = await house.found("ann", "flight")
    assert (await house.asked("ann"))["facts"]["Total"] == total(offers[position])


async def test_hotel_is_booked_by_its_name(house):
    await house.say("ann", HOTELS)
    wished = (await house.found("ann", "hotel"))[4]["name"]
    assert wished in await house.say("ann", f"book the {wished}")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("book the Lufthansa flight", r"None of the \d+ flights I found is with Lufthansa\."),
        ("book number 99", "There is no number 99: there are only "),
    ],
)
async def test_offer_that_is_not_there_is_not_booked(house, said, told):
    await house.say("ann", FLIGHTS)
    assert re.search(told, await house.say("ann", said))
    assert (await house.status("ann"))["status"] == "completed"


async def test_search_and_booking_fit_in_one_message(house):
    prompt = await house.say("ann", f"find and book the cheapest flight{FLIGHTS.removeprefix('flights')}")
    assert prompt.startswith("Shall I book ")
    said = await house.say("ann", "yes")
    assert "I found " in said
    assert REFERENCE.search(said)


async def test_question_whether_to_book_names_the_city_and_what_it_leaves_out(house):
    await house.say("ann", "hotel in Copenhagen, 4-6 December")
    asked = await house.say("ann", "book the cheapest as long as breakfast is included")
    assert "in Copenhagen from Fri 4 December" in asked
    assert "as long as breakfast is included" in asked


async def test_permission_is_good_for_one_booking(house):
    await house.say("ann", FLIGHTS)
    await house.say("ann", "book the cheapest")
    request_id = (await house.asked("ann"))["request_id"]
    await house.decide("ann", "allow")
    for decision in ("allow", "deny"):
        await house.refused("ann", {"request_id": request_id, "decision": decision}, 409, "answered")
    await house.say("ann", "book the cheapest")
    assert (await house.asked("ann"))["request_id"] != request_id


async def test_price_that_changed_since_the_question_is_asked_for_anew(house):
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
async def test_payment_above_the_limit_of_the_demo_card_is_declined(house):
    await house.say("ann", "business class flights from London to New York on 4 December for 9 people")
    await house.say("ann", "book the fastest")
    said = await house.decide("ann", "allow")
    assert "was declined: the demo card pays up to €5,000. Nothing was booked." in said
    assert (await house.status("ann"))["status"] == "completed"
    assert await house.say("ann", "show my bookings") == NO_BOOKINGS


async def test_held_flight_is_booked_under_its_reference_until_the_hold_expires(house):
    await house.say("ann", FLIGHTS)
    held = await house.book("ann", "hold the second one")
    assert f"{held} (held until 12:20 UTC)" in await house.say("ann", "show my bookings")
    await house.say("ann", "book it")
    assert (await house.decide("ann", "allow")).startswith(f"Booked as {held}: ")
    second = await house.book("ann", "hold the cheapest")
    assert (await house.say("ann", f"book {second}")).startswith("Shall I book ")
    await house.say("ann", "no")
    house.later(minutes=20)
    assert f"{second} is expired already." in await house.say("ann", f"book {second}")


@pytest.mark.parametrize(("search", "kind"), [(HOTELS, "hotel"), (CARS, "car")])
async def test_only_flights_are_held(house, search, kind):
    await house.say("ann", search)
    refused = f"Only flights can be held; a {kind} is booked at once."
    assert refused in await house.say("ann", "hold the cheapest")


async def test_booking_of_several_kinds_asks_which(house):
    await house.say("ann", BOTH)
    assert await house.say("ann", "book it") == "Shall I book the flight or the hotel? Please say which."


async def test_kind_that_was_asked_about_and_not_found_is_not_replaced_by_another(house):
    await house.say("ann", f"{FLIGHTS} to 9 December with Qantas only and a hotel there")
    assert "no flights" in await house.say("ann", "what was the earliest flight you found")
    assert await house.say("ann", "go with that one") == "There is no flight to choose from."
    both = await house.say("ann", "which is cheapest, and does it include a bag?")
    assert both.endswith("There are no flights to tell about: the last search found none.")
    assert (await house.say("ann", "book it")).startswith(
        f"Shall I book {both.split(' is ')[1].split(' (')[0]} in "
    )


async def test_hotels_beside_a_booked_flight_still_fit(house):
    await house.say("ann", BOTH)
    await house.book("ann", "book the cheapest flight")
    assert "kept from before" not in await house.say("ann", "do the hotels have a pool?")


@pytest.mark.requirement("BOOKINGS-ARE-ONES-OWN")
async def test_booking_of_another_user_is_neither_shown_nor_cancelled(house):
    await house.say("ann", FLIGHTS)
    reference = await house.book("ann", "book the cheapest")
    assert await house.say("bob", "show my bookings") == NO_BOOKINGS
    assert f"You have no booking {reference}." in await house.say("bob", f"cancel {reference}")
    assert f"You have no booking {reference}." in await house.say("bob", f"book {reference}")
    assert f"You have no booking {reference}." in await house.say("bob", f"what about {reference}?")
    assert f"{reference} (booked)" in await house.say("ann", f"what about {reference}?")


@pytest.mark.requirement("THE-LAST-SEAT-ONCE")
async def test_sold_out_flight_is_not_shown(house):
    await house.say("ann", FLIGHTS)
    first = (await house.found("ann", "flight"))[0]
    for each in range(9):
        await house.say(f"guest-{each}", FLIGHTS)
        if (await house.found(f"guest-{each}", "flight"))[0] != first:
            break
        await house.book(f"guest-{each}", "book the cheapest")
    else:
        raise AssertionError("there is no end of seats")
    house.later(minutes=10)  # what ann was shown is not fresh any more
    said = await house.say("ann", "book the cheapest")
    assert said.startswith("Shall I book ")
    assert (await house.asked("ann"))["facts"]["Total"] != total(first)


@pytest.mark.requirement("THE-LAST-SEAT-ONCE")
async def test_last_car_is_rented_once(house):
    await house.say("ann", CARS)
    car = (await house.found("ann", "car"))[0]
    [sentence] = said([("bookCar", [car])])
    await house.say("bob", CARS)
    booked = 0
    while "Shall I book" in (answer := await house.say("bob", sentence)):
        await house.decide("bob", "allow")
        booked += 1
    assert 1 <= booked <= MOST_OF_A_CAR
    assert "sold out" in answer.lower()
    assert "sold out" in (await house.say("ann", sentence)).lower()
    await house.say("cid", CARS)
    assert car["offer_id"] not in [each["offer_id"] for each in await house.found("cid", "car")]


@pytest.mark.requirement("DELETE-FORGETS")
async def test_bookings_of_a_deleted_user_are_forgotten(house):
    await house.say("ann", FLIGHTS)
    reference = await house.book("ann", "book the cheapest")
    assert (await house.call("DELETE", "/users/ann")).status_code == 204
    assert await house.say("ann", "show my bookings") == NO_BOOKINGS
    assert f"You have no booking {reference}." in await house.say("ann", f"cancel {reference}")


async def asked_of(house, agent="hotel"):
    return (await house.status("ann"))["agents"][agent]["request"]


WISH = f"{HOTELS} with a sea view"


@pytest.mark.requirement("NOTHING-SAID-IS-LOST-IN-SILENCE")
async def test_unused_wish_is_in_the_reply_the_request_and_the_permission(house):
    assert 'I did nothing with "with a sea view".' in await house.say("ann", WISH)
    assert (await asked_of(house))["unused"] == ["with a sea view"]
    assert "I did nothing with" not in await house.say("ann", "with breakfast for two")
    assert "with a sea view" in (await asked_of(house))["unused"]
    await house.say("ann", "book the cheapest")
    told = (await house.asked("ann"))["facts"]["You also asked for"]
    assert told.startswith("with a sea view")
    assert told.endswith("(this offer was not chosen by it)")


@pytest.mark.requirement("NOTHING-SAID-IS-LOST-IN-SILENCE")
async def test_unused_wish_beside_a_booking_is_told_before_it_is_allowed(house):
    await house.say("ann", FLIGHTS)
    await house.say("ann", "book the cheapest with extra blankets")
    told = (await house.asked("ann"))["facts"]["You also asked for"]
    assert told == "with extra blankets (this offer was not chosen by it)"


async def test_unused_wish_that_is_taken_back_is_forgotten(house):
    await house.say("ann", WISH)
    await house.say("ann", "never mind the sea view")
    assert (await asked_of(house))["unused"] == []
    await house.say("ann", "book the cheapest")
    assert "You also asked for" not in (await house.asked("ann"))["facts"]
    await house.say("ann", WISH)
    await house.say("ann", FLIGHTS)
    assert (await asked_of(house, "flight"))["unused"] == []


async def test_question_beside_a_booking_is_answered_with_it_and_narrows_nothing(house):
    await house.say("ann", HOTELS)
    second = (await house.found("ann", "hotel"))[1]
    asked = await house.say("ann", "book the second one. Does it include breakfast?")
    assert asked.startswith(f"Shall I book {second['name']}")
    has = "has breakfast" if "breakfast" in second["amenities"] else "lists no breakfast"
    assert f"{second['name']} {has}" in asked
    assert (await house.decide("ann", "allow")).startswith("Booked as DEMO-")


async def test_cheapest_is_the_one_that_was_named_as_nothing_fitted(house):
    await house.say("ann", FLIGHTS)
    first = (await house.found("ann", "flight"))[0]
    assert 'Without "up to €20" I have' in await house.say("ann", "under 20 euros")
    asked = await house.say("ann", "ok go with the cheapest one, book it")
    assert asked.startswith("Shall I book ")
    assert f"for {total(first)}?" in asked


async def test_nothing_is_booked_over_a_limit_that_the_same_message_tells(house):
    await house.say("ann", FLIGHTS)
    assert "There is no flight to choose from." in await house.say("ann", "under 20, and book the cheapest")
