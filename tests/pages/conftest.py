"""A browser, a server of the calling graph, and a window for the stories of a page."""

import pytest
import pytest_asyncio
from playwright.async_api import async_playwright

from tests.browser.visitor import PATIENCE_MS, launch
from tests.e2e.server_process import ServerProcess
from tests.pages.threads import Threads

CALLING = "tests.protocols.calling_graph:graph"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser():
    """A browser."""
    async with async_playwright() as playwright:
        browser = await launch(playwright)
        yield browser
        await browser.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(tmp_path_factory, origin):
    """A server process that allows the module's page, whose `origin` the module has a fixture for."""
    folder = tmp_path_factory.mktemp("server")
    server = ServerProcess(folder, graph=CALLING, allowed_origins=origin, messages_per_minute=6000)
    try:
        await server.start()
        yield server
    finally:
        await server.close()


@pytest_asyncio.fixture(loop_scope="module")
async def page(browser, server):
    """A window; the test fails if what is shown in it has thrown."""
    context = await browser.new_context(viewport={"width": 1100, "height": 850})
    context.set_default_timeout(PATIENCE_MS)
    page = await context.new_page()
    thrown: list[str] = []
    page.on("pageerror", lambda error: thrown.append(str(error)))
    yield page
    await context.close()
    assert not thrown, "\n".join(thrown)


@pytest.fixture
def threads(server) -> Threads:
    """What the server knows of the threads of the page."""
    return Threads(server)
