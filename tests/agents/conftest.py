"""Servers to talk to: the demo, and one with scripted sources."""

import pytest

from tests.agents.ann import Ann, opened
from tests.agents.booking_guest import a_house
from tests.interruption.disk import DiskStore
from tests.inventory import lend_inventory


@pytest.fixture
async def house(tmp_path):
    lend_inventory(tmp_path)
    async with a_house(tmp_path) as guests:
        yield guests


@pytest.fixture
async def ann():
    async with opened(Ann(store=DiskStore())) as ann:
        yield ann
