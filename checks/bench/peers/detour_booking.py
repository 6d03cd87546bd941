"""The booking of graph.py as a tool that is declared to Detour, which asks before it runs it."""

import asyncio
from typing import Any

from langgraph.graph import END, START, StateGraph

from backend.graphs.hosted_tools import Quote, Report, tool, use
from checks.bench.peers.graph import BOOKING_S, State, note, noted


def quote(room: str) -> Quote:
    return Quote({"room": room}, f"Book {room}?", {"Room": room})


def outcome(call_id: str) -> str | None:
    return None


@tool(effect="write", quote=quote, outcome=outcome)
async def book(room: str, report: Report) -> str:
    """Book a room."""
    with noted("booking", room):
        await asyncio.sleep(BOOKING_S)
        note("booked", "booking", room)
    return f"{room} is booked"


async def agent(state: State) -> dict[str, Any]:
    if not state["message"].startswith("book"):
        return {"answer": "nothing to book"}
    return {"answer": (await use(book, room=state["message"])).summary}


builder = StateGraph(State)
builder.add_node("agent", agent)
builder.add_edge(START, "agent")
builder.add_edge("agent", END)
graph = builder.compile()
