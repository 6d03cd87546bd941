"""Other people's clients and a server for each module of tests.

Modules mark their tests with `pytest.mark.asyncio(loop_scope="module")`: their clients and their servers live
on one loop.
"""

import contextlib
from typing import Any
from zlib import crc32

import pytest
import pytest_asyncio
from playwright.async_api import async_playwright

from tests.api.live import running, serving
from tests.browser.proxy import Proxy
from tests.browser.visitor import launch
from tests.e2e.server_process import ServerProcess
from tests.protocols.langgraph_calls import THREAD
from tests.protocols.node_client import NodeClient

pytest.register_assert_rewrite("tests.protocols.page_stories")

TALKING = "tests.protocols.talking_graph:graph"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def node():
    """Return a function that starts `clients/<script>.mjs`, which ends with the module; one per script."""
    async with contextlib.AsyncExitStack() as stack:
        started: dict[tuple[str, ...], NodeClient] = {}

        async def start(script: str, *arguments: str) -> NodeClient:
            key = (script, *arguments)
            if key not in started:
                started[key] = await stack.enter_async_context(NodeClient(script, *arguments))
            return started[key]

        yield start


@contextlib.asynccontextmanager
async def _started_once(kind: Any, factory: pytest.TempPathFactory):
    """Yield a function that starts a server with some settings, or gives the one that has them already."""
    async with contextlib.AsyncExitStack() as stack:
        started: dict[str, Any] = {}

        async def start(**settings: Any) -> Any:
            key = repr(sorted(settings.items()))
            if key not in started:
                settings = {"graph": TALKING, "messages_per_minute": 6000, **settings}
                started[key] = await stack.enter_async_context(kind(factory.mktemp("server"), **settings))
            return started[key]

        yield start


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def servers(tmp_path_factory):
    """Return a function that gives the module's server with some settings, without a socket."""
    async with _started_once(running, tmp_path_factory) as start:
        yield start


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live_servers(tmp_path_factory):
    """Return a function that gives the module's server with some settings, on a port of its own."""
    async with _started_once(serving, tmp_path_factory) as start:
        yield start


@pytest.fixture
def ann(request) -> str:
    """A user of this test alone."""
    return f"ann-{crc32(request.node.nodeid.encode())}"


@pytest_asyncio.fixture(loop_scope="module")
async def api(servers):
    """The module's server of the talking graph without a socket, with a thread of the test's own."""
    client = await servers()
    assert (await client.call("POST", "/threads", json={"thread_id": THREAD})).status_code == 200
    yield client
    assert (await client.call("DELETE", f"/threads/{THREAD}")).status_code == 204


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser():
    """A browser."""
    async with async_playwright() as playwright:
        browser = await launch(playwright)
        yield browser
        await browser.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def _line():
    """The only line of this module's tests that can be cut; servers must know it before they start."""
    async with Proxy() as proxy:
        yield proxy


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def talking(tmp_path_factory, _line):
    """A server process of the talking graph, whose line `proxy` is."""
    server = ServerProcess(
        tmp_path_factory.mktemp("talking"),
        graph=TALKING,
        messages_per_minute=6000,
        allowed_hosts=f"127.0.0.1:{_line.port}",
    )
    try:
        await server.start()
        yield server
    finally:
        await server.close()


@pytest.fixture
def proxy(_line, request):
    """A line, to `talking` unless it is given another target, whole at the start."""
    if "talking" in request.fixturenames:
        _line.target = request.getfixturevalue("talking").port
    yield _line
    _line.open()
    _line.cut()
