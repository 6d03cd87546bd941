"""Graphs that are steered, and what becomes of the messages."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any

from langchain_core.messages import ToolMessage
from langgraph.graph import END, START, MessagesState, StateGraph

from tests.contract.serving import hosting
from tests.graphs.scripted_chat import ScriptedChat
from tests.interruption.disk import DiskStore
from tests.interruption.parts import Parts, started

CARD = "and use the company card"


async def use_tools(state: Any) -> Any:
    """Takes a second for the calls of the last message."""
    await asyncio.sleep(1)
    calls: Any = state["messages"][-1]
    return {"messages": [ToolMessage("seen", tool_call_id=each["id"]) for each in calls.tool_calls]}


async def onwards(state: Any) -> str:
    last: Any = state["messages"][-1]
    return "tools" if getattr(last, "tool_calls", ()) else END


def speaking(chat: ScriptedChat) -> Any:
    """A node that asks the model."""

    async def speak(state: Any) -> Any:
        return {"messages": [await chat.ainvoke(state["messages"])]}

    return speak


def loop_of(chat: ScriptedChat, *, state: Any = MessagesState, **nodes: Any) -> Any:
    """A model that calls tools until it answers; a call takes a second, and a word 0.1."""
    builder = StateGraph(state)
    builder.add_node("agent", nodes.get("agent", speaking(chat)))
    builder.add_node("tools", nodes.get("tools", use_tools))
    builder.add_edge(START, "agent")
    builder.add_conditional_edges("agent", onwards, ["tools", END])
    builder.add_edge("tools", "agent")
    return builder.compile()


def row_of(**nodes: Any) -> Any:
    """Nodes one after the other."""
    builder = StateGraph(MessagesState)
    builder.add_sequence([*nodes.items()])
    builder.add_edge(START, next(iter(nodes)))
    return builder.compile()


def within(node: Any, **options: Any) -> Any:
    """A graph of one node, whose end is the end of the run."""
    builder = StateGraph(MessagesState)
    builder.add_node("assistant", node, **options)
    builder.add_node("bye", _nothing)
    builder.add_edge(START, "assistant")
    builder.add_conditional_edges("assistant", _to_the_end, ["bye", END])
    return builder.compile()


async def _nothing(state: MessagesState) -> Any:
    return {}


async def _to_the_end(state: MessagesState) -> str:
    return END


def chat_of(*script: Any) -> ScriptedChat:
    return ScriptedChat(script=list(script), pause_s=0.1)


def asked(chat: ScriptedChat) -> list[list[tuple[str, str]]]:
    """Return the prompts of the model, call by call."""
    return [[(each.type, each.text) for each in messages] for messages in chat.given]


def humans(chat: ScriptedChat) -> list[list[str]]:
    """Return the user's messages in each prompt of the model."""
    return [[text for kind, text in messages if kind == "human"] for messages in asked(chat)]


async def fates(parts: Parts) -> list[tuple[str, str, str]]:
    """Return the events of steered messages: text, fate, and the task in whose run it is."""
    events = await parts.events()
    return [(each["text"], each["steer"], each["task_id"]) for each in events if each["type"] == "steer"]


async def outcomes(parts: Parts) -> list[str]:
    """Return the fates of steered messages."""
    return [fate for _, fate, _ in await fates(parts)]


async def steer(parts: Parts, text: str = CARD, **more: Any) -> Any:
    return await parts.runner.handle_user_message("ann", text, policy="steer", **more)


async def seconds(of: float) -> None:
    await asyncio.sleep(of)


@contextlib.asynccontextmanager
async def killed(
    graph: Any,
    dies_after: float,
    *texts: str,
    steered_after: float = 0.5,
    then: Callable[[], Any] = lambda: None,
) -> AsyncIterator[Parts]:
    """Kill a server whose run was steered with these texts, and yield the next one once it is quiet."""
    store = DiskStore()
    first = Parts(store, workflow=hosting(graph))
    await first.open()
    await first.post("book it")
    await seconds(steered_after)
    for text in texts or (CARD,):
        await steer(first, text)
    await seconds(dies_after)
    store.lose_process()
    await first.die()
    then()
    async with started(Parts(store, workflow=hosting(graph), new_id=new_ids())) as second:
        await second.quiet()
        yield second


def new_ids() -> Callable[[], str]:
    """Return ids that no earlier server has given."""
    return iter(f"u{number:04}" for number in range(1, 99)).__next__
