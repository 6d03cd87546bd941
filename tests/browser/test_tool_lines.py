"""Lines of tool calls on the page of any graph: as a model asks for them, as they run, and after a reload."""

import re
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.api.live import serving
from tests.browser.looking import overlapping, too_small, too_wide, violations
from tests.browser.visitor import PHONE, Visitor
from tests.graphs.orders import MARKUP, NOTE, ROWS

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.requirement("GRAPH-PAGE-SHOWS-TOOL-CALLS"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def orders(tmp_path_factory):
    """A server of an agent with tools of many kinds."""
    graph = "tests.graphs.orders:graph"
    async with serving(tmp_path_factory.mktemp("orders"), graph=graph, messages_per_minute=600) as server:
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def calling(tmp_path_factory):
    """A server of an agent that asks before it buys."""
    graph = "tests.protocols.calling_graph:graph"
    async with serving(tmp_path_factory.mktemp("calling"), graph=graph, messages_per_minute=600) as server:
        yield server


def line(ann: Visitor, name: str):
    return ann.log.locator("step-line").filter(has=ann.page.get_by_text(name, exact=True))


def part(ann: Visitor, name: str, title: str):
    return line(ann, name).get_by_role("group", name=title)


async def shown(ann: Visitor, name: str) -> dict[str, str]:
    """Return the names and values of a call's arguments, as they are read."""
    rows = part(ann, name, "Arguments").locator("dl > div:not(.nested)")
    pairs = await rows.evaluate_all(
        "all => all.map((row) => [...row.children].map((each) => each.innerText))"
    )
    return dict(pairs)


async def opened(ann: Visitor, text: str, name: str) -> None:
    await ann.say(text)
    await expect(ann.log.get_by_text("That is all.").last).to_be_visible()
    await ann.is_at_rest()  # the end of a run moves what stands above its reply
    await line(ann, name).locator("summary").click()


async def test_arguments_appear_as_they_are_streamed_in_the_line_that_then_runs(
    visitor, orders, tmp_path: Path
):
    ann = await visitor(orders)
    await ann.say(f"search {tmp_path}")
    search = line(ann, "Search orders")
    await expect(search).to_contain_text("preparing")
    summary = search.locator("summary")
    await summary.focus()
    await ann.page.keyboard.press("Enter")
    await expect(part(ann, "Search orders", "Arguments")).to_contain_text("London")
    assert await shown(ann, "Search orders") == {"Name": "Ada", "City": "London"}
    unheard = search.locator("[aria-live=off]")
    assert [await each.get_attribute("class") for each in await unheard.all()] == [
        "summary about",
        "length",
        "body",
    ]
    await summary.evaluate("node => { node.wasHereBefore = true }")
    (tmp_path / "asked").touch()
    await expect(search).to_contain_text("running")
    await expect(part(ann, "Search orders", "Arguments").get_by_role("listitem")).to_have_text(
        ["open", "late"]
    )
    await expect(part(ann, "Search orders", "Result")).to_be_hidden()
    (tmp_path / "found").touch()
    await expect(search).to_contain_text("done")
    result = part(ann, "Search orders", "Result")
    await expect(result.locator(":scope > value-view > dl > div")).to_have_text(
        [re.compile("^Orders"), "Next pagenone", re.compile("^States")]
    )
    await expect(result).to_contain_text("Order idA-2")
    await expect(result).not_to_contain_text(re.compile(r'[{}"]'))
    await ann.is_at_rest()
    assert await summary.evaluate("node => node.wasHereBefore && node === document.activeElement")
    await expect(search).to_have_count(1)


async def test_long_text_is_cut_until_all_of_it_is_asked_for(visitor, orders):
    ann = await visitor(orders)
    await opened(ann, "read_terms sale", "Read terms")
    result = part(ann, "Read terms", "Result")
    await expect(result).to_contain_text("Terms of sale:\nin two parcels")
    assert len(await result.inner_text()) < 400
    more = result.get_by_role("button", name="Show all of Result")
    await more.click()
    await expect(result.get_by_role("paragraph").first).to_have_text(f"Terms of sale:\n{NOTE}")
    await expect(result.get_by_role("button", name="Show less of Result")).to_be_focused()


async def test_huge_result_is_shown_a_part_at_a_time(visitor, orders):
    ann = await visitor(orders)
    await opened(ann, "list_rows all", "List rows")
    result = part(ann, "List rows", "Result")
    rows = result.locator(":scope > value-view > ul > li")
    await expect(rows).to_have_count(20)
    await expect(rows.first).to_contain_text("Row0")
    assert await result.locator("*").count() < 600
    await rows.first.get_by_role("button", name="Show 1 field of Words").click()
    await expect(rows.first).to_contain_text("two")
    await result.get_by_role("button", name=f"Show 100 more of {ROWS - 20:,}").click()
    await expect(rows).to_have_count(120)
    await expect(rows.first).to_contain_text("two")


async def test_markup_of_tools_is_text(visitor, orders):
    ann = await visitor(orders)
    await opened(ann, f"quote_markup {MARKUP[:400]}", "Quote markup")
    await part(ann, "Quote markup", "Result").get_by_role("button", name="Show all").click()
    await expect(part(ann, "Quote markup", "Result").get_by_role("paragraph")).to_have_text(MARKUP)
    assert await line(ann, "Quote markup").locator("img, script, svg:not(.icon), iframe, a").count() == 0
    assert await ann.page.evaluate("window.hit") is None


@pytest.mark.parametrize("window", ["same", "another"])
async def test_reload_shows_the_same_lines(visitor, orders, tmp_path: Path, window):
    ann = await visitor(orders)
    await ann.say(f"search {tmp_path}")
    (tmp_path / "asked").touch()
    await expect(line(ann, "Search orders")).to_contain_text("running")
    await ann.say("refuse Ada")
    await expect(line(ann, "Refuse")).to_contain_text("failed no such account")
    await expect(ann.log.get_by_text("That is all.").last).to_be_visible()
    await ann.is_at_rest()
    told = await ann.log.locator("step-line summary").all_text_contents()
    if window == "same":
        await ann.page.reload()
    else:
        ann = await ann.another_tab()
    await expect(line(ann, "Search orders")).to_contain_text("cancelled")
    await expect(ann.log.locator("step-line summary")).to_have_text(told)
    await line(ann, "Search orders").locator("summary").click()
    await expect(part(ann, "Search orders", "Arguments")).to_contain_text("London")
    await expect(part(ann, "Search orders", "Result")).to_be_hidden()


async def test_call_cut_while_it_was_asked_for_was_not_started(visitor, orders, tmp_path: Path):
    ann = await visitor(orders)
    await ann.say(f"search {tmp_path}")
    await expect(line(ann, "Search orders")).to_contain_text("preparing")
    await ann.say("hello")
    await expect(line(ann, "Search orders")).to_contain_text("not started")
    await ann.page.reload()
    await expect(line(ann, "Search orders")).to_contain_text("not started")


@pytest.mark.parametrize(
    ("decision", "outcome"), [("allow", "done bought a map"), ("deny", "not done User rejected")]
)
async def test_call_that_waits_for_its_user_says_so_and_then_what_came_of_it(
    visitor, calling, decision, outcome
):
    ann = await visitor(calling)
    await ann.say("buy a map")
    await expect(line(ann, "Buy")).to_contain_text("waiting a map")
    form = ann.page.get_by_role("form", name="Question")
    await form.get_by_text(decision, exact=True).click()
    await form.get_by_role("button", name="Answer").click()
    await expect(line(ann, "Buy")).to_contain_text(outcome)
    await expect(line(ann, "Buy")).to_have_count(1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_open_lines_are_accessible(visitor, orders, scheme):
    ann = await visitor(orders)
    await opened(ann, "list_rows all", "List rows")
    await expect(part(ann, "List rows", "Result")).to_be_visible()
    assert await violations(ann.page, scheme) == []
    assert await too_small(ann.page) == []


@pytest.mark.parametrize("size", ["100%", "200%"])
async def test_open_lines_fit_a_phone(visitor, orders, tmp_path: Path, size):
    for name in ("asked", "found"):
        (tmp_path / name).touch()
    ann = await visitor(orders, viewport=PHONE, has_touch=True)
    await opened(ann, f"search {tmp_path}", "Search orders")
    await ann.is_at_rest()
    await ann.page.evaluate("size => { document.documentElement.style.fontSize = size }", size)
    assert await too_wide(ann.page) == []
    pairs = [pair.split(" | ") for pair in await overlapping(ann.page, "value-view")]
    assert [pair for pair in pairs if len(set(pair)) > 1] == []
