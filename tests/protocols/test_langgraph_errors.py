"""Errors on the LangGraph API's paths: each has a `detail`, and names the field that the client has sent."""

from typing import Any

import httpx2
import pytest

from backend.protocols.langgraph.checkpoints import Index
from tests.api.live import base_url, running
from tests.protocols.langgraph_calls import RUNS, THREAD, human

pytestmark = pytest.mark.asyncio(loop_scope="module")

JSON = {"content-type": "application/json"}


def detail(response: httpx2.Response, status: int) -> str:
    assert response.status_code == status, response.text
    body = response.json()
    assert body["detail"] == body["error"]["message"]
    assert body["detail"].endswith("."), body["detail"]
    return body["detail"]


@pytest.mark.parametrize(
    ("method", "path", "options", "status"),
    [
        ("POST", "/threads", {"content": b"x" * 4_200_000, "headers": JSON}, 413),
        ("POST", "/assistants/search", {"content": b"x" * 200_000, "headers": JSON}, 413),
        ("POST", RUNS, {"content": b"{}", "headers": {"content-type": "text/plain"}}, 415),
        ("POST", RUNS, {"json": {}, "headers": {"origin": "https://evil.example.com"}}, 403),
        ("GET", "/info", {"headers": {"host": "evil.example.com"}}, 403),
        ("GET", "/v1/threads/nobody/state", {"headers": {"origin": "https://evil.example.com"}}, 403),
        ("PUT", "/threads/search", {}, 405),
        ("GET", "/runs/nowhere/at/all", {}, 404),
    ],
)
async def test_refusal_outside_the_routes_has_a_detail(api, method, path, options, status):
    detail(await api.call(method, path, **options), status)


async def test_fault_of_the_program_has_a_detail(api, monkeypatch: pytest.MonkeyPatch):
    async def fails(_self: Any, _user_id: str) -> None:
        raise RuntimeError("out of order")

    monkeypatch.setattr(Index, "get", fails)
    transport = httpx2.ASGITransport(app=api.detour.app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url=base_url(8000)) as http:
        detail(await http.get(f"/threads/{THREAD}"), 500)


async def test_servers_own_paths_keep_the_contracts_form(api):
    refused = await api.call("POST", "/chat", content=b"{}", headers={"content-type": "text/plain"})
    assert set(refused.json()) == {"error"}
    assert set((await api.call("GET", "/threadsome")).json()) == {"error"}


# --- the names of fields ---------------------------------------------------------------------------------


async def test_id_in_a_constructor_that_another_message_has_used_is_named_as_it_was_sent(api):
    first = {"input": {"messages": [{"type": "human", "content": "hello", "id": "m1"}]}}
    assert (await api.call("POST", RUNS, json=first)).status_code == 200
    built = {"type": "constructor", "id": ["HumanMessage"], "kwargs": {"content": "goodbye", "id": "m1"}}
    refused = await api.call("POST", RUNS, json={"input": {"messages": [built]}})
    assert detail(refused, 422).startswith("input.messages[0].kwargs.id: ")


@pytest.mark.parametrize(
    ("resume", "field"),
    [
        ("five", "{command}"),
        ([1, 2], "{command}"),
        ({}, "{command}.nights"),
        ({"nights": "five"}, "{command}.nights"),
        ([{"type": "response", "args": {"nights": "five"}}], "{command}"),
    ],
)
async def test_answer_that_does_not_fit_is_named_as_it_was_sent(tmp_path, resume, field):
    async with running(tmp_path, graph="tests.protocols.giving_graph:graph") as api:
        await api.call("POST", f"{RUNS}/wait", json=human("form", if_not_exists="create"))
        [question] = (await api.status(THREAD))["input_requests"]
        request_id = question["request_id"]
        refused = await api.call("POST", RUNS, json={"command": {"resume": resume}})
        name = field.format(command="command.resume")
        assert detail(refused, 422).startswith(f"{name}: ")
        assert [each["field"] for each in refused.json()["error"]["details"]] == [name]
        by_id = await api.call("POST", RUNS, json={"command": {"resume": {request_id: resume}}})
        assert detail(by_id, 422).startswith(field.format(command=f"command.resume.{request_id}") + ": ")
        params = {"interrupt_id": request_id, "response": resume}
        command = {"id": 1, "method": "input.respond", "params": params}
        told = (await api.call("POST", f"/threads/{THREAD}/commands", json=command)).json()
        assert told["message"].startswith(field.format(command="response") + ": ")
        command["params"] = {"responses": [params]}
        told = (await api.call("POST", f"/threads/{THREAD}/commands", json=command)).json()
        assert told["message"].startswith(field.format(command="responses[0].response") + ": ")


async def test_null_and_empty_text_answer_no_question_which_stays_open(api):
    await api.call("POST", f"{RUNS}/wait", json=human("ask"))
    [question] = (await api.status(THREAD))["input_requests"]
    refused = await api.call("POST", RUNS, json={"command": {"resume": None}})
    assert detail(refused, 422).startswith("command.resume: ")
    refused = await api.call("POST", RUNS, json={"command": {"resume": {question["request_id"]: None}}})
    assert detail(refused, 422).startswith(f"command.resume.{question['request_id']}: ")
    refused = await api.call("POST", RUNS, json=human("  "))
    assert detail(refused, 422).startswith("input.messages[0].content: ")
    for empty in ("", {}, {question["request_id"]: ""}):
        refused = await api.call("POST", RUNS, json={"command": {"resume": empty}})
        assert detail(refused, 422).endswith(": Field required.")
    assert (await api.status(THREAD))["input_requests"] == [question]
    resumed = await api.call("POST", f"{RUNS}/wait", json={"command": {"resume": "Rome"}})
    assert resumed.json()["messages"][-1]["content"] == "Then we go to Rome."
