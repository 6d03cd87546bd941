"""A server of several graphs: clients choose one, and see which one a task is for."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from backend.graphs.several_graphs import GraphsAnswer
from backend.http.wire import answers
from tests.api.live import Client, answer, refusal, running, serving
from tests.shapes import check_shape

pytestmark = pytest.mark.requirement("SEVERAL-GRAPHS")

PROJECT = {
    "dependencies": ["."],
    "graphs": {
        "loads": {"path": "tests.graphs.loadable:graph", "description": "Greets"},
        "wanting": "tests.graphs.shapes:wanting_class",
        "asking": "tests.graphs.asking_by_name:graph",
    },
}


@pytest.fixture
def project(tmp_path: Path) -> str:
    (tmp_path / "langgraph.json").write_text(json.dumps(PROJECT), "utf-8")
    return str(tmp_path / "langgraph.json")


@pytest.fixture
async def several(tmp_path: Path, project: str) -> AsyncIterator[Client]:
    async with running(tmp_path, graph=project, graph_default="asking") as client:
        yield client


async def graphs(client: Client, query: str = "") -> Any:
    return answer(await client.call("GET", f"/graphs{query}"), 200, GraphsAnswer)


async def test_graphs_are_listed_with_the_input_of_each(several: Client) -> None:
    listed = await graphs(several)
    assert (listed["default"], listed["graph"]) == ("asking", "asking")
    assert [(each["name"], each["description"]) for each in listed["graphs"]] == [
        ("loads", "Greets"),
        ("wanting", ""),
        ("asking", ""),
    ]
    greeting, wanting, _ = listed["graphs"]
    assert greeting["input"]["properties"]["found"]["type"] == "array"
    assert "required" not in greeting["input"]
    assert listed["graphs"][2]["input"]["properties"]["odd"] == {"title": "Odd"}  # it may be anything
    assert greeting["context"] == {"type": "object", "properties": {}}
    assert {*wanting["context"]["properties"]} == {"model", "tone"}
    assert wanting["context"]["required"] == ["model"]


async def test_chosen_graph_answers_and_keeps_the_user(several: Client) -> None:
    accepted = await several.chat("ann", "you", graph="loads")
    assert accepted["graph"] == "loads"
    ended = await several.until_ended("ann", accepted["task_id"])
    assert ended["graph"] == "loads"
    assert (await several.history("ann"))["messages"][-1]["text"] == "Hello to you"
    assert (await graphs(several, "?user_id=ann"))["graph"] == "loads"
    assert (await graphs(several, "?user_id=bob"))["graph"] == "asking"
    assert (await several.chat("bob", "hi"))["graph"] == "asking"


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"graph": "cars"}, "graph: there is no graph cars; the graphs are: loads, wanting, asking."),
        ({"graph": ""}, "graph: "),
        ({"graph": 7}, "graph: "),
        ({"graph": "wanting"}, "context.model: the graph needs it; send it with the message, or "),
        ({"graph": "wanting", "context": {"speed": 1}}, "context.speed: it is no field that a message may"),
        (
            {"graph": "loads", "context": {"model": "fast"}, "input": {"wide": 1}},
            "input.wide: it is no field",
        ),
    ],
)
async def test_input_that_does_not_fit_the_graph_is_refused_by_field(
    several: Client, fields: dict[str, Any], sentence: str
) -> None:
    refused = await several.call("POST", "/chat", json={"user_id": "ann", "message": "hi", **fields})
    assert refusal(refused, 422, "bad_input")["message"].startswith(sentence)


async def test_graphs_call_is_documented_with_an_example(several: Client) -> None:
    document = (await several.call("GET", "/openapi.json")).json()
    assert {"200", "404", "422", "429", "503"} == {*document["paths"]["/v1/graphs"]["get"]["responses"]}
    [example] = document["components"]["schemas"]["GraphsAnswer"]["examples"]
    check_shape(GraphsAnswer, json.dumps(example))


async def test_only_graph_is_listed_and_named_nowhere(api: Client) -> None:
    listed = await graphs(api)
    assert [each["name"] for each in listed["graphs"]] == ["graph"]
    accepted = await api.chat("ann", "hi", graph="graph")
    assert "graph" not in accepted
    assert "graph" not in await api.until_ended("ann", accepted["task_id"])


async def test_travel_assistant_has_no_graphs(travel_api: Client) -> None:
    refusal(await travel_api.call("GET", "/graphs"), 404, "not_found")
    body = {"user_id": "ann", "message": "hi", "graph": "travel"}
    refusal(await travel_api.call("POST", "/chat", json=body), 422, "bad_input")


async def test_socket_greets_with_the_graphs_and_a_command_chooses_one(tmp_path: Path, project: str) -> None:
    async with serving(tmp_path, graph=project) as server:
        async with server.socket("ann") as socket:
            hello = json.loads(await socket.recv())
            assert hello["graphs"] == ["loads", "wanting", "asking"]
            await socket.recv()
            command = {"type": "chat", "ref": 1, "message": "hi", "graph": "asking"}
            await socket.send(json.dumps(command))
            frames: list[Any] = []
            while not any(each["type"] == "ack" for each in frames):
                frames.append(json.loads(await socket.recv()))
            assert {each["graph"] for each in frames if each["type"] in ("ack", "status_update")} == {
                "asking"
            }
            task = next(each["task_id"] for each in frames if each["type"] == "ack")
        await server.until_asked("ann")
        async with server.socket("ann") as socket:
            await socket.recv()
            snapshot = json.loads(await socket.recv())
            assert snapshot["status"]["graph"] == "asking"
            check_shape(answers.StatusAnswer, json.dumps(snapshot["status"]))
        [asked] = (await server.status("ann"))["input_requests"]
        answered = await server.answer("ann", asked["request_id"], answer="yes")
        assert answered["task_id"] == task
        assert (await server.until_ended("ann", task))["graph"] == "asking"
