"""The fake server is no kinder than a service: it refuses what that refuses, and notices who goes away."""

from collections.abc import AsyncGenerator

import httpx2
import pytest

from tests.fakes import Gate
from tests.fakes.model_script import Call, Drop, Refuse, Text, Wait, words
from tests.fakes.model_server import ModelServer

CHAT = "/v1/chat/completions"
QUESTION = {"model": "m", "messages": [{"role": "user", "content": "Hello"}]}


@pytest.fixture
async def http(server: ModelServer) -> AsyncGenerator[httpx2.AsyncClient, None]:
    async with httpx2.AsyncClient(base_url=server.url) as http:
        yield http


async def test_a_conversation_that_breaks_a_rule_is_refused_with_what_is_wrong(server, http) -> None:
    orphan = {"role": "tool", "tool_call_id": "c1", "content": "2 flights"}
    answer = await http.post(CHAT, json={**QUESTION, "messages": [*QUESTION["messages"], orphan]})
    assert answer.status_code == 400
    assert "c1" in answer.json()["error"]["message"]
    assert server.requests[0].faults


@pytest.mark.parametrize(
    "more",
    [
        {"model": ""},
        {"stream_options": {"include_usage": True}},
        {"tools": []},
        {"tools": [{"type": "function", "function": {"name": "a", "parameters": {}}}]},
    ],
    ids=str,
)
async def test_a_request_that_no_service_would_take_is_refused(server, http, more: dict) -> None:
    assert (await http.post(CHAT, json={**QUESTION, **more})).status_code == 400


async def test_tool_calls_are_streamed_in_pieces_behind_their_names_and_usage_last(server, http) -> None:
    server.script(Call("search", {"to": "Rome"}), Call("search", {"to": "Athens"}))
    options = {"stream": True, "stream_options": {"include_usage": True}}
    answer = await http.post(CHAT, json={**QUESTION, **options})
    frames = answer.text.strip().split("\n\n")
    assert frames[-1] == "data: [DONE]"
    assert '"usage": {"prompt_tokens"' in frames[-2]
    named = [frame for frame in frames if '"name": "search"' in frame]
    assert ['"arguments": ""' in frame for frame in named] == [True, True]
    assert len([frame for frame in frames if '"index": 1, "function"' in frame]) == 3


async def test_a_stream_stands_still_at_a_gate_and_goes_on_when_it_is_open(server, http) -> None:
    gate = Gate()
    server.script(Text("One"), Wait(gate), Text(" two"))
    async with http.stream("POST", CHAT, json={**QUESTION, "stream": True}) as answer:
        pieces = answer.aiter_text()
        assert "One" in "".join([await anext(pieces), await anext(pieces)])
        await gate.arrived()
        gate.open()
        rest = "".join([piece async for piece in pieces])
    assert " two" in rest
    assert server.requests[0].cut_at is None


async def test_a_client_that_closes_a_stream_is_noticed(server, http) -> None:
    gate = Gate()
    server.script(Text("One"), Wait(gate))
    async with http.stream("POST", CHAT, json={**QUESTION, "stream": True}):
        await gate.arrived()
    await server.requests[0].ended()
    assert server.requests[0].cut_at is not None


async def test_a_connection_is_cut_where_the_script_says_so(server, http) -> None:
    server.script(*words("One two"), Drop())
    with pytest.raises(httpx2.RemoteProtocolError):
        await http.post(CHAT, json={**QUESTION, "stream": True})
    await server.requests[0].ended()
    assert server.requests[0].cut_at is None


async def test_an_error_comes_with_its_status_and_how_long_to_wait(server, http) -> None:
    server.script(Refuse(429, "slow down", retry_after="7"))
    answer = await http.post(CHAT, json=QUESTION)
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "7")


async def test_answers_are_played_to_the_requests_that_they_are_scripted_for(server, http) -> None:
    server.script(Text("for Rome"), when=lambda request: "Rome" in request.text)
    server.script(Text("for anyone"), always=True)
    asked = [{"role": "user", "content": content} for content in ("Oslo", "Rome", "Rome")]
    answers = [await http.post(CHAT, json={**QUESTION, "messages": [each]}) for each in asked]
    said = [answer.json()["choices"][0]["message"]["content"] for answer in answers]
    assert said == ["for anyone", "for Rome", "for anyone"]


async def test_what_nothing_is_scripted_for_fails_the_test_that_asked_it() -> None:
    with pytest.raises(AssertionError, match="nothing was scripted"):
        async with ModelServer() as server, httpx2.AsyncClient(base_url=server.url) as http:
            assert (await http.post(CHAT, json=QUESTION)).status_code == 400
