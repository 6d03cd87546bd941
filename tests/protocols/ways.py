"""Every way by which a message gets to the server, as the clients of each protocol send it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import httpx2
import orjson
import pytest

from backend.http.settings import Protocol
from backend.protocols.threads import Agents
from tests.api.live import Client, LocalClient
from tests.protocols.ag_ui_stream import JSON, events_in, kinds, run_input
from tests.protocols.langgraph_calls import human
from tests.protocols.mcp_clients import call_of, in_session, messages_in

SPOKEN = ",".join(get_args(Protocol))
"""All protocols, as `DETOUR_PROTOCOLS` lists them."""

GREETING = "How can I help?"
"""What comes before each message, so that the newest one is found, and named by its place."""

Body = Callable[[str, str, str, dict[str, str]], dict[str, Any]]


def _no_headers(_user: str, _message_id: str) -> dict[str, str]:
    return {}


@dataclass(frozen=True)
class Way:
    """A way to send a message: its path and body, the names of fields there, and the paths that stream.

    `policy` is "" if the body has no field for it. `steers` if a message may; `default` is its policy in the
    place of the server's setting, if it has one of its own.
    """

    path: str
    body: Body
    policy: str
    message_id: str
    streams: Sequence[str] = ()
    headers: Callable[[str, str], dict[str, str]] = _no_headers
    steers: bool = True
    default: str | None = None

    async def send(
        self,
        api: LocalClient,
        user: str,
        text: str = "more",
        *,
        message_id: str = "",
        policy: str | None = None,
        headers: dict[str, str] | None = None,
        path: str = "",
    ) -> httpx2.Response:
        """Send a message, under an id made of its text if it is given none; return the whole answer."""
        policies = {} if policy is None else {self.policy.rpartition(".")[2]: policy}
        message_id = message_id or f"m-{text}"
        body = self.body(user, text, message_id, policies)
        if self.path == "/mcp":
            body["params"]["name"] = Agents(api.detour._services).default  # a tool has its graph's name
        named = {**self.headers(user, message_id), **(headers or {})}
        return await post(api, (path or self.path).format(user=user), orjson.dumps(body), **named)


async def post(api: Client, path: str, body: bytes, **headers: str) -> httpx2.Response:
    return await api.call("POST", path, content=body, headers={**JSON, **headers})


def _chat(user: str, text: str, message_id: str, policy: dict[str, str]) -> dict[str, Any]:
    return {"user_id": user, "message": text, "client_id": message_id, **policy}


def _run(text: str, message_id: str, **fields: Any) -> dict[str, Any]:
    sent = human(text, if_not_exists="create", **fields)
    sent["input"]["messages"][0]["id"] = message_id
    sent["input"]["messages"].insert(0, {"type": "ai", "content": GREETING})
    return sent


def _by_metadata(_user: str, text: str, message_id: str, policy: dict[str, str]) -> dict[str, Any]:
    return _run(text, message_id, metadata=policy)


def _by_configurable(_user: str, text: str, message_id: str, policy: dict[str, str]) -> dict[str, Any]:
    return _run(text, message_id, config={"configurable": policy})


def _by_command(user: str, text: str, message_id: str, policy: dict[str, str]) -> dict[str, Any]:
    return {"id": 1, "method": "run.start", "params": _by_metadata(user, text, message_id, policy)}


def _ag_ui(user: str, text: str, message_id: str, policy: dict[str, str]) -> dict[str, Any]:
    greeting = {"id": "greeting", "role": "assistant", "content": GREETING}
    messages = [greeting, {"id": message_id, "role": "user", "content": text}]
    return run_input(user, messages=messages, forwardedProps={"onDisconnect": "continue", **policy})


def _copilotkit(user: str, text: str, message_id: str, policy: dict[str, str]) -> dict[str, Any]:
    body = _ag_ui(user, text, message_id, policy)
    return {"method": "agent/run", "params": {"agentId": "agent"}, "body": body}


def _ai_sdk(user: str, text: str, message_id: str, policy: dict[str, str]) -> dict[str, Any]:
    greeting = {"id": "greeting", "role": "assistant", "parts": [{"type": "text", "text": GREETING}]}
    message = {"id": message_id, "role": "user", "parts": [{"type": "text", "text": text}]}
    return {"id": user, "messages": [greeting, message], **policy}


def _completion(user: str, text: str, _message_id: str, policy: dict[str, str]) -> dict[str, Any]:
    messages = [{"role": "assistant", "content": GREETING}, {"role": "user", "content": text}]
    return {"messages": messages, "metadata": {"thread_id": user, **policy}}


def _response(user: str, text: str, _message_id: str, policy: dict[str, str]) -> dict[str, Any]:
    return {"input": text, "conversation": user, "metadata": policy}


def _key(_user: str, message_id: str) -> dict[str, str]:
    return {"Idempotency-Key": message_id}


def _a2a(user: str, text: str, message_id: str, policy: dict[str, str]) -> dict[str, Any]:
    parts = [{"text": text}]
    message = {"role": "ROLE_USER", "messageId": message_id, "contextId": user, "parts": parts}
    params = {"message": {**message, "metadata": policy}}
    return {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": params}


def _mcp(user: str, text: str, message_id: str, _policy: dict[str, str]) -> dict[str, Any]:
    return {**call_of(user, text)["json"], "id": message_id}


def _session(user: str, _message_id: str) -> dict[str, str]:
    return in_session(user, {})["headers"]


RUNS = "/threads/{user}/runs"
MESSAGE_ID = "input.messages[1].id"
WAYS = {
    "chat": Way("/chat", _chat, "policy", "client_id"),
    "langgraph": Way(
        RUNS, _by_metadata, "metadata.detour_policy", MESSAGE_ID, [f"{RUNS}/stream", f"{RUNS}/wait"]
    ),
    "configurable": Way(RUNS, _by_configurable, "config.configurable.detour_policy", MESSAGE_ID),
    "command": Way("/threads/{user}/commands", _by_command, "metadata.detour_policy", MESSAGE_ID),
    "ag_ui": Way("/agui", _ag_ui, "forwardedProps.policy", "messages.1.id", ["/agui"]),
    "copilotkit": Way("/copilotkit", _copilotkit, "forwardedProps.policy", "messages.1.id", ["/copilotkit"]),
    "ai_sdk": Way("/ai-sdk/chat", _ai_sdk, "policy", "messages.1.id", ["/ai-sdk/chat"]),
    "completion": Way(
        "/chat/completions",
        _completion,
        "metadata.detour_policy",
        "Idempotency-Key",
        ["/chat/completions"],
        headers=_key,
        steers=False,
    ),
    "response": Way(
        "/responses",
        _response,
        "metadata.detour_policy",
        "Idempotency-Key",
        ["/responses"],
        headers=_key,
        steers=False,
    ),
    "a2a": Way("/a2a", _a2a, "message.metadata.detour_policy", "message.messageId", ["/a2a"], steers=False),
    "mcp": Way("/mcp", _mcp, "", "id", ["/mcp"], headers=_session, default="enqueue"),
}
every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


def said_in(response: httpx2.Response) -> str:
    """Return the sentence of a refusal, held to the form that its protocol has for it."""
    kind = response.headers["content-type"]
    if kind.startswith("text/plain"):
        said = response.text
    elif kind.startswith("text/event-stream") and not response.request.url.path.startswith("/mcp"):
        events = events_in(response.content)
        assert kinds(events) in (["RUN_STARTED", "RUN_ERROR"], ["RUN_ERROR"])
        said = events[-1]["message"]
    else:
        body = body_of(response)
        if "result" in body:  # of a tool of MCP
            (block,) = body["result"]["content"]
            assert body["result"]["isError"]
            body = {"message": block["text"]}
        error = body.get("error")
        said = body.get("detail") or body.get("message") or error["message"]
        assert "detail" not in body or body["detail"] == error["message"]
    assert said.endswith("."), said
    return said


def body_of(response: httpx2.Response) -> dict[str, Any]:
    """Return the JSON of an answer: of a stream of MCP that of its last message."""
    is_stream = response.headers["content-type"].startswith("text/event-stream")
    return messages_in(response.text)[-1] if is_stream else response.json()


def is_refused(response: httpx2.Response, status: int, code: str) -> bool:
    """Return whether a call is refused as that: by the status, or by the code where that is in the answer.

    AG-UI refuses in its stream, JSON-RPC in its answer unless the client is to wait, and OpenAI's API has
    400 for bad input.
    """
    kind = response.headers["content-type"]
    if kind.startswith("text/event-stream") and response.request.url.path != "/mcp":
        return events_in(response.content)[-1]["code"] == code
    body: dict[str, Any] = {} if kind.startswith("text/plain") else body_of(response)
    error: Any = body.get("error") or body.get("result", {}).get("_meta", {}).get("detour/error", {})
    if "jsonrpc" in body and status not in {429, 503}:
        return response.status_code == 200 and error.get("data", error)["code"] == code
    status = 400 if "param" in error and status == 422 else status
    return response.status_code == status and (status != 429 or "retry-after" in response.headers)
