"""Take the four pictures of the page that the README shows, anew: `python scripts/screenshots.py`.

It starts a server of its own, in a folder that is thrown away, and plays one conversation in Chromium
(`CHROMIUM`, or the one on the PATH). Nothing is drawn by hand, so that the pictures show what the page does.
"""

import asyncio
import os
import re
import shutil
import tempfile
from pathlib import Path

from playwright.async_api import Browser, Page, async_playwright

from backend.clients.server import ServerProcess

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
WIDE = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 800}
FLAGS = ["--disable-gpu", "--disable-background-networking", *(["--no-sandbox"] if os.geteuid() == 0 else [])]

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


async def play(browser: Browser, address: str) -> None:
    """Play the conversation, in the light, in the dark and on a phone."""
    context = await browser.new_context(viewport=WIDE, color_scheme="light", locale="en-GB")
    page = await context.new_page()
    await page.goto(address)
    await say(page, TRIP)
    await page.get_by_role("tab", name="Flights").wait_for()
    await page.wait_for_timeout(1200)
    await say(page, "Make the hotel five stars")
    fold = page.get_by_role("button", name="Interrupted after")
    await fold.wait_for()
    await fold.click()
    await take(page, "interrupted")
    await page.get_by_text("All of it is demo inventory").wait_for()
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


async def main() -> None:
    """Take all pictures."""
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        async with (
            ServerProcess(Path(folder), settings={"demo_pace": 0.5}, log=None) as server,
            async_playwright() as playwright,
        ):
            chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
            browser = await playwright.chromium.launch(executable_path=chromium, args=FLAGS)
            await play(browser, server.url)
            await browser.close()


if __name__ == "__main__":
    asyncio.run(main())
