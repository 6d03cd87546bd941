"""The example of docs/your-own-graph.md behind a real server, as its reader would try it."""

import asyncio
import re
from contextlib import aclosing

from backend.clients.api import User
from backend.clients.follow import Connection, Position, follow
from tests.api.live import BOUND_S
from tests.conventions import ROOT


async def test_the_example_is_interrupted_and_tells_what_it_had_found(process) -> None:
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


def test_the_code_in_the_documentation_is_that_of_the_examples() -> None:
    text = (ROOT / "docs/your-own-graph.md").read_text("utf-8")
    shown = [
        line for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) for line in block.splitlines()
    ]
    assert len(shown) > 20
    examples = [(ROOT / f"examples/{name}.py").read_text("utf-8") for name in ("shelves", "rooms")]
    assert set(shown) - {line for each in examples for line in each.splitlines()} == set()


async def test_a_server_without_its_graph_ends_with_one_line_that_says_why(process) -> None:
    code, said = await process(graph="examples.shelves:grpah").run_until_it_gives_up()
    assert code == 1
    assert said.startswith("DETOUR_GRAPH=examples.shelves:grpah names grpah, which examples.shelves does not")
    assert said.count("\n") == 1
