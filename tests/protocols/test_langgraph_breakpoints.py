"""Breakpoints of a run (`interrupt_before`, `interrupt_after`) over the LangGraph API, with its SDK."""

from typing import Any

import httpx
import pytest
import pytest_asyncio
from langgraph_sdk import get_client

from tests.api.live import running
from tests.protocols.langgraph_calls import RUNS, THREAD
from tests.protocols.langgraph_calls import human as human_body
from tests.protocols.sdk_streams import human, thread

__all__ = ["thread"]  # a fixture

pytestmark = pytest.mark.asyncio(loop_scope="module")

CALLING = "tests.protocols.calling_graph:graph"


@pytest_asyncio.fixture(loop_scope="module")
async def sdk(live_servers):
    server = await live_servers(graph=CALLING)
    async with get_client(url=f"http://127.0.0.1:{server.port}", api_key=None) as client:
        yield client


def results(values: dict[str, Any]) -> list[str]:
    return [each["content"] for each in values["messages"] if each["type"] == "tool"]


async def test_run_stops_before_a_node_and_goes_on_without_a_message(sdk, thread) -> None:
    await sdk.runs.wait(thread, "agent", input=human("weather Rome"), interrupt_before=["tools"])
    state = await sdk.threads.get_state(thread)
    assert (state["next"], (await sdk.threads.get(thread))["status"]) == (["tools"], "interrupted")
    assert state["values"]["messages"][-1]["tool_calls"][0]["args"] == {"city": "Rome"}
    values = await sdk.runs.wait(thread, "agent", input=None)
    assert results(values) == ["Sunny in Rome"]
    assert "__interrupt__" not in values
    assert (await sdk.threads.get_state(thread))["next"] == []


async def test_run_stops_before_a_node_and_a_denial_ends_it(sdk, thread) -> None:
    await sdk.runs.wait(thread, "agent", input=human("weather Rome"), interrupt_before=["tools"])
    values = await sdk.runs.wait(thread, "agent", command={"resume": "deny"})
    assert "Sunny in Rome" not in results(values)
    assert (await sdk.threads.get_state(thread))["interrupts"] == []


async def test_run_stopped_before_its_tools_makes_the_call_that_a_client_has_changed(sdk, thread) -> None:
    await sdk.runs.wait(thread, "agent", input=human("weather Rome"), interrupt_before=["tools"])
    asking = (await sdk.threads.get_state(thread))["values"]["messages"][-1]
    asking["tool_calls"][0]["args"] = {"city": "Oslo"}
    await sdk.threads.update_state(thread, {"messages": [asking]})
    values = await sdk.runs.wait(thread, "agent", input=None)
    assert results(values) == ["Sunny in Oslo"]


async def test_run_stops_after_each_node_as_often_as_it_is_told(sdk, thread) -> None:
    await sdk.runs.wait(thread, "agent", input=human("weather Rome"), interrupt_after=["model", "tools"])
    stops = [(await sdk.threads.get_state(thread))["next"]]
    await sdk.runs.wait(thread, "agent", input=None, interrupt_after="*")
    stops.append((await sdk.threads.get_state(thread))["next"])
    values = await sdk.runs.wait(thread, "agent", input=None)
    assert stops == [["HumanInTheLoopMiddleware.after_model"], ["tools"]]
    assert results(values) == ["Sunny in Rome"]


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"interrupt_before": ["nobody"]}, "interrupt_before: the graph has no node"),
        ({"interrupt_after": 5}, "interrupt_after: it should be a list"),
    ],
    ids=["unknown node", "no list"],
)
async def test_run_with_a_breakpoint_that_is_none_is_refused(sdk, thread, wrong, field) -> None:
    with pytest.raises(httpx.HTTPStatusError) as refused:
        await sdk.runs.wait(thread, "agent", input=human("weather Rome"), **wrong)
    assert refused.value.response.json()["detail"].startswith(field)


async def test_run_with_breakpoints_beside_an_answer_is_refused(sdk, thread) -> None:
    await sdk.runs.wait(thread, "agent", input=human("weather Rome"), interrupt_before=["tools"])
    with pytest.raises(httpx.HTTPStatusError) as refused:
        await sdk.runs.wait(thread, "agent", command={"resume": "allow"}, interrupt_before=["tools"])
    assert refused.value.response.json()["detail"].startswith("interrupt_before: ")
    assert (await sdk.threads.get_state(thread))["next"] == ["tools"]


async def test_travel_run_with_a_breakpoint_is_refused(tmp_path) -> None:
    async with running(tmp_path, graph="", demo_pace=0.01) as api:
        await api.call("POST", "/threads", json={"thread_id": THREAD})
        refused = await api.call("POST", RUNS, json=human_body("hello", interrupt_before="*"))
        assert (refused.status_code, refused.json()["detail"].partition(":")[0]) == (422, "interrupt_before")
