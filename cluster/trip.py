"""The graph that the storms run: it finds something ten times in a second, and says what it was asked."""

import asyncio
from typing import TypedDict

from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph


class State(TypedDict, total=False):
    """What was asked, and the reply."""

    message: str
    reply: str


async def look(state: State) -> State:
    """Find ten things, one each tenth of a second."""
    write = get_stream_writer()
    for number in range(10):
        await asyncio.sleep(0.1)
        write({"found": number})
    return {"reply": f"Found ten things for: {state['message']}"}


def make() -> StateGraph[State]:
    """Return the graph."""
    graph = StateGraph(State)
    graph.add_node("look", look)
    graph.add_edge(START, "look")
    graph.add_edge("look", END)
    return graph


graph = make()
