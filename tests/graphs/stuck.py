"""Async nodes that keep the event loop blocked: until a test has seen what it waits for, or for ever."""

import asyncio
import threading
from collections.abc import Callable

from tests.graphs.building import State, chain

until: dict[str, Callable[[], bool]] = {}
"""By the message that blocks, what ends it; the message "for ever" blocks for ever."""


async def think(state: State) -> State:
    """Block as the message says, in a task of the node's own if it says so."""
    message = state["message"]
    await asyncio.gather(ponder(message)) if message.startswith("within") else block(message)
    if message == "wait, and go on":
        await asyncio.Event().wait()
    return {"answer": f"answered {message}"}


async def ponder(message: str) -> None:
    block(message)


def block(message: str) -> None:
    while message == "for ever" or (message in until and not until[message]()):
        threading.Event().wait(0.01)


graph = chain(think)
