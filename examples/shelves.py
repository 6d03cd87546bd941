"""Books and films about anything, from two shelves that are looked through slowly.

An ordinary LangGraph graph: it imports nothing of the server that runs it.
"""

import asyncio
import operator
from typing import Annotated, Any, TypedDict

from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph

SECONDS_A_TITLE = 0.5


class State(TypedDict):
    """What the graph is given (`message`, `previous_context`), and what its nodes add."""

    message: str
    previous_context: dict[str, Any] | None
    titles: Annotated[list[str], operator.add]
    answer: str


async def look_through(titles: list[str], topic: str) -> list[str]:
    """Find titles one by one, and show each as soon as it is found."""
    write = get_stream_writer()
    found: list[str] = []
    for title in titles:
        await asyncio.sleep(SECONDS_A_TITLE)
        found.append(title.format(topic))
        write({"title": found[-1]})
    return found


async def books(state: State) -> dict[str, Any]:
    """Look through the books."""
    titles = ["A short history of {}", "{} for everyone", "The last days of {}"]
    return {"titles": await look_through(titles, state["message"])}


async def films(state: State) -> dict[str, Any]:
    """Look through the films."""
    return {"titles": await look_through(["{}: the film", "Return to {}"], state["message"])}


async def sum_up(state: State) -> dict[str, Any]:
    """Answer, and tell what had been found before the user changed their mind."""
    answer = f"{len(state['titles'])} titles about {state['message']}."
    before = state["previous_context"]
    if before is not None:
        count = sum(len(items) for items in before["partial_results"].values())
        answer += f" I had found {count} about {before['message']} before."
    return {"answer": answer}


builder = StateGraph(State)
builder.add_node("books", books)
builder.add_node("films", films)
builder.add_node("sum_up", sum_up)
builder.add_edge(START, "books")
builder.add_edge(START, "films")
builder.add_edge(["books", "films"], "sum_up")
builder.add_edge("sum_up", END)
# Each message begins anew: what an earlier one has found is in `previous_context`.
graph = builder.compile(checkpointer=False)
