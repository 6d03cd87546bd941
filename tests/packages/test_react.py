"""The packages as npm packs them: installed into an empty folder, and in the example's page in a browser."""

import contextlib
import json
import re
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page, Route, async_playwright, expect

from tests.api.live import serving
from tests.browser.proxy import Proxy
from tests.browser.visitor import PATIENCE_MS, launch
from tests.conventions import ROOT
from tests.packages.npm import NODE, PACKAGES, build_example, install, pack, run

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.requirement("REACT-HOOK")]

GUIDES = (ROOT / "docs/guides.md").read_text("utf-8")
GRAPH = "tests.packages.talking_graph:graph"
TSC = "node_modules/typescript/bin/tsc"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def page_folder(tmp_path_factory):
    """The example, installed and built once."""
    return await build_example(tmp_path_factory.mktemp("example"))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser():
    """A browser."""
    async with async_playwright() as playwright:
        browser = await launch(playwright)
        yield browser
        await browser.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def line(tmp_path_factory):
    """The line to a server, which tests can cut."""
    async with Proxy() as proxy:
        settings = {"graph": GRAPH, "messages_per_minute": 600}
        hosts = f"127.0.0.1:{proxy.port}"
        async with serving(tmp_path_factory.mktemp("data"), allowed_hosts=hosts, **settings) as server:
            proxy.target = server.port
            proxy.server = server
            yield proxy


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def steered(tmp_path_factory):
    """A server of a graph that can be steered."""
    graph = "tests.steered_graph:graph"
    async with serving(tmp_path_factory.mktemp("steered"), graph=graph, messages_per_minute=600) as server:
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def guides_page(page_folder, tmp_path_factory):
    """The page of the guide, built once, with what the example has installed."""
    folder = tmp_path_factory.mktemp("guide")
    (folder / "node_modules").symlink_to(page_folder / "node_modules")
    index, _, guide = GUIDES.partition("## React with useDetour")
    (folder / "index.html").write_text(re.search(r"```html\n(.*?)```", index, re.DOTALL)[1])
    (folder / "src").mkdir()
    page = re.search(r"```jsx\n(.*?)```", guide, re.DOTALL)[1]
    assert '"http://127.0.0.1:8000", userId: "ada"' in page
    # The page and the server have one origin here.
    (folder / "src/main.jsx").write_text(page.replace("http://127.0.0.1:8000", ""))
    await run(NODE, "node_modules/vite/bin/vite.js", "build", folder=folder)
    return folder


@pytest_asyncio.fixture(loop_scope="module")
async def visit(browser, page_folder, line):
    """Return a function that opens the page for a user."""
    async with contextlib.AsyncExitStack() as stack:

        async def open_page(user_id: str, folder: Path = page_folder, *, port: int | None = None) -> Page:
            context = await browser.new_context()
            stack.push_async_callback(context.close)
            context.set_default_timeout(PATIENCE_MS)

            async def answer_from_files(route: Route) -> None:
                path = re.sub(r"^https?://[^/]+/|\?.*$", "", route.request.url) or "index.html"
                await route.fulfill(path=folder / "dist" / path)

            # The page and its calls have one origin, as behind a proxy; the calls alone take the line.
            await context.route(re.compile(r"^http://[^/]+/(?!v1/)"), answer_from_files)
            page = await context.new_page()
            await page.goto(f"http://127.0.0.1:{port or line.port}/?user={user_id}")
            return page

        yield open_page
        line.open()
        line.cut()


class Refusal:
    """Refuses the first call of a route."""

    sentence = "Slow down."

    def __init__(self) -> None:
        self._is_due = True

    async def __call__(self, route: Route) -> None:
        if not self._is_due:
            await route.continue_()
            return
        self._is_due = False
        error = {"code": "rate_limited", "message": self.sentence}
        await route.fulfill(status=429, json={"error": error})


async def say(page: Page, text: str) -> None:
    await page.get_by_label("Message").fill(text)
    await page.get_by_role("button", name="Send", exact=True).click()


def messages(page: Page):
    return page.get_by_role("list", name="Conversation").get_by_role("listitem")


async def test_reply_streams_and_a_change_of_mind_shows_the_next(visit):
    page = await visit("ann")
    await say(page, "say one two three, hold")
    await expect(messages(page)).to_have_text(["say one two three, hold", "one two three"])
    await expect(messages(page).last).to_have_attribute("data-state", "streamed")
    await page.reload()
    await expect(messages(page)).to_have_text(["say one two three, hold", "one two three"])
    await say(page, "find 2")
    await expect(messages(page).last).to_have_text("Done: find 2")
    await expect(page.get_by_role("list", name="Agents")).to_contain_text("(2 found)")
    await expect(messages(page).filter(has_text="one two three")).to_have_count(2)
    await expect(page.locator(".system")).to_contain_text("Interrupted by a newer message")
    await expect(page.get_by_role("button", name="Stop")).to_be_disabled()


async def test_stop_ends_the_task_and_keeps_results(visit):
    page = await visit("bob")
    await say(page, "find 1, hold")
    await expect(page.get_by_role("list", name="Agents")).to_contain_text("(1 found)")
    await page.get_by_role("button", name="Stop").click()
    await expect(page.locator(".system")).to_contain_text("Stopped")
    await expect(page.get_by_role("list", name="Agents")).to_contain_text("(1 found)")


async def test_question_is_answered_in_a_form(visit):
    page = await visit("cleo")
    await say(page, "field Where to?")
    form = page.get_by_role("form", name="Where to?")
    await form.get_by_role("button", name="Answer").click()
    await expect(form.get_by_role("alert")).not_to_be_empty()
    await form.get_by_role("textbox").fill("Lisbon")
    await form.get_by_role("button", name="Answer").click()
    await expect(form).to_be_hidden()
    await expect(messages(page).last).to_have_text("Done: field Where to?")


@pytest.mark.parametrize(("button", "reply"), [("Allow", "tea is ordered"), ("Deny", "Not ordered: denied")])
async def test_permission_answered_in_one_window_is_gone_in_the_other(visit, button, reply):
    one, other = await visit(f"fay{button}"), await visit(f"fay{button}")
    await say(one, "order tea")
    for page in (one, other):
        await expect(page.get_by_role("group", name="Order tea?")).to_contain_text('"Thing": "tea"')
    await other.get_by_role("button", name=button).click()
    for page in (one, other):
        await expect(messages(page).last).to_have_text(reply)
        await expect(page.get_by_role("group", name="Order tea?")).to_have_count(0)


async def test_unsent_message_says_why_and_is_sent_again_by_a_click(visit):
    page = await visit("hal")
    await expect(page.get_by_role("status")).to_have_text("live")
    await page.context.route("**/v1/chat", refuse_once := Refusal())
    await say(page, "find 1")
    await expect(messages(page).last).to_have_attribute("data-state", "unsent")
    await page.get_by_role("button", name=f"Send again: {refuse_once.sentence}").click()
    await expect(messages(page)).to_have_text(["find 1", "Done: find 1"])


async def test_message_sent_without_a_connection_is_shown_at_once_and_accepted_once(visit, line):
    page = await visit("dan")
    await expect(page.get_by_role("status")).to_have_text("live")
    line.close()
    await expect(page.get_by_role("status")).to_have_text("reconnecting")
    await line.server.chat("dan", "said elsewhere")
    await say(page, "find 1")
    await expect(messages(page).last).to_have_attribute("data-state", "sending")
    line.open()
    await expect(messages(page).last).to_have_text("Done: find 1")
    await expect(page.get_by_role("status")).to_have_text("live")
    await expect(messages(page).filter(has_text=re.compile("^find 1$"))).to_have_count(1)
    await expect(messages(page).filter(has_text=re.compile("^said elsewhere$"))).to_have_count(1)


async def test_windows_of_one_user_show_the_same(visit):
    one, other = await visit("eve"), await visit("eve")
    await say(one, "find 1")
    for page in (one, other):
        await expect(messages(page)).to_have_text(["find 1", "Done: find 1"])


def pending(page: Page):
    return page.get_by_role("list", name="Pending").get_by_role("listitem")


async def steer(page: Page, text: str) -> None:
    await page.get_by_label("Message", exact=True).fill(text)
    await page.get_by_role("button", name="Steer").click()


async def go_on(page: Page) -> None:
    form = page.get_by_role("form", name="Go on?")
    await form.get_by_role("textbox").fill("on")
    await form.get_by_role("button", name="Answer").click()


@pytest.mark.requirement("CLIENTS-STEER")
async def test_pending_message_is_edited_in_one_window_and_taken_in_by_both(visit, steered):
    one, other = await visit("ann", port=steered.port), await visit("ann", port=steered.port)
    await say(one, "tools")
    await expect(one.get_by_role("form", name="Go on?")).to_be_visible()
    for text in ("card", "seat"):
        await steer(one, text)
    for page in (one, other):
        await expect(pending(page).locator("span")).to_have_text(["card", "seat"])
    await pending(other).first.get_by_role("button", name="Edit").click()
    await other.get_by_label("Edited message").fill("my card")
    await other.get_by_role("button", name="Save").click()
    await expect(pending(one).locator("span")).to_have_text(["my card", "seat"])
    await expect(messages(one).filter(has_text="card")).to_have_count(0)
    await pending(one).last.get_by_role("button", name="Withdraw").click()
    await expect(pending(other)).to_have_count(1)
    await go_on(other)
    for page in (one, other):
        await expect(messages(page).last).to_have_text("Read: tools | my card")
        await expect(messages(page).filter(has_text=re.compile("^my card$"))).to_have_count(1)
        await expect(page.get_by_role("list", name="Pending")).to_have_count(0)
    await expect(one.get_by_role("button", name="Steer")).to_have_count(0)


@pytest.mark.requirement("CLIENTS-STEER")
@pytest.mark.parametrize(("button", "reply"), [("Now", "Read: tools | card"), ("Later", "Read: card")])
async def test_pending_message_is_sent_now_or_left_for_the_end(visit, steered, button, reply):
    page = await visit(f"bob{button}", port=steered.port)
    await say(page, "tools")
    await expect(page.get_by_role("form", name="Go on?")).to_be_visible()
    await steer(page, "card")
    await pending(page).get_by_role("button", name=button).click()
    await expect(page.get_by_role("list", name="Pending")).to_have_count(0)
    if button == "Later":
        await go_on(page)
    await expect(messages(page).filter(has_text=reply)).to_have_count(1)


async def test_page_of_the_guide_streams_interrupts_asks_and_stops(visit, guides_page):
    page = await visit("ada", guides_page)
    await say(page, "say one two three, hold")
    await expect(page.locator("p")).to_have_text(
        ["live", "user: say one two three, hold", "assistant: one two three"]
    )
    await say(page, "find 2, field Where to?")
    await expect(page.get_by_text("Interrupted by a newer message")).to_be_visible()
    await expect(page.get_by_text("finder: 2 found")).to_be_visible()
    await page.get_by_label("Answer").fill("Lisbon")
    await page.get_by_role("button", name="Answer").click()
    await expect(page.get_by_text("assistant: Done: find 2, field Where to?")).to_be_visible()
    await say(page, "order tea")
    await page.get_by_role("button", name="Allow").click()
    await expect(page.get_by_text("assistant: tea is ordered")).to_be_visible()
    await say(page, "hold")
    await page.get_by_role("button", name="Stop").click()
    await expect(page.get_by_text("system: Stopped")).to_be_visible()


async def test_invalid_user_id_is_explained(visit):
    page = await visit("-")
    await expect(page.get_by_role("status")).to_contain_text("user_id")


async def test_page_of_an_allowed_origin_uses_the_client_with_a_token(browser, tmp_path):
    origin = "http://127.0.0.1:4173"

    async def answer_from_files(route: Route) -> None:
        if route.request.url == f"{origin}/":
            await route.fulfill(body="<!doctype html>", content_type="text/html")
        else:
            await route.fulfill(path=PACKAGES[0] / route.request.url.removeprefix(f"{origin}/"))

    async with serving(
        tmp_path, graph=GRAPH, token="a-long-random-token-22", allowed_origins=origin, shutdown_grace_s=1
    ) as server:
        # The browser takes a page that no server sent for one from outside, which may not call this machine.
        context = await browser.new_context(permissions=["local-network-access"])
        page = await context.new_page()
        await page.route(f"{origin}/**", answer_from_files)
        await page.goto(f"{origin}/")
        heard = await page.evaluate(
            """async (url) => {
                const { DetourClient } = await import("/src/index.js");
                const detour = new DetourClient({ url, userId: "gil", token: "a-long-random-token-22" });
                const frames = await Array.fromAsync(detour.stream("find 1"));
                await detour.forget();
                return frames.map((frame) => frame.type);
            }""",
            f"http://127.0.0.1:{server.port}",
        )
        await context.close()
    assert "partial_result" in heard


async def test_packed_client_works_in_an_empty_folder(tmp_path: Path, line) -> None:
    packed, _ = await pack(tmp_path)
    empty = tmp_path / "empty"
    empty.mkdir()
    await install([packed], empty)
    (empty / "chat.mjs").write_text(
        'import { DetourClient } from "@detour/client";\n'
        "const detour = new DetourClient({ url: process.argv[2], userId: 'finn' });\n"
        'for await (const frame of detour.stream("find 1")) console.log(frame.type);\n'
    )
    said = await run(NODE, "chat.mjs", f"http://127.0.0.1:{line.target}", folder=empty)
    assert "partial_result" in said.split()
    assert not (empty / "node_modules/@detour/client/node_modules").exists()


async def test_client_code_matches_its_declarations(page_folder: Path) -> None:
    await run(NODE, page_folder / TSC, "--project", ROOT / "packages/client/jsconfig.json", folder=ROOT)


async def test_unknown_field_fails_the_type_check(page_folder: Path, tmp_path: Path) -> None:
    wrong = page_folder / "src/wrong.ts"
    wrong.write_text(
        'import type { Frame } from "@detour/client";\n'
        'export const of = (frame: Frame) => (frame.type === "message" ? frame.speed : frame.type);\n'
    )
    try:
        with pytest.raises(AssertionError, match="speed"):
            await run(NODE, TSC, folder=page_folder)
    finally:
        wrong.unlink()


async def test_packages_share_a_version_and_the_client_has_no_dependencies() -> None:
    client, react = (json.loads((folder / "package.json").read_text("utf-8")) for folder in PACKAGES)
    assert client["version"] == react["version"]
    assert react["dependencies"] == {"@detour/client": f"^{client['version']}"}
    assert not client.keys() & {"dependencies", "peerDependencies", "scripts"}


async def test_tool_calls_are_lines_that_open_to_arguments_and_result(visit, tmp_path: Path):
    async with serving(tmp_path / "data", graph="tests.graphs.orders:graph") as orders:
        page = await visit("ann", port=orders.port)
        call = page.locator("details")
        await say(page, f"search {tmp_path}")
        await expect(call.locator("summary")).to_have_text("search orders preparing")
        await call.locator("summary").click()
        await expect(call).to_contain_text('"city": "London')
        (tmp_path / "asked").touch()
        await expect(call.locator("summary")).to_have_text("search orders running")
        await expect(call.locator("dl").first).to_contain_text("cityLondon")
        (tmp_path / "found").touch()
        await expect(call.locator("summary")).to_have_text("search orders done")
        await expect(call).to_contain_text("order_idA-2")
        await expect(call.get_by_role("button", name="Show all")).to_have_count(1)
        await page.reload()
        await expect(call.locator("summary")).to_have_text("search orders done")
        await say(page, "quote_markup it")
        await expect(page.locator(".calls")).to_have_count(2)
        await page.locator("summary").last.click()
        await expect(page.locator("details").last).to_contain_text("<script>window.hit=1</script>")
        assert await page.evaluate("window.hit") is None
