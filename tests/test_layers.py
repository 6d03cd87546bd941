"""The folders show the architecture: each import contract of pyproject.toml names them, and can fail.

The real imports are held to the contracts here as by `make check`. Then each contract is shown imports that
break it, planted one at a time into the graph of the real imports, so that a contract with a hole is found.
"""

import ast
from copy import deepcopy
from pathlib import Path

import grimp
import pytest
from importlinter import Contract
from importlinter.api import read_configuration
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.layers import LayersContract

from tests.conventions import ROOT

PYPROJECT = ROOT / "pyproject.toml"
BACKEND = ROOT / "backend"
TYPES: dict[str, type[Contract]] = {"layers": LayersContract, "forbidden": ForbiddenContract}

DOWN = "A message goes down through the folders, and nothing imports upwards"
CLIENTS = "Clients know the server by its API alone"
AGENTS = "Agents do not know each other"
VIEW = "Agents see a task through its AgentContext alone"
READERS = "A message is read in English, and related to others in no language"
ENGLISH = "English is read from words upwards, and no folder of it imports one above"
TALKERS = "Only the readers of messages, and what talks to users, know English"
PURE = "What is pure imports no asyncio and does no I/O"
WEB = "The web framework ends at http"
BACKENDS = "Only main names a concrete store"

VIOLATIONS = [
    ("interruption_manager", "travel.values.travel", DOWN),
    ("tasks.task_context", "travel.understanding.english.language.text", DOWN),
    ("http.plugin_loading", "travel.workflow", DOWN),
    ("http.routes.chat", "main", DOWN),
    ("conversation.agent_manager", "http.routes.chat", DOWN),
    ("tasks.task_context", "graphs.hosted_graph", DOWN),
    ("store.event_log", "tasks.task_context", DOWN),
    ("domain.task", "store.event_log", DOWN),
    ("clients.api", "http.settings", CLIENTS),
    ("clients.api", "domain.errors", CLIENTS),
    ("travel.agents.searching", "travel.agents.booking", AGENTS),
    ("travel.agents.response", "tasks.task_context", VIEW),
    ("travel.agents.response", "tasks.ledger.ledger", VIEW),
    ("travel.understanding.dialogue.relation", "travel.understanding.english.language.text", READERS),
    ("travel.understanding.message", "travel.understanding.english.details.facts", READERS),
    ("travel.understanding.places.gazetteer", "travel.understanding.english.language.text", READERS),
    ("travel.understanding.english.bookings.acts", "travel.understanding.understand", READERS),
    ("travel.understanding.english.language.text", "travel.understanding.english.dates.points", ENGLISH),
    ("travel.understanding.english.reading", "travel.understanding.english.reader", ENGLISH),
    ("travel.tools.search", "travel.understanding.english.language.text", TALKERS),
    ("travel.routes.places", "travel.understanding.english.places.places", TALKERS),
    ("domain.task", "asyncio", PURE),
    ("travel.understanding.english.dates.grammar", "httpx2", PURE),
    ("domain.errors", "fastapi", PURE),
    ("conversation.agent_manager", "fastapi", WEB),
    ("graphs.hosted_graph", "websockets", WEB),
    ("conversation.agent_manager", "store.sqlite.memory", BACKENDS),
    ("http.services", "store.sqlite.store", BACKENDS),
]


@pytest.fixture(scope="module")
def imports() -> grimp.ImportGraph:
    return grimp.build_graph("backend", include_external_packages=True, cache_dir=None)


def read_contracts() -> list[Contract]:
    configuration = read_configuration(str(PYPROJECT))
    return [
        TYPES[one["type"]](
            name=one["name"], session_options=configuration["session_options"], contract_options=one
        )
        for one in configuration["contracts_options"]
    ]


def broken_by(graph: grimp.ImportGraph) -> list[str]:
    return [one.name for one in read_contracts() if not one.check(deepcopy(graph), verbose=False).kept]


@pytest.mark.requirement("CORE-KNOWS-NO-TRAVEL", "ONLY-MAIN-BUILDS")
def test_imports_of_the_backend_break_no_contract(imports: grimp.ImportGraph) -> None:
    assert "backend.main" in imports.modules
    assert broken_by(imports) == []


@pytest.mark.requirement("CORE-KNOWS-NO-TRAVEL", "ONLY-MAIN-BUILDS")
@pytest.mark.parametrize(
    ("importer", "imported", "contract"), VIOLATIONS, ids=[f"{a} imports {b}" for a, b, _ in VIOLATIONS]
)
def test_import_against_the_design_breaks_its_contract(
    imports: grimp.ImportGraph, importer: str, imported: str, contract: str
) -> None:
    graph = deepcopy(imports)
    target = imported if f"backend.{imported}" not in graph.modules else f"backend.{imported}"
    if target not in graph.modules:
        graph.add_module(target, is_squashed=True)
    assert f"backend.{importer}" in graph.modules
    graph.add_import(
        importer=f"backend.{importer}", imported=target, line_number=1, line_contents=f"import {target}"
    )
    assert contract in broken_by(graph)


def test_contracts_are_each_shown_an_import_that_breaks_them() -> None:
    assert {one.name for one in read_contracts()} == {contract for _, _, contract in VIOLATIONS}


@pytest.mark.requirement("CORE-KNOWS-NO-TRAVEL")
def test_folders_are_all_in_the_contracts() -> None:
    children = {path.stem for path in BACKEND.iterdir() if path.suffix in ("", ".py")}
    inside = children - {"__init__", "__pycache__"}
    by_name = {one["name"]: one for one in read_configuration(str(PYPROJECT))["contracts_options"]}
    layered = {name.strip() for layer in by_name[DOWN]["layers"] for name in layer.split("|")}
    assert layered == inside
    forbidden = {name.removeprefix("backend.") for name in by_name[CLIENTS]["forbidden_modules"]}
    assert forbidden == inside - {"client", "clients"}


def named_absolutely(path: Path) -> list[int]:
    """Return the lines of a module that import the package by its own name."""
    found: list[int] = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
        found += [node.lineno for name in names if name.split(".")[0] == "backend"]
    return found


def test_package_does_not_import_itself_by_name(tmp_path: Path) -> None:
    assert {path: found for path in BACKEND.rglob("*.py") if (found := named_absolutely(path))} == {}
    planted = tmp_path / "planted.py"
    planted.write_text("from .a import b\nimport backend.domain.errors\nfrom backend.domain import task\n")
    assert named_absolutely(planted) == [2, 3]
