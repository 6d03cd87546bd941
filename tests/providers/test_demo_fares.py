"""Prices by day: each is that of the cheapest offer that a search for the day finds, no more and no less."""

import asyncio
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings

from backend.domain.errors import NotOnSale
from backend.travel.providers.base import FareCalendar
from backend.travel.providers.demo.provider import DemoProvider
from backend.travel.values.booking import Order
from backend.travel.values.travel import SALES_DAYS, FlightQuery, Money
from tests.providers.markets import SEED, TODAY
from tests.providers.test_demo_flights import queries

EARLIER = datetime(2026, 1, 1, tzinfo=UTC)
"""Nothing has left by then: what a search leaves out that has is the matter of other tests."""

ACROSS = FlightQuery(
    origins=("EWR", "JFK", "LGA"), destinations=("LGW", "LHR"), departure_date=date(2026, 12, 4)
)


@pytest.fixture
def office(open_file_office, inventory_path):
    """An office whose bookings are those of a provider."""
    office = open_file_office()
    office.provider = DemoProvider(
        inventory_path,
        clock=lambda: EARLIER,
        today=lambda: office.today,
        seed=SEED,
        pace=0,
    )
    office.bookings = office.provider.bookings
    yield office
    asyncio.run(office.provider.close())


def calendar_of(office):
    return office.provider


async def fares(office, query, *, days):
    calendar: FareCalendar = calendar_of(office)
    return {fare.date: fare.price_total async for fare in calendar.cheapest_by_day(query, days=days)}


async def searched(office, query):
    """Return all that a search finds, from the sources that an agent asks."""
    return [
        offer
        for source in office.provider.flight_sources
        async for batch in source.search(query, "ada")
        for offer in batch
    ]


async def cheapest(office, query):
    offers = await searched(office, query)
    return min((offer.price_total for offer in offers), key=lambda price: price.amount, default=None)


@pytest.mark.requirement("FARES-ARE-WHAT-A-SEARCH-FINDS")
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(queries())
def test_price_of_a_day_is_that_of_its_cheapest_offer(office, query):
    async def compare():
        for day, price in (await fares(office, query, days=2)).items():
            assert price == await cheapest(office, replace(query, departure_date=day))

    asyncio.run(compare())


@pytest.mark.requirement("FARES-ARE-WHAT-A-SEARCH-FINDS")
async def test_sold_out_flight_is_no_longer_the_cheapest(office):
    before = await fares(office, ACROSS, days=1)
    offer = min(await searched(office, ACROSS), key=lambda offer: offer.price_total.amount)
    assert before[ACROSS.departure_date] == offer.price_total
    await office.sell_out(Order(offer=offer))
    after = await fares(office, ACROSS, days=1)
    assert after[ACROSS.departure_date].amount > offer.price_total.amount
    assert after[ACROSS.departure_date] == await cheapest(office, ACROSS)


async def test_days_that_a_search_refuses_are_left_out(office):
    today, last = TODAY, TODAY + timedelta(days=SALES_DAYS)
    early = await fares(office, replace(ACROSS, departure_date=today), days=2)
    assert list(early) == [today + timedelta(days=count) for count in range(3)]
    late = await fares(office, replace(ACROSS, departure_date=last - timedelta(days=1)), days=3)
    assert list(late)[-1] == last
    back = ACROSS.departure_date + timedelta(days=1)
    assert list(await fares(office, replace(ACROSS, return_date=back), days=3))[-1] == back
    for beyond in (date.min, date.max):
        assert await fares(office, replace(ACROSS, departure_date=beyond), days=7) == {}


async def test_day_without_an_offer_within_the_limit_has_no_price(office):
    limit = Money(amount=Decimal("1.00"), currency="USD")
    assert set((await fares(office, replace(ACROSS, max_price=limit), days=1)).values()) == {None}


async def test_query_that_is_sold_on_no_day_is_refused_before_the_first(office):
    with pytest.raises(NotOnSale, match="1 to 9 passengers"):
        await anext(calendar_of(office).cheapest_by_day(replace(ACROSS, passengers=10), days=3))


async def test_calendar_lets_others_run_between_days_and_ends_when_left(office):
    turns = 0

    async def others():
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group:
        other = group.create_task(others())
        async with aclosing(calendar_of(office).cheapest_by_day(ACROSS, days=7)) as found:
            async for _ in found:
                if turns > 10:
                    break
        other.cancel()
    assert turns > 10
    assert [day async for day in found] == []
