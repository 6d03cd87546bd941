"""Server processes that are gone when a test ends, however it ends."""

import contextlib

import pytest

from tests.e2e.server_process import ServerProcess


@pytest.fixture
async def process(tmp_path):
    """Return a function that makes a server process with these settings; they share a folder."""
    async with contextlib.AsyncExitStack() as stack:

        def make(**settings) -> ServerProcess:
            made = ServerProcess(tmp_path, **settings)
            stack.push_async_callback(made.kill)
            return made

        yield make


@pytest.fixture
def scripted(process):
    """The same, with the scripted graph."""
    return lambda **settings: process(graph="tests.scripted_graph:graph", **settings)
