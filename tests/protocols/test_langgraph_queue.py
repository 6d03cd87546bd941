"""Runs that wait their turn: they are pending, can be joined and cancelled, and may be refused instead."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.api.live import BOUND_S, LocalClient, running
from tests.protocols.conftest import TALKING
from tests.protocols.langgraph_calls import RUNS, frames, human, ran, state_of


@pytest.fixture
async def api(tmp_path: Path):
    async with running(tmp_path, graph=TALKING) as client:
        yield client


async def busy(api: LocalClient) -> str:
    """Begin a slow run; return its id once it has said something."""
    body = human("slow", if_not_exists="create")
    run_id = (await api.call("POST", RUNS, json=body)).json()["run_id"]
    async with asyncio.timeout(BOUND_S):
        while len((await state_of(api))["values"]["messages"]) < 2:  # noqa: ASYNC110
            await asyncio.sleep(0)
    return run_id


async def status_of(api: LocalClient, run_id: str) -> str:
    return (await api.call("GET", f"{RUNS}/{run_id}")).json()["status"]


async def queued(api: LocalClient, text: str) -> dict[str, Any]:
    body = human(text, multitask_strategy="enqueue", stream_mode=["values", "messages-tuple"])
    return (await api.call("POST", RUNS, json=body)).json()


async def test_a_queued_run_is_pending_and_its_stream_waits_for_its_turn(api) -> None:
    active = await busy(api)
    run = await queued(api, "later")
    assert (run["status"], run["multitask_strategy"]) == ("pending", "enqueue")
    assert await status_of(api, run["run_id"]) == "pending"
    pending = (await api.call("GET", f"{RUNS}?status=pending")).json()
    assert [each["run_id"] for each in pending] == [run["run_id"]]
    assert (await api.call("GET", f"{RUNS}/{active}")).json()["status"] == "running"
    async with asyncio.TaskGroup() as group:
        joined = group.create_task(api.call("GET", f"{RUNS}/{run['run_id']}/stream"))
        waited = group.create_task(api.call("GET", f"{RUNS}/{run['run_id']}/join"))
        stopped = await api.call("POST", f"{RUNS}/{active}/cancel?wait=1")
        assert stopped.status_code == 204
    told = frames(joined.result().content)
    assert (told[0][0], told[0][1]["run_id"]) == ("metadata", run["run_id"])
    assert told[-1] == ("end", {"run_id": run["run_id"], "status": "success"})
    assert told[-2][1] == waited.result().json()
    assert waited.result().json()["messages"][-1]["content"] == "You said: later"


@pytest.mark.requirement("FOREIGN-STOP-STOPS")
async def test_a_queued_run_can_be_cancelled_and_the_active_one_works_on(api) -> None:
    active = await busy(api)
    first, second = await queued(api, "one"), await queued(api, "two")
    async with asyncio.TaskGroup() as group:
        joined = group.create_task(api.call("GET", f"{RUNS}/{first['run_id']}/stream"))
        stopped = await api.call("POST", f"{RUNS}/{first['run_id']}/cancel?wait=1")
        assert stopped.status_code == 204
    told = frames(joined.result().content)
    assert told[-1] == ("end", {"run_id": first["run_id"], "status": "interrupted", "reason": "stopped"})
    assert await status_of(api, first["run_id"]) == "interrupted"
    assert await status_of(api, active) == "running"
    assert await status_of(api, second["run_id"]) == "pending"
    body = {"thread_id": RUNS.split("/")[2], "status": "pending"}
    assert (await api.call("POST", "/runs/cancel", json=body)).status_code == 204
    assert await status_of(api, second["run_id"]) == "interrupted"
    assert await status_of(api, active) == "running"
    await api.call("POST", f"{RUNS}/{active}/cancel?wait=1")
    values = (await api.call("GET", f"{RUNS}/{active}/join")).json()
    assert values["messages"][0]["content"] == "slow"


async def test_a_message_that_would_wait_may_be_refused_instead(api) -> None:
    active = await busy(api)
    body = human("no", multitask_strategy="reject")
    for path in (RUNS, f"{RUNS}/stream", f"{RUNS}/wait"):
        refused = await api.call("POST", path, json=body)
        assert refused.status_code == 409
        assert refused.json()["detail"].endswith(".")
    assert len((await api.call("GET", RUNS)).json()) == 1
    assert await status_of(api, active) == "running"
    await api.call("POST", f"{RUNS}/{active}/cancel?wait=1")
    assert (await ran(api, body))[-1][1]["status"] == "success"
