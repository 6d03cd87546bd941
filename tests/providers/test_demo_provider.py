"""The provider: sources, batches, pace, and what is left when a search is cut."""

import asyncio
from contextlib import aclosing
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain.errors import NotOnSale
from backend.travel.providers.base import CutShort
from backend.travel.providers.demo.provider import DemoProvider, batches
from backend.travel.values.travel import FlightQuery, HotelQuery
from tests.fakes.waiting import until
from tests.providers.booking_office import NOW
from tests.providers.markets import SEED, TODAY

FLIGHTS = FlightQuery(
    origins=("EWR", "JFK", "LGA"), destinations=("LGW", "LHR"), departure_date=date(2026, 12, 4)
)
HOTELS = HotelQuery(city="Tokyo", country="JP", check_in=date(2026, 12, 4), check_out=date(2026, 12, 9))


@pytest.fixture
def open_provider(inventory, inventory_path):
    opened = []

    def provider(pace):
        opened.append(
            DemoProvider(inventory_path, clock=lambda: NOW, today=lambda: TODAY, seed=SEED, pace=pace)
        )
        return opened[-1]

    yield provider
    for each in opened:
        asyncio.run(each.close())


def sources_and_queries(provider):
    return [(source, FLIGHTS) for source in provider.flight_sources] + [
        (source, HOTELS) for source in provider.hotel_sources
    ]


def pending_timers():
    return [timer for timer in asyncio.get_running_loop()._scheduled if not timer.cancelled()]


async def test_search_comes_in_batches_of_new_offers(open_provider):
    for source, query in sources_and_queries(open_provider(0)):
        found = [batch async for batch in source.search(query, "ada") if not isinstance(batch, CutShort)]
        ids = [offer.offer_id for batch in found for offer in batch]
        assert all(found), "no batch is empty"
        assert len(set(ids)) == len(ids)
        if source.name != "low-cost carriers":  # none of them crosses the Atlantic
            assert len(found) >= 4


async def test_other_tasks_run_between_batches_at_pace_zero(open_provider):
    for source, query in sources_and_queries(open_provider(0)):
        turns, seen = 0, []

        async def count():
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        other = asyncio.get_running_loop().create_task(count())
        async for batch in source.search(query, "ada"):
            if not isinstance(batch, CutShort):
                seen.append(turns)
        other.cancel()
        await asyncio.gather(other, return_exceptions=True)
        assert seen == sorted(set(seen))


async def test_search_that_is_closed_midway_leaves_nothing_running(open_provider):
    for source, query in sources_and_queries(open_provider(0)):
        async with aclosing(source.search(query, "ada")) as search:
            async for _ in search:
                break
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert pending_timers() == []
        with pytest.raises(StopAsyncIteration):
            await anext(search)


async def test_search_that_is_cancelled_while_waiting_leaves_nothing_running(open_provider):
    async def consume(source, query):
        async with aclosing(source.search(query, "ada")) as search:
            async for _ in search:
                raise AssertionError("at this pace nothing arrives")

    for source, query in sources_and_queries(open_provider(3_600)):
        consumer = asyncio.get_running_loop().create_task(consume(source, query))
        await until(lambda: len(pending_timers()) == 2)  # this one, and that of its first batch
        consumer.cancel()
        with pytest.raises(asyncio.CancelledError):
            await consumer
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert pending_timers() == []


async def test_today_is_read_for_each_search(inventory, inventory_path):
    days = iter([TODAY, date(2027, 1, 1)])
    provider = DemoProvider(inventory_path, clock=lambda: NOW, today=lambda: next(days), seed=SEED, pace=0)
    source = provider.flight_sources[0]
    assert [batch async for batch in source.search(FLIGHTS, "ada")]
    with pytest.raises(NotOnSale, match="has passed"):
        await anext(source.search(FLIGHTS, "ada"))
    await provider.close()


@given(st.integers(0, 60), st.integers(1, 8), st.integers(0, 2**31))
def test_batches_have_every_offer_once_in_order(offers, count, key):
    released = list(batches(range(offers), count=count, pace=0.6, key=(key,)))
    assert [offer for _, batch in released for offer in batch] == list(range(offers))
    assert len(released) == max(1, min(count, offers))
    assert all(batch for _, batch in released) or not offers
    assert released == list(batches(range(offers), count=count, pace=0.6, key=(key,)))
