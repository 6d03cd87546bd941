"""A page of assistant-ui's own runtime for LangGraph, `useLangGraphRuntime`."""

import re
from urllib.parse import quote

import pytest
import pytest_asyncio
from playwright.async_api import Locator, Page, expect

from tests.pages.building import built
from tests.pages.threads import PICTURE, Threads
from tests.protocols.page_of_another_origin import served

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def origin():
    """The origin of the page."""
    with served(await built("assistant_ui")) as origin:
        yield origin


class Window:
    """The page, by the roles and names of what is on it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.own = page.get_by_role("article", name="You")
        self.replies = page.get_by_role("article", name="Assistant")
        self.stop_button = page.get_by_role("button", name="Stop")
        self.approval = page.get_by_role("group", name="Approval")

    @property
    def thread_id(self) -> str:
        return self.page.url.partition("&thread=")[2]

    def call(self, tool: str) -> Locator:
        return self.page.get_by_role("group", name=f"Call of {tool}")

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    async def say(self, text: str) -> None:
        box = self.page.get_by_role("textbox", name="Message", exact=True)
        await box.fill(text)
        await box.press("Enter")

    async def said(self, text: str) -> None:
        """Say something, and wait for the end of the reply to it."""
        await self.say(text)
        await expect(self.replies.last).to_contain_text(f"You said: {text}")
        await expect(self.stop_button).to_be_disabled()


@pytest_asyncio.fixture(loop_scope="module")
async def window(page, origin, server) -> Window:
    """The page in a window, on a thread that is new."""
    await page.goto(f"{origin}/?server={quote(server.url)}")
    return Window(page)


async def test_call_has_its_arguments_and_its_result_also_after_a_reload(window: Window) -> None:
    await window.say("weather Rome")
    for _ in range(2):
        await expect(window.call("weather")).to_contain_text('{"city":"Rome"} complete')
        await expect(window.call("weather")).to_contain_text("Sunny in Rome")
        await expect(window.replies.last).to_contain_text("It says: Sunny in Rome")
        await expect(window.stop_button).to_be_disabled()
        await window.page.reload()


@pytest.mark.parametrize(
    ("choice", "result"), [("Approve", "bought a map"), ("Refuse", "User rejected the tool call for `buy`")]
)
async def test_approval_is_given_and_refused_by_its_buttons(
    window: Window, threads: Threads, choice: str, result: str
) -> None:
    await window.say("buy a map")
    await expect(window.approval).to_contain_text("Tool execution requires approval")
    await window.page.reload()
    await window.button(choice).click()
    await expect(window.call("buy")).to_contain_text(result)
    await expect(window.approval).to_have_count(0)
    await expect(window.stop_button).to_be_disabled()
    await window.page.reload()
    await expect(window.call("buy")).to_contain_text(f'{{"thing":"a map"}} complete{result}')
    assert await threads.runs(window.thread_id) == ["success", "success"]


async def test_question_is_answered(window: Window) -> None:
    await window.say("ask where to go")
    form = window.page.get_by_role("form", name="where to go")
    await form.get_by_role("textbox", name="Answer").fill("Rome")
    await form.get_by_role("button", name="Answer").click()
    await expect(window.call("ask")).to_contain_text("the user says Rome")
    await expect(form).to_have_count(0)
    await expect(window.replies.last).to_contain_text("It says: the user says Rome")


async def test_stop_keeps_what_was_said_and_the_next_message_is_answered(
    window: Window, threads: Threads
) -> None:
    await window.say("slow 400")
    await expect(window.replies.last).to_contain_text("word9")
    await window.stop_button.click()
    await expect(window.stop_button).to_be_disabled()
    assert await threads.ended_runs(window.thread_id, 1) == ["interrupted"]
    await window.said("another idea")
    assert await threads.runs(window.thread_id) == ["interrupted", "success"]
    await window.page.reload()
    await expect(window.own).to_have_count(2)
    await expect(window.replies.first).to_contain_text("word9")
    await expect(window.replies.first).to_contain_text("Stopped by the user")


async def test_message_right_after_a_stop_supersedes_the_run(window: Window, threads: Threads) -> None:
    await window.say("slow 400")
    await expect(window.replies.last).to_contain_text("word9")
    await window.stop_button.click()
    await window.said("another idea")
    assert await threads.ended_runs(window.thread_id, 2) == ["interrupted", "success"]
    await window.page.reload()
    await expect(window.replies.first).to_contain_text("Interrupted by a newer message")


async def test_reload_in_mid_run_shows_what_was_said_as_the_page_asks_to_stop(
    window: Window, threads: Threads
) -> None:
    """The runtime sends `on_disconnect: "cancel"`: a page that leaves stops its run."""
    await window.say("slow 400")
    await expect(window.replies.last).to_contain_text("word9")
    await window.page.reload()
    await expect(window.replies.last).to_contain_text("word9")
    assert await threads.ended_runs(window.thread_id, 1) == ["interrupted"]
    await window.said("another idea")


async def test_earlier_message_is_edited_and_replies_are_made_again(window: Window, threads: Threads) -> None:
    for text in ("one", "two", "three"):
        await window.said(text)
    await window.own.nth(1).get_by_role("button", name="Edit").click()
    await window.page.get_by_role("textbox", name="Edited message").fill("another two")
    await window.button("Save").click()
    await expect(window.replies).to_have_text([re.compile("said: one"), re.compile("said: another two")])
    for reply in (window.replies.last, window.replies.first):
        await expect(window.stop_button).to_be_disabled()
        before = len(await threads.runs(window.thread_id))
        await reply.get_by_role("button", name="Again").click()
        assert await threads.ended_runs(window.thread_id, before + 1) == ["success"] * (before + 1)
    await expect(window.own).to_have_text([re.compile("^one")])
    await expect(window.stop_button).to_be_disabled()  # else the page drops the message
    await window.said("four")
    assert await threads.messages(window.thread_id) == [
        ("human", "one"),
        ("ai", "You said: one"),
        ("human", "four"),
        ("ai", "You said: four"),
    ]


async def test_image_reaches_the_graph_and_is_shown_after_a_reload(window: Window) -> None:
    async with window.page.expect_file_chooser() as chooser:
        await window.button("Attach").click()
    await (await chooser.value).set_files(PICTURE)
    await expect(window.page.get_by_text("picture.png")).to_be_visible()
    await window.say("what is this")
    await expect(window.replies.last).to_contain_text("You said: what is this [image image/png]")
    await expect(window.stop_button).to_be_disabled()
    await window.page.reload()
    await expect(window.own.locator("img")).to_be_visible()
