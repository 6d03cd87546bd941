"""Prices of several currencies: nobody tells a rate, so they are never compared, and that is told."""

from dataclasses import replace

import pytest

from backend.travel.agents.choosing import chosen
from backend.travel.understanding.result import BookingWish
from backend.travel.values.offer_orders import cheapest, cheapest_of_each_currency, in_order, lowest_price
from tests.agents.test_found_questions import FLIGHTS, FOUND_FLIGHTS, FOUND_HOTELS, HOTELS, Ann

pytestmark = pytest.mark.virtual_time


def in_dollars(flight):
    price = replace(flight.price_total, currency="USD")
    return replace(flight, price_total=price, price_per_person=price)


LARCH, AURORA, SABLE = FOUND_FLIGHTS
MIXED = [replace(in_dollars(LARCH), offer_id="usd"), AURORA, SABLE]


@pytest.fixture
async def ann():
    user = Ann(MIXED)
    await user.parts.open()
    yield user
    await user.parts.close()


def offer(offer_id, amount, currency, **facts):
    money = {"amount": amount, "currency": currency}
    return {"offer_id": offer_id, "name": offer_id, "price_total": money, "score": 8, **facts}


OFFERS = [
    offer("cheap dollars", "90", "USD"),
    offer("dear euros", "900", "EUR"),
    {"offer_id": "unpriced"},
    offer("euros", "100", "EUR"),
]


def ids(offers):
    return [each["offer_id"] for each in offers]


def test_prices_are_sorted_within_their_currency():
    assert ids(in_order(OFFERS, "price")) == ["euros", "dear euros", "cheap dollars", "unpriced"]
    assert ids(in_order(OFFERS, "score")) == ["euros", "dear euros", "cheap dollars", "unpriced"]
    assert cheapest(OFFERS)["offer_id"] == "euros"
    assert lowest_price(OFFERS) is None
    assert lowest_price([OFFERS[1], OFFERS[3]]) == {"amount": "100", "currency": "EUR"}
    assert ids(cheapest_of_each_currency(OFFERS)) == ["euros", "cheap dollars"]


def test_the_best_flight_and_car_are_sorted_within_their_currency():
    cars = [{**each, "pick_up": "BER"} for each in OFFERS]
    assert ids(in_order(cars, "best")) == ["euros", "dear euros", "cheap dollars", "unpriced"]


@pytest.mark.parametrize(
    "wish",
    [
        BookingWish(action="book"),
        BookingWish(action="book", pick="cheapest"),
        BookingWish(action="book", pick="cheapest", number=2),
        BookingWish(action="book", name="euros"),
    ],
)
def test_no_offer_is_chosen_by_its_price_among_several_currencies(wish):
    some = [*OFFERS, offer("dollars of euros", "80", "USD")]
    assert chosen(some, wish, kind="hotel") == (
        "The hotels are priced in EUR and USD, which I cannot compare. "
        "Please say which one, by its number or its name."
    )


def test_what_is_told_by_anything_but_its_price_is_chosen_all_the_same():
    assert chosen(OFFERS, BookingWish(action="book", number=3), kind="hotel") == OFFERS[0]
    assert chosen(OFFERS, BookingWish(action="book", pick="best"), kind="hotel") == OFFERS[3]
    assert chosen(OFFERS, BookingWish(action="book", name="dear euros"), kind="hotel") == OFFERS[1]


async def test_a_search_tells_the_cheapest_of_each_currency(ann):
    await ann.say(FLIGHTS)
    told = await ann.reply()
    assert "the cheapest in EUR Sable Demo for 610.00 EUR and in USD Larch Demo for 590.00 USD" in told
    assert "which I cannot compare" in told


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("which is the cheapest?", "The cheapest in EUR of the 3 flights is Sable Demo"),
        ("what have you found?", "I found 3 flights, the cheapest in EUR Sable Demo"),
        ("does the cheapest include bags?", "The cheapest in EUR, Sable Demo"),
        ("what would it be in all?", "610.00 EUR for Sable Demo at 06:30, the cheapest flight in EUR"),
        ("anything under 620?", "Yes, 1 of the 2 flights costs at most 620 EUR"),
        ("anything under 620?", "1 more is priced in USD, which I cannot compare."),
        ("anything under 200?", "1 more is priced in USD, which I cannot compare."),
        ("fastest?", "The fastest of the 3 flights is Aurora Demo"),
        ("anything cheaper?", "None of the 2 flights in EUR is cheaper than Sable Demo"),
    ],
)
async def test_an_answer_tells_which_currency_is_meant(ann, asked, told):
    await ann.say(FLIGHTS)
    assert told in await ann.ask(asked)


async def test_a_limit_in_another_currency_is_told_not_to_hold():
    ann = Ann([in_dollars(each) for each in FOUND_FLIGHTS])
    await ann.parts.open()
    await ann.say(f"{FLIGHTS} under 600 euros")
    assert "3 flights" in (told := await ann.reply())
    assert "I cannot hold prices in USD to a limit in EUR" in told
    await ann.parts.close()


async def test_nothing_is_told_of_currencies_where_there_is_one():
    ann = Ann()
    await ann.parts.open()
    for request in (f"{FLIGHTS} under 600 euros", HOTELS):
        await ann.say(request)
        assert "cannot" not in await ann.reply()
    assert {each.price_total.currency for each in (*FOUND_FLIGHTS, *FOUND_HOTELS)} == {"EUR"}
    await ann.parts.close()
