"""LangChain's agent-chat-ui as `create-agent-chat-app` makes it; with `AGENT_CHAT_UI`, also one that runs.

`AGENT_CHAT_UI` is the address of a page built from the repository, which is newer: it has buttons for what
`HumanInTheLoopMiddleware` asks, and takes images.
"""

import os
import re
from urllib.parse import parse_qs, quote, urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Locator, Page, expect

from tests.pages.building import built
from tests.pages.threads import PICTURE, Threads
from tests.protocols.page_of_another_origin import served

pytestmark = pytest.mark.asyncio(loop_scope="module")

RUNNING = os.environ.get("AGENT_CHAT_UI", "").rstrip("/")
DECISIONS = {"bought a map": ["yes", "Approve"], "User rejected the tool call": ["no", "Submit rejection"]}
"""What comes of a decision in the words of a user, and by a button of a newer page."""


@pytest_asyncio.fixture(
    scope="module", loop_scope="module", params=["", RUNNING] if RUNNING else [""], ids=lambda at: at or "npm"
)
async def origin(request):
    """The origin of the page."""
    if request.param:
        yield request.param
    else:
        with served(await built("agent_chat_ui")) as origin:
            yield origin


class Window:
    """The page, by what is on it."""

    def __init__(self, page: Page, *, is_newer: bool) -> None:
        self.page = page
        self.is_newer = is_newer
        self.rows = page.locator("div.group")
        self.send_button = self.button("Send")
        self.errors = page.get_by_text("An error occurred")

    @property
    def thread_id(self) -> str:
        return parse_qs(urlsplit(self.page.url).query)["threadId"][0]

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def row(self, text: str) -> Locator:
        return self.rows.filter(has=self.page.get_by_text(text, exact=True))

    def table(self, text: str) -> Locator:
        """The box of a tool call or of its result, by what it says."""
        return self.page.locator(".rounded-lg.overflow-hidden").filter(has_text=text)

    async def say(self, text: str) -> None:
        box = self.page.get_by_placeholder("Type your message...")
        await box.fill(text)
        await box.press("Enter")

    async def said(self, text: str) -> None:
        """Say something, and wait for the end of the reply to it."""
        await self.say(text)
        await expect(self.row(f"You said: {text}")).to_be_visible()
        await expect(self.send_button).to_be_visible()


@pytest_asyncio.fixture(loop_scope="module")
async def window(page, origin, server) -> Window:
    """The page in a window, on a thread that is new."""
    await page.goto(f"{origin}/?apiUrl={quote(server.url)}&assistantId=agent")
    window = Window(page, is_newer=origin == RUNNING)
    yield window
    await expect(window.errors).to_have_count(0)


async def test_call_has_its_arguments_and_its_result_also_after_a_reload(window: Window) -> None:
    await window.say("weather Rome")
    for _ in range(2):
        await expect(window.table("cityRome")).to_contain_text("weather")
        await expect(window.table("Tool Result")).to_contain_text("Sunny in Rome")
        await expect(window.row("It says: Sunny in Rome")).to_be_visible()
        await expect(window.send_button).to_be_visible()
        await window.page.reload()


@pytest.mark.parametrize("result", DECISIONS)
async def test_approval_is_given_and_refused(window: Window, threads: Threads, result: str) -> None:
    words, button = DECISIONS[result]
    await window.say("buy a map")
    await expect(window.table("thinga map").first).to_be_visible()
    await expect(window.send_button).to_be_visible()
    await window.page.reload()
    await expect(window.table("thinga map").first).to_be_visible()
    if window.is_newer:
        await window.page.get_by_placeholder("Share feedback").fill("" if words == "yes" else "too dear")
        await window.button(button).click()
    else:
        await window.say(words)
    await expect(window.table("Tool Result")).to_contain_text(result)
    await expect(window.send_button).to_be_visible()
    await expect(window.page.get_by_text(re.compile("^(Human Interrupt|Edit/Approve)$"))).to_have_count(0)
    assert await threads.ended_runs(window.thread_id, 2) == ["success", "success"]


async def test_question_is_shown_and_a_message_answers_it(window: Window) -> None:
    await window.say("ask where to go")
    await expect(window.page.get_by_text("Human Interrupt")).to_be_visible()
    await window.page.reload()
    await expect(window.page.get_by_text("Human Interrupt")).to_be_visible()
    await window.say("to Rome")
    await expect(window.table("Tool Result")).to_contain_text("the user says to Rome")
    await expect(window.row("It says: the user says to Rome")).to_be_visible()


async def test_message_after_its_cancel_is_answered(window: Window, threads: Threads) -> None:
    """The newer page's Cancel tells the server nothing: there the message interrupts the run."""
    await window.said("hello")
    await window.say("slow 400")
    await expect(window.rows.last).to_contain_text("word9")
    await window.button("Cancel").click()
    await window.said("another idea")
    assert await threads.ended_runs(window.thread_id, 3) == ["success", "interrupted", "success"]
    await window.page.reload()
    await expect(window.row("You said: another idea")).to_be_visible()


async def test_reload_in_mid_run_shows_what_was_said(window: Window, threads: Threads) -> None:
    """The older page asks to stop when it leaves; neither page follows the run any further."""
    await window.say("slow 60")
    await expect(window.rows.last).to_contain_text("word9")
    await window.page.reload()
    await expect(window.rows.last).to_contain_text("word9")
    ended = await threads.ended_runs(window.thread_id, 1)
    assert ended == ["success" if window.is_newer else "interrupted"]
    await window.page.reload()
    await expect(window.page.get_by_text("word59" if window.is_newer else "Stopped by")).to_be_visible()


async def test_messages_are_edited_and_replies_made_again_in_branches(
    window: Window, threads: Threads
) -> None:
    for text in ("one", "two"):
        await window.said(text)
    reply = window.row("You said: one")
    await reply.hover()
    await reply.get_by_role("button", name="Refresh").click()
    await expect(reply).to_contain_text("2 / 2")
    await expect(window.row("two")).to_have_count(0)
    await window.row("one").hover()
    await window.row("one").get_by_role("button", name="Edit").click()
    await window.rows.get_by_role("textbox").fill("another one")
    await window.button("Submit").click()
    await expect(window.row("another one")).to_contain_text("2 / 2")
    await expect(window.row("You said: another one")).to_be_visible()
    messages = [("human", "another one"), ("ai", "You said: another one")]
    assert await threads.messages(window.thread_id) == messages
    back = (
        window.row("another one")
        .get_by_role("button")
        .filter(has=window.page.locator("svg.lucide-chevron-left"))
    )
    await back.click()
    await expect(window.row("one")).to_contain_text("1 / 2")
    await expect(window.rows).to_have_text([re.compile("^one"), re.compile("^You said: one")])


async def test_message_is_answered_with_the_image_that_a_newer_page_takes(window: Window) -> None:
    picture = window.page.get_by_role("img", name="picture.png")
    if window.is_newer:
        await window.page.locator("input[type=file]").set_input_files(PICTURE)
        await expect(picture).to_be_visible()
    await window.say("what is this")
    image = " [image" if window.is_newer else ""
    await expect(window.rows.last).to_contain_text(f"You said: what is this{image}")
    await expect(window.send_button).to_be_visible()
    await window.page.reload()
    await expect(window.rows.last).to_contain_text("You said: what is this")
    await expect(picture).to_have_count(1 if window.is_newer else 0)
