"""The house rules that no linter has a rule for, as functions from a source to what is wrong with it.

Each check takes a syntax tree or a text and yields problems, each a line number and a sentence.
`tests/test_conventions.py` holds the whole project to them, and shows each check a source that breaks it.
"""

import ast
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

Problem = tuple[int, str]

ROOT = Path(__file__).resolve().parent.parent
HOME_OF_TASKS = "backend/tasks/task_owner.py"
FOLDERS_THAT_ARE_NOT_OURS = {"node_modules", "data", "build", "dist", "results", "__pycache__"}
HIDDEN_THAT_ARE_OURS = {
    ".ci",
    ".dockerignore",
    ".env.example",
    ".gitignore",
    ".npmrc",
    ".pre-commit-config.yaml",
}

PIN = re.compile(
    r"[a-z0-9]+(-[a-z0-9]+)*==[0-9][0-9A-Za-z.+!]*( ; [A-Za-z_0-9.'!<>= ]+)?"
    r"( \\\n    --hash=sha256:[0-9a-f]{64})+"
)
# Written in pieces, so that this file keeps the rules it states.
UNFINISHED = re.compile(r"\b(" + "TO" + "DO|FIX" + "ME|X" + r"XX)\b")
MACHINE_PATH = re.compile(r"(?<![\w.:}/-])/(" + "work|root|home|Users|opt|tmp" + r")/\w")
INDEX_ADDRESS = re.compile(
    "pypi"
    + r"\.org/simple|pythonhosted\.org|file:"
    + r"//|--(extra-)?index"
    + "-url|--find"
    + "-links|--trusted"
    + "-host"
)


PICTURES = {".png", ".gif"}


def our_files(*suffixes: str) -> list[Path]:
    """Return the project's own texts with these suffixes, or all; nothing generated or fetched."""
    return [path for path in _all_files() if not suffixes or path.suffix in suffixes]


@cache
def _all_files() -> list[Path]:
    found: list[Path] = []
    for folder, below, names in os.walk(ROOT):
        # In place, so that what is fetched is not walked at all: tens of thousands of files.
        below[:] = [name for name in below if _is_ours(name)]
        found += [Path(folder, name) for name in names if _is_ours(name)]
    return sorted(path for path in found if path.is_file() and path.suffix not in PICTURES)


def _is_ours(name: str) -> bool:
    is_hidden = name.startswith(".") and name not in HIDDEN_THAT_ARE_OURS
    return not (name in FOLDERS_THAT_ARE_NOT_OURS or name.endswith(".egg-info") or is_hidden)


# Cancellation and tasks


def swallowed_cancellation(tree: ast.Module) -> Iterator[Problem]:
    """A handler that would also catch a cancellation: bare, BaseException or CancelledError."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler):
            caught = _last_names(node.type) if node.type else {"everything"}
        elif isinstance(node, ast.Call) and _last_names(node.func) == {"suppress"}:
            caught = {name for argument in node.args for name in _last_names(argument)}
        else:
            continue
        for name in caught & {"everything", "BaseException", "CancelledError"}:
            yield node.lineno, f"catches {name}, and with it a cancellation"


def uncancelling(tree: ast.Module) -> Iterator[Problem]:
    """A cancellation taken back."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "uncancel":
            yield node.lineno, "takes a cancellation back"


def unowned_tasks(tree: ast.Module) -> Iterator[Problem]:
    """A task started where nothing is sure to hold and await it; a task group is."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if node.func.attr not in {"create_task", "ensure_future"}:
            continue
        owners = _last_names(node.func.value)
        if not any(owner.endswith("group") for owner in owners):
            yield node.lineno, f"starts a task outside {HOME_OF_TASKS}"


# Tests


def waiting_tests(tree: ast.Module) -> Iterator[Problem]:
    """A test that reads the wall clock or blocks."""
    clocks = {"sleep", "time", "monotonic", "perf_counter"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in clocks and _last_names(node.value) == {"time"}:
            yield node.lineno, f"uses time.{node.attr}"


# Text


def unfinished(text: str) -> Iterator[Problem]:
    """A note that something is still to be done."""
    for number, line in enumerate(text.splitlines(), 1):
        if UNFINISHED.search(line):
            yield number, "is marked as unfinished"


def machine_specific(text: str) -> Iterator[Problem]:
    """A path of one machine, or the address of a package index."""
    for number, line in enumerate(text.splitlines(), 1):
        if MACHINE_PATH.search(line):
            yield number, "names a path of one machine"
        if INDEX_ADDRESS.search(line):
            yield number, "names a package index"


def unpinned(text: str) -> Iterator[Problem]:
    """A part of a pin file that is not `name==version` with its marker, if it has one, and hashes."""
    number = 1
    for entry in re.split(r"\n(?! )", text.removesuffix("\n")):
        if not PIN.fullmatch(entry):
            yield number, f"is not a pin with hashes: {entry}"
        number += entry.count("\n") + 1


def placed(text: str) -> Iterator[Problem]:
    """A line of npm's lock file that says where a package is to be fetched from."""
    for number, line in enumerate(text.splitlines(), 1):
        if '"resolved"' in line or "://" in line:
            yield number, f"is an address: {line.strip()}"


def _last_names(node: ast.expr) -> set[str]:
    """Return the last part of a dotted name, or of each member of a tuple of them."""
    if isinstance(node, ast.Tuple):
        return {name for member in node.elts for name in _last_names(member)}
    if isinstance(node, ast.Attribute):
        return {node.attr}
    if isinstance(node, ast.Name):
        return {node.id}
    return set()
