"""Graphs that each call a paying tool in another way, behind a server process that is killed meanwhile."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph

from tests.graphs.scripted_chat import ScriptedChat, calling

PAID, BEGUN, RELEASED = Path("paid.txt"), Path("begun"), Path("released")
"""In the folder of the server process, as those of `agents`."""

GIVEN = {"city": "Rome"}


@tool
def pay(city: str) -> str:
    """Pay for a room; blocks its thread until it is released."""
    with PAID.open("a") as file:
        file.write(f"{city}\n")
    BEGUN.write_text(city)
    RELEASED.read_text()
    return f"paid {city}"


@tool
async def pay_async(city: str) -> str:
    """Pay for a room; waits until it is released."""
    return await asyncio.to_thread(pay.func, city)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


def ask_agent() -> str:
    agent = create_agent(ScriptedChat(script=[calling("pay", **GIVEN), "It is paid."]), [pay])
    return agent.invoke({"messages": [("user", "Pay")]})["messages"][-1].text


async def by_agent(_state: MessagesState) -> dict[str, Any]:
    return {"messages": [AIMessage(ask_agent())]}


async def by_invoke(_state: MessagesState) -> dict[str, Any]:
    return {"messages": [AIMessage(pay.invoke(GIVEN))]}


async def by_ainvoke(_state: MessagesState) -> dict[str, Any]:
    return {"messages": [AIMessage(await pay_async.ainvoke(GIVEN))]}


def by_plain_invoke(_state: MessagesState) -> dict[str, Any]:
    return {"messages": [AIMessage(pay.invoke(GIVEN))]}


def by_pool(_state: MessagesState) -> dict[str, Any]:
    with ThreadPoolExecutor() as pool:
        return {"messages": [AIMessage(pool.submit(pay.invoke, GIVEN).result())]}


def served(node: Callable[..., Any]) -> Any:
    return StateGraph(MessagesState).add_node("node", node).add_edge(START, "node").compile()


agent, invoke, ainvoke = served(by_agent), served(by_invoke), served(by_ainvoke)
plain, pool = served(by_plain_invoke), served(by_pool)
