"""Every call of the application, and who may make it.

The table is written by hand from docs/identity.md. A call of the application that it lacks fails.
"""

import asyncio
import re
from typing import Any

import orjson
import pytest
import websockets
from starlette.routing import Route

from backend.protocols.following import Place
from backend.protocols.mcp.wire import StreamedCall
from tests.api.issuer import Issuer, bearer
from tests.api.live import BOUND_S, serving
from tests.fakes.waiting import until
from tests.protocols.mcp_clients import ERAS, call_of
from tests.protocols.ways import SPOKEN

pytestmark = pytest.mark.requirement("NOBODY-REACHES-OTHERS")

OPEN, READ, FOLLOW, SPEAK, CHANGE, END, OPERATE = (
    "open",
    "read",
    "follow",
    "speak",
    "change",
    "end",
    "operate",
)
"""What a call does to the conversation that it names: see `backend.http.identity.access`."""
ANY, WRITE, DROP = "any", "write", "drop"
"""What a call does that names no conversation: it reads, needs the scope `chat`, or that or `operate`."""

SAID = {"messages": [{"role": "user", "content": "find 1"}]}
RUN = {"assistant_id": "agent", "input": SAID}
UI_MESSAGE = {"id": "m1", "role": "user", "parts": [{"type": "text", "text": "find 1"}]}


def agui(user_id: str) -> dict[str, Any]:
    return {
        "threadId": user_id,
        "runId": "r1",
        "messages": [{"id": "m1", "role": "user", "content": "find 1"}],
        "state": {},
        "tools": [],
        "context": [],
        "forwardedProps": {},
    }


def a2a(user_id: str) -> dict[str, Any]:
    parts = [{"kind": "text", "text": "find 1"}]
    message = {"role": "user", "parts": parts, "contextId": user_id}
    return {"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": message}}


def mcp(user_id: str, tool: str = "travel") -> dict[str, Any]:
    sent = call_of("", "find 1", tool=tool)["json"]
    sent["params"]["arguments"]["thread_id"] = user_id
    return sent


def cut(user_id: str) -> dict[str, str]:
    """Return the headers of a client that goes on with the stream of a call of MCP's."""
    call = StreamedCall(user_id, "x", None, 1, None, ERAS["legacy"], elicits=False)
    event = call.event(Place(1, 0), b"{}").decode()
    return {"last-event-id": event.partition("\n")[0].removeprefix("id: ")}


CALLS: dict[tuple[str, str], Any] = {
    ("GET", "/"): OPEN,
    ("GET", "/docs"): OPEN,
    ("GET", "/operate"): OPEN,
    ("GET", "/health"): OPEN,
    ("GET", "/ready"): OPEN,
    ("GET", "/ok"): OPEN,
    ("GET", "/info"): OPEN,
    ("POST", "/session"): OPEN,
    ("DELETE", "/session"): OPEN,
    ("GET", "/openapi.json"): ANY,
    ("GET", "/asyncapi.json"): ANY,
    ("GET", "/metrics"): OPERATE,
    ("GET", "/operate/tasks"): OPERATE,
    ("GET", "/operate/tasks/{task_id}"): OPERATE,
    ("POST", "/operate/tasks/{task_id}/stop"): OPERATE,
    ("POST", "/operate/drain"): OPERATE,
    ("POST", "/operate/serve"): OPERATE,
    ("GET", "/conversations"): ANY,
    ("POST", "/tickets"): ANY,
    ("GET", "/sessions"): ANY,
    ("DELETE", "/sessions/{session_id}"): ANY,
    ("POST", "/operate/sign-out"): OPERATE,
    ("POST", "/chat"): (SPEAK, lambda user: {"user_id": user, "message": "find 1"}),
    ("POST", "/stop/{user_id}"): END,
    ("POST", "/answer/{user_id}"): (CHANGE, lambda _: {"request_id": "r", "answer": {}}),
    ("GET", "/pending/{user_id}"): READ,
    ("PUT", "/pending/{user_id}/{message_id}"): (CHANGE, lambda _: {"message": "no", "revision": 0}),
    ("DELETE", "/pending/{user_id}/{message_id}"): CHANGE,
    ("POST", "/pending/{user_id}/{message_id}/now"): CHANGE,
    ("POST", "/pending/{user_id}/{message_id}/later"): CHANGE,
    ("DELETE", "/users/{user_id}"): END,
    ("GET", "/status/{user_id}"): READ,
    ("GET", "/partial-results/{user_id}"): READ,
    ("GET", "/history/{user_id}"): READ,
    ("GET", "/users/{user_id}/export"): READ,
    ("GET", "/receipts/{user_id}/{task_id}"): READ,
    ("GET", "/calls/{user_id}/{task_id}"): READ,
    ("GET", "/events/{user_id}"): FOLLOW,
    ("GET", "/threads/{user_id}/history"): READ,
    ("GET", "/threads/{user_id}/state"): READ,
    ("GET", "/airports"): ANY,
    ("GET", "/places"): ANY,
    ("GET", "/land"): ANY,
    ("GET", "/fares"): ANY,
    ("GET", "/requests/{user_id}"): READ,
    ("GET", "/requests/{user_id}/{task_id}"): READ,
    ("GET", "/bookings/{user_id}"): READ,
    ("GET", "/travellers/{user_id}"): READ,
    ("PUT", "/travellers/{user_id}"): (CHANGE, lambda _: {"travellers": []}),
    # LangGraph
    ("POST", "/assistants/search"): ANY,
    ("POST", "/assistants/count"): ANY,
    ("GET", "/assistants/{assistant_id}"): ANY,
    ("GET", "/assistants/{assistant_id}/graph"): ANY,
    ("GET", "/assistants/{assistant_id}/schemas"): ANY,
    ("GET", "/assistants/{assistant_id}/subgraphs"): ANY,
    ("GET", "/assistants/{assistant_id}/subgraphs/{namespace}"): ANY,
    ("POST", "/assistants"): WRITE,
    ("PATCH", "/assistants/{assistant_id}"): WRITE,
    ("DELETE", "/assistants/{assistant_id}"): WRITE,
    ("POST", "/assistants/{assistant_id}/versions"): ANY,
    ("POST", "/assistants/{assistant_id}/latest"): WRITE,
    ("POST", "/threads"): (SPEAK, lambda user: {"thread_id": user}),
    ("POST", "/threads/search"): ANY,
    ("POST", "/threads/count"): ANY,
    ("POST", "/threads/prune"): WRITE,
    ("GET", "/threads/{thread_id}"): READ,
    ("PATCH", "/threads/{thread_id}"): CHANGE,
    ("DELETE", "/threads/{thread_id}"): END,
    ("POST", "/threads/{thread_id}/copy"): CHANGE,
    ("GET", "/threads/{thread_id}/stream"): READ,
    ("GET", "/threads/{thread_id}/state"): READ,
    ("POST", "/threads/{thread_id}/state"): CHANGE,
    ("PATCH", "/threads/{thread_id}/state"): CHANGE,
    ("GET", "/threads/{thread_id}/state/{checkpoint_id}"): READ,
    ("POST", "/threads/{thread_id}/state/checkpoint"): READ,
    ("POST", "/threads/{thread_id}/history"): READ,
    ("POST", "/threads/{thread_id}/commands"): (
        SPEAK,
        lambda _: {"id": 1, "method": "run.start", "params": RUN},
    ),
    ("POST", "/threads/{thread_id}/stream/events"): (FOLLOW, lambda _: {"channels": ["values"]}),
    ("GET", "/threads/{thread_id}/runs"): READ,
    ("POST", "/threads/{thread_id}/runs"): (CHANGE, lambda _: RUN),
    ("POST", "/threads/{thread_id}/runs/stream"): (CHANGE, lambda _: RUN),
    ("POST", "/threads/{thread_id}/runs/wait"): (CHANGE, lambda _: RUN),
    ("POST", "/threads/{thread_id}/runs/crons"): CHANGE,
    ("GET", "/threads/{thread_id}/runs/{run_id}"): READ,
    ("DELETE", "/threads/{thread_id}/runs/{run_id}"): END,
    ("POST", "/threads/{thread_id}/runs/{run_id}/cancel"): END,
    ("GET", "/threads/{thread_id}/runs/{run_id}/join"): READ,
    ("GET", "/threads/{thread_id}/runs/{run_id}/stream"): READ,
    ("POST", "/runs"): (WRITE, lambda _: RUN),
    ("POST", "/runs/stream"): (WRITE, lambda _: RUN),
    ("POST", "/runs/wait"): (WRITE, lambda _: RUN),
    ("POST", "/runs/batch"): WRITE,
    ("POST", "/runs/cancel"): (END, lambda user: {"thread_id": user, "status": "all"}),
    ("GET", "/runs/crons"): ANY,
    ("POST", "/runs/crons"): WRITE,
    ("GET", "/runs/crons/{rest:path}"): ANY,
    ("POST", "/runs/crons/{rest:path}"): WRITE,
    ("PATCH", "/runs/crons/{rest:path}"): WRITE,
    ("DELETE", "/runs/crons/{rest:path}"): DROP,
    ("PUT", "/store/items"): WRITE,
    ("GET", "/store/items"): ANY,
    ("DELETE", "/store/items"): WRITE,
    ("POST", "/store/items/search"): ANY,
    ("POST", "/store/namespaces"): ANY,
    # The AI SDK, AG-UI, CopilotKit
    ("POST", "/ai-sdk/chat"): (
        SPEAK,
        lambda user: {"id": user, "messages": [UI_MESSAGE], "trigger": "submit-message"},
    ),
    ("GET", "/ai-sdk/chat/{chat_id:path}/stream"): READ,
    ("POST", "/ai-sdk/chat/{chat_id:path}/stop"): END,
    ("GET", "/ai-sdk/chat/{chat_id:path}/messages"): READ,
    ("POST", "/agui"): (SPEAK, agui),
    ("POST", "/agui/"): (SPEAK, agui),
    ("POST", "/agui/{agent}"): (SPEAK, agui),
    ("GET", "/copilotkit/info"): ANY,
    ("POST", "/copilotkit"): (SPEAK, lambda user: {"method": "agent/run", "body": agui(user)}),
    ("POST", "/copilotkit/"): (SPEAK, lambda user: {"method": "agent/run", "body": agui(user)}),
    ("POST", "/copilotkit/agent/{agent}/run"): (SPEAK, agui),
    ("POST", "/copilotkit/agent/{agent}/connect"): (FOLLOW, agui),
    ("POST", "/copilotkit/agent/{agent}/stop/{thread_id:path}"): END,
    # OpenAI
    ("GET", "/models"): ANY,
    ("GET", "/models/{model}"): ANY,
    ("POST", "/chat/completions"): (
        SPEAK,
        lambda user: {**SAID, "metadata": {"thread_id": user}},
    ),
    ("POST", "/responses"): (SPEAK, lambda user: {"input": "find 1", "conversation": user}),
    ("GET", "/responses/{response_id}"): READ,
    ("DELETE", "/responses/{response_id}"): END,
    ("POST", "/responses/{response_id}/cancel"): END,
    ("GET", "/responses/{response_id}/input_items"): READ,
    # A2A
    ("GET", "/.well-known/agent-card.json"): ANY,
    ("GET", "/a2a/{agent}/.well-known/agent-card.json"): ANY,
    ("POST", "/a2a"): (SPEAK, a2a),
    ("POST", "/a2a/{agent}"): (SPEAK, a2a),
    # MCP
    ("POST", "/mcp"): (SPEAK, mcp),
    ("GET", "/mcp"): READ,
    ("DELETE", "/mcp"): ANY,
}
HEADERS = {("GET", "/mcp"): cut}
"""What a call names its conversation with, if neither its path nor its body does."""
SOCKET = "/ws/{user_id:path}"

NOT_SIGNED_IN, NO_SCOPE, UNKNOWN, LET_IN = "unauthorized", "scope_missing", "unknown_user", "let in"
OF_A_CONVERSATION = (READ, FOLLOW, SPEAK, CHANGE, END)

EXPECTED: dict[str, dict[str, str]] = {
    "owner": {OPERATE: NO_SCOPE},
    "nobody": dict.fromkeys((ANY, WRITE, DROP, OPERATE, *OF_A_CONVERSATION), NOT_SIGNED_IN),
    "one without scopes": dict.fromkeys((ANY, WRITE, DROP, OPERATE, *OF_A_CONVERSATION), NO_SCOPE),
    "another person": {OPERATE: NO_SCOPE, **dict.fromkeys(OF_A_CONVERSATION, UNKNOWN)},
    "the owner, to read only": dict.fromkeys((OPERATE, WRITE, DROP, SPEAK, CHANGE, END), NO_SCOPE),
    "another, to read only": {
        **dict.fromkeys((OPERATE, WRITE, DROP, SPEAK, CHANGE, END), NO_SCOPE),
        **dict.fromkeys((READ, FOLLOW), UNKNOWN),
    },
    "an operator": dict.fromkeys((WRITE, SPEAK, CHANGE), NO_SCOPE),
}
"""What each kind is answered, by what a call does; everything else lets them in."""


def headers_of(kind: str, issuer: Issuer) -> list[dict[str, str]]:
    """Return what each stranger of a kind sends."""
    match kind:
        case "owner":
            return [bearer(issuer.token("ann"))]
        case "nobody":
            old = {"exp": 1_700_000_000, "iat": 1_699_990_000}
            wrong = [
                issuer.token(**old),
                issuer.token(aud="others"),
                issuer.token(aud=None),
                issuer.token(iss="https://evil.example"),
                issuer.token(exp=None),
                issuer.token(None),
                Issuer().token(),
                "no-token-at-all",
            ]
            return [{}, {"Cookie": "detour_session=guessed"}, *map(bearer, wrong)]
        case "one without scopes":
            return [bearer(issuer.token("ann", scope="")), bearer(issuer.token("ann", scope="admin"))]
        case "another person":
            return [bearer(issuer.token("eve"))]
        case "the owner, to read only":
            return [bearer(issuer.token("ann", scope="read"))]
        case "another, to read only":
            return [bearer(issuer.token("eve", scope="read"))]
        case _:
            return [bearer(issuer.token("olga", scope="operate"))]


def filled(path: str, user_id: str) -> str:
    """Return the path of a call, of a user's conversation."""
    named = {
        "user_id": user_id,
        "thread_id": user_id,
        "chat_id": user_id,
        "assistant_id": "agent",
        "agent": "agent",
        "model": "agent",
        "response_id": f"resp_x_{user_id}",
    }
    return re.sub(r"\{(\w+)(?::path)?\}", lambda found: named.get(found[1], "x"), path)


async def told(
    http: Any, call: tuple[str, str], user_id: str, headers: dict[str, str], body: Any
) -> tuple[str, bytes]:
    """Make a call about a conversation; return what it was refused with or `LET_IN`, and how it answers."""
    method, path = call[0], filled(call[1], user_id)
    headers = headers | HEADERS.get(call, lambda _: {})(user_id)
    sent = {"json": body if body is not None else {}} if method not in ("GET", "DELETE") else {}
    async with asyncio.timeout(BOUND_S), http.stream(method, path, headers=headers, **sent) as answer:
        is_stream = answer.headers.get("content-type", "").startswith("text/event-stream")
        if answer.status_code < 400 and not (is_stream or path.startswith(("/a2a", "/mcp"))):
            return LET_IN, b""
        if answer.status_code < 400 and not path.startswith(("/agui", "/copilotkit", "/a2a", "/mcp")):
            return LET_IN, b""  # a stream, which may say nothing yet
        said = b""
        async for piece in answer.aiter_bytes():
            said += piece
            if len(said) > 0 and answer.status_code < 400:
                break
        return NOT_SIGNED_IN if answer.status_code == 401 else refused_with(said), said


def refused_with(said: bytes) -> str:
    """Return what an answer refuses with: by its code, or by its sentence, which is all that useChat has."""
    signs = {
        NO_SCOPE: (b'"scope_missing"', b"needs the scope"),
        UNKNOWN: (b'"unknown_user"', b"Nothing is known of a user"),
    }
    return next((code for code, texts in signs.items() if any(each in said for each in texts)), LET_IN)


async def status_of(server: Any, headers: dict[str, str]) -> dict[str, Any]:
    return (await server.http.get("/status/ann-1", headers=headers)).json()


async def begin(http: Any, issuer: Issuer, user_id: str) -> None:
    """Begin a conversation of ann's."""
    body = {"user_id": user_id, "message": "find 1"}
    answer = await http.post("/chat", json=body, headers=bearer(issuer.token("ann")))
    assert answer.status_code == 202, answer.text


def calls_of(server: Any) -> set[tuple[str, str]]:
    """Return every call that an application has."""
    app = server.detour.app
    while not hasattr(app, "router"):
        app = app._app
    return {
        (method, route.path)
        for route in app.router.routes
        if isinstance(route, Route)
        for method in route.methods
        if method not in ("HEAD", "OPTIONS")
    }


@pytest.fixture
async def server(tmp_path, issuer):
    settings = {"messages_per_minute": 1000, "address_guesses_per_minute": 0, **issuer.settings()}
    async with serving(tmp_path, graph="", protocols=SPOKEN, **settings) as server:
        yield server


async def test_table_has_every_call(server) -> None:
    assert calls_of(server) == set(CALLS)


@pytest.mark.parametrize("kind", EXPECTED)
async def test_every_call_admits_whom_it_should(server, issuer, kind) -> None:
    wrong = []
    for number, ((method, path), does) in enumerate(CALLS.items()):
        act, body_of = does if isinstance(does, tuple) else (does, lambda _: None)
        user_id = f"ann-{number}"
        if act in OF_A_CONVERSATION:
            await begin(server.http, issuer, user_id)
        for headers in headers_of(kind, issuer):
            server.http.cookies.clear()
            found, said = await told(server.http, (method, path), user_id, headers, body_of(user_id))
            expected = EXPECTED[kind].get(act, LET_IN)
            if act == OPEN:
                expected = LET_IN if path != "/session" or method == "DELETE" else found
            if found != expected:
                wrong.append((method, path, act, found, expected, said[:100]))
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize("kind", EXPECTED)
async def test_socket_admits_whom_it_should(server, issuer, kind) -> None:
    await begin(server.http, issuer, "ann-1")
    expected = {
        "nobody": 4401,
        "one without scopes": 4403,
        "another person": 4404,
        "another, to read only": 4404,
    }
    for headers in headers_of(kind, issuer):
        async with server.socket("ann-1", additional_headers=headers) as socket:
            if kind in expected:
                with pytest.raises(websockets.ConnectionClosed) as closed:
                    await socket.recv()
                assert closed.value.rcvd.code == expected[kind], headers
                continue
            assert orjson.loads(await socket.recv())["type"] == "hello"
            await socket.send(b'{"type":"stop","ref":"1"}'.decode())
            while (answer := orjson.loads(await socket.recv()))["type"] not in ("ack", "error"):
                pass
            assert (answer["type"] == "ack") is (kind in ("owner", "an operator")), answer


async def test_conversation_of_another_looks_unknown(server, issuer) -> None:
    """Byte for byte, but for the id: else strangers could find out who is here."""
    eve = bearer(issuer.token("eve"))
    for number, ((method, path), does) in enumerate(CALLS.items()):
        act, body_of = does if isinstance(does, tuple) else (does, lambda _: None)
        if act not in (READ, CHANGE, END):
            continue
        await begin(server.http, issuer, f"ann-{number}")
        answers = []
        for user_id in (f"ann-{number}", f"not-{number}"):
            found, said = await told(server.http, (method, path), user_id, eve, body_of(user_id))
            answers.append((found, said.replace(user_id.encode(), b"ID")))
        assert answers[0] == answers[1], (method, path)


async def test_strangers_change_nothing(server, issuer) -> None:
    await begin(server.http, issuer, "ann-1")
    ann, eve = bearer(issuer.token("ann")), bearer(issuer.token("eve"))

    async def has_ended() -> bool:
        return (await status_of(server, ann))["status"] in ("completed", "failed")

    await until(has_ended)
    before = [
        (await server.http.get(path, headers=ann)).json() for path in ("/history/ann-1", "/status/ann-1")
    ]
    for call, does in CALLS.items():
        act, body_of = does if isinstance(does, tuple) else (does, lambda _: None)
        if act in OF_A_CONVERSATION:
            await told(server.http, call, "ann-1", eve, body_of("ann-1"))
    after = [
        (await server.http.get(path, headers=ann)).json() for path in ("/history/ann-1", "/status/ann-1")
    ]
    assert after == before


async def test_person_lists_own_conversations_alone(server, issuer) -> None:
    ann, eve = bearer(issuer.token("ann")), bearer(issuer.token("eve"))
    await begin(server.http, issuer, "ann-1")
    made = await server.http.post("/threads", json={"thread_id": "eve-1"}, headers=eve)
    assert made.status_code == 200
    await server.http.post("/threads", json={"thread_id": "ann-2"}, headers=ann)
    listed = [
        (await server.http.get("/conversations", headers=each)).json()["conversations"] for each in (ann, eve)
    ]
    assert [[each["user_id"] for each in own] for own in listed] == [["ann-2", "ann-1"], ["eve-1"]]
    assert listed[0][1]["title"] == "find 1"
    found = [(await server.http.post("/threads/search", json={}, headers=each)).json() for each in (ann, eve)]
    assert [[each["thread_id"] for each in own] for own in found] == [["ann-2"], ["eve-1"]]


async def test_server_without_persons_lists_nothing(tmp_path) -> None:
    async with serving(tmp_path) as server:
        answer = await server.http.get("/conversations")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "no_persons")
