"""Interruptions: what is unaffected goes on, what was found is kept and told, and Stop stops."""

import re

import pytest
from playwright.async_api import expect

from tests.browser.offers import flights
from tests.browser.sending import HeldPosts
from tests.browser.stage import FLIGHTS, HOTELS

pytestmark = pytest.mark.asyncio(loop_scope="module")

TRIP = "Flights from Berlin to Tokyo on 10 December and a hotel in Tokyo from 12 to 14 December"
BY_AIR = "Flights from Berlin to Tokyo on 10 December"
NETWORK, LOW_COST, CONNECTIONS = FLIGHTS
WATCH_HOTELS = """() => {
  const tabs = document.querySelector("[role=tablist]");
  const count = () => Number(/Hotels (\\d+)/.exec(tabs.textContent)?.[1] ?? -1);
  globalThis.fewest = count();
  new MutationObserver(() => (globalThis.fewest = Math.min(globalThis.fewest, count())))
    .observe(document.querySelector("trip-board"), { childList: true, characterData: true, subtree: true });
}"""

WATCH_CARDS = """() => {
  const count = () => [...document.querySelectorAll("[role=tabpanel] article")]
    .filter((card) => card.checkVisibility()).length;
  globalThis.fewest = count();
  new MutationObserver(() => (globalThis.fewest = Math.min(globalThis.fewest, count())))
    .observe(document.querySelector("trip-board"), { childList: true, attributes: true, subtree: true });
}"""
WATCH_SELECTED = """() => {
  globalThis.selected = new Set();
  const note = () => globalThis.selected.add(document.querySelector("[role=tab][aria-selected=true]")?.id);
  new MutationObserver(note).observe(document.querySelector("trip-board"),
    { attributes: true, childList: true, characterData: true, subtree: true });
}"""


async def searching(visitor, staged, stage, message=TRIP):
    """Somebody whose sources have all been asked and hold their answers."""
    stage.hold()
    ada = await visitor(staged)
    await ada.say(message)
    await stage.until_asked(CONNECTIONS)
    await expect(ada.stop_button).to_be_enabled()
    return ada


@pytest.mark.requirement("CHANGES-KEEP-WHAT-FITS")
async def test_hotels_stay_while_the_flight_date_changes(visitor, staged, stage):
    stage.script(NETWORK, flights([500, 520]))
    ada = await searching(visitor, staged, stage)
    stage.let(NETWORK)
    stage.let(HOTELS[0])
    await expect(ada.tab("Flights")).to_have_text("Flights 2")
    await ada.tab("Hotels").click()
    await expect(ada.cards).not_to_have_count(0)
    shown = await ada.cards.count()
    await ada.box.hover()  # under the pointer new cards would wait
    await ada.page.evaluate(WATCH_HOTELS)
    held = HeldPosts()
    await ada.page.route("**/chat", held)
    await ada.say("Fly on 11 December instead")
    await expect(ada.agent("Flights")).to_contain_text("Adjusting…")
    held.go.set()
    await stage.until_asked(CONNECTIONS, times=2)
    stage.let(*HOTELS, batches=20)
    stage.let(*FLIGHTS, batches=20)
    await expect(ada.replies()).to_have_count(1)
    await expect(ada.replies()).to_contain_text("11 December")
    await expect(ada.agent("Hotels")).to_contain_text("Done")
    assert await ada.cards.count() > shown
    assert await ada.page.evaluate("() => globalThis.fewest") >= shown
    assert [name for name, _ in stage.searches if name in HOTELS] == list(HOTELS)
    fold = ada.log.get_by_role("button", name=re.compile("^Interrupted after"))
    await expect(fold).to_contain_text("kept 2 flights")
    await expect(fold).to_contain_text("hotel search goes on")


@pytest.mark.requirement("A-STOP-ON-THE-PAGE-STOPS")
async def test_stop_keeps_results_and_says_how_far_it_came(visitor, staged, stage):
    stage.script(NETWORK, flights([500, 520]), flights([100, 110, 120]), flights([1]))
    ada = await searching(visitor, staged, stage, BY_AIR)
    stage.let(NETWORK, batches=2)
    await expect(ada.cards).to_have_count(5)
    held = HeldPosts()
    await ada.page.route("**/stop/**", held)
    await ada.stop_button.click()
    await expect(ada.stop_button).to_have_text("Stopping…")
    await expect(ada.stop_button).to_be_disabled()
    await expect(ada.agent("Flights")).to_contain_text("Stopping…")
    held.go.set()
    await expect(ada.agent("Flights")).to_contain_text("Stopped with 5 found")
    await expect(
        ada.log.get_by_role("button", name=re.compile("^Stopped after .* kept 5 flights"))
    ).to_be_visible()
    await expect(ada.stop_button).to_have_text("Stop")
    await expect(ada.stop_button).to_be_disabled()
    await expect(ada.cards).to_have_count(5)
    status = await staged.status(ada.user_id)
    assert (status["status"], status["reason"]) == ("interrupted", "stopped")
    await ada.page.reload()
    await expect(ada.cards).to_have_count(5)
    await expect(ada.agent("Flights")).to_contain_text("5 kept")


@pytest.mark.requirement("A-STOP-ON-THE-PAGE-STOPS")
@pytest.mark.parametrize("how", ["two clicks", "Esc", "Ctrl+."])
async def test_each_way_to_stop_stops_once_and_keeps_typed_text(visitor, staged, stage, how):
    ada = await searching(visitor, staged, stage, BY_AIR)
    held = HeldPosts()
    await ada.page.route("**/stop/**", held)
    await ada.box.fill("half a thought")
    match how:
        case "two clicks":
            await ada.stop_button.dblclick(force=True)
        case "Esc":
            await ada.box.press("Escape")
            await ada.box.press("Escape")
        case _:
            await ada.log.focus()
            await ada.page.keyboard.press("Control+.")
            await ada.page.keyboard.press("Control+.")
    await expect(ada.stop_button).to_have_text("Stopping…")
    held.go.set()
    await expect(ada.agent("Flights")).to_contain_text("Stopped")
    await expect(ada.box).to_have_value("half a thought")
    assert held.posts == 1


@pytest.mark.requirement("A-STOP-ON-THE-PAGE-STOPS")
async def test_stop_of_one_agent_leaves_the_other_running(visitor, staged, stage):
    ada = await searching(visitor, staged, stage)
    stage.let(HOTELS[0])
    await expect(ada.tab("Hotels")).not_to_have_text("Hotels 0")
    await ada.board.get_by_role("button", name="All facts and agents").click()
    await ada.agent("Hotels").get_by_role("button", name="Stop hotels").click()
    stopped = re.compile("Stopped (with [0-9]+|before any was) found")
    await expect(ada.agent("Hotels")).to_contain_text(stopped)
    await expect(ada.agent("Flights")).to_contain_text("Searching")
    stage.let(*FLIGHTS, batches=20)
    await expect(ada.replies("I found")).to_have_count(1)
    await expect(ada.agent("Flights")).to_contain_text("Done")
    await expect(ada.tab("Hotels")).not_to_have_text("Hotels 0")
    assert (await staged.status(ada.user_id))["status"] == "completed"


@pytest.mark.requirement("CHANGES-KEEP-WHAT-FITS")
async def test_folded_interruption_shows_its_calls_and_can_be_resumed(visitor, staged, stage):
    stage.script(NETWORK, flights([500, 520]))
    ada = await searching(visitor, staged, stage, BY_AIR)
    stage.let(NETWORK)
    await expect(ada.cards).to_have_count(2)
    await ada.stop_button.click()
    fold = ada.log.get_by_role("button", name=re.compile("^Stopped after"))
    await fold.click()
    await expect(fold).to_have_attribute("aria-expanded", "true")
    await expect(ada.log.get_by_role("term").filter(has_text="Flight search")).to_be_visible()
    stage.free()
    await ada.log.get_by_role("button", name="Pick it up again").click()
    await expect(ada.replies("I found")).to_have_count(1)
    await expect(ada.replies()).to_contain_text("from Berlin to Tokyo on Thu 10 December")
    await expect(ada.agent("Flights")).to_contain_text("Done")


@pytest.mark.requirement("CHANGES-KEEP-WHAT-FITS")
async def test_interrupted_results_stand_apart_and_say_how_far_they_came(visitor, staged, stage):
    stage.script(NETWORK, flights([500, 520]))
    ada = await searching(visitor, staged, stage, BY_AIR)
    stage.let(NETWORK)
    await expect(ada.cards).to_have_count(2)
    stage.script(NETWORK, flights([900]))
    await ada.say("Flights from Berlin to Rome on 10 December")
    await stage.until_asked(CONNECTIONS, times=2)
    stage.let(*FLIGHTS, batches=20)
    await expect(ada.replies("I found")).to_have_count(1)
    kept = ada.board.get_by_role("region", name="Kept from earlier searches")
    await expect(kept).to_contain_text("2 flights")
    await expect(kept).to_contain_text("search not finished")
    await kept.get_by_text("Berlin to Tokyo, 10 December: 2 flights").click()
    await expect(kept.get_by_role("article")).to_have_count(2)


@pytest.mark.requirement("CHANGES-KEEP-WHAT-FITS")
async def test_results_searched_again_stay_until_new_ones_arrive(visitor, staged, stage):
    stage.script(NETWORK, flights([500, 520]))
    for source in (LOW_COST, CONNECTIONS):
        stage.script(source, [])
    ada = await visitor(staged)
    await ada.say(BY_AIR)
    await expect(ada.replies("I found")).to_have_count(1)
    await expect(ada.cards).to_have_count(2)
    await ada.page.evaluate(WATCH_CARDS)
    stage.hold()
    stage.script(NETWORK, flights([700]))
    await ada.say("Fly on 11 December instead")
    await stage.until_asked(CONNECTIONS, times=2)
    await expect(ada.cards.get_by_text("Searching again")).to_have_count(2)
    await expect(ada.cards.get_by_role("button", name=re.compile("^Book"))).to_have_count(0)
    stage.let(*FLIGHTS, batches=20)
    await expect(ada.cards).to_have_count(1)
    await expect(ada.cards).to_contain_text("700")
    await expect(ada.cards.get_by_text("Searching again")).to_have_count(0)
    await expect(ada.cards.get_by_role("button", name=re.compile("^Book"))).to_have_count(1)
    assert await ada.page.evaluate("() => globalThis.fewest") >= 1


@pytest.mark.requirement("CHANGES-KEEP-WHAT-FITS")
async def test_addition_to_a_search_interrupts_nothing(visitor, staged, stage):
    stage.script(NETWORK, flights([500, 520]))
    ada = await searching(visitor, staged, stage, BY_AIR)
    stage.let(NETWORK)
    await expect(ada.cards).to_have_count(2)
    await ada.page.evaluate(WATCH_SELECTED)
    await ada.say("and a hotel there until the 14th")
    await stage.until_asked(HOTELS[1])
    stage.let(*FLIGHTS, *HOTELS, batches=20)
    await expect(ada.replies("I found")).to_have_count(1)
    fold = ada.log.get_by_role("button", name=re.compile("^Your search goes on"))
    await expect(fold).to_contain_text("kept 2 flights")
    await expect(ada.log.get_by_role("button", name="Pick it up again")).to_be_hidden()
    assert await ada.page.evaluate("() => [...globalThis.selected]") == ["tab-flight"]
    await expect(ada.tab("Hotels")).not_to_have_text("Hotels 0")


@pytest.mark.requirement("NOTHING-SAID-IS-LOST-IN-SILENCE")
async def test_unused_wishes_are_struck_through_and_assumptions_dashed(visitor, staged, stage):
    ada = await searching(visitor, staged, stage, f"{BY_AIR} with my cat")
    facts = ada.board.get_by_role("list", name="Facts of the trip")
    unused = ada.board.get_by_role("list", name="Not used").get_by_role("listitem")
    struck = unused.locator("s")
    await expect(struck).to_have_text("with my cat")
    await expect(struck).to_have_css("text-decoration-line", "line-through")
    await expect(unused).to_have_text("Not used: with my cat")
    people = facts.get_by_role("button", name="People: 1 person, assumed. Change")
    await expect(people).to_have_css("border-top-style", "dashed")
    await expect(facts.get_by_role("button", name="To: Tokyo")).not_to_have_css("border-top-style", "dashed")
    stage.let(*FLIGHTS, *HOTELS, batches=20)
