"""A server for a graph imports nothing that a graph does not need."""

import json
import sys
from pathlib import Path

import pytest

from tests.conventions import ROOT
from tests.packaging.running import run

pytestmark = pytest.mark.requirement("A-GRAPHS-SERVER-IS-LIGHT")

MODULES_OF_A_SERVER = """
import asyncio, json, sys
from backend.http.plugin_loading import settings_class
from backend.main import ABOUT, Detour
from backend.http.settings import settings_of_command

async def serve():
    async with Detour(settings_of_command(settings_class(), (), about=ABOUT)).life():
        print(json.dumps([*sys.modules]))

asyncio.run(serve())
"""
UNNEEDED = {
    "airportsdata", "asyncpg", "cryptography", "jsonschema", "jwt", "markdown_it", "nh3", "rapidfuzz",
}  # fmt: skip
"""What only some servers use: with PostgreSQL, JSON Web Tokens, or the assistant; or once it is asked for."""


def modules_of_a_server(folder: Path, **settings: str) -> set[str]:
    done = run([sys.executable, "-c", MODULES_OF_A_SERVER], folder, PYTHONPATH=str(ROOT), **settings)
    assert done.returncode == 0, done.stdout
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_server_for_a_graph_imports_no_travel_and_no_unused_library(tmp_path: Path):
    modules = modules_of_a_server(tmp_path, DETOUR_GRAPH="tests.graphs.stuck:graph")
    assert "langgraph" in modules
    assert {name for name in modules if name.split(".")[:2] == ["backend", "travel"]} == set()
    assert modules & UNNEEDED == set()


def test_server_for_a_graph_still_knows_the_settings_of_travel(tmp_path: Path):
    modules = modules_of_a_server(tmp_path, DETOUR_GRAPH="tests.graphs.stuck:graph", DETOUR_DEMO_PACE="0")
    assert "backend.travel" not in modules
    with pytest.raises(AssertionError, match="DETOUR_MODEL: it is for the travel graph"):
        modules_of_a_server(tmp_path, DETOUR_GRAPH="tests.graphs.stuck:graph", DETOUR_MODEL="openai:m")
    with pytest.raises(AssertionError, match="did you mean DETOUR_DEMO_PACE"):
        modules_of_a_server(tmp_path, DETOUR_GRAPH="tests.graphs.stuck:graph", DETOUR_DEMO_PACES="0")
