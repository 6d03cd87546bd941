"""The official client of MCP, unchanged, in tests: of both kinds of versions."""

import asyncio
import contextlib
from typing import Any

import mcp_types as types
import orjson
import pytest
from mcp import Client

SCRIPTED = "tests.scripted_graph:graph"

ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}
"""How the client connects, and the version that it speaks then."""

eras = pytest.mark.parametrize("era", ERAS)


def client(server: Any, era: str, **options: Any) -> Client:
    return Client(f"http://127.0.0.1:{server.port}/mcp", mode=era, **options)


def call_of(session: str, message: str, *, tool: str = "scripted_graph", **fields: Any) -> dict[str, Any]:
    """Return the request of a call within a session, which is a conversation's id."""
    params = {"name": tool, "arguments": {"message": message}, **fields}
    return in_session(session, {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params})


def in_session(session: str, message: Any, **headers: str) -> dict[str, Any]:
    """Return the request of a message within a session."""
    return {
        "json": message,
        "headers": {"mcp-session-id": session, "mcp-protocol-version": ERAS["legacy"], **headers},
    }


def modern(method: str, *, capabilities: Any = None, **params: Any) -> dict[str, Any]:
    """Return a request of a client that has no sessions."""
    meta = {
        types.PROTOCOL_VERSION_META_KEY: ERAS["auto"],
        types.CLIENT_CAPABILITIES_META_KEY: capabilities or {},
    }
    name = {"mcp-name": params["name"]} if "name" in params else {}
    return {
        "json": {"jsonrpc": "2.0", "id": 7, "method": method, "params": {"_meta": meta, **params}},
        "headers": {"mcp-protocol-version": ERAS["auto"], "mcp-method": method, **name},
    }


def messages_in(stream: str) -> list[dict[str, Any]]:
    """Return the messages of a whole stream."""
    return [message for _, message in events_in(stream)]


def events_in(stream: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the messages of a stream with the ids of their events."""
    events: list[tuple[str, dict[str, Any]]] = []
    for block in stream.split("\n\n"):
        fields = dict(line.partition(": ")[::2] for line in block.splitlines() if not line.startswith(":"))
        if fields.get("data"):
            events.append((fields.get("id", ""), orjson.loads(fields["data"])))
    return events


class Calls:
    """A client's calls of the only tool of a server, in one conversation."""

    def __init__(self, client: Client, tool: str = "scripted_graph") -> None:
        self.client = client
        self.tool = tool
        self.thread: str | None = None
        self.progress: list[tuple[float, str | None]] = []

    async def __call__(self, message: str | None = None, **arguments: Any) -> types.CallToolResult:
        said = {} if message is None else {"message": message}
        known = {} if self.thread is None else {"thread_id": self.thread}
        result = await self.client.call_tool(
            self.tool, {**known, **said, **arguments}, progress_callback=self._note
        )
        if not result.is_error:
            self.thread = result.structured_content["thread_id"]
        return result

    def start(self, message: str, **arguments: Any) -> "asyncio.Task[types.CallToolResult]":
        return asyncio.get_running_loop().create_task(self(message, **arguments))

    async def _note(self, progress: float, _total: float | None, message: str | None) -> None:
        self.progress.append((progress, message))


@contextlib.asynccontextmanager
async def calling(server: Any, era: str, tool: str = "scripted_graph", **options: Any):
    """Yield the calls of a new client."""
    async with client(server, era, **options) as connected:
        assert connected.protocol_version == ERAS[era]
        yield Calls(connected, tool)


class User:
    """A user whom a client asks: `forms` are what it was asked, `action` and `content` what it answers."""

    def __init__(self, action: str = "accept", content: dict[str, Any] | None = None) -> None:
        self.forms: list[types.ElicitRequestFormParams] = []
        self.action = action
        self.content = content

    async def __call__(self, _context: Any, asked: Any) -> types.ElicitResult:
        self.forms.append(asked)
        return types.ElicitResult(action=self.action, content=self.content)
