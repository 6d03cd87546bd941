"""CopilotKit's core 1.75.0, unchanged, with Detour in the place of its runtime."""

import asyncio
from typing import Any, ClassVar

import pytest
import pytest_asyncio

from tests.api.live import running as running_server
from tests.api.live import serving
from tests.protocols.ag_ui_pages import AgUiDriver, running
from tests.protocols.ag_ui_stream import JSON, OpenRun, events_in, kinds, post, run_input, text_of
from tests.protocols.node_client import ClientFailed
from tests.protocols.page_stories import HELLO, Driver, PageStories, Shown, wrote

pytestmark = pytest.mark.asyncio(loop_scope="module")


class Copilot(AgUiDriver):
    """A page with CopilotKit in it, which asks for what there is as soon as it is opened."""

    async def open(self, agent: str = "default") -> None:
        where = {"agentId": agent, "threadId": self.thread_id, "runtimeUrl": f"{self.url}/copilotkit"}
        transport = self.options["transport"]
        self.agents = await self.page.do("open", runtimeTransport=transport, headers=self.headers, **where)
        await self.mend()

    async def reopened(self, **options: Any) -> Driver:
        other = Copilot(self.node, self.url, self.thread_id, **{**self.options, **options})
        try:
            await other.open()
        except ClientFailed as refusal:
            return Closed(str(refusal))
        return other

    async def stop(self) -> None:
        await self.page.do("stop")

    async def leave(self) -> None:
        await self.page.do("leave")

    async def mend(self) -> None:
        await self.begin(self.page.do("connect"))


class Closed(Driver):
    """A page that finds no agent, and so can send nothing."""

    def __init__(self, refusal: str) -> None:
        self.refusal = refusal

    async def send(self, text: str, *, stays: bool = False, steers: bool = False) -> None:
        pass

    async def look(self) -> Shown:
        return Shown([], working=False, error=self.refusal)


class TestPage(PageStories):
    script = "copilotkit"
    driver = Copilot
    uncaught = "TypeError: terminated"  # of a line that is cut
    options: ClassVar = {"transport": "rest"}


class TestPageOfOnePath(TestPage):
    options: ClassVar = {"transport": "single"}


@pytest_asyncio.fixture(loop_scope="module", params=["rest", "single"])
async def pages(node, talking, ann, request):
    """Return a function that opens a page of the test's thread on the talking server."""
    client = await node("copilotkit")

    async def new(agent: str) -> Copilot:
        page = Copilot(client, talking.url, ann, transport=request.param)
        await page.open(agent)
        return page

    return new


async def test_page_finds_the_graph_by_its_name_too(pages):
    page = await pages("talking_graph")
    assert page.agents == ["talking_graph", "default"]
    await page.send("hello")
    await page.until_said(*HELLO)
    await page.send("slow")
    await page.until(wrote(3))
    await page.stop()
    stopped = await page.until(lambda shown: not shown.working and shown.receipts)
    again = await pages("talking_graph")
    assert await again.until(lambda shown: not shown.working and shown.receipts) == stopped
    messages = [(await each.page.look())["messages"] for each in (page, again)]
    assert messages[0] == messages[1]
    assert [each["activityType"] for each in messages[0] if each["role"] == "activity"] == [
        "detour.interruption"
    ]


async def test_failure_is_not_told_again_to_a_page_that_is_opened_later(pages):
    page = await pages("default")
    await page.send("fail")
    await page.until(lambda shown: shown.error)
    again = await pages("default")
    shown = await again.until(lambda shown: len(shown.said) == 2 and not shown.working)
    assert "went wrong" in shown.said[1][1]
    assert shown.error is None


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
    assert connected[0]["runId"] == (await local.status("dora"))["task_id"]
    assert kinds(connected)[:3] == ["RUN_STARTED", "MESSAGES_SNAPSHOT", "STATE_SNAPSHOT"]
    assert connected[-1]["outcome"] == {"type": "cancelled"}
