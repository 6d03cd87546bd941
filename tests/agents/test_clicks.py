"""A click on the page, through the whole server: exactly that offer, that search, that booking."""

import json
import random
import re

import pytest

from backend.domain.encoding import encode
from backend.travel.understanding.codec import from_json
from backend.travel.understanding.requested import requested
from tests.agents.ann import Ann, opened
from tests.agents.booking_guest import total
from tests.agents.sources import Source, a_flight, a_hotel
from tests.frontend.saying import said

THERE_AND_BACK = "flights from Berlin to Tokyo on 10 December, back on 20 December"
HOTELS = "hotels in Tokyo from 4 to 9 December"


def a_few(offers, seed):
    return [offers[0], offers[-1], *random.Random(seed).sample(offers, 4)]


@pytest.mark.parametrize(("verb", "tool"), [("Book", "book_flight"), ("Hold", "hold_flight")])
async def test_clicked_flight_is_the_one_asked_about(house, verb, tool):
    await house.say("ann", THERE_AND_BACK)
    offers = a_few(await house.found("ann", "flight"), 1)
    for offer, sentence in zip(offers, said(("bookFlight", [offer]) for offer in offers), strict=True):
        await house.say("ann", sentence.replace("Book", verb, 1))
        asked = await house.asked("ann")
        assert asked["tool"] == tool
        assert asked["facts"]["Total"].startswith(total(offer))
        for direction in offer["slices"]:
            for flight in direction["segments"]:
                assert f"{flight['carrier_name']} {flight['number']}" in asked["facts"]["What"]


async def test_clicked_hotel_is_the_one_asked_about(house):
    await house.say("ann", HOTELS)
    offers = a_few(await house.found("ann", "hotel"), 2)
    for offer, sentence in zip(offers, said(("bookHotel", [offer]) for offer in offers), strict=True):
        await house.say("ann", sentence)
        asked = await house.asked("ann")
        assert asked["tool"] == "book_hotel"
        assert offer["name"] in asked["facts"]["What"]
        assert asked["facts"]["Total"] == total(offer)


async def test_clicked_car_is_the_one_asked_about(house):
    await house.say("ann", "a rental car in Rome from 4 to 9 December")
    for car in a_few(await house.found("ann", "car"), 4):
        [sentence] = said([("bookCar", [car])])
        await house.say("ann", sentence)
        what = (await house.asked("ann"))["facts"]["What"]
        named = f"{car['model']}, {car['supplier']}: {car['car_class']}, {car['transmission']}"
        assert what.startswith(named)
        assert {"airport": "the airport", "centre": "the centre"}[car["station"]] in what


async def test_booking_is_made_and_cancelled_by_clicks_alone(house):
    await house.say("ann", HOTELS)
    offer = (await house.found("ann", "hotel"))[3]
    [book] = said([("bookHotel", [offer])])
    reference = await house.book("ann", book)
    [cancel] = said([("cancelBooking", [reference])])
    await house.say("ann", cancel)
    assert (await house.asked("ann"))["tool"] == "cancel_booking"
    assert reference in await house.decide("ann", "allow")


async def test_clicked_offer_of_another_day_is_not_mistaken(house):
    await house.say("ann", THERE_AND_BACK)
    offer = (await house.found("ann", "flight"))[0]
    [before] = said([("bookFlight", [offer])])
    await house.say("ann", "make it 12 December")
    await house.say("ann", before)
    asked = await house.asked("ann")
    assert "Thu 10 December" in asked["facts"]["What"]
    assert asked["facts"]["Total"] == total(offer)


async def test_offer_that_was_never_found_is_not_booked(house):
    await house.say("ann", THERE_AND_BACK)
    [book] = said([("bookFlight", [(await house.found("ann", "flight"))[0]])])
    never = re.sub(r"\d+ on", "9999 on", book, count=1)
    reply = await house.say("ann", never)
    assert "None of the " in reply
    assert (await house.status("ann"))["input_request"] is None


BOTH = "Find flights from Berlin to Tokyo on 10 December and a hotel there for 3 nights"
APART = "Find flights from Berlin to Tokyo on 10 December and a hotel there from 12 to 15 December"


@pytest.fixture
async def ann():
    flights = Source("one", [a_flight("590.00")], [a_flight("610.00")])
    async with opened(Ann(flights, Source("chains", [a_hotel("120.00")]))) as ann:
        yield ann


async def agents(ann):
    """What the page knows of the agents of the last task."""
    standing = await ann.parts.store.standing("ann")
    understood = from_json(standing.task.request["understanding"])
    return json.loads(
        encode({agent: {"request": requested(agent, understood)} for agent in understood.agents})
    )


@pytest.mark.virtual_time
async def test_retry_after_a_failure_finds_the_hotels_and_keeps_the_flights(ann):
    ann.hotels.then = "fail"
    assert "The hotel search did not work" in await ann.ask(BOTH)
    ann.hotels.then = "end"
    [retry] = said([("retry", ["hotel"])])
    reply = await ann.ask(retry)
    assert "for 3 nights" not in reply
    assert "; 1 hotel for €120.00" in reply
    assert ann.searches == (1, 2)
    assert set(await agents(ann)) == {"flight", "hotel"}


@pytest.mark.virtual_time
@pytest.mark.parametrize("after_s", [None, 0.5], ids=["answered", "running"])
async def test_day_of_the_chart_searches_flights_and_leaves_the_stay_alone(ann, after_s):
    await ann.say(APART, then_wait_s=after_s)
    [day] = said([("leaveOn", ["2026-12-09"])])
    assert "on Wed 9 December" in await ann.ask(day)
    assert ann.searches == (2, 1)


@pytest.mark.virtual_time
async def test_interrupted_request_is_taken_up_again_by_a_click(ann):
    await ann.say(BOTH, then_wait_s=1.5)
    left = {"agents": await agents(ann)}
    await ann.say("make it 12 December for 2 people", then_wait_s=0.5)
    [back] = said([("takeUpAgain", [left])])
    reply = await ann.ask(back)
    assert reply.startswith("Back to your earlier request.")
    assert "Berlin to Tokyo on Thu 10 December:" in reply
    assert {"agents": await agents(ann)} == left


@pytest.mark.virtual_time
@pytest.mark.parametrize(("what", "left"), [("hotel", "flight"), ("flights", "hotel")])
async def test_agent_that_is_no_longer_wanted_is_removed_and_the_other_continues(ann, what, left):
    await ann.say(BOTH, then_wait_s=0.5)
    await ann.say(f"No {what} after all.")
    assert set(await agents(ann)) == {left}
    assert ann.searches == (1, 1)
