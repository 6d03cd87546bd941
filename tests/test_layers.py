"""The import contracts in pyproject.toml catch what they are written for, planned modules included.

The real imports are held to the contracts here as by `make check`. And each contract is shown an import that
breaks it, in a graph that has every module of the design, so that one which can no longer fail is found.
"""

from copy import deepcopy
from pathlib import Path

import grimp
import pytest
from importlinter import Contract
from importlinter.api import read_configuration
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.layers import LayersContract

PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"
TYPES: dict[str, type[Contract]] = {"layers": LayersContract, "forbidden": ForbiddenContract}

LAYERS = "Each module imports only what is below it"
ONLY_MAIN = "Only main names a concrete backend, reads settings or configures logs"
CORE = "The interruption core knows nothing about travel"
CONVERSATION = "A conversation does not know which workflow answers it"
AGENTS = "Agents do not know each other"
PURE = "What is pure imports no asyncio and does no I/O"
WEB = "The web framework ends at the api"
CLIENT = "The terminal client knows the server by its API alone"

MODULES = """
    cli cli.link demo_interruption demo_client main api api.chat runner conversation interruption_manager
    graph_workflow hosted_graph graph_loading graph_stream agents agents.router agents.flight agents.hotel
    agents.response understanding understanding.dates
    tools tools.ledger tools.search_flights workflow task_context event_log state_store state_store.base
    state_store.memory state_store.sqlite event_bus event_bus.base event_bus.memory providers providers.base
    providers.demo providers.demo.flights models models.base models.loading task_owner settings logs domain
    domain.task domain.travel errors
"""
LEGAL = [
    ("demo_interruption", "main"),
    ("demo_interruption", "demo_client"),
    ("demo_client", "task_owner"),
    ("cli.link", "websockets"),
    ("main", "state_store.sqlite"),
    ("main", "settings"),
    ("main", "logs"),
    ("main", "api.chat"),
    ("main", "graph_workflow"),
    ("api.chat", "runner"),
    ("api.chat", "fastapi"),
    ("runner", "conversation"),
    ("runner", "understanding"),
    ("conversation", "interruption_manager"),
    ("interruption_manager", "task_context"),
    ("graph_workflow", "agents.flight"),
    ("graph_workflow", "workflow"),
    ("hosted_graph", "workflow"),
    ("hosted_graph", "langgraph"),
    ("hosted_graph", "graph_stream"),
    ("graph_stream", "task_context"),
    ("agents.flight", "tools.search_flights"),
    ("agents.flight", "understanding.dates"),
    ("tools.search_flights", "providers.base"),
    ("tools.search_flights", "tools.ledger"),
    ("tools.ledger", "task_context"),
    ("task_context", "event_log"),
    ("event_log", "state_store.base"),
    ("state_store.memory", "state_store.base"),
    ("state_store.sqlite", "task_owner"),
    ("state_store.sqlite", "apsw"),
    ("providers.demo", "domain.travel"),
    ("agents.flight", "models.base"),
    ("main", "models.loading"),
    ("models.base", "domain.task"),
    ("understanding.dates", "domain.travel"),
    ("task_owner", "asyncio"),
    ("domain.task", "errors"),
]
VIOLATIONS = [
    ("runner", "api.chat", LAYERS),
    ("api.chat", "main", LAYERS),
    ("main", "demo_interruption", LAYERS),
    ("main", "demo_client", LAYERS),
    ("demo_client", "demo_interruption", LAYERS),
    ("conversation", "runner", LAYERS),
    ("interruption_manager", "conversation", LAYERS),
    ("interruption_manager", "graph_workflow", LAYERS),
    ("graph_workflow", "interruption_manager", LAYERS),
    ("hosted_graph", "graph_workflow", LAYERS),
    ("agents.router", "graph_workflow", LAYERS),
    ("understanding", "agents.router", LAYERS),
    ("tools.search_flights", "understanding", LAYERS),
    ("task_context", "workflow", LAYERS),
    ("task_context", "tools.ledger", LAYERS),
    ("event_log", "task_context", LAYERS),
    ("state_store.base", "event_log", LAYERS),
    ("state_store.sqlite", "event_bus.base", LAYERS),
    ("providers.base", "state_store.base", LAYERS),
    ("models.base", "task_context", LAYERS),
    ("task_owner", "event_log", LAYERS),
    ("domain.task", "task_owner", LAYERS),
    ("errors", "domain.task", LAYERS),
    ("runner", "undeclared", LAYERS),
    ("runner", "state_store.memory", ONLY_MAIN),
    ("event_log", "state_store.sqlite", ONLY_MAIN),
    ("api.chat", "event_bus.memory", ONLY_MAIN),
    ("tools.search_flights", "providers.demo", ONLY_MAIN),
    ("agents.flight", "providers.demo.flights", ONLY_MAIN),
    ("state_store.memory", "state_store.sqlite", ONLY_MAIN),
    ("runner", "settings", ONLY_MAIN),
    ("agents.flight", "models.loading", ONLY_MAIN),
    ("api.chat", "logs", ONLY_MAIN),
    ("providers.demo", "settings", ONLY_MAIN),
    ("interruption_manager", "understanding", CORE),
    ("hosted_graph", "domain.travel", CORE),
    ("tools.ledger", "providers.base", CORE),
    ("conversation", "hosted_graph", CONVERSATION),
    ("conversation", "agents.flight", CONVERSATION),
    ("agents.flight", "agents.hotel", AGENTS),
    ("domain.task", "asyncio", PURE),
    ("understanding.dates", "httpx2", PURE),
    ("errors", "fastapi", PURE),
    ("runner", "fastapi", WEB),
    ("event_log", "starlette", WEB),
    ("agents.flight", "websockets", WEB),
    ("cli.link", "settings", CLIENT),
    ("cli.link", "event_log", CLIENT),
    ("main", "cli", LAYERS),
]


def read_contracts() -> list[Contract]:
    configuration = read_configuration(str(PYPROJECT))
    return [
        TYPES[one["type"]](
            name=one["name"], session_options=configuration["session_options"], contract_options=one
        )
        for one in configuration["contracts_options"]
    ]


def graph_of(imports: list[tuple[str, str]]) -> grimp.ImportGraph:
    graph = grimp.ImportGraph()
    inside = MODULES.split()
    for name in ["backend", *(f"backend.{name}" for name in inside)]:
        graph.add_module(name)
    for importer, imported in imports:
        known = imported in inside or imported == "undeclared"
        target = f"backend.{imported}" if known else imported
        if target not in graph.modules:
            graph.add_module(target, is_squashed=not known)
        graph.add_import(
            importer=f"backend.{importer}", imported=target, line_number=1, line_contents=f"import {target}"
        )
    return graph


def broken_by(graph: grimp.ImportGraph) -> list[str]:
    return [one.name for one in read_contracts() if not one.check(deepcopy(graph), verbose=False).kept]


def broken(imports: list[tuple[str, str]]) -> list[str]:
    return broken_by(graph_of(imports))


@pytest.mark.requirement("CORE-KNOWS-NO-TRAVEL", "ONLY-MAIN-BUILDS")
def test_the_imports_of_the_backend_break_no_contract() -> None:
    backend = grimp.build_graph("backend", include_external_packages=True, cache_dir=None)
    assert "backend.main" in backend.modules
    assert broken_by(backend) == []
    backend.add_import(importer="backend.settlement", imported="backend.domain.travel")
    assert CORE in broken_by(backend)


def test_the_imports_the_design_needs_break_no_contract() -> None:
    assert broken(LEGAL) == []


@pytest.mark.requirement("CORE-KNOWS-NO-TRAVEL", "ONLY-MAIN-BUILDS")
@pytest.mark.parametrize(
    ("importer", "imported", "contract"), VIOLATIONS, ids=[f"{a} imports {b}" for a, b, _ in VIOLATIONS]
)
def test_an_import_against_the_design_breaks_its_contract(
    importer: str, imported: str, contract: str
) -> None:
    assert contract in broken([*LEGAL, (importer, imported)])


def test_every_contract_is_shown_an_import_that_breaks_it() -> None:
    assert {one.name for one in read_contracts()} == {contract for _, _, contract in VIOLATIONS}
