"""Somebody who uses the page: a window in a real browser, and every complaint that it makes.

What the browser itself tells of a network that fails, or of an answer that is a refusal, is no complaint
of the page; a test that brings it about says so with `forgive`.
"""

import itertools
import os
import re
from typing import Any

from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, Playwright, expect

from tests.chromium import MISSING, find_chromium

OFF_BY_PLAYWRIGHT = (
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay",
    "MediaRouter",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "TcpPortRandomizationWin",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "AimEnabled",
    "PreconnectToSearch",
    "msForceBrowserSignIn",
    "msEdgeUpdateLaunchServicesPreferredVersion",
)
"""What Playwright turns off. Chromium reads only the last list that it is given, so ours repeats it."""
OFF = (
    # The suggestions of the address bar are pages of their own, which each window loads without showing it:
    # 1.1 of the 1.5 s of CPU that a window takes (Chromium 156, headless).
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
)
FLAGS = [
    "--disable-background-networking",
    "--disable-component-update",
    f"--disable-features={','.join(OFF_BY_PLAYWRIGHT + OFF)}",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
]
PATIENCE_MS = 60_000
"""How long a test waits for what must come; it never waits for time to pass.

A page that has lost its server comes back after 15 s at the latest, and a machine may be busy beside that.
"""

DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 740}
LEFT_TOO_SOON = r"WebSocket connection to .* WebSocket is closed before the connection is established"
NETWORK = r"Failed to load resource: net::|WebSocket connection to"

_numbers = itertools.count(1)
expect.set_options(timeout=PATIENCE_MS)


async def launch(playwright: Playwright) -> Browser:
    """Start the browser; without its sandbox only as root, where it has none."""
    path = find_chromium()
    assert path, MISSING
    return await playwright.chromium.launch(
        executable_path=path, args=FLAGS, chromium_sandbox=os.geteuid() != 0
    )


class Visitor:
    """A window on the page, in a profile of its own; `another_tab` opens further ones in the same profile."""

    def __init__(self, page: Page, *, user_id: str, port: int, complaints: list[str]) -> None:
        self.page = page
        self.user_id = user_id
        self.port = port
        self.complaints = complaints
        self._forgiven: list[str] = []

    @classmethod
    async def arrive(
        cls,
        browser: Browser,
        port: int,
        *,
        user_id: str | None = None,
        fragment: str = "",
        **options: Any,
    ) -> "Visitor":
        """Open the page on a trip that nobody else is on; `options` are those of a browser context."""
        context = await browser.new_context(
            **{"viewport": DESKTOP, "locale": "en-GB", "timezone_id": "Europe/Berlin", **options}
        )
        context.set_default_timeout(PATIENCE_MS)
        complaints: list[str] = []
        page = await watched(context, complaints)
        user_id = user_id or f"visitor-{os.getpid()}-{next(_numbers)}"
        visitor = cls(page, user_id=user_id, port=port, complaints=complaints)
        await visitor.open(fragment)
        return visitor

    async def open(self, fragment: str = "") -> None:
        """Go to the page, on the visitor's trip."""
        await self.page.goto(f"http://127.0.0.1:{self.port}/?trip={self.user_id}{fragment}")

    async def another_tab(self) -> "Visitor":
        """Return a visitor who is the same person, in another tab."""
        page = await watched(self.page.context, self.complaints)
        tab = Visitor(page, user_id=self.user_id, port=self.port, complaints=self.complaints)
        tab._forgiven = self._forgiven
        await tab.open()
        return tab

    def forgive(self, *patterns: str) -> None:
        """Expect these in what the browser says on its console."""
        self._forgiven += patterns

    async def leave(self) -> None:
        """Close every tab, and fail if one of them complained."""
        before = len(self.complaints)
        await self.page.context.close()
        # A tab that is closed while its socket still opens says so: the test leaves, the page does no wrong.
        left = [each for each in self.complaints[before:] if not re.search(LEFT_TOO_SOON, each)]
        wrong = [
            each
            for each in self.complaints[:before] + left
            if not any(re.search(one, each) for one in self._forgiven)
        ]
        assert not wrong, "\n".join(wrong)

    # What is on the page, by its roles and names

    @property
    def box(self) -> Locator:
        return self.page.get_by_role("textbox", name="Message", exact=True)

    @property
    def send_button(self) -> Locator:
        return self.page.get_by_role("button", name="Send", exact=True)

    @property
    def stop_button(self) -> Locator:
        composer = self.page.get_by_role("form", name="Write a message")
        return composer.get_by_role("button", name=re.compile("^Stop"))

    @property
    def log(self) -> Locator:
        return self.page.get_by_role("log", name="Messages")

    @property
    def board(self) -> Locator:
        return self.page.get_by_role("complementary", name="Trip")

    @property
    def banner(self) -> Locator:
        """The line that says so while the page does not hear of the server."""
        return self.page.locator("connection-banner")

    async def is_connected(self) -> None:
        """Wait until the page has heard from the server what is on a trip that is new.

        Before that a message goes another way: the page sends it again when it first hears of the server. And
        a page that is left complains of the socket that is not open yet.
        """
        await expect(self.log.get_by_role("heading", level=2)).to_be_visible()

    async def is_at_rest(self) -> None:
        """Wait until the page knows that the task whose reply it shows has ended: that comes after it."""
        await expect(self.stop_button).to_be_disabled()

    async def stop_the_clock(self) -> None:
        """Have the page's clock stand, until it is told to go on: what is told for a while then stays."""
        await self.page.clock.install()
        await self.page.clock.pause_at(await self.page.evaluate("Date.now() / 1000 + 1"))

    def said(self, text: str | re.Pattern[str] = "") -> Locator:
        """The visitor's own messages with this text."""
        return self.log.get_by_role("article", name="You").filter(has_text=text)

    def replies(self, text: str | re.Pattern[str] = "") -> Locator:
        """The assistant's messages with this text."""
        return self.log.get_by_role("article", name="Detour").filter(has_text=text)

    def agent(self, name: str) -> Locator:
        """The row of an agent on the board."""
        rows = self.board.get_by_role("list", name="Agents").get_by_role("listitem")
        return rows.filter(has=self.page.get_by_text(name, exact=True))

    def tab(self, name: str) -> Locator:
        """The tab of one kind of results."""
        return self.board.get_by_role("tab", name=re.compile(f"^{name}"))

    @property
    def cards(self) -> Locator:
        """The cards of the results that are looked at."""
        return self.board.get_by_role("tabpanel").get_by_role("article")

    async def say(self, text: str) -> None:
        """Type a message and send it."""
        await self.box.fill(text)
        await self.box.press("Enter")


async def watched(context: BrowserContext, complaints: list[str]) -> Page:
    """Return a new page, of whose complaints a list is kept."""
    page = await context.new_page()

    def heard(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning", "assert"}:
            complaints.append(f"{message.type}: {message.text} ({message.location['url']})")

    page.on("console", heard)
    page.on("pageerror", lambda error: complaints.append(f"thrown: {error}"))
    page.on("crash", lambda _page: complaints.append("the tab crashed"))
    return page
