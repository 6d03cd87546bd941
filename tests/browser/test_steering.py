"""The page of a graph while messages steer what runs: what waits, what Enter does, where each stands then."""

import re
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.api.live import ENDED, serving
from tests.browser.looking import overlapping, too_small, too_wide, violations
from tests.browser.visitor import PHONE
from tests.graphs.stepwise import GATE

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.requirement("PAGE-SHOWS-WHAT-STEERS"),
]

CARD = "and use the company card"
PLAN = "Plan an offsite"
SEQUENCE = """() => [...document.querySelectorAll(".entries > *")].flatMap((each) => {
  const names = [...each.querySelectorAll("step-line strong")].map((name) => name.textContent)
    .filter((name) => name !== "Model");  // a node has a line only while it takes time
  if (each.localName === "step-list") return names;
  return each.querySelector(".text")?.textContent ?? each.localName;
})"""
WATCH = """(text) => {
  window.seen = [];
  const look = () => {
    const all = (selector) => [...document.querySelectorAll(`${selector} .text`)];
    const count = (selector) => all(selector).filter((each) => each.textContent === text).length;
    const now = `${count("pending-message")} ${count("chat-message")}`;
    if (window.seen.at(-1) !== now) window.seen.push(now);
    requestAnimationFrame(look);
  };
  look();
}"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def planner(tmp_path_factory):
    """A server of an agent whose calls are held until the test lets them go."""
    graph = {"graph": "tests.graphs.stepwise:graph", "title": "Planner"}
    async with serving(tmp_path_factory.mktemp("planner"), messages_per_minute=600, **graph) as server:
        yield server


@pytest_asyncio.fixture(loop_scope="module")
async def planning(visitor, planner):
    """Return a function that makes a visitor whose task is held in its first call; it ends with the test."""
    users: list[str] = []

    async def plan(**options: Any):
        ann = await visitor(planner, **options)
        users.append(ann.user_id)
        await ann.say(PLAN)
        await expect(ann.log.get_by_text("Search venues")).to_be_visible()
        return ann

    yield plan
    for user in users:
        while not _is_over(await planner.status(user)):
            await planner.call("POST", f"/stop/{user}", json={"pending": "withdraw"})
    assert not GATE.held


def _is_over(status: dict[str, Any]) -> bool:
    return status["status"] in ENDED and not status["queued"] and "pending" not in status


def bar(ann):
    return ann.page.get_by_role("region", name=re.compile("to be taken in$"))


def waiting(ann, text: str = ""):
    return bar(ann).get_by_role("listitem").filter(has_text=text)


def act(ann, name: str, text: str = ""):
    return waiting(ann, text).get_by_role("button", name=name, exact=True)


def choice(ann):
    return ann.page.get_by_role("group", name="Stop")


async def steer(ann, *texts: str) -> None:
    """Send messages with the second key, each once the one before it waits."""
    for text in texts:
        await ann.box.fill(text)
        await ann.box.press("Control+Enter")
        await expect(waiting(ann, text).get_by_role("button", name="Withdraw")).to_be_visible()


async def test_pending_message_is_in_every_window_and_ends_where_the_model_read_it(planning):
    ann = await planning()
    tab = await ann.another_tab()
    for window in (ann, tab):
        await window.page.evaluate(WATCH, CARD)
    await steer(ann, CARD)
    await expect(waiting(tab)).to_have_text(re.compile(CARD))
    await expect(tab.log.get_by_text("Search venues")).to_be_visible()
    assert CARD not in await ann.page.evaluate(SEQUENCE)
    await GATE.let()
    for window in (ann, tab):
        await expect(window.said(CARD)).to_contain_text("Taken in here")
        await expect(bar(window)).to_be_hidden()
        await expect(window.log.get_by_text("Compare prices")).to_be_visible()
        assert await window.page.evaluate(SEQUENCE) == [PLAN, "Search venues", CARD, "Compare prices"]
        assert await window.page.evaluate("window.seen") == ["0 0", "1 0", "0 1"]
    for _ in range(2):
        await GATE.let()
    third = await ann.another_tab()
    for window in (ann, tab, third):
        await expect(window.log.get_by_role("article", name="Planner").filter(has_text=CARD)).to_be_visible()
        await expect(window.log.get_by_text("Check dates")).to_be_visible()
        seen = await window.page.evaluate(SEQUENCE)
        assert seen[:3] == [PLAN, "Search venues", CARD]
        assert seen[3:5] == ["Compare prices", "Check dates"]


async def test_pending_messages_survive_a_reload_once(planning):
    ann = await planning()
    await steer(ann, "one", "two")
    await ann.page.reload()
    await expect(bar(ann).get_by_role("heading")).to_have_text("2 messages wait to be taken in")
    assert await bar(ann).locator(".text").all_text_contents() == ["one", "two"]
    await GATE.let()
    await expect(ann.said("two")).to_be_visible()
    await ann.page.reload()
    await expect(ann.said("two")).to_contain_text("Taken in here")
    assert (await ann.page.evaluate(SEQUENCE))[:4] == [PLAN, "Search venues", "one", "two"]


async def test_edit_conflict_shows_the_other_edit_first(planning):
    ann = await planning()
    await steer(ann, CARD)
    tab = await ann.another_tab()
    edit = bar(ann).get_by_role("textbox", name="Edit the message")
    await act(ann, "Edit").click()
    await expect(edit).to_be_focused()
    await act(tab, "Edit").click()
    await tab.page.get_by_role("textbox", name="Edit the message").fill("and use my own card")
    await tab.page.keyboard.press("Enter")
    await expect(bar(ann)).to_contain_text("It was edited meanwhile: “and use my own card”")
    await edit.fill("and use no card")
    await edit.press("Enter")
    for window in (ann, tab):
        await expect(bar(window).locator(".text")).to_have_text("and use no card")
    await expect(act(ann, "Edit")).to_be_focused()
    await GATE.let()
    await expect(ann.said("and use no card")).to_be_visible()


async def test_late_edit_is_moved_to_the_message_box(planning):
    ann = await planning()
    await steer(ann, CARD)
    await act(ann, "Edit").click()
    await bar(ann).get_by_role("textbox", name="Edit the message").fill("and pay in cash")
    await GATE.let()
    await expect(ann.said(CARD)).to_be_visible()
    await expect(ann.box).to_have_value("and pay in cash")
    await expect(ann.box).to_be_focused()
    await expect(ann.page.locator("message-composer .notice")).to_contain_text("is in the message box.")


async def test_message_withdrawn_by_keyboard_is_gone_in_every_window(planning):
    ann = await planning()
    await steer(ann, CARD, "and a bus")
    tab = await ann.another_tab()
    await act(ann, "Withdraw", CARD).focus()
    await ann.page.keyboard.press("Enter")
    for window in (ann, tab):
        await expect(waiting(window)).to_have_count(1)
    await expect(ann.box).to_be_focused()
    await GATE.let()
    await expect(ann.said("and a bus")).to_be_visible()
    assert CARD not in await ann.page.evaluate(SEQUENCE)


async def test_now_interrupts_and_other_pending_messages_stand_before_it(planning):
    ann = await planning()
    await steer(ann, "one", "two")
    await act(ann, "Now", "one").click()
    await expect(bar(ann)).to_be_hidden()
    await expect(ann.page.locator("task-fold")).to_contain_text("Interrupted")
    order = [text for text in await ann.page.evaluate(SEQUENCE) if text in {PLAN, "one", "two"}]
    assert order == [PLAN, "two", "one"]
    tab = await ann.another_tab()
    await expect(tab.said("one")).to_be_visible()
    order = [text for text in await tab.page.evaluate(SEQUENCE) if text in {PLAN, "one", "two"}]
    assert order == [PLAN, "two", "one"]


async def test_message_left_for_later_can_still_be_withdrawn(planning):
    ann = await planning()
    await steer(ann, CARD, "and a bus")
    for text in (CARD, "and a bus"):
        await act(ann, "Later", text).click()
        await expect(ann.said(text)).to_contain_text("Waiting for the current run to end.")
    await ann.said(CARD).get_by_role("button", name="Withdraw").click()
    await expect(ann.said(CARD)).not_to_contain_text("Waiting for the current run")
    for _ in range(3):
        await GATE.let()
    await expect(ann.said("and a bus")).not_to_contain_text("Waiting")
    await expect(ann.log.get_by_text("Taken in here")).to_have_count(0)


@pytest.mark.parametrize("withdraws", [False, True])
async def test_stop_asks_about_pending_messages(planning, withdraws):
    ann = await planning()
    await steer(ann, CARD)
    await ann.box.press("Escape")
    await expect(choice(ann)).to_contain_text("1 message waits to be taken in.")
    await expect(choice(ann).get_by_role("button", name="Stop, then start it")).to_be_focused()
    await ann.page.keyboard.press("Escape")
    await expect(choice(ann)).to_be_hidden()
    await expect(ann.box).to_be_focused()
    await ann.stop_button.click()
    name = "Stop and withdraw it" if withdraws else "Stop, then start it"
    await choice(ann).get_by_role("button", name=name).click()
    await expect(ann.page.locator("task-fold")).to_contain_text("Stopped")
    await expect(bar(ann)).to_be_hidden()
    await expect(ann.said(CARD)).to_have_count(0 if withdraws else 1)
    if withdraws:
        await ann.is_at_rest()
    else:
        await expect(ann.log.get_by_text("Compare prices")).to_be_visible()


async def test_stop_still_stops_after_the_message_was_taken_in(planning):
    ann = await planning()
    await steer(ann, CARD)
    await ann.stop_button.click()
    await GATE.let()
    await expect(choice(ann)).to_contain_text("Nothing waits any more.")
    await choice(ann).get_by_role("button", name="Stop", exact=True).click()
    await expect(ann.page.locator("task-fold")).to_contain_text("Stopped")
    await ann.is_at_rest()


async def test_enter_follows_the_chosen_policy(planning):
    ann = await planning()
    await expect(ann.box).to_have_accessible_description(
        "Enter interrupts: ends the current run. Ctrl+Enter steers."
    )
    await ann.page.get_by_role("radio", name="Interrupt").focus()
    await ann.page.keyboard.press("ArrowRight")
    await expect(ann.page.get_by_role("radio", name="Steer")).to_be_checked()
    await expect(ann.page.locator("#enter-does")).to_have_text(
        "Enter steers: the current run takes it in. Ctrl+Enter interrupts."
    )
    await expect(ann.log.get_by_text("Search venues")).to_be_visible()
    await ann.say(CARD)
    await expect(waiting(ann)).to_contain_text(CARD)
    await ann.page.reload()
    await expect(ann.page.get_by_role("radio", name="Steer")).to_be_checked()
    await ann.page.get_by_role("radio", name="Enqueue").check()
    await ann.say("and then?")
    await expect(ann.said("and then?")).to_contain_text("Waiting for the current run to end.")
    await ann.page.get_by_role("radio", name="Steer").check()
    await ann.box.fill("No, stop that")
    await ann.box.press("Meta+Enter")
    await expect(ann.page.locator("task-fold")).to_contain_text("Interrupted")
    await expect(ann.said(CARD)).to_have_count(1)


async def test_screen_reader_hears_pending_and_taken_in(planning):
    ann = await planning()
    status = ann.page.locator("live-announcer [role=status]")
    await steer(ann, CARD)
    await expect(status).to_contain_text(f"Waits to be taken in: {CARD}")
    await GATE.let()
    await expect(status).to_contain_text(f"Taken in: {CARD}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_pending_messages_are_accessible(planning, scheme):
    ann = await planning()
    await steer(ann, CARD, "two")
    await act(ann, "Edit", "two").click()
    await ann.stop_button.click()
    await expect(choice(ann)).to_be_visible()
    assert await violations(ann.page, scheme) == []
    assert await too_small(ann.page) == []


@pytest.mark.parametrize("size", ["100%", "200%"])
async def test_pending_messages_fit_a_phone(planning, size):
    ann = await planning(viewport=PHONE, has_touch=True)
    await steer(ann, "Some of us eat no meat, and one of us comes a day later than the others do", "two")
    await act(ann, "Edit", "two").click()
    await ann.page.evaluate("size => { document.documentElement.style.fontSize = size }", size)
    await expect(ann.page.get_by_text("Ctrl+Enter", exact=False)).to_be_hidden()
    assert await too_wide(ann.page) == []
    pairs = [pair.split(" | ") for pair in await overlapping(ann.page, "pending-messages, message-composer")]
    assert [pair for pair in pairs if len(set(pair)) > 1] == []
    await expect(ann.send_button).to_be_in_viewport()
    await ann.stop_button.click()
    await expect(choice(ann).get_by_role("button", name="Don’t stop")).to_be_in_viewport(ratio=1)


async def test_graph_that_cannot_be_steered_offers_no_steering(visitor, tmp_path):
    async with serving(tmp_path, graph="tests.graphs.plain:graph", messages_per_minute=600) as server:
        ann = await visitor(server)
        await ann.is_connected()
        assert await ann.page.get_by_role("radio", include_hidden=True).count() == 2
        assert await ann.page.get_by_role("radio", name="Steer", include_hidden=True).count() == 0
        await ann.leave()


async def test_travel_page_offers_no_policy(visitor, staged, stage):
    ann = await visitor(staged)
    stage.hold()
    await ann.say("Flights from Berlin to Lisbon on 10 December")
    await expect(ann.stop_button).to_be_enabled()
    assert await ann.page.locator("send-policy, pending-messages").count() == 0
