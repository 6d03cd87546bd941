"""An agent of `create_agent`: its model calls a tool that waits until it may go on, or asks; then it answers.

What the model answers is what its user has said, so that each test sees what it has read, and where.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.types import interrupt


@tool
async def look(until: str) -> str:
    """Look around until a file is there."""
    while not await anyio.Path(until).exists():  # noqa: ASYNC110
        await anyio.sleep(0.01)
    return "seen"


@tool
async def ask(until: str) -> str:
    """Ask the user once a file is there."""
    while not await anyio.Path(until).exists():  # noqa: ASYNC110
        await anyio.sleep(0.01)
    return str(interrupt({"question": "Which card?"}))


class _Model(BaseChatModel):
    @property
    def _llm_type(self) -> str:
        return "looping"

    def bind_tools(self, tools: Sequence[Any], **_kwargs: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *_args: Any, **_kwargs: Any) -> ChatResult:
        said = [str(each.content) for each in messages if each.type == "human"]
        last = messages[-1]
        verb, _, until = said[-1].partition(" ")
        if last.type == "human" and verb in {"look", "ask"}:
            call = {"name": verb, "args": {"until": until}, "id": f"call-{len(messages)}"}
            answer = AIMessage("", tool_calls=[call])
        else:
            plain = [Path(each).name if "/" in each else each for each in said]
            answer = AIMessage(f"Read: {' | '.join(plain)}")
        return ChatResult(generations=[ChatGeneration(message=answer)])


graph = create_agent(_Model(), [look, ask])
