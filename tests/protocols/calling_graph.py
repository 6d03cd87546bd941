"""An agent that streams, calls tools, asks before it buys and sees images: what chat pages are built for.

`team` is a graph with that agent as its only node, `chief` an agent that calls it by a tool.
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
from langgraph.types import interrupt

SLOW_S = 0.05
"""Seconds between two words of a slow reply: `slow 40` gets 40 of them."""


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


@tool
async def ask(question: str) -> str:
    """Ask the user a question."""
    return f"the user says {interrupt(question)}"


ARGUMENTS = {"weather": "city", "buy": "thing", "ask": "question", "delegate": "work"}


class _Model(BaseChatModel):
    """Calls the tool that its user names, `weather Rome` or `buy a map`, and then says what it came to.

    Else it says what it was sent: text, and the kinds of images and files.
    """

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
        if verb == "slow":
            return AIMessage(" ".join(f"word{number}" for number in range(int(rest))))
        if verb not in ARGUMENTS:
            return AIMessage(f"You said: {' '.join(_told(block) for block in last.content_blocks)}")
        call = {"name": verb, "args": {ARGUMENTS[verb]: rest}, "id": f"call-{len(messages)}"}
        return AIMessage("Let me see.", tool_calls=[call])

    def _generate(self, messages: list[BaseMessage], *_args: Any, **_kwargs: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._answer(messages))])

    async def _astream(
        self, messages: list[BaseMessage], *_args: Any, **_kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        answer = self._answer(messages)
        for word in str(answer.text).split(" "):
            await anyio.sleep(SLOW_S if word.startswith("word") else 0)
            yield ChatGenerationChunk(message=AIMessageChunk(f"{word} "))
        for call in answer.tool_calls:
            text = json.dumps(call["args"])
            begun: Any = {"name": call["name"], "id": call["id"], "args": "", "index": 0}
            yield ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=[begun]))
            for at in range(0, len(text), 5):
                piece: Any = {"name": None, "id": None, "args": text[at : at + 5], "index": 0}
                yield ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=[piece]))


def _told(block: Any) -> str:
    return block["text"] if block["type"] == "text" else f"[{block['type']} {block.get('mime_type', '')}]"


graph = create_agent(
    _Model(), [weather, buy, ask], middleware=[HumanInTheLoopMiddleware(interrupt_on={"buy": True})]
)

_builder = StateGraph(MessagesState)
_builder.add_node("agent", graph)
_builder.add_edge(START, "agent")
_builder.add_edge("agent", END)
team = _builder.compile()


@tool
async def delegate(work: str) -> str:
    """Have the other agent do some work."""
    said = await graph.ainvoke({"messages": [{"role": "user", "content": work}]})
    return said["messages"][-1].text


chief = create_agent(_Model(), [delegate])
