"""Questions and permissions: they survive reloads, are answered once, and take the focus from nobody."""

import re

import pytest
from playwright.async_api import expect

from tests.browser.looking import violations
from tests.browser.offers import flight
from tests.browser.sending import HeldPosts
from tests.browser.stage import FLIGHTS

pytestmark = pytest.mark.asyncio(loop_scope="module")

OPEN_TRIP = "Find flights to Tokyo"
BY_AIR = "Flights from Berlin to Tokyo on 10 December"
REFUSED = "Failed to load resource: the server responded with a status of 409"


def question(visitor):
    return visitor.log.get_by_role("form", name=re.compile("^Question"))


def permission(visitor):
    return visitor.log.get_by_role("group", name=re.compile("^Permission"))


@pytest.mark.parametrize("days", [-1, 1])
async def test_question_expiry_ignores_a_wrong_browser_clock(visitor, staged, stage, days):
    ada = await visitor(staged)
    await ada.is_connected()
    wrong = await ada.page.evaluate(f"Date.now() + {days * 86_400_000}")
    await ada.page.clock.set_system_time(wrong / 1000)
    await ada.page.reload()
    await ada.say(OPEN_TRIP)
    await expect(question(ada)).to_contain_text("Open until")


async def asked_for_more(visitor, server):
    """Somebody who is asked where and when to leave."""
    ada = await visitor(server)
    await ada.say(OPEN_TRIP)
    await expect(question(ada)).to_be_visible()
    return ada


async def asked_for_permission(visitor, server):
    """Somebody who is asked whether the cheapest flight is to be booked."""
    ada = await visitor(server)
    await ada.say(BY_AIR)
    await expect(ada.replies("I found")).to_have_count(1)
    await ada.say("Book the cheapest")
    await expect(permission(ada)).to_be_visible()
    return ada


async def bookings_of(server, visitor) -> list[dict]:
    return (await server.call("GET", f"/bookings/{visitor.user_id}")).json()["bookings"]


@pytest.mark.requirement("QUESTIONS-OUTLIVE-THE-PAGE")
async def test_half_answered_question_survives_a_reload(visitor, staged, stage):
    ada = await asked_for_more(visitor, staged)
    origin = question(ada).get_by_label(re.compile("From|origin|leave from", re.IGNORECASE)).first
    await origin.fill("Berl")
    await ada.page.reload()
    await expect(question(ada)).to_be_visible()
    await expect(origin).to_have_value("Berl")
    await origin.fill("Berlin")
    day = question(ada).locator("input[type=date]").first
    await day.fill("2026-12-10")
    await origin.press("Enter")
    await expect(question(ada)).to_be_hidden()
    await expect(ada.replies("from Berlin to Tokyo on Thu 10 December")).to_have_count(1)
    await expect(ada.box).to_be_focused()
    await expect(ada.said("From: Berlin")).to_have_count(1)


async def test_place_is_completed_and_survives_a_reload(visitor, staged, stage):
    ada = await asked_for_more(visitor, staged)
    origin = question(ada).get_by_role("combobox", name=re.compile("From|origin|leave from", re.IGNORECASE))
    await origin.fill("port")  # all at once: what less of it may become would be proposed, too
    await expect(question(ada).get_by_role("option").first).to_have_text("PortoPortugalOPO")
    await origin.press("ArrowDown")
    await origin.press("Enter")
    await expect(origin).to_have_value("Porto, Portugal")
    await expect(question(ada)).to_be_visible()
    assert await violations(ada.page, "light") == []
    await ada.page.reload()
    await expect(origin).to_have_value("Porto, Portugal")
    await question(ada).locator("input[type=date]").first.fill("2026-12-10")
    await origin.press("Enter")
    await expect(ada.replies("from Porto to Tokyo on Thu 10 December")).to_have_count(1)


async def test_question_is_one_line_and_the_board_says_what_was_noted(visitor, staged, stage):
    ada = await visitor(staged)
    await ada.say("a nonstop flight from Hamburg for 2 people and a hotel with 4 stars")
    heading = question(ada).get_by_role("heading")
    await expect(heading).to_have_text("Question Please tell me where to go and on which day to leave.")
    noted = question(ada).get_by_text("Noted: from Hamburg, 2 passengers, nonstop, at least 4 stars.")
    await expect(noted).to_be_visible()
    await expect(ada.board.get_by_role("button", name="From: Hamburg, DE")).to_be_visible()
    await expect(ada.board.get_by_text("nonstop, at least 4 stars")).to_be_visible()


async def test_invalid_answer_is_explained_at_its_field(visitor, staged, stage):
    ada = await asked_for_more(visitor, staged)
    fields = question(ada)
    origin = fields.get_by_role("combobox").first
    await origin.fill("")
    await fields.get_by_role("button", name="Answer").click()
    await expect(origin).to_have_attribute("aria-invalid", "true")
    await expect(origin).to_be_focused()
    described = await origin.get_attribute("aria-describedby")
    texts = [await ada.page.locator(f"[id='{each}']").inner_text() for each in (described or "").split()]
    assert any(texts)


@pytest.mark.requirement("QUESTIONS-OUTLIVE-THE-PAGE")
async def test_new_message_withdraws_the_open_question(visitor, staged, stage):
    ada = await asked_for_more(visitor, staged)
    await ada.say("A hotel in Lisbon from 10 to 12 December")
    await expect(question(ada)).to_be_hidden()
    await expect(ada.log).to_contain_text("Question replaced by your message")
    await expect(ada.replies("hotels in Lisbon")).to_have_count(1)


async def test_question_takes_no_focus_and_is_reached_by_button_or_alt_q(visitor, staged, stage):
    stage.hold()
    ada = await visitor(staged)
    held = HeldPosts()
    await ada.page.route("**/chat", held)
    await ada.say(OPEN_TRIP)
    await ada.box.press_sequentially("I write")
    held.go.set()
    await expect(question(ada)).to_be_visible()
    await expect(ada.box).to_be_focused()
    await ada.box.press_sequentially(" on")
    await expect(ada.box).to_have_value("I write on")
    pinned = ada.page.get_by_role("button", name="Go to question")
    await pinned.click()
    await expect(question(ada).get_by_role("combobox").first).to_be_focused()
    await ada.box.focus()
    await ada.page.keyboard.press("Alt+q")
    await expect(question(ada).get_by_role("combobox").first).to_be_focused()
    await expect(ada.box).to_have_value("I write on")


@pytest.mark.requirement("WINDOWS-STAY-EQUAL")
async def test_permission_in_two_windows_is_given_once(visitor, staged, stage):
    ada = await asked_for_permission(visitor, staged)
    ada.forgive(REFUSED)
    tab = await ada.another_tab()
    await expect(permission(tab)).to_be_visible()
    held = HeldPosts()
    await tab.page.route("**/answer/**", held)
    await permission(tab).get_by_role("button", name=re.compile("^Book")).click()
    await permission(ada).get_by_role("button", name=re.compile("^Book")).click()
    await expect(ada.replies(re.compile("DEMO-"))).to_have_count(1)
    await expect(permission(tab)).to_be_hidden()
    held.go.set()
    await expect(tab.log).to_contain_text("in another window")
    await expect(tab.replies(re.compile("DEMO-"))).to_have_count(1)
    (booked,) = await bookings_of(staged, ada)
    for window in (ada, tab):
        await window.tab("Bookings").click()
        await expect(window.cards).to_contain_text(booked["reference"])


async def test_permission_has_exact_facts_and_never_focuses_book(visitor, staged, stage):
    ada = await asked_for_permission(visitor, staged)
    card = permission(ada)
    for fact in ("BER to", "1 passenger", "€", "Refund rule", "Demo: nothing is bought", "Open until"):
        await expect(card).to_contain_text(fact)
    assert (await card.inner_text()).count("Demo: ") == 1
    titles = await card.get_by_role("term").all_inner_texts()
    assert titles == ["Total", "What", "Who", "Refund rule"]
    total = card.get_by_role("definition").first
    await expect(total).to_have_text(re.compile(r"^€[\d,.]+$"))
    size = "(node) => parseFloat(getComputedStyle(node).fontSize)"
    assert await total.evaluate(size) > 1.4 * await card.get_by_role("definition").last.evaluate(size)
    await expect(card.get_by_role("button", name=re.compile("^Book"))).not_to_be_focused()
    await expect(ada.page.get_by_role("alert")).to_contain_text("asks for your permission")
    await ada.page.keyboard.press("Alt+q")
    await expect(card.get_by_role("heading")).to_be_focused()
    await ada.page.keyboard.press("Enter")
    assert (await staged.status(ada.user_id))["status"] == "input_required"
    await card.get_by_role("button").filter(has_not_text=re.compile("^Book")).first.click()
    await expect(card).to_be_hidden()
    await expect(ada.log).to_contain_text("Not booked: you said no.")
    assert await bookings_of(staged, ada) == []


async def test_booked_offer_says_so_until_it_is_cancelled(visitor, staged, stage):
    ada = await asked_for_permission(visitor, staged)
    cheapest = ada.cards.first
    await expect(cheapest.get_by_role("button", name=re.compile("^Book"))).to_be_visible()
    await permission(ada).get_by_role("button", name=re.compile("^Book")).click()
    await expect(cheapest.get_by_text("Booked", exact=True)).to_be_visible()
    await expect(cheapest.get_by_role("button", name=re.compile("^Book"))).to_have_count(0)
    await expect(ada.cards.nth(1).get_by_role("button", name=re.compile("^Book"))).to_be_visible()
    await ada.tab("Bookings").click()
    await ada.cards.get_by_role("button", name="Cancel").click()
    await permission(ada).get_by_role("button", name="Cancel the booking").click()
    await ada.tab("Flights").click()
    await expect(cheapest.get_by_role("button", name=re.compile("^Book"))).to_be_visible()
    await expect(cheapest.get_by_text("Booked", exact=True)).to_have_count(0)


async def test_expired_permission_says_so(visitor, process):
    server = process(permission_timeout_s=10)
    await server.start()
    ada = await asked_for_permission(visitor, server)
    await expect(permission(ada)).to_contain_text("Less than 2 minutes left")
    await expect(permission(ada)).to_be_hidden()
    await expect(ada.log).to_contain_text(
        re.compile("not answered in time|time ran out|time was up", re.IGNORECASE)
    )


@pytest.mark.requirement("ERRORS-ARE-IN-WORDS")
async def test_vanished_offer_is_explained_in_words(visitor, staged, stage):
    leg = ("BER", "2026-12-10T08:00:00+01:00", "HND", "2026-12-11T03:00:00+09:00")
    stage.script(FLIGHTS[0], [flight(10, leg, carrier="Gone Air")])
    stage.script(FLIGHTS[1], [])
    stage.script(FLIGHTS[2], [])
    ada = await visitor(staged)
    await ada.say(BY_AIR)
    await expect(ada.cards).to_have_count(1)
    await ada.say("Book the cheapest")
    await expect(ada.replies()).to_have_count(2)
    await expect(ada.replies().last).to_contain_text("That is no longer on sale.")
    await expect(permission(ada)).to_have_count(0)
    assert await bookings_of(staged, ada) == []
