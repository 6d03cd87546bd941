"""`DETOUR_GRAPH` leads to a graph, or a sentence says why it does not."""

import ast
from pathlib import Path

import pytest

from backend.graphs.graph_options import GraphNotFoundError
from tests.contract.hosting import Hosting, load_graph
from tests.conventions import ROOT, our_files

pytestmark = pytest.mark.requirement("ANY-GRAPH-LOADS")

LOADABLE = "tests.graphs.loadable"

REFUSED = [
    ("", "must be module:attribute"),
    ("tests.graphs.loadable", "must be module:attribute"),
    (":graph", "must be module:attribute"),
    ("./loadable.py:graph", "must be module:attribute"),
    ("..graphs:graph", "must be module:attribute"),
    ("no_such_module:graph", "cannot be imported: ModuleNotFoundError: No module named 'no_such_module'"),
    (
        f"{LOADABLE}:no_such_graph",
        f"names no_such_graph, which {LOADABLE} does not have; graphs in it: graph, stubborn, blocking",
    ),
    ("tests.graphs.broken:graph", "cannot be imported: KeyError: 'MODEL_KEY'"),
    (f"{LOADABLE}:number", "is a int, not a compiled LangGraph graph"),
    (f"{LOADABLE}:remote", "is a RemoteGraph, which runs on another server: call it in a node of a graph"),
    (f"{LOADABLE}:State", "is the class State, not a compiled LangGraph graph"),
    (f"{LOADABLE}:build_nothing", "made a NoneType, not a compiled LangGraph graph"),
    (f"{LOADABLE}:build_from", "made no graph: TypeError: build_from() takes settings, number; only config"),
    (f"{LOADABLE}:build_in_vain", "made no graph: KeyError: 'MODEL_KEY'"),
    ("./tests/loadable.py:graph", "not './tests/loadable.py:graph'; try tests.loadable:graph."),
    ("loadable.py:graph", "not 'loadable.py:graph'; try loadable:graph."),
    ("loadable.py", "not 'loadable.py'; try loadable:graph."),
    (f"{ROOT}/tests/loadable.py:graph", "try tests.loadable:graph."),
    ("/no-such/trip.py:graph", "try trip:graph in the folder /no-such."),
    ("../trip.py", f"try trip:graph in the folder {ROOT.parent}."),
    ("my-trip.py:graph", "not 'my-trip.py:graph'."),
    ("tests.graphs.no_such:graph", "'tests.graphs.no_such'; modules are looked for from /"),
    (
        "tests.graphs.unfinished:graph",
        "No module named 'no_such_package'; install the package that has no_suc",
    ),
    ("tests.graphs.ending:graph", "cannot be imported: SystemExit: no key was given"),
]


@pytest.mark.parametrize("attribute", ["graph", "uncompiled", "build", "with_defaults", "with_lenient_dict"])
async def test_a_compiled_graph_is_served_and_so_is_what_a_function_returns(attribute: str) -> None:
    async with load_graph(f"{LOADABLE}:{attribute}").opened() as loaded:
        assert await Hosting(loaded.graph, message="you").reply() == "Hello to you"


@pytest.mark.parametrize(("path", "sentence"), REFUSED)
def test_what_cannot_be_served_is_refused_in_one_sentence_that_says_why(path: str, sentence: str) -> None:
    with pytest.raises(GraphNotFoundError) as refusal:
        load_graph(path)
    assert sentence in refusal.value.message
    assert refusal.value.message.startswith("DETOUR_GRAPH")


@pytest.mark.parametrize("folder", ["tests/graphs", "examples", "checks/bench/graph.py"])
def test_graphs_that_are_served_know_nothing_of_the_server_but_its_tools(folder: str) -> None:
    files = [path for path in our_files(".py") if path.is_relative_to(ROOT / folder)]
    assert files
    assert {name for path in files for name in imported(path) if name.startswith("backend")} <= {
        "backend.graphs.hosted_tools"
    }


def imported(path: Path) -> set[str]:
    """The modules that a file imports."""
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    plain = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    named = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return plain | named
