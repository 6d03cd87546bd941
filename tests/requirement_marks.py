"""The promises of `requirements.toml`, and which tests carry them, by the `requirement(...)` marks."""

import ast
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.conventions import ROOT, our_files

PROMISES: dict[str, dict[str, str]] = tomllib.loads((ROOT / "tests/requirements.toml").read_text("utf-8"))
"""What is promised by its id, by subject."""


def requirement_marks(tree: ast.Module) -> Iterator[str]:
    """Yield the ids that `requirement(...)` marks name; a mark must name them literally."""
    for node in ast.walk(tree):
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Attribute) and called.attr == "requirement":
            yield from (ast.literal_eval(argument) for argument in node.args)


def marked_files() -> dict[str, list[Path]]:
    """Return, for each id that a mark names, the files of the tests with that mark, in order."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in our_files(".py"):
        if path.is_relative_to(ROOT / "tests"):
            for id in set(requirement_marks(ast.parse(path.read_text("utf-8")))):
                found[id].append(path)
    return dict(found)
