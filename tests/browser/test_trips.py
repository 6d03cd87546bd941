"""The trips of a browser: named, switched, deleted; and taken along, as text or on paper."""

import json
import re
from pathlib import Path

import pytest
from playwright.async_api import expect

pytestmark = pytest.mark.asyncio(loop_scope="module")

TOKYO = "Flights from Berlin to Tokyo on 10 December"


def opener(ada):
    return ada.page.get_by_role("button", name=re.compile("^Trip:"))


def read_json(path: Path):
    return json.loads(path.read_bytes())


def menu(ada):
    return ada.page.get_by_role("group", name="Trips")


@pytest.mark.requirement("TRIPS-ARE-KEPT-APART")
async def test_trip_is_named_after_its_route_and_found_again(visitor, staged, stage):
    ada = await visitor(staged)
    await ada.say(TOKYO)
    await expect(ada.replies()).to_have_count(1)
    await expect(opener(ada)).to_contain_text("Berlin → Tokyo")
    await opener(ada).click()
    await menu(ada).get_by_role("button", name="New trip", exact=True).last.click()
    await expect(ada.said()).to_have_count(0)
    await ada.is_connected()
    assert ada.user_id not in ada.page.url
    await ada.page.go_back()
    await expect(ada.said(TOKYO)).to_have_count(1)
    await ada.page.go_forward()
    await expect(ada.said()).to_have_count(0)
    await ada.is_connected()
    await opener(ada).click()
    await menu(ada).get_by_role("button", name=re.compile("^Berlin → Tokyo")).click()
    await expect(ada.said(TOKYO)).to_have_count(1)


@pytest.mark.requirement("TRIPS-ARE-KEPT-APART")
async def test_trip_keeps_a_given_name(visitor, staged, stage):
    ada = await visitor(staged)
    await ada.say(TOKYO)
    await expect(ada.replies()).to_have_count(1)
    await opener(ada).click()
    await menu(ada).get_by_role("button", name=re.compile("^Rename")).click()
    name = menu(ada).get_by_role("textbox", name="Name of the trip")
    await name.fill("Honeymoon")
    await name.press("Enter")
    await ada.page.keyboard.press("Escape")
    await ada.say("Make it Osaka")
    await expect(ada.replies()).to_have_count(2)
    await ada.page.reload()
    await expect(opener(ada)).to_contain_text("Honeymoon")


@pytest.mark.requirement("EXPORT-HAS-EVERYTHING")
async def test_trip_data_can_be_downloaded_before_deletion(visitor, staged, stage):
    ada = await visitor(staged)
    await ada.say(TOKYO)
    await expect(ada.replies()).to_have_count(1)
    await opener(ada).click()
    await menu(ada).get_by_role("button", name=re.compile("^Delete")).click()
    async with ada.page.expect_download() as downloading:
        await ada.page.get_by_role("link", name="Download all its data").click()
    file = await downloading.value
    assert file.suggested_filename == "detour-export.json"
    told = read_json(await file.path())
    assert (told["user_id"], told["messages"][0]["text"]) == (ada.user_id, TOKYO)
    await ada.page.get_by_role("dialog").get_by_role("button", name="Keep it").click()
    await expect(ada.said(TOKYO)).to_have_count(1)


@pytest.mark.requirement("TRIPS-ARE-KEPT-APART")
async def test_trip_is_deleted_after_confirmation(visitor, staged, stage):
    ada = await visitor(staged)
    await ada.say(TOKYO)
    await expect(ada.replies()).to_have_count(1)
    for answer in ("Keep it", "Delete the trip"):
        await opener(ada).click()
        await menu(ada).get_by_role("button", name=re.compile("^Delete")).click()
        await expect(ada.said(TOKYO)).to_have_count(1)
        await ada.page.get_by_role("dialog").get_by_role("button", name=answer).click()
    await expect(ada.said()).to_have_count(0)
    assert (await staged.call("GET", f"/history/{ada.user_id}")).status_code == 404


async def test_itinerary_is_copied_as_text_and_printed(visitor, staged, stage):
    ada = await visitor(staged, permissions=["clipboard-read", "clipboard-write"])
    await ada.say(TOKYO)
    await expect(ada.replies()).to_have_count(1)
    await ada.stop_the_clock()
    await ada.board.get_by_role("button", name="Copy itinerary").click()
    await expect(ada.board.get_by_role("button", name="Copied")).to_be_visible()
    copied = await ada.page.evaluate("() => navigator.clipboard.readText()")
    assert "Berlin → Tokyo" in copied
    assert "Demo data" in copied
    await ada.page.emulate_media(media="print")
    await expect(ada.board.get_by_role("heading", name="Berlin → Tokyo")).to_be_visible()
    await expect(ada.cards.first).to_be_visible()
    await expect(ada.box).to_be_hidden()
