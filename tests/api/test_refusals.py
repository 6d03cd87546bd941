"""Refusals for everybody: wrong paths and methods, a store that is down, a server that ends."""

import pytest

from backend.http.wire import answers
from tests.api.live import answer, refusal, running

CALLS = [
    ("POST", "/chat", {"user_id": "ada", "message": "find 1"}),
    ("POST", "/stop/ada", {}),
    ("GET", "/status/ada", None),
    ("GET", "/partial-results/ada", None),
    ("GET", "/history/ada", None),
    ("GET", "/receipts/ada/any", None),
    ("GET", "/events/ada", None),
    ("DELETE", "/users/ada", None),
]


async def test_unknown_path_returns_404(api):
    for path in ("/nothing", "/status", "/status/", "/status/ada/more", "/static/none.js", "/chat/"):
        refusal(await api.call("GET", path), 404, "not_found")


@pytest.mark.parametrize(
    "path",
    ["package.json", "index.html", "lib", "lib/none.js", "tests/a.js", "../backend/main.py", ".gitignore"],
)
async def test_only_files_of_the_page_are_served(api, path):
    refusal(await api.call("GET", f"/static/{path}"), 404, "not_found")
    assert (await api.call("GET", "/static/lib/dom.js")).status_code == 200


async def test_wrong_method_returns_405_with_the_right_one(api):
    for method, path, right in [
        ("GET", "/chat", "POST"),
        ("PUT", "/status/ada", "GET"),
        ("OPTIONS", "/chat", "POST"),
        ("POST", "/health", "GET"),
        ("GET", "/users/ada", "DELETE"),
    ]:
        refused = await api.call(method, path)
        assert refused.headers["allow"] == right
        refusal(refused, 405, "method_not_allowed")


async def test_head_has_no_body(live):
    refused = await live.call("HEAD", "/status/ada")
    assert (refused.status_code, refused.headers["allow"], refused.content) == (405, "GET", b"")
    for path in ("/", "/docs", "/static/app.js"):
        page = await live.call("HEAD", path)
        assert (page.status_code, page.content) == (200, b"")


@pytest.mark.requirement("A-503-ACCEPTED-NOTHING")
class TestStoreDown:
    @pytest.mark.parametrize(("method", "path", "body"), CALLS)
    async def test_every_call_returns_503_while_the_store_is_down(self, tmp_path, method, path, body):
        async with running(tmp_path, store="sqlite") as api:
            await api.detour.store.close()
            refused = await api.call(method, path, **({} if body is None else {"json": body}))
            refusal(refused, 503, "store_unavailable")

    async def test_refused_message_is_not_there_when_the_store_is_back(self, tmp_path):
        async with running(tmp_path, store="sqlite") as api:
            await api.chat_to_end("ada", "find 1")
            await api.detour.store.close()
            for _ in range(3):
                body = {"user_id": "ada", "message": "find 2", "client_id": "one"}
                refusal(await api.call("POST", "/chat", json=body), 503, "store_unavailable")
        async with running(tmp_path, store="sqlite") as api:
            assert len((await api.history("ada"))["messages"]) == 2
            again = await api.chat("ada", "find 2", client_id="one")
            assert (again["duplicate"], again["interrupted_task_id"]) == (False, None)

    async def test_server_without_a_store_is_alive_and_not_ready(self, tmp_path):
        async with running(tmp_path, store="sqlite") as api:
            ready = answer(await api.call("GET", "/ready"), 200, answers.ReadyAnswer)
            assert ready == {"status": "ok", "store": "ok", "serving": True}
            await api.detour.store.close()
            answer(await api.call("GET", "/health"), 200, answers.HealthAnswer)
            refused = await api.call("GET", "/ready")
            body = answer(refused, 503, answers.ReadyAnswer)
            assert (body["status"], body["serving"]) == ("unavailable", True)
            assert body["store"] != "ok"
            assert "retry-after" in refused.headers


async def test_replica_outside_its_cluster_is_not_ready(api):
    api.detour._services.in_cluster = lambda: False
    ready = answer(await api.call("GET", "/ready"), 503, answers.ReadyAnswer)
    assert ready == {"status": "unavailable", "store": "ok", "serving": False}
    api.detour._services.in_cluster = lambda: True
    answer(await api.call("GET", "/ready"), 200, answers.ReadyAnswer)


@pytest.mark.requirement("A-503-ACCEPTED-NOTHING")
async def test_ending_server_accepts_nothing_and_still_answers(api):
    first = await api.chat("ada", "find 1, hold")
    await api.until_found("ada", 1)
    await api.detour.end_tasks()
    body = {"user_id": "ada", "message": "find 2"}
    refusal(await api.call("POST", "/chat", json=body), 503, "shutting_down")
    status = await api.status("ada")
    assert (status["task_id"], status["status"], status["reason"]) == (
        first["task_id"],
        "interrupted",
        "shutdown",
    )
    ready = answer(await api.call("GET", "/ready"), 503, answers.ReadyAnswer)
    assert (ready["status"], ready["serving"]) == ("draining", False)


async def test_fault_returns_500_without_details(tmp_path, monkeypatch):
    async with running(tmp_path) as api:
        monkeypatch.setattr(api.detour.store, "standing", None)
        api.http._transport.raise_app_exceptions = False
        refused = await api.call("GET", "/status/ada")
        assert "NoneType" not in refused.text
        refusal(refused, 500, "internal")
