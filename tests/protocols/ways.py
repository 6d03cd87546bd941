"""Every way by which a message gets to the server, as the clients of each protocol send it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import httpx2
import orjson
import pytest

from tests.api.live import Client
from tests.protocols.ag_ui_stream import JSON, events_in, kinds, run_input
from tests.protocols.langgraph_calls import human

GREETING = "How can I help?"
"""What comes before each message, so that the newest one is found, and named by its place."""

Body = Callable[[str, str, str, dict[str, str]], dict[str, Any]]


@dataclass(frozen=True)
class Way:
    """A way to send a message: its path and body, the names of fields there, and the paths that stream."""

    path: str
    body: Body
    policy: str
    message_id: str
    streams: Sequence[str] = ()

    async def send(
        self,
        api: Client,
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
        body = orjson.dumps(self.body(user, text, message_id or f"m-{text}", policies))
        return await post(api, (path or self.path).format(user=user), body, **(headers or {}))


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
}
every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


def said_in(response: httpx2.Response) -> str:
    """Return the sentence of a refusal, held to the form that its protocol has for it."""
    kind = response.headers["content-type"]
    if kind.startswith("text/event-stream"):
        events = events_in(response.content)
        assert kinds(events) in (["RUN_STARTED", "RUN_ERROR"], ["RUN_ERROR"])
        said = events[-1]["message"]
    elif kind.startswith("text/plain"):
        said = response.text
    else:
        body = response.json()
        error = body.get("error")
        said = body.get("detail") or body.get("message") or error["message"]
        assert "detail" not in body or body["detail"] == error["message"]
    assert said.endswith("."), said
    return said
