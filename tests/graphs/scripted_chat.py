"""A chat model that says the lines of a script, word by word, and records its prompts."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import Field

Line = str | AIMessage


def calling(tool: str, call_id: str = "c1", text: str = "", **arguments: Any) -> AIMessage:
    """An answer that calls a tool."""
    return AIMessage(text, tool_calls=[{"name": tool, "args": arguments, "id": call_id}])


class ScriptedChat(BaseChatModel):
    """Says the next line at each call; `pause_s` before each piece, for ever before a piece "...".

    Refuses what providers refuse: a tool call without its result, or a result without its call. A subclass
    may decide by the conversation alone, as a real model does, in `_next`.
    """

    script: list[Line] = Field(default_factory=list)
    pause_s: float = 0
    given: list[list[BaseMessage]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_options: Any) -> "ScriptedChat":
        return self

    def _next(self, messages: list[BaseMessage]) -> AIMessage:
        check(messages)
        self.given.append(list(messages))
        line = self.script.pop(0)
        return line if isinstance(line, AIMessage) else AIMessage(line)

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._next(messages))])

    def _stream(self, messages: list[BaseMessage], *_: Any, **options: Any) -> Iterator[ChatGenerationChunk]:
        yield from pieces(self._next(messages))

    async def _astream(
        self, messages: list[BaseMessage], *_: Any, **options: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in pieces(self._next(messages)):
            if chunk.text == "...":
                await asyncio.get_running_loop().create_future()
            await asyncio.sleep(self.pause_s)
            yield chunk


def pieces(line: AIMessage) -> Iterator[ChatGenerationChunk]:
    """Return the words of an answer, then its tool calls, as a service streams them."""
    for word in re.findall(r"\S+\s*", line.text):
        yield ChatGenerationChunk(message=AIMessageChunk(word))
    for index, call in enumerate(line.tool_calls):
        chunk: Any = {"name": call["name"], "args": as_text(call["args"]), "id": call["id"], "index": index}
        yield ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=[chunk]))


def as_text(arguments: dict[str, Any]) -> str:
    return json.dumps(arguments)


def check(messages: Sequence[BaseMessage]) -> None:
    """Raise `ValueError` for a list that a provider refuses."""
    owed: set[str] = set()
    for message in messages:
        if isinstance(message, ToolMessage):
            if message.tool_call_id not in owed:
                raise ValueError(f"a result without its call: {message.tool_call_id}")
            owed.discard(message.tool_call_id)
            continue
        if owed:
            raise ValueError(f"calls without a result: {sorted(owed)}")
        if isinstance(message, AIMessage):
            # Clients of providers send the calls whose arguments could not be read as well.
            owed = {str(call["id"]) for call in (*message.tool_calls, *message.invalid_tool_calls)}
    if owed:
        raise ValueError(f"calls without a result: {sorted(owed)}")
