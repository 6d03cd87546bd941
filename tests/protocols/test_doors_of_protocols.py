"""The doors of the server: what every protocol refuses alike, each in its own form, and with no harm done."""

from functools import partial
from typing import Any

import httpx2
import orjson
import pytest
import pytest_asyncio

from backend.http.edge.guard import LARGE_BODY_LIMIT_BYTES
from backend.http.wire.bodies import MOST_VALUES
from tests.api.live import Client, running
from tests.protocols.ag_ui_stream import answer, events_in, kinds, run_input
from tests.protocols.conftest import TALKING
from tests.protocols.ways import RUNS, SPOKEN, WAYS, Way, every_way, is_refused, post, said_in

pytestmark = pytest.mark.asyncio(loop_scope="module")

TOKEN = "s3cret-s3cret-s3cret-token"
SIGN_IN = "Sign in first: send a token of this server's as `Authorization: Bearer`."
TOO_MANY_STREAMS = "This user has too many sockets and event streams open."
FOREIGN = {name: way for name, way in WAYS.items() if name != "chat"}
foreign_ways = pytest.mark.parametrize("way", FOREIGN.values(), ids=FOREIGN)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def servers(servers):
    """Return a function that gives the module's server with some settings, which speaks all protocols."""
    return partial(_speaking, servers)


async def _speaking(servers: Any, **settings: Any) -> Client:
    return await servers(**{"protocols": SPOKEN, **settings})


@every_way
async def test_messages_beyond_those_of_a_minute_are_refused(servers, ann, way: Way):
    api = await servers(messages_per_minute=1)
    assert (await way.send(api, ann)).status_code in {200, 202}
    refused = await way.send(api, ann, "again")
    assert said_in(refused) == "That is more than 1 messages a minute; try again in 60 s."
    assert is_refused(refused, 429, "too_many_requests")


@foreign_ways
async def test_message_is_not_taken_where_no_stream_may_open(servers, ann, way: Way):
    api = await servers(sockets_per_user=1)
    api.detour._services.open_stream(ann)
    for path in way.streams:
        refused = await way.send(api, ann, path=path)
        assert said_in(refused) == TOO_MANY_STREAMS
        assert is_refused(refused, 429, "too_many_requests")
    assert (await api.call("GET", f"/history/{ann}")).status_code == 404


async def test_run_is_not_followed_where_no_stream_may_open(servers, ann):
    api = await servers(sockets_per_user=1)
    run = (await WAYS["langgraph"].send(api, ann)).json()["run_id"]
    api.detour._services.open_stream(ann)
    for path in (f"/threads/{ann}/runs/{run}/stream", f"/ai-sdk/chat/{ann}/stream"):
        refused = await api.call("GET", path)
        assert said_in(refused) == TOO_MANY_STREAMS
        assert is_refused(refused, 429, "too_many_requests")


@foreign_ways
async def test_protocol_that_is_off_has_no_routes(servers, ann, way: Way):
    for others in ("ai-sdk" if way.path.startswith("/threads") else "langgraph", "none"):
        assert (await way.send(await servers(protocols=others), ann)).status_code == 404


@every_way
async def test_message_without_a_token_is_refused(servers, ann, way: Way):
    refused = await way.send(await servers(token=TOKEN), ann)
    assert (refused.status_code, said_in(refused)) == (401, SIGN_IN)
    assert refused.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("path", ["/threads", "/runs", "/store/items", "/assistants/search"])
async def test_call_of_langgraph_without_a_token_is_refused_with_a_detail(servers, path):
    refused = await post(await servers(token=TOKEN), path, b"{}")
    assert (refused.status_code, refused.json()["detail"]) == (401, SIGN_IN)


async def test_store_that_is_down_is_told_in_words(tmp_path):
    async with running(tmp_path, graph=TALKING, store="sqlite", protocols=SPOKEN) as api:
        await api.detour.store.close()
        told = [await way.send(api, "ann") for way in WAYS.values()]
        for method, what in (("GET", "stream"), ("POST", "stop")):
            told.append(await api.call(method, f"/ai-sdk/chat/ann/{what}"))
        for response in told:
            assert said_in(response) == "The store is closed."
            assert is_refused(response, 503, "store_unavailable")


# --- bodies -----------------------------------------------------------------------------------------------


@every_way
async def test_id_of_another_message_is_named_as_the_client_sent_it(servers, ann, way: Way):
    api = await servers()
    await way.send(api, ann, "one", message_id="mine")
    refused = await way.send(api, ann, "two", message_id="mine")
    assert said_in(refused) == f"{way.message_id}: it was used for another message."
    assert way.path.endswith("commands") or is_refused(refused, 422, "client_id_reused")


@every_way
@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b'{"id": "\\ud800"}', b"[]", b"null"])
async def test_body_that_is_no_json_object_is_refused_in_a_sentence(servers, ann, way: Way, body):
    assert said_in(await post(await servers(), way.path.format(user=ann), body))


@pytest.mark.parametrize("body", [b'{"threadId": 5}', b'{"threadId": "x", "runId": ""}'])
async def test_body_of_ag_ui_without_ids_is_refused_without_a_run(servers, body):
    refused = await post(await servers(), "/agui", body)
    assert kinds(events_in(refused.content)) == ["RUN_ERROR"]
    assert is_refused(refused, 422, "bad_input")


@pytest.mark.parametrize("path", [*{each.path: None for each in WAYS.values()}, "/threads", "/answer/{user}"])
async def test_body_that_names_a_field_twice_is_refused(servers, ann, path):
    refused = await post(await servers(), path.format(user=ann), b'{"request_id": "x", "request_id": "x"}')
    assert said_in(refused) == "The body: an object in it names a field twice."


@pytest.mark.requirement("FLOODS-ARE-REFUSED")
@foreign_ways
async def test_body_with_too_many_values_is_refused(servers, ann, way: Way):
    values = b"[" + b",".join([b"[]"] * (LARGE_BODY_LIMIT_BYTES // 4)) + b"]"
    body = b'{"x":%s}' % (b"[" * 50 + values + b"]" * 50)
    refused = await post(await servers(), way.path.format(user=ann), body)
    assert said_in(refused) == f"The body: it holds more than {MOST_VALUES} values."


# --- answers ----------------------------------------------------------------------------------------------


def by_answer(user: str, question: str, text: str) -> tuple[str, Any]:
    return f"/answer/{user}", {"request_id": question, "answer": {"answer": text}}


def by_resume(user: str, question: str, text: str) -> tuple[str, Any]:
    return RUNS.format(user=user), {"assistant_id": "agent", "command": {"resume": {question: text}}}


def by_command(user: str, question: str, text: str) -> tuple[str, Any]:
    params = {"interrupt_id": question, "response": text}
    return f"/threads/{user}/commands", {"id": 1, "method": "input.respond", "params": params}


def by_ag_ui(user: str, question: str, text: str) -> tuple[str, Any]:
    return "/agui", run_input(user, run_id=f"{question} {text}", resume=[answer(question, text)])


def by_ai_sdk(user: str, question: str, text: str) -> tuple[str, Any]:
    message = {"id": f"{question} {text}", "role": "user", "parts": [{"type": "text", "text": text}]}
    return "/ai-sdk/chat", {
        "id": user,
        "messages": [message],
        "answer": {"request_id": question, "answer": text},
    }


async def asked(api: Client, user: str) -> str:
    """Have the graph ask; return the id of its question."""
    await WAYS["chat"].send(api, user, "ask")
    return (await api.until_asked(user))["input_requests"][0]["request_id"]


@pytest.mark.parametrize("way", [by_answer, by_resume, by_command, by_ag_ui, by_ai_sdk])
async def test_question_is_answered_once_and_by_its_own_user(servers, ann, way):
    api = await servers()

    async def answered(question: str, text: str) -> httpx2.Response:
        path, body = way(ann, question, text)
        return await post(api, path, orjson.dumps(body))

    question, of_another = await asked(api, ann), await asked(api, f"{ann}-2")
    unknown = f"{question[:-1]}7"
    told = [said_in(await answered(each, "Oslo")).replace(each, "") for each in (of_another, unknown)]
    assert told[0] == told[1]
    assert [each["request_id"] for each in (await api.status(ann))["input_requests"]] == [question]
    assert (await answered(question, "Rome")).status_code in {200, 202}
    late = await answered(question, "Oslo")
    assert said_in(late)
    assert way is by_command or is_refused(late, 409, "no_such_interrupt")
    texts = [each["text"] for each in (await api.history(ann))["messages"]]
    assert ("Oslo" in texts, "Rome" in texts) == (False, True)
