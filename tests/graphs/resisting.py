"""Ordinary agents with the default client of a provider, whose code does what a server has to live with.

The client finds its provider by its own variable, `OPENAI_BASE_URL`.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.graph import MessagesState
from pydantic import SecretStr

from tests.graphs.building import chain

LEFT = "Tell me something nobody asked for."
KEY = SecretStr("none")
model = ChatOpenAI(model="m", api_key=KEY)
left: set["asyncio.Task[Any]"] = set()


async def leave(state: MessagesState) -> dict[str, Any]:
    """Start a task that asks the model, and do not wait for it."""
    left.add(asyncio.get_running_loop().create_task(model.ainvoke(LEFT)))
    return {"messages": [await model.ainvoke(state["messages"])]}


leaves = chain(leave, state=MessagesState)


@tool
async def cancels_itself() -> str:
    """Look something up."""
    raise asyncio.CancelledError


@tool
def cancels_in_a_thread() -> str:
    """Look something up."""
    raise asyncio.CancelledError


cancelling = create_agent(model, [cancels_itself, cancels_in_a_thread])


class WithoutAsync(ChatOpenAI):
    """A client that has no coroutines of its own: LangChain calls it in threads."""

    _astream = BaseChatModel._astream
    _agenerate = BaseChatModel._agenerate


class Uncancelled(ChatOpenAI):
    """A client that loses every cancellation."""

    async def _astream(
        self, messages: list[BaseMessage], *_args: Any, **_options: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        pieces = self._stream(messages)
        while (piece := await _to_its_end(lambda: next(pieces, None))) is not None:
            yield piece

    async def _agenerate(self, messages: list[BaseMessage], *_args: Any, **_options: Any) -> ChatResult:
        return await _to_its_end(lambda: self._generate(messages))


async def _to_its_end(work: Any) -> Any:
    working = asyncio.get_running_loop().run_in_executor(None, work)
    while not working.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait([working])
    return working.result()


without_async = create_agent(WithoutAsync(model="m", api_key=KEY))
uncancelled = create_agent(Uncancelled(model="m", api_key=KEY))
uncancelled_whole = create_agent(Uncancelled(model="m", api_key=KEY, disable_streaming=True))
