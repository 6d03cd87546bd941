"""The servers whose agents a real model answers: Detour, and LangGraph's own `langgraph dev`."""

import contextlib
import json
import tempfile
import uuid
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, Protocol

import httpx2
import orjson

from backend import __version__
from backend.clients.api import Api, User
from backend.clients.server import ServerProcess
from checks.conformance.langgraph_dev import LangGraphDev

ANSWERS_WITHIN_S = 30.0
GRAPHS = {
    "agent": "`create_agent`",
    "node_ainvoke": "node that awaits `ainvoke`",
    "node_astream": "node that reads `astream`",
    "node_invoke": "plain node that calls `invoke`",
    "node_structured": "structured output",
}
"""The graphs of `checks/interruptions/real_graphs.py`, and what they are."""
PLACES = {name: f"checks.interruptions.real_graphs:{name}" for name in (*GRAPHS, "three_nodes")}
UNLIMITED = {"messages_per_minute": 0, "address_messages_per_minute": 0, "address_requests_per_minute": 0}


class Server(Protocol):
    """A server of the graphs. A conversation is a user, or a thread; all of it goes to one graph."""

    name: str

    async def send(self, conversation: str, graph: str, message: str) -> None:
        """POST a message, which interrupts the run of the one before."""
        ...

    async def stop(self, conversation: str) -> None:
        """Stop the run of the last message."""
        ...

    async def kept(self, conversation: str, message: str) -> str:
        """Return what is kept of the interrupted answer to a message."""
        ...


class Detour:
    """Detour by its own protocol."""

    name = f"Detour {__version__}"

    def __init__(self, url: str, http: httpx2.AsyncClient) -> None:
        self._url = url
        self._http = http

    async def send(self, conversation: str, graph: str, message: str) -> None:
        """POST /chat."""
        await self.calls(conversation).send(message, graph=graph)

    async def stop(self, conversation: str) -> None:
        """POST /stop."""
        await self.calls(conversation).stop()

    async def kept(self, conversation: str, message: str) -> str:
        """GET /history."""
        messages = (await self.calls(conversation).history())["messages"]
        tasks = {each["task_id"] for each in messages if each["text"] == message}
        return "".join(
            each["text"] for each in messages if each["role"] == "assistant" and each["task_id"] in tasks
        )

    def calls(self, conversation: str) -> Api:
        """Return the calls of a conversation."""
        return Api(User(url=self._url, user_id=conversation), self._http)


class OfLangGraph:
    """`langgraph dev`: a message is a run with the documented `multitask_strategy` for interrupting."""

    def __init__(self, url: str, http: httpx2.AsyncClient, *, version: str) -> None:
        self.name = f"`langgraph dev`, langgraph-api {version}"
        self._url = url
        self._http = http
        self._runs: dict[str, str] = {}

    async def send(self, conversation: str, graph: str, message: str) -> None:
        """POST /threads/{id}/runs."""
        thread = _thread_id(conversation)
        if thread not in self._runs:
            await self._post("threads", {"thread_id": thread})
        run = {
            "assistant_id": graph,
            "input": {"messages": [{"role": "user", "content": message}]},
            "multitask_strategy": "interrupt",
            "stream_mode": ["messages-tuple"],
            "stream_resumable": True,
        }
        self._runs[thread] = (await self._post(f"threads/{thread}/runs", run))["run_id"]

    async def stop(self, conversation: str) -> None:
        """POST /threads/{id}/runs/{id}/cancel."""
        thread = _thread_id(conversation)
        await self._post(f"threads/{thread}/runs/{self._runs[thread]}/cancel", {})

    async def kept(self, conversation: str, message: str) -> str:
        """GET /threads/{id}/state: the messages of the model right after this one."""
        answered = await self._http.get(f"{self._url}/threads/{_thread_id(conversation)}/state")
        messages = answered.raise_for_status().json()["values"].get("messages", [])
        at = next((at for at, each in enumerate(messages) if each["content"] == message), len(messages))
        after = messages[at + 1 : at + 2]
        return "".join(str(each["content"]) for each in after if each["type"] == "ai")

    async def _post(self, path: str, body: dict[str, Any]) -> Any:
        answered = await self._http.post(f"{self._url}/{path}", json=body)
        return orjson.loads(answered.raise_for_status().content or b"null")


def _thread_id(conversation: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_OID, conversation))


@contextlib.asynccontextmanager
async def serve_detour(model: str) -> AsyncGenerator[Server, None]:
    """Start Detour with the graphs and this model; end it when left. Raises `NotStarted`."""
    async with _http() as http:
        with tempfile.TemporaryDirectory(prefix="interruptions-", ignore_cleanup_errors=True) as name:
            folder = Path(name)
            config = {"dependencies": ["."], "graphs": PLACES}
            (folder / "langgraph.json").write_text(json.dumps(config), "utf-8")
            settings = {"graph": "langgraph.json", **UNLIMITED}
            environment = {"INTERRUPTIONS_MODEL": model}
            async with ServerProcess(
                folder, settings=settings, environment=environment, log=folder / "log"
            ) as process:
                yield Detour(process.url, http)


@contextlib.asynccontextmanager
async def serve_langgraph(model: str, command: str) -> AsyncGenerator[Server, None]:
    """Start `langgraph dev`, of which `command` is the program; end it when left. Raises `NotStarted`."""
    process = LangGraphDev(command, graphs=PLACES, environment={"INTERRUPTIONS_MODEL": model})
    async with _http() as http, contextlib.AsyncExitStack() as stack:
        stack.push_async_callback(process.close)
        await process.start()
        info = (await http.get(f"{process.url}/info")).raise_for_status().json()
        yield OfLangGraph(process.url, http, version=info["version"])


def _http() -> httpx2.AsyncClient:
    limits = httpx2.Limits(keepalive_expiry=1.0)
    return httpx2.AsyncClient(timeout=ANSWERS_WITHIN_S, limits=limits, trust_env=False)
