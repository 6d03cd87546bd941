"""Take the pictures of the page that the README and docs show: `python -m scripts.screenshots [steering]`.

It starts a server of its own, in a folder that is thrown away, and plays conversations in Chromium
(`CHROMIUM`, or the one on the PATH). Nothing is drawn by hand, so that the pictures show what the page does.
`interrupting.gif` moves: the page while a message interrupts the one before it.
"""

import asyncio
import io
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from PIL import Image
from playwright.async_api import Browser, Page, async_playwright

from backend.clients.server import ServerProcess

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
WIDE = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 800}
NARROW = {"width": 760, "height": 580}
FLAGS = ["--disable-gpu", "--disable-background-networking", *(["--no-sandbox"] if os.geteuid() == 0 else [])]

MOVING = {"width": 1200, "height": 720}
FRAME_MS = 250
LAST_FRAME_MS = 4000

FOLD = re.compile("^(Interrupted after|Your search goes on)")
"""The line that an interrupted task is folded to, whatever it had come to."""
TRIP = "Flights from Berlin to Tokyo on 4 March for 2 people, and a hotel until 11 March"


async def say(page: Page, text: str) -> None:
    """Type a message and send it."""
    box = page.get_by_role("textbox", name="Message")
    await box.fill(text)
    await box.press("Enter")


async def take(page: Page, name: str) -> None:
    """Take a picture once fonts and movements have settled."""
    await page.wait_for_timeout(700)
    await page.screenshot(path=IMAGES / f"{name}.png")


async def record(browser: Browser, address: str) -> None:
    """Record a change of mind: a search, the message that interrupts it, and its answer."""
    context = await browser.new_context(viewport=MOVING, color_scheme="light", locale="en-GB")
    page = await context.new_page()
    await page.goto(address)
    frames: list[Image.Image] = []

    async def watch(seconds: float) -> None:
        for _ in range(round(seconds * 1000 / FRAME_MS)):
            picture = Image.open(io.BytesIO(await page.screenshot()))
            frames.append(picture.convert("RGB").quantize(96, dither=Image.Dither.NONE))
            await page.wait_for_timeout(FRAME_MS / 2)

    async def write(text: str) -> None:
        box = page.get_by_role("textbox", name="Message")
        for part in re.findall(r"\S+\s*", text):
            await box.press_sequentially(part)
            await watch(FRAME_MS / 1000)
        await box.press("Enter")

    await write(TRIP)
    await watch(2.5)
    await write("Make the hotel five nights")
    await watch(2)
    await page.get_by_role("button", name=FOLD).click()
    await watch(2)
    await page.get_by_role("article", name="Detour").get_by_text("I found").wait_for()
    await watch(1)
    lengths = [FRAME_MS] * (len(frames) - 1) + [LAST_FRAME_MS]
    frames[0].save(
        IMAGES / "interrupting.gif", save_all=True, append_images=frames[1:], duration=lengths, loop=0
    )
    await context.close()


async def play(browser: Browser, address: str) -> None:
    """Play the conversation, in the light, in the dark and on a phone."""
    context = await browser.new_context(viewport=WIDE, color_scheme="light", locale="en-GB")
    page = await context.new_page()
    await page.goto(address)
    await say(page, TRIP)
    await page.get_by_role("tab", name="Flights").wait_for()
    await page.wait_for_timeout(1200)
    await say(page, "Make the hotel five stars")
    fold = page.get_by_role("button", name=FOLD)
    await fold.wait_for()
    await fold.click()
    await take(page, "interrupted")
    await page.get_by_role("article", name="Detour").get_by_text("I found").wait_for()
    await page.emulate_media(color_scheme="dark")
    await take(page, "found-dark")
    await page.emulate_media(color_scheme="light")
    await say(page, "Book the cheapest flight")
    await page.get_by_role("group", name="Permission").wait_for()
    await take(page, "permission")
    await page.get_by_role("button", name=re.compile("Don.t book")).click()
    small = await browser.new_context(viewport=PHONE, device_scale_factor=2, locale="en-GB")
    phone = await small.new_page()
    await phone.goto(page.url)
    await phone.get_by_role("navigation", name="Parts of the page").get_by_role("button", name="Trip").click()
    await phone.get_by_role("list", name="Facts of the trip").wait_for()
    await take(phone, "phone")


async def steer(browser: Browser, address: str) -> None:
    """Have two messages wait for an agent that is at work."""
    context = await browser.new_context(
        viewport=NARROW, color_scheme="light", locale="en-GB", device_scale_factor=1.5
    )
    page = await context.new_page()
    await page.goto(address)
    await say(page, "Plan an offsite in Lisbon for 20 people")
    await page.get_by_text("Compare prices").wait_for()
    await page.get_by_role("radio", name="Steer").check()
    await say(page, "Use the company card")
    await page.get_by_text("Check dates").wait_for()
    for text in ("We are 24 by now, and two of us eat no meat", "Not on a Monday"):
        await say(page, text)
        await page.get_by_role("region").get_by_text(text).wait_for()
    await take(page, "steering")
    picture = Image.open(IMAGES / "steering.png").convert("RGB").quantize(96, dither=Image.Dither.NONE)
    picture.save(IMAGES / "steering.png", optimize=True)


SHOWS: Mapping[str, tuple[Callable[[Browser, str], Awaitable[None]], Mapping[str, object]]] = {
    # The recording needs sources that are still searching when a frame has been taken after each word.
    "interrupting": (record, {"demo_pace": 2.5}),
    "travel": (play, {"demo_pace": 0.5}),
    "steering": (steer, {"graph": "tests.graphs.stepwise:graph", "title": "Planner"}),
}
ENVIRONMENT = {"STEPWISE_PACE_S": "5", "PYTHONPATH": str(ROOT)}


async def main(*names: str) -> None:
    """Take the pictures of these shows."""
    IMAGES.mkdir(exist_ok=True)
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        for name in names or SHOWS:
            show, settings = SHOWS[name]
            with tempfile.TemporaryDirectory() as folder:
                server = ServerProcess(Path(folder), settings=settings, environment=ENVIRONMENT, log=None)
                async with server:
                    await show(browser, server.url)
        await browser.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
