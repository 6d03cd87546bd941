"""The page of the HTTP API: its calls in groups, each to be tried but the WebSocket."""

import pytest
from playwright.async_api import expect

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.requirement("DOCUMENTED-WITH-EXAMPLES")]


async def test_calls_are_grouped_and_can_be_tried(browser, staged):
    page = await browser.new_page()
    await page.goto(f"http://127.0.0.1:{staged.port}/docs#get/v1/health")
    groups = page.get_by_role("heading", level=2)
    own = ["Conversation", "Reading", "Events", "Operating", "Travel"]
    await expect(groups).to_have_text([*own, "LangGraph API", "AI SDK", "AG-UI", "CopilotKit"])
    health = page.locator("details.operation[open]")
    await health.get_by_role("button", name="Send").click()
    await expect(health.locator("form pre")).to_contain_text("200 OK")
    socket = page.locator("details", has_text="/v1/ws/{user_id}")
    await socket.locator("summary").click()
    await expect(socket.locator(".description")).to_contain_text("over a WebSocket")
    await expect(socket.get_by_role("button", name="Send")).to_have_count(0)
    await page.close()


async def test_calls_have_titles_and_formatted_code(browser, staged):
    page = await browser.new_page()
    await page.goto(f"http://127.0.0.1:{staged.port}/docs#post/v1/answer/{{user_id}}")
    answer = page.locator("details.operation[open]")
    await expect(answer.locator("summary")).to_contain_text("Answer a question, or decide on a permission")
    await expect(answer.locator(".description code").first).to_have_text("answered")
    shown = await page.locator("main :is(h3, label, .description, .quiet)").all_text_contents()
    assert not [text for text in shown if "`" in text]
    run = page.locator("details", has_text="Begin a run, and stream it").first
    await run.locator("summary").click()
    await expect(run.get_by_label("thread_id")).to_have_value("ada")
    await expect(run.get_by_role("button", name="Send")).to_have_count(1)
    await page.close()
