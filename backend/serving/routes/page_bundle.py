"""Joins the modules of the page to one script, and its styles to one sheet, as a browser asks for it.

The page is 85 modules and 28 styles that import each other, and has no build. Loaded one by one they take
116 requests, and with 150 ms there and back a page shows nothing for 4 s (measured, bench/README.md). So the
files stay as they are, and are joined in memory when the page is first asked for.

Modules are put one after the other, each after those it imports, in a block of its own: what a module
declares is seen by itself alone, as before. Nothing of the code is rewritten but its `import` and `export`
words; comments are left out. That needs modules which import by name from files, export declarations, and
import in no circle; tests hold the page to it.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath

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
    """Return a module without the comments that stand on lines of their own, and those of types."""
    return _LINE_COMMENT.sub("", _DOC_COMMENT.sub("", code))


def _joined(path: str, read: Read, names: dict[str, str], below: tuple[str, ...]) -> Iterator[str]:
    """Yield the blocks of a module and of those that it imports, each once; `names` are those yielded."""
    if path in below:
        raise ValueError(f"{path} imports itself, through {' and '.join(below)}")
    if path in names:
        return
    code = _NO_EXPORTS.sub("", without_comments(read(path)))
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
