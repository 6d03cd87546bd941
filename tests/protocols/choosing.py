"""A graph that says what it has heard; it never chooses its first node for a message that says "wait"."""

import asyncio
from typing import Any

from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph

CHOOSING = f"{__name__}:graph"


async def _first(state: MessagesState) -> str:
    if state["messages"][-1].text.startswith("wait"):
        await asyncio.get_running_loop().create_future()
    return "agent"


async def _agent(state: MessagesState) -> Any:
    heard = [each.text for each in state["messages"] if each.type == "human"]
    return {"messages": [AIMessage(" / ".join(heard))]}


_builder = StateGraph(MessagesState)
_builder.add_node("agent", _agent)
_builder.add_conditional_edges(START, _first, ["agent"])
graph = _builder.compile()
