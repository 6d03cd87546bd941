"""The one graph that all servers are measured with. It imports LangGraph alone.

A message runs three nodes side by side: `writer` streams a piece of text every 50 ms, `fast` finds something
after 100 ms, `slow` would take 4 s. A message that begins with "book" runs `booking` alone, which takes 1 s.
Every piece holds the message and a "#", so that a client knows which run an event comes from.

With `PEERS_LOG` set, a line tells when each node's code began and how it left: `ended` or `cut`. The clock is
`time.monotonic()`, which on Linux is one clock for all processes.
"""

import asyncio
import contextlib
import json
import operator
import os
import time
from collections.abc import Generator
from pathlib import Path
from typing import Annotated, Any, TypedDict

from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph

PIECE_S, PIECES = 0.05, 80
FAST_S, SLOW_S, BOOKING_S = 0.1, 4.0, 1.0


class State(TypedDict, total=False):
    message: str
    previous_context: dict[str, Any] | None
    found: Annotated[list[str], operator.add]
    text: Annotated[str, operator.add]
    answer: str


def note(what: str, node: str, message: str, **more: object) -> None:
    if path := os.environ.get("PEERS_LOG"):
        line = json.dumps({"at": time.monotonic(), "what": what, "node": node, "message": message, **more})
        with Path(path).open("a") as log:
            log.write(line + "\n")


@contextlib.contextmanager
def noted(node: str, message: str) -> Generator[None]:
    left = "cut"
    note("began", node, message)
    try:
        yield
        left = "ended"
    finally:
        note(left, node, message)


async def writer(state: State) -> dict[str, Any]:
    message, write = state["message"], get_stream_writer()
    before = state.get("previous_context")
    note("got", "writer", message, found=state.get("found"), text=state.get("text"), before=before)
    pieces: list[str] = []
    with noted("writer", message):
        for nth in range(PIECES):
            pieces.append(f"{message}#{nth} ")
            write({"text": pieces[-1]})
            await asyncio.sleep(PIECE_S)
    return {"text": "".join(pieces)}


async def search(state: State, *, node: str, seconds: float) -> dict[str, Any]:
    message, write = state["message"], get_stream_writer()
    with noted(node, message):
        await asyncio.sleep(seconds)
        write({"found": f"{message}#{node}"})
    return {"found": [f"{message}#{node}"]}


async def fast(state: State) -> dict[str, Any]:
    return await search(state, node="fast", seconds=FAST_S)


async def slow(state: State) -> dict[str, Any]:
    return await search(state, node="slow", seconds=SLOW_S)


async def booking(state: State) -> dict[str, Any]:
    with noted("booking", state["message"]):
        await asyncio.sleep(BOOKING_S)
        note("booked", "booking", state["message"])
    return {"answer": "booked"}


async def answer(state: State) -> dict[str, Any]:
    return {"answer": f"{state['message']} is done"}


def route(state: State) -> list[str]:
    return ["booking"] if state["message"].startswith("book") else ["writer", "fast", "slow"]


builder = StateGraph(State)
for each in (writer, fast, slow, booking, answer):
    builder.add_node(each.__name__, each)
builder.add_conditional_edges(START, route, ["writer", "fast", "slow", "booking"])
builder.add_edge(["writer", "fast", "slow"], "answer")
builder.add_edge("booking", END)
builder.add_edge("answer", END)
graph = builder.compile()
