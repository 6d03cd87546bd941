"""What a message does while another one is worked on: by its field, by its header, or by the setting."""

import asyncio
from pathlib import Path
from typing import Any

import orjson
import pytest
from websockets.asyncio.client import ClientConnection

from tests.api.live import BOUND_S, LocalClient, refusal, running, serving
from tests.protocols.langgraph_calls import human
from tests.protocols.looping import LOOPING, looking
from tests.protocols.ways import SPOKEN, Way, every_way, said_in

pytestmark = pytest.mark.asyncio(loop_scope="module")

HEADER = "Detour-Policy"


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


@every_way
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
    servers: Any,
    ann: str,
    tmp_path: Path,
    way: Way,
    setting: str,
    header: str | None,
    field: str | None,
    expected: str,
) -> None:
    api = await servers(graph=LOOPING, policy=setting, protocols=SPOKEN)
    task_id, until = await looking(api, ann, tmp_path / "go")
    headers = {} if header is None else {HEADER: header}
    if not way.policy:
        field, expected = None, header or way.default
    elif not way.steers and expected == "steer":
        if header or field:
            assert "steer is not served here" in said_in(
                await way.send(api, ann, policy=field, headers=headers)
            )
            assert (await api.status(ann))["task_id"] == task_id
        field, headers, expected = None, {}, "interrupt" if setting == "steer" else setting
    sending = asyncio.get_running_loop().create_task(way.send(api, ann, policy=field, headers=headers))
    assert await fate(api, ann, task_id) == expected
    until.touch()
    async with asyncio.timeout(BOUND_S):
        assert (await sending).status_code in {200, 202}


@every_way
async def test_setting_may_be_to_refuse_it(servers: Any, ann: str, tmp_path: Path, way: Way) -> None:
    api = await servers(graph=LOOPING, policy="reject", protocols=SPOKEN)
    task_id, until = await looking(api, ann, tmp_path / "go")
    headers = {HEADER: "reject"} if way.default else {}  # such a one has to say so itself
    assert said_in(await way.send(api, ann, headers=headers)) == "Another message is being worked on."
    assert (await api.status(ann))["task_id"] == task_id
    until.touch()


@every_way
@pytest.mark.parametrize("wrong", ["stear", "", "Steer"])
async def test_unknown_policy_is_refused_by_the_name_of_its_field_or_header(
    servers: Any, ann: str, way: Way, wrong: str
) -> None:
    api = await servers(protocols=SPOKEN)
    for policy, headers, name in ((wrong, {}, way.policy), (None, {HEADER: wrong}, HEADER)):
        if not name:
            continue
        refused = await way.send(api, ann, policy=policy, headers=headers)
        assert said_in(refused).startswith(f"{name}: "), refused.text
        assert "steer" in said_in(refused)
    assert (await api.call("GET", f"/status/{ann}")).status_code == 404


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
