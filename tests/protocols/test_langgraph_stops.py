"""Stops of the LangGraph API: of queued runs, and with the read of the state that `useStream` sends along."""

import asyncio
from typing import Any

import pytest

from tests.api.live import BOUND_S, LocalClient
from tests.protocols.langgraph_calls import RUNS, frames, human, state_of

pytestmark = pytest.mark.asyncio(loop_scope="module")


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


@pytest.mark.requirement("FOREIGN-STOP-STOPS")
async def test_queued_run_can_be_cancelled_and_the_active_one_works_on(api) -> None:
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


@pytest.mark.requirement("FOREIGN-STOP-STOPS")
async def test_state_read_right_after_a_stop_shows_what_the_stop_has_left(api) -> None:
    active = await busy(api)
    stop = api.call("POST", f"{RUNS}/{active}/cancel")
    stopped, read = await asyncio.gather(stop, state_of(api))
    assert stopped.status_code == 202
    assert (read["next"], read["tasks"]) == ([], [])
    [left] = read["values"]["interrupted"]
    assert left["reason"] == "stopped"
    marker = read["values"]["messages"][-1]
    assert marker["additional_kwargs"]["detour"] == {"kind": "interruption", "receipt": left["receipt"]}
    assert (await state_of(api))["values"] == read["values"]
