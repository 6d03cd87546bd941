"""Stops of one agent, over HTTP and over the socket."""

import json

import pytest

from backend.http.wire import answers
from tests.api.frames import receive
from tests.api.live import answer, refusal, serving
from tests.shapes import check_shape

BOTH = "flights from Berlin to Tokyo on 10 December and a hotel there for 3 nights"


@pytest.fixture
async def travel(tmp_path):
    async with serving(tmp_path, graph="", demo_pace=30) as server:
        yield server


async def test_agent_that_is_stopped_leaves_the_task_running(travel):
    accepted = await travel.chat("ada", BOTH)
    status = await travel.status("ada")
    while {agent["state"] for agent in status["agents"].values()} != {"working"}:
        status = await travel.status("ada")
    assert status["agents"]["flight"]["request"]["origin"]["codes"] == ["BER"]
    response = await travel.call("POST", "/stop/ada", json={"agent": "hotel"})
    stopped = answer(response, 200, answers.StoppedAgentAnswer)
    assert (stopped["task_id"], stopped["agent"], stopped["state"]) == (
        accepted["task_id"],
        "hotel",
        "interrupted",
    )
    status = await travel.status("ada")
    assert (status["status"], status["agents"]["flight"]["state"]) == ("running", "working")
    told = {name: value for name, value in stopped.items() if name in status["agents"]["hotel"]}
    assert told == status["agents"]["hotel"]
    again = await travel.call("POST", "/stop/ada", json={"agent": "hotel", "task_id": accepted["task_id"]})
    assert answer(again, 200, answers.StoppedAgentAnswer) == stopped
    async with travel.socket("ada") as socket:
        for _ in range(2):
            await receive(socket)
        await socket.send(json.dumps({"type": "stop", "agent": "flight", "ref": 7}))
        frames = [await receive(socket)]
        while frames[-1]["type"] != "ack":
            frames.append(await receive(socket))
    ack = frames[-1]
    assert (ack.pop("type"), ack.pop("ref")) == ("ack", 7)
    check_shape(answers.StoppedAgentAnswer, json.dumps(ack))
    assert (ack["agent"], ack["state"]) == ("flight", "interrupted")
    assert (await travel.until_ended("ada", accepted["task_id"]))["status"] == "completed"


async def test_agent_that_cannot_be_stopped_is_refused_with_a_reason(api):
    refusal(await api.call("POST", "/stop/ada", json={"agent": "worker"}), 404, "unknown_user")
    await api.chat("ada", "find 1, hold")
    await api.until_found("ada", 1)
    refused = refusal(await api.call("POST", "/stop/ada", json={"agent": "finder"}), 422, "bad_input")
    assert refused["message"] == "agent: the task has no agent 'finder'; its agents are worker."
    assert refused["details"][0]["field"] == "agent"
    refusal(await api.call("POST", "/stop/ada", json={"agent": "worker"}), 409, "agent_cannot_be_stopped")
    refusal(await api.call("POST", "/stop/ada", json={"agent": ""}), 422, "bad_input")
    refusal(
        await api.call("POST", "/stop/ada", json={"agent": "worker", "task_id": "x"}), 404, "unknown_task"
    )
    assert (await api.status("ada"))["status"] == "running"
