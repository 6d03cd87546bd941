"""What a click on the page says, through the whole server: just that offer, that search, that booking."""

import asyncio
import json
import random
import re

import pytest

from backend.domain.encoding import encode
from backend.travel.understanding.codec import from_json
from backend.travel.understanding.requested import requested
from backend.travel.workflow import TravelWorkflow
from tests.agents.sources import TODAY, Provider, Source, a_flight, a_hotel
from tests.frontend.saying import said
from tests.interruption.parts import Parts

THERE_AND_BACK = "flights from Berlin to Tokyo on 10 December 2026, back on 20 December 2026"
HOTELS = "hotels in Tokyo from 4 to 9 December"


async def found(house, agent):
    return (await house.partial_results("ann"))["partial_results"][agent]


def a_few(offers, dice):
    by_price = sorted(offers, key=lambda offer: float(offer["price_total"]["amount"]))
    return [by_price[0], by_price[-1], *dice.sample(by_price, 4)]


def total(offer):
    return f"{float(offer['price_total']['amount']):,.2f} {offer['price_total']['currency']}"


@pytest.mark.parametrize(("verb", "tool"), [("Book", "book_flight"), ("Hold", "hold_flight")])
async def test_of_all_flights_that_one_is_asked_about_that_was_clicked_or_named_as_exactly(house, verb, tool):
    await house.say("ann", THERE_AND_BACK)
    offers = a_few(await found(house, "flight"), random.Random(1))
    for offer, sentence in zip(offers, said(("bookFlight", [offer]) for offer in offers), strict=True):
        await house.say("ann", sentence.replace("Book", verb, 1))
        asked = await house.asked("ann")
        assert asked["tool"] == tool
        assert asked["facts"]["Total"].startswith(total(offer))
        for direction in offer["slices"]:
            for flight in direction["segments"]:
                assert f"{flight['carrier_name']} {flight['number']}" in asked["facts"]["What"]


async def test_of_all_hotels_that_one_is_asked_about_that_was_clicked(house):
    await house.say("ann", HOTELS)
    offers = a_few(await found(house, "hotel"), random.Random(2))
    for offer, sentence in zip(offers, said(("bookHotel", [offer]) for offer in offers), strict=True):
        await house.say("ann", sentence)
        asked = await house.asked("ann")
        assert asked["tool"] == "book_hotel"
        assert offer["name"] in asked["facts"]["What"]
        assert asked["facts"]["Total"] == total(offer)


async def test_a_booking_is_made_and_cancelled_by_clicks_alone(house):
    await house.say("ann", HOTELS)
    offer = random.Random(3).choice(await found(house, "hotel"))
    [book] = said([("bookHotel", [offer])])
    reference = await house.book("ann", book)
    [cancel] = said([("cancelBooking", [reference])])
    await house.say("ann", cancel)
    assert (await house.asked("ann"))["tool"] == "cancel_booking"
    assert reference in await house.decide("ann", "allow")


async def test_an_offer_of_another_day_is_not_taken_for_one_of_this(house):
    await house.say("ann", THERE_AND_BACK)
    offer = (await found(house, "flight"))[0]
    [before] = said([("bookFlight", [offer])])
    await house.say("ann", "make it 12 December 2026")
    await house.say("ann", before)
    asked = await house.asked("ann")
    assert "Thu 10 December 2026" in asked["facts"]["What"]
    assert asked["facts"]["Total"] == total(offer)


async def test_an_offer_that_was_never_found_is_not_booked(house):
    await house.say("ann", THERE_AND_BACK)
    [book] = said([("bookFlight", [(await found(house, "flight"))[0]])])
    never = re.sub(r"\d+ on", "9999 on", book, count=1)
    reply = await house.say("ann", never)
    assert "None of the " in reply
    assert (await house.status("ann"))["input_request"] is None


class Ann:
    """User ann of a server with one source of flights and one of hotels."""

    def __init__(self):
        self.flights = Source("one", [a_flight("590.00")], [a_flight("610.00")])
        self.hotels = Source("chains", [a_hotel("120.00")])
        provider = Provider([self.flights], [self.hotels])
        self.parts = Parts(
            workflow=lambda ledger, _owner: TravelWorkflow(provider, ledger, today=lambda: TODAY)
        )

    @property
    def searches(self):
        return len(self.flights.asked), len(self.hotels.asked)

    async def say(self, message, *, then_wait_s=None):
        """Say something; return the reply, or what the task had been asked for by then."""
        await self.parts.post(message)
        if then_wait_s is None:
            await self.parts.quiet()
        else:
            await asyncio.sleep(then_wait_s)
        return (await self.parts.history())[-1][1]

    async def agents(self):
        """What the page knows of the agents of the last task."""
        standing = await self.parts.store.standing("ann")
        understood = from_json(standing.task.request["understanding"])
        agents = {agent: {"request": requested(agent, understood)} for agent in understood.agents}
        return json.loads(encode(agents))


BOTH = "Find flights from Berlin to Tokyo on 10 December and a hotel there for 3 nights"
APART = "Find flights from Berlin to Tokyo on 10 December and a hotel there from 12 to 15 December"


@pytest.mark.virtual_time
async def test_to_search_again_after_a_failure_finds_the_hotels_and_keeps_the_flights(ann):
    ann.hotels.then = "fail"
    assert "The hotel search did not work" in await ann.say(BOTH)
    ann.hotels.then = "end"
    [retry] = said([("retry", ["hotel"])])
    reply = await ann.say(retry)
    assert "for 3 nights" not in reply
    assert "and 1 hotel" in reply
    assert ann.searches == (1, 2)
    assert set(await ann.agents()) == {"flight", "hotel"}


@pytest.mark.virtual_time
async def test_a_day_of_the_chart_searches_flights_and_leaves_a_stay_on_days_of_its_own(ann):
    await ann.say(APART)
    [day] = said([("leaveOn", ["2026-12-09"])])
    assert "on Wed 9 December 2026" in await ann.say(day)
    assert ann.searches == (2, 1)


@pytest.mark.virtual_time
async def test_a_day_of_the_chart_leaves_the_search_for_such_a_stay_running(ann):
    await ann.say(APART, then_wait_s=0.5)
    [day] = said([("leaveOn", ["2026-12-09"])])
    reply = await ann.say(day)
    assert "on Wed 9 December 2026" in reply
    assert "and 1 hotel" in reply
    assert ann.searches == (2, 1)


@pytest.mark.virtual_time
async def test_what_was_interrupted_is_taken_up_again_by_a_click(ann):
    await ann.say(BOTH, then_wait_s=1.5)
    left = {"agents": await ann.agents()}
    await ann.say("make it 12 December for 2 people", then_wait_s=0.5)
    [back] = said([("takeUpAgain", [left])])
    reply = await ann.say(back)
    assert reply.startswith("Back to your earlier request.")
    assert "Thu 10 December 2026, 1 passenger" in reply
    assert {"agents": await ann.agents()} == left


@pytest.mark.virtual_time
@pytest.mark.parametrize(("what", "left"), [("hotel", "flight"), ("flights", "hotel")])
async def test_an_agent_that_is_not_wanted_any_more_is_taken_out_and_the_other_goes_on(ann, what, left):
    await ann.say(BOTH, then_wait_s=0.5)
    await ann.say(f"No {what} after all.")
    assert set(await ann.agents()) == {left}
    assert ann.searches == (1, 1)
