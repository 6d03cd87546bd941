"""The graph that `checks.cluster.takeover` runs: it tells the moment at which it begins, and waits."""

import asyncio
import os
import socket
import time
from typing import TypedDict

from langgraph.graph import END, START, StateGraph

TOLD_TO = "CLUSTER_TOLD_TO"
"""The environment variable that names the port of this machine to tell it to."""


class State(TypedDict, total=False):
    """What was asked."""

    message: str


async def wait(state: State) -> State:
    """Tell when this begins, and where; then wait until interrupted."""
    # UDP: a Unix socket would hold the replica up while ten of them are not read.
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as teller:
        told = f"{os.getpid()} {time.monotonic()} {state['message']}"
        teller.sendto(told.encode(), ("127.0.0.1", int(os.environ[TOLD_TO])))
    await asyncio.sleep(3600)
    return {}


def make() -> StateGraph[State]:
    """Return the graph."""
    graph = StateGraph(State)
    graph.add_node("wait", wait)
    graph.add_edge(START, "wait")
    graph.add_edge("wait", END)
    return graph


graph = make()
