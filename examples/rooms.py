"""Looks for a room, slowly, and books the cheapest one if it may.

Its tools are declared to the server, which accounts for every call; it runs without one as well.
"""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any, TypedDict

from detour.tools import Quote, Report, tool, use
from langgraph.graph import END, START, StateGraph

BOOKED: dict[str, str] = {}
"""What a hotel's own books would hold: a room for each booking."""


@tool(effect="read", fresh_s=300)
async def find_rooms(city: str) -> AsyncGenerator[dict[str, Any], None]:
    """Find rooms one by one."""
    for number, price in [(12, 140), (27, 95), (31, 120)]:
        await asyncio.sleep(0.5)
        yield {"room": f"{city} {number}", "price": price}


def quote_room(room: str, price: int) -> Quote:
    """Say what a booking would be."""
    facts = {"Room": room, "Total": f"{price} EUR", "Refund": "none"}
    return Quote({"room": room, "price": price}, f"Book {room} for {price} EUR?", facts)


def booking_of(call_id: str) -> str | None:
    """Look up what a booking came to."""
    return BOOKED.get(call_id)


@tool(effect="write", quote=quote_room, outcome=booking_of)
async def book_room(room: str, price: int, report: Report) -> str:
    """Book a room; the hotel takes a while to confirm."""
    BOOKED[report.call_id] = room
    await asyncio.sleep(1)
    return f"{room} is booked for {price} EUR"


class State(TypedDict):
    """What the graph is given, and what it answers."""

    message: str
    answer: str


async def book_cheapest(state: State) -> dict[str, str]:
    """Find rooms, and book the cheapest."""
    rooms = await use(find_rooms, city=state["message"])
    if not rooms.done:
        return {"answer": rooms.summary}
    cheapest = min(rooms.value, key=lambda room: room["price"])
    booking = await use(book_room, **cheapest)
    return {"answer": booking.summary if booking.done else f"Nothing is booked: {booking.outcome}."}


def graph():
    """Return the compiled graph."""
    builder = StateGraph(State)
    builder.add_node("agent", book_cheapest)
    builder.add_edge(START, "agent")
    builder.add_edge("agent", END)
    return builder.compile()
