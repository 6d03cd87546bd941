"""The wheel, installed where there is no checkout: it serves a graph, the travel assistant and the page."""

import re
import shutil
import sys
import venv
import zipfile
from pathlib import Path

import fastapi
import pytest

import backend
from tests.conventions import ROOT
from tests.packaging.running import answer_to, run, serving

pytestmark = pytest.mark.requirement("INSTALLS-AS-DETOUR")

SOURCES = ("backend", "frontend", "pyproject.toml", "README.md")
OTHER_PACKAGES = Path(fastapi.__file__).parents[1]
TOUR = "Berlin, Rome, Athens and Lisbon in any order in May, cheapest"

GRAPH = """
from typing import TypedDict

from langgraph.graph import END, START, StateGraph

from detour import say
from detour.tools import tool, use


@tool(effect="read")
async def look_up(word):
    return word.upper()


class State(TypedDict, total=False):
    message: str
    answer: str


async def agent(state):
    answer = (await use(look_up, word=state["message"])).value
    say(answer)
    return {"answer": answer}


graph = StateGraph(State).add_node("agent", agent).add_edge(START, "agent").add_edge("agent", END).compile()
"""

IMPORTS_ALL = """
import importlib, importlib.util, pkgutil
import detour
assert importlib.util.find_spec("backend") is None
for module in pkgutil.walk_packages(detour.__path__, "detour."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
print(detour.__file__)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from a copy, in which nobody else writes meanwhile."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("node_modules", "__pycache__")
            shutil.copytree(ROOT / name, folder / "sources" / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, folder / "sources" / name)
    pip = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index"]
    built = run([*pip, "--wheel-dir", ".", "./sources"], folder)
    assert built.returncode == 0, built.stdout
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install it beside nothing of ours; return the folder of `python` and `detour`.

    Other packages come from where the tests have them. That folder is named in a `.pth` file, and such files
    within it do not count: the one that makes a checkout importable is without effect.
    """
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "other_packages.pth").write_text(f"{OTHER_PACKAGES}\n", "utf-8")
    pip = [sys.executable, "-m", "pip", "--python", folder / "bin" / "python"]
    installed = run([*pip, "install", "--no-deps", "--no-index", wheel], folder)
    assert installed.returncode == 0, installed.stdout
    return folder / "bin"


def files_below(folder: Path, *suffixes: str) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.suffix in suffixes and "node_modules" not in path.parts
    }


def test_wheel_has_every_module_and_file_of_the_page_and_nothing_else(wheel: Path) -> None:
    code = files_below(ROOT / "backend", ".py", ".typed", ".toml", ".tsv", ".sql", ".json")
    page = files_below(ROOT / "frontend", ".css", ".html", ".js", ".svg")
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert held == {f"detour/{name}" for name in code} | {f"detour/page/{name}" for name in page}


def test_modules_are_imported_without_a_checkout(programs: Path, tmp_path: Path) -> None:
    done = run([programs / "python", "-W", "error", "-c", IMPORTS_ALL], tmp_path)
    assert done.returncode == 0, done.stdout
    assert Path(done.stdout.strip()).is_relative_to(programs.parent)


def test_installed_server_serves_a_graph(programs: Path, tmp_path: Path) -> None:
    (tmp_path / "shout.py").write_text(GRAPH, "utf-8")
    checked = run([programs / "detour", "check", "shout:graph"], tmp_path)
    assert (checked.returncode, checked.stdout.splitlines()[0]) == (
        0,
        "yes   kind:            state graph with 1 node",
    )
    with serving([programs / "detour", "serve", "shout:graph"], tmp_path) as server:
        assert answer_to(server, "hello") == "HELLO"
        assert server.get("/fares").status_code == 404
        assert server.get("/openapi.json").json()["info"]["version"] == backend.__version__
        chat = [programs / "detour", "chat", "--server", str(server.base_url), "--user", "ada"]
        told = run(chat, tmp_path, typed="once more\n")
        assert told.returncode == 0, told.stdout
        assert "ONCE MORE" in told.stdout


@pytest.mark.requirement("ONE-COMMAND")
def test_installed_command_and_module_are_the_same(wheel: Path, programs: Path, tmp_path: Path) -> None:
    assert wheel.name.startswith(f"detour-{backend.__version__}-")
    for command in ([programs / "detour"], [programs / "python", "-m", "detour"]):
        assert run([*command, "--version"], tmp_path).stdout == f"detour {backend.__version__}\n"
        assert "pace" in run([*command, "demo", "--help"], tmp_path).stdout


def test_installed_server_serves_the_travel_assistant_and_its_page(programs: Path, tmp_path: Path) -> None:
    with serving([programs / "python", "-m", "detour.main"], tmp_path, DETOUR_DEMO_PACE="0") as server:
        assert "The cheapest of all 24 orders is" in answer_to(server, TOUR)

        page = server.get("/")
        assert page.headers["content-type"].startswith("text/html")
        files = re.findall(r'(?:src|href)="/?(static/[^"]+)"', page.text)
        assert any(name.endswith(".js") for name in files)
        assert any(name.endswith(".css") for name in files)
        files += ["static/lib/api.js", "static/components/flight-card/flight-card.js"]
        assert {name: server.get(f"/{name}").status_code for name in files} == dict.fromkeys(files, 200)
        assert "html" in server.get("/docs").headers["content-type"]
