"""Rental cars from the message to the reply: searched, narrowed, and priced by their days."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from backend.travel.providers.demo.cars import Car, find_cars, priced_car
from backend.travel.tools.search import SEARCHES
from backend.travel.understanding.slot_table import SLOTS
from backend.travel.values.travel import CarOffer, CarQuery, Money
from tests.agents.ann import Ann, opened
from tests.agents.sources import Provider, Source, Travel, a_flight, a_hotel
from tests.understanding.conversation import TODAY

RENTAL = "a rental car in Rome from 3 May to 6 May"


def demo_cars(market: Any = "rental chains", **limits: Any) -> list[CarOffer]:
    """The cars of three days in Rome, the cheapest first."""
    query = CarQuery(city="Rome", country="IT", pick_up=date(2027, 5, 3), drop_off=date(2027, 5, 6), **limits)
    return find_cars(query, market=market, today=TODAY, seed=1)


def test_search_exists_for_every_agent_with_slots() -> None:
    assert SEARCHES.keys() == SLOTS.keys()


def test_car_costs_its_days_and_no_more_than_the_limit() -> None:
    limit = Money(amount=demo_cars()[3].price_per_day.amount)
    affordable = demo_cars(max_price=limit)
    assert 0 < len(affordable) <= 30
    assert all(car.price_per_day.amount <= limit.amount for car in affordable)
    assert all(car.price_total.amount == car.price_per_day.amount * 3 for car in affordable)
    assert all(not car.live and "Demo" in car.supplier for car in affordable)


def _rate(day: date, *, days: int) -> tuple[Decimal, CarOffer]:
    """What a day costs of one car, whose own rate is €100, from a day on."""
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
    offer = priced_car(car, query, market="rental chains", currency="EUR", today=TODAY, seed=1)
    return offer.price_per_day.amount, offer


def test_day_of_a_car_costs_less_for_a_week_and_more_at_short_notice() -> None:
    later, soon = TODAY + timedelta(days=14), TODAY + timedelta(days=13)
    assert [_rate(later, days=days)[0] for days in (1, 6, 7, 8)] == [100, 100, 85, 85]
    assert _rate(soon, days=1)[0] == 115


def test_free_cancellation_never_ends_in_the_past() -> None:
    told = [_rate(TODAY + timedelta(days=ahead), days=1)[1].free_cancellation_until for ahead in (1, 2, 3)]
    assert told == [None, TODAY, TODAY + timedelta(days=1)]


@pytest.mark.virtual_time
async def test_the_reply_names_the_cheapest_car() -> None:
    cars = demo_cars()
    travel = Travel(Provider([], cars=[Source("rentals", cars)]))
    reply, context = await travel.reply(RENTAL)
    shown = context.partial_results.to_json()["car"]
    assert len(shown) == len(cars)
    assert f"{len(cars)} rental cars" in reply
    assert cars[0].supplier in reply


@pytest.mark.virtual_time
async def test_only_fitting_cars_are_shown() -> None:
    travel = Travel(Provider([], cars=[Source("rentals", demo_cars())]))
    _, context = await travel.reply(f"{RENTAL}, automatic, picked up at the airport")
    shown = context.partial_results.to_json()["car"]
    assert shown
    assert {(car["transmission"], car["station"]) for car in shown} == {("automatic", "airport")}


@pytest.mark.virtual_time
@pytest.mark.requirement("FOUND-ANSWERS-QUESTIONS")
async def test_total_of_a_trip_counts_the_car() -> None:
    car = demo_cars()[0]
    flights, hotels = Source("one", [a_flight("590.00")]), Source("chains", [a_hotel("120.00")])
    async with opened(Ann(flights, hotels, cars=(Source("rentals", demo_cars()[:2]),))) as ann:
        await ann.say("Flights from Berlin to Tokyo from 10 to 11 December, a hotel and a rental car there")
        answer = await ann.ask("what would it be in all?")
        assert f"In all it is €{710 + car.price_total.amount}: €590.00 for Aurora Demo" in answer
        named = f"€{car.price_total.amount} for {car.model} of {car.supplier}, the cheapest rental car"
        assert named in answer
        assert "In all it is €710.00" in await ann.ask("total without the car?")
        assert "and €120.00 for" not in await ann.ask("how much are the flight and the car together?")
        found = await ann.ask("what have you found so far?")
        assert f"2 rental cars, the cheapest {car.model} of {car.supplier}" in found


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("which car has room for 4 people and 2 bags?", "The biggest of the 2 rental cars is"),
        ("which one has room for a pushchair and one bag?", 'I cannot answer "a pushchair".'),
        ("is there room for our luggage?", "The biggest of the 2 rental cars is"),
    ],
)
async def test_room_of_a_car_is_told(asked: str, told: str) -> None:
    async with opened(Ann(cars=(Source("rentals", demo_cars()[:2]),))) as ann:
        await ann.say(RENTAL)
        assert told in await ann.ask(asked)
