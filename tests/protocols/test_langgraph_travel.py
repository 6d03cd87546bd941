"""The travel assistant by the LangGraph API: what it finds is shown while it works, and kept after a stop."""

import asyncio
import contextlib
import re
from pathlib import Path
from typing import Any

import pytest

from tests.api.live import BOUND_S, Client, LocalClient, running, serving
from tests.protocols.langgraph_calls import RUNS, THREAD, human, ran, state_of

SEARCH = "Find flights from Berlin to Rome on 5 December 2026"


@pytest.fixture
async def travel(tmp_path: Path):
    async with running(tmp_path, graph="", demo_pace=0.5) as client:
        assert (await client.call("POST", "/threads", json={"thread_id": THREAD})).status_code == 200
        yield client


async def until_working(api: Client, count: int) -> None:
    """Wait until a run is under way that has found so much."""
    async with asyncio.timeout(BOUND_S):
        while True:
            state = await state_of(api)
            if state["next"] and len(state["values"]["partial_results"].get("flight", ())) >= count:
                return
            await asyncio.sleep(0)


@contextlib.asynccontextmanager
async def streaming(api: LocalClient, body: dict[str, Any]):
    """Yield a task that reads the stream of a run, which has found something by then."""
    path = f"{RUNS}/stream"
    body = {"stream_mode": ["values", "updates", "custom"], **body}
    async with asyncio.TaskGroup() as group:
        reading = group.create_task(ran(api, body, path))
        await until_working(api, 2)
        yield reading


async def test_travel_shows_what_it_finds_in_values_updates_and_its_own_frames(travel: LocalClient) -> None:
    assert [each["graph_id"] for each in (await travel.call("POST", "/assistants/search")).json()] == [
        "travel"
    ]
    assert (await travel.call("GET", "/assistants/travel/graph")).json()["nodes"][1]["id"] == "travel"
    async with streaming(travel, human(SEARCH)) as reading:
        live = await state_of(travel)
        assert len(live["values"]["partial_results"]["flight"]) >= 2
        assert live["next"] == ["flight"]
    told = await reading
    [found] = [data["flight"] for event, data in told if event == "updates" and "flight" in data]
    values = [data for event, data in told if event == "values"]
    assert values[-1]["partial_results"] == found["partial_results"]
    assert sum(len(data["items"]) for event, data in told if event == "custom" and "items" in data) == len(
        found["partial_results"]["flight"]
    )
    state = await state_of(travel)
    assert (state["values"], state["next"]) == (values[-1], [])
    assert re.match(r"I found \d+ flights from Berlin to Rome", state["values"]["messages"][-1]["content"])


@pytest.mark.requirement("FOREIGN-STOP-STOPS")
async def test_travel_keeps_what_it_had_found_when_it_is_stopped_or_superseded(travel: LocalClient) -> None:
    async with streaming(travel, human(SEARCH)) as reading:
        [run] = (await travel.call("GET", RUNS)).json()
        cancelled = await travel.call("POST", f"{RUNS}/{run['run_id']}/cancel?wait=1")
        assert (cancelled.status_code, cancelled.content) == (204, b"")
    told = await reading
    assert told[-1] == ("end", {"run_id": run["run_id"], "status": "interrupted", "reason": "stopped"})
    values = told[-2][1]
    [left] = values["interrupted"]
    assert len(left["partial_results"]["flight"]) >= 2
    assert left["receipt"]["partial_results"] == {"flight": len(left["partial_results"]["flight"])}
    assert values["partial_results"]["flight"] == left["partial_results"]["flight"]
    async with streaming(travel, human(SEARCH)) as reading:
        second = await ran(travel, human("Actually, make it Porto"))
    told = await reading
    assert told[-1][1]["reason"] == "superseded"
    assert len(told[-2][1]["interrupted"][-1]["partial_results"]["flight"]) >= 2
    assert second[-1][1]["status"] == "success"
    assert "Porto" in second[-2][1]["messages"][-1]["content"]


@pytest.mark.requirement("LEAVING-IS-NOT-STOPPING")
async def test_state_of_an_abandoned_run_shows_nothing_to_come(tmp_path: Path) -> None:
    async with serving(tmp_path, graph="", demo_pace=1) as travel:
        await travel.call("POST", "/threads", json={"thread_id": THREAD})
        async with asyncio.timeout(BOUND_S):
            body = human(SEARCH, on_disconnect="cancel")
            async with travel.http.stream("POST", f"{RUNS}/stream", json=body):
                await until_working(travel, 2)
            while (state := await state_of(travel))["next"]:  # noqa: ASYNC110
                await asyncio.sleep(0)
        assert state["tasks"] == []
        assert len(state["values"]["partial_results"]["flight"]) >= 2
        [run] = (await travel.call("GET", RUNS)).json()
        joined = (await travel.call("GET", f"{RUNS}/{run['run_id']}/join")).json()
        assert joined["interrupted"][0]["reason"] == "stopped"
