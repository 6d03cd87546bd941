"""CopilotKit's core 1.75.0, unchanged, with Detour in the place of its runtime."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
import pytest_asyncio

from tests.api.live import running as running_server
from tests.api.live import serving
from tests.protocols.ag_ui_pages import Page, ended, running, texts
from tests.protocols.ag_ui_stream import JSON, OpenRun, answer, check, events_in, post, run_input, text_of
from tests.protocols.conftest import TALKING

pytestmark = pytest.mark.asyncio(loop_scope="module")


class CopilotPage(Page):
    """A page with CopilotKit in it; `agents` are those that its runtime offers."""

    agents: Sequence[str] = ()

    async def open(self, url: str, agent: str = "talking_graph", **config: Any) -> "CopilotPage":
        where = {"agentId": agent, "threadId": self.thread_id, "runtimeUrl": f"{url}/copilotkit"}
        self.agents = await self.do("open", **where, **config)
        return self

    async def connect(self) -> None:
        """Do as a page does that is loaded: ask for what there is; return once that stream has ended."""
        await self.do("connect")

    async def stop(self) -> None:
        await self.do("stop")

    async def leave(self) -> None:
        await self.do("leave")


@pytest.fixture(params=["rest", "single"])
def transport(request) -> str:
    return request.param


@pytest_asyncio.fixture(loop_scope="module")
async def pages(node, talking, transport):
    """Return a function that opens a page of a thread on the talking server."""
    client = await node("copilotkit")

    async def new(thread_id: str, agent: str = "talking_graph") -> CopilotPage:
        page = CopilotPage(client, f"{thread_id}-{transport}")
        return await page.open(talking.url, agent, runtimeTransport=transport)

    yield new
    assert client.unhandled == []


async def test_page_finds_the_agents_and_streams_a_task(pages):
    page = await pages("stream")
    assert page.agents == ["talking_graph", "default"]
    await page.connect()
    assert page.events == []
    result = await page.say("hello")
    assert texts(result["newMessages"]) == ["You said: hello"]
    check(page.events)
    assert (await page.look())["state"]["status"] == "completed"
    assert page.errors == []


async def test_page_that_names_no_agent_gets_the_default_one(pages, talking):
    page = await pages("unnamed", agent="default")
    result = await page.say("hello")
    assert texts(result["newMessages"]) == ["You said: hello"]
    first = len(page.events)
    run = running(page.say("slow please"))
    await page.until("TEXT_MESSAGE_CONTENT", after=first)
    await page.stop()
    await run
    assert (await ended(talking, page))["reason"] == "stopped"
    after = await pages("unnamed", agent="default")
    await after.connect()
    assert (await after.look())["messages"] == (await page.look())["messages"]
    assert (page.errors, after.errors) == ([], [])


@pytest.mark.requirement("FOREIGN-STOP-STOPS")
async def test_stop_ends_the_task_and_its_stream_says_so(pages, talking):
    page = await pages("stop")
    run = running(page.say("slow please"))
    await page.until("TEXT_MESSAGE_CONTENT")
    await page.stop()
    result = await run
    status = await ended(talking, page)
    assert (status["status"], status["reason"]) == ("interrupted", "stopped")
    assert page.events[-1]["type"] == "RUN_FINISHED"
    assert result["result"]["receipt"]["reason"] == "stopped"
    check(page.events)
    looked = await page.look()
    (left,) = looked["state"]["interrupted"]
    assert texts(looked["messages"]) == [left["text"]]
    assert [each["activityType"] for each in looked["messages"] if each["role"] == "activity"]
    assert (looked["pendingInterrupts"], page.errors) == ([], [])
    after = await pages("stop")
    await after.connect()
    assert (await after.look())["messages"] == looked["messages"]
    assert after.errors == []


@pytest.mark.requirement("LEAVING-IS-NOT-STOPPING")
async def test_page_that_is_reloaded_in_mid_task_shows_it_once_and_to_its_end(pages, talking):
    before = await pages("reload")
    run = running(before.say("slow 120"))
    await before.until("TEXT_MESSAGE_CONTENT")
    await before.leave()
    await run
    after = await pages("reload")
    await after.connect()
    assert (await ended(talking, after))["status"] == "completed"
    looked = await after.look()
    assert texts(looked["messages"], "user") == ["slow 120"]
    assert texts(looked["messages"]) == [" ".join(f"word{number}" for number in range(120))]
    started = after.events[0]
    assert (started["type"], started["runId"]) == (
        "RUN_STARTED",
        (await talking.status(after.thread_id))["task_id"],
    )
    assert [each["type"] for each in after.events[1:3]] == ["MESSAGES_SNAPSHOT", "STATE_SNAPSHOT"]
    check(after.events)
    assert len((await talking.history(after.thread_id))["messages"]) == 2


async def test_question_is_there_after_a_reload_and_can_be_answered(pages, talking):
    before = await pages("question")
    await before.say("ask me")
    (question,) = (await before.look())["pendingInterrupts"]
    after = await pages("question")
    await after.connect()
    looked = await after.look()
    assert looked["pendingInterrupts"] == [question]
    assert texts(looked["messages"], "user") == ["ask me"]
    await after.run(resume=[answer(question["id"], "Rome")])
    looked = await after.look()
    assert looked["pendingInterrupts"] == []
    assert texts(looked["messages"]).count("Then we go to Rome.") == 1
    third = await pages("question")
    await third.connect()
    assert texts((await third.look())["messages"]) == texts(looked["messages"])
    assert [*await plain(third)] == [*await plain(after)]


async def plain(page: Page) -> list[tuple[str, str]]:
    """Return what a page shows, by role."""
    return [(each["role"], each.get("content")) for each in (await page.look())["messages"]]


async def test_failed_run_is_an_error_once_and_none_after_a_reload(pages):
    page = await pages("fail")
    await page.say("fail")
    assert page.errors
    after = await pages("fail")
    await after.connect()
    assert after.errors == []
    assert "went wrong" in texts((await after.look())["messages"])[-1]


async def test_token_goes_with_every_call(node, tmp_path, transport):
    client = await node("copilotkit")
    async with serving(tmp_path, graph=TALKING, token="s3cret-s3cret-s3cret-token") as live:
        page = CopilotPage(client, "token")
        headers = {"Authorization": "Bearer s3cret-s3cret-s3cret-token"}
        await page.open(f"http://127.0.0.1:{live.port}", runtimeTransport=transport, headers=headers)
        assert texts((await page.say("hello"))["newMessages"]) == ["You said: hello"]
        assert (await live.call("GET", "/copilotkit/info")).status_code == 401


# --- by hand ------------------------------------------------------------------------------------------------


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def local(tmp_path_factory):
    async with serving(tmp_path_factory.mktemp("copilotkit"), messages_per_minute=100_000) as client:
        yield client


async def test_runtime_says_what_it_offers(local):
    info = (await local.call("GET", "/copilotkit/info")).json()
    single = (await local.call("POST", "/copilotkit", json={"method": "info"})).json()
    assert info == single
    assert info["mode"] == "sse"
    assert {name: agent["name"] for name, agent in info["agents"].items()} == {
        "scripted_graph": "scripted_graph",
        "default": "default",
    }
    assert not any(info["threadEndpoints"].values())
    assert info["telemetryDisabled"] is True
    async with running_server(local.detour.settings.data_dir, graph="") as travel:
        assert [*(await travel.call("GET", "/copilotkit/info")).json()["agents"]] == ["travel", "default"]


async def test_stop_names_a_run_by_the_clients_id_or_by_its_own(local):
    body = run_input("bob", "hold", run_id="mine")
    path = "/copilotkit/agent/graph/run"
    for names_it in ({"runId": "mine"}, {}, None):
        run = running(
            post(local, body | {"messages": [{"id": str(names_it), "role": "user", "content": "hold"}]}, path)
        )
        status = await _working(local, "bob")
        other = await local.call("POST", "/copilotkit/agent/graph/stop/bob", json={"runId": "another"})
        assert other.json() == {"stopped": False, "message": other.json()["message"]}
        wanted = {"runId": status["task_id"]} if names_it == {} else names_it
        options = {} if wanted is None else {"json": wanted}
        stopped = await local.call("POST", "/copilotkit/agent/graph/stop/bob", **options)
        assert stopped.json() == {"stopped": True}
        assert (await run)[-1]["result"]["reason"] == "stopped"
    again = await local.call("POST", "/copilotkit/agent/graph/stop/bob")
    assert (again.status_code, again.json()["stopped"]) == (200, False)
    nobody = await local.call("POST", "/copilotkit/agent/graph/stop/nobody")
    assert (nobody.status_code, nobody.json()["stopped"]) == (200, False)


async def test_stop_that_overtakes_its_run_stops_it(local):
    early = await local.call("POST", "/copilotkit/agent/graph/stop/eve", json={"runId": "mine"})
    assert early.json()["stopped"] is False
    events = await post(local, run_input("eve", "hold", run_id="mine"), "/copilotkit/agent/graph/run")
    assert events[-1]["result"]["reason"] == "stopped"
    after = await post(local, run_input("eve", "find 1", run_id="mine"), "/copilotkit/agent/graph/run")
    assert after[-1]["outcome"] == {"type": "success"}


async def test_stop_names_a_run_by_the_clients_id_after_a_restart(tmp_path):
    path, body = "/copilotkit/agent/graph", run_input("fay", "hold", run_id="mine")
    async with serving(tmp_path, store="sqlite") as client, OpenRun(client, body, f"{path}/run") as run:
        await run.until("STEP_STARTED")
    async with serving(tmp_path, store="sqlite") as client:
        await _working(client, "fay")
        stopped = await client.call("POST", f"{path}/stop/fay", json={"runId": "mine"})
        assert stopped.json() == {"stopped": True}
        assert (await client.status("fay"))["reason"] == "stopped"


async def _working(local: Any, user_id: str) -> dict[str, Any]:
    """Return the status of a user as soon as the worker works."""
    while True:
        found = await local.call("GET", f"/status/{user_id}")
        if found.status_code == 200 and found.json()["agents"].get("worker", {}).get("state") == "working":
            return found.json()
        await asyncio.sleep(0)


async def test_stop_leaves_an_open_question_open(local):
    await post(local, run_input("cara", "ask Where?"))
    stopped = await local.call("POST", "/copilotkit/agent/graph/stop/cara")
    assert stopped.json()["stopped"] is False
    assert (await local.status("cara"))["input_requests"]


async def test_connection_to_unknown_thread_is_an_empty_stream(local):
    for path, body in {
        "/copilotkit/agent/graph/connect": run_input("nobody"),
        "/copilotkit": {
            "method": "agent/connect",
            "params": {"agentId": "scripted_graph"},
            "body": run_input("nobody"),
        },
    }.items():
        response = await local.call("POST", path, json=body)
        assert (response.status_code, response.content) == (200, b"")
        assert response.headers["content-type"].startswith("text/event-stream")


async def test_malformed_calls_are_refused_in_the_runtimes_form(local):
    for body in (b"{", b"[]", b'{"method": "agent/fly"}', b'{"method": "agent/stop", "params": {}}'):
        response = await local.call("POST", "/copilotkit", content=body, headers=JSON)
        assert response.status_code in {400, 404, 422}
        assert {*response.json()} == {"error", "message"}
    wrong = await local.call("POST", "/copilotkit/agent/graph/stop/ann", json={"runId": 5})
    assert (wrong.status_code, "runId" in wrong.json()["message"]) == (422, True)
    for call in ("run", "connect"):
        (event,) = events_in((await local.call("POST", f"/copilotkit/agent/graph/{call}", json={})).content)
        assert event["type"] == "RUN_ERROR"
        refused = await post(local, run_input("ann", "find 1"), f"/copilotkit/agent/nobody/{call}")
        assert refused[-1]["code"] == "unknown_agent"


async def test_disconnect_stops_nothing(local):
    body = run_input("dora", "find 1, hold")
    async with local.http.stream("POST", "/copilotkit/agent/graph/run", json=body) as response:
        await anext(response.aiter_bytes())
        await local.until_found("dora", 1)
    await local.until_all_have_left()
    assert not [each for each in asyncio.all_tasks() if each.get_name().startswith("leave ")]
    assert (await local.status("dora"))["status"] == "running"
    await local.stop("dora")
    connected = await post(local, run_input("dora"), "/copilotkit/agent/graph/connect")
    assert text_of(connected) == ""
    assert connected[-1]["outcome"] == {"type": "cancelled"}
