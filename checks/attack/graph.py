"""The graph behind the attacked server: it finds something, says long things, and books."""

import asyncio
import os
from pathlib import Path
from typing import TypedDict

from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph

from backend.graphs.hosted_tools import Quote, Report, tool, use

BOOKINGS = Path("bookings.txt")
"""A line for each booking that was made, with the id of its call, as a provider would keep it."""


class State(TypedDict):
    """What was asked, and the reply."""

    message: str
    reply: str


def quote_seat(name: str) -> Quote:
    """Say what a seat would cost."""
    return Quote({"name": name}, "Book a seat for 10 EUR?", {"What": "A seat", "Total": "10 EUR"})


def seat_of(call_id: str) -> str | None:
    """Look up whether a call has booked a seat."""
    if not BOOKINGS.exists():
        return None
    return "booked" if call_id in (line.split()[0] for line in BOOKINGS.read_text().splitlines()) else None


def _note(call_id: str, name: str) -> None:
    with BOOKINGS.open("a") as made:
        made.write(f"{call_id} {name}\n")
        made.flush()
        os.fsync(made.fileno())


@tool(effect="write", quote=quote_seat, outcome=seat_of)
async def book_seat(name: str, report: Report) -> str:
    """Book a seat, and take a while to confirm it."""
    await asyncio.sleep(0.02)
    _note(report.call_id, name)
    await asyncio.sleep(0.1)
    return "A seat is booked."


async def work(state: State) -> dict[str, str]:
    """Do what the message says: `long 1000000`, `book 1`, or find a few things."""
    message = state["message"]
    if message.startswith("long "):
        return {"reply": "x" * int(message.split()[1])}
    if message.startswith("book "):
        booked = await use(book_seat, name=message)
        return {"reply": booked.summary if booked.done else "Nothing is booked."}
    write = get_stream_writer()
    for number in range(3):
        await asyncio.sleep(0.02)
        write({"found": number})
    return {"reply": f"Found three things for: {message}"}


graph = StateGraph(State).add_node("work", work).add_edge(START, "work").add_edge("work", END).compile()
