"""An agent that streams, calls a tool, and asks before it buys: what pages of chat products are built for.

`team` is a graph with that agent as its only node.
"""

import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import anyio
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import tool
from langgraph.graph import END, START, MessagesState, StateGraph


@tool
async def weather(city: str) -> str:
    """Look up the weather of a city; of a path, once a file is there."""
    while "/" in city and not await anyio.Path(city).exists():  # noqa: ASYNC110
        await anyio.sleep(0.01)
    return f"Sunny in {Path(city).name}"


@tool
async def buy(thing: str) -> str:
    """Buy a thing."""
    return f"bought {thing}"


class _Model(BaseChatModel):
    """Calls the tool that its user names, `weather Rome` or `buy a map`, and then says what it came to."""

    @property
    def _llm_type(self) -> str:
        return "calling"

    def bind_tools(self, tools: Sequence[Any], **_kwargs: Any) -> Any:
        return self

    def _answer(self, messages: list[BaseMessage]) -> AIMessage:
        last = messages[-1]
        if last.type == "tool":
            return AIMessage(f"It says: {last.content}")
        verb, _, rest = str(last.text).partition(" ")
        if verb not in {"weather", "buy"}:
            return AIMessage(f"You said: {last.text}")
        arguments = {"city" if verb == "weather" else "thing": rest}
        return AIMessage(
            "Let me see.", tool_calls=[{"name": verb, "args": arguments, "id": f"call-{len(messages)}"}]
        )

    def _generate(self, messages: list[BaseMessage], *_args: Any, **_kwargs: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._answer(messages))])

    async def _astream(
        self, messages: list[BaseMessage], *_args: Any, **_kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        answer = self._answer(messages)
        for word in str(answer.text).split(" "):
            yield ChatGenerationChunk(message=AIMessageChunk(f"{word} "))
        for call in answer.tool_calls:
            text = json.dumps(call["args"])
            begun: Any = {"name": call["name"], "id": call["id"], "args": "", "index": 0}
            yield ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=[begun]))
            for at in range(0, len(text), 5):
                piece: Any = {"name": None, "id": None, "args": text[at : at + 5], "index": 0}
                yield ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=[piece]))


graph = create_agent(
    _Model(), [weather, buy], middleware=[HumanInTheLoopMiddleware(interrupt_on={"buy": True})]
)

_builder = StateGraph(MessagesState)
_builder.add_node("agent", graph)
_builder.add_edge(START, "agent")
_builder.add_edge("agent", END)
team = _builder.compile()
