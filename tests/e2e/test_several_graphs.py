"""A langgraph.json of two graphs behind a real server, which is killed in the second one."""

import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.requirement("SEVERAL-GRAPHS")

GRAPHS = """
import asyncio
import operator
from pathlib import Path
from typing import Annotated, TypedDict

from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph


class State(TypedDict):
    message: str
    kept: Annotated[list[str], operator.add]
    answer: str


def graph(name):
    async def take(state: State) -> dict:
        if state["message"] == "wait" and not Path("go").exists():
            get_stream_writer()({"by": name})
            await asyncio.get_running_loop().create_future()
        kept = [*state.get("kept", []), state["message"]]
        return {"kept": [state["message"]], "answer": f"{name}: {' '.join(kept)}"}

    return StateGraph(State).add_node(take).add_edge(START, "take").add_edge("take", END)


first, second = graph("first"), graph("second")
"""


def write_project(folder: Path) -> None:
    (folder / "agents.py").write_text(GRAPHS, "utf-8")
    graphs = {"first": "./agents.py:first", "second": "./agents.py:second"}
    (folder / "langgraph.json").write_text(json.dumps({"dependencies": ["."], "graphs": graphs}), "utf-8")


async def test_task_of_the_second_graph_is_retried_by_it_after_a_kill_with_its_own_thread(
    process, tmp_path
) -> None:
    write_project(tmp_path)
    server = process(graph="langgraph.json")
    await server.start()

    async def reply(message: str, **fields: str) -> str:
        await server.chat_to_end("ann", message, **fields)
        return (await server.history("ann"))["messages"][-1]["text"]

    assert await reply("a") == "first: a"
    assert await reply("b", graph="second") == "second: b"
    lost = await server.chat("ann", "wait")
    assert lost["graph"] == "second"
    await server.until_found("ann", 1, agent="take")
    await server.kill()
    (tmp_path / "go").touch()
    await server.start()
    retried = (await server.status("ann"))["task_id"]
    assert retried != lost["task_id"]
    assert (await server.until_ended("ann", retried))["graph"] == "second"
    assert (await server.history("ann"))["messages"][-1]["text"] == "second: b wait"
    assert await reply("c", graph="first") == "first: a c"

    async def step_of(graph: str, *kept: str) -> str:
        states = (await server.http.get(f"/threads/ann/history?graph={graph}&limit=100")).json()["states"]
        found = next(each for each in states if each["values"]["kept"] == [*kept])
        return found["checkpoint"]["checkpoint_id"]

    newest = (await server.http.get("/threads/ann/state")).json()
    assert newest["values"]["kept"] == ["a", "c"]  # of the graph spoken to last
    step = await step_of("second", "b")
    assert await reply("d", graph="second", checkpoint_id=step) == "second: b d"
    body = {"user_id": "ann", "message": "e", "graph": "first", "checkpoint_id": step}
    refused = await server.http.post("/chat", json=body)
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "unknown_checkpoint")
    await reply("f", graph="first")
    assert (await server.http.get("/graphs?user_id=ann")).json()["graph"] == "first"


async def test_first_graph_of_a_project_goes_on_where_a_server_of_it_alone_had_ended(
    process, tmp_path
) -> None:
    write_project(tmp_path)
    alone = process(graph="langgraph.json:first")
    await alone.start()
    await alone.chat_to_end("ann", "a")
    await alone.terminate()
    server = process(graph="langgraph.json", graph_default="second")
    await server.start()
    assert (await server.http.get("/threads/ann/state")).json()["values"]["kept"] == ["a"]
    for graph, message, answer in (("second", "b", "second: b"), ("first", "c", "first: a c")):
        await server.chat_to_end("ann", message, graph=graph)
        assert (await server.history("ann"))["messages"][-1]["text"] == answer


@pytest.mark.requirement("PLAIN-REFUSAL-TO-START")
async def test_unservable_graph_ends_the_start_with_its_name_and_a_way_out(process, tmp_path) -> None:
    write_project(tmp_path)
    said = json.loads((tmp_path / "langgraph.json").read_text("utf-8"))
    said["graphs"]["third"] = "./agents.py:third"
    (tmp_path / "langgraph.json").write_text(json.dumps(said), "utf-8")
    code, line = await process(graph="langgraph.json").run_until_it_gives_up()
    assert code == 1
    assert line == (
        "DETOUR_GRAPH=langgraph.json:third names third, which agents does not have; graphs in it: first, "
        "second; to serve the others: DETOUR_GRAPH=langgraph.json:first,second\n"
    )
    server = process(graph="langgraph.json:first,second", graph_default="second")
    await server.start()
    assert (await server.http.get("/graphs")).json()["default"] == "second"
