"""An agent whose calls have arguments and results of every form, for whoever shows them.

A path in a message is a folder that decides when it goes on: with the file `asked` there, the model says the
second half of what it asks for; with `found`, the search has ended.
"""

import json
from collections.abc import AsyncIterator
from typing import Any

import anyio
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.tools import ToolException, tool

from tests.graphs.scripted_chat import ScriptedChat
from tests.payloads import PAYLOADS

NOTE = "in two parcels " * 60
ROWS = 3000
MARKUP = "\n".join(PAYLOADS)


async def until_there(folder: str, name: str) -> None:
    while "/" in folder and not await (anyio.Path(folder) / name).exists():  # noqa: ASYNC110
        await anyio.sleep(0.01)


@tool
async def search_orders(
    customer: dict[str, Any], states: list[str], note: str, folder: str
) -> dict[str, Any]:
    """Search orders."""
    await until_there(folder, "found")
    order = {"order_id": "A-1", "paid": True, "ship_to": {"city": "Rome"}}
    return {"orders": [order, {**order, "order_id": "A-2"}], "next_page": None, "states": states}


@tool
async def read_terms(of: str) -> str:
    """Read the terms."""
    return f"Terms of {of}:\n{NOTE}"


@tool
async def list_rows(of: str) -> list[dict[str, Any]]:
    """List rows."""
    return [{"row": n, "words": {"some": ["one", "two"]}, "text": "x" * 100} for n in range(ROWS)]


@tool
async def quote_markup(of: str) -> str:
    """Return what a page must not run."""
    return MARKUP


@tool
async def refuse(of: str) -> str:
    """Fail."""
    raise ToolException("no such account")


refuse.handle_tool_error = True
TOOLS = [search_orders, read_terms, list_rows, quote_markup, refuse]


class Model(ScriptedChat):
    def _next(self, messages: list[BaseMessage]) -> AIMessage:
        at = max(n for n, each in enumerate(messages) if isinstance(each, HumanMessage))
        first, _, rest = messages[at].text.partition(" ")
        if any(isinstance(each, ToolMessage) for each in messages[at:]):
            return AIMessage("That is all.")
        if first == "search":
            arguments = {
                "customer": {"name": "Ada", "address": {"city": "London"}},
                "states": ["open", "late"],
            }
            return _calling("search_orders", **arguments, note=NOTE, folder=rest)
        names = {each.name for each in TOOLS}
        return _calling(first, of=rest) if first in names else AIMessage(f"You said: {messages[at].text}")

    async def _astream(
        self, messages: list[BaseMessage], *_: Any, **__: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        line = self._next(messages)
        if line.text:
            yield ChatGenerationChunk(message=AIMessageChunk(line.text))
        for call in line.tool_calls:
            text = json.dumps(call["args"])
            half = text.find("London") + len("London") if "London" in text else 0
            begun: Any = {"name": call["name"], "id": call["id"], "args": text[:half], "index": 0}
            yield ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=[begun]))
            await until_there(str(call["args"].get("folder", "")), "asked")
            rest: Any = {"name": None, "id": None, "args": text[half:], "index": 0}
            yield ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=[rest]))


def _calling(name: str, **arguments: Any) -> AIMessage:
    return AIMessage("Let me look.", tool_calls=[{"name": name, "args": arguments, "id": f"call-{name}"}])


graph = create_agent(Model(), TOOLS)
