"""An interrupted graph: its code ends at once, at whatever step, and publishes nothing afterwards."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph

from backend.domain.task import InterruptReason, TaskStatus
from tests.contract.hosting import Hosting
from tests.graphs.building import State, chain
from tests.virtual_time import sweep_steps


class Ends:
    """A node that counts how often its code began, finished and ended, and writes as it ends."""

    def __init__(self, *, seconds: float = 3600) -> None:
        self.seconds = seconds
        self.begun = self.finished = self.ended = 0
        self.started = asyncio.Event()

    async def work(self, state: State) -> State:
        self.begun += 1
        self.started.set()
        try:
            get_stream_writer()("begun")
            await asyncio.sleep(self.seconds)
            self.finished += 1
            return {"found": [1]}
        finally:
            self.ended += 1
            get_stream_writer()("ended")


def interrupt(hosting: Hosting) -> bool:
    return hosting.manager.interrupt_task(hosting.context.task_id, InterruptReason.SUPERSEDED)


@pytest.mark.virtual_time
@pytest.mark.parametrize("depth", [0, 1, 2])
async def test_async_node_has_ended_when_its_task_has(depth: int) -> None:
    node = Ends()
    graph = chain(node.work)
    for _ in range(depth):
        graph = chain(("work", graph))
    hosting = Hosting(graph)
    await hosting.start()
    await node.started.wait()
    assert interrupt(hosting)
    assert (await hosting.ended()).status is TaskStatus.INTERRUPTED
    assert (node.begun, node.ended) == (1, 1)
    assert asyncio.get_running_loop().time() == 0
    assert hosting.published == [("work", "working"), ("work", ["begun"]), ("work", "interrupted")]


async def test_late_write_of_a_node_in_a_thread_is_not_published() -> None:
    loop = asyncio.get_running_loop()
    blocked, released, over = asyncio.Event(), threading.Event(), asyncio.Event()

    def block(state: State) -> State:
        try:
            write = get_stream_writer()
            write("in time")
            loop.call_soon_threadsafe(blocked.set)
            released.wait()
            write("too late")
        finally:
            loop.call_soon_threadsafe(blocked.set)
            loop.call_soon_threadsafe(over.set)
        return {"answer": "too late"}

    hosting = Hosting(chain(block))
    await hosting.start()
    await blocked.wait()
    assert interrupt(hosting)
    assert (await hosting.ended()).status is TaskStatus.INTERRUPTED
    released.set()
    await over.wait()
    assert hosting.published == [("block", "working"), ("block", ["in time"]), ("block", "interrupted")]


class Interrupted:
    """A graph with parallel nodes, a subgraph and a checkpointer, interrupted at some step of its run."""

    def __init__(self) -> None:
        self.nodes = [Ends(seconds=seconds) for seconds in (0, 1, 2, 0, 0)]
        first, beside, inside, inside_too, last = (node.work for node in self.nodes)
        builder = StateGraph(State)
        builder.add_node("first", first)
        builder.add_node("beside", beside)
        builder.add_node("sub", chain(("inside", inside), ("inside_too", inside_too)))
        builder.add_node("last", last)
        builder.add_edge(START, "first")
        builder.add_edge("first", "beside")
        builder.add_edge("first", "sub")
        builder.add_edge(["beside", "sub"], "last")
        builder.add_edge("last", END)
        self.hosting = Hosting(builder.compile(checkpointer=InMemorySaver()))
        self.accepted = False
        self.finished_in_time = len(self.nodes)

    async def run(self) -> None:
        await self.hosting.start()
        await self.hosting.ended()

    async def interrupt(self) -> None:
        self.accepted = interrupt(self.hosting)
        if self.accepted:
            self.finished_in_time = sum(node.finished for node in self.nodes)

    async def check(self) -> None:
        status = self.hosting.context.task.status
        assert status is (TaskStatus.INTERRUPTED if self.accepted else TaskStatus.COMPLETED)
        assert [node.begun for node in self.nodes] == [node.ended for node in self.nodes]
        assert [items for _, items in self.hosting.found].count(["ended"]) == self.finished_in_time
        kinds = [event["type"] for event in self.hosting.events]
        assert "partial_result" not in kinds[kinds.index("status_update") :]
        agents = self.hosting.context.agents.values()
        assert {agent.state for agent in agents} <= {"done", "interrupted"}


def test_interruption_before_each_step_leaves_nothing_running() -> None:
    def play(story: Interrupted) -> Coroutine[Any, Any, None]:
        return story.interrupt()

    assert sweep_steps(Interrupted, play) > 50
