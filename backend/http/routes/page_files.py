"""The files of the page: what a browser loads, and nothing else that lies in their folder.

There is one page for the travel assistant (`index.html`) and one for any other graph (`graph.html`). Each
names its own modules and styles, and is given a name and examples.

The page itself names a file of all its modules and one of all its styles, with the hash of their content:
browsers keep those for good, and ask at a reload for the page alone. They are joined and compressed when the
page is first asked for, and again once a file has changed.
"""

import hashlib
import html
import re
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import stat_result
from pathlib import Path, PurePosixPath
from typing import Any

import orjson
from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.staticfiles import StaticFiles

from ..wire.bodies import named_etags

# --- page bundle ---------------------------------------------------------------------------------------
# Joins the modules of the page to one script, and its styles to one sheet, as a browser asks for it.
#
# The page is 85 modules and 28 styles that import each other, and has no build. Loaded one by one they take
# 116 requests, and with 150 ms there and back a page shows nothing for 4 s (measured,
# checks/bench/README.md). So the files stay as they are, and are joined in memory when the page is first
# asked for.
#
# Modules are put one after the other, each after those it imports, in a block of its own: what a module
# declares is seen by itself alone, as before. Nothing of the code is rewritten but its `import` and
# `export` words; comments and indentation are left out. That needs modules which import by name from files,
# export declarations, import in no circle, and have no text over several lines; tests hold the page to it.


_IMPORT = re.compile(
    r'^import\s+(?:(?:\*\s+as\s+(?P<all>\w+)|\{(?P<names>[^}]*)\})\s+from\s+)?"(?P<path>\.[^"]+)";\n', re.M
)
_AS = re.compile(r"\s+as\s+")
_EXPORT = re.compile(r"^export (?P<kind>async function|function|class|const) (?P<name>\w+)", re.M)
_NO_EXPORTS = re.compile(r"^export \{\};\n", re.M)
_LEFT = re.compile(r"^(?:import|export)\b.*", re.M)
_DOC_COMMENT = re.compile(r"[ \t]*/\*\*.*?\*/\n?", re.S)
_BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.S)
_LINE_COMMENT = re.compile(r"^[ \t]*//.*\n", re.M)
_INDENTATION = re.compile(r"^\s+", re.M)
_LONG_TEXT = re.compile(r"^[^`\n]*(?:`[^`\n]*`[^`\n]*)*[=(+,:?\[] ?`[^`\n]*$", re.M)

Read = Callable[[str], str]
"""Returns the text of a file, by its path within the page's folder."""


def join_modules(start: str, read: Read) -> str:
    """Return one module that does what `start` and all that it imports do.

    Raises ValueError for a module that cannot be joined.
    """
    names: dict[str, str] = {}
    return "".join(_joined(start, read, names, ()))


def join_styles(paths: list[str], read: Read) -> str:
    """Return one style sheet of several, in their order, without comments."""
    return "\n".join(_BLOCK_COMMENT.sub("", read(path)) for path in paths)


def without_comments(code: str) -> str:
    """Return a module without indentation, comments on lines of their own, and those of types."""
    return _INDENTATION.sub("", _LINE_COMMENT.sub("", _DOC_COMMENT.sub("", code)))


def _joined(path: str, read: Read, names: dict[str, str], below: tuple[str, ...]) -> Iterator[str]:
    """Yield the blocks of a module and of those that it imports, each once; `names` are those yielded."""
    if path in below:
        raise ValueError(f"{path} imports itself, through {' and '.join(below)}")
    if path in names:
        return
    code = _NO_EXPORTS.sub("", without_comments(read(path)))
    if _LONG_TEXT.search(code):
        raise ValueError(f"{path} cannot be joined: a text over several lines would lose its indentation")
    imports: list[str] = []
    for found in _IMPORT.finditer(code):
        other = _path_from(path, found["path"])
        yield from _joined(other, read, names, (*below, path))
        if found["all"]:
            imports.append(f"const {found['all']} = {names[other]};")
        elif found["names"]:
            renamed = _AS.sub(": ", found["names"])
            imports.append(f"const {{{renamed}}} = {names[other]};")
    code = _IMPORT.sub("", code)
    exported = [found["name"] for found in _EXPORT.finditer(code)]
    code = _EXPORT.sub(r"\g<kind> \g<name>", code)
    if left := _LEFT.search(code):
        raise ValueError(f"{path} has what cannot be joined: {left[0]}")
    names[path] = name = f"$module{len(names)}"
    handed_on = f"Object.assign({name}, {{ {', '.join(exported)} }});\n"
    yield "\n".join([f"const {name} = {{}};", "{", *imports, code, f"{handed_on}}}\n"])


def _path_from(path: str, relative: str) -> str:
    """Return the path that a module names relative to its own."""
    parts = list(PurePosixPath(path).parent.parts)
    for part in PurePosixPath(relative).parts:
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


# --- page files ----------------------------------------------------------------------------------------


_PACKAGE = Path(__file__).resolve().parents[2]
_INSTALLED = _PACKAGE / "page"

FRONTEND = _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent / "frontend"
"""The folder of the page's files: in the installed package (see pyproject.toml), beside it in a checkout."""

_SUFFIXES = frozenset({".css", ".js", ".svg"})
_FOLDERS = frozenset({"components", "lib"})
_TYPES = {
    suffix: f"{kind}; charset=utf-8"
    for suffix, kind in {
        ".css": "text/css",
        ".html": "text/html",
        ".js": "text/javascript",
        ".svg": "image/svg+xml",
    }.items()
}

_FOR_GOOD = "public, max-age=31536000, immutable"
_STYLES = re.compile(r'(?:<link rel="stylesheet" href="/static/[^"]+">\s*)+')
_NAMED = re.compile(r'(?:src|href)="/static/([^"]+)"')
_HASH = re.compile(r"\.[0-9a-f]{16}(?=\.\w+$)")

_GZIP = 16 + zlib.MAX_WBITS


@dataclass(frozen=True, slots=True)
class _File:
    """A file as it is sent: plain, and compressed; `tag` is the hash of its content."""

    plain: bytes
    media_type: str
    tag: str
    compressed: bytes

    @classmethod
    def of(cls, text: str, suffix: str) -> "_File":
        plain = text.encode()
        packer = zlib.compressobj(9, wbits=_GZIP)
        compressed = packer.compress(plain) + packer.flush()
        tag = hashlib.blake2b(plain, digest_size=8).hexdigest()
        return cls(plain=plain, media_type=_TYPES[suffix], tag=tag, compressed=compressed)

    def response(self, headers: Mapping[bytes, bytes], *, for_good: bool) -> Response:
        """Return it for a request with these headers, or a 304 if the browser has it."""
        about = {"ETag": f'W/"{self.tag}"', "Vary": "Accept-Encoding"}
        if for_good:
            about["Cache-Control"] = _FOR_GOOD
        if f'"{self.tag}"' in named_etags(headers.get(b"if-none-match", b"").decode("latin-1")):
            return Response(status_code=304, headers=about)
        takes_gzip = re.search(
            rb"\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))", headers.get(b"accept-encoding", b"")
        )
        if takes_gzip is None:
            return Response(self.plain, headers=about, media_type=self.media_type)
        about["Content-Encoding"] = "gzip"
        return Response(self.compressed, headers=about, media_type=self.media_type)


@dataclass(frozen=True, slots=True)
class _Page:
    """The page as it was made of its files; `files` are those it names, by path without the hash."""

    html: _File
    files: Mapping[str, _File]


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """The appearance of the page: its file, its name, and messages that it offers to send.

    Without `examples`, the page has its own, or none. `sign_in` is how people sign in: "" where they need
    not, `proxy` where one does it, `token`, `elsewhere`, or the address of where they do. `steers` says,
    once the graph is loaded, whether it can take messages in while it runs.
    """

    file: str = "index.html"
    title: str = "Detour"
    examples: Sequence[str] = ()
    sign_in: str = ""
    steers: Callable[[], bool] = lambda: False

    def put_on(self, page: str) -> str:
        """Return the page's text with its name and examples."""
        title = html.escape(self.title)
        page = re.sub(r"(<(title|h1)>)[^<]*(</\2>)", lambda found: found[1] + title + found[3], page)
        page = page.replace(
            'name="application-name" content="Detour"', f'name="application-name" content="{title}"'
        )
        steers = "yes" if self.steers() else ""
        page = page.replace('name="steers" content=""', f'name="steers" content="{steers}"')
        examples = html.escape(orjson.dumps(list(self.examples)).decode())
        return self.tell_sign_in(
            page.replace('name="examples" content="[]"', f'name="examples" content="{examples}"')
        )

    def tell_sign_in(self, page: str) -> str:
        """Return the text of any page with how people sign in, and nothing else changed."""
        sign_in = html.escape(self.sign_in)
        return page.replace('name="sign-in" content=""', f'name="sign-in" content="{sign_in}"')


TRAVEL_FACE = Face()


class PageFiles(StaticFiles):
    """Serves scripts, styles and pictures of `frontend/`; other programs and tools are not there."""

    def __init__(self, folder: Path = FRONTEND, face: Face = TRAVEL_FACE) -> None:
        super().__init__(directory=folder)
        self._folder = folder
        self._face = face
        self._made: tuple[object, _Page] | None = None
        self._making = threading.Lock()

    def page(self, request: Request) -> Response:
        """Return the page itself. It is made of its files here: call it in a thread."""
        return self._page().html.response(dict(request.headers.raw), for_good=False)

    def other_page(self, name: str, request: Request) -> Response:
        """Return a page of its own name, such as `operate.html`, whose modules are loaded one by one.

        It is read and compressed here: call it in a thread.
        """
        text = self._face.tell_sign_in(self._read(name))
        return _File.of(text, ".html").response(dict(request.headers.raw), for_good=False)

    def lookup_path(self, path: str) -> tuple[str, stat_result | None]:
        """Return the path and status of a file of the page; ("", None) for all else."""
        wanted = PurePosixPath(path)
        top = wanted.parts[0] if len(wanted.parts) > 1 else None
        if wanted.suffix not in _SUFFIXES or (top is not None and top not in _FOLDERS):
            return "", None
        return super().lookup_path(path)

    def file_response(self, full_path: Any, *args: Any, **options: Any) -> Response:
        """Return a file as it is, with its type and charset."""
        response = super().file_response(full_path, *args, **options)
        if response.status_code == 200:
            response.headers["content-type"] = _TYPES[PurePosixPath(full_path).suffix]
        return response

    async def get_response(self, path: str, scope: Any) -> Response:
        """Return a file; one that the page names with a hash may be kept for good."""
        if _HASH.search(path) is None or scope["method"] not in ("GET", "HEAD"):
            return await super().get_response(path, scope)
        page = await run_in_threadpool(self._page)
        file = page.files.get(_HASH.sub("", path))
        if file is None:
            return await super().get_response(path, scope)
        # Another hash precedes an update: the present file is sent, but not to be kept under that name.
        return file.response(dict(scope["headers"]), for_good=file.tag in path)

    def _page(self) -> _Page:
        with self._making:
            at = tuple(sorted((str(path), path.stat().st_mtime_ns) for path in self._sources()))
            if self._made is None or self._made[0] != at:
                self._made = at, self._make()
            return self._made[1]

    def _sources(self) -> list[Path]:
        folders = (self._folder / name for name in sorted(_FOLDERS))
        return [*self._folder.glob("*.*"), *(path for each in folders for path in each.rglob("*.*"))]

    def _make(self) -> _Page:
        page = self._face.put_on(self._read(self._face.file))
        sheets = _NAMED.findall("".join(_STYLES.findall(page)))
        page = _STYLES.sub('<link rel="stylesheet" href="/static/page.css">\n    ', page, count=1)
        files = {"page.css": _File.of(join_styles(sheets, self._read), ".css")}
        for path in _NAMED.findall(page):
            if path.endswith(".js") and "/" not in path:
                files[path] = _File.of(join_modules(path, self._read), ".js")
            elif path not in files:
                files[path] = _File.of(without_comments(self._read(path)), PurePosixPath(path).suffix)
        for path, file in files.items():
            named = PurePosixPath(path)
            page = page.replace(
                f'"/static/{path}"', f'"/static/{named.with_suffix("")}.{file.tag}{named.suffix}"'
            )
        return _Page(html=_File.of(page, ".html"), files=files)

    def _read(self, path: str) -> str:
        return (self._folder / path).read_text("utf-8")
