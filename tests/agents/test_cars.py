"""Rental cars from the message to the reply: searched, narrowed, and priced by their days."""

import asyncio
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from backend.travel.providers.demo.car_search import find_cars, priced_car
from backend.travel.providers.demo.cars import Car
from backend.travel.tools.search import SEARCHES
from backend.travel.understanding.slot_table import SLOTS
from backend.travel.values.travel import CarOffer, CarQuery, Money
from backend.travel.workflow import TravelWorkflow
from tests.agents.sources import Provider, Source, Travel, a_flight, a_hotel
from tests.interruption.disk import DiskStore
from tests.interruption.parts import Parts
from tests.understanding.conversation import TODAY

pytestmark = pytest.mark.virtual_time

RENTAL = "a rental car in Rome from 3 May to 6 May"


def demo_cars(market: Any = "rental chains", **limits: Any) -> list[CarOffer]:
    """The cars of three days in Rome, the cheapest first."""
    query = CarQuery(city="Rome", country="IT", pick_up=date(2027, 5, 3), drop_off=date(2027, 5, 6), **limits)
    return find_cars(query, market=market, today=TODAY, seed=1)


def test_every_agent_with_slots_has_its_search() -> None:
    assert SEARCHES.keys() == SLOTS.keys()


def test_the_demo_offers_the_same_cars_again_for_the_same_search() -> None:
    assert demo_cars() == demo_cars()
    assert {car.station for car in demo_cars()} == {"airport", "centre"}
    assert {car.station for car in demo_cars("local rentals")} == {"centre"}
    assert len({car.offer_id for car in (*demo_cars(), *demo_cars("local rentals"))}) == len(
        [*demo_cars(), *demo_cars("local rentals")]
    )


def test_a_car_costs_its_days_and_no_more_than_the_limit() -> None:
    limit = Money(amount=demo_cars()[3].price_per_day.amount)
    affordable = demo_cars(max_price=limit)
    assert 0 < len(affordable) <= 30
    assert all(car.price_per_day.amount <= limit.amount for car in affordable)
    assert all(car.price_total.amount == car.price_per_day.amount * 3 for car in affordable)
    assert all(not car.live and "Demo" in car.supplier for car in affordable)


def _rate(day: date, *, days: int) -> tuple[Decimal, CarOffer]:
    """What a day costs of one car, whose own rate is 100 EUR, from a day on."""
    car = Car(
        "Kestrel Demo",
        "Wren",
        "small",
        "manual",
        4,
        1,
        "centre",
        100.0,
        True,
        free_cancellation_days=2,
        at_most=1,
    )
    query = CarQuery(city="Rome", country="IT", pick_up=day, drop_off=day + timedelta(days=days))
    offer = priced_car(car, query, market="rental chains", today=TODAY, seed=1)
    return offer.price_per_day.amount, offer


def test_a_day_costs_less_from_a_week_on_and_more_at_short_notice() -> None:
    later, soon = TODAY + timedelta(days=14), TODAY + timedelta(days=13)
    assert [_rate(later, days=days)[0] for days in (1, 6, 7, 8)] == [100, 100, 85, 85]
    assert _rate(soon, days=1)[0] == 115


def test_a_car_is_never_told_to_be_free_to_cancel_until_a_day_that_has_passed() -> None:
    told = [_rate(TODAY + timedelta(days=ahead), days=1)[1].free_cancellation_until for ahead in (1, 2, 3)]
    assert told == [None, TODAY, TODAY + timedelta(days=1)]


async def test_the_reply_names_the_cheapest_car() -> None:
    cars = demo_cars()
    travel = Travel(Provider([], cars=[Source("rentals", cars)]))
    reply, context = await travel.reply(RENTAL)
    shown = context.partial_results.to_json()["car"]
    assert len(shown) == len(cars)
    assert f"{len(cars)} rental cars" in reply
    assert cars[0].supplier in reply


async def test_only_cars_that_fit_are_shown() -> None:
    travel = Travel(Provider([], cars=[Source("rentals", demo_cars())]))
    _, context = await travel.reply(f"{RENTAL}, automatic, picked up at the airport")
    shown = context.partial_results.to_json()["car"]
    assert shown
    assert {(car["transmission"], car["station"]) for car in shown} == {("automatic", "airport")}


@pytest.mark.requirement("CARRYOVER-IS-TRUE")
async def test_an_interrupted_search_for_cars_is_taken_over_while_it_answers_the_request() -> None:
    cars = demo_cars()
    source = Source("rentals", *([car] for car in cars[:6]))
    provider = Provider(
        [Source("one", [a_flight("590.00")])], [Source("chains", [a_hotel("120.00")])], [source]
    )
    parts = Parts(
        workflow=lambda ledger, _owner: TravelWorkflow(provider, ledger, today=lambda: TODAY),
        store=DiskStore(),
    )
    await parts.open()
    await parts.post(RENTAL)
    await asyncio.sleep(2.5)
    task_id = await parts.post("and a hotel there")
    await asyncio.sleep(0.1)
    [told] = [
        event
        for event in await parts.events()
        if event["type"] == "context_transfer" and event["task_id"] == task_id
    ]
    assert told["carried"]["partial_results"] == {"car": 2}
    await parts.quiet()
    assert len(source.asked) == 1
    reply = (await parts.history())[-1][1]
    assert "1 hotel" in reply

    await parts.post("make the car automatic")
    await parts.quiet()
    assert len(source.asked) == 1  # what was found is narrowed
    await parts.post("the car from 4 May instead")
    await parts.quiet()
    assert len(source.asked) == 2
    await parts.close()


async def _replies(*messages: str) -> list[str]:
    """The last replies to messages that follow each other, where a flight, a hotel and cars are found."""
    provider = Provider(
        [Source("one", [a_flight("590.00")])],
        [Source("chains", [a_hotel("120.00")])],
        [Source("rentals", demo_cars()[:2])],
    )
    parts = Parts(workflow=lambda ledger, _owner: TravelWorkflow(provider, ledger, today=lambda: TODAY))
    replies: list[str] = []
    for message in messages:
        await parts.post(message)
        await parts.quiet()
        replies.append((await parts.history())[-1][1])
    await parts.close()
    return replies


@pytest.mark.requirement("FOUND-ANSWERS-QUESTIONS")
async def test_what_a_trip_costs_in_all_counts_the_car() -> None:
    trip = "Flights from Berlin to Tokyo from 10 to 11 December, a hotel and a rental car there"
    car = demo_cars()[0]
    _, answer, found = await _replies(trip, "what would it be in all?", "what have you found so far?")
    assert f"In all it is {710 + car.price_total.amount} EUR: 590.00 EUR for Aurora Demo" in answer
    assert (
        f"and {car.price_total.amount} EUR for {car.model} of {car.supplier}, the cheapest rental car"
        in answer
    )
    assert f"2 rental cars, the cheapest {car.model} of {car.supplier}" in found


@pytest.mark.requirement("FOUND-ANSWERS-QUESTIONS")
async def test_who_looks_for_a_car_alone_is_not_told_to_wait_for_flights_and_hotels() -> None:
    _, answer = await _replies(RENTAL, "show the dearest first")
    assert "flights" not in answer
