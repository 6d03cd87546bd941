"""Looks for the sights of a city, slowly, and asks for how many days to plan."""

import asyncio
from typing import Any, TypedDict

from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt


class State(TypedDict, total=False):
    """What a run is given, and its answer."""

    message: str
    previous_context: dict[str, Any] | None
    answer: str


async def look(state: State) -> None:
    """Find sights one by one; each is shown as soon as it is written."""
    write = get_stream_writer()
    for sight in ("old town", "harbour", "market", "castle"):
        await asyncio.sleep(1)
        write({"sight": f"{state['message']}: {sight}"})


async def plan(state: State) -> State:
    """Ask the user for the days, and answer."""
    days = interrupt(f"How many days will you be in {state['message']}?")
    answer = f"Four sights of {state['message']} in {days} days."
    if before := state["previous_context"]:
        kept = [item["sight"] for item in before["partial_results"].get("look", [])]
        answer += f" Found before: {', '.join(kept) or 'nothing'}."
    return {"answer": answer}


builder = StateGraph(State)
builder.add_sequence([look, plan])
builder.add_edge(START, "look")
builder.add_edge("plan", END)
graph = builder.compile()
