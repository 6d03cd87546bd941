"""The graph that the storms run: it finds something ten times in a second, asks if told to, and replies."""

import asyncio
from typing import TypedDict

from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt


class State(TypedDict, total=False):
    """What was asked, and the reply."""

    message: str
    chosen: str
    reply: str


async def look(_state: State) -> State:
    """Find ten things, one each tenth of a second."""
    write = get_stream_writer()
    for number in range(10):
        await asyncio.sleep(0.1)
        write({"found": number})
    return {}


async def choose(state: State) -> State:
    """Ask which of them, if the message begins with `ask`."""
    return {"chosen": str(interrupt("Which one?")) if state["message"].startswith("ask") else ""}


async def tell(state: State) -> State:
    """Say what was asked and chosen."""
    return {"reply": f"Found ten things for: {state['message']}. {state['chosen']}"}


def make() -> StateGraph[State]:
    """Return the graph."""
    graph = StateGraph(State)
    graph.add_sequence([look, choose, tell])
    graph.add_edge(START, "look")
    graph.add_edge("tell", END)
    return graph


graph = make()
