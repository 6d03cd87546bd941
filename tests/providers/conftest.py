"""One inventory for all tests of a session, and ways to search it."""

import asyncio
from contextlib import ExitStack

import asyncpg
import pytest
from hypothesis import settings

from backend.store.postgres.store import PostgresStateStore
from backend.tasks.task_owner import TaskOwner
from backend.travel.providers.booking_database import PostgresBookings
from backend.travel.providers.demo.flights import find_flights
from backend.travel.providers.demo.inventory import open_inventory
from tests.postgres import as_owner
from tests.providers.booking_office import Office, an_office
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


@pytest.fixture(scope="session")
def booking_database(postgres):
    """The address of a database for bookings, for all tests of a session."""
    return postgres.new_database()


@pytest.fixture
async def open_postgres_office(booking_database, inventory):
    """Return a function that opens an office as another process would; all have one database, empty first."""
    connection = await asyncpg.connect(as_owner(booking_database))
    tables = ", ".join(f"detour_demo.{name}" for name in ("bookings", "claims", "places", "calls"))
    await connection.execute(f"TRUNCATE {tables}")
    await connection.close()
    owner, stores = TaskOwner(), []

    def opened(**options):
        stores.append(PostgresBookings(PostgresStateStore(booking_database, owner.spawn)))
        return Office(stores[-1], inventory, **options)

    yield opened
    for store in stores:
        await store.close()
    await owner.finish(grace_s=5)


@pytest.fixture
def open_file_office(inventory, tmp_path):
    """Return a function that opens an office; all have the same file."""
    with ExitStack() as opened:
        yield lambda **options: opened.enter_context(
            an_office(tmp_path / "bookings.sqlite", inventory, **options)
        )


@pytest.fixture(params=["file", pytest.param("postgres", marks=pytest.mark.postgres)])
def open_office(request):
    """Return a function that opens a booking office of this test; every office has the same bookings."""
    return request.getfixturevalue(f"open_{request.param}_office")


@pytest.fixture
def office(open_office):
    return open_office()
