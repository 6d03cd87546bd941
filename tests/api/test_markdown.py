"""Markdown on the page of a hosted graph: its HTML, its safety, and its cost."""

import asyncio
import re
import threading
from functools import partial
from html import escape
from html.parser import HTMLParser

import pytest

from backend.http import markdown
from backend.http.edge import shares
from backend.http.markdown import CALL_US, blocks_of, cost_us, rendered
from tests.api.live import BOUND_S, running
from tests.payloads import PAYLOADS

ADDRESSES = re.compile(r"(?:https?|mailto):", re.I)
KNOWN = {"href", "title", "class", "start", "align", "rel", "target"}


def html(text: str) -> str:
    return "".join(block["html"] for block in blocks_of(text)).strip()


class Elements(HTMLParser):
    """Collects the tags and attributes that a browser would see."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs


@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize(
    "around", ["{}", "> {}", "**{}**", "text {} text", "<b>{}", "<details>\n\n{}\n\n</details>"]
)
@pytest.mark.requirement("GRAPH-PAGE-IS-SAFE")
def test_markup_is_limited_to_that_of_a_text(payload, around):
    found = Elements(html(around.format(payload)))
    assert not {"script", "style", "img", "svg", "iframe", "form", "input", "base", "meta"} & set(found.tags)
    assert {name for name, _ in found.attributes} <= KNOWN
    assert all(ADDRESSES.match(value or "") for name, value in found.attributes if name == "href")


def test_block_has_its_line_and_is_independent():
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    text = f"# One\n\ntwo\nlines\n\n- a\n- b\n\n```py\nx = 1\n\ny = 2\n```\n\n{table}\n\nlast"
    blocks = blocks_of(text)
    assert [block["line"] for block in blocks] == [0, 2, 5, 8, 14, 18]
    lines = text.split("\n")
    for block in blocks:
        rest = blocks_of("\n".join(lines[block["line"] :]))
        assert rest[0]["html"] == block["html"]


def test_headings_are_below_the_page_heading():
    assert [Elements(html(f"{'#' * level} x")).tags for level in (1, 2, 5, 6)] == [
        ["h2"],
        ["h3"],
        ["h6"],
        ["h6"],
    ]


def test_links_open_elsewhere_without_referrer():
    link = '<a href="https://x.example/" target="_blank" rel="noopener noreferrer">{}</a>'
    assert link.format("here") in html("[here](https://x.example/)")
    assert link.format("https://x.example/") in html("see https://x.example/ for more")
    assert link.format("here") in html('<a href="https://x.example/">here</a>')
    assert "<a" not in html("notes.md, example.com and ann@example.com")


@pytest.mark.parametrize("address", ["/stop/ann", "//x.example", "#message", "stop", "../x"])
def test_link_never_leads_to_this_server(address):
    assert "href" not in html(f'[here]({address}) <a href="{address}">here</a>')


def test_picture_becomes_a_link():
    assert 'href="https://x.example/a.png"' in html("![a cat](https://x.example/a.png)")
    assert "a cat</a>" in html("![a cat](https://x.example/a.png)")
    linked = html("[![badge](https://x.example/b.png)](https://y.example)")
    assert linked.count("<a ") == 1
    assert 'href="https://y.example"' in linked
    assert html("![pixel](data:image/gif;base64,R0lGODlhAQ)").count("href") == 0


def test_tables_have_no_styles_and_tasks_have_boxes():
    table = html("| a | b |\n|:-:|--:|\n| 1 | 2 |")
    assert '<th align="center">a</th>' in table
    assert "style" not in table
    assert html("- [x] done\n- [ ] open") == "<ul>\n<li>☑ done</li>\n<li>☐ open</li>\n</ul>"


def test_html_across_blocks_stays_one_block():
    (block,) = blocks_of("<details>\n<summary>more</summary>\n\n**text**\n\n</details>")
    assert block["html"].startswith("<details>\n<summary>more</summary>\n<p><strong>text</strong></p>")


async def test_route_renders_several_texts_within_bounds(api):
    answer = await api.call("POST", "/page/markdown", json={"texts": ["*a*", "b\n\nc"]})
    assert answer.json() == {
        "texts": [
            [{"line": 0, "html": "<p><em>a</em></p>\n"}],
            [{"line": 0, "html": "<p>b</p>\n"}, {"line": 2, "html": "<p>c</p>\n"}],
        ]
    }
    for wrong in ({}, {"texts": "x"}, {"texts": [""]}, {"texts": ["x"] * 101}, {"texts": ["x"], "more": 1}):
        assert (await api.call("POST", "/page/markdown", json=wrong)).status_code == 422
    assert (await api.call("POST", "/page/markdown", json={"texts": ["x" * 200_000]})).status_code == 413


HEAVY = [
    "[" * 120_000,
    "![[" * 40_000,
    "https://x.y/(" * 9_000,
    "|a" * 400 + "|\n" + "|-" * 400 + "|\n" + "|\n" * 160,
    "- a\n" * 30_000,
    "<div>" * 25_000,
]


@pytest.mark.parametrize("text", HEAVY, ids=lambda text: text[:4])
@pytest.mark.requirement("NO-ADDRESS-TAKES-ALL")
def test_expensive_text_is_shown_as_it_is(text, monkeypatch):
    seen = []
    monkeypatch.setattr(markdown, "blocks_of", lambda text: seen.append(text) or [])
    first, heavy, last = rendered(["*a*", text, "*b*"])
    assert (seen, first, last) == (["*a*", "*b*"], [], [])
    assert [block["line"] for block in heavy] == [0]
    shown = escape(text.strip("\n"), quote=False).replace("\n", "<br>\n")
    assert heavy[0]["html"] == f"<p>{shown}</p>\n"


def test_texts_of_a_call_share_its_budget():
    text = "[" * 15_000
    blocks = rendered([text, text, "*a*"])
    assert blocks[0] == blocks[1]  # shown the same, rendered or not
    assert cost_us(text) <= CALL_US < 2 * cost_us(text)
    assert blocks[2] == blocks_of("*a*")


def test_long_conversation_is_rendered_whole():
    """As a model writes them: prose, a list, code and a table, as much as a call takes."""
    reply = (
        "## A week in Rome\n\nThe **Forum** is best before nine, "
        "and the [Pantheon](https://pantheon.example/) after it.\n\n"
        "- Monday: *arrival*, and a walk along the river in the evening\n"
        "- Tuesday: the museums, `closed_on = 1`\n\n"
        '```python\nfor day in days:\n    print(plan[day]["walk"], round(cost_of[day] * 1.1, 2))\n```\n\n'
        "| day | hotel | price |\n|---|---|--:|\n| Monday | Rossi | 120 |\n| Tuesday | Bianchi | 140 |\n\n"
    )
    assert cost_us(reply * (128 * 1024 // len(reply))) <= CALL_US


@pytest.mark.requirement("NO-ADDRESS-TAKES-ALL")
async def test_address_renders_one_text_at_a_time_and_few_wait(tmp_path, monkeypatch):
    """Sixty texts of an address took the whole thread pool: files waited for 52 s."""
    opened, at_work, most = threading.Event(), 0, 0

    def gated(texts):
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        opened.wait(BOUND_S)
        at_work -= 1
        return [[] for _ in texts]

    monkeypatch.setattr("backend.http.routes.markdown.rendered", gated)
    async with running(tmp_path) as api:
        call = partial(api.call, "POST", "/page/markdown", json={"texts": ["a"]})
        count = 2 + shares.ADDRESS_RENDERINGS_WAITING
        answers = []

        async def ask():
            answers.append(await call())
            # The first one to be answered is refused, while one is at work and all others wait.
            opened.set()

        async with asyncio.TaskGroup() as group:
            for _ in range(count):
                group.create_task(ask())
    assert [each.status_code for each in answers] == [429] + [200] * (count - 1)
    assert answers[0].headers["retry-after"] == "2"
    assert most == 1
