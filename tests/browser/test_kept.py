"""What was kept of earlier requests: found by name, told with its age, booked, gone back to."""

import re

import pytest
from playwright.async_api import expect

from tests.browser.looking import drawn, violations
from tests.browser.stage import FLIGHTS
from tests.browser.visitor import PHONE

pytestmark = pytest.mark.asyncio(loop_scope="module")

TOKYO = "Flights from Berlin to Tokyo on 10 December"
ROME = "Flights from Berlin to Rome on 10 December"
CLICKS = 'globalThis.clicks = 0; addEventListener("click", () => (globalThis.clicks += 1), true);'


async def having_searched(visitor, server, *messages, **options):
    """Somebody who has asked for these, one after the other, and got an answer to each."""
    ada = await visitor(server, **options)
    await ask_for(ada, *messages)
    return ada


async def ask_for(visitor, *messages):
    """Ask for these, one after the other, and get an answer to each."""
    for count, message in enumerate(messages, start=1):
        await visitor.say(message)
        await expect(visitor.replies("I found")).to_have_count(count)
        await visitor.is_at_rest()


def drawers(visitor):
    return visitor.board.get_by_role("region", name="Kept from earlier searches")


def permission(visitor):
    return visitor.log.get_by_role("group", name=re.compile("^Permission"))


def line(visitor):
    return visitor.board.get_by_role("list", name="Requests of this trip")


@pytest.mark.requirement("KEPT-OFFERS-ARE-BOOKED")
async def test_kept_offer_is_booked_in_two_clicks(visitor, staged):
    ada = await having_searched(visitor, staged, TOKYO, ROME)
    await ada.page.evaluate(CLICKS)
    await ada.board.get_by_role("button", name="1 earlier search kept").click()
    tokyo = drawers(ada).get_by_text(re.compile(r"^Berlin to Tokyo, 10 December: \d+ flights$"))
    await expect(tokyo).to_be_in_viewport(ratio=1)
    await drawers(ada).get_by_role("button", name=re.compile("^Book")).first.click()
    await expect(permission(ada)).to_contain_text(re.compile("BER to (HND|NRT)|to (HND|NRT),"))
    await expect(drawers(ada).get_by_role("article").first).to_be_visible()
    assert await ada.page.evaluate("globalThis.clicks") <= 3
    await permission(ada).get_by_role("button", name="Book", exact=True).click()
    await expect(ada.replies("Booked as DEMO-")).to_have_count(1)


@pytest.mark.requirement("KEPT-OFFERS-ARE-BOOKED")
async def test_kept_offer_is_booked_on_another_device_after_a_restart(visitor, process):
    server = process(demo_pace=0.02)
    await server.start()
    ada = await having_searched(visitor, server, TOKYO, ROME)
    await ada.page.close()
    await server.kill()
    await server.start()
    phone = {"viewport": {"width": 390, "height": 844}}
    ben = await visitor(server, user_id=ada.user_id, **phone)
    await ben.page.evaluate(CLICKS)
    await (
        ben.page.get_by_role("navigation", name="Parts of the page")
        .get_by_role("button", name=re.compile("^Trip"))
        .click()
    )
    await drawers(ben).get_by_text("Berlin to Tokyo, 10 December").click()
    await drawers(ben).get_by_role("button", name=re.compile("^Book")).first.click()
    await expect(permission(ben)).to_contain_text(re.compile("HND|NRT"))
    assert await ben.page.evaluate("globalThis.clicks") <= 3


async def test_old_offers_show_their_age_and_are_dimmed(visitor, staged):
    ada = await visitor(staged)
    await ada.is_connected()
    await ada.page.clock.install()
    await ada.page.reload()  # with all its timers on the clock that is put forward
    await ask_for(ada, TOKYO, ROME)
    await expect(drawers(ada).locator("summary")).to_contain_text("prices from just now")
    await ada.page.clock.fast_forward("03:00:00")
    await ada.board.get_by_role("button", name="1 earlier search kept").click()
    await expect(drawers(ada).locator("summary")).to_contain_text("prices 3 h old")
    old = drawers(ada).locator("article .total").first
    await expect(old).to_have_css("color", await colour(ada, "--quiet"))
    assert await old.evaluate("(node) => getComputedStyle(node, '::after').content") == '" 3 h ago"'
    assert await violations(ada.page, "light") == []


@pytest.mark.requirement("EARLIER-REQUESTS-RETURN")
async def test_earlier_request_returns_with_its_results_in_any_window(visitor, staged, stage):
    ada = await having_searched(visitor, staged, TOKYO, ROME)
    ben = await visitor(staged, user_id=ada.user_id)
    await expect(ben.cards.first).to_be_visible()
    found = await drawers(ben).locator("summary").inner_text()
    stage.hold()
    await expect(line(ben).get_by_role("listitem")).to_have_count(2)
    await line(ben).get_by_role("button", name=re.compile("^Go back to Berlin to Tokyo")).click()
    count = re.search(r"(\d+) flights", found)[1]
    await expect(ben.tab("Flights")).to_contain_text(count)
    await expect(ben.cards.first).to_contain_text(re.compile("HND|NRT"))
    stage.let(*FLIGHTS, batches=20)
    await expect(ben.replies("Back to your earlier request")).to_have_count(1)


async def test_trip_line_branches_and_compares_two_requests(visitor, staged):
    ada = await having_searched(visitor, staged, TOKYO)
    await expect(line(ada)).to_have_count(0)
    await ada.say("Only under 1200 euros")
    await expect(ada.replies("I found")).to_have_count(2)
    await ada.say(ROME)
    await expect(ada.replies("I found")).to_have_count(3)
    stops = line(ada).get_by_role("button")
    await expect(stops).to_have_text(["Tokyo, 10 December", "up to €1,200", re.compile("^Rome")])
    await expect(stops.last).to_have_attribute("aria-current", "step")
    await drawn(ada.page)
    track = await ada.board.locator("trip-line .track").bounding_box()
    assert track["height"] <= 40
    compare = ada.board.get_by_role("button", name="Compare", exact=True)
    await compare.focus()
    await ada.page.keyboard.press("Enter")
    await stops.first.focus()
    await ada.page.keyboard.press("Enter")
    beside = ada.board.get_by_role("region", name="Two requests side by side")
    await expect(beside.get_by_role("row", name=re.compile("^To "))).to_contain_text("Tokyo")
    await expect(beside.get_by_role("row", name="Cheapest flight")).to_be_visible()
    assert await violations(ada.page, "light") == []
    await ada.page.keyboard.press("Escape")
    await expect(beside).to_be_hidden()
    await expect(compare).to_be_focused()
    await stops.first.click()
    await expect(ada.said("Go back to the flights from Berlin")).to_have_count(1)
    await expect(ada.replies("Back to your earlier request")).to_have_count(1)
    await expect(stops.last).to_have_text("Tokyo")
    await expect(stops.last).to_have_attribute("aria-current", "step")
    await ada.page.set_viewport_size(PHONE)
    await ada.page.get_by_role("button", name="Trip", exact=True).click()
    await drawn(ada.page)
    whole = await line(ada).bounding_box()
    for stop in await stops.all():
        box = await stop.bounding_box()
        assert box["x"] >= whole["x"] - 1, "no label is cut, however little room there is"
        assert box["x"] + box["width"] <= whole["x"] + whole["width"] + 1


async def colour(visitor, name):
    return await visitor.page.evaluate(
        """(name) => {
          const probe = document.body.appendChild(document.createElement("i"));
          probe.style.color = `var(${name})`;
          const { color } = getComputedStyle(probe);
          probe.remove();
          return color;
        }""",
        name,
    )
