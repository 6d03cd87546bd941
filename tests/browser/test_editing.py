"""Going back by editing: a message sent again, a reply copied, an example played, trips searched."""

import re

import pytest
from playwright.async_api import expect

from tests.browser.looking import too_small, violations
from tests.browser.stage import FLIGHTS

pytestmark = pytest.mark.asyncio(loop_scope="module")

LISBON = "Flights from Berlin to Lisbon on 10 March 2027"


async def test_edited_message_takes_the_conversation_back(visitor, demo):
    ada = await visitor(demo)
    for at, said in enumerate((LISBON, "under 900 euros", "make it Rome"), start=1):
        await ada.say(said)
        await expect(ada.replies("I found")).to_have_count(at)
    second = ada.said("under 900 euros")
    await second.hover()
    await second.get_by_role("button", name="Edit and send again").click()
    box = second.get_by_role("textbox", name="Edit the message")
    await expect(box).to_be_focused()
    await expect(box).to_have_value("under 900 euros")
    await box.press("Escape")
    await expect(second).to_contain_text("under 900 euros")
    await expect(ada.box).to_be_focused()
    await second.get_by_role("button", name="Edit and send again").click()
    assert await violations(ada.page, "light") == []
    await box.fill("for 2 people")
    await box.press("Enter")
    await expect(ada.said("for 2 people")).to_have_count(1)
    await expect(ada.replies("I found")).to_have_count(4)
    facts = ada.board.get_by_role("list", name="Facts of the trip")
    await expect(facts.get_by_role("button", name="To: Lisbon")).to_be_visible()
    await expect(facts.get_by_role("button", name="People: 2 people")).to_be_visible()
    filters = ada.board.get_by_role("list", name="Filters")
    await expect(filters.get_by_role("button", name="Price", exact=True)).to_be_visible()
    # The line has it as a branch, from which one goes back to what was before.
    stops = ada.board.get_by_role("list", name="Requests of this trip").get_by_role("button")
    await expect(stops.filter(has_text="Rome")).to_have_count(1)


async def test_reply_is_copied(visitor, demo):
    ada = await visitor(demo, permissions=["clipboard-read", "clipboard-write"])
    await ada.say(LISBON)
    reply = ada.replies("I found")
    await reply.hover()
    await reply.get_by_role("button", name="Copy", exact=True).click()
    await expect(reply.get_by_role("button", name="Copied")).to_be_visible()
    text = await ada.page.evaluate("navigator.clipboard.readText()")
    assert re.match(r"I found \d+ flights from Berlin to Lisbon on Wed 10 March 2027: cheapest .+€", text)
    assert await too_small(ada.page) == []


async def test_example_changes_its_mind_once_something_was_found(visitor, staged, stage):
    stage.hold()
    ada = await visitor(staged)
    await ada.is_connected()
    examples = ada.log.get_by_role("button", name=re.compile("then"))
    await expect(examples).to_have_count(3)
    await examples.first.click()
    await stage.until_asked(FLIGHTS[0])
    await expect(ada.said()).to_have_count(1)
    stage.let(*FLIGHTS)
    await expect(ada.said("Actually make it Osaka")).to_have_count(1)
    stage.free()
    await expect(ada.replies("to Osaka")).to_have_count(1)
    await expect(ada.said()).to_have_count(2)


async def test_example_that_is_stopped_does_not_go_on(visitor, staged, stage):
    stage.hold()
    ada = await visitor(staged)
    await ada.is_connected()
    await ada.log.get_by_role("button", name=re.compile("then")).first.click()
    await stage.until_asked(FLIGHTS[0])
    await ada.stop_button.click()
    await ada.is_at_rest()
    stage.free()
    await ada.say(LISBON)
    await expect(ada.replies("I found")).to_have_count(1)
    await ada.is_at_rest()
    await expect(ada.said("Osaka")).to_have_count(0)


async def test_first_screen_says_what_it_can_do_and_what_is_not_real(visitor, demo):
    ada = await visitor(demo, viewport={"width": 1280, "height": 720})
    await ada.is_connected()
    for said in (
        "Change your mind while it searches",
        "Demo or real: each says so",
        "Nothing is held, booked or cancelled",
    ):
        await expect(ada.board.get_by_text(said)).to_be_in_viewport()
    await expect(ada.log.get_by_text("What is called demo is invented")).to_be_in_viewport()
    assert await violations(ada.page, "light") == []


@pytest.mark.parametrize("width", [1440, 1024])
async def test_message_box_is_as_wide_as_its_column(visitor, demo, width):
    ada = await visitor(demo, viewport={"width": width, "height": 900})
    await ada.is_connected()
    box, column = await ada.box.bounding_box(), await ada.log.locator(".entries").bounding_box()
    assert box["width"] >= column["width"] - 16


async def test_trips_are_found_by_a_part_of_their_name(visitor, demo):
    ada = await visitor(demo)
    await ada.is_connected()
    opener = ada.page.get_by_role("button", name=re.compile("^Trip:"))
    menu = ada.page.get_by_role("group", name="Trips")
    search = menu.get_by_role("searchbox", name="Search trips")
    for name in ("Rome in May", "Oslo", "Romania", ""):
        await opener.click()
        if not name:
            break
        await expect(search).to_be_hidden()
        await menu.get_by_role("button", name=re.compile("^Rename")).first.click()
        await menu.get_by_role("textbox", name="Name of the trip").fill(name)
        await ada.page.keyboard.press("Enter")
        await menu.get_by_role("button", name="New trip", exact=True).last.click()
        await ada.is_connected()
    await search.fill("rom")
    await expect(menu.get_by_role("listitem")).to_have_count(2)
    await search.fill("")
    await expect(menu.get_by_role("listitem")).to_have_count(4)
