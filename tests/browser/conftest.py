"""A browser for each module of tests, and pages in it whose every complaint fails the test.

Modules mark their tests with `pytest.mark.asyncio(loop_scope="module")`: their browser and their servers
live on one loop.
"""

import contextlib

import pytest
import pytest_asyncio
from playwright.async_api import async_playwright

from tests.browser.proxy import Proxy
from tests.browser.stage import staged_server
from tests.browser.visitor import Visitor, launch
from tests.e2e.server_process import ServerProcess


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser():
    """A browser."""
    async with async_playwright() as playwright:
        browser = await launch(playwright)
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="module")
async def visitor(browser, process, proxy):
    """Return a function that opens the page of a server as somebody new, with a window of its own.

    Whoever visits leaves before `process` and `proxy` end: a page that loses its server complains.
    """
    async with contextlib.AsyncExitStack() as stack:

        async def visit(server, **options) -> Visitor:
            visitor = await Visitor.arrive(browser, server.port, **options)
            stack.push_async_callback(visitor.leave)
            return visitor

        yield visit


@pytest_asyncio.fixture(loop_scope="module")
async def process(tmp_path):
    """Return a function that makes a server process with these settings, for tests that kill it."""
    async with contextlib.AsyncExitStack() as stack:

        def make(**settings) -> ServerProcess:
            made = ServerProcess(tmp_path, **settings)
            stack.push_async_callback(made.close)
            return made

        yield make


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def demo(tmp_path_factory):
    """A server process with the demo's inventory, whose sources take their time."""
    server = ServerProcess(tmp_path_factory.mktemp("demo"), demo_pace=0.2, messages_per_minute=600)
    try:
        await server.start()
        yield server
    finally:
        await server.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def _line():
    """The only line of this module's tests that can be cut; servers must know it before they start."""
    async with Proxy() as proxy:
        yield proxy


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def _theatre(tmp_path_factory, _line):
    """A server on this loop, and the stage that its sources obey."""
    folder = tmp_path_factory.mktemp("staged")
    async with staged_server(folder, allowed_hosts=f"127.0.0.1:{_line.port}") as both:
        yield both


@pytest.fixture
def staged(_theatre):
    """A server with the demo's inventory, whose sources obey `stage`."""
    return _theatre[0]


@pytest.fixture
def stage(_theatre):
    """What the sources of `staged` do; free at the start."""
    stage = _theatre[1]
    yield stage
    stage.free()


@pytest.fixture
def proxy(_line, request):
    """A line, to `staged` unless it is given another target, whole at the start."""
    if "staged" in request.fixturenames:
        _line.target = request.getfixturevalue("staged").port
    yield _line
    _line.keeps_sockets_out = False
    _line.open()
    _line.cut()
