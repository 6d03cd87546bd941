"""The page in a real browser, served by Streamlit itself: its timer, its forms, its Stop button, a reload."""

import contextlib
from datetime import timedelta

import pytest
import pytest_asyncio
from playwright.async_api import expect

from backend.domain.encoding import system_clock
from tests.browser.stage import FLIGHTS
from tests.browser.visitor import DESKTOP, PATIENCE_MS, PHONE
from tests.streamlit.served import StreamlitProcess

pytestmark = pytest.mark.asyncio(loop_scope="module")

DAY = (system_clock() + timedelta(days=30)).date()
LISBON = f"Find flights from Berlin to Lisbon on {DAY.isoformat()}"
SEVERAL_REFRESHES = """
    (times) => new Promise((resolve) => {
        const seen = new MutationObserver(() => { if (--times < 1) resolve(); });
        seen.observe(document.body, { subtree: true, childList: true, characterData: true });
    })
"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def streamlit(_theatre, tmp_path_factory):
    """Streamlit in front of the staged server; it may not have complained of anything."""
    server, _ = _theatre
    async with StreamlitProcess(tmp_path_factory.mktemp("streamlit"), api_port=server.port) as streamlit:
        yield streamlit
    assert streamlit.complaints == []


@pytest_asyncio.fixture(loop_scope="module")
async def opened(browser, streamlit):
    """Return a function that opens the page in a window of its own, at an address if one is given."""
    async with contextlib.AsyncExitStack() as stack:

        async def open_(url: str = "", **options):
            context = await browser.new_context(**{"viewport": DESKTOP, **options})
            context.set_default_timeout(PATIENCE_MS)
            stack.push_async_callback(context.close)
            page = await context.new_page()
            await page.goto(url or f"http://127.0.0.1:{streamlit.port}/")
            await expect(box(page)).to_be_editable()
            return page

        yield open_


def box(page):
    return page.get_by_placeholder("Where to?")


def button(page, name: str):
    return page.get_by_role("button", name=name, exact=True)


def text(page, says):
    return page.get_by_text(says).first


async def say(page, message: str) -> None:
    await box(page).fill(message)
    await box(page).press("Enter")


async def found_flights(page, stage) -> None:
    """Have one of three sources answer, and hold the others."""
    stage.hold(*FLIGHTS)
    await say(page, LISBON)
    await stage.until_asked(FLIGHTS[1])
    stage.let(FLIGHTS[1], batches=99)
    await expect(text(page, "Flight: working, 1 of 3 sources")).to_be_visible()


async def test_page_opens_at_its_top_with_its_title_whole(opened):
    page = await opened(viewport={"width": 1280, "height": 720})
    await expect(text(page, "For example:")).to_be_visible()
    assert (await page.get_by_role("heading", name="Detour").bounding_box())["y"] >= 0


async def test_half_typed_answer_and_message_survive_refreshes(opened, stage, server):
    page = await opened()
    stage.hold()
    await say(page, f"Find flights to Lisbon on {DAY.isoformat()} and a hotel there for two nights")
    where_from = page.get_by_label("From", exact=True)
    await expect(where_from).to_be_visible()
    await where_from.fill("Ber")
    await page.evaluate(SEVERAL_REFRESHES, 6)
    await expect(where_from).to_have_value("Ber")
    await where_from.fill("Berlin")
    await box(page).fill("half a mess")
    stage.free()
    await button(page, "Answer").click()
    await expect(text(page, "flights from Berlin to Lisbon")).to_be_visible()
    await expect(where_from).to_have_count(0)
    await expect(box(page)).to_have_value("half a mess")


async def test_reload_and_second_tab_show_the_active_task(opened, stage):
    page = await opened()
    await found_flights(page, stage)
    await page.reload()
    await expect(text(page, LISBON)).to_be_visible()
    await expect(text(page, "Flight: working, 1 of 3 sources")).to_be_visible()
    other = await opened(page.url, viewport=PHONE)
    await expect(text(other, "Flight: working, 1 of 3 sources")).to_be_visible()
    await button(other, "Stop").click()
    for each in (page, other):
        await expect(text(each, "Stopped by the user")).to_be_visible()
