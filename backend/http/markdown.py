"""Renders Markdown for the page of a hosted graph, as sanitised HTML in blocks.

A model writes Markdown, and text in its context may have it write markup. So three things stand between
its text and a page: markdown-it refuses `javascript:` and the like, nh3 (ammonia) drops every tag, attribute
and address that is not listed here, and the page's content security policy runs no script that is not the
server's own. See docs/decisions/archive.md#0028.
"""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from typing_extensions import TypedDict

# --- markdown cost -------------------------------------------------------------------------------------
# An upper bound of the time to render a text, since nothing can end that. Measured for the worst texts that
# were found (CPython 3.11, one core): per mark, and where the time grows faster than the text, for each cell
# of a table and each address in a word.


_MARK_US = {
    "[": 30, "]": 4, "<": 30, "*": 18, "_": 18, "~": 10, "`": 4, "&": 8, "\\": 4, "\n": 40,
    "- ": 20, "+ ": 20, "> ": 20, "//": 60, "mailto:": 80,
}  # fmt: skip
_CELL_US = 14
_ADDRESSED_IN_1_US = 50
"""Characters of a word that are read again for each address in it."""


def cost_us(text: str) -> int:
    """Return the microseconds that rendering a text takes at most, about; found in a fraction of them."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    marks = sum(us * text.count(mark) for mark, us in _MARK_US.items())
    return len(text) + marks + _tables_us(text) + _addresses_us(text)


def _tables_us(text: str) -> int:
    """Return what tables take. A row has as many cells as the widest, and an empty line ends a table."""
    if "|" not in text:
        return 0
    cells = rows = columns = 0
    for line in (*text.split("\n"), ""):
        if line.strip():
            rows, columns = rows + 1, max(columns, line.count("|"))
        else:
            cells, rows, columns = cells + rows * columns, 0, 0
    return cells * _CELL_US


def _addresses_us(text: str) -> int:
    if "//" not in text and "mailto:" not in text:
        return 0
    read = sum(len(word) * (word.count("//") + word.count("mailto:")) for word in text.split())
    return read // _ADDRESSED_IN_1_US


# --- markdown ------------------------------------------------------------------------------------------


_TAGS = {
    "a", "abbr", "b", "blockquote", "br", "code", "dd", "del", "details", "dl", "dt", "em", "h2", "h3", "h4",
    "h5", "h6", "hr", "i", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q", "s", "small", "strong", "sub",
    "summary", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "u", "ul",
}  # fmt: skip
_ATTRIBUTES = {
    "a": {"href", "title"},
    "abbr": {"title"},
    "code": {"class"},
    "ol": {"start"},
    "td": {"align"},
    "th": {"align"},
}
_SCHEMES = {"http", "https", "mailto"}
# Dropped with their contents.
_DROPPED = {"script", "style", "template", "title", "textarea", "noscript", "iframe", "xmp", "svg", "math"}
_LOWEST_HEADING = 6

CALL_US = 700_000
"""What the texts of one call may cost to render, in microseconds of `cost_us`.

The most that a call takes of replies with many lists, links and tables costs 570,000, and takes 170 ms.
"""


class Block(TypedDict):
    """One block of a text: a paragraph, a table, a list; `line` is where it begins, counted from 0."""

    line: int
    html: str


def blocks_of(text: str) -> list[Block]:
    """Return a text's blocks, in order. Blocks that all but the last end with do not change if it goes on.

    The one exception is a link's definition (`[name]: address`), which may follow its use.
    """
    environment: dict[str, Any] = {}
    tokens = _PARSER.parse(text, environment)
    return [
        {"line": line, "html": _clean(_PARSER.renderer.render(group, _PARSER.options, environment))}
        for line, group in _groups(tokens)
    ]


def rendered(texts: Sequence[str]) -> list[list[Block]]:
    """Return the blocks of each text; one that costs more than the call has left is shown as it is, in one.

    So one absurd text of a conversation leaves its others rendered.
    """
    left_us = CALL_US
    found: list[list[Block]] = []
    for text in texts:
        text_us = cost_us(text)
        if text_us > left_us:
            found.append([_plain(text)])
            continue
        left_us -= text_us
        found.append(blocks_of(text))
    return found


def _plain(text: str) -> Block:
    lines = escape(text.strip("\n"), quote=False).replace("\n", "<br>\n")
    return {"line": 0, "html": f"<p>{lines}</p>\n"}


def _groups(tokens: Sequence[Token]) -> Iterator[tuple[int, list[Token]]]:
    """Yield the tokens of each block. HTML may begin in one block and end in another: it stays together."""
    within = [at for at, token in enumerate(tokens) if token.type == "html_block"]
    first, last = (within[0], within[-1]) if within else (-1, -1)
    group: list[Token] = []
    for at, token in enumerate(tokens):
        group.append(token)
        closes = token.level == 0 and token.nesting != 1
        if closes and not first <= at < last:
            yield (group[0].map or [0])[0], group
            group = []


def _clean(html: str) -> str:
    return nh3.clean(
        html,
        tags=_TAGS,
        clean_content_tags=_DROPPED,
        attributes=_ATTRIBUTES,
        attribute_filter=_kept_value,
        url_schemes=_SCHEMES,
        url_relative="deny",  # an address without a host would lead to this server
        link_rel="noopener noreferrer",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )


def _kept_value(tag: str, attribute: str, value: str) -> str | None:
    if (tag, attribute) == ("code", "class"):
        return value if value.startswith("language-") and " " not in value else None
    return value


def _adapt(state: StateCore) -> None:
    """Make of a document's tokens what a message in a conversation may have."""
    for at, token in enumerate(state.tokens):
        if token.type in ("heading_open", "heading_close"):
            # The page's own heading is the only one of the first level.
            token.tag = f"h{min(int(token.tag[1]) + 1, _LOWEST_HEADING)}"
        elif token.type in ("td_open", "th_open"):
            # The page's policy allows no style attributes.
            style = token.attrs.pop("style", None)
            if style is not None:
                token.attrs["align"] = str(style).removeprefix("text-align:")
        elif token.type == "inline" and token.children:
            if at > 1 and state.tokens[at - 2].type == "list_item_open":
                _show_box(token.children[0])
            token.children = list(_without_pictures(token.children))


def _show_box(first: Token) -> None:
    """Show the box of a task list as a character."""
    for written, shown in (("[ ] ", "☐ "), ("[x] ", "☑ "), ("[X] ", "☑ ")):
        if first.type == "text" and first.content.startswith(written):
            first.content = shown + first.content.removeprefix(written)


def _without_pictures(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield a link for each picture: loading it would tell its host who reads the message."""
    in_link = False
    for token in tokens:
        in_link = token.type == "link_open" or (in_link and token.type != "link_close")
        if token.type != "image":
            yield token
            continue
        source = str(token.attrs.get("src", ""))
        text = Token("text", "", 0, content=token.content or source)
        yield from [text] if in_link else [_link("link_open", 1, source), text, _link("link_close", -1)]


def _link(kind: str, nesting: Any, address: str = "") -> Token:
    return Token(kind, "a", nesting, attrs={"href": address} if address else {})


def _parser() -> MarkdownIt:
    # Ends of lines are meant, as in "Tool: search" with "Args: ..." below it.
    parser = MarkdownIt("gfm-like", {"html": True, "breaks": True})
    if parser.linkify is not None:
        # "notes.md" is a file more often than a site in Moldova.
        parser.linkify.set({"fuzzy_link": False, "fuzzy_email": False, "fuzzy_ip": False})
    parser.core.ruler.push("adapt", _adapt)
    return parser


_PARSER = _parser()
