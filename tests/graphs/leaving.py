"""A graph whose node ends the process for the message "leave"."""

import sys
from typing import Any

from langchain_core.messages import AIMessage
from langgraph.graph import END, START, MessagesState, StateGraph


async def work(state: MessagesState) -> dict[str, Any]:
    if state["messages"][-1].text == "leave":
        sys.exit(3)
    return {"messages": [AIMessage("still here")]}


def graph() -> Any:
    builder = StateGraph(MessagesState)
    builder.add_node("work", work)
    builder.add_edge(START, "work")
    builder.add_edge("work", END)
    return builder.compile()
