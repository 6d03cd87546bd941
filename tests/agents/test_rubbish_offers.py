"""A provider that returns rubbish costs nobody else's offers, and adds no line of its own to a reply."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from backend.travel.agents.model_memory import cheapest
from backend.travel.tools.search import MOST_OF_A_SOURCE
from backend.travel.values.booking_json import whole_offer
from backend.travel.values.offer_orders import in_order
from backend.travel.values.travel import CarOffer, Money
from tests.agents.sources import Provider, Source, Travel, a_flight, a_hotel
from tests.agents.test_cars import RENTAL, demo_cars

pytestmark = pytest.mark.virtual_time

NO_PRICES = ("NaN", "sNaN", "Infinity", "-Infinity", "-5")
TRIP = "Flights and a hotel from Berlin to Tokyo from 10 to 11 December"
FORGED = "Heron\nBooked as DEMO-7K2Q4M\u202e"


def _priced(car: CarOffer, amount: str) -> CarOffer:
    return replace(car, offer_id="odd", price_total=Money(amount=Decimal(amount)))


async def _found(odd: Sequence[Any], **then: Any) -> tuple[str, list[Any]]:
    """Search a source that returns odd cars, and one that returns two of the demo's."""
    provider = Provider([], cars=[Source("odd", odd, **then), Source("good", demo_cars()[3:5])])
    reply, context = await Travel(provider).reply(RENTAL)
    return reply, list(context.partial_results.to_json().get("car", ()))


@pytest.mark.parametrize("amount", NO_PRICES)
async def test_a_car_whose_price_is_none_is_left_out_and_the_others_are_told(amount: str) -> None:
    cars = demo_cars()
    reply, shown = await _found([_priced(cars[0], amount), cars[1]])
    assert [car["offer_id"] for car in shown] == [car.offer_id for car in (cars[1], *cars[3:5])]
    assert "I found 3 rental cars" in reply
    assert f"for {cars[1].price_total.amount} EUR" in reply


@pytest.mark.parametrize("amount", NO_PRICES)
async def test_a_flight_and_a_hotel_whose_price_is_none_are_left_out(amount: str) -> None:
    flights, hotels = [a_flight(amount), a_flight("590.00")], [a_hotel(amount), a_hotel("120.00")]
    travel = Travel(Provider([Source("one", flights)], [Source("chains", hotels)]))
    reply, _ = await travel.reply(TRIP)
    assert "I found 1 flight" in reply
    assert "1 hotel" in reply


@pytest.mark.parametrize("amount", NO_PRICES)
def test_a_stored_offer_whose_price_is_none_comes_last_and_is_not_booked(amount: str) -> None:
    odd = {"offer_id": "odd", "price_total": {"amount": amount, "currency": "EUR"}}
    dear = {"offer_id": "dear", "price_total": {"amount": "900", "currency": "EUR"}}
    assert [each["offer_id"] for each in in_order([odd, dear], "price")] == ["dear", "odd"]
    assert cheapest([odd, dear, {"offer_id": "poor", "price_total": None}]) == [dear]
    assert whole_offer(odd) is None


async def test_a_source_that_floods_the_list_leaves_the_others_their_room() -> None:
    flood = [replace(demo_cars()[0], offer_id=str(number)) for number in range(3 * MOST_OF_A_SOURCE)]
    reply, shown = await _found(flood)
    assert [car["source"] for car in shown].count("local rentals") == 0
    assert len(shown) == MOST_OF_A_SOURCE + 2
    assert "no answer" not in reply


async def test_a_source_that_floods_the_list_in_batches_is_asked_for_the_rest_once_that_is_narrowed() -> None:
    batch = [replace(demo_cars()[0], offer_id=str(number)) for number in range(MOST_OF_A_SOURCE)]
    source = Source("odd", batch, batch[:1], batch[1:2])
    travel = Travel(Provider([], cars=[source]))
    _, first = await travel.reply(RENTAL)
    assert len(first.partial_results.to_json()["car"]) == MOST_OF_A_SOURCE
    assert source.closed
    await travel.reply("at most 60 euros a day", after=first)
    assert len(source.asked) == 2


async def test_an_offer_that_a_source_returns_twice_is_shown_once() -> None:
    twice = [demo_cars()[0], demo_cars()[0]]
    _, shown = await _found(twice)
    assert [car["offer_id"] for car in shown].count(twice[0].offer_id) == 1
    assert len(shown) == 3


@pytest.mark.parametrize("odd", [None, [None], [{"price": 3}], [5, "x"]])
async def test_what_is_no_offer_at_all_costs_its_source_alone(odd: Any) -> None:
    _, shown = await _found(odd)
    assert len(shown) == 2


@pytest.mark.parametrize("then", ["hang", "fail", "break"])
async def test_a_source_of_cars_that_does_not_answer_keeps_what_it_had_found_and_is_named(then: str) -> None:
    reply, shown = await _found(demo_cars()[:1], then=then)
    assert len(shown) == 3
    assert "(no answer from odd)" in reply


async def test_no_name_of_a_provider_adds_a_line_to_a_reply() -> None:
    car = replace(demo_cars()[0], model=FORGED, supplier=FORGED)
    reply, _ = await _found([car])
    hotel = replace(a_hotel("120.00", FORGED), district=FORGED)
    travel = Travel(Provider([Source("one", [a_flight("590.00", FORGED)])], [Source("chains", [hotel])]))
    replies = [reply, (await travel.reply(TRIP))[0]]
    for each in replies:
        assert "Heron Booked as" in each
        assert "\n" not in each
        assert "\u202e" not in each
