"""LangChain's agent with its own middleware for approvals, and a model that books once and then says so."""

from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.tools import tool

from tests.graphs.scripted_chat import ScriptedChat, calling


class Booker(ScriptedChat):
    """Says by its messages alone what comes next: in another process, too."""

    def _next(self, messages: list[BaseMessage]) -> AIMessage:
        last = messages[-1]
        if isinstance(last, ToolMessage):
            return AIMessage(f"The tool said: {last.content}")
        return calling("book", hotel="Adler")


@tool
async def book(hotel: str) -> str:
    """Book a hotel."""
    return f"booked {hotel}"


def graph() -> Any:
    middleware = HumanInTheLoopMiddleware({"book": True}, edit_notice=None)
    return create_agent(Booker(script=[]), [book], middleware=[middleware])
