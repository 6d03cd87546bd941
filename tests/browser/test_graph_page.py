"""The page of any graph: Markdown as it is written, steps, what was found, and nothing of travel."""

import re

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.api.live import serving
from tests.browser.looking import overlapping, too_small, too_wide, violations
from tests.browser.visitor import PHONE
from tests.payloads import PAYLOADS

pytestmark = pytest.mark.asyncio(loop_scope="module")

EXAMPLES = ["Look it up", "Say *hello*"]
TRAVEL = re.compile(
    r"\b(trips?|travel\w*|flights?|hotels?|airports?|airlines?|itinerar\w+|passengers?|nights?|book\w*|"
    r"demo|prices?|fares?|where to|board)\b",
    re.I,
)
SEEN = """() => {
  const names = ["aria-label", "placeholder", "title", "alt", "value"];
  const said = (node) => names.map((name) => node.getAttribute(name));
  const nodes = [...document.body.querySelectorAll("*")].filter((node) => !node.closest(".entries"));
  const texts = nodes.flatMap((node) => [...node.childNodes])
    .filter(({ nodeType }) => nodeType === Node.TEXT_NODE)
    .map(({ data }) => data.trim());
  return [document.title, location.search, ...texts, ...nodes.flatMap(said)].filter(Boolean);
}"""
RENDER = """async ([payloads, ends]) => {
  const refused = [];
  document.addEventListener("securitypolicyviolation", (event) => refused.push(event.violatedDirective));
  const log = document.querySelector("graph-conversation");
  const shown = (node, text) => new Promise((resolve) => {
    const look = () => (node.className === "rendered" || node.className === "failed") && node.text === text
      ? resolve(node.className) : setTimeout(look, 5);
    look();
  });
  const states = await Promise.all(payloads.map(async (text) => {
    const node = document.createElement("markdown-text");
    log.append(node);
    for (const end of ends) {
      node.className = "";
      node.data = { text: text.slice(0, Math.ceil(text.length * end)), streaming: end < 1 };
      node.text = node.data.text;
      var state = await shown(node, node.text);
    }
    return state;
  }));
  const links = [...log.querySelectorAll("markdown-text a")];
  const isOdd = ({ href }) => href && !/^(https?|mailto):/.test(href);
  const odd = links.filter(isOdd).map((link) => link.outerHTML);
  for (const node of log.querySelectorAll("markdown-text *")) {
    for (const kind of ["click", "mouseover", "toggle", "error", "load"]) node.dispatchEvent(new Event(kind));
  }
  const tags = new Set([...log.querySelectorAll("markdown-text .blocks *")].map((node) => node.localName));
  return { hit: window.hit, states: [...new Set(states)], odd, refused, tags: [...tags] };
}"""
LONG = (
    "Say First words stay **here** with [a link](https://docs.example/long/address).\n\n"
    "Then `code` and more:\n\n```python\nfirst = 1\nsecond = 2\n```\n\n"
    "| name | count |\n|:-----|------:|\n| one | 1 |\n| two | 2 |\n\nThe **end** of it"
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def talker(tmp_path_factory):
    """A server of an agent that answers in Markdown, with a name of its own."""
    settings = {"graph": "tests.graphs.markdown_agent:graph", "title": "Sorter", "examples": EXAMPLES}
    async with serving(tmp_path_factory.mktemp("talker"), messages_per_minute=600, **settings) as server:
        yield server


def steps(ann):
    return ann.log.get_by_role("list", name="Steps")


def step(ann, name: str):
    return steps(ann).get_by_role("listitem").filter(has=ann.page.get_by_text(name, exact=True))


def reply(ann, text: str | re.Pattern[str] = ""):
    return ann.log.get_by_role("article", name="Sorter").filter(has_text=text)


async def test_edited_message_begins_from_the_step_before_it(visitor, talker):
    ann = await visitor(talker)
    for said in ("one", "two", "three"):
        await ann.say(f"Say {said}")
        await expect(reply(ann, said)).to_have_count(1)
        await ann.is_at_rest()
    second = ann.said("Say two")
    await second.hover()
    await second.get_by_role("button", name="Edit and send again").click()
    box = second.get_by_role("textbox", name="Edit the message")
    await box.fill("Say four")
    await box.press("Enter")
    await expect(reply(ann, "four")).to_have_count(1)
    await ann.is_at_rest()
    state = (await talker.call("GET", f"/threads/{ann.user_id}/state")).json()
    said = [each["content"] for each in state["values"]["messages"] if each["type"] == "human"]
    assert said == ["Say one", "Say four"]


@pytest.mark.requirement("GRAPH-PAGE-SHOWS-MARKDOWN")
async def test_reply_is_markdown_below_its_steps_and_findings(visitor, talker):
    ann = await visitor(talker)
    await ann.say("Look it up")
    answer = reply(ann, "Use sorted")
    await expect(answer.get_by_role("heading", name="Sorting", level=2)).to_be_visible()
    await expect(answer.get_by_role("columnheader", name="cost")).to_be_visible()
    await expect(answer.get_by_role("listitem")).to_have_text("☑ stable")
    link = answer.get_by_role("link", name="new list")
    await expect(link).to_have_attribute("rel", "noopener noreferrer")
    await expect(link).to_have_attribute("target", "_blank")
    await expect(step(ann, "Look up")).to_contain_text("done")
    await expect(step(ann, "Count")).to_contain_text("failed")
    await expect(step(ann, "Count")).to_contain_text("no numbers today")
    await expect(steps(ann).get_by_text("Let me look first.")).to_be_visible()
    found = ann.page.locator("found-items")
    await expect(found.get_by_role("link", name="Page 1")).to_have_attribute("href", "https://docs.example/1")
    await expect(found.get_by_role("link")).to_have_count(2)  # one address was no address
    await expect(found.get_by_role("cell", name="part 3")).to_be_visible()
    await ann.is_at_rest()
    order = await ann.page.locator(".entries > *").evaluate_all("all => all.map((each) => each.localName)")
    assert order == ["chat-message", "step-list", "found-items", "chat-message"]


@pytest.mark.requirement("GRAPH-PAGE-SHOWS-MARKDOWN")
async def test_step_opens_to_its_arguments_and_result_in_any_window(visitor, talker):
    ann = await visitor(talker)
    await ann.say("Look it up")
    await expect(reply(ann, "stable")).to_be_visible()
    for window in (ann, await ann.another_tab()):
        await step(window, "Look up").get_by_text("Look up").click()
        await expect(step(window, "Look up").get_by_role("group", name="Arguments")).to_contain_text(
            "Topicit"
        )
        result = step(window, "Look up").get_by_role("group", name="Result")
        await expect(result.get_by_role("paragraph")).to_have_text("three pages about it")


@pytest.mark.requirement("GRAPH-PAGE-SHOWS-MARKDOWN")
async def test_selection_survives_streaming(visitor, talker):
    ann = await visitor(talker)
    await ann.say(LONG)
    first = reply(ann).get_by_role("paragraph").first
    await expect(first).to_contain_text("First words stay here with")
    await first.evaluate("node => getSelection().selectAllChildren(node.querySelector('strong'))")
    await expect(reply(ann).get_by_role("cell", name="two")).to_be_visible()
    await expect(reply(ann).get_by_text("The end of it")).to_be_visible()
    await ann.is_at_rest()
    assert await ann.page.evaluate("getSelection().toString()") == "here"
    await expect(reply(ann).locator("figure code")).to_have_text("first = 1\nsecond = 2\n")


async def test_copy_button_copies_code(visitor, talker):
    ann = await visitor(talker, permissions=["clipboard-read", "clipboard-write"])
    await ann.say("Say ```py\nx = 1\n```")
    # The line's end comes last, and `to_have_text` passes over it.
    await expect(reply(ann).locator("figure code")).to_have_js_property("textContent", "x = 1\n")
    await ann.stop_the_clock()
    copy = reply(ann).get_by_role("button", name="Copy the py")
    await copy.click()
    await expect(copy).to_have_text("Copied")
    assert await ann.page.evaluate("navigator.clipboard.readText()") == "x = 1\n"


@pytest.mark.requirement("GRAPH-PAGE-SHOWS-MARKDOWN")
async def test_interruption_stands_among_the_steps_with_its_outcomes(visitor, talker):
    ann = await visitor(talker)
    await ann.say("Slow")
    await expect(step(ann, "Look up")).to_contain_text("running")
    await ann.say("Say instead")
    await expect(step(ann, "Look up")).to_contain_text("cancelled")
    fold = ann.page.locator("task-fold")
    await expect(fold).to_contain_text("“Look up” was cut short and may have had an effect")
    await expect(reply(ann, "instead")).to_be_visible()
    await ann.is_at_rest()
    order = await ann.page.locator(".entries > *").evaluate_all("all => all.map((each) => each.localName)")
    assert order == ["chat-message", "step-list", "task-fold", "chat-message", "chat-message"]


async def test_middleware_question_is_answered(visitor, talker):
    ann = await visitor(talker)
    await ann.say("Publish it")
    form = ann.page.get_by_role("form", name="Question")
    await expect(form).to_contain_text("publish")
    await form.get_by_text("allow", exact=True).click()
    await form.get_by_role("button", name="Answer").click()
    await expect(step(ann, "Publish")).to_contain_text("Sorting is published")
    await expect(reply(ann, "Use sorted")).to_be_visible()


@pytest.mark.requirement("GRAPH-PAGE-IS-SAFE")
async def test_model_markup_never_runs_or_loads_anything(visitor, talker):
    ann = await visitor(talker)
    await ann.is_connected()
    asked: list[str] = []
    ann.page.on("request", lambda request: asked.append(request.url))
    found = await ann.page.evaluate(RENDER, [PAYLOADS, [0.4, 0.8, 1]])
    assert found["hit"] is None
    assert (found["odd"], found["refused"], found["states"]) == ([], [], ["rendered"])
    assert not {"script", "style", "img", "svg", "iframe", "form", "input"} & set(found["tags"])
    assert all(url.endswith("/page/markdown") for url in asked), asked


@pytest.mark.requirement("GRAPH-PAGE-IS-SAFE")
async def test_markup_in_a_conversation_is_text(visitor, talker):
    ann = await visitor(talker)
    markup = '<img src="x" onerror="window.hit=1">'
    await ann.say(f"Say {markup} <b>bold</b> [go](javascript:window.hit=1) the end")
    await expect(reply(ann, "the end").locator("b")).to_have_text("bold")
    await expect(ann.said(markup)).to_be_visible()
    assert await ann.page.locator("graph-conversation img").count() == 0
    assert await ann.page.evaluate("window.hit") is None


async def test_graph_page_has_no_word_of_travel(visitor, talker):
    ann = await visitor(talker)
    await ann.is_connected()
    await ann.page.goto(f"http://127.0.0.1:{talker.port}/?chat={ann.user_id}")
    await expect(ann.page).to_have_title("Sorter")
    await expect(ann.page.get_by_role("heading", level=1)).to_have_text("Sorter")
    seen = await ann.page.evaluate(SEEN)
    await ann.page.get_by_role("button", name="Say *hello*").click()
    await expect(reply(ann, "hello").locator("em")).to_have_text("hello")
    await ann.page.get_by_role("button", name="Conversation: ").click()
    seen += await ann.page.evaluate(SEEN)
    await ann.page.get_by_role("button", name=re.compile("^Delete ")).click()
    seen += await ann.page.evaluate(SEEN)
    assert [text for text in seen if TRAVEL.search(text)] == []
    assert len(seen) > 60


@pytest.mark.requirement("EVERYBODY-CAN-USE-THE-PAGE")
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_graph_page_is_accessible(visitor, talker, scheme):
    ann = await visitor(talker)
    await expect(ann.page.get_by_role("button", name="Look it up")).to_be_visible()
    assert await violations(ann.page, scheme) == []
    await ann.say("Look it up")
    await expect(reply(ann, "stable")).to_be_visible()
    await ann.is_at_rest()
    await step(ann, "Look up").get_by_text("Look up").click()
    await expect(ann.page.get_by_role("group", name="Arguments")).to_be_visible()
    await ann.say("Publish it")
    await expect(ann.page.get_by_role("form", name="Question")).to_be_visible()
    assert await violations(ann.page, scheme) == []
    assert await too_small(ann.page) == []


@pytest.mark.parametrize("size", ["100%", "200%"])
async def test_graph_page_fits_a_phone(visitor, talker, size):
    ann = await visitor(talker, viewport=PHONE, has_touch=True)
    await ann.say("Look it up")
    await expect(reply(ann, "stable")).to_be_visible()
    await ann.is_at_rest()
    await ann.page.evaluate("size => { document.documentElement.style.fontSize = size }", size)
    assert await too_wide(ann.page) == []
    # A text that is cut short has two boxes, its own and the one that is seen.
    pairs = [pair.split(" | ") for pair in await overlapping(ann.page, "step-list, found-items")]
    assert [pair for pair in pairs if len(set(pair)) > 1] == []
