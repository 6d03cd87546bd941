"""The travel wing can be taken away: a copy without `backend/travel` serves any graph as it did before."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from checks.conformance.phases import EVENTS, PHASES
from tests.conventions import ROOT
from tests.packaging.running import answer_to, run, serving

pytestmark = pytest.mark.requirement("TRAVEL-CAN-BE-TAKEN-AWAY")

SERVER = (sys.executable, "-m", "backend.main")
IS_WITHOUT_TRAVEL = """
import importlib.util
import backend
assert importlib.util.find_spec("backend.travel") is None
print(backend.__file__)
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the code without the travel wing; a program run in this folder imports the copy."""
    folder = tmp_path_factory.mktemp("without-travel")
    for name in ("backend", "frontend", "checks/conformance"):
        ignored = shutil.ignore_patterns("travel", "node_modules", "__pycache__")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    shutil.copy(ROOT / "tests/scripted_graph.py", folder)
    return folder


def test_copy_runs_without_travel(copy: Path) -> None:
    done = run([sys.executable, "-c", IS_WITHOUT_TRAVEL], copy)
    assert done.returncode == 0, done.stdout
    assert Path(done.stdout.strip()) == copy / "backend/__init__.py"


@pytest.mark.requirement("EVERY-PHASE-EVERY-EVENT", "TOOLS-OF-ANY-GRAPH")
def test_conformance_table_passes_without_travel(copy: Path) -> None:
    done = run([sys.executable, "-m", "checks.conformance", "--json", "seen.json"], copy)
    assert done.returncode == 0, done.stdout
    seen = json.loads((copy / "seen.json").read_text("utf-8"))
    assert len(seen) == len(PHASES) * len(EVENTS)
    assert all(cell["passed"] for cell in seen)
    assert done.stdout.splitlines()[-1] in (ROOT / "checks/conformance/README.md").read_text("utf-8")


def test_graph_is_served_without_travel_and_its_routes(copy: Path) -> None:
    with serving(SERVER, copy, DETOUR_GRAPH="scripted_graph:graph") as server:
        assert answer_to(server, "find 2") == "Done: find 2"
        routes = ("/fares", "/airports", "/places", "/land", "/bookings/ada")
        assert {route: server.get(route).status_code for route in routes} == dict.fromkeys(routes, 404)
        assert server.get("/").status_code == 200


def test_server_without_travel_and_graph_says_what_to_set(copy: Path) -> None:
    done = run(SERVER, copy)
    assert done.returncode == 1
    assert done.stdout == "DETOUR_GRAPH must name a graph (module:attribute): no other is installed.\n"
