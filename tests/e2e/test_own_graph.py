"""The example of docs/your-own-graph.md behind a real server, as its reader would try it."""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest

from tests.conventions import ROOT


def serve(folder: Path, graph: str) -> "subprocess.Popen[str]":
    """Start a server with a graph, on a port that is free now."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = {"DETOUR_GRAPH": graph, "DETOUR_PORT": str(port), "DETOUR_DATA_DIR": str(folder)}
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("DETOUR_")}
    return subprocess.Popen(
        [sys.executable, "-m", "backend.main"],
        cwd=ROOT,
        env=inherited | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.fixture
def server(tmp_path: Path) -> Generator[httpx.Client]:
    with serve(tmp_path, "examples.shelves:graph") as process:
        assert process.stdout is not None
        try:
            link = next(line.split()[-1] for line in process.stdout if line.startswith("Detour is at"))
            with httpx.Client(base_url=link, timeout=20) as client:
                yield client
        finally:
            process.terminate()
            process.communicate()


def events(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    """The events in the lines of an event stream."""
    return (orjson.loads(line[6:]) for line in lines if line.startswith("data: "))


def say(server: httpx.Client, message: str) -> str:
    accepted = server.post("/chat", json={"user_id": "ann", "message": message})
    assert accepted.status_code == 202
    return accepted.json()["task_id"]


def test_the_example_is_interrupted_and_tells_what_it_had_found(server: httpx.Client) -> None:
    with server.stream("GET", "/events/ann?since=0") as stream:
        following = events(stream.iter_lines())
        rome = say(server, "Rome")
        found = next(event for event in following if event["type"] == "partial_result")
        assert (found["agent"], found["task_id"]) in [("books", rome), ("films", rome)]

        carthage = say(server, "Carthage")
        ended = {}
        while len(ended) < 2:
            event = next(following)
            if event["type"] == "status_update" and event["status"] != "running":
                ended[event["task_id"]] = event["status"]
        assert ended == {rome: "interrupted", carthage: "completed"}

    results = server.get("/partial-results/ann").json()
    assert {agent: len(items) for agent, items in results["partial_results"].items()} == {
        "books": 3,
        "films": 2,
    }
    before = sum(map(len, results["interrupted"][0]["partial_results"].values()))
    assert before >= 1
    reply = server.get("/history/ann").json()["messages"][-1]["text"]
    assert reply == f"5 titles about Carthage. I had found {before} about Rome before."


def test_the_code_in_the_documentation_is_that_of_the_examples() -> None:
    text = (ROOT / "docs/your-own-graph.md").read_text("utf-8")
    shown = [
        line for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) for line in block.splitlines()
    ]
    assert len(shown) > 20
    examples = [(ROOT / f"examples/{name}.py").read_text("utf-8") for name in ("shelves", "rooms")]
    assert set(shown) - {line for each in examples for line in each.splitlines()} == set()


def test_a_server_without_its_graph_ends_with_one_line_that_says_why(tmp_path: Path) -> None:
    process = serve(tmp_path, "examples.shelves:grpah")
    said, _ = process.communicate(timeout=30)
    assert process.returncode == 1
    assert said.startswith("DETOUR_GRAPH=examples.shelves:grpah cannot be imported: AttributeError")
    assert said.count("\n") == 1
