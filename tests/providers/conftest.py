"""One inventory for all tests of a session, and ways to search it."""

import asyncio
from contextlib import ExitStack

import pytest
from hypothesis import settings

from backend.travel.providers.demo.flight_search import find_flights
from backend.travel.providers.demo.store import open_inventory
from tests.providers.booking_office import an_office
from tests.providers.markets import FLIGHT_MARKETS, SEED, TODAY

settings.register_profile("without a clock", deadline=None)
settings.load_profile("without a clock")


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


def all_flights(inventory, query, *, today=TODAY, now=None):
    async def search():
        found = []
        for market in FLIGHT_MARKETS:
            found += await find_flights(inventory, query, market=market, today=today, now=now)
        return found

    return asyncio.run(search())


@pytest.fixture
def open_office(inventory, tmp_path):
    """Return a function that opens the booking office of this test; every office has the same file."""
    with ExitStack() as opened:
        yield lambda **options: opened.enter_context(
            an_office(tmp_path / "bookings.sqlite", inventory, **options)
        )


@pytest.fixture
def office(open_office):
    return open_office()
