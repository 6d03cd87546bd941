"""The fake server is no kinder than a service: it refuses what that refuses, and notices who goes away."""

from collections.abc import AsyncGenerator

import httpx2
import pytest

from tests.fakes import Gate
from tests.fakes.model_script import Call, Text, Wait
from tests.fakes.model_server import ModelServer

CHAT = "/v1/chat/completions"
QUESTION = {"model": "m", "messages": [{"role": "user", "content": "Hello"}]}


@pytest.fixture
async def http(server: ModelServer) -> AsyncGenerator[httpx2.AsyncClient, None]:
    async with httpx2.AsyncClient(base_url=server.url) as http:
        yield http


async def test_conversation_that_breaks_a_rule_is_refused_with_the_reason(server, http) -> None:
    orphan = {"role": "tool", "tool_call_id": "c1", "content": "2 flights"}
    answer = await http.post(CHAT, json={**QUESTION, "messages": [*QUESTION["messages"], orphan]})
    assert answer.status_code == 400
    assert "c1" in answer.json()["error"]["message"]
    assert server.requests[0].faults


@pytest.mark.parametrize(
    "more",
    [
        {"stream_options": {"include_usage": True}},
        {"tools": [{"type": "function", "function": {"name": "a", "parameters": {}}}]},
    ],
    ids=str,
)
async def test_request_that_no_service_takes_is_refused(server, http, more: dict) -> None:
    assert (await http.post(CHAT, json={**QUESTION, **more})).status_code == 400


async def test_tool_calls_are_streamed_in_pieces_with_usage_last(server, http) -> None:
    server.script(Call("search", {"to": "Rome"}), Call("search", {"to": "Athens"}))
    options = {"stream": True, "stream_options": {"include_usage": True}}
    answer = await http.post(CHAT, json={**QUESTION, **options})
    frames = answer.text.strip().split("\n\n")
    assert frames[-1] == "data: [DONE]"
    assert '"usage": {"prompt_tokens"' in frames[-2]
    named = [frame for frame in frames if '"name": "search"' in frame]
    assert ['"arguments": ""' in frame for frame in named] == [True, True]
    assert len([frame for frame in frames if '"index": 1, "function"' in frame]) == 3


async def test_stream_that_the_client_closes_is_noticed(server, http) -> None:
    gate = Gate()
    server.script(Text("One"), Wait(gate))
    async with http.stream("POST", CHAT, json={**QUESTION, "stream": True}):
        await gate.arrived()
    await server.requests[0].ended()
    assert server.requests[0].cut_at is not None


async def test_request_that_nothing_is_scripted_for_fails_the_test() -> None:
    with pytest.raises(AssertionError, match="nothing was scripted"):
        async with ModelServer() as server, httpx2.AsyncClient(base_url=server.url) as http:
            assert (await http.post(CHAT, json=QUESTION)).status_code == 400
