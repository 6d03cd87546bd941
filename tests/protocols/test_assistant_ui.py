"""A page of assistant-ui over LangChain's `useStream`, without a line of ours in it but the example's own."""

import contextlib
import re

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.e2e.server_process import ServerProcess
from tests.protocols.conftest import TALKING
from tests.protocols.page_of_another_origin import Window, build, served

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def origin(tmp_path_factory, _line):
    """The origin of the page, which is built once for the server that the line leads to."""
    files = await build(tmp_path_factory.mktemp("example"), server=f"http://127.0.0.1:{_line.port}")
    with served(files) as origin:
        yield origin


@pytest_asyncio.fixture(loop_scope="module")
async def visit(browser, origin, proxy, tmp_path):
    """Return a function that starts a server process with these settings, and opens the page."""
    async with contextlib.AsyncExitStack() as stack:

        async def start(**settings) -> tuple[Window, ServerProcess]:
            hosts = f"127.0.0.1:{proxy.port}"
            server = ServerProcess(tmp_path, allowed_hosts=hosts, allowed_origins=origin, **settings)
            stack.push_async_callback(server.close)
            await server.start()
            proxy.target = server.port
            window = await Window.open(browser, origin)
            stack.push_async_callback(window.close)
            return window, server

        yield start


async def runs_of(server: ServerProcess, thread_id: str) -> list[str]:
    """Return the status of each run of a thread, the oldest first."""
    answer = await server.http.get(f"/threads/{thread_id}/runs")
    return [run["status"] for run in reversed(answer.json())]


async def test_person_changes_their_mind_stops_reloads_and_answers(visit):
    window, server = await visit(graph=TALKING)
    await window.say("hello")
    await expect(window.replies).to_have_text(["You said: hello"])
    await expect(window.stop_button).to_be_disabled()

    await window.say("slow and long")
    await expect(window.replies.last).to_contain_text("word3")
    await window.page.reload()
    await expect(window.replies.last).to_contain_text("word9")
    await expect(window.stop_button).to_be_enabled()
    await expect(window.own).to_have_text(["hello", "slow and long"])

    await window.say("another idea")
    await expect(window.replies.last).to_have_text("You said: another idea")
    await expect(window.markers).to_have_count(1)
    assert await runs_of(server, window.thread_id) == ["success", "interrupted", "success"]

    await window.say("slow once more")
    await expect(window.replies.last).to_contain_text("word3")
    await window.stop_button.click()
    await expect(window.markers).to_have_count(2)
    await expect(window.stop_button).to_be_disabled()
    assert (await runs_of(server, window.thread_id))[-1] == "interrupted"

    await window.say("ask me")
    answer = window.page.get_by_role("form", name=re.compile("Which place")).get_by_role("textbox")
    await expect(answer).to_be_visible()
    await window.page.reload()
    await answer.fill("Rome")
    await window.page.get_by_role("button", name="Answer").click()
    await expect(window.replies.last).to_have_text("Then we go to Rome.")
    await expect(answer).to_have_count(0)
    said = ["hello", "slow and long", "another idea", "slow once more", "ask me", "Rome"]
    await expect(window.own).to_have_text(said)
    await expect(window.alerts).to_have_count(0)


async def test_travel_assistant_shows_what_it_finds_and_takes_a_form(visit):
    window, server = await visit(demo_pace=1)
    await window.say("Find flights")
    form = window.page.get_by_role("form", name=re.compile("where to go"))
    for field, value in {"From": "Berlin", "To": "Rome", "Leaving on": "2026-12-05"}.items():
        await form.get_by_label(field).fill(value)
    await form.get_by_role("button", name="Answer").click()
    found = window.page.get_by_role("list", name="Found")
    await expect(found).to_contain_text(re.compile(r"flight: \d+ found"))
    await expect(window.stop_button).to_be_enabled()  # it is shown while the search is active
    await window.say("Make it Porto")
    await expect(window.replies.last).to_contain_text(
        re.compile(r"^I found \d+ flights from Berlin to Porto")
    )
    await expect(window.markers).to_contain_text("Interrupted by a newer message")
    await expect(window.stop_button).to_be_disabled()
    await expect(window.alerts).to_have_count(0)
    statuses = await runs_of(server, window.thread_id)
    assert statuses == ["success", "interrupted", "success"]


async def test_tool_calls_are_lines_with_arguments_result_and_outcome(visit, tmp_path):
    window, _ = await visit(graph="tests.graphs.orders:graph")
    call = window.page.locator("details")
    await window.say(f"search {tmp_path}")
    await expect(call.locator("summary")).to_have_text("search orders running")
    await call.locator("summary").click()
    await expect(call).to_contain_text("cityLondon")
    for name in ("asked", "found"):
        (tmp_path / name).touch()
    await expect(call.locator("summary")).to_have_text("search orders done")
    await expect(call).to_contain_text("order_idA-2")
    await expect(window.replies.last).to_have_text("That is all.")
    (tmp_path / "found").unlink()
    await window.say(f"search {tmp_path}")
    cut = call.last
    await expect(cut.locator("summary")).to_have_text("search orders running")
    await window.say("hello")
    await expect(window.replies.last).to_have_text("You said: hello")
    await window.page.reload()
    await expect(call.locator("summary")).to_have_text(["search orders done", "search orders not completed"])
    await cut.locator("summary").click()
    await expect(cut).to_contain_text("cut short while it ran")
    await expect(window.alerts).to_have_count(0)
