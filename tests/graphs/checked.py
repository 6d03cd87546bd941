"""A graph with something of everything that a check reports."""

from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.cache.memory import InMemoryCache
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.store.memory import InMemoryStore
from langgraph.types import CachePolicy

from tests.graphs.building import Graph


class State(MessagesState):
    topic: str
    user_id: str


class Asked(MessagesState):
    topic: str
    user_id: str


@tool
def book(hotel: str) -> str:
    """Book a hotel."""
    return hotel


@tool
async def search(city: str) -> str:
    """Search a city."""
    return city


async def answer(state: State) -> dict[str, Any]:
    return {"messages": [AIMessage("done")]}


def block(state: State) -> dict[str, Any]:
    return {}


def make(*, checkpointer: Any, **stops: Any) -> Graph:
    inner = (
        StateGraph(State)
        .add_node("block", block)
        .add_node("tools", ToolNode([book, search]))
        .add_edge(START, "block")
        .add_edge("block", "tools")
        .compile(interrupt_after=["block"])
    )
    return (
        StateGraph(State, input_schema=Asked)
        .add_node("inner", inner)
        .add_node("answer", answer)
        .add_edge(START, "inner")
        .add_edge("inner", "answer")
        .add_edge("answer", END)
        .compile(checkpointer=checkpointer, store=InMemoryStore(), **stops)
    )


def everything() -> Graph:
    return make(checkpointer=InMemorySaver(), interrupt_before=["answer"])


unasked = make(checkpointer=False, interrupt_before="*")


def _cached(**nodes: Any) -> Any:
    """Return a graph whose nodes are cached, but for those that are graphs."""
    builder = StateGraph(MessagesState)
    for name, node in nodes.items():
        builder.add_node(name, node, cache_policy=CachePolicy() if callable(node) else None)
        builder.add_edge(START, name)
    return builder


class _OfUser(MessagesState):
    user_id: str


async def _answered(_state: MessagesState) -> dict[str, Any]:
    return {}


async def _answered_to(_state: _OfUser) -> dict[str, Any]:
    return {}


cached = (
    _cached(forecast=_answered, trip=_cached(plan=_answered).compile())
    .add_node("own", _answered_to, input_schema=_OfUser, cache_policy=CachePolicy())
    .add_edge(START, "own")
    .compile(cache=InMemoryCache())
)
"""Of its three cached nodes, one is given the user's id."""
