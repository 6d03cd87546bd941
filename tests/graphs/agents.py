"""An agent as its users write it, behind a server process: an ordinary model, an ordinary blocking tool."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import tool

from tests.graphs.scripted_chat import calling, check, pieces

BOOKED, BEGUN, RELEASED = Path("booked.txt"), Path("begun"), Path("released")
"""In the folder of the server process: what was booked, a line each, and two named pipes.

The tool writes to the first as it begins, which waits for a reader; it ends once it has read from the second.
"""


@tool
def book_hotel(city: str) -> str:
    """Book a hotel; blocks its thread until it is released."""
    with BOOKED.open("a") as file:
        file.write(f"{city}\n")
    BEGUN.write_text(city)
    RELEASED.read_text()
    return f"a room in {city}"


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
            await asyncio.sleep(0)  # as for a model: not all of its words come in one step of the loop
            yield piece


graph = create_agent(Model(), [book_hotel])
