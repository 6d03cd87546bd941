"""The application under test: in this event loop over ASGI, or as a real server on a port."""

import pytest
import structlog

from tests.api.asgi_client import RecordingApp
from tests.api.issuer import Issuer
from tests.api.live import running, serving
from tests.api.signing import one_token


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


@pytest.fixture
def issuer():
    """An identity provider."""
    return Issuer()


@pytest.fixture
def inner():
    """An application within a guard."""
    return RecordingApp()


@pytest.fixture
def signing():
    """A sign-in with one token."""
    return one_token()


@pytest.fixture
def lines():
    """The log lines from now on."""
    with structlog.testing.capture_logs() as logged:
        yield logged
