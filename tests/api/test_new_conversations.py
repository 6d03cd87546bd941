"""Where people are told apart, a conversation counts when it gets an owner, however it begins."""

import asyncio

import orjson
import pytest
import websockets

from backend.domain.encoding import system_clock
from backend.http.identity.access import Access, Act
from backend.http.identity.principal import CALLER, SCOPES, Caller, Principal
from backend.store.sqlite.memory import MemoryStateStore
from tests.api.issuer import bearer
from tests.api.live import BOUND_S, refusal, serving
from tests.api.test_who_may import CALLS, SAID, agui, mcp
from tests.protocols.ways import SPOKEN

pytestmark = pytest.mark.requirement("FLOODS-ARE-REFUSED")


@pytest.fixture
def ann(issuer):
    return bearer(issuer.token("ann"))


@pytest.fixture
async def server(tmp_path, issuer):
    limits = {"address_conversations_per_minute": 2, "address_messages_per_minute": 3}
    async with serving(tmp_path, protocols=SPOKEN, **limits, **issuer.settings()) as server:
        yield server


async def begun(server, ann):
    """Return which conversations a person has."""
    listed = (await server.http.get("/conversations", headers=ann)).json()["conversations"]
    return sorted(each["user_id"] for each in listed)


async def first_line(server, ann, path):
    async with asyncio.timeout(BOUND_S), server.http.stream("GET", path, headers=ann) as answer:
        return await anext(answer.aiter_text())


async def first_frame(server, ann, path):
    async with server.socket(path, additional_headers=ann) as socket:
        try:
            return await socket.recv()
        except websockets.ConnectionClosed as closed:
            return f"{closed.rcvd.code} {closed.rcvd.reason}"


def called(method, path, body=lambda user_id: None):
    async def call(server, ann, user_id):
        options = {"headers": ann, "json": body(user_id)}
        return (await server.http.request(method, path.format(user_id), **options)).text

    return call


BEGINNINGS = {
    "a message": called("POST", "/chat", lambda user_id: {"user_id": user_id, "message": "find 1"}),
    "a socket": first_frame,
    "a stream": lambda server, ann, user_id: first_line(server, ann, f"/events/{user_id}"),
    "its graph": called("GET", "/graphs?user_id={}"),
    "a thread": called("POST", "/threads", lambda user_id: {"thread_id": user_id}),
    "a run": called(
        "POST",
        "/threads/{}/runs",
        lambda _: {"assistant_id": "agent", "input": SAID, "if_not_exists": "create"},
    ),
    "a run of AG-UI": called("POST", "/agui", agui),
    "a message of the AI SDK": called(
        "POST",
        "/ai-sdk/chat",
        lambda user_id: {
            "id": user_id,
            "messages": [{"id": "m1", "role": "user", "parts": [{"type": "text", "text": "find 1"}]}],
            "trigger": "submit-message",
        },
    ),
    "a message of CopilotKit": called("POST", "/copilotkit", CALLS["POST", "/copilotkit"][1]),
    "a completion of OpenAI's": called("POST", "/chat/completions", CALLS["POST", "/chat/completions"][1]),
    "a response of OpenAI's": called("POST", "/responses", CALLS["POST", "/responses"][1]),
    "a message of A2A": called("POST", "/a2a", CALLS["POST", "/a2a"][1]),
    "a call of MCP": called("POST", "/mcp", lambda user_id: mcp(user_id, tool="scripted_graph")),
}


@pytest.mark.parametrize("how", BEGINNINGS)
async def test_conversation_counts_once_however_it_begins(server, ann, how):
    for user_id in ("ann-1", "ann-2", "ann-3"):
        said = await BEGINNINGS[how](server, ann, user_id)
        assert ("new conversations" in said) is (user_id == "ann-3"), said
    assert await begun(server, ann) == ["ann-1", "ann-2"]


async def test_conversation_of_a_refused_message_counts(server, ann):
    say = BEGINNINGS["a message"]
    for _ in range(3):
        await say(server, ann, "ann-1")
    assert "3 messages" in await say(server, ann, "ann-2")
    assert "new conversations" in await say(server, ann, "ann-3")
    assert await begun(server, ann) == ["ann-1", "ann-2"]


async def test_existing_conversations_count_no_more(server, ann):
    for user_id in ("ann-1", "ann-1", "ann-2", "ann-1"):
        assert "hello" in await first_frame(server, ann, user_id)
    assert "task_id" in await BEGINNINGS["a message"](server, ann, "ann-2")


async def test_concurrent_first_calls_count_once():
    counted = []

    async def admit(address):
        counted.append(address)
        await asyncio.sleep(0)  # as while replicas are asked: the others come in between

    access = Access(MemoryStateStore(), system_clock, knows_persons=True, admit=admit)
    CALLER.set(Caller(Principal(person="ann", scopes=frozenset(SCOPES)), "1.1.1.1"))
    await asyncio.gather(*(access.check("ann-1", Act.FOLLOW) for _ in range(4)))
    assert len(counted) == 1


@pytest.mark.parametrize("how", ["socket", "stream"])
async def test_follower_of_a_deleted_conversation_begins_none_beyond_the_limit(server, ann, how, capsys):
    await first_frame(server, ann, "ann-1")
    async with asyncio.timeout(BOUND_S):
        if how == "socket":
            async with server.socket("ann-2", additional_headers=ann) as socket:
                assert orjson.loads(await socket.recv())["type"] == "hello"
                await server.http.delete("/users/ann-2", headers=ann)
                await socket.wait_closed()
            assert (socket.close_code, socket.close_reason) == (1013, "too many new conversations")
        else:
            async with server.http.stream("GET", "/events/ann-2", headers=ann) as answer:
                pieces = answer.aiter_text()
                assert "hello" in await anext(pieces)
                await server.http.delete("/users/ann-2", headers=ann)
                assert "reset" not in "".join([piece async for piece in pieces])
    assert await begun(server, ann) == ["ann-1"]
    assert "failed" not in capsys.readouterr().out


async def test_refused_stream_says_how_long_to_wait(server, ann):
    for user_id in ("ann-1", "ann-2"):
        await first_frame(server, ann, user_id)
    refused = await server.http.get("/events/ann-3", headers=ann)
    assert "2 new conversations" in refusal(refused, 429, "too_many_requests")["message"]
