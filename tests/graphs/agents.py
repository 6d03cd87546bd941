"""An agent as its users write it, behind a server process: an ordinary model, an ordinary blocking tool."""

import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import tool

from tests.graphs.scripted_chat import calling, check, pieces

LONGEST_WAIT_S = 30
BOOKED, RELEASED = Path("booked.txt"), Path("released")
"""In the folder of the server process: what was booked, a line each, and whether the tool may end."""


@tool
def book_hotel(city: str) -> str:
    """Book a hotel. Blocks its thread until it is released."""
    with BOOKED.open("a") as file:
        file.write(f"{city}\n")
    for _ in range(LONGEST_WAIT_S * 100):
        if RELEASED.exists():
            return f"a room in {city}"
        time.sleep(0.01)
    return "nothing"


class Model(BaseChatModel):
    """Books where it is asked to, repeats what a tool has told it, and else what was said first."""

    @property
    def _llm_type(self) -> str:
        return "rules"

    def bind_tools(self, tools: Any, **_options: Any) -> "Model":
        return self

    def _answer(self, messages: list[BaseMessage]) -> AIMessage:
        check(messages)
        last = messages[-1]
        if isinstance(last, ToolMessage):
            return AIMessage(f"The hotel: {last.text}")
        if last.text.startswith("Book "):
            return calling("book_hotel", call_id=f"call-{len(messages)}", city=last.text.split()[1])
        told = [each.text for each in messages if isinstance(each, ToolMessage)]
        first = next(each.text for each in messages if isinstance(each, HumanMessage))
        return AIMessage(f"First you said: {first} The hotel told me: {told}")

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._answer(messages))])

    async def _astream(
        self, messages: list[BaseMessage], *_: Any, **__: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        for piece in pieces(self._answer(messages)):
            yield piece


graph = create_agent(Model(), [book_hotel])
