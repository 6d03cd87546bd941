"""The example built from its lock, in a browser; its origin is not that of the server that it uses."""

import asyncio
import contextlib
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, ConsoleMessage, Locator, Page

from tests.browser.visitor import PATIENCE_MS
from tests.conventions import ROOT
from tests.packages.npm import NODE, NPM, run

EXAMPLE = ROOT / "examples/react-assistant-ui"


async def build(folder: Path, *, server: str) -> Path:
    """Install the example from its lock, check its types, build it for a server; return what was built."""
    page = folder / "page"
    shutil.copytree(EXAMPLE, page, ignore=shutil.ignore_patterns("node_modules", "dist"))
    (page / ".env.local").write_text(f"VITE_DETOUR_URL={server}\n")
    await run(NPM, "ci", "--silent", "--prefer-offline", "--ignore-scripts", folder=page)
    async with asyncio.TaskGroup() as group:
        group.create_task(run(NODE, "node_modules/typescript/bin/tsc", folder=page))
        group.create_task(run(NODE, "node_modules/vite/bin/vite.js", "build", folder=page))
    return page / "dist"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_args: Any) -> None:
        pass


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve the files of a folder; yield their origin.

    A page that the browser is handed without a server has no address, and may not call one of this machine.
    """
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


class Window:
    """A window of the page, and everything that its console complains of."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(f"thrown: {error}"))

    @classmethod
    async def open(cls, browser: Browser, origin: str, **options: Any) -> "Window":
        """Open the page in a profile of its own; `options` are those of a browser context."""
        context = await browser.new_context(**options)
        context.set_default_timeout(PATIENCE_MS)
        window = cls(await context.new_page())
        await window.page.goto(f"{origin}/")
        return window

    async def close(self) -> None:
        """Close it, and fail if it has complained."""
        await self.page.context.close()
        assert not self.complaints, "\n".join(self.complaints)

    @property
    def thread_id(self) -> str:
        """The thread that the page's address names."""
        return self.page.url.partition("?thread=")[2]

    async def say(self, text: str) -> None:
        """Type a message and send it."""
        box = self.page.get_by_label("Message", exact=True)
        await box.fill(text)
        await box.press("Enter")

    @property
    def stop_button(self) -> Locator:
        return self.page.get_by_role("button", name="Stop")

    @property
    def own(self) -> Locator:
        return self.page.locator(".user")

    @property
    def replies(self) -> Locator:
        return self.page.locator(".assistant")

    @property
    def markers(self) -> Locator:
        return self.page.locator(".marker")

    @property
    def alerts(self) -> Locator:
        return self.page.get_by_role("alert")

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning", "assert"}:
            self.complaints.append(f"{message.type}: {message.text}")
