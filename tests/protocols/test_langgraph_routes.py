"""The LangGraph API in its own form: what is refused and how, and who gets in."""

import asyncio
import itertools
from typing import Any

import orjson
import pytest

from backend.http.wire import answers
from backend.protocols.langgraph import run_routes as run_begin_routes
from tests.api.live import BOUND_S, LocalClient, answer, refusal
from tests.protocols.langgraph_calls import RUNS, THREAD, frames, human, ran, state_of

pytestmark = pytest.mark.asyncio(loop_scope="module")


# --- what is refused -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "begins"),
    [
        ("POST", RUNS, {"assistant_id": 5, "input": {}}, 422, "assistant_id: "),
        (
            "POST",
            RUNS,
            {"assistant_id": "nobody", "input": {"messages": ["hi"]}},
            404,
            "There is no assistant",
        ),
        ("POST", RUNS, {"assistant_id": "agent", "input": 5}, 422, "input: "),
        ("POST", RUNS, {"assistant_id": "agent", "input": {"messages": 5}}, 422, "input.messages: "),
        ("POST", RUNS, {"assistant_id": "agent", "input": {"messages": [5]}}, 422, "input.messages[0]: "),
        ("POST", RUNS, human(5), 422, "input.messages[0].content: it should be text"),
        ("POST", RUNS, human(""), 422, "input.messages[0].content: it has no text"),
        ("POST", RUNS, human("x" * 8001), 422, "input.messages[0].content: "),
        (
            "POST",
            RUNS,
            human([{"type": "image_url"}]),
            422,
            "input.messages[0].content[0]: it should be text",
        ),
        ("POST", RUNS, human([]), 422, "input.messages[0].content: it has no text"),
        ("POST", RUNS, {"input": {"messages": ["a", ""]}}, 422, "input.messages[1]: it has no text"),
        ("POST", RUNS, {"input": {"question": " "}}, 422, "input.question: it has no text"),
        ("POST", RUNS, {"input": None}, 422, "input.messages: there is no message"),
        ("POST", RUNS, {"command": {"resume": None}}, 422, "command.resume: it is null"),
        ("POST", RUNS, {"command": {"resume": ""}}, 409, "Nothing is asked"),
        ("POST", RUNS, human("hi", config={"recursion_limit": 0}), 422, "config.recursion_limit: "),
        ("POST", RUNS, human("hi", config={"recursion_limit": 100_001}), 422, "config.recursion_limit: "),
        ("POST", RUNS, human("hi", config={"recursion_limit": True}), 422, "config.recursion_limit: "),
        ("POST", RUNS, human("hi", stream_mode="loud"), 422, "stream_mode: "),
        ("POST", RUNS, human("hi", stream_mode={"a": 1}), 422, "stream_mode: "),
        ("POST", RUNS, human("hi", multitask_strategy="later"), 422, "multitask_strategy: "),
        ("POST", RUNS, human("hi", webhook="http://x.example"), 422, "webhook: it should begin with https"),
        ("POST", RUNS, human("hi", webhook="/threads"), 422, "webhook: it should be an address"),
        ("POST", RUNS, human("hi", webhook="https://a:b@example.com"), 422, "webhook: it should be an ad"),
        ("POST", RUNS, human("hi", webhook="https://localhost/x"), 422, "webhook: localhost is not an"),
        ("POST", RUNS, human("hi", webhook="https://10.0.0.1/x"), 422, "webhook: 10.0.0.1 is not an"),
        ("POST", RUNS, human("hi", webhook="https://[::ffff:10.0.0.1]"), 422, "webhook: ::ffff:"),
        ("POST", RUNS, human("hi", webhook=f"https://x/{'x' * 2000}"), 422, "webhook: it may have"),
        ("POST", RUNS, human("hi", webhook=5), 422, "webhook: it should be text"),
        ("POST", RUNS, human("hi", after_seconds=-1), 422, "after_seconds: "),
        ("POST", RUNS, human("hi", after_seconds="5"), 422, "after_seconds: "),
        ("POST", RUNS, human("hi", after_seconds=604_801), 422, "after_seconds: "),
        ("POST", RUNS, {"command": {"resume": 1}, "after_seconds": 5}, 422, "after_seconds: an answer"),
        ("POST", RUNS, human("hi", ttl=5), 422, "ttl: a run has no such field"),
        ("POST", RUNS, human("hi", durability="nonsense"), 422, "durability: it should be one of: sync"),
        ("POST", RUNS, human("hi", interrupt_before=["nobody"]), 422, "interrupt_before: "),
        ("POST", RUNS, human("hi", command={"goto": ["nobody"]}), 422, "command.goto: "),
        ("POST", RUNS, human("hi", command={"goto": [{"node": 5}]}), 422, "command.goto: "),
        ("POST", RUNS, human("hi", command={"update": {"a": 1}, "resume": 1}), 422, "command.update: "),
        ("POST", RUNS, human("hi", config={"configurable": 5}), 422, "config.configurable: "),
        ("POST", RUNS, human("hi", metadata={"a": "x" * 20_000}), 422, "metadata: "),
        ("POST", RUNS, human("hi", checkpoint={"checkpoint_id": 5}), 422, "checkpoint.checkpoint_id: "),
        ("POST", "/threads/nobody/runs", human("hi"), 404, "There is no thread 'nobody'"),
        ("POST", "/threads/-a/runs", human("hi"), 422, "thread_id: "),
        ("GET", f"{RUNS}/none", None, 404, "There is no run 'none'"),
        ("POST", f"{RUNS}/none/cancel", None, 404, "There is no run 'none'"),
        ("POST", f"{RUNS}/none/cancel?action=explode", None, 422, "action: "),
        ("POST", "/runs/cancel", {}, 422, "thread_id: "),
        ("POST", "/runs/cancel", {"status": "done"}, 422, "status: "),
        ("POST", "/runs/batch", {}, 422, "The body: "),
        ("POST", "/runs/batch", [], 422, "The body: "),
        ("POST", "/runs/batch", [5], 422, "[0]: "),
        ("POST", "/runs/batch", [human("hi"), {"input": 5}], 422, "[1].input: "),
        ("POST", "/runs/batch", [human("hi", command={"resume": 1})], 422, "[0].command: "),
        ("GET", f"{RUNS}?limit=many", None, 422, "limit: "),
        ("GET", "/threads/nobody", None, 404, "There is no thread 'nobody'"),
        ("POST", "/threads/nobody/history", {}, 404, "There is no thread 'nobody'"),
        ("DELETE", "/threads/nobody", None, 404, "There is no thread 'nobody'"),
        ("PATCH", "/threads/nobody", {"metadata": {}}, 404, "There is no thread 'nobody'"),
        ("GET", f"/threads/{THREAD}/state/none", None, 404, "There is no checkpoint 'none'"),
        ("GET", f"/threads/{THREAD}/state?graph=none", None, 422, "graph: "),
        ("POST", f"/threads/{THREAD}/state/checkpoint", {"checkpoint": 5}, 422, "checkpoint: "),
        ("POST", f"/threads/{THREAD}/history", {"limit": -1}, 422, "limit: "),
        ("POST", f"/threads/{THREAD}/history", {"before": 5}, 422, "before: "),
        ("POST", "/threads", {"thread_id": "a b"}, 422, "thread_id: "),
        ("POST", "/threads", {"thread_id": THREAD}, 409, "There is a thread"),
        ("POST", "/threads", {"if_exists": "explode"}, 422, "if_exists: "),
        ("POST", "/threads", {"ttl": {"ttl": 5, "strategy": "keep_latest"}}, 422, "ttl.strategy: "),
        ("POST", "/threads", {"ttl": {"ttl": 0}}, 422, "ttl.ttl: "),
        ("PATCH", f"/threads/{THREAD}", {"ttl": "soon"}, 422, "ttl.ttl: "),
        ("POST", "/threads/prune", {}, 422, "thread_ids: "),
        ("POST", "/threads/prune", {"thread_ids": [THREAD], "strategy": "keep_latest"}, 422, "strategy: "),
        ("POST", "/threads/prune", {"thread_ids": ["../x"]}, 422, "thread_id: "),
        ("POST", "/threads/search", {"sort_by": "luck"}, 422, "sort_by: "),
        ("POST", "/threads/search", {"status": "odd"}, 422, "status: "),
        ("POST", "/threads/search", {"ids": [5]}, 422, "ids: "),
        ("POST", "/threads/search", {"limit": True}, 422, "limit: "),
        ("GET", "/assistants/nobody", None, 404, "There is no assistant 'nobody'"),
        ("POST", f"/threads/{THREAD}/state", {"values": 5}, 422, "values: "),
        ("PATCH", f"/threads/{THREAD}/state", {"metadata": 5}, 422, "metadata: "),
    ],
)
async def test_bad_call_is_refused_in_a_sentence_that_names_the_field(
    api: LocalClient, method: str, path: str, body: Any, status: int, begins: str
) -> None:
    sent = {} if body is None else {"content": orjson.dumps(body)}
    response = await api.call(method, path, headers={"content-type": "application/json"}, **sent)
    assert response.status_code == status, response.text
    assert response.json()["detail"].startswith(begins)
    assert response.json()["error"]["message"] == response.json()["detail"]
    assert (await api.call("GET", RUNS)).json() == []


@pytest.mark.parametrize("seen", ["nonsense", "999999-1", "-5", "1-x", "\u00b2-1", "9" * 40 + "-1"])
async def test_client_that_lies_about_what_it_has_seen_harms_nobody(api: LocalClient, seen: str) -> None:
    [(_, first), *_] = await ran(api, human("hello"))
    path = f"{RUNS}/{first['run_id']}/stream"
    response = await api.call("GET", path, headers={"last-event-id": seen.encode()})
    assert response.status_code == 200
    assert [event for event, _ in frames(response.content)][-1:] in ([], ["end"])


async def test_input_comes_in_every_form_that_clients_send(api: LocalClient) -> None:
    constructed = {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain_core", "messages", "HumanMessage"],
        "kwargs": {"content": "hello", "id": "built"},
    }
    for given in (
        {"messages": ["hello"]},
        {"messages": [["user", "hello"]]},
        {"messages": {"role": "user", "content": "hello"}},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "hel"}, "lo"]}]},
        {
            "messages": [
                {"type": "human", "content": "before"},
                {"type": "human", "content": "hello", "id": 7},
            ]
        },
        {"messages": [{"type": "human", "content": "hello"}, {"type": "ai", "content": "partial"}]},
        {"messages": [constructed]},
        {"message": "hello"},
        {"question": "hello"},
        ["hello"],
        "hello",
    ):
        told = await ran(api, {"assistant_id": "agent", "input": given})
        assert told[-1][1]["status"] == "success"
        assert told[-2][1]["messages"][-1]["content"] == "You said: hello"
    assert "built" in [each["id"] for each in told[-2][1]["messages"]]


async def test_only_graph_has_the_name_of_its_module_too(api: LocalClient) -> None:
    assert (await ran(api, human("hello", assistant_id="talking_graph")))[-1][1]["status"] == "success"
    assert (await api.call("GET", "/assistants/talking_graph")).json()["graph_id"] == "talking_graph"


async def test_modes_are_all_taken_and_messages_come_whole_as_well(api: LocalClient) -> None:
    told = await ran(api, human("hello", stream_mode=["messages", "events", "debug", "tasks", "checkpoints"]))
    events = [event for event, _ in told if event not in {"tasks", "debug", "checkpoints"}]
    assert events[:2] == ["metadata", "messages/metadata"]
    assert events[-2:] == ["messages/complete", "end"]
    partial = [data[0]["content"] for event, data in told if event == "messages/partial"]
    assert partial[-1] == "You said: hello"
    assert all(after.startswith(before) for before, after in itertools.pairwise(partial))


# --- who gets in ---------------------------------------------------------------------------------------


async def test_protocol_that_is_off_has_no_routes_and_the_servers_own_stay(servers) -> None:
    api = await servers(protocols="none")
    for method, path in (("POST", "/threads"), ("POST", "/runs/wait"), ("GET", "/info"), ("GET", "/ok")):
        assert (await api.call(method, path)).status_code in (404, 405)
    refusal(await api.call("GET", "/threads/ada/state"), 404, "unknown_user")
    refusal(await api.call("GET", "/threads/-ada/state"), 422, "bad_input")
    accepted = await api.chat("ada", "hello")
    await api.until_ended("ada", accepted["task_id"])
    own = answer(await api.call("GET", "/threads/ada/state"), 200, answers.StateView)
    assert own["values"]["messages"][-1]["content"] == "You said: hello"


async def test_state_has_all_that_the_servers_own_has(api: LocalClient) -> None:
    accepted = await api.chat(THREAD, "hello")
    await api.until_ended(THREAD, accepted["task_id"])
    whole = answer(await api.call("GET", f"/threads/{THREAD}/history"), 200, answers.StateHistoryAnswer)[
        "states"
    ]
    state = await state_of(api)
    assert set(state) >= set(whole[0])
    assert state["checkpoint"]["checkpoint_id"] == whole[0]["checkpoint"]["checkpoint_id"]
    assert set(state["metadata"]) >= set(whole[0]["metadata"])


async def test_token_is_asked_of_all_but_probes_and_taken_as_a_key(servers) -> None:
    api = await servers(token="s3cret-s3cret-s3cret-token")
    assert (await api.call("GET", "/ok")).json() == {"ok": True}
    assert (await api.call("GET", "/info")).json()["flags"]["assistants"] is True
    assert (await api.call("POST", "/threads", json={})).status_code == 401
    own = {"x-api-key": "s3cret-s3cret-s3cret-token"}
    assert (await api.call("POST", "/threads", json={}, headers=own)).status_code == 200
    assert (await api.call("POST", "/threads", json={}, headers={"x-api-key": "no"})).status_code == 401


async def test_long_conversation_is_taken_of_which_the_last_message_counts(api: LocalClient) -> None:
    before = [{"type": "human", "content": "x" * 7000} for _ in range(200)]
    body = {"assistant_id": "agent", "input": {"messages": [*before, {"type": "human", "content": "hello"}]}}
    assert (await ran(api, body))[-2][1]["messages"][-1]["content"] == "You said: hello"
    assert (await api.call("POST", RUNS, json={"input": "x" * 5_000_000})).status_code == 413


async def test_thread_of_a_run_without_one_is_forgotten_soon_after_the_run(
    api: LocalClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_begin_routes, "FORGET_AFTER_S", 0)
    for body, status in ((human("hello"), 404), (human("hello", on_completion="keep"), 200)):
        response = await api.call("POST", "/runs/stream", json=body)
        path = response.headers["content-location"]
        assert response.headers["location"] == f"{path}/stream"
        thread_id = path.split("/")[2]
        async with asyncio.timeout(BOUND_S):
            while (await api.call("GET", f"/threads/{thread_id}")).status_code != status:  # noqa: ASYNC110
                await asyncio.sleep(0)


async def test_hidden_thread_of_a_run_without_one_can_still_repair_its_line(api: LocalClient) -> None:
    response = await api.call("POST", "/runs/stream", json=human("hello"))
    path = response.headers["location"]
    thread_id = path.split("/")[2]
    async with asyncio.timeout(BOUND_S):
        while (await api.call("GET", f"/threads/{thread_id}/state")).status_code != 404:  # noqa: ASYNC110
            await asyncio.sleep(0)
    assert (await api.call("POST", "/threads/search", json={"ids": [thread_id]})).json() == []
    again = await api.call("GET", path, headers={"last-event-id": "-1"})
    assert again.content == response.content
