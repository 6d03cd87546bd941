"""The graphs that every server is measured with, so that the code of the nodes is the same for all.

`quick` answers at once (throughput), `waiting` works until it is interrupted (superseding, memory), `chatty`
writes many items (fan-out). They import no server. Each takes `message` and `user_id` and leaves `answer`.
They are compiled as users compile theirs, by a plain `compile()`: whoever serves them may keep a thread.
`talking` is an ordinary chat graph, whose one node only awaits a model that streams (tokens).

With `BENCH_ENDED_AT=host:port` set, a worker of `waiting` sends a datagram when its code has ended: its
message, a space, and `time.perf_counter()`, which on Linux is one clock for all processes.
"""

import asyncio
import operator
import os
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Annotated, Any, TypedDict

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph

ITEMS_PER_WORKER = 5
WAIT_S = 3600.0
WAITING_WORKERS = 2

Item = dict[str, Any]


class BenchState(TypedDict):
    message: str
    user_id: str
    agents: list[str]
    found: Annotated[list[Item], operator.add]
    answer: str


Update = dict[str, Any]
Node = Callable[[BenchState], Awaitable[Update]]


def item(*, agent: str, nth: int) -> Item:
    """One partial result, about as long as a flight offer in short form."""
    return {"agent": agent, "nth": nth, "title": f"{agent} {nth}", "price": "612.40", "currency": "EUR"}


def write_items(agent: str) -> list[Item]:
    write = get_stream_writer()
    items = [item(agent=agent, nth=nth) for nth in range(ITEMS_PER_WORKER)]
    for each in items:
        write(each)
    return items


async def route(state: BenchState) -> Update:
    return {"agents": ["flight", "hotel"]}


async def chosen_agents(state: BenchState) -> list[str]:
    """Which workers come next; async, since LangGraph runs a sync function in a thread."""
    return state["agents"]


async def assemble(state: BenchState) -> Update:
    return {"answer": f"{len(state['found'])} found for {state['message']}"}


def quick_worker(agent: str) -> Node:
    async def search(state: BenchState) -> Update:
        return {"found": write_items(agent)}

    return search


def waiting_worker(agent: str) -> Node:
    async def search(state: BenchState) -> Update:
        try:
            items = write_items(agent)
            await asyncio.sleep(WAIT_S)
            return {"found": items}
        finally:
            record_end(state["message"])

    return search


def two_workers(worker: Callable[[str], Node]) -> CompiledStateGraph[Any, Any, Any, Any]:
    builder = StateGraph(BenchState)
    builder.add_node("router", route)
    builder.add_node("flight", worker("flight"))
    builder.add_node("hotel", worker("hotel"))
    builder.add_node("assembler", assemble)
    builder.add_edge(START, "router")
    builder.add_conditional_edges("router", chosen_agents, ["flight", "hotel"])
    builder.add_edge(["flight", "hotel"], "assembler")
    builder.add_edge("assembler", END)
    return builder.compile()


async def chatter(state: BenchState) -> Update:
    """Write as many items as the message's last word says, letting the event loop run after each."""
    write = get_stream_writer()
    count = int(state["message"].rsplit(" ", 1)[1])
    for nth in range(count):
        write(item(agent="flight", nth=nth))
        await asyncio.sleep(0)
    return {"answer": f"{count} written"}


def quick() -> CompiledStateGraph[Any, Any, Any, Any]:
    return two_workers(quick_worker)


def waiting() -> CompiledStateGraph[Any, Any, Any, Any]:
    return two_workers(waiting_worker)


def chatty() -> CompiledStateGraph[Any, Any, Any, Any]:
    builder = StateGraph(BenchState)
    builder.add_node("flight", chatter)
    builder.add_edge(START, "flight")
    builder.add_edge("flight", END)
    return builder.compile()


class Talker(BaseChatModel):
    """A model that streams `tokens` of `period_s` each; a token is the moment at which it left the model."""

    tokens: int
    period_s: float

    @property
    def _llm_type(self) -> str:
        return "talker"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage("not streamed"))])

    async def _astream(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        began = time.perf_counter()
        for nth in range(self.tokens):
            # By the clock of the first token: a model does not wait for a server that is late.
            await asyncio.sleep(max(0.0, began + nth * self.period_s - time.perf_counter()))
            yield ChatGenerationChunk(message=AIMessageChunk(content=f"{time.perf_counter():.6f} "))


TALKER = Talker(
    tokens=int(os.environ.get("BENCH_TOKENS", "100")), period_s=float(os.environ.get("BENCH_TOKEN_S", "0.02"))
)


async def talk(state: MessagesState) -> Update:
    return {"messages": [await TALKER.ainvoke(state["messages"])]}


def talking() -> CompiledStateGraph[Any, Any, Any, Any]:
    builder = StateGraph(MessagesState)
    builder.add_node("model", talk)
    builder.add_edge(START, "model")
    builder.add_edge("model", END)
    return builder.compile()


class EndRecorder:
    """Sends the moment a node's code ended to the load generator; does nothing when no address is set."""

    def __init__(self, address: str) -> None:
        host, _, port = address.rpartition(":")
        self.address = (host, int(port)) if port else None
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM) if port else None

    def record(self, message: str) -> None:
        ended = time.perf_counter()
        if self.socket is not None and self.address is not None:
            self.socket.sendto(f"{message} {ended!r}".encode(), self.address)


record_end = EndRecorder(os.environ.get("BENCH_ENDED_AT", "")).record
