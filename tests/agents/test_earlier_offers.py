"""Booking what was found for an earlier request: quoted anew, without a search, and mistaken for no other."""

import re

import pytest

from tests.agents.booking_guest import FLIGHTS, HOTELS, a_house
from tests.frontend.saying import said
from tests.inventory import lend_inventory

PARIS = "actually, make it Paris"


def total(item):
    return f"{float(item['price_total']['amount']):,.2f} {item['price_total']['currency']}"


async def found(house, agent, user_id="ann"):
    """What the last task found, the cheapest first."""
    items = (await house.partial_results(user_id))["partial_results"][agent]
    return sorted(items, key=lambda item: float(item["price_total"]["amount"]))


def click(offer):
    [sentence] = said([("bookHotel" if "check_in" in offer else "bookFlight", [offer])])
    return sentence


async def test_a_flight_of_an_earlier_request_is_booked_hours_later(house):
    await house.say("ann", FLIGHTS)
    offer = (await found(house, "flight"))[3]
    await house.say("ann", PARIS)
    house.later(hours=3)
    await house.say("ann", click(offer))
    asked = await house.asked("ann")
    first = offer["slices"][0]["segments"][0]
    assert f"{first['carrier_name']} {first['number']}" in asked["facts"]["What"]
    booked = await house.decide("ann", "allow")
    assert re.search(r"^Booked as DEMO-\w{6}", booked)


@pytest.mark.requirement("KEPT-OFFERS-ARE-BOOKED")
async def test_a_hotel_of_an_earlier_request_is_booked_beside_a_search_for_flights_alone(house):
    await house.say("ann", HOTELS)
    offer = (await found(house, "hotel"))[2]
    await house.say("ann", FLIGHTS)
    flights = await found(house, "flight")
    await house.say("ann", click(offer))
    asked = await house.asked("ann")
    assert (asked["tool"], offer["name"] in asked["facts"]["What"]) == ("book_hotel", True)
    assert await found(house, "flight") == flights, "what is searched for now is still on the board"
    assert set((await house.status("ann"))["agents"]) == {"flight", "booking"}
    assert (await house.decide("ann", "allow")).startswith("Booked as DEMO-")


@pytest.mark.requirement("KEPT-OFFERS-ARE-BOOKED")
async def test_a_price_that_has_changed_since_is_told_before_it_is_allowed(house):
    await house.say("ann", FLIGHTS)
    offer = (await found(house, "flight"))[0]
    await house.say("ann", PARIS)
    house.later(days=1)
    prompt = await house.say("ann", click(offer))
    asked = await house.asked("ann")
    assert prompt.startswith(f"That has changed since it was found ({total(offer)}). Shall I book ")
    assert asked["facts"]["Total when found"] == total(offer)
    assert asked["facts"]["Total"] != total(offer)
    assert asked["facts"]["Total"] in await house.decide("ann", "allow")


@pytest.mark.requirement("KEPT-OFFERS-ARE-BOOKED")
async def test_what_is_gone_is_said_to_be_gone_with_the_nearest_that_is_left(house):
    await house.say("ann", FLIGHTS)
    gone = (await found(house, "flight"))[0]
    await house.say("ann", PARIS)
    for each in range(9):
        await house.say(f"guest-{each}", FLIGHTS)
        if gone["offer_id"] not in {
            offer["offer_id"] for offer in await found(house, "flight", f"guest-{each}")
        }:
            break
        await house.book(f"guest-{each}", click(gone))
    else:
        raise AssertionError("there is no end of seats")
    reply = await house.say("ann", click(gone))
    assert reply.startswith("I could not book that. That is sold out by now.")
    [left] = re.findall(r"The nearest that is left is (the flight .+?) for ([\d,.]+ EUR)\.", reply)
    assert (await house.status("ann"))["input_request"] is None
    await house.say("ann", f"Book {left[0]}.")
    assert (await house.asked("ann"))["facts"]["Total"] == left[1]


@pytest.mark.requirement("KEPT-OFFERS-ARE-BOOKED")
@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("book the second New York flight", 1),
        ("book the cheapest one from before", 0),
        ("I'll take the cheapest New York one", 0),
        ("reserve the third flight you found before", 2),
        ("book the fourth one from the New York search", 3),
        ("Book the cheapest flight from my earlier search, please", 0),
    ],
)
async def test_an_earlier_offer_is_told_by_words(house, words, place):
    await house.say("ann", FLIGHTS)
    offers = await found(house, "flight")
    await house.say("ann", PARIS)
    await house.say("ann", words)
    asked = await house.asked("ann")
    assert asked["facts"]["Total"] == total(offers[place])
    first = offers[place]["slices"][0]["segments"][0]
    assert f"{first['carrier_name']} {first['number']}" in asked["facts"]["What"]


@pytest.mark.parametrize(
    "words", ["book the cheapest", "book the cheapest Paris flight", "book the first one on the list"]
)
async def test_words_about_what_is_searched_now_mean_that(house, words):
    await house.say("ann", FLIGHTS)
    await house.say("ann", PARIS)
    offers = await found(house, "flight")
    await house.say("ann", words)
    assert (await house.asked("ann"))["facts"]["Total"] == total(offers[0])


async def test_of_one_request_nothing_is_from_before(house):
    await house.say("ann", FLIGHTS)
    assert "I have no offers from before" in await house.say("ann", "book the cheapest one from before")


async def test_an_offer_of_an_earlier_request_is_booked_after_a_restart(tmp_path):
    lend_inventory(tmp_path)
    async with a_house(tmp_path, store="sqlite") as guests:
        await guests.say("ann", FLIGHTS)
        offer = (await found(guests, "flight"))[1]
        await guests.say("ann", PARIS)
    async with a_house(tmp_path, store="sqlite") as guests:
        await guests.say("ann", click(offer))
        assert (await guests.asked("ann"))["facts"]["Total"] == total(offer)


async def test_the_offer_of_another_user_is_not_booked(house):
    await house.say("bob", FLIGHTS)
    offer = (await found(house, "flight", "bob"))[0]
    await house.say("ann", HOTELS)
    assert "There is no flight to choose from." in await house.say("ann", click(offer))
