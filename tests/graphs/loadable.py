"""What `DETOUR_GRAPH` may lead to: graphs, what makes them, and what is neither."""

import asyncio
import contextlib
import threading
from dataclasses import dataclass, field
from typing import Any

from langgraph.config import get_stream_writer
from langgraph.graph import START, StateGraph
from langgraph.pregel.remote import RemoteGraph
from typing_extensions import TypedDict

from tests.graphs.building import Graph, State, chain


async def greet(state: State) -> State:
    return {"answer": f"Hello to {state['message']}"}


def block(state: State) -> State:
    get_stream_writer()({"agent": "blocker", "items": [1]})
    threading.Event().wait()
    return {}


async def go_on(state: State) -> State:
    for _ in range(3):
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
    return {}


graph = chain(greet)
stubborn = chain(go_on)
blocking = chain(block)
number = 7
uncompiled = StateGraph(State).add_node(greet).add_edge(START, "greet")


def build() -> Graph:
    return chain(greet)


def build_from(settings: dict[str, Any], number: int) -> Graph:
    return chain(greet)


def build_nothing() -> None:
    return None


def build_in_vain() -> Graph:
    raise KeyError("MODEL_KEY")


remote = RemoteGraph("agent", url="http://127.0.0.1:1")


@dataclass
class Defaults:
    tone: str = "kind"
    notes: list[str] = field(default_factory=list[str])


class LenientDict(TypedDict, total=False):
    database: str


def with_defaults() -> Graph:
    return chain(greet, schemas={"context_schema": Defaults})


def with_lenient_dict() -> Graph:
    return chain(greet, schemas={"context_schema": LenientDict})
