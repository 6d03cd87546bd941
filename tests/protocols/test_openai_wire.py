"""Bodies of OpenAI's clients: what is read of them, what is refused by the name of its field, and whose."""

import asyncio
from typing import Any

import httpx2
import orjson
import pytest
import pytest_asyncio

from tests.api.issuer import Issuer, bearer
from tests.api.live import Client, running
from tests.fakes.waiting import until
from tests.protocols.conftest import TALKING

pytestmark = pytest.mark.asyncio(loop_scope="module")

HI = {"role": "user", "content": "hi"}
TOKEN = "s3cret-s3cret-s3cret-token"
PIXEL = "data:image/png;base64,iVBORw0KGgo="


@pytest_asyncio.fixture(loop_scope="module")
async def api(servers) -> Client:
    return await servers(protocols="openai")


async def completed(api: Client, *messages: Any, **fields: Any) -> httpx2.Response:
    return await api.call("POST", "/v1/chat/completions", json={"messages": [*messages], **fields})


async def responded(api: Client, given: Any, **fields: Any) -> httpx2.Response:
    return await api.call("POST", "/v1/responses", json={"input": given, **fields})


def refused(response: httpx2.Response, status: int = 400) -> str | None:
    """Return the parameter that an error names, held to OpenAI's form."""
    assert response.status_code == status, response.text
    error = response.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["message"].endswith(".")
    return error["param"]


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"messages": []}, "messages"),
        ({"messages": "hi"}, "messages"),
        ({"messages": [{"role": "assistant", "content": "hi"}]}, "messages[0]"),
        ({"messages": [HI, {"role": "tool", "content": "x", "tool_call_id": "1"}]}, "messages[1]"),
        ({"messages": [{"role": "user", "content": 5}]}, "messages[0].content"),
        ({"messages": [{"role": "user", "content": "  "}]}, "messages[0].content"),
        ({"messages": [{"role": "user", "content": "x" * 8001}]}, "messages[0].content"),
        ({"messages": [{"role": "user", "content": [{"type": "odd"}]}]}, "messages[0].content[0].type"),
        (
            {"messages": [{"role": "user", "content": [{"type": "file", "file": {"file_id": "f"}}]}]},
            "messages[0].content[0].file.file_data",
        ),
        ({"n": 2}, "n"),
        ({"response_format": {"type": "json_object"}}, "response_format"),
        ({"tool_choice": "required"}, "tool_choice"),
        ({"logprobs": True}, "logprobs"),
        ({"modalities": ["text", "audio"]}, "modalities"),
        ({"stream": "yes"}, "stream"),
        ({"stream_options": {"include_usage": 1}}, "stream_options.include_usage"),
        ({"metadata": {"thread_id": 5}}, "metadata.thread_id"),
        ({"metadata": {"detour_policy": "steer"}}, "metadata.detour_policy"),
        ({"metadata": {str(number): "x" for number in range(17)}}, "metadata"),
        ({"user": ["ada"]}, "user"),
        ({"model": 5}, "model"),
    ],
)
async def test_completion_that_cannot_be_is_refused_by_its_field(api, fields, param):
    body = {"messages": [HI], **fields}
    assert (
        refused(
            await completed(api, *body.pop("messages"), **body)
            if isinstance(body["messages"], list)
            else await api.call("POST", "/chat/completions", json=body)
        )
        == param
    )


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"input": 5}, "input"),
        ({"input": ""}, "input"),
        ({"input": [{"type": "function_call_output", "call_id": "c", "output": "x"}]}, "input[0]"),
        (
            {"input": [HI | {"content": [{"type": "input_image", "file_id": "f"}]}]},
            "input[0].content[0].image_url",
        ),
        ({"text": {"format": {"type": "json_schema"}}}, "text"),
        ({"prompt": {"id": "p"}}, "prompt"),
        ({"background": "yes"}, "background"),
        ({"conversation": {"id": 5}}, "conversation"),
        ({"previous_response_id": "resp_no"}, "previous_response_id"),
    ],
)
async def test_response_that_cannot_be_is_refused_by_its_field(api, fields, param):
    body = {"input": "hi", **fields}
    assert refused(await responded(api, body.pop("input"), **body)) == param


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/responses"])
@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[]", b"null", b"[" * 200 + b"]" * 200])
async def test_body_that_is_no_request_is_refused(api, path, body):
    headers = {"content-type": "application/json"}
    refused(await api.call("POST", path, content=body, headers=headers))


@pytest.mark.requirement("FLOODS-ARE-REFUSED")
async def test_refusals_of_the_guard_have_openais_form(servers, ann):
    api = await servers(protocols="openai", token=TOKEN)
    assert refused(await completed(api, HI), 401) is None
    api = await servers(protocols="openai", messages_per_minute=1)
    where = {"metadata": {"thread_id": ann}}
    assert (await completed(api, HI, **where)).status_code == 200
    flooded = await completed(api, HI, **where)
    assert (refused(flooded, 429), flooded.json()["error"]["type"]) == (None, "rate_limit_error")
    assert "retry-after" in flooded.headers
    much = {"role": "user", "content": "x" * 5 * 1024 * 1024}
    assert refused(await completed(api, much), 413) is None


async def test_message_is_not_taken_where_no_stream_may_open(servers, ann):
    api = await servers(protocols="openai", sockets_per_user=1)
    api.detour._services.open_stream(ann)
    for streams in (True, False):
        refused(await completed(api, HI, metadata={"thread_id": ann}, stream=streams), 429)
        refused(await responded(api, "hi", conversation=ann, stream=streams), 429)
    assert (await api.call("GET", f"/history/{ann}")).status_code == 404


async def test_response_of_another_person_is_as_unknown_as_any(tmp_path):
    issuer = Issuer()
    async with running(tmp_path, graph=TALKING, protocols="openai", **issuer.settings()) as api:
        api.http.headers = bearer(issuer.token("ann"))
        own = (await responded(api, "hi", conversation="ann-1")).json()
        api.http.headers = bearer(issuer.token("eve"))
        told = []
        for name in (own["id"], own["id"].replace("ann-1", "ann-2")):
            unknown = await api.call("GET", f"/v1/responses/{name}")
            refused(unknown, 404)
            told.append(unknown.text.replace("ann-2", "ann-1"))
            assert refused(await responded(api, "hi", previous_response_id=name)) == "previous_response_id"
        assert told[0] == told[1]
        refused(await responded(api, "hi", conversation="ann-1"), 404)
        repeated = [HI, {"role": "assistant", "content": "You said: hi"}, HI]
        theirs = (await completed(api, *repeated)).json()["detour"]["thread_id"]
        assert theirs != "ann-1"


async def test_fields_that_the_graph_decides_are_ignored(api):
    tools = [{"type": "function", "function": {"name": "f", "parameters": {}}}]
    done = await completed(
        api, HI, tools=tools, tool_choice="auto", temperature=0, max_tokens=1, stop=["a"], odd={"x": 1}, n=1
    )
    assert done.json()["choices"][0]["message"]["content"] == "You said: hi"


async def test_image_reaches_a_graph_that_takes_messages(servers):
    api = await servers(protocols="openai", graph="tests.protocols.seeing_graph:graph")
    words = {"type": "text", "text": "what is it?"}
    image = {"type": "image_url", "image_url": {"url": PIXEL}}
    done = await completed(api, {"role": "user", "content": [words, image]})
    assert done.json()["choices"][0]["message"]["content"] == "what is it? [image image/png]"
    parts = [{"type": "input_text", "text": "and it?"}, {"type": "input_image", "image_url": PIXEL}]
    told = (await responded(api, [{"role": "user", "content": parts}])).json()
    assert told["output"][0]["content"][0]["text"] == "and it? [image image/png]"
    words_alone = await servers(protocols="openai", graph="tests.protocols.seeing_graph:reading")
    only = {"role": "user", "content": [image]}
    assert refused(await completed(words_alone, only)) == "messages[0].content"


async def test_previous_response_of_another_conversation_is_refused(api, ann):
    first = (await responded(api, "one", conversation=ann)).json()
    other = await responded(api, "two", conversation=f"{ann}-2", previous_response_id=first["id"])
    assert refused(other) == "previous_response_id"


async def test_door_is_shut_unless_it_is_asked_for(servers):
    api = await servers()
    for path in ("/v1/chat/completions", "/v1/responses"):
        assert (await api.call("POST", path, json={})).status_code == 404
    assert (await api.call("GET", "/v1/models")).status_code == 404


async def test_chat_of_detour_stays_what_it_is(api, ann):
    accepted = await api.call("POST", "/v1/chat", json={"user_id": ann, "message": "hi"})
    assert accepted.status_code == 202


async def test_path_that_is_not_served_is_refused_in_openais_form(api):
    assert refused(await api.call("POST", "/v1/responses/compact", json={}), 405) is None
    assert refused(await api.call("GET", "/v1/responses/x/output_items"), 404) is None


@pytest.mark.parametrize(
    ("query", "param"),
    [
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=-1", "limit"),
        ("limit=all", "limit"),
        ("order=up", "order"),
        ("after=msg_x", "after"),
    ],
)
async def test_page_of_input_items_that_cannot_be_is_refused(api, ann, query, param):
    told = (await responded(api, "one", conversation=ann)).json()
    assert refused(await api.call("GET", f"/v1/responses/{told['id']}/input_items?{query}")) == param


async def test_server_that_steers_by_default_interrupts_here(servers, ann):
    api = await servers(protocols="openai", policy="steer")
    done = await completed(api, HI, metadata={"thread_id": ann})
    assert done.json()["choices"][0]["finish_reason"] == "stop"


async def under_way(api: Client, path: str, body: dict[str, Any], user: str) -> asyncio.Task[httpx2.Response]:
    """Send a request whose run takes long; return the task that waits for its answer."""
    reading = asyncio.get_running_loop().create_task(api.call("POST", path, json=body))

    async def is_running() -> bool:
        status = await api.call("GET", f"/status/{user}")
        return status.status_code == 200 and status.json()["status"] == "running"

    await until(is_running)
    return reading


@pytest.mark.parametrize("streams", [True, False])
async def test_shutdown_is_told_as_an_error_after_which_nobody_sends_again(tmp_path, streams):
    slow = {"messages": [{"role": "user", "content": "slow"}], "metadata": {"thread_id": "ada"}}
    async with running(tmp_path, graph=TALKING, protocols="openai") as api:
        reading = await under_way(api, "/v1/chat/completions", {**slow, "stream": streams}, "ada")
        await api.detour.end_tasks()
        answer = await reading
    if streams:
        *_, error, done, _ = answer.text.split("\n\n")
        assert done == "data: [DONE]"
        told = orjson.loads(error.removeprefix("data: "))["error"]
        assert (told["code"], "when it is back" in told["message"]) == ("shutting_down", True)
    else:
        refused(answer, 503)
        assert answer.headers["x-should-retry"] == "false"


async def test_response_that_a_shutdown_cuts_ends_with_an_error_event(tmp_path):
    body = {"input": "slow", "conversation": "ada", "stream": True}
    async with running(tmp_path, graph=TALKING, protocols="openai") as api:
        reading = await under_way(api, "/v1/responses", body, "ada")
        await api.detour.end_tasks()
        *_, last, _ = (await reading).text.split("\n\n")
    kind, data = last.split("\n")
    told = orjson.loads(data.removeprefix("data: "))
    assert (kind, told["type"], told["code"]) == ("event: error", "error", "shutting_down")
