"""What another graph finds and asks may be anything: the page shows it as text, and goes on."""

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.api.live import serving
from tests.graphs.odd import HALF_OFFERS, MARKUP

pytestmark = pytest.mark.asyncio(loop_scope="module")

FAILING = """async () => {
  const { Component } = await import("/static/lib/component.js");
  customElements.define("x-failing", class extends Component { update() { throw new Error("odd data"); } });
  const reported = [];
  addEventListener("error", (event) => { event.preventDefault(); reported.push(event.message); });
  const node = document.createElement("x-failing");
  document.body.append(node);
  node.data = {};
  return reported;
}"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def odd(tmp_path_factory):
    """A server of an agent whose offers are no offers; it ends when its visitors have left."""
    async with serving(tmp_path_factory.mktemp("odd"), graph="tests.graphs.odd:graph") as server:
        yield server


async def test_malformed_offers_and_markup_are_shown_as_text(visitor, odd):
    ada = await visitor(odd)
    await ada.say("Find something")
    found = ada.page.locator("found-items")
    await found.get_by_role("button", name=f"Show all {len(HALF_OFFERS)}").click()
    await expect(found.get_by_role("article")).to_have_count(len(HALF_OFFERS))
    form = ada.page.get_by_role("form", name="Question")
    await expect(form).to_contain_text(MARKUP)
    await form.get_by_role("textbox").first.fill("told")
    await form.get_by_role("button", name="Answer").click()
    await expect(ada.replies("told")).to_contain_text(MARKUP)
    assert await ada.page.locator('img[src="x"]').count() == 0


async def test_component_error_is_reported_and_contained(visitor, staged):
    ada = await visitor(staged)
    assert await ada.page.evaluate(FAILING) == ["Uncaught Error: odd data"]
