"""The official client of MCP, unchanged, in tests: of both kinds of versions."""

import asyncio
import contextlib
from typing import Any

import mcp_types as types
import pytest
from mcp import Client

SCRIPTED = "tests.scripted_graph:graph"

ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}
"""How the client connects, and the version that it speaks then."""

eras = pytest.mark.parametrize("era", ERAS)


def client(server: Any, era: str, **options: Any) -> Client:
    return Client(f"http://127.0.0.1:{server.port}/mcp", mode=era, **options)


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
