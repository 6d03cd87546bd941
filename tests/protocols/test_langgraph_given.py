"""What comes with a message by the LangGraph API: values for its graph, answers in every form."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.api.live import running
from tests.protocols import talking_graph
from tests.protocols.langgraph_calls import RUNS, THREAD, frames, human, ran

GIVING = "tests.protocols.giving_graph:graph"


@pytest.fixture
async def api(tmp_path: Path):
    async with running(tmp_path, graph=GIVING) as client:
        await client.call("POST", "/threads", json={"thread_id": THREAD})
        yield client


async def said(api: Any, body: dict[str, Any]) -> str:
    told = await ran(api, body)
    assert told[-1][0] == "end", told[-1]
    return told[-2][1]["messages"][-1]["content"]


async def test_context_configurable_and_declared_fields_reach_the_graph_and_the_rest_does_no_harm(
    api,
) -> None:
    body = human("hi", context={"tone": "warm", "other": 1}, config={"configurable": {"k": [1], "__x": 1}})
    body["input"] |= {"depth": 3, "unknown": {"a": 1}, "place": None}
    assert await said(api, body) == "3 warm [1] None"
    config = {"configurable": {"thread_id": "other", "user_id": "eve", "checkpoint_ns": "x", "run_id": "y"}}
    assert await said(api, human("hi", config=config)) == "3 None None None"


async def test_recursion_limit_bounds_the_steps_of_a_run(api) -> None:
    assert await said(api, human("hi", config={"recursion_limit": 100_000})) == "None None None None"
    [question] = (await ran(api, human("form", config={"recursion_limit": 1})))[-2][1]["__interrupt__"]
    resumed = {"assistant_id": "agent", "command": {"resume": {question["id"]: 5}}}
    assert "'nights': 5" in await said(api, resumed)


async def test_run_of_more_steps_than_its_recursion_limit_fails_in_a_sentence(tmp_path: Path) -> None:
    async with running(tmp_path, graph="tests.protocols.talking_graph:graph") as api:
        ask = human("ask", if_not_exists="create", config={"recursion_limit": 1})
        error, told = (await ran(api, ask))[-1]
        assert (error, told["message"]) == ("error", "The graph went on for more steps than it is allowed.")
        ask["config"]["recursion_limit"] = 2
        assert "__interrupt__" in (await ran(api, ask))[-2][1]


@pytest.mark.parametrize("resume", [5, {"nights": 5}, {"nights": 5, "place": "Rome"}])
async def test_form_is_answered_by_its_fields_or_by_its_only_required_value(api, resume) -> None:
    told = await ran(api, human("form"))
    [question] = told[-2][1]["__interrupt__"]
    body = {"assistant_id": "agent", "command": {"resume": {question["id"]: resume}}}
    assert "'nights': 5" in await said(api, body)


@pytest.mark.parametrize(
    "answer",
    [
        {"type": "accept", "args": None},
        {"type": "ignore", "args": None},
        {"type": "response", "args": "Rather not"},
        {"type": "edit", "args": {"action": "send", "args": {"to": "bob"}}},
    ],
)
async def test_agent_inbox_answers_in_its_own_form(api, answer) -> None:
    told = await ran(api, human("inbox"))
    [question] = told[-2][1]["__interrupt__"]
    assert "Send a mail?" in question["value"]["prompt"]
    assert await said(api, {"assistant_id": "agent", "command": {"resume": [answer]}}) == str([answer])


async def test_reply_whose_beginning_is_stored_no_more_is_one_message_under_its_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(talking_graph, "SLOW_S", 0)
    async with running(tmp_path, graph="tests.protocols.talking_graph:graph", events_kept=100) as api:
        await api.call("POST", "/threads", json={"thread_id": THREAD})
        body = human("slow", stream_mode=["messages-tuple", "values"])
        live = await ran(api, body)
        [message_id] = {data[0]["id"] for event, data in live if event == "messages"}
        assert live[-2][1]["messages"][-1]["id"] == message_id
        path = f"{RUNS}/{live[0][1]['run_id']}/stream"
        replayed = frames((await api.call("GET", path, headers={"last-event-id": "-1"})).content)
        assert [event for event, _ in replayed][:2] == ["metadata", "values"]
        assert orjson.dumps(replayed[-2:]) == orjson.dumps(live[-2:])
        joined = (await api.call("GET", path.removesuffix("stream") + "join")).json()
        assert joined == live[-2][1]


async def test_assistant_has_the_schemas_of_its_own_graph_and_null_for_those_it_lacks(
    tmp_path: Path,
) -> None:
    project = {
        "dependencies": ["."],
        "graphs": {
            "giving": "./giving.py:graph",
            "strange": "./strange.py:graph",
            "plain": "./plain.py:graph",
        },
    }
    (tmp_path / "langgraph.json").write_bytes(orjson.dumps(project))
    (tmp_path / "giving.py").write_text("from tests.protocols.giving_graph import graph")
    (tmp_path / "strange.py").write_text(STRANGE)
    (tmp_path / "plain.py").write_text(PLAIN)
    async with running(tmp_path / "data", graph=str(tmp_path / "langgraph.json")) as api:

        async def schemas(name: str) -> dict[str, Any]:
            response = await api.call("GET", f"/assistants/{name}/schemas")
            assert response.status_code == 200, response.text
            found = response.json()
            assert set(found) == {"graph_id", *KINDS}
            return found

        def fields(schema: dict[str, Any]) -> list[str]:
            return sorted(schema["properties"])

        giving = await schemas("giving")
        for kind in ("input_schema", "output_schema", "state_schema"):
            assert fields(giving[kind]) == ["depth", "messages"]
            assert "HumanMessage" in giving[kind]["$defs"]
        assert fields(giving["context_schema"]) == ["tone"]
        assert giving["config_schema"] == giving["context_schema"]
        assert {kind: (await schemas("strange"))[kind] for kind in KINDS} == dict.fromkeys(KINDS)
        plain = await schemas("plain")
        assert (plain["input_schema"]["type"], plain["context_schema"]) == ("string", None)


KINDS = ("input_schema", "output_schema", "state_schema", "config_schema", "context_schema")

STRANGE = """
from collections.abc import Callable
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

class State(TypedDict, total=False):
    message: str
    call: Callable[[int], int]

builder = StateGraph(State)
builder.add_node("answer", lambda state: {"message": "hello"})
builder.add_edge(START, "answer")
builder.add_edge("answer", END)
graph = builder.compile()
"""

PLAIN = """
from langgraph.func import entrypoint

@entrypoint()
async def graph(text: str) -> str:
    return text
"""


async def test_graphs_are_an_assistant_each_with_a_memory_of_its_own(tmp_path: Path) -> None:
    project = {
        "dependencies": ["."],
        "graphs": {"giving": "./giving.py:graph", "talking": "./talking.py:graph"},
    }
    (tmp_path / "langgraph.json").write_bytes(orjson.dumps(project))
    (tmp_path / "giving.py").write_text("from tests.protocols.giving_graph import graph")
    (tmp_path / "talking.py").write_text("from tests.protocols.talking_graph import graph")
    async with running(tmp_path / "data", graph=str(tmp_path / "langgraph.json")) as api:
        await api.call("POST", "/threads", json={"thread_id": THREAD})
        found = (await api.call("POST", "/assistants/search", json={})).json()
        assert [each["graph_id"] for each in found] == ["giving", "talking"]
        by_id = human("hello") | {"assistant_id": found[1]["assistant_id"]}
        assert await said(api, by_id) == "You said: hello"
        assert await said(api, human("hi") | {"assistant_id": "giving"}) == "None None None None"
        runs = (await api.call("GET", RUNS)).json()
        assert [each["assistant_id"] for each in runs] == [each["assistant_id"] for each in found]
        [thread] = (
            await api.call("POST", "/threads/search", json={"metadata": {"graph_id": "talking"}})
        ).json()
        assert thread["thread_id"] == THREAD
        asked = await ran(api, human("ask") | {"assistant_id": "talking"})
        assert len(asked[-2][1]["__interrupt__"]) == 1
        assert await said(api, human("Rome") | {"assistant_id": "talking"}) == "Then we go to Rome."
