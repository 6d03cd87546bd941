"""Calls the tools of an MCP server: a call is cancelled with its run, at the server as well.

`pip install mcp`, then `detour serve examples.mcp_tools:graph`.
"""

import sys
from pathlib import Path
from typing import Any

from langchain_core.tools import StructuredTool
from langgraph.config import get_stream_writer
from langgraph.graph import START, MessagesState, StateGraph
from mcp import Client, StdioServerParameters
from mcp_types import Tool

LIBRARY = StdioServerParameters(command=sys.executable, args=[str(Path(__file__).with_name("mcp_server.py"))])


def as_langchain(client: Client, tool: Tool) -> StructuredTool:
    """Return a tool of an MCP server as LangChain has tools; its progress is a partial result."""
    write = get_stream_writer()

    async def note(_progress: float, _total: float | None, message: str | None) -> None:
        if message is not None:
            write({"found": message})

    async def call(**arguments: Any) -> str:
        result = await client.call_tool(tool.name, arguments, progress_callback=note)
        return "\n".join(block.text for block in result.content if block.type == "text")

    return StructuredTool.from_function(
        coroutine=call, name=tool.name, description=tool.description or "", args_schema=tool.input_schema
    )


def graph_of(server: StdioServerParameters | str) -> Any:
    """Return a graph that looks for books at an MCP server; `create_agent` takes the same tools."""

    async def look(state: MessagesState) -> dict[str, Any]:
        async with Client(server) as client:
            tools = {each.name: as_langchain(client, each) for each in (await client.list_tools()).tools}
            found = await tools["find_books"].ainvoke({"subject": state["messages"][-1].text})
        return {"messages": [("ai", found)]}

    return StateGraph(MessagesState).add_node("look", look).add_edge(START, "look").compile()


graph = graph_of(LIBRARY)
