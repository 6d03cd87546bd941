"""Servers to talk to: the demo, and one with scripted sources."""

import inspect

import pytest
import pytest_asyncio

from tests.agents.ann import Ann, opened
from tests.agents.booking_guest import a_house
from tests.interruption.disk import DiskStore


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(obj):
    """Have the tests of a house run on the loop of their module, where the house is."""
    if inspect.iscoroutinefunction(obj) and "house" in inspect.signature(obj).parameters:
        pytest.mark.asyncio(loop_scope="module")(obj)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def open_house(tmp_path_factory):
    async with a_house(tmp_path_factory.mktemp("house")) as guests:
        yield guests


@pytest_asyncio.fixture(loop_scope="module")
async def house(open_house):
    """The assistant of a module; its guests are forgotten after each test."""
    yield open_house
    await open_house.forget_all()


@pytest.fixture
async def ann():
    async with opened(Ann(store=DiskStore())) as ann:
        yield ann
