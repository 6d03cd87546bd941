"""What a message does while another one is worked on: by its field, by its header, or by the setting."""

import asyncio
from pathlib import Path
from typing import Any

import httpx2
import orjson
import pytest
from websockets.asyncio.client import ClientConnection

from tests.api.live import BOUND_S, LocalClient, refusal, running, serving
from tests.protocols.ag_ui_stream import JSON, events_in, run_input
from tests.protocols.langgraph_calls import human
from tests.protocols.looping import LOOPING, looking

HEADER = "Detour-Policy"


async def by_chat(api: LocalClient, user: str, body: dict[str, Any], headers: dict[str, str]) -> Any:
    return await api.call("POST", "/chat", json={"user_id": user, "message": "more", **body}, headers=headers)


async def by_langgraph(api: LocalClient, user: str, body: dict[str, Any], headers: dict[str, str]) -> Any:
    sent = human("more", if_not_exists="create")
    if "policy" in body:
        sent["metadata"] = {"detour_policy": body["policy"]}
    return await api.call("POST", f"/threads/{user}/runs", json=sent, headers=headers)


async def by_configurable(api: LocalClient, user: str, body: dict[str, Any], headers: dict[str, str]) -> Any:
    sent = human("more", if_not_exists="create")
    if "policy" in body:
        sent["config"] = {"configurable": {"detour_policy": body["policy"]}}
    return await api.call("POST", f"/threads/{user}/runs", json=sent, headers=headers)


async def by_command(api: LocalClient, user: str, body: dict[str, Any], headers: dict[str, str]) -> Any:
    params = human("more")
    if "policy" in body:
        params["metadata"] = {"detour_policy": body["policy"]}
    sent = {"id": 1, "method": "run.start", "params": params}
    return await api.call("POST", f"/threads/{user}/commands", json=sent, headers=headers)


async def by_ag_ui(api: LocalClient, user: str, body: dict[str, Any], headers: dict[str, str]) -> Any:
    sent = run_input(user, "more", forwardedProps={"onDisconnect": "continue", **body})
    return await api.call("POST", "/agui", content=orjson.dumps(sent), headers={**JSON, **headers})


async def by_copilotkit(api: LocalClient, user: str, body: dict[str, Any], headers: dict[str, str]) -> Any:
    sent = {"method": "agent/run", "params": {"agentId": "agent"}}
    sent["body"] = run_input(user, "more", forwardedProps=body)
    return await api.call("POST", "/copilotkit", content=orjson.dumps(sent), headers={**JSON, **headers})


async def by_ai_sdk(api: LocalClient, user: str, body: dict[str, Any], headers: dict[str, str]) -> Any:
    message = {"id": "m2", "role": "user", "parts": [{"type": "text", "text": "more"}]}
    sent = {"id": user, "messages": [message], **body}
    return await api.call("POST", "/ai-sdk/chat", json=sent, headers=headers)


WAYS = [by_chat, by_langgraph, by_configurable, by_command, by_ag_ui, by_copilotkit, by_ai_sdk]


async def fate(api: LocalClient, user_id: str, task_id: str) -> str:
    """Return what a message does that has just been sent while a task was at work."""
    async with asyncio.timeout(BOUND_S):
        while True:
            status = await api.status(user_id)
            if status.get("pending"):
                return "steer"
            if status["queued"]:
                return "enqueue"
            if status["task_id"] != task_id:
                return "interrupt"
            await asyncio.sleep(0)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("setting", "header", "field", "expected"),
    [
        ("interrupt", None, None, "interrupt"),
        ("steer", None, None, "steer"),
        ("enqueue", None, None, "enqueue"),
        ("interrupt", "steer", None, "steer"),
        ("steer", "enqueue", None, "enqueue"),
        ("enqueue", "interrupt", "steer", "steer"),
    ],
)
async def test_field_counts_before_the_header_and_that_before_the_setting(
    tmp_path: Path, way: Any, setting: str, header: str | None, field: str | None, expected: str
) -> None:
    async with running(tmp_path, graph=LOOPING, policy=setting) as api:
        task_id, until = await looking(api, "ann", tmp_path / "go")
        body = {} if field is None else {"policy": field}
        headers = {} if header is None else {HEADER: header}
        sending = asyncio.get_running_loop().create_task(way(api, "ann", body, headers))
        assert await fate(api, "ann", task_id) == expected
        until.touch()
        async with asyncio.timeout(BOUND_S):
            assert (await sending).status_code in {200, 202}


@pytest.mark.parametrize("way", WAYS)
async def test_setting_may_be_to_refuse_it(tmp_path: Path, way: Any) -> None:
    async with running(tmp_path, graph=LOOPING, policy="reject") as api:
        task_id, _ = await looking(api, "ann", tmp_path / "go")
        refused = await way(api, "ann", {}, {})
        assert said_in(refused) == "Another message is being worked on."
        assert (await api.status("ann"))["task_id"] == task_id


FIELDS = {
    by_chat: "policy",
    by_langgraph: "metadata.detour_policy",
    by_configurable: "config.configurable.detour_policy",
    by_command: "metadata.detour_policy",
    by_ag_ui: "forwardedProps.policy",
    by_copilotkit: "forwardedProps.policy",
    by_ai_sdk: "policy",
}


def said_in(response: httpx2.Response) -> str:
    """Return the sentence of a refusal, in whatever form its protocol has."""
    if response.headers["content-type"].startswith("text/event-stream"):
        return events_in(response.content)[-1]["message"]
    if response.headers["content-type"].startswith("text/plain"):
        return response.text
    body = response.json()
    return body.get("detail") or body.get("message") or body["error"]["message"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("wrong", ["stear", "", "Steer"])
async def test_unknown_policy_is_refused_by_the_name_of_its_field_or_header(
    tmp_path: Path, way: Any, wrong: str
) -> None:
    async with running(tmp_path, graph=LOOPING) as api:
        for body, headers, name in (({"policy": wrong}, {}, FIELDS[way]), ({}, {HEADER: wrong}, HEADER)):
            refused = await way(api, "ann", body, headers)
            assert said_in(refused).startswith(f"{name}: "), refused.text
            assert "steer" in said_in(refused)
        assert (await api.call("GET", "/status/ann")).status_code == 404


async def test_message_that_brings_more_for_its_run_waits_where_the_setting_says_steer(tmp_path: Path):
    more = {"configurable": {"tone": "dry"}}
    async with running(tmp_path, graph=LOOPING, policy="steer") as api:
        task_id, until = await looking(api, "ann", tmp_path / "go")
        assert (await api.chat("ann", "more", **more))["policy"] == "enqueue"
        sent = human("again", config=more)
        run = (await api.call("POST", "/threads/ann/runs", json=sent)).json()
        assert (run["status"], run["multitask_strategy"]) == ("pending", "enqueue")
        body = {"user_id": "ann", "message": "more", "policy": "steer", **more}
        refused = await api.call("POST", "/chat", json=body)
        assert refusal(refused, 422, "bad_input")["message"].startswith("configurable: ")
        steered = {**sent, "metadata": {"detour_policy": "steer"}}
        refused = await api.call("POST", "/threads/ann/runs", json=steered)
        assert said_in(refused).startswith("config.configurable: ")
        until.touch()
        await api.until_ended("ann", run["run_id"])
        assert (await api.status("ann"))["task_id"] != task_id


async def told(socket: ClientConnection, kind: str) -> dict[str, Any]:
    async with asyncio.timeout(BOUND_S):
        while True:
            frame = orjson.loads(await socket.recv())
            if frame["type"] == kind:
                return frame


async def test_setting_is_that_of_messages_over_the_socket_as_well(tmp_path: Path) -> None:
    async with serving(tmp_path, graph=LOOPING, policy="steer") as live:
        task_id, until = await looking(live, "ann", tmp_path / "go")
        async with live.socket("ann") as socket:
            await socket.send(orjson.dumps({"type": "chat", "message": "more"}).decode())
            ack = await told(socket, "ack")
            assert (ack["task_id"], ack["policy"], ack["steer"]) == (task_id, "steer", "pending")
            await socket.send(orjson.dumps({"type": "chat", "message": "m", "policy": "x"}).decode())
            assert "policy" in (await told(socket, "error"))["error"]["message"]
        until.touch()
        await live.until_ended("ann", task_id)


async def test_policy_is_not_handed_to_the_graph(tmp_path: Path) -> None:
    graph = "tests.protocols.giving_graph:graph"
    async with running(tmp_path, graph=graph) as api:
        config = {"configurable": {"detour_policy": "enqueue", "k": "v"}}
        sent = human("names", if_not_exists="create", config=config, metadata={"detour_policy": "enqueue"})
        response = await api.call("POST", "/threads/ann/runs/wait", json=sent)
        assert response.status_code == 200, response.text
        names = response.json()["messages"][-1]["content"].split()
        assert "k" in names
        assert not [each for each in names if "policy" in each]
