"""What the editors of facts propose: names of places, and what the other days of the month cost."""

import asyncio
import re

import pytest
from playwright.async_api import expect

from tests.browser.looking import drawn, overlapping, too_small, too_wide, violations
from tests.browser.visitor import PHONE

pytestmark = pytest.mark.asyncio(loop_scope="module")

FLIGHTS = "Flights from Berlin to Tokyo on 10 March 2027"
RESTED_MS = 120
"""How long the typing rests before names are asked for."""


async def editing(visitor, demo, fact, **options):
    """Return somebody with an editor open, and its field."""
    ada = await visitor(demo, **options)
    await ada.say(FLIGHTS)
    if "viewport" in options:
        await ada.page.get_by_role("button", name="Trip", exact=True).click()
    facts = ada.board.get_by_role("list", name="Facts of the trip")
    await facts.get_by_role("button", name=re.compile(f"^{fact}: ")).click()
    return ada, facts.get_by_label(fact, exact=True)


async def test_place_is_completed_by_keyboard_from_the_newest_answer(visitor, demo):
    ada, field = await editing(visitor, demo, "To")
    options = ada.board.get_by_role("listbox", name="Places").get_by_role("option")
    asked, held, release = [], asyncio.Event(), asyncio.Event()

    async def late_if_short(route):
        asked.append(route.request.url.partition("text=")[2])
        if asked[-1] == "po":
            held.set()
            await release.wait()
            await route.fulfill(json={"places": [{"name": "Po", "title": "Po", "area": "", "codes": []}]})
        elif asked[-1] == "x":
            await route.fulfill(status=500, json={"error": {"message": "Not today."}})
        else:
            await route.continue_()

    await ada.page.route("**/places?*", late_if_short)
    await ada.stop_the_clock()
    await field.press_sequentially("po")
    await ada.page.clock.run_for(RESTED_MS)
    await held.wait()
    await field.press_sequentially("rt")
    await ada.page.clock.run_for(RESTED_MS)
    await expect(options.first).to_have_text("PortoPortugalOPO")
    release.set()
    await ada.page.clock.resume()
    await field.press("ArrowDown")
    await expect(field).to_have_attribute("aria-activedescendant", await options.first.get_attribute("id"))
    await field.press("ArrowUp")
    await expect(options.last).to_have_attribute("aria-selected", "true")
    await field.press("ArrowDown")
    await expect(options.first).to_have_text("PortoPortugalOPO")
    assert asked == ["po", "port"], "four letters, two rests"
    assert await violations(ada.page, "light") == []
    await field.press("Escape")
    await expect(options).to_have_count(0)
    await expect(field).to_be_focused()
    await field.press("ArrowDown")
    await expect(options.first).to_have_text("PortoPortugalOPO")
    await field.press("ArrowDown")
    await field.press("Enter")
    await expect(field).to_have_value("Porto, Portugal")
    await expect(field).to_have_attribute("aria-expanded", "false")
    await expect(ada.said("Porto")).to_have_count(0)
    ada.forgive("status of 500")
    await field.fill("x")
    await expect(ada.board.get_by_role("status").filter(has_text="Not today.")).to_be_visible()
    await field.fill("Porto, Portugal")
    await field.press("Enter")
    await expect(ada.said("Go to Porto, Portugal instead.")).to_have_count(1)


async def test_place_is_chosen_by_a_tap_with_large_text_on_a_phone(visitor, demo):
    ada, field = await editing(visitor, demo, "From", viewport=PHONE, has_touch=True)
    await ada.page.evaluate("document.documentElement.style.fontSize = '200%'")
    await field.fill("san")
    option = ada.board.get_by_role("option", name="San Francisco California SFO")
    await expect(option).to_be_visible()
    for wrong in (too_wide(ada.page), too_small(ada.page), overlapping(ada.page, "[role=listbox]")):
        assert await wrong == []
    await drawn(ada.page)
    form = await ada.board.locator("facts-strip form").bounding_box()
    assert form["x"] >= 0
    assert form["x"] + form["width"] <= PHONE["width"]
    await option.tap()
    await expect(field).to_have_value("San Francisco, California")
    await expect(field).to_be_focused()
    await ada.board.get_by_role("button", name="Change", exact=True).tap()
    await ada.page.get_by_role("button", name=re.compile("^Chat")).click()
    await expect(ada.said("Fly from San Francisco, California instead.")).to_have_count(1)


@pytest.mark.parametrize("width", [1280, 1100, 1024])
async def test_month_of_prices_stands_within_its_board(visitor, demo, width):
    ada = await visitor(demo, viewport={"width": width, "height": 720})
    await ada.say("Flights from Berlin to Tokyo on 10 March 2027, back on 17 March")
    facts = ada.board.get_by_role("list", name="Facts of the trip")
    for fact in ("Leave", "To", "From"):
        await facts.get_by_role("button", name=re.compile(f"^{fact}: ")).click()
        board, box = (
            await ada.page.locator("trip-board").bounding_box(),
            await facts.locator("form").bounding_box(),
        )
        assert board["x"] <= box["x"], fact
        assert box["x"] + box["width"] <= board["x"] + board["width"], fact
        await ada.page.keyboard.press("Escape")


async def test_day_editor_has_a_month_of_prices(visitor, demo):
    ada, _ = await editing(visitor, demo, "To")
    asked = []

    async def once_too_many(route):
        asked.append(route.request.url)
        if "2027-04-17" in asked[-1] and sum("2027-04-17" in each for each in asked) == 1:
            await route.fulfill(status=429, json={"error": {"message": "Too many ask."}})
        else:
            await route.continue_()

    await ada.page.route("**/fares?*days=5*", once_too_many)
    ada.forgive("status of 429")
    await ada.board.get_by_role("button", name="Whole month").click()
    month = ada.board.locator("price-month")
    days = month.get_by_role("list", name=re.compile("^Cheapest total .+ March 2027$")).get_by_role("button")
    await expect(month.get_by_role("status")).to_have_text(re.compile("^Cheapest on .+ Mar, €[0-9,]+.$"))
    await expect(days).to_have_count(31)
    await expect(days.filter(has_text=re.compile(r": [\d,.]+ euros"))).to_have_count(31)
    await expect(days.filter(has_text="the cheapest of the month")).to_have_count(1)
    assert len(asked) == 3, "in three parts"
    bar = ada.page.locator("price-days").get_by_role("button", name=re.compile("Tue 9 Mar"))
    await expect(bar).to_have_text(re.compile(r"[\d,.]+ euros"))
    euros = re.search(r"[\d,.]+ euros", await bar.text_content()).group()
    await expect(days.nth(8)).to_contain_text(f"Leave on Tue 9 Mar: {euros}")
    assert await violations(ada.page, "dark") == []
    assert await too_small(ada.page) == []
    chosen = days.nth(9)
    await expect(chosen).to_have_attribute("aria-current", "date")
    await chosen.focus()
    for key in ("ArrowDown", "ArrowLeft", "PageDown"):
        await ada.page.keyboard.press(key)
    await expect(month.get_by_role("status")).to_have_text("Some prices could not be loaded.")
    await month.get_by_role("button", name="Try again").click()
    await expect(month.get_by_role("status")).to_have_text(re.compile("^Cheapest on .+ Apr"))
    await month.get_by_role("button", name=re.compile("^Leave on Fri 16 Apr: ")).press("Enter")
    await expect(ada.said("Leave on 16 April 2027.")).to_have_count(1)
    await expect(month).to_have_count(0)
