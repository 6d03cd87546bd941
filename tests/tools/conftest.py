"""The tools that book, over the demo inventory."""

from types import SimpleNamespace

import pytest

from backend.travel.providers.demo.inventory import open_inventory
from backend.travel.tools.booking import BookingTools
from tests.providers.booking_office import an_office
from tests.providers.markets import SEED


@pytest.fixture(scope="session")
def inventory(tmp_path_factory):
    opened = open_inventory(tmp_path_factory.mktemp("demo") / "inventory.sqlite", seed=SEED)
    yield opened
    opened.close()


@pytest.fixture
def desk(inventory, tmp_path):
    """A booking office and the tools over it."""
    with an_office(tmp_path / "bookings.sqlite", inventory) as office:
        yield SimpleNamespace(office=office, tools=BookingTools(office.bookings))
