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
async def test_hotels_stay_while_the_date_of_the_flight_is_changed_in_the_middle_of_both_searches(
    visitor, staged, stage
):
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
    await expect(fold).to_contain_text("hotel search taken over")


@pytest.mark.requirement("A-STOP-ON-THE-PAGE-STOPS")
async def test_a_stop_at_the_second_batch_keeps_both_and_says_how_far_it_had_come(visitor, staged, stage):
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
    await expect(ada.agent("Flights")).to_contain_text(re.compile(r"Stopped after \d of 3 sources, 5 kept"))
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
async def test_there_are_three_ways_to_stop_and_each_stops_once_and_leaves_what_is_typed(
    visitor, staged, stage, how
):
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


async def test_nothing_can_be_stopped_while_nothing_is_at_work(visitor, staged, stage):
    ada = await visitor(staged)
    await expect(ada.stop_button).to_be_disabled()
    await ada.say("Hello")
    await expect(ada.replies()).to_have_count(1)
    await expect(ada.stop_button).to_be_disabled()
    await ada.box.fill("more")
    await ada.box.press("Escape")
    await expect(ada.box).to_have_value("more")


@pytest.mark.requirement("A-STOP-ON-THE-PAGE-STOPS")
async def test_one_agent_is_stopped_and_the_other_goes_on(visitor, staged, stage):
    ada = await searching(visitor, staged, stage)
    stage.let(HOTELS[0])
    await expect(ada.tab("Hotels")).not_to_have_text("Hotels 0")
    await ada.board.get_by_role("button", name="All facts and agents").click()
    await ada.agent("Hotels").get_by_role("button", name="Stop hotels").click()
    await expect(ada.agent("Hotels")).to_contain_text(re.compile(r"Stopped after \d of 2 sources"))
    await expect(ada.agent("Flights")).to_contain_text("Searching")
    stage.let(*FLIGHTS, batches=20)
    await expect(ada.replies("I found")).to_have_count(1)
    await expect(ada.agent("Flights")).to_contain_text("Done")
    await expect(ada.tab("Hotels")).not_to_have_text("Hotels 0")
    assert (await staged.status(ada.user_id))["status"] == "completed"


@pytest.mark.requirement("CHANGES-KEEP-WHAT-FITS")
async def test_a_folded_interruption_opens_to_what_became_of_each_call_and_is_taken_up_again(
    visitor, staged, stage
):
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
    await ada.log.get_by_role("button", name="Take it up again").click()
    await expect(ada.replies("I found")).to_have_count(1)
    await expect(ada.replies()).to_contain_text("from Berlin to Tokyo on Thu 10 December")
    await expect(ada.agent("Flights")).to_contain_text("Done")


@pytest.mark.requirement("CHANGES-KEEP-WHAT-FITS")
async def test_what_an_interrupted_search_left_stands_apart_and_says_how_far_it_had_come(
    visitor, staged, stage
):
    stage.script(NETWORK, flights([500, 520]))
    ada = await searching(visitor, staged, stage, BY_AIR)
    stage.let(NETWORK)
    await expect(ada.cards).to_have_count(2)
    stage.script(NETWORK, flights([900]))
    await ada.say("Flights from Berlin to Rome on 10 December")
    await stage.until_asked(CONNECTIONS, times=2)
    stage.let(*FLIGHTS, batches=20)
    await expect(ada.replies("I found")).to_have_count(1)
    kept = ada.board.get_by_role("region", name="Kept from requests before")
    await expect(kept).to_contain_text("2 flights")
    await expect(kept).to_contain_text(re.compile(r"stopped after \d of 3 sources"))
    await kept.get_by_text("Berlin to Tokyo, 10 December: 2 flights").click()
    await expect(kept.get_by_role("article")).to_have_count(2)


@pytest.mark.requirement("CHANGES-KEEP-WHAT-FITS")
async def test_older_results_that_are_read_say_so_and_fold_when_the_next_search_begins(
    visitor, staged, stage
):
    stage.script(NETWORK, flights(range(500, 520)))
    ada = await searching(visitor, staged, stage, BY_AIR)
    stage.let(NETWORK)
    await expect(ada.cards).to_have_count(20)
    stage.script(NETWORK, flights([900]))
    await ada.say("Flights from Berlin to Rome on 10 December")
    await stage.until_asked(CONNECTIONS, times=2)
    stage.let(*FLIGHTS, batches=20)
    await expect(ada.replies("I found")).to_have_count(1)
    kept = ada.board.get_by_role("region", name="Kept from requests before")
    title = kept.get_by_text("Berlin to Tokyo, 10 December: 20 flights")
    await title.click()
    await kept.get_by_role("article").last.scroll_into_view_if_needed()
    await expect(title).to_be_in_viewport(ratio=1)
    await ada.say("Flights from Berlin to Oslo on 10 December")
    await stage.until_asked(CONNECTIONS, times=3)
    await expect(kept.get_by_text("Berlin to Tokyo, 10 December: 20 flights").first).to_be_attached()
    await expect(kept.get_by_role("article").filter(visible=True)).to_have_count(0)
    await expect(ada.tab("Flights")).to_be_in_viewport(ratio=1)


@pytest.mark.requirement("CHANGES-KEEP-WHAT-FITS")
async def test_results_that_are_asked_for_again_stay_on_the_board_until_the_first_new_ones_are_there(
    visitor, staged, stage
):
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
    await expect(ada.cards.get_by_text("Asked again")).to_have_count(2)
    await expect(ada.cards.get_by_role("button", name=re.compile("^Book"))).to_have_count(0)
    stage.let(*FLIGHTS, batches=20)
    await expect(ada.cards).to_have_count(1)
    await expect(ada.cards).to_contain_text("700")
    await expect(ada.cards.get_by_text("Asked again")).to_have_count(0)
    await expect(ada.cards.get_by_role("button", name=re.compile("^Book"))).to_have_count(1)
    assert await ada.page.evaluate("() => globalThis.fewest") >= 1


@pytest.mark.requirement("CHANGES-KEEP-WHAT-FITS")
async def test_what_is_added_to_a_search_cuts_nothing_short_and_leaves_the_list_that_is_read(
    visitor, staged, stage
):
    stage.script(NETWORK, flights([500, 520]))
    ada = await searching(visitor, staged, stage, BY_AIR)
    stage.let(NETWORK)
    await expect(ada.cards).to_have_count(2)
    await ada.page.evaluate(WATCH_SELECTED)
    await ada.say("and a hotel there until the 14th")
    await stage.until_asked(HOTELS[1])
    stage.let(*FLIGHTS, *HOTELS, batches=20)
    await expect(ada.replies("I found")).to_have_count(1)
    fold = ada.log.get_by_role("button", name=re.compile("^Continued, nothing cut short"))
    await expect(fold).to_contain_text("kept 2 flights; flight search taken over")
    await expect(ada.log.get_by_role("button", name="Take it up again")).to_be_hidden()
    assert await ada.page.evaluate("() => [...globalThis.selected]") == ["tab-flight"]
    await expect(ada.tab("Hotels")).not_to_have_text("Hotels 0")


async def test_a_fact_that_is_edited_is_sent_as_a_message_and_followed(visitor, staged, stage):
    ada = await searching(visitor, staged, stage, BY_AIR)
    facts = ada.board.get_by_role("list", name="Facts of the trip")
    leave = facts.get_by_role("button", name=re.compile("^Leave: "))
    await expect(leave).to_have_text(re.compile("10 Dec"))
    await leave.click()
    field = facts.get_by_label("Leave", exact=True)
    await expect(field).to_be_focused()
    await expect(field).to_have_value("2026-12-10")
    await field.fill("2026-12-12")
    stage.let(*FLIGHTS, batches=20)
    stage.free()
    await field.press("Enter")
    await expect(ada.said("12 December 2026")).to_have_count(1)
    await expect(leave).to_have_text(re.compile("12 Dec"))
    await expect(ada.replies("12 December")).to_have_count(1)


@pytest.mark.requirement("NOTHING-SAID-IS-LOST-IN-SILENCE")
async def test_what_is_not_used_is_struck_through_beside_the_facts_and_what_is_assumed_looks_so(
    visitor, staged, stage
):
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
