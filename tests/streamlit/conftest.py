"""A server whose sources a test holds, and pages of the Streamlit client in front of it.

Modules mark their tests with `pytest.mark.asyncio(loop_scope="module")`: the server lives on their loop, and
the page runs in threads, as it does in Streamlit.
"""

import contextlib
import itertools
import threading

import pytest
import pytest_asyncio

from tests.browser.conftest import browser
from tests.browser.proxy import Proxy
from tests.browser.stage import staged_server
from tests.fakes.waiting import until
from tests.streamlit.page import Page

__all__ = ["browser"]

_numbers = itertools.count(1)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def _theatre(tmp_path_factory):
    async with staged_server(tmp_path_factory.mktemp("staged"), sockets_per_user=50) as both:
        yield both


@pytest.fixture
def server(_theatre):
    """A server with the demo's inventory, whose sources obey `stage`."""
    return _theatre[0]


@pytest.fixture
def stage(_theatre):
    """What the sources of `server` do; free at the start."""
    stage = _theatre[1]
    yield stage
    stage.free()


@pytest_asyncio.fixture(loop_scope="module")
async def proxy():
    """A line to a server, which has to be told its `target`."""
    async with Proxy() as proxy:
        yield proxy


@pytest_asyncio.fixture(loop_scope="module")
async def visit(server, monkeypatch):
    """Return a function that opens the page in front of a server, as somebody new or as a user who is named.

    When the test is over, no reader thread may be left.
    """
    async with contextlib.AsyncExitStack() as stack:
        stack.push_async_callback(until_no_reader_is_left)

        async def visit(user_id: str | None = None, *, port: int | None = None) -> Page:
            monkeypatch.setenv("DETOUR_API", f"http://127.0.0.1:{port or server.port}")
            page = Page(user_id or f"visitor-{next(_numbers)}")
            stack.push_async_callback(page.leave)
            await page.run()
            return page

        yield visit


async def until_no_reader_is_left() -> None:
    await until(
        lambda: not any(thread.name.startswith("feed of ") for thread in threading.enumerate()), every_s=0.01
    )
