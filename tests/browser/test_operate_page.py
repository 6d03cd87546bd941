"""The operator's page: watches what runs, opens a task and stops it, drains the server; without words."""

import re

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.api.live import BOUND_S
from tests.browser.looking import overlapping, too_small, too_wide, violations
from tests.browser.visitor import DESKTOP, PHONE, watched

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.requirement("OPERATORS-SEE-TASKS-WITHOUT-WORDS"),
]

WISH = "Find flights from Lisbon to Oslo on 12 March 2027 for 2 adults and a hotel in Oslo for 3 nights"
LAST = "independent hotels"


@pytest_asyncio.fixture(loop_scope="module")
async def operator(browser, staged):
    """Return a function that opens the operator's page; what a page complains of fails the test."""
    contexts, complaints = [], []

    async def look(viewport=DESKTOP, path="/operate", **options) -> Page:
        context = await browser.new_context(viewport=viewport, **options)
        context.set_default_timeout(BOUND_S * 1000)
        contexts.append(context)
        page = await watched(context, complaints)
        await page.goto(f"http://127.0.0.1:{staged.port}{path}")
        return page

    yield look
    for context in contexts:
        await context.close()
    # The browser itself tells of an answer that is a refusal.
    assert not [each for each in complaints if "status of 404" not in each]


def line(page, user_id):
    """The line of a user's task that runs."""
    return page.get_by_role("button", name=re.compile(f"^{user_id} "))


async def searching(staged, stage, user_id):
    """Have a user's search wait for its last source; return the task's id."""
    stage.hold(LAST)
    return (await staged.chat(user_id, WISH))["task_id"]


async def sure(page, yes):
    await page.get_by_role("dialog").get_by_role("button", name=yes).click()


async def test_operator_opens_and_stops_a_task_and_sees_its_receipt(operator, staged, stage):
    page = await operator()
    await expect(page.get_by_text("Nothing is running here.")).to_be_visible()
    await searching(staged, stage, "opa")
    await expect(line(page, "opa")).to_contain_text("working")
    await expect(line(page, "opa")).to_contain_text("search_hotels")
    await line(page, "opa").focus()
    await page.keyboard.press("Enter")
    task = page.get_by_role("region", name="The open task")
    await expect(task.get_by_role("heading", name="Task of opa")).to_be_focused()
    await expect(task.locator(".parts li")).to_have_count(4)
    await expect(task.locator(".parts")).to_contain_text("search_hotels")
    await task.get_by_role("button", name="Stop").click()
    await sure(page, "Cancel")
    assert (await staged.status("opa"))["status"] == "running"
    await task.get_by_role("button", name="Stop").click()
    await sure(page, "Stop the task")
    await expect(task.locator("dl").first).to_contain_text("interrupted: stopped")
    await expect(task.get_by_role("button", name="Stop")).to_have_count(0)
    await expect(task.get_by_role("heading", name="Task of opa")).to_be_focused()
    await expect(line(page, "opa")).to_have_count(0)
    await task.get_by_text("Receipt", exact=True).click()
    await expect(task.locator(".receipt .calls")).to_contain_text("search_hotels")
    await expect(task.locator(".receipt .calls")).to_contain_text("cancelled")
    await task.get_by_text("Events (").click()
    await expect(task.locator(".events li").first).to_be_visible()
    said = await page.locator("body").inner_text()
    assert not [word for word in ("Lisbon", "LIS", "Oslo", "EUR") if word in said]


async def test_address_keeps_the_open_task(operator, staged, stage):
    page = await operator()
    task_id = await searching(staged, stage, "opb")
    await line(page, "opb").click()
    await expect(page).to_have_url(re.compile(f"#user_id=opb&task_id={task_id}"))
    await page.reload()
    await expect(page.get_by_role("heading", name="Task of opb")).to_be_visible()
    await page.get_by_role("button", name="Close").click()
    await expect(line(page, "opb")).to_be_focused()
    await page.go_back()
    await expect(page.get_by_role("heading", name="Task of opb")).to_be_visible()
    await staged.stop("opb")


async def test_unknown_task_is_reported(operator):
    page = await operator(path="/operate#user_id=opc&task_id=none")
    await expect(page.get_by_text("There is no task 'none'.")).to_be_visible()


@pytest.mark.requirement("DRAINING-ENDS-NO-TASK")
async def test_operator_drains_the_server_and_serves_again(operator, staged, stage):
    page = await operator()
    await searching(staged, stage, "opd")
    await expect(line(page, "opd")).to_be_visible()
    await page.get_by_role("button", name="Drain").click()
    await sure(page, "Drain")
    state = page.locator("serving-state")
    await expect(state).to_contain_text("No new work is accepted; running tasks finish.")
    assert (await staged.call("GET", "/ready")).status_code == 503
    await expect(line(page, "opd")).to_contain_text("working")
    stage.free()
    await expect(state).to_contain_text("Nothing is running any more: it can be shut down.")
    await page.get_by_role("button", name="Serve again").click()
    await expect(state).to_contain_text("Accepting new work.")
    assert (await staged.call("GET", "/ready")).status_code == 200


async def test_hidden_page_sends_no_requests(operator):
    page = await operator()
    await expect(page.get_by_text("Nothing is running here.")).to_be_visible()
    hide = """(hidden) => {
      Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }"""
    await page.clock.install()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    await page.evaluate(hide, True)
    await page.clock.run_for(60_000)
    assert asked == []
    async with page.expect_request(re.compile("/operate/tasks$")):
        await page.evaluate(hide, False)


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
async def test_operate_page_is_accessible_and_fits_a_phone(operator, staged, stage, size):
    user_id = f"somebody-with-a-rather-long-name-{size['width']}@example.org"
    task_id = await searching(staged, stage, user_id)
    for opened, shown in (("", "task-line"), (f"#user_id={user_id}&task_id={task_id}", ".parts li")):
        page = await operator(size, f"/operate{opened}")
        await expect(page.locator(shown).first).to_be_visible()
        for scheme in ("light", "dark"):
            assert await violations(page, scheme) == []
        assert await too_small(page) == []
        assert await too_wide(page) == []
        assert await overlapping(page, "main") == []
    await staged.stop(user_id)
