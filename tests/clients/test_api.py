"""The calls of one user, awaited and blocking, and what each refusal becomes."""

import asyncio
import socket

import httpx2
import pytest

from backend.clients.api import Api, BlockingApi, Refused, Unreachable, User
from tests.api.live import serving


async def test_a_message_is_sent_stopped_and_looked_up(server, api):
    accepted = await api.chat("find 2, hold", client_id="one")
    assert (await api.chat("find 2, hold", client_id="one"))["duplicate"]
    await server.until_found("ada", 2)
    receipt = await api.stop(accepted["task_id"])
    assert await api.receipt(accepted["task_id"]) == receipt
    assert (await api.status())["status"] == "interrupted"
    (left,) = (await api.partial_results())["interrupted"]
    assert left["task_id"] == accepted["task_id"]
    assert len((await api.history(limit=1))["messages"]) == 1


async def test_a_message_can_wait_its_turn(api):
    first = await api.chat("hold")
    second = await api.chat("hello", policy="enqueue")
    assert (await api.status())["task_id"] == first["task_id"]
    assert second["status"] == "queued"


async def test_one_agent_of_a_task_is_stopped(tmp_path, http):
    async with serving(tmp_path, graph="", demo_pace=30) as travel:
        api = Api(User(url=f"http://127.0.0.1:{travel.port}", user_id="ada"), http)
        await api.chat("flights from Berlin to Rome on 4 December and a hotel there for 2 nights")
        await travel.until_found("ada", 1, "flight")
        stopped = await api.stop(agent="flight")
        assert (stopped["agent"], stopped["state"]) == ("flight", "interrupted")
        assert (await api.status())["status"] == "running"
        assert await api.bookings() == {"bookings": []}


async def test_a_user_who_is_forgotten_is_unknown(api):
    await api.chat("hello")
    assert await api.forget() == {}
    with pytest.raises(Refused) as refused:
        await api.history()
    assert (refused.value.status, refused.value.code) == (404, "unknown_user")
    assert str(refused.value).endswith(".")


async def test_a_token_is_sent_with_each_call(tmp_path, http):
    async with serving(tmp_path, token="a-long-random-token-22") as guarded:
        url = f"http://127.0.0.1:{guarded.port}"
        with pytest.raises(Refused) as refused:
            await Api(User(url=url, user_id="ada"), http).chat("hello")
        assert refused.value.code == "unauthorized"
        accepted = await Api(User(url=url, user_id="ada", token="a-long-random-token-22"), http).chat("hello")
        assert accepted["user_id"] == "ada"


async def test_the_blocking_calls_are_the_same_calls(server, ada):
    with httpx2.Client(trust_env=False) as http:
        api = BlockingApi(ada, http)
        accepted = await asyncio.to_thread(api.chat, "hold")
        assert (await asyncio.to_thread(api.stop))["task_id"] == accepted["task_id"]
        with pytest.raises(Refused):
            await asyncio.to_thread(api.answer, "no-such-request", {"field": 1})


async def test_a_server_that_is_away_is_unreachable(http):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(Unreachable):
        await Api(User(url=f"http://127.0.0.1:{port}", user_id="ada"), http).chat("hello")


@pytest.mark.parametrize(
    ("response", "error"),
    [
        (httpx2.Response(503, json={"error": {"code": "busy", "message": "Later."}}), Unreachable("Later.")),
        (httpx2.Response(502, text="<h1>Bad gateway</h1>"), Refused("The server answered 502.")),
        (httpx2.Response(409, json=["words"]), Refused("The server answered 409.")),
    ],
)
async def test_what_a_proxy_answers_is_a_sentence_too(response, error):
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
def test_only_another_machine_is_called_through_a_proxy(url, here):
    assert User(url=url, user_id="ada").is_on_this_machine is here
