"""Messages: each is sent once, whatever the keys, the network and the other windows do."""

import asyncio
import re

import pytest
from playwright.async_api import expect

from tests.browser.sending import HeldPosts
from tests.browser.visitor import NETWORK
from tests.fakes.waiting import until

pytestmark = pytest.mark.asyncio(loop_scope="module")

HELLO = "Hello there"
SLOW = 5
"""Seconds between the batches of a source, for a search that is to be under way when its server is killed."""
REFUSED = "Failed to load resource: the server responded with a status of"


async def messages_of(server, visitor) -> list[str]:
    """What the server has of this visitor."""
    said = (await server.history(visitor.user_id))["messages"]
    return [each["text"] for each in said if each["role"] == "user"]


@pytest.mark.requirement("A-MESSAGE-IS-SENT-ONCE")
@pytest.mark.parametrize(
    "how", ["two presses of Enter", "Enter held down", "two clicks", "while it is on its way"]
)
async def test_message_submitted_twice_is_sent_once(visitor, staged, stage, how):
    ada = await visitor(staged)
    held = HeldPosts()
    await ada.page.route("**/chat", held)
    await ada.box.fill(HELLO)
    match how:
        case "two presses of Enter":
            await asyncio.gather(ada.page.keyboard.press("Enter"), ada.page.keyboard.press("Enter"))
        case "Enter held down":
            for _ in range(3):
                await ada.page.keyboard.down("Enter")
        case "two clicks":
            await ada.send_button.dblclick()
        case _:
            await ada.page.keyboard.press("Enter")
            await expect(ada.said(HELLO)).to_contain_text("Sending…")
            await ada.page.keyboard.press("Enter")
            await ada.send_button.click()
    held.go.set()
    await expect(ada.replies()).to_have_count(1)
    await expect(ada.said()).to_have_count(1)
    assert held.posts == 1
    assert await messages_of(staged, ada) == [HELLO]


@pytest.mark.requirement("A-MESSAGE-IS-SENT-ONCE")
async def test_offline_message_waits_and_is_sent_once(visitor, staged, stage):
    ada = await visitor(staged)
    ada.forgive(NETWORK)
    await ada.is_connected()
    await ada.page.context.set_offline(True)
    await expect(ada.banner.get_by_text("You are offline")).to_be_visible()
    await ada.say(HELLO)
    await expect(ada.said(HELLO)).to_contain_text("Waiting for the server")
    await expect(ada.page.get_by_role("status").filter(has_text="waits for the server")).to_have_count(1)
    await ada.say("Something else")
    await ada.said("Something else").get_by_role("button", name="Withdraw").click()
    await expect(ada.said()).to_have_count(1)
    await expect(ada.box).to_be_focused()
    await ada.page.context.set_offline(False)
    await expect(ada.replies()).to_have_count(1)
    await expect(ada.said()).to_have_count(1)
    await expect(ada.said()).not_to_contain_text("Waiting")
    assert await messages_of(staged, ada) == [HELLO]


@pytest.mark.requirement("A-MESSAGE-IS-SENT-ONCE")
async def test_messages_typed_during_a_restart_are_sent_in_order(visitor, process):
    server = process(demo_pace=SLOW)
    await server.start()
    ada = await visitor(server)
    ada.forgive(NETWORK)
    await ada.say("Flights from Berlin to Tokyo on 10 December")
    await expect(ada.tab("Flights")).not_to_have_text("Flights 0")
    await server.kill()
    server.settings["demo_pace"] = 1  # a reply that nothing interrupts would name what is new alone
    await ada.say("To Rome instead")
    await ada.say("And for 2 people")
    await expect(ada.said("To Rome instead")).to_contain_text("Waiting for the server")
    await expect(ada.said("And for 2 people")).to_contain_text("Waiting for the server")
    await server.start()
    await expect(ada.replies(re.compile("to Rome.* 2 passengers"))).to_have_count(1)
    sent = [text for text in await messages_of(server, ada) if "Tokyo" not in text]
    assert sent == ["To Rome instead", "And for 2 people"]
    await expect(ada.said()).to_have_count(3)


@pytest.mark.requirement("A-MESSAGE-IS-SENT-ONCE")
async def test_retry_after_a_lost_answer_is_no_second_message(visitor, staged, stage):
    ada = await visitor(staged)
    ada.forgive(NETWORK)
    await ada.is_connected()
    lost = 0

    async def lose_the_answer(route) -> None:
        nonlocal lost
        await route.fetch()
        lost += 1
        await route.abort()

    await ada.page.route("**/chat", lose_the_answer)
    await ada.say(HELLO)
    await expect(ada.replies()).to_have_count(1)
    assert lost == 1
    await ada.page.unroute("**/chat")
    await expect(ada.said()).to_have_count(1)
    await expect(ada.said()).not_to_contain_text("Waiting")
    assert await messages_of(staged, ada) == [HELLO]


async def test_rate_limited_message_is_explained_and_kept(visitor, process):
    server = process(messages_per_minute=1)
    await server.start()
    ada = await visitor(server)
    ada.forgive(f"{REFUSED} 429")
    await ada.say(HELLO)
    await expect(ada.replies()).to_have_count(1)
    await ada.say("One more")
    await expect(ada.said("One more")).to_contain_text(re.compile("Not sent: [A-Z].*[.]"))
    await expect(ada.said("One more")).not_to_contain_text("429")
    await expect(ada.said("One more").get_by_role("button", name="Try again")).to_be_visible()


@pytest.mark.requirement("COMPOSED-TEXT-IS-NOT-SENT")
async def test_enter_that_ends_a_composition_sends_nothing(visitor, staged, stage):
    ada = await visitor(staged)
    await ada.box.focus()
    keys = await ada.page.context.new_cdp_session(ada.page)
    composed = {"text": "とうきょう", "selectionStart": 5, "selectionEnd": 5}
    await keys.send("Input.imeSetComposition", composed)
    taken = {"windowsVirtualKeyCode": 229, "key": "Process", "code": "Enter"}
    await keys.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **taken})
    await keys.send("Input.insertText", {"text": "東京"})
    await keys.send("Input.dispatchKeyEvent", {"type": "keyUp", **taken, "key": "Enter"})
    await expect(ada.box).to_have_value("東京")
    await expect(ada.said()).to_have_count(0)
    await ada.box.press("Enter")
    await expect(ada.said("東京")).to_have_count(1)


@pytest.mark.requirement("COMPOSED-TEXT-IS-NOT-SENT")
@pytest.mark.parametrize("browser_kind", ["Chrome", "Safari", "an old one"])
async def test_enter_during_a_composition_sends_nothing_in_any_browser(visitor, staged, stage, browser_kind):
    """Safari ends the composition before the key that ended it; old ones tell by the key code alone."""
    ada = await visitor(staged)
    await ada.box.fill("東京")
    await ada.box.evaluate(
        """(box, kind) => {
          const enter = (more) => box.dispatchEvent(
            new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true, ...more }));
          const composition = (type) => box.dispatchEvent(new CompositionEvent(type, { bubbles: true }));
          composition("compositionstart");
          if (kind === "Chrome") enter({ isComposing: true, keyCode: 229 });
          if (kind === "an old one") enter({ keyCode: 229 });
          composition("compositionend");
          if (kind === "Safari") enter({ keyCode: 229 });
        }""",
        browser_kind,
    )
    await expect(ada.box).to_have_value("東京")
    await expect(ada.said()).to_have_count(0)


async def test_half_typed_message_survives_a_reload(visitor, staged, stage):
    ada = await visitor(staged)
    await ada.is_connected()
    await ada.box.press_sequentially("Two")
    await ada.box.press("Shift+Enter")
    await ada.box.press_sequentially("lines")
    await ada.page.reload()
    await expect(ada.box).to_have_value("Two\nlines")
    await ada.box.press("Enter")
    await expect(ada.said("Two\nlines")).to_have_count(1)
    await expect(ada.replies()).to_have_count(1)
    await ada.page.reload()
    await expect(ada.box).to_have_value("")


@pytest.mark.requirement("WINDOWS-STAY-EQUAL")
async def test_windows_of_one_trip_stay_equal(visitor, staged, stage):
    ada = await visitor(staged)
    await ada.say("Flights from Berlin to Tokyo on 10 December")
    await expect(ada.replies("I found")).to_have_count(1)
    other = await visitor(staged, user_id=ada.user_id)
    tab = await ada.another_tab()
    await tab.say("And a hotel there until the 14th")
    for window in (ada, other, tab):
        await expect(window.replies("I found")).to_have_count(2)
        await expect(window.said()).to_have_count(2)
        await window.is_at_rest()
    logs = [await window.log.inner_text() for window in (ada, other, tab)]
    assert logs[0] == logs[1] == logs[2]
    for window in (ada, other, tab):
        summary = window.board.locator("price-days .summary")
        await expect(summary).to_have_text(re.compile("cheapest", re.IGNORECASE))
        await expect(
            window.board.get_by_role("img", name=re.compile("; the cheapest flight"))
        ).to_be_visible()
    boards = [window.board for window in (ada, other, tab)]

    async def are_alike() -> bool:  # each window fetches by itself what stands beside the results
        return len({await board.inner_text() for board in boards}) == 1

    await until(are_alike, every_s=0.01)
