"""Servers to talk to: the demo, and one whose sources a test module may describe in an `Ann` of its own."""

import pytest

from tests.agents.ann import Ann
from tests.agents.booking_guest import a_house
from tests.inventory import lend_inventory


@pytest.fixture
async def house(tmp_path):
    lend_inventory(tmp_path)
    async with a_house(tmp_path) as guests:
        yield guests


@pytest.fixture
async def ann(request):
    ann = getattr(request.module, "Ann", Ann)()
    await ann.parts.open()
    yield ann
    await ann.parts.close()
