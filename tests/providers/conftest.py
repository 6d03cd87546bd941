"""One inventory for all tests of a session, and ways to search it."""

import asyncio
from datetime import date

import pytest
from hypothesis import settings

from backend.providers.demo.flight_search import find_flights
from backend.providers.demo.store import open_inventory

settings.register_profile("without a clock", deadline=None)
settings.load_profile("without a clock")

TODAY = date(2026, 11, 20)
SEED = 7
FLIGHT_MARKETS = ("network carriers", "low-cost carriers", "connections")
HOTEL_MARKETS = ("hotel chains", "independent hotels")


@pytest.fixture(scope="session")
def inventory_path(tmp_path_factory):
    return tmp_path_factory.mktemp("demo") / "inventory.sqlite"


@pytest.fixture(scope="session")
def inventory(inventory_path):
    opened = open_inventory(inventory_path, seed=SEED)
    yield opened
    opened.close()


def flights(inventory, query, *, market, today=TODAY):
    return asyncio.run(find_flights(inventory, query, market=market, today=today))


def all_flights(inventory, query, *, today=TODAY):
    async def search():
        found = []
        for market in FLIGHT_MARKETS:
            found += await find_flights(inventory, query, market=market, today=today)
        return found

    return asyncio.run(search())
