"""Errors on the LangGraph API's paths: each has a `detail`, and names the field that the client has sent."""

from pathlib import Path
from typing import Any

import httpx2
import pytest

from backend.protocols.langgraph.index import Index
from tests.api.live import base_url, running
from tests.protocols.langgraph_calls import RUNS, THREAD, human

TALKING = "tests.protocols.talking_graph:graph"
JSON = {"content-type": "application/json"}


@pytest.fixture
async def api(tmp_path: Path):
    async with running(tmp_path, graph=TALKING) as client:
        await client.call("POST", "/threads", json={"thread_id": THREAD})
        yield client


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
async def test_what_no_route_of_the_api_refuses_has_a_detail_as_well(api, method, path, options, status):
    detail(await api.call(method, path, **options), status)


@pytest.mark.parametrize("path", ["/threads", "/runs", "/store/items", "/assistants/search"])
async def test_who_has_no_token_is_told_so_in_a_detail(tmp_path: Path, path: str):
    async with running(tmp_path, graph=TALKING, token="secret") as api:
        refused = await api.call("POST", path, json={})
        detail(refused, 401)
        assert refused.headers["www-authenticate"] == "Bearer"


async def test_too_many_messages_and_streams_are_refused_in_a_detail(tmp_path: Path):
    async with running(tmp_path, graph=TALKING, messages_per_minute=1, sockets_per_user=1) as api:
        body = human("hello", if_not_exists="create")
        run = (await api.call("POST", RUNS, json=body)).json()
        refused = await api.call("POST", RUNS, json=body)
        detail(refused, 429)
        assert "retry-after" in refused.headers
        assert api.detour._services.open_stream(THREAD)
        detail(await api.call("GET", f"{RUNS}/{run['run_id']}/stream"), 429)


async def test_a_fault_of_the_program_has_a_detail(api, monkeypatch: pytest.MonkeyPatch):
    async def fails(_self: Any, _user_id: str) -> None:
        raise RuntimeError("out of order")

    monkeypatch.setattr(Index, "get", fails)
    transport = httpx2.ASGITransport(app=api.detour.app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url=base_url(8000)) as http:
        detail(await http.get(f"/threads/{THREAD}"), 500)


async def test_the_servers_own_paths_keep_the_contracts_form(api):
    refused = await api.call("POST", "/chat", content=b"{}", headers={"content-type": "text/plain"})
    assert set(refused.json()) == {"error"}
    assert set((await api.call("GET", "/threadsome")).json()) == {"error"}
