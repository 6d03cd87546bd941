"""The examples of docs/your-own-graph.md behind a real server, as its reader would try them."""

import asyncio
import re
import sys
from contextlib import aclosing

from backend import check
from backend.clients.api import Connection, Position, User, follow
from tests.api.live import BOUND_S
from tests.conventions import ROOT

PAGE = (ROOT / "docs/your-own-graph.md").read_text("utf-8")
FIRST_GRAPH = PAGE.partition("```python\n")[2].partition("```")[0]


async def test_five_minutes_of_the_page_end_as_it_shows(process, tmp_path) -> None:
    (tmp_path / "sights.py").write_text(FIRST_GRAPH, "utf-8")
    server = process(graph="sights:graph")
    await server.start()
    async with (
        asyncio.timeout(BOUND_S),
        aclosing(follow(User(url=server.url, user_id="ann"), Position(0))) as events,
    ):
        await server.chat("ann", "Rome")
        found = 0
        async for event in events:
            if isinstance(event, Connection):
                continue
            if event["type"] == "partial_result":
                found += 1
                if found == 2:
                    await server.chat("ann", "Lisbon")
            if event["type"] == "input_request":
                assert found == 6
                assert (await server.chat("ann", "3"))["relation"] == "answer"
            if event["type"] == "status_update" and event["status"] == "completed":
                break
    shown = re.search(r'```\n("role":"user","text":"Rome"\n.*?Lisbon in 3.*?)```', PAGE, re.DOTALL)[1]
    told = "".join(
        f'"role":"{each["role"]}","text":"{each["text"]}"\n'
        for each in (await server.history("ann"))["messages"]
    )
    assert re.sub(r"after [0-9.]+ s", "after 2.5 s", told) == shown


def test_check_of_the_pages_first_graph_prints_what_it_shows(monkeypatch, capsys, tmp_path) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    monkeypatch.chdir(tmp_path)
    assert check.main(["examples.sights:graph"]) == 0
    assert f"```\n{capsys.readouterr().out}```\n" in PAGE


async def test_example_is_interrupted_and_tells_what_it_had_found(process) -> None:
    server = process(graph="examples.shelves:graph")
    await server.start()
    ended: dict[str, str] = {}
    rome = carthage = ""
    async with (
        asyncio.timeout(BOUND_S),
        aclosing(follow(User(url=server.url, user_id="ann"), Position(0))) as events,
    ):
        rome = (await server.chat("ann", "Rome"))["task_id"]
        async for event in events:
            if isinstance(event, Connection):
                continue
            if event["type"] == "partial_result" and not carthage:
                assert (event["agent"], event["task_id"]) in [("books", rome), ("films", rome)]
                carthage = (await server.chat("ann", "Carthage"))["task_id"]
            if event["type"] == "status_update" and event["status"] != "running":
                ended[event["task_id"]] = event["status"]
            if len(ended) == 2:
                break
    assert ended == {rome: "interrupted", carthage: "completed"}

    results = await server.partial_results("ann")
    assert {agent: len(items) for agent, items in results["partial_results"].items()} == {
        "books": 3,
        "films": 2,
    }
    before = sum(map(len, results["interrupted"][0]["partial_results"].values()))
    assert before >= 1
    reply = (await server.history("ann"))["messages"][-1]["text"]
    assert reply == f"5 titles about Carthage. I had found {before} about Rome before."


def test_code_in_the_documentation_is_that_of_the_examples() -> None:
    shown = [
        line for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()
    ]
    assert (ROOT / "examples/sights.py").read_text("utf-8").endswith(f'"""\n\n{FIRST_GRAPH}')
    assert len(shown) > 20
    names = ("sights", "shelves", "rooms", "page_tools")
    examples = [(ROOT / f"examples/{name}.py").read_text("utf-8") for name in names]
    assert set(shown) - {line for each in examples for line in each.splitlines()} == set()
