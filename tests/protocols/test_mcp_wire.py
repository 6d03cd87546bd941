"""MCP over HTTP: what it refuses, in the protocol's own errors, and how a cut stream goes on."""

import re
from typing import Any

import mcp_types as types
import pytest
import pytest_asyncio

from backend.http.edge.guard import LARGE_BODY_LIMIT_BYTES
from backend.protocols.routes import NoProtocolError
from tests.api.issuer import Issuer, bearer
from tests.api.live import running
from tests.fakes.waiting import until
from tests.protocols.mcp_clients import (
    ERAS,
    SCRIPTED,
    call_of,
    events_in,
    in_session,
    messages_in,
    modern,
)

pytestmark = pytest.mark.asyncio(loop_scope="module")

TOKEN = "s3cret-s3cret-s3cret-token"


@pytest_asyncio.fixture(loop_scope="module")
async def api(servers):
    """The module's server of the scripted graph, which speaks MCP."""
    return await servers(graph=SCRIPTED, protocols="mcp")


async def post(api: Any, request: dict[str, Any]) -> Any:
    return await api.call("POST", "/mcp", **request)


def failed(response: Any, status: int, code: int) -> dict[str, Any]:
    """Return an error, held to its form and its codes."""
    assert response.headers["content-type"] == "application/json"
    message = types.JSONRPCError.model_validate(response.json())
    assert (response.status_code, message.error.code) == (status, code), response.text
    return response.json()["error"]


def refused(response: Any) -> dict[str, Any]:
    """Return what a tool has refused."""
    assert response.status_code == 200
    [message] = (
        messages_in(response.text)
        if "event-stream" in response.headers["content-type"]
        else [response.json()]
    )
    assert message["result"]["isError"]
    assert "structuredContent" not in message["result"], "it would have to fit the schema of results"
    [block] = message["result"]["content"]
    assert block["text"] == message["result"]["_meta"]["detour/error"]["message"]
    return block["text"]


# --- the protocol's own errors ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", types.INVALID_REQUEST),
        (b"{", types.PARSE_ERROR),
        (b"\xff", types.PARSE_ERROR),
        (b"null", types.INVALID_REQUEST),
        (b"[]", types.INVALID_REQUEST),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', types.INVALID_REQUEST),
        (b"{}", types.INVALID_REQUEST),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', types.INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', types.INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', types.INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 1, "method": 5}', types.INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "method": "ping"}', types.INVALID_REQUEST),
        (b'{"x": ' + b"[" * 200 + b"]" * 200 + b"}", types.INVALID_REQUEST),
    ],
)
async def test_body_that_is_no_message_is_refused(api, body, code) -> None:
    answer = await api.call("POST", "/mcp", content=body, headers={"content-type": "application/json"})
    failed(answer, 400, code)


async def test_body_that_is_too_large_is_refused_as_a_message(api) -> None:
    answer = await post(api, call_of("ada", "x" * LARGE_BODY_LIMIT_BYTES))
    failed(answer, 413, types.INVALID_REQUEST)


@pytest.mark.parametrize("version", ["2027-01-01", "x", "2025-01-01"])
async def test_version_that_is_not_spoken_is_refused_with_those_that_are(api, version) -> None:
    request = in_session("ada", {"jsonrpc": "2.0", "id": 1, "method": "ping"})
    request["headers"]["mcp-protocol-version"] = version
    error = failed(await post(api, request), 400, types.UNSUPPORTED_PROTOCOL_VERSION)
    assert error["data"]["requested"] == version
    assert {*ERAS.values()} <= {*error["data"]["supported"]}


@pytest.mark.parametrize(
    ("wanted", "spoken"),
    [("2024-11-05", "2024-11-05"), ("2025-06-18", "2025-06-18"), ("2027-01-01", "2025-11-25")],
)
async def test_session_begins_with_the_version_that_both_speak(api, wanted, spoken) -> None:
    params = {"protocolVersion": wanted, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    answer = await api.call(
        "POST", "/mcp", json={"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    )
    assert answer.json()["result"]["protocolVersion"] == spoken
    assert re.fullmatch(r"mcp-[0-9a-f]{32}", answer.headers["mcp-session-id"])


@pytest.mark.parametrize("method", ["prompts/list", "resources/read", "logging/setLevel", "no/such"])
async def test_method_that_is_not_served_is_unknown(api, method) -> None:
    # A 404 would tell a client that its session has ended.
    answer = await post(api, in_session("ada", {"jsonrpc": "2.0", "id": 7, "method": method, "params": {}}))
    failed(answer, 200, types.METHOD_NOT_FOUND)
    failed(await post(api, modern(method)), 404, types.METHOD_NOT_FOUND)


async def test_unknown_tool_is_an_error_of_the_protocol(api) -> None:
    for request, status in (
        (call_of("ada", "x", tool="other"), 200),
        (modern("tools/call", name="other"), 400),
    ):
        error = failed(await post(api, request), status, types.INVALID_PARAMS)
        assert error["message"] == "Unknown tool: other"


@pytest.mark.parametrize("header", ["mcp-protocol-version", "mcp-method", "mcp-name"])
async def test_header_that_differs_from_the_body_is_refused(api, header) -> None:
    request = modern("tools/call", name="scripted_graph", arguments={"message": "find 1"})
    request["headers"][header] = {"mcp-protocol-version": "2026-07-28"}.get(header, "else")
    if header == "mcp-protocol-version":
        request["json"]["params"]["_meta"][types.PROTOCOL_VERSION_META_KEY] = "2027-01-01"
    error = failed(await post(api, request), 400, types.HEADER_MISMATCH)
    assert error["message"] == f"The header {header} differs from the body."


@pytest.mark.parametrize("name", [types.PROTOCOL_VERSION_META_KEY, types.CLIENT_CAPABILITIES_META_KEY])
async def test_request_that_does_not_say_all_about_itself_is_refused(api, name) -> None:
    request = modern("tools/list")
    del request["json"]["params"]["_meta"][name]
    error = failed(await post(api, request), 400, types.INVALID_PARAMS)
    assert error["message"] == f"params._meta.{name}: it is missing."


async def test_stream_for_messages_of_the_server_is_not_offered(api) -> None:
    for method in ("GET", "DELETE"):
        answer = await api.call(method, "/mcp", headers={"mcp-session-id": "ada"})
        failed(answer, 405, types.INVALID_REQUEST)


# --- calls ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "message: it is missing."),
        ({"message": ""}, "message: String should have at least 1 character."),
        ({"message": 5}, "message: Input should be a valid string."),
        ({"message": "x" * 8001}, "message: String should have at most 8000 characters."),
        (
            {"message": "x", "answer": "y"},
            "answer: should come without a message, which may be an answer by itself.",
        ),
        ({"message": "x", "thread_id": 5}, "thread_id: should be text that is not empty."),
        (
            {"message": "x", "colour": 5},
            "colour: there is no such argument; there are: message, answer, thread_id.",
        ),
        ({"answer": 1}, "answer: nothing is asked in this conversation."),
    ],
)
async def test_argument_that_is_wrong_is_named_to_the_model(api, arguments, sentence) -> None:
    request = call_of("nobody", "x")
    request["json"]["params"]["arguments"] = arguments
    assert refused(await post(api, request)).replace(" answer, answer,", " answer,") == sentence
    assert (await api.call("GET", "/status/nobody")).status_code == 404


async def test_input_of_the_graph_that_does_not_fit_is_named(servers) -> None:
    api = await servers(protocols="mcp,langgraph")
    request = call_of("ada", "hello", tool="talking_graph")
    request["json"]["params"]["arguments"]["place"] = 5
    assert refused(await post(api, request)).startswith("place: ")


@pytest.mark.requirement("A-MESSAGE-KEEPS-ITS-ID")
async def test_call_that_is_sent_again_starts_nothing(api, ann) -> None:
    first, again = [messages_in((await post(api, call_of(ann, "find 1"))).text)[-1] for _ in range(2)]
    assert again == first
    assert len((await api.history(ann))["messages"]) == 2


async def test_policy_of_a_call_is_that_of_its_header(api, ann) -> None:
    held = await api.chat(ann, "find 1, hold")
    await api.until_found(ann, 1)
    request = call_of(ann, "find 1")
    request["headers"]["detour-policy"] = "interrupt"
    told = messages_in((await post(api, request)).text)[-1]["result"]["structuredContent"]
    assert told["status"] == "success"
    assert told["interrupted"][0]["reason"] == "superseded"
    assert (await api.status(ann))["task_id"] != held["task_id"]


async def test_result_has_as_much_as_clients_take(api, ann) -> None:
    [*_, message] = messages_in((await post(api, call_of(ann, "find 1, big 400000"))).text)
    told = message["result"]["structuredContent"]
    assert told["partial_results"] == {"finder": [{"thing": 0}]}
    assert told["left_out"] == 1


async def test_call_beyond_those_of_a_minute_is_refused(servers, ann) -> None:
    api = await servers(graph=SCRIPTED, protocols="mcp", messages_per_minute=1)
    await post(api, call_of(ann, "find 1"))
    again = call_of(ann, "find 1")
    again["json"]["id"] = 8
    answer = await post(api, again)
    error = failed(answer, 429, -32010)
    assert (answer.json()["id"], error["data"]["code"]) == (8, "too_many_requests")
    assert answer.headers["retry-after"]


async def test_call_is_not_taken_where_no_stream_may_open(servers, ann) -> None:
    api = await servers(graph=SCRIPTED, protocols="mcp", sockets_per_user=1)
    api.detour._services.open_stream(ann)
    failed(await post(api, call_of(ann, "find 1")), 429, -32010)
    assert (await api.call("GET", f"/history/{ann}")).status_code == 404


# --- a cut stream -----------------------------------------------------------------------------------------


async def test_stream_goes_on_after_any_of_its_events(api, ann) -> None:
    whole = (await post(api, call_of(ann, "find 3", _meta={"progressToken": "p"}))).text
    events = events_in(whole)
    assert [each["params"]["message"][:18] for _, each in events[:-1]] == [
        f"finder has found {n}" for n in (1, 2, 3)
    ]
    primer = whole.partition("\n")[0].removeprefix("id: ")
    for number, last in enumerate([primer, *(name for name, _ in events)]):
        rest = await api.call("GET", "/mcp", headers={"last-event-id": last})
        if number < len(events):
            assert events_in(rest.text) == events[number:]


@pytest.mark.requirement("FOREIGN-FRAMES-REPLAY-ALIKE")
async def test_stream_goes_on_after_a_restart(tmp_path, ann) -> None:
    settings = {"graph": SCRIPTED, "protocols": "mcp", "store": "sqlite"}
    async with running(tmp_path, **settings) as api:
        session = f"{ann}-e"
        whole = (await post(api, call_of(ann, "find 1"))).text
        await api.chat(session, "field Where?")
        question = (await api.until_asked(session))["input_requests"][0]["request_id"]
    async with running(tmp_path, **settings) as api:
        rest = await api.call("GET", "/mcp", headers={"last-event-id": whole.partition("\n")[0][4:]})
        assert events_in(rest.text) == events_in(whole)
        answered = {"action": "accept", "content": {"answer": "Rome"}}
        message = {"jsonrpc": "2.0", "id": f"{session}/{question}", "result": answered}
        assert (await post(api, in_session(session, message))).status_code == 202
        await api.until_status(session, lambda status: status["status"] == "completed")


@pytest.mark.parametrize("last", ["x", "1.1.", "1.1.e30=", "1.x.W10=", "a.b.c", "1.1.WzEsMiwzLDQsNSw2LDdd"])
async def test_event_that_is_none_of_the_server_is_refused(api, last) -> None:
    failed(await api.call("GET", "/mcp", headers={"last-event-id": last}), 400, types.INVALID_REQUEST)


async def test_cancellation_that_comes_before_its_call_counts(api, ann) -> None:
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
    assert (await post(api, in_session(ann, cancelled))).status_code == 202
    told = messages_in((await post(api, call_of(ann, "find 1, hold"))).text)[-1]["result"][
        "structuredContent"
    ]
    assert told["status"] == "interrupted"


async def test_cancellation_of_another_call_stops_nothing(api, ann) -> None:
    await post(api, call_of(ann, "find 1"))
    await api.chat(ann, "find 2, hold")
    for request_id in (7, "7", 8, None):
        cancelled = {
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": {"requestId": request_id},
        }
        assert (await post(api, in_session(ann, cancelled))).status_code == 202
    await api.until_found(ann, 2)
    assert (await api.status(ann))["status"] == "running"
    await api.stop(ann)


@pytest.mark.parametrize("form", [{"action": "accept", "content": {"answer": ""}}, {"action": "accept"}])
async def test_form_that_does_not_fit_is_refused_and_the_question_stays_open(api, ann, form) -> None:
    await api.chat(ann, "field Where?")
    question = (await api.until_asked(ann))["input_requests"][0]["request_id"]
    message = {"jsonrpc": "2.0", "id": f"{ann}/{question}", "result": form}
    error = failed(await post(api, in_session(ann, message)), 422, types.INVALID_REQUEST)
    assert error["message"].startswith("result.content")
    assert (await api.status(ann))["input_requests"]


async def test_no_form_is_taken_where_one_does_not_fit(servers, ann) -> None:
    api = await servers(graph="tests.protocols.pair_graph:graph", protocols="mcp")
    await api.chat(ann, "go")
    asked = (await api.until_status(ann, lambda status: len(status["input_requests"]) == 2))["input_requests"]
    forms = {
        each["request_id"]: {"action": "accept", "content": {"answer": answer}}
        for each, answer in zip(asked, ("that way", ""), strict=True)
    }
    tool = {"name": "pair_graph", "arguments": {"message": "go"}}
    answer = await post(api, modern("tools/call", **tool, requestState=ann, inputResponses=forms))
    assert refused(answer).startswith(f"inputResponses.{asked[1]['request_id']}.content")
    assert (await api.status(ann))["input_requests"] == asked


# --- who may ----------------------------------------------------------------------------------------------


async def test_call_without_a_token_is_refused_as_a_message(servers) -> None:
    api = await servers(graph=SCRIPTED, protocols="mcp", token=TOKEN)
    answer = await post(api, call_of("ada", "find 1"))
    failed(answer, 401, -32010)
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.requirement("NOBODY-REACHES-OTHERS")
async def test_conversation_of_another_person_is_not_found(servers) -> None:
    issuer = Issuer()
    api = await servers(graph=SCRIPTED, protocols="mcp", **issuer.settings())
    ann, eve = bearer(issuer.token("ann")), bearer(issuer.token("eve"))

    def by(who: dict[str, str], request: dict[str, Any]) -> dict[str, Any]:
        return {**request, "headers": {**request["headers"], **who}}

    await api.call("POST", "/chat", json={"user_id": "hers", "message": "find 1, field Where?"}, headers=ann)
    status = await until(lambda: _asked(api, ann))
    question = status["input_requests"][0]["request_id"]
    known = "Nothing is known of a user 'hers'."
    assert refused(await post(api, by(eve, call_of("hers", "find 1")))) == known
    with_thread = call_of("eves", "find 1")
    with_thread["json"]["params"]["arguments"]["thread_id"] = "hers"
    assert refused(await post(api, by(eve, with_thread))) == known
    answering = modern("tools/call", name="scripted_graph", arguments={"message": "x"}, requestState="hers")
    answering["json"]["params"]["inputResponses"] = {question: {"action": "decline"}}
    assert refused(await post(api, by(eve, answering))) == known
    form = {"jsonrpc": "2.0", "id": f"hers/{question}", "result": {"action": "decline"}}
    failed(await post(api, by(eve, in_session("eves", form))), 404, -32010)
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
    assert (await post(api, by(eve, in_session("hers", cancelled)))).status_code == 202
    mine = (await post(api, by(ann, call_of("hers-2", "find 1")))).text.partition("\n")[0][4:]
    failed(await api.call("GET", "/mcp", headers={"last-event-id": mine, **eve}), 404, -32010)
    assert (await _asked(api, ann))["input_requests"]


async def _asked(api: Any, who: dict[str, str]) -> Any:
    status = (await api.call("GET", "/status/hers", headers=who)).json()
    return status if status.get("input_requests") else None


# --- switched on ------------------------------------------------------------------------------------------


async def test_protocol_is_off_unless_it_is_listed(tmp_path) -> None:
    async with running(tmp_path) as api:
        assert (await post(api, call_of("ada", "find 1"))).status_code == 404


async def test_server_does_not_start_where_the_extra_is_missing(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(NoProtocolError, match="mcp needs mcp-types: python -m pip install mcp-types"):
        async with running(tmp_path, protocols="mcp"):
            pass
