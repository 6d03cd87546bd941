"""What the pages name exists: files, folders, modules, functions, links and the headings that links lead to.

A name of the past belongs in CHANGELOG.md, which is not held to this.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TypeGuard

import pytest

from backend.domain.task import TaskStatus
from backend.domain.task_life import TRANSITIONS, Activity, Transition
from tests.conventions import ROOT, our_files

PAGES = (
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "README.md",
    *(ROOT / "checks" / each / "README.md" for each in ("conformance", "bench")),
)
READERS_OWN = {"watch.py", "trip.py", "score.py", "lines.txt"}
"""Files that a page has its reader write."""
WRITTEN_BY_PROGRAMS = {"checks/bench/results/"}

SUFFIXES = r"(?:py|js|mjs|css|html|svg|png|toml|txt|tsv|md|jsonl|json|yml)"
CODE = re.compile(r"`([^`\n]+)`")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
FILE = re.compile(rf"(?<![\w/.*<-])((?:[\w.*-]+/)*[\w*][\w.*-]*\.{SUFFIXES})\b(?![\w/(])")
FOLDER = re.compile(r"(?:[\w-]+/)+")
DOTTED = re.compile(r"(?<![\w./-])backend((?:\.[A-Za-z_]\w*)+)")
MEMBER = re.compile(rf"(?<![\w/.])((?:[a-z_]+/)+[a-z_]+)\.(?!{SUFFIXES}\b)([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)")
LINK = re.compile(r"\]\(([^)\s]+)\)")


def stale_files(page: str) -> Iterator[str]:
    """Yield the files and folders that code spans of a page name and the project does not have."""
    for span in CODE.findall(FENCE.sub("", page)):
        for name in FILE.findall(span):
            pattern = re.escape(name).replace(r"\*", r"[^/]*")
            if name not in READERS_OWN and not re.search(rf"^/(.*/)?{pattern}$", _all_files(), re.MULTILINE):
                yield name
        if FOLDER.fullmatch(span) and span not in WRITTEN_BY_PROGRAMS:
            # Not in tests/, whose folders may keep the name of one that is gone.
            found = re.search(rf"^/(?!tests/.*/)(.*/)?{re.escape(span)}", _all_files(), re.MULTILINE)
            yield from [] if found else [span]


def stale_names(page: str) -> Iterator[str]:
    """Yield the modules, classes and functions that a page names and the server does not have.

    They are named `backend.folder.module.name`, anywhere, or `folder/module.name`, in code spans.
    """
    for dotted in DOTTED.findall(page):
        parts = dotted[1:].split(".")
        if not any(_has(parts[:at], parts[at:]) for at in range(1, len(parts) + 1)):
            yield f"backend{dotted}"
    for span in CODE.findall(FENCE.sub("", page)):
        for module, name in MEMBER.findall(span):
            if not _has(module.split("/"), name.split(".")):
                yield f"{module}.{name}"


def broken_links(page: str, path: Path) -> Iterator[str]:
    """Yield the links of a page to files that are missing, or to headings that a page does not have."""
    for link in LINK.findall(FENCE.sub("", page)):
        if "://" in link or link.startswith("mailto:"):
            continue
        file, _, anchor = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        if not target.exists() or (anchor and anchor not in _anchors(target)):
            yield link


@cache
def _all_files() -> str:
    """Return the paths of all files, a line each, each beginning with `/`."""
    files = [*our_files(), ROOT / ".streamlit/config.toml"]
    return "\n".join(f"/{path.relative_to(ROOT)}" for path in files if path.exists())


@cache
def _anchors(path: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", path.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def _has(module: list[str], names: list[str]) -> bool:
    """Tell whether the server has a module, or a package, that defines a name; a method is `Class.method`."""
    base = ROOT.joinpath("backend", *module)
    if base.is_dir():
        return not names
    file = base.with_suffix(".py")
    if not file.exists():
        return False
    body: list[ast.stmt] = ast.parse(file.read_text("utf-8")).body
    for name in names:
        found = [each for each in body if name in _defined(each)]
        if not found:
            return False
        body = found[0].body if _is_class(found[0]) else []
    return True


def _is_class(statement: ast.stmt) -> TypeGuard[ast.ClassDef]:
    return isinstance(statement, ast.ClassDef)


def _defined(statement: ast.stmt) -> set[str]:
    match statement:
        case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
            return {statement.name}
        case ast.Assign():
            return {each.id for each in statement.targets if isinstance(each, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name)):
            return {name}
        case _:
            return set()


def table(page: str, first: str) -> list[list[str]]:
    """Return the rows of the table of a page whose head begins so, the head first."""
    lines = page[page.index(f"\n| {first}") + 1 :].splitlines()
    rows = [line for line in lines[: lines.index("")] if not line.startswith("|---")]
    return [[cell.strip().replace("`", "") for cell in row.strip("|").split("|")] for row in rows]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_names_on_a_page_exist(path: Path) -> None:
    page = path.read_text("utf-8")
    assert [*stale_files(page), *stale_names(page), *broken_links(page, path)] == []


def test_stale_names_and_broken_links_are_found() -> None:
    page = "see `tools/ledger.py`, all of `api/`, `backend/graphs/l*_outernals.py`"
    assert list(stale_files(page)) == ["tools/ledger.py", "api/", "backend/graphs/l*_outernals.py"]
    page = "python -m backend.cli, `conversation/accepting.receive`, `tasks/ledger/ledger.Ledger.halt`"
    stale = ["backend.cli", "conversation/accepting.receive", "tasks/ledger/ledger.Ledger.halt"]
    assert list(stale_names(page)) == stale
    page = "[a](ledger.md#adoption) [b](ledger.md#abduction) [c](legder.md) [d](https://example.org/x)"
    assert list(broken_links(page, ROOT / "docs/glossary.md")) == ["ledger.md#abduction", "legder.md"]
    page = "`ledger.py` `tasks/ledger/` `backend/tasks/*_owner.py` `store/retry.RETRY_S` backend.main"
    assert [*stale_files(page), *stale_names(page)] == []


def test_table_of_a_tasks_life_is_that_of_the_code() -> None:
    head, *rows = table((ROOT / "docs/architecture.md").read_text("utf-8"), "| idle |")
    documented = {
        (TaskStatus(status), Activity(activity)): {
            Transition(step) for step in cell.split(", ") if step != "none"
        }
        for statuses, *cells in rows
        for status in statuses.split(", ")
        for activity, cell in zip(head[1:], cells, strict=True)
        if cell
    }
    assert documented == {state: set(steps) for state, steps in TRANSITIONS.items()}


def test_reference_has_every_change_of_status() -> None:
    _, *rows = table((ROOT / "docs/INTERRUPTION_SYSTEM.md").read_text("utf-8"), "from | step | to |")
    assert {(before, after) for before, _, after in rows} == {
        (before, after)
        for (before, _), steps in TRANSITIONS.items()
        for after, _ in steps.values()
        if before is not after
    }
