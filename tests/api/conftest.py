"""The application under test: in this event loop over ASGI, or as a real server on a port."""

import pytest

from tests.api.live import running, serving


@pytest.fixture
async def api(tmp_path):
    """A client of the application, over ASGI."""
    async with running(tmp_path) as client:
        yield client


@pytest.fixture
async def travel_api(tmp_path):
    """A client of the travel assistant, which has routes of its own."""
    async with running(tmp_path, graph="") as client:
        yield client


@pytest.fixture
async def live(tmp_path):
    """A real server."""
    async with serving(tmp_path) as server:
        yield server
