"""A run with `input: null` goes on from where the last run of its thread failed."""

from pathlib import Path
from typing import Any

import pytest

from tests.api.live import running
from tests.protocols.langgraph_calls import RUNS, THREAD, human, ran, state_of

FAILING = "tests.protocols.failing_graph:graph"


@pytest.fixture(params=[FAILING])
async def api(tmp_path, request):
    async with running(tmp_path / "data", graph=request.param) as client:
        assert (await client.call("POST", "/threads", json={"thread_id": THREAD})).status_code == 200
        yield client


def null(**more: Any) -> dict[str, Any]:
    return {"assistant_id": "agent", "input": None, **more}


async def test_null_input_goes_on_from_the_node_that_failed(api, tmp_path: Path) -> None:
    there = tmp_path / "there"
    assert [event for event, _ in await ran(api, human(str(there)))][-1] == "error"
    assert [event for event, _ in await ran(api, null())][-1] == "error"
    there.touch()
    found = await ran(api, null())
    assert [data["status"] for event, data in found if event == "end"] == ["success"]
    values = (await state_of(api))["values"]
    assert [(each["type"], each["content"]) for each in values["messages"]] == [
        ("human", str(there)),
        ("ai", "Looked 1 times."),
    ]
    assert values["looked"] == 1


async def test_null_input_is_refused_where_nothing_failed(api, tmp_path: Path) -> None:
    await ran(api, human(str(tmp_path)))
    response = await api.call("POST", RUNS, json=null())
    assert response.status_code == 422
    assert response.json()["detail"] == "input.messages: there is no message of the user in it."


@pytest.mark.parametrize("api", ["tests.protocols.failing_graph:calling"], indirect=True)
async def test_call_of_failed_run_stands_before_its_result(api, tmp_path: Path) -> None:
    there = tmp_path / "there"
    assert [event for event, _ in await ran(api, human(str(there)))][-1] == "error"
    there.touch()
    await ran(api, null())
    messages = (await state_of(api))["values"]["messages"]
    assert [(each["type"], each["content"]) for each in messages] == [
        ("human", str(there)),
        ("ai", "Let me look."),
        ("tool", "It is there."),
        ("ai", "Done."),
    ]
    assert [each["id"] for each in messages[1]["tool_calls"]] == [messages[2]["tool_call_id"]] == ["call-1"]
