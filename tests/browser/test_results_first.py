"""Results come first: how much of them is in view, and what the bar over them holds."""

import re

import pytest
from playwright.async_api import expect

from tests.browser.looking import drawn, overlapping

pytestmark = pytest.mark.asyncio(loop_scope="module")

ONE_WAY = "Flights from Berlin to Tokyo on 4 March 2027 for 2 people, and a hotel until 11 March"
THERE_AND_BACK = "Flights from Berlin to Tokyo from 4 to 11 March 2027 for 2 people, and a hotel there"
WHOLE = """() => {
  const board = document.querySelector(".board").getBoundingClientRect();
  return [...document.querySelectorAll("flight-card")]
    .map((card) => card.getBoundingClientRect())
    .filter(({ top, bottom, height }) => height && top >= board.top && bottom <= board.bottom).length;
}"""
BAR_PX = 56


async def searched(visitor, server, message, **options):
    ada = await visitor(server, **options)
    await ada.say(message)
    await expect(ada.replies("I found")).to_have_count(1)
    await ada.is_at_rest()
    return ada


@pytest.mark.parametrize(
    ("message", "viewport", "least"),
    [
        (ONE_WAY, {"width": 1280, "height": 720}, 3),
        (THERE_AND_BACK, {"width": 1280, "height": 720}, 3),
        (ONE_WAY, {"width": 1440, "height": 900}, 5),
        (THERE_AND_BACK, {"width": 1440, "height": 900}, 5),
    ],
)
async def test_whole_flights_are_visible_without_scrolling(visitor, demo, message, viewport, least):
    ada = await searched(visitor, demo, message, viewport=viewport, reduced_motion="reduce")
    await expect(ada.page.locator("flight-card").nth(least)).to_be_attached()
    await drawn(ada.page)
    assert await ada.page.evaluate(WHOLE) >= least


async def test_facts_and_agents_share_a_bar_that_unfolds(visitor, demo):
    ada = await searched(visitor, demo, ONE_WAY, viewport={"width": 1280, "height": 720})
    facts = ada.board.get_by_role("list", name="Facts of the trip")
    bar = ada.page.locator("trip-board .plan")
    await drawn(ada.page)
    assert (await bar.bounding_box())["height"] <= BAR_PX
    await expect(ada.agent("Flights")).to_contain_text("22 found")
    await expect(facts.get_by_role("button", name="From: Berlin")).to_be_visible()
    # What has no room is neither seen nor reached by keys until it is unfolded, and then all of it is.
    out = facts.get_by_role("button", name="Check out: ")
    await expect(out).to_be_hidden()
    unfold = ada.board.get_by_role("button", name="All facts and agents")
    await expect(unfold).to_have_attribute("aria-expanded", "false")
    await unfold.click()
    await expect(unfold).to_have_attribute("aria-expanded", "true")
    await expect(out).to_be_visible()
    await expect(ada.agent("Hotels").locator(".progress")).to_have_text("40 found")
    await unfold.click()
    await expect(out).to_be_hidden()


async def test_bar_of_three_agents_shows_key_facts_and_counts_the_rest(visitor, demo):
    asked = f"{THERE_AND_BACK} and a rental car, nonstop, under 900 euros"
    ada = await searched(visitor, demo, asked, viewport={"width": 1280, "height": 720})
    facts = ada.board.get_by_role("list", name="Facts of the trip")
    bar = ada.page.locator("trip-board .plan")
    assert (await bar.bounding_box())["height"] <= BAR_PX
    for name in ("From: ", "To: ", "Leave: ", "Return: ", "People: "):
        await expect(facts.get_by_role("button", name=name)).to_be_visible()
    for name in ("Flights", "Hotels", "Cars"):
        await expect(ada.agent(name)).to_be_in_viewport(ratio=1)
    await expect(facts.get_by_role("button", name="Fare up to: ")).to_be_hidden()
    await expect(ada.board.get_by_text("+2", exact=True)).to_be_visible()
    assert await overlapping(ada.page, "trip-board .plan") == []
    await ada.board.get_by_role("button", name="All facts and agents").click()
    await expect(facts.get_by_role("button", name="Fare up to: ")).to_be_visible()
    await expect(ada.board.get_by_text("+2", exact=True)).to_be_hidden()


@pytest.mark.requirement("NOTHING-SAID-IS-LOST-IN-SILENCE")
@pytest.mark.parametrize("wishes", ["with a sea view", "with a sea view, near my aunt and with my old cat"])
async def test_unused_wishes_are_visible_in_the_folded_bar(visitor, demo, wishes):
    ada = await searched(visitor, demo, f"{THERE_AND_BACK} {wishes}", viewport={"width": 1280, "height": 720})
    unused = ada.board.get_by_role("list", name="Not used").get_by_role("listitem")
    await expect(unused.filter(has_text="with a sea view")).to_be_visible()
    count = await unused.count()
    await drawn(ada.page)
    bar = await ada.page.locator("trip-board .plan").bounding_box()
    for nth in range(count):
        await expect(unused.nth(nth)).to_be_visible()
        box = await unused.nth(nth).bounding_box()
        assert box["y"] + box["height"] <= bar["y"] + bar["height"]
    assert await overlapping(ada.page, "trip-board .plan") == []


@pytest.mark.parametrize(
    ("viewport", "beside"), [({"width": 1280, "height": 720}, False), ({"width": 1440, "height": 900}, True)]
)
async def test_map_and_prices_stand_beside_the_results_if_there_is_room(visitor, demo, viewport, beside):
    ada = await searched(visitor, demo, ONE_WAY, viewport=viewport)
    pictures = ada.page.locator("trip-board .pictures")
    button = ada.board.get_by_role("button", name=re.compile("map and prices"))
    await expect(button).to_have_attribute("aria-expanded", str(beside).lower())
    await expect(pictures).to_be_visible(visible=beside)
    await button.click()
    await expect(pictures).to_be_visible(visible=not beside)
    if not beside:
        await expect(ada.page.locator("price-days li").get_by_role("button")).to_have_count(7)
        return
    await drawn(ada.page)
    wide = (await ada.page.locator("result-tabs").bounding_box())["width"]
    await button.click()
    await expect(pictures).to_be_visible()
    await drawn(ada.page)
    results = await ada.page.locator("result-tabs").bounding_box()
    assert wide > results["width"]
    assert (await pictures.bounding_box())["x"] >= results["x"] + results["width"]


async def test_next_steps_of_a_reply_are_ordinary_messages(visitor, demo):
    ada = await searched(visitor, demo, "Flights from Berlin to Rome on 4 March 2027")
    steps = ada.log.get_by_role("list", name="What you could say next").get_by_role("button")
    await expect(steps).to_have_text(["Book the cheapest flight", "Add a hotel"])
    await expect(ada.replies("I found")).to_have_text(
        re.compile(r"^I found \d+ flights from Berlin to Rome [^.]+, €\d+\.\d\d\.")
    )
    await steps.last.click()
    await expect(ada.said("Add a hotel")).to_have_count(1)
    await expect(ada.box).to_be_focused()
    await expect(steps).not_to_contain_text(["Add a hotel"])


async def test_filter_sends_a_message_and_follows_the_request(visitor, demo):
    ada = await searched(visitor, demo, "Flights from London to New York on 10 March 2027")
    filters = ada.board.get_by_role("list", name="Filters")
    await filters.get_by_role("button", name="Stops", exact=True).click()
    nonstop = ada.board.get_by_role("list", name="Stops").get_by_role("button", name="Nonstop")
    await expect(nonstop).to_have_attribute("aria-pressed", "false")
    await nonstop.click()
    await expect(ada.said("Direct flights, please.")).to_have_count(1)
    chosen = filters.get_by_role("button", name="Stops: Nonstop")
    await expect(chosen).to_be_visible()
    await expect(ada.replies("I found")).to_have_count(2)
    await expect(ada.cards.filter(has_text="1 stop")).to_have_count(0)
    await chosen.click()
    await expect(nonstop).to_have_attribute("aria-pressed", "true")
    await ada.page.keyboard.press("Escape")
    await expect(nonstop).to_be_hidden()
    await expect(chosen).to_be_focused()
    await ada.page.keyboard.press("Enter")
    await nonstop.click()
    await expect(ada.said("Flights with any number of stops.")).to_have_count(1)
    await expect(filters.get_by_role("button", name="Stops", exact=True)).to_be_visible()


async def test_limits_that_hold_are_seen_without_unfolding(visitor, demo):
    flights = "Nonstop flights from Berlin to Lisbon on 10 March 2027 leaving after 9:00"
    both = f"{flights}, and a hotel with breakfast until 12 March"
    ada = await searched(visitor, demo, both, viewport={"width": 1280, "height": 720})
    await expect(ada.board.get_by_text("nonstop, leaving from 09:00, with breakfast")).to_be_in_viewport()
    filters = ada.board.get_by_role("list", name="Filters")
    for held in ("Stops: Nonstop", "Departure: From 09:00"):
        await expect(filters.get_by_role("button", name=held)).to_be_in_viewport()


COVERED = """(card) => {
  const button = card.querySelector(".compare").getBoundingClientRect();
  const words = document.createTreeWalker(card, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const covered = [];
  while (words.nextNode()) {
    const node = words.currentNode;
    if (node.parentElement.closest(".compare, .unseen")) continue;
    range.selectNodeContents(node);
    const isUnder = ({ left, right, top, bottom, width }) =>
      width && left < button.right && button.left < right &&
      top < button.bottom - 1 && button.top + 1 < bottom;
    if ([...range.getClientRects()].some(isUnder)) covered.push(node.data);
  }
  return covered;
}"""


@pytest.mark.parametrize("width", [1440, 1280, 1024])
async def test_compare_covers_nothing_of_a_card(visitor, demo, width):
    ada = await searched(visitor, demo, THERE_AND_BACK, viewport={"width": width, "height": 900})
    for kind in ("Flights", "Hotels"):
        await ada.tab(kind).click()
        card = ada.cards.nth(1)
        await card.hover()
        await expect(card.get_by_role("button", name=re.compile("^Compare"))).to_be_visible()
        assert await card.evaluate(COVERED) == []


async def test_comparison_shows_what_differs_between_two_offers(visitor, demo):
    ada = await searched(visitor, demo, ONE_WAY)
    # The map moves what is below it once it is drawn, and a press must begin and end on the same button.
    await expect(ada.page.get_by_role("img", name=re.compile("^Route from Berlin to Tokyo"))).to_be_visible()
    first, second, third = (ada.page.locator("flight-card").nth(at) for at in range(3))
    for card in (first, second):
        await card.hover()
        await card.get_by_role("button", name=re.compile("^Compare")).click()
    table = ada.board.get_by_role("table", name="What differs")
    await expect(table.get_by_role("columnheader")).to_have_count(3)
    prices = [await card.locator(".total > [aria-hidden]").text_content() for card in (first, second, third)]
    await expect(table.get_by_role("row", name=re.compile("^Price"))).to_contain_text(prices[0])
    # A third one takes the place of the first.
    await third.hover()
    await third.get_by_role("button", name=re.compile("^Compare")).click()
    row = table.get_by_role("row", name=re.compile("^Price"))
    await expect(row.get_by_role("cell")).to_have_text(prices[1:])
    # What is drawn anew under a press, as when an offer arrives, takes nothing from the press.
    await drawn(ada.page)
    await ada.board.get_by_role("button", name="Close").hover()
    await ada.page.mouse.down()
    await ada.page.locator("offer-compare:visible").evaluate("node => { node.data = {...node.data}; }")
    await ada.page.mouse.up()
    await expect(table).to_be_hidden()


async def test_offers_named_in_a_reply_are_marked_until_the_next_message(visitor, demo):
    ada = await searched(visitor, demo, ONE_WAY)
    marked = ada.page.locator(".offers > .spoken-of")
    await ada.say("What is the difference between the second and the third flight?")
    await expect(marked).to_have_count(2)
    await expect(marked.get_by_text("The reply speaks of this one.")).to_have_count(2)
    names = await ada.cards.locator("h3 [dir]").all_text_contents()
    assert await marked.locator("h3 [dir]").all_text_contents() == names[1:3]
    await expect(marked.first).not_to_have_css("box-shadow", "none")
    await ada.say("Thanks!")
    await expect(marked).to_have_count(0)
    await expect(ada.page.locator(".told.unseen")).to_have_count(0)
