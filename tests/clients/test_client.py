"""The Python client, async and blocking: events, changes of mind, stops, answers, broken lines."""

import asyncio
import subprocess
import sys
from contextlib import aclosing

import httpx2
import pytest

from backend.client import AsyncClient, Client, Connection, Refused, Unreachable
from backend.clients.api import Api, User
from tests.api.live import BOUND_S, serving
from tests.browser.proxy import Proxy
from tests.conventions import ROOT

pytestmark = pytest.mark.requirement("PYTHON-CLIENT")


@pytest.fixture
async def detour(server):
    async with AsyncClient(f"http://127.0.0.1:{server.port}", "ada", timeout_s=BOUND_S) as client:
        yield client


async def received_until(frames, matches):
    """Return the frames up to the first that matches."""
    heard = []
    async with asyncio.timeout(BOUND_S):
        async for frame in frames:
            heard.append(frame)
            if matches(frame):
                break
    return heard


async def all_of(stream):
    async with asyncio.timeout(BOUND_S):
        return [frame async for frame in stream]


def is_a(kind):
    return lambda frame: not isinstance(frame, Connection) and frame["type"] == kind


async def test_stream_yields_the_events_of_its_message_and_ends_with_its_task(detour):
    frames = await all_of(detour.stream("find 2"))
    found = [item for frame in frames if frame["type"] == "partial_result" for item in frame["items"]]
    assert found == [{"thing": 0}, {"thing": 1}]
    assert (frames[-1]["type"], frames[-1]["status"]) == ("status_update", "completed")
    assert {frame["task_id"] for frame in frames} == {frames[0]["task_id"]}
    history = await detour.history()
    assert [message["text"] for message in history["messages"]] == ["find 2", "Done: find 2"]


async def test_stream_of_an_interrupted_message_ends_with_a_receipt(detour):
    async with aclosing(detour.stream("find 1, hold")) as stream:
        await received_until(stream, is_a("partial_result"))
        replies = await all_of(detour.stream("find 2"))
        first = await received_until(stream, is_a("receipt"))
        assert await all_of(stream) == []
    assert first[-1]["receipt"]["reason"] == "superseded"
    assert first[-1]["receipt"]["partial_results"]["finder"] == 1
    assert replies[-1]["status"] == "completed"


async def test_stop_keeps_partial_results(detour):
    async with aclosing(detour.stream("find 3, hold")) as stream:
        await received_until(stream, lambda frame: frame.get("count") == 3 and "items" in frame)
        receipt = await detour.stop()
        await received_until(stream, is_a("receipt"))
    assert (receipt["reason"], receipt["partial_results"]["finder"]) == ("stopped", 3)
    assert receipt == await detour.receipt(receipt["task_id"])
    calls = await detour.calls(receipt["task_id"])
    assert (calls["task_id"], calls["calls"]) == (receipt["task_id"], [])
    assert (await detour.status())["status"] == "interrupted"
    found = await detour.partial_results()
    assert found["interrupted"][0]["partial_results"] == {
        "finder": [{"thing": 0}, {"thing": 1}, {"thing": 2}]
    }


async def test_stream_continues_after_an_answered_question(detour):
    async with aclosing(detour.stream("field Where to?")) as stream:
        *_, asked = await received_until(stream, is_a("input_request"))
        answered = await detour.answer(asked["request_id"], {"answer": "Lisbon"})
        assert (answered["outcome"], answered["task_id"]) == ("answered", asked["task_id"])
        rest = await all_of(stream)
    assert rest[-1]["status"] == "completed"
    with pytest.raises(Refused) as refused:
        await detour.decide(asked["request_id"], "allow", "too late")
    assert refused.value.status in (409, 422)


async def test_events_miss_nothing_over_a_cut_connection(tmp_path):
    async with Proxy() as proxy, serving(tmp_path, allowed_hosts=(f"127.0.0.1:{proxy.port}",)) as far:
        proxy.target = far.port
        async with (
            AsyncClient(f"http://127.0.0.1:{proxy.port}", "ada", timeout_s=BOUND_S) as detour,
            aclosing(detour.events()) as events,
        ):
            *_, snapshot = await received_until(events, is_a("snapshot"))
            await detour.send("find 3, hold")
            before = await received_until(events, is_a("partial_result"))
            proxy.close()
            broken = await received_until(events, lambda frame: frame == Connection(is_open=False))
            await far.stop("ada")
            proxy.open()
            after = await received_until(events, is_a("receipt"))
    seqs = [frame["seq"] for frame in [*before, *broken, *after] if isinstance(frame, dict) and "at" in frame]
    events_seen = [each for each in seqs if each > snapshot["seq"]]
    assert sorted(set(events_seen)) == list(range(snapshot["seq"] + 1, after[-1]["seq"] + 1))


async def test_send_retries_until_accepted_and_is_accepted_once(tmp_path, monkeypatch):
    async with Proxy() as proxy, serving(tmp_path, allowed_hosts=(f"127.0.0.1:{proxy.port}",)) as far:
        proxy.target = far.port
        async with AsyncClient(f"http://127.0.0.1:{proxy.port}", "ada", timeout_s=BOUND_S) as detour:
            waits = []

            def open_at_the_third(attempt: int) -> float:
                waits.append(attempt)
                if len(waits) == 2:
                    proxy.open()
                return 0

            monkeypatch.setattr("backend.client.wait_before", open_at_the_third)
            proxy.close()
            accepted = await detour.send("hello")
            assert (waits, accepted["duplicate"]) == ([0, 1], False)
            again = await detour.send("hello again", client_id="mine")
            assert (await detour.send("hello again", client_id="mine"))["task_id"] == again["task_id"]
            proxy.close()
            with pytest.raises(Unreachable):
                await detour.send("lost")
        said = [
            message["text"] for message in (await far.history("ada"))["messages"] if message["role"] == "user"
        ]
        assert said == ["hello", "hello again"]


async def test_message_with_a_lost_answer_is_sent_again_and_accepted_once(detour, monkeypatch):
    answers = []

    async def lose_the_first(response: httpx2.Response) -> None:
        answers.append(response)
        if len(answers) == 1:
            raise httpx2.ReadError("the connection was reset")

    monkeypatch.setattr("backend.client.wait_before", lambda attempt: 0)
    detour._http.event_hooks["response"] = [lose_the_first]
    assert (await detour.send("hello"))["duplicate"]
    said = [each["text"] for each in (await detour.history())["messages"] if each["role"] == "user"]
    assert said == ["hello"]


async def test_two_clients_of_one_user_get_the_same_events(detour, server):
    url = f"http://127.0.0.1:{server.port}"
    async with AsyncClient(url, "ada") as other, aclosing(other.events()) as events:
        await received_until(events, is_a("snapshot"))
        own = await all_of(detour.stream("find 1"))
        theirs = await received_until(events, lambda frame: frame == own[-1])
    assert [frame for frame in theirs if frame in own] == own


async def test_graph_state_is_readable(detour):
    await all_of(detour.stream("hello"))
    state, states = await detour.state(), await detour.states(limit=1)
    [step] = states["states"]
    # The LangGraph API's state has the messages of the conversation beside the graph's own values.
    assert step["checkpoint"]["checkpoint_id"] == state["checkpoint"]["checkpoint_id"]
    assert state["values"].items() >= step["values"].items()
    assert state["values"]["answer"] == "Done: hello"


async def test_token_is_sent_and_a_wrong_one_is_refused(tmp_path):
    async with serving(tmp_path, token="a-long-random-token-22") as guarded:
        url = f"http://127.0.0.1:{guarded.port}"
        async with AsyncClient(url, "ada", token="a-long-random-token-22") as detour:
            assert (await all_of(detour.stream("hello")))[-1]["status"] == "completed"
            await detour.forget()
        async with AsyncClient(url, "ada", token="another") as detour:
            with pytest.raises(Refused) as refused:
                await detour.send("hello")
    assert refused.value.status == 401


async def test_stop_of_one_agent_leaves_the_task_running(tmp_path, http):
    async with serving(tmp_path, graph="", demo_pace=30) as travel:
        api = Api(User(url=f"http://127.0.0.1:{travel.port}", user_id="ada"), http)
        await api.send("flights from Berlin to Rome on 4 December and a hotel there for 2 nights")
        await travel.until_found("ada", 1, "flight")
        stopped = await api.stop(agent="flight")
        assert (stopped["agent"], stopped["state"]) == ("flight", "interrupted")
        assert (await api.status())["status"] == "running"
        assert await api.bookings() == {"bookings": []}


async def test_forgotten_user_is_unknown(api):
    await api.send("hello")
    await api.forget()
    with pytest.raises(Refused) as refused:
        await api.history()
    assert (refused.value.status, refused.value.code) == (404, "unknown_user")
    assert str(refused.value).endswith(".")


@pytest.mark.parametrize(
    ("response", "error"),
    [
        (httpx2.Response(503, json={"error": {"code": "busy", "message": "Later."}}), Unreachable("Later.")),
        (httpx2.Response(502, text="<h1>Bad gateway</h1>"), Refused("The server answered 502.")),
        (httpx2.Response(409, json=["words"]), Refused("The server answered 409.")),
    ],
)
async def test_answer_of_a_proxy_becomes_a_sentence(response, error):
    transport = httpx2.MockTransport(lambda _: response)
    async with httpx2.AsyncClient(transport=transport) as http:
        with pytest.raises(type(error), match=str(error)):
            await Api(User(url="http://detour.example/", user_id="ada"), http).status()


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://127.0.0.1:8000", True),
        ("http://[::1]:8000", True),
        ("http://localhost", True),
        ("https://detour.example", False),
        ("http://10.0.0.1", False),
    ],
)
def test_proxy_is_used_only_for_another_machine(url, here):
    assert User(url=url, user_id="ada").is_on_this_machine is here


def play(url: str) -> list[str]:
    """Use every call of the blocking client; return what happened."""
    with Client(url, "bob", timeout_s=BOUND_S) as detour:
        happened = [frame["type"] for frame in detour.stream("find 1")]
        for frame in detour.stream("field Where to?"):
            if frame["type"] == "input_request":
                happened.append(detour.answer(frame["request_id"], {"answer": "Lisbon"})["outcome"])
        held = detour.send("find 1, hold", policy="interrupt")
        for frame in detour.events():
            if not isinstance(frame, Connection) and frame["type"] in ("partial_result", "snapshot"):
                break
        happened.append(str(detour.stop(held["task_id"])["reason"]))
        happened.append(str(detour.receipt(held["task_id"])["reason"]))
        happened += [detour.status()["status"], detour.partial_results()["status"]]
        happened.append(detour.history(limit=1)["messages"][0]["role"])
        happened.append(str(len(detour.states(limit=1)["states"])))
        detour.forget()
    return happened


async def test_blocking_client_makes_the_same_calls(server):
    happened = await asyncio.to_thread(play, f"http://127.0.0.1:{server.port}")
    assert "partial_result" in happened
    assert happened[-7:] == ["answered", "stopped", "stopped", "interrupted", "interrupted", "system", "1"]


def test_client_imports_nothing_of_the_server() -> None:
    """What it imports, in a process of its own."""
    code = "import sys, backend.client; print(*{name.partition('.')[0] for name in sys.modules})"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = set(ran.stdout.split())
    assert {"httpx2", "websockets", "orjson"} <= loaded
    assert not loaded & {"fastapi", "starlette", "pydantic", "langgraph", "uvicorn", "apsw", "structlog"}
