"""`DETOUR_GRAPH` may name the `langgraph.json` of a project, or its folder."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.graphs.graph_options import GraphNotFoundError
from backend.graphs.loading import named_graphs
from tests.contract.hosting import Hosting, load_graph
from tests.conventions import ROOT

pytestmark = pytest.mark.requirement("ANY-GRAPH-LOADS")

GRAPH = """
import os
from dataclasses import dataclass
from langgraph.graph import START, MessagesState, StateGraph
{imports}

@dataclass
class Note:
    text: str

async def reply(state: MessagesState) -> dict:
    return {{"messages": [("ai", Note({text}).text)]}}

def make(name="graph"):
    return StateGraph(MessagesState).add_node(reply).add_edge(START, "reply").compile()

graph = make()
"""


@pytest.fixture(autouse=True)
def process_as_it_was() -> Iterator[None]:
    """Loading a project changes the process for good: its variables, its path, its modules."""
    environment, path, modules = {**os.environ}, [*sys.path], {*sys.modules}
    yield
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:] = path
    for name in {*sys.modules} - modules:
        del sys.modules[name]


def write(folder: Path, files: dict[str, str], **said: Any) -> Path:
    """Write the files of a project, and what its langgraph.json says."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    (folder / "langgraph.json").write_text(json.dumps({"dependencies": ["."], **said}), "utf-8")
    return folder


def graph(text: str = "'hello'", imports: str = "") -> str:
    return GRAPH.format(text=text, imports=imports)


async def reply_of(named: object) -> str:
    async with load_graph(str(named)).opened() as found:
        return await Hosting(found.graph).reply()


@pytest.mark.parametrize("place", ["", "/langgraph.json", ":agent", "/langgraph.json:agent"])
async def test_project_is_named_by_folder_or_file_with_or_without_a_graph(tmp_path: Path, place: str) -> None:
    graphs = {"agent": "./agent.py:graph", "module": "agent:make", "other": "./nowhere.py:graph"}
    write(tmp_path, {"agent.py": graph()}, graphs=graphs)
    assert await reply_of(f"{tmp_path}{place}") == "hello"
    assert await reply_of(f"{tmp_path}:module") == "hello"


async def test_folder_without_a_slash_is_a_project_unless_it_is_a_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("a_project", "a_package"):
        files = {"agent_there.py": graph(), "__init__.py": graph("'a package'")}
        write(tmp_path / name, files, graphs={"graph": "./agent_there.py:graph"})
    (tmp_path / "a_project/__init__.py").unlink()
    assert await reply_of("a_project:graph") == "hello"
    assert await reply_of("a_package:graph") == "a package"


async def test_graphs_have_descriptions_and_some_can_be_picked(
    tmp_path: Path,
) -> None:
    write(tmp_path, {}, graphs={"a": "m:a", "b": {"path": "m:b", "description": "Books"}, "c": "m:c"})
    assert [(each.name, each.description) for each in named_graphs(str(tmp_path))] == [
        ("a", ""),
        ("b", "Books"),
        ("c", ""),
    ]
    assert [each.setting for each in named_graphs(f"{tmp_path}:c, a")] == [f"{tmp_path}:c", f"{tmp_path}:a"]


async def test_files_of_one_name_are_separate_modules(tmp_path: Path) -> None:
    files = {"a-1/agent.py": graph("'one'"), "b-2/agent.py": graph("'two'")}
    write(tmp_path, files, graphs={"a": "./a-1/agent.py:graph", "b": "./b-2/agent.py:graph"})
    assert await reply_of(f"{tmp_path}:a") == "one"
    assert await reply_of(f"{tmp_path}:b") == "two"


async def test_example_of_the_documentation_is_served() -> None:
    async with load_graph(f"{ROOT / 'examples'}:shelves").opened() as found:
        assert {"books", "films", "sum_up"} < {*found.graph.nodes}


async def test_local_dependencies_are_importable_by_every_name(tmp_path: Path) -> None:
    files = {
        "app/src/agent/graph.py": graph(
            "words.HELLO + other.HELLO + shared.HELLO",
            "from . import words\nfrom agent import words as other\nimport shared",
        ),
        "app/src/agent/words.py": "HELLO = 'hello '",
        "libs/shared.py": "HELLO = 'you'",
    }
    graphs = {"agent": "./src/agent/graph.py:graph"}
    write(tmp_path, files)
    write(tmp_path / "app", {}, graphs=graphs, dependencies=[".", "../libs"])
    assert await reply_of(tmp_path / "app") == "hello hello you"


async def test_file_named_as_a_module_of_the_server_is_imported(tmp_path: Path) -> None:
    write(tmp_path, {"backend/main.py": graph()}, graphs={"agent": "./backend/main.py:graph"})
    assert await reply_of(tmp_path) == "hello"


@pytest.mark.parametrize("as_file", [True, False])
async def test_env_sets_variables_but_no_settings_and_none_that_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, as_file: bool
) -> None:
    monkeypatch.setenv("OUR_TONE", "kind")
    monkeypatch.delenv("DETOUR_TOKEN", raising=False)
    env = {"OUR_KEY": "abc", "OUR_TONE": "rude", "DETOUR_TOKEN": "open"}
    lines = "".join(f"{name}={value}\n" for name, value in env.items())
    names = "', '".join(env)
    files = {"agent.py": graph(f"str([os.environ.get(each) for each in ['{names}']])"), "keys.env": lines}
    write(tmp_path, files, graphs={"agent": "./agent.py:graph"}, env="./keys.env" if as_file else env)
    assert await reply_of(tmp_path) == "['abc', 'kind', None]"


AGENT = {"graphs": {"agent": "./agent.py:graph"}}
REFUSED: list[tuple[str, dict[str, str], dict[str, Any], str]] = [
    (":other", {"agent.py": graph()}, AGENT, "has no graph other; its graphs: agent"),
    ("", {}, AGENT, "names a file that does not exist: "),
    ("", {}, {"graphs": {"agent": "./agent.ts:graph"}}, "names a JavaScript graph, ./agent.ts"),
    ("", {}, {}, 'must name its graphs: "graphs": {"agent": "./agent.py:graph"}'),
    ("", {}, {"graphs": {"agent": 7}}, "must name a file and an attribute for the graph agent, as in "),
    ("", {}, {"graphs": {"agent": "./agent.py"}}, "must name a file and an attribute for the graph agent"),
    ("", {"agent.py": graph()}, {"graphs": {"agent": "agent.py:graph"}}, "names the file agent.py as a "
     "module: write ./agent.py:graph"),
    ("", {"agnet.py": graph()}, AGENT, "agent.py; Python files there: agnet.py"),
    ("", {"agent.py": graph()}, {"graphs": {"agent": "./agent.py:grpah"}}, "names grpah, which agent does "
     "not have; graphs in it: graph"),
    ("", {"agent.py": graph()}, {**AGENT, "env": ["A"]}, 'has "env" of another type than LangGraph documen'),
    ("", {"agent.py": "import os\nos.environ['NO_KEY']"}, {**AGENT, "env": "keys.env"}, "the environment "
     "variable NO_KEY is not set; the file of variables keys.env does not exist"),
    ("", {}, {"graphs": []}, 'has "graphs" of another type than LangGraph documents'),
    ("", {"agent.py": graph()}, {**AGENT, "dependencies": ["./libs"]}, "names a dependency that is no f"),
    ("", {"agent.py": "graph = 7"}, AGENT, "is a int, not a compiled LangGraph graph"),
    ("", {"agent.py": "import no_such"}, AGENT, "cannot be imported: ModuleNotFoundError: No module named"),
    (
        "",
        {"agent.py": "import no_such"},
        {**AGENT, "dependencies": [".", "no-such>=1", "pytest", "git+https://example.org/x"]},
        "No module named 'no_such'; not installed, to be had by: python -m pip install no-such",
    ),
    (
        "",
        {
            "agent.py": "import no_such_module",
            "pyproject.toml": "[project]\ndependencies = ['no-such', 'pytest>=1', 'other; a==\"x\"']",
            "requirements.txt": "# ours\n-e .\nno-such\nno-others[a]==1\n",
        },
        AGENT,
        "not installed, to be had by: python -m pip install no-such no-others",
    ),
    (
        "",
        {"agent.py": "import no_such.part", "requirements.txt": "no-others\nno-such\n"},
        AGENT,
        "No module named 'no_such'; not installed, to be had by: python -m pip install no-such",
    ),
    (
        "",
        {"agent.py": "import langchain.no_such"},
        AGENT,
        "the langchain that is installed has no langchain.no_such: it may be another version than is needed",
    ),
    ("/nothing.json", {}, {}, "cannot be read: No such file or directory"),
    ("/broken.json", {"broken.json": "{"}, {}, "is no JSON: "),
]  # fmt: skip


@pytest.mark.parametrize(("place", "files", "said", "sentence"), REFUSED)
def test_project_that_cannot_be_served_is_refused_in_one_sentence(
    tmp_path: Path, place: str, files: dict[str, str], said: dict[str, Any], sentence: str
) -> None:
    write(tmp_path, files, **said)
    with pytest.raises(GraphNotFoundError) as refusal:
        load_graph(f"{tmp_path}{place}")
    assert refusal.value.message.startswith(f"DETOUR_GRAPH={tmp_path}{place} ")
    assert sentence in refusal.value.message
    assert "\n" not in refusal.value.message
