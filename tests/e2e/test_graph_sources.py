"""Graphs that come from a factory or from the file of a LangGraph project, behind a real server."""

import json
import signal

import pytest


async def test_context_manager_is_entered_at_the_start_and_exited_at_the_end(process) -> None:
    server = process(graph="tests.graphs.entered:make_graph")
    await server.start()
    for name in ("ann", "bob"):
        ended = await server.chat_to_end(name, name)
        assert ended["status"] == "completed"
        reply = (await server.history(name))["messages"][-1]["text"]
        assert reply == f"Hello to {name} on its own loop"
    log = server.log.read_text("utf-8")
    assert log.count("the tools are open") == 1
    assert "the tools are closed" not in log
    assert await server.terminate() == -signal.SIGTERM
    assert server.log.read_text("utf-8").count("the tools are closed") == 1


@pytest.mark.requirement("PLAIN-REFUSAL-TO-START")
@pytest.mark.parametrize(
    ("graph", "what"),
    [
        ("never_loaded:graph", "its import"),
        ("endless:block", "its factory block()"),
        ("endless:wait", "its factory wait()"),
        ("endless:wait_and_block", "its factory wait_and_block()"),
        ("endless:ignore_the_end", "its factory ignore_the_end()"),
        ("endless:enter", "its factory enter()"),
    ],
)
async def test_graph_that_takes_for_ever_ends_the_start_with_one_line_that_names_it(
    process, graph, what
) -> None:
    server = process(graph=f"tests.graphs.{graph}", graph_start_s=1)
    code, said = await server.run_until_it_gives_up()
    assert code == 1
    assert said == (
        f"DETOUR_GRAPH=tests.graphs.{graph} {what} takes longer than the 1 s of DETOUR_GRAPH_START_S\n"
    )


AGENT = """
import os
from langgraph.func import entrypoint
from words import HELLO

@entrypoint()
async def agent(messages):
    return f"{HELLO} {messages[-1].content} with {os.environ['AGENT_KEY']}"
"""


async def test_project_of_a_langgraph_json_is_served_with_its_modules_and_variables(
    process, tmp_path
) -> None:
    files = {
        "project/src/agent.py": AGENT,
        "project/src/words.py": "HELLO = 'Hello'",
        "project/keys.env": "AGENT_KEY=abc\nDETOUR_PORT=1\n",
        "project/langgraph.json": json.dumps(
            {
                "dependencies": ["./src"],
                "graphs": {"other": "./other.py:graph", "agent": "./src/agent.py:agent"},
                "env": "./keys.env",
            }
        ),
    }
    (tmp_path / "project/src").mkdir(parents=True)
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    server = process(graph="./project:agent")
    await server.start()
    ended = await server.chat_to_end("ann", "you")
    assert ended["status"] == "completed"
    assert (await server.history("ann"))["messages"][-1]["text"] == "Hello you with abc"
    assert server.port != 1
