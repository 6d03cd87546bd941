"""Files of the page: few, compressed, and immutable under the hash of their content."""

import re
import zlib
from pathlib import Path

import pytest
from fastapi import Request

from backend.http.routes.page_files import FRONTEND, Face, PageFiles, join_modules

MOST_BYTES = 120_000
"""Over the wire, for all that the page names, its own text included."""


async def named_files(api) -> list[str]:
    page = (await api.call("GET", "/")).text
    return re.findall(r'(?:src|href)="(/static/[^"]+)"', page)


async def test_first_load_is_few_requests_and_less_than_120_kb(api):
    names = await named_files(api)
    sizes = []
    for path in ["/", *names]:
        answer = await api.call("GET", path, headers={"Accept-Encoding": "gzip, br"})
        assert answer.headers["content-encoding"] == "gzip", path
        assert answer.headers["vary"] == "Accept-Encoding"
        sizes.append(int(answer.headers["content-length"]))
    assert len(sizes) <= 5
    assert sum(sizes) < MOST_BYTES


def test_no_style_of_the_board_asks_what_an_element_contains():
    # With one such rule on the whole board each element that was added anywhere in it cost 4 ms of styles.
    leaves = ("question-form", "step-list")
    sheets = [sheet for sheet in FRONTEND.glob("**/*.css") if "node_modules" not in sheet.parts]
    assert [sheet.stem for sheet in sheets if ":has(" in sheet.read_text() and sheet.stem not in leaves] == []


async def test_named_files_are_immutable_and_the_page_is_revalidated(api):
    for path in await named_files(api):
        answer = await api.call("GET", path)
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable", path
    page = await api.call("GET", "/")
    assert page.headers["cache-control"] == "no-cache"
    again = await api.call("GET", "/", headers={"If-None-Match": page.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


async def test_each_file_has_its_charset(api):
    names = ["/", "/docs", "/operate", *await named_files(api), "/static/icon.svg", "/static/lib/dom.js"]
    told = {path: (await api.call("GET", path)).headers["content-type"] for path in names}
    assert {each.partition(";")[0] for each in told.values()} == {
        "text/html", "text/css", "text/javascript", "image/svg+xml"
    }  # fmt: skip
    assert [path for path, each in told.items() if not each.endswith("; charset=utf-8")] == []


@pytest.mark.parametrize("accepted", ["br", "gzip; q=0.0, br"])
async def test_client_without_gzip_gets_plain_text(api, accepted):
    answer = await api.call("GET", "/", headers={"Accept-Encoding": accepted})
    assert "content-encoding" not in answer.headers
    assert answer.text.startswith("<!doctype html>")


async def test_outdated_name_is_served_but_not_cached(api):
    (script,) = [path for path in await named_files(api) if "/graph." in path]
    old = re.sub(r"[0-9a-f]{16}", "0" * 16, script)
    answer = await api.call("GET", old)
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-cache"
    unknown = await api.call("GET", script.replace("/graph.", "/none."))
    assert unknown.status_code == 404


def a_request() -> Request:
    return Request({"type": "http", "headers": []})


def a_page(folder: Path, **files: str) -> PageFiles:
    (folder / "lib").mkdir()
    (folder / "components").mkdir()
    page = (
        '<link rel="stylesheet" href="/static/app.css"><script type="module" src="/static/app.js"></script>'
    )
    (folder / "index.html").write_text(page)
    (folder / "app.css").write_text("a { color: red }")
    for name, text in files.items():
        (folder / f"{name}.js").write_text(text)
    return PageFiles(folder)


def test_changed_file_gets_a_new_name(tmp_path):
    files = a_page(tmp_path, app="let one = 1;\n")
    before = files.page(a_request()).body
    assert files.page(a_request()).body == before
    (tmp_path / "app.css").write_text("a { color: blue }  ")
    after = files.page(a_request()).body
    assert after != before


def test_modules_are_joined_once_in_order_with_own_names():
    files = {
        "app.js": 'import "./lib/a.js";\nimport { two as deux } from "./lib/b.js";\n'
        'import * as b from "./lib/b.js";\nconst own = 3;\nresult.push(deux(), b.LIST, own);\n',
        "lib/a.js": 'import { two } from "./b.js";\nconst own = 1;\nresult.push(own, two());\n',
        "lib/b.js": "/** @type {number} */\nconst own = 2;\n// two\n"
        "export function two() {\n  return own;\n}\nexport const LIST = [two()];\n",
    }
    joined = join_modules("app.js", files.__getitem__)
    assert joined.count("function two") == 1
    assert "@type" not in joined
    assert "import" not in joined
    assert "\n " not in joined
    assert joined.index("function two") < joined.index("const own = 1") < joined.index("const own = 3")


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        ('import { a } from "./app.js";\n', "imports itself"),
        ("export default 7;\n", "cannot be joined: export default"),
        ("export let changes = 7;\n", "cannot be joined: export let"),
        ('export { a } from "./b.js";\n', "cannot be joined"),
        ('import a from "./b.js";\n', "cannot be joined: import a"),
        ("const told = `one\n  two`;\n", "a text over several lines"),
    ],
)
def test_module_that_cannot_be_joined_is_refused(code, complaint):
    files = {"app.js": 'import "./other.js";\n', "other.js": code}
    with pytest.raises(ValueError, match=complaint):
        join_modules("app.js", files.__getitem__)


def test_joined_pages_define_what_their_modules_do():
    read = lambda path: (FRONTEND / path).read_text("utf-8")  # noqa: E731
    pages = [join_modules(path, read) for path in ("travel.js", "graph.js", "operate.js")]
    for path in [*FRONTEND.glob("lib/*.js"), *FRONTEND.glob("components/*/*.js")]:
        code = path.read_text("utf-8")
        for name in re.findall(r"^(?:export )?(?:async )?(?:function|class) (\w+)", code, re.M):
            assert re.search(rf"\b(?:function|class) {name}\b", "".join(pages)), f"{path.name}: {name}"
    assert all(len(zlib.compress(page.encode(), 9)) < MOST_BYTES for page in pages)


def test_graph_page_has_no_travel_component():
    joined = join_modules("graph.js", lambda path: (FRONTEND / path).read_text("utf-8"))
    defined = set(re.findall(r'customElements\.define\("([^"]+)"', joined))
    assert {"graph-conversation", "markdown-text", "step-list", "found-items"} <= defined
    assert not defined & {"trip-board", "flight-card", "hotel-card", "route-map", "price-days", "facts-strip"}


@pytest.mark.parametrize("name", ["index.html", "graph.html", "operate.html", "docs.html"])
def test_every_page_knows_how_people_sign_in(name):
    files = PageFiles(face=Face(file="index.html", title="Ann's", sign_in="https://id.example/?a&b"))
    answer = files.page(a_request()) if name == "index.html" else files.other_page(name, a_request())
    text = bytes(answer.body).decode()
    assert '<meta name="sign-in" content="https://id.example/?a&amp;b">' in text
    assert ("<title>Detour: running tasks</title>" in text) is (name == "operate.html")


def test_page_escapes_its_name_and_examples():
    face = Face(file="graph.html", title='<b>"Ann" & Bob', examples=["</title><script>", "two"])
    page = PageFiles(face=face).page(a_request()).body.decode()
    assert "<title>&lt;b&gt;&quot;Ann&quot; &amp; Bob</title>" in page
    assert "<h1>&lt;b&gt;&quot;Ann&quot; &amp; Bob</h1>" in page
    assert 'name="application-name" content="&lt;b&gt;&quot;Ann&quot; &amp; Bob"' in page
    assert 'content="[&quot;&lt;/title&gt;&lt;script&gt;&quot;,&quot;two&quot;]"' in page


@pytest.mark.parametrize(("steers", "content"), [(True, "yes"), (False, "")])
def test_graph_page_knows_whether_it_steers(steers, content):
    page = PageFiles(face=Face(file="graph.html", steers=lambda: steers)).page(a_request())
    assert f'<meta name="steers" content="{content}">' in bytes(page.body).decode()


async def test_graph_has_a_page_of_its_own(api, travel_api):
    assert 'data-face="graph"' in (await api.call("GET", "/")).text
    assert "data-face" not in (await travel_api.call("GET", "/")).text
    assert 'name="steers"' not in (await travel_api.call("GET", "/")).text
