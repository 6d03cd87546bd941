"""The page's first load and its reload over a slow line: how soon it is painted, and what goes over the wire.

The line is Chromium's own emulation of 1.6 Mbit/s down, 750 kbit/s up and 150 ms there and back. The largest
paint is the browser's own measure (`largest-contentful-paint`).
"""

import functools
from collections.abc import Awaitable, Callable
from typing import Any

from playwright.async_api import Browser, Page

from checks.bench.figures import Figure

PAGE = "detour"
LINE = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 93_750}
LARGEST_PAINT = """() => new Promise((resolve) => {
  const watch = new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime));
  watch.observe({ type: "largest-contentful-paint", buffered: true });
})"""
SETTLE_MS = 1000
"""How long nothing may be painted any more before the largest paint is taken."""


async def measure_loading(browser: Browser, base: str, *, rounds: int) -> list[Figure]:
    """Load the page as a new visitor, and again, over the slow line; each round in a profile of its own."""
    names = {
        "first load": Figure("page", "first load at 1.6 Mbit/s, 150 ms: largest paint", "ms"),
        "bytes": Figure("page", "first load: over the wire", "kB"),
        "requests": Figure("page", "first load: requests", ""),
        "reload": Figure("page", "reload at 1.6 Mbit/s, 150 ms: largest paint", "ms"),
        "again": Figure("page", "reload: requests that reach the server", ""),
    }
    for nth in range(rounds):
        context = await browser.new_context(viewport={"width": 1280, "height": 900})
        page = await context.new_page()
        url = f"{base}/?trip=loader-{nth}"
        painted, sizes = await _load(page, functools.partial(page.goto, url))
        names["first load"].add(PAGE, painted)
        names["bytes"].add(PAGE, sum(sizes) / 1000)
        names["requests"].add(PAGE, len(sizes))
        painted, sizes = await _load(page, page.reload)
        names["reload"].add(PAGE, painted)
        names["again"].add(PAGE, len(sizes))
        await context.close()
    return list(names.values())


async def _load(page: Page, go: Callable[[], Awaitable[Any]]) -> tuple[float, list[int]]:
    """Return when the largest content was painted, and the bytes of each answer that came over the wire."""
    line = await page.context.new_cdp_session(page)
    cached: set[str] = set()
    sizes: dict[str, int] = {}

    def from_cache(event: dict[str, Any]) -> None:
        cached.add(event["requestId"])

    def finished(event: dict[str, Any]) -> None:
        sizes[event["requestId"]] = int(event["encodedDataLength"])

    line.on("Network.requestServedFromCache", from_cache)
    line.on("Network.loadingFinished", finished)
    await line.send("Network.enable")
    await line.send("Network.emulateNetworkConditions", LINE)
    await go()
    await page.get_by_role("heading", name="Where would you like to go?").wait_for()
    await page.wait_for_timeout(SETTLE_MS)
    painted = await page.evaluate(LARGEST_PAINT)
    await line.detach()
    return painted, [size for request, size in sizes.items() if size and request not in cached]
