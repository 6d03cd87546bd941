"""Who scrolls up in the conversation reads there in peace, until they come back to its end."""

import pytest
from playwright.async_api import expect

from tests.browser.stage import FLIGHTS

pytestmark = pytest.mark.asyncio(loop_scope="module")

SMALL = {"width": 1280, "height": 420}
PLACE = "(log) => log.scrollTop"
IS_AT_THE_TOP = "() => document.querySelector('trip-conversation').scrollTop === 0"
LEFT = "(log) => log.scrollHeight - log.clientHeight - log.scrollTop"


async def test_reply_does_not_move_who_reads_above(visitor, staged, stage):
    ada = await visitor(staged, viewport=SMALL, reduced_motion="reduce")
    for count in range(1, 4):
        await ada.say("Hello there")
        await expect(ada.replies()).to_have_count(count)
    stage.hold()
    await ada.say("Flights from Berlin to Tokyo on 4 March 2027")
    await stage.until_asked(FLIGHTS[0])
    newest = ada.page.get_by_role("button", name="Jump to latest")
    await expect(newest).to_be_hidden()
    assert await ada.log.evaluate(PLACE) > 0
    await ada.log.hover()
    await ada.page.mouse.wheel(0, -2000)
    await ada.page.wait_for_function(IS_AT_THE_TOP)
    await expect(newest).to_be_visible()
    stage.free()
    await expect(ada.replies("I found")).to_have_count(1)
    await ada.is_at_rest()
    assert await ada.log.evaluate(PLACE) == 0
    await newest.click()
    await expect(newest).to_be_hidden()
    assert await ada.log.evaluate(PLACE) > 0
    await ada.log.hover()
    await ada.page.mouse.wheel(0, -2000)
    await ada.page.wait_for_function(IS_AT_THE_TOP)
    await ada.say("Hello there")
    await expect(newest).to_be_hidden()
    await expect(ada.replies()).to_have_count(5)
    assert await ada.log.evaluate(LEFT) <= 1
