"""Servers and what calls them, gone when a test ends."""

import httpx2
import pytest

from backend.clients.api import Api, User
from tests.api.live import BOUND_S, serving
from tests.e2e.conftest import process

__all__ = ["process"]


@pytest.fixture
async def server(tmp_path):
    """A real server of this process with the scripted graph."""
    async with serving(tmp_path) as server:
        yield server


@pytest.fixture
async def http():
    """An HTTP client for any server of this machine."""
    async with httpx2.AsyncClient(timeout=BOUND_S, trust_env=False) as http:
        yield http


@pytest.fixture
def ada(server) -> User:
    return User(url=f"http://127.0.0.1:{server.port}", user_id="ada")


@pytest.fixture
def api(ada, http) -> Api:
    return Api(ada, http)
