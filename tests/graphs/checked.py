"""A graph with something of everything that a check tells of."""

from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.store.memory import InMemoryStore

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
