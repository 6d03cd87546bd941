"""What broken and hostile clients send over other people's protocols: it is refused, and harms nobody."""

import pytest

from tests.api.live import running
from tests.protocols.langgraph_calls import RUNS, THREAD, frames, human
from tests.records import nested

pytestmark = pytest.mark.asyncio(loop_scope="module")

DEEP = nested(150)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (RUNS, human("hi", config={"configurable": {"q": DEEP}})),
        (RUNS, human("hi", metadata={"a": DEEP})),
        ("/threads", {"metadata": {"a": DEEP}}),
        (f"/threads/{THREAD}/commands", {"id": DEEP, "method": "x"}),
        ("/chat", {"user_id": "ada", "message": "hi", "configurable": {"q": DEEP}}),
        ("/answer/ada", {"request_id": "q", "answer": {"answer": DEEP}}),
    ],
)
async def test_body_nested_too_deep_to_be_read_back_is_refused(api, path, body):
    response = await api.call("POST", path, json=body)
    assert response.status_code == 422, response.text
    assert "100" in response.text


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (RUNS, {"assistant_id": "agent", "input": {"messages": [{"role": ["user"], "content": "x"}]}}),
        (f"/threads/{THREAD}/stream/events", {"channels": ["values"], "namespaces": 5}),
        ("/threads/search", {"limit": "9" * 5000}),
        ("/threads/search", {"ids": ["a"] * 1001}),
        ("/threads/count", {"ids": ["a"] * 40_000}),
    ],
)
async def test_wrong_type_is_refused(api, path, body):
    assert (await api.call("POST", path, json=body)).status_code == 422


async def test_metadata_of_a_thread_grows_no_further_than_it_may_begin_with(api):
    path = f"/threads/{THREAD}"
    assert (await api.call("PATCH", path, json={"metadata": {"a": "x" * 16_000}})).status_code == 200
    refused = await api.call("PATCH", path, json={"metadata": {"b": "x" * 1000}})
    assert refused.status_code == 422
    assert refused.json()["detail"].startswith("metadata: ")
    assert set((await api.call("GET", path)).json()["metadata"]) == {"a"}
    assert (await api.call("PATCH", path, json={"metadata": {"a": "y", "b": "z"}})).status_code == 200


async def test_metadata_that_a_run_has_filled_up_can_still_be_made_smaller(api):
    path, large = f"/threads/{THREAD}", {"metadata": {"a": "x" * 16_370}}
    assert (await api.call("PATCH", path, json=large)).status_code == 200
    assert (await api.call("POST", f"{RUNS}/wait", json=human("hi"))).status_code == 200
    assert (await api.call("PATCH", path, json={"metadata": {"a": "x" * 16_369}})).status_code == 200
    assert (await api.call("PATCH", path, json=large)).status_code == 422


async def test_place_of_another_thread_is_none_and_the_run_is_told_from_its_beginning(api):
    created = await api.call("POST", f"{RUNS}/wait", json=human("hi"))
    assert created.status_code == 200
    [run] = (await api.call("GET", RUNS)).json()
    path = f"{RUNS}/{run['run_id']}/stream"
    told = await api.call("GET", path, headers={"last-event-id": "99999999-1"})
    assert frames(told.content)[-1][0] == "end"
    assert frames(told.content)[0][0] == "metadata"


async def test_line_is_repaired_with_the_modes_that_were_asked_for(api):
    await api.call("POST", f"{RUNS}/wait", json=human("hi"))
    [run] = (await api.call("GET", RUNS)).json()
    told = await api.call("GET", f"{RUNS}/{run['run_id']}/stream?stream_mode=values")
    assert told.headers["location"].endswith("/stream?stream_mode=values")


async def test_answers_of_which_one_does_not_fit_are_all_refused(tmp_path):
    async with running(tmp_path, graph="tests.protocols.pair_graph:graph") as api:
        await api.call("POST", f"{RUNS}/wait", json=human("hi", if_not_exists="create"))
        asks = [each["request_id"] for each in (await api.status(THREAD))["input_requests"]]
        assert len(asks) == 2
        resume = {"assistant_id": "agent", "command": {"resume": {asks[0]: "yes", asks[1]: None}}}
        assert (await api.call("POST", RUNS, json=resume)).status_code == 422
        assert [each["request_id"] for each in (await api.status(THREAD))["input_requests"]] == asks
        resume["command"] = {"resume": dict.fromkeys(asks, "yes")}
        assert (await api.call("POST", f"{RUNS}/wait", json=resume)).status_code == 200
        assert (await api.status(THREAD))["status"] == "completed"
