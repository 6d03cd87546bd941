"""An interrupted graph ends at once, also if a library or a node loses its cancellation."""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import aclosing, suppress
from typing import Any

import anyio
import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import ModelFallbackMiddleware, ModelRetryMiddleware
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import TimeoutPolicy
from pydantic import BaseModel, ConfigDict

from backend.domain.task import InterruptReason, TaskStatus
from backend.graphs.graph_options import GraphOptions
from backend.graphs.support import GraphInterface
from tests.contract.hosting import Hosting
from tests.graphs.building import State, chain
from tests.graphs.scripted_chat import Line, ScriptedChat, calling, pieces
from tests.virtual_time import sweep_steps

TOKEN_S = 0.05
ENDS_WITHIN_S = 0.1
"""Asked again twice, with a token in between: an answer takes 0.2 s."""

Wait = Callable[[float], Awaitable[None]]


class CaughtOnce:
    """Loses the first cancellation."""

    def __init__(self) -> None:
        self.lost = 0

    async def __call__(self, seconds: float) -> None:
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            self.lost += 1
            if self.lost > 1:
                raise


class Uncancelled(CaughtOnce):
    """Loses the first cancellation, and says so as asyncio asks for."""

    async def __call__(self, seconds: float) -> None:
        lost = self.lost
        await super().__call__(seconds)
        task = asyncio.current_task()
        if self.lost > lost and task is not None:
            task.uncancel()


class CaughtAlways:
    """Loses each cancellation: a model's client without any."""

    async def __call__(self, seconds: float) -> None:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(seconds)


class TimedByHand(CaughtOnce):
    """Takes any cancellation that comes while its time is up for its own time-out."""

    async def __call__(self, seconds: float) -> None:
        task = asyncio.current_task()
        assert task is not None
        timer = asyncio.get_running_loop().call_later(seconds, task.cancel)
        try:
            await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            if timer.when() > asyncio.get_running_loop().time():
                self.lost += 1
                if self.lost > 1:
                    raise
        finally:
            timer.cancel()


class WaitedFor:
    """`asyncio.wait_for`, as `langchain-openai` waits for each chunk: it loses some on Python 3.11."""

    async def __call__(self, seconds: float) -> None:
        await asyncio.wait_for(asyncio.sleep(seconds), 60)  # noqa: TID251 - what others use


class InAnyioScope:
    """A time-out of anyio's that fires in the step in which the cancellation may come."""

    async def __call__(self, seconds: float) -> None:
        with anyio.move_on_after(seconds):
            await anyio.sleep(seconds)


class ClosedGenerator(CaughtOnce):
    """An async generator that loses the cancellation as it is closed."""

    async def __call__(self, seconds: float) -> None:
        async with aclosing(self._waits(seconds)) as waits:
            async for _ in waits:
                return

    async def _waits(self, seconds: float) -> AsyncIterator[int]:
        await super().__call__(seconds)
        yield 1


LOSES: dict[str, Callable[[], Wait]] = {
    "caught once": CaughtOnce,
    "caught always": CaughtAlways,
    "uncancelled": Uncancelled,
    "timed by hand": TimedByHand,
    "wait_for": WaitedFor,
    "anyio": InAnyioScope,
    "generator": ClosedGenerator,
}


class SameChat(ScriptedChat):
    """Says the first line until a tool has answered, then the second: for any number of runs."""

    def _next(self, messages: list[BaseMessage]) -> AIMessage:
        line = self.script[sum(isinstance(each, ToolMessage) for each in messages)]
        return line if isinstance(line, AIMessage) else AIMessage(line)


class LosingChat(SameChat):
    """A model whose client loses cancellations between its tokens."""

    model_config = ConfigDict(arbitrary_types_allowed=True)
    waits: Any

    async def _astream(
        self, messages: list[BaseMessage], *_: Any, **options: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in pieces(self._next(messages)):
            await self.waits(TOKEN_S)
            yield chunk


class Advice(BaseModel):
    """Where to go."""

    city: str


ANSWER = "one two three four"


def losing(wait: Wait, *script: Line) -> LosingChat:
    return LosingChat(script=[*script], waits=wait)


def by_astream(wait: Wait) -> Any:
    async def node(state: MessagesState) -> Any:
        said = [chunk async for chunk in losing(wait, ANSWER).astream(state["messages"])]
        return {"messages": [("ai", "".join(each.text for each in said))]}

    return node


def by_ainvoke(wait: Wait) -> Any:
    async def node(state: MessagesState) -> Any:
        return {"messages": [await losing(wait, ANSWER).ainvoke(state["messages"])]}

    return node


def with_structure(wait: Wait) -> Any:
    model = losing(wait, calling("Advice", text=ANSWER, city="Rome")).with_structured_output(Advice)

    async def node(state: MessagesState) -> Any:
        advice: Any = await model.ainvoke(state["messages"])
        return {"messages": [("ai", advice.city)]}

    return node


def in_a_subgraph(wait: Wait) -> Any:
    return chain(("inner", chain(("said", by_ainvoke(wait)), state=MessagesState)), state=MessagesState)


def in_gather(wait: Wait) -> Any:
    async def node(state: MessagesState) -> Any:
        both = (losing(wait, ANSWER).ainvoke(state["messages"]) for _ in range(2))
        return {"messages": await asyncio.gather(*both)}

    return node


def in_a_tool(wait: Wait) -> Any:
    @tool
    async def look(city: str) -> str:
        """Look."""
        for _ in ANSWER.split():
            await wait(TOKEN_S)
        return city

    return create_agent(SameChat(script=[calling("look", city="Rome"), "done"]), [look])


def with_middleware(wait: Wait) -> Any:
    fallback = losing(wait, ANSWER)
    middleware: Any = [ModelRetryMiddleware(), ModelFallbackMiddleware(fallback)]
    return create_agent(losing(wait, ANSWER), middleware=middleware)


def without_a_model(wait: Wait) -> Any:
    async def node(_state: MessagesState) -> Any:
        for _ in ANSWER.split():
            await wait(TOKEN_S)
        return {"messages": [("ai", "done")]}

    return node


SHAPES = (
    by_astream, by_ainvoke, with_structure, in_a_subgraph, in_gather, in_a_tool, with_middleware,
    without_a_model,
)  # fmt: skip


EACH = [
    *((make, loses) for make in SHAPES for loses in ("caught once", "wait_for")),
    *((make, "caught always") for make in (by_astream, by_ainvoke, with_structure, with_middleware)),
    *(
        (make, loses)
        for make in (by_ainvoke, without_a_model)
        for loses in ("uncancelled", "timed by hand", "anyio", "generator")
    ),
]


def at_once(_executor: Any, call: Callable[..., Any], *given: Any) -> asyncio.Future[Any]:
    """Stands in for threads, which have no place in virtual time: LangChain parses answers in one."""
    future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    future.set_result(call(*given))
    return future


class Losing:
    """A graph of a node that loses its cancellation, and a step after it; compiled once for all its runs."""

    def __init__(self, make: Callable[[Wait], Any], loses: Callable[[], Wait]) -> None:
        async def wait(seconds: float) -> None:
            await self.run.wait(seconds)

        async def after(_state: MessagesState) -> Any:
            if self.run.interrupted_at is not None:
                self.run.begun_too_late = True
            return {"messages": [("ai", "after")]}

        graph = chain(("node", make(wait)), after, state=MessagesState)
        self.interface = GraphInterface(graph, GraphOptions())
        self.loses = loses

    def new_run(self) -> "Interrupted":
        self.run = Interrupted(self.interface, self.loses())
        return self.run


class Interrupted:
    """A run of it that is interrupted."""

    def __init__(self, interface: GraphInterface, wait: Wait) -> None:
        self.wait = wait
        self.hosting = Hosting(interface)
        self.interrupted_at: float | None = None
        self.begun_too_late = False
        self.ended_at = 0.0

    async def run(self) -> None:
        loop: Any = asyncio.get_running_loop()
        loop.run_in_executor = at_once
        await self.hosting.start()
        await self.hosting.ended()
        self.ended_at = asyncio.get_running_loop().time()

    async def interrupt(self) -> None:
        task_id = self.hosting.context.task_id
        if self.hosting.manager.interrupt_task(task_id, InterruptReason.SUPERSEDED):
            self.interrupted_at = asyncio.get_running_loop().time()

    async def check(self) -> None:
        task = self.hosting.context.task
        if self.interrupted_at is None:
            assert task.status is TaskStatus.COMPLETED
            return
        assert task.status is TaskStatus.INTERRUPTED
        assert not self.begun_too_late
        assert self.ended_at - self.interrupted_at <= ENDS_WITHIN_S
        assert not [call for call in self.hosting.context.tool_calls.values() if call.is_step]


@pytest.mark.parametrize(("make", "loses"), EACH)
def test_lost_cancellation_is_asked_again_at_each_step(make: Callable[[Wait], Any], loses: str) -> None:
    """Without `CancelScope._ask_again`, or without its `asked`, these run to their end."""
    assert sweep_steps(Losing(make, LOSES[loses]).new_run, lambda story: story.interrupt()) > 50


class Resisting:
    """A node, or a tool of an agent, that catches each cancellation for some seconds."""

    def __init__(self, seconds: float) -> None:
        self.asked_at: list[float] = []
        self.started = asyncio.Event()
        self._seconds = seconds

    async def node(self, _state: Any) -> Any:
        loop = asyncio.get_running_loop()
        until = loop.time() + self._seconds
        self.started.set()
        while loop.time() < until:
            try:
                await asyncio.sleep(until - loop.time())
            except asyncio.CancelledError:
                self.asked_at.append(round(loop.time(), 2))
        return {}


def interrupt(hosting: Hosting) -> bool:
    return hosting.manager.interrupt_task(hosting.context.task_id, InterruptReason.STOPPED)


def left(hosting: Hosting) -> list[tuple[str, str | None]]:
    calls = hosting.context.tool_calls.values()
    return [(call.tool, call.outcome) for call in calls if call.is_step]


@pytest.mark.virtual_time
@pytest.mark.parametrize("policy", [None, TimeoutPolicy(run_timeout=600)])
async def test_node_that_resists_is_asked_at_growing_intervals_and_reported(policy: Any) -> None:
    """With a time-out LangGraph cancels a node in a task of its own, and does not wait for it."""
    resisting = Resisting(600)
    builder: Any = chain(("node", resisting.node)).builder
    builder.nodes["node"].timeout = policy
    hosting = Hosting(builder.compile())
    await hosting.start()
    await resisting.started.wait()
    assert interrupt(hosting)
    assert (await hosting.ended()).status is TaskStatus.INTERRUPTED
    assert asyncio.get_running_loop().time() == pytest.approx(5)
    assert left(hosting) == [("node", None)]
    await asyncio.sleep(600)
    assert left(hosting) == [("node", "cancelled")]
    assert resisting.asked_at == [0, 0.02, 0.06, 0.14, 0.3, 0.62, 1.26, 2.54, 5.1, 10.22, 20.46, 40.94, 81.9]


@pytest.mark.virtual_time
async def test_node_that_cleans_up_is_not_asked_again() -> None:
    """Without `_unwinds` the cancellation that is repeated after 20 ms cuts the cleaning up short."""
    cleaned: list[str] = []

    class Connection:
        async def __aenter__(self) -> None:
            return

        async def __aexit__(self, *_: object) -> None:
            await asyncio.sleep(1)
            cleaned.append("closed")

    async def node(_state: Any) -> Any:
        started.set()
        try:
            async with Connection():
                await asyncio.sleep(3600)
        finally:
            await asyncio.sleep(1)
            cleaned.append("told")

    started = asyncio.Event()
    hosting = Hosting(chain(node))
    await hosting.start()
    await started.wait()
    interrupt(hosting)
    await hosting.ended()
    assert cleaned == ["closed", "told"]
    assert asyncio.get_running_loop().time() == 2


@pytest.mark.virtual_time
async def test_run_is_not_asked_again_while_a_node_of_it_runs() -> None:
    """Without the exemption of parents the run ends at the second request, 20 ms after the first."""
    resisting = Resisting(1)
    ended: list[float] = []

    async def outer(_state: Any) -> Any:
        try:
            await chain(("node", resisting.node), ("never", resisting.node)).ainvoke({})
        finally:
            ended.append(asyncio.get_running_loop().time())

    hosting = Hosting(chain(outer, ("beside", Resisting(1).node)))
    await hosting.start()
    await resisting.started.wait()
    interrupt(hosting)
    await hosting.ended()
    assert ended == [1]
    assert left(hosting) == []


@pytest.mark.virtual_time
async def test_run_that_is_cancelled_twice_waits_for_its_node_that_resists() -> None:
    """A message that was being stored when the server closed interrupts a task that was suspended."""
    resisting = Resisting(1)
    ended: list[float] = []
    hosting = Hosting(chain(("node", resisting.node)))
    await hosting.start()
    await resisting.started.wait()
    interrupt(hosting)
    scope = hosting.context.scope
    assert scope is not None
    assert scope.root is not None
    scope.root.add_done_callback(lambda _: ended.append(asyncio.get_running_loop().time()))
    await asyncio.sleep(0.01)
    scope.cancel()
    await hosting.ended()
    assert ended == [1]
    assert resisting.asked_at == [0, 0.02, 0.06, 0.14, 0.3, 0.62]


@pytest.mark.virtual_time
async def test_task_that_a_node_left_behind_is_left_alone() -> None:
    """A client that all runs share may have its own tasks, which a run has started by using it first."""
    left_behind: list[asyncio.Task[Any]] = []

    async def keep_alive() -> str:
        for _ in range(10):
            with suppress(TimeoutError):
                async with asyncio.timeout(0.03):  # it cancels its task by itself
                    await asyncio.sleep(60)
        return "alive"

    async def node(_state: Any) -> Any:
        left_behind.append(asyncio.get_running_loop().create_task(keep_alive()))
        await resisting.node(_state)

    resisting = Resisting(0.2)
    hosting = Hosting(chain(node))
    await hosting.start()
    await resisting.started.wait()
    interrupt(hosting)
    await hosting.ended()
    assert await left_behind[0] == "alive"


# --- graphs whose code ends when it is cancelled -------------------------------------------------------


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


def supersede(hosting: Hosting) -> bool:
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
    assert supersede(hosting)
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
    assert supersede(hosting)
    assert (await hosting.ended()).status is TaskStatus.INTERRUPTED
    released.set()
    await over.wait()
    assert hosting.published == [("block", "working"), ("block", ["in time"]), ("block", "interrupted")]


class InterruptedGraph:
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
        self.accepted = supersede(self.hosting)
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
    def play(story: InterruptedGraph) -> Coroutine[Any, Any, None]:
        return story.interrupt()

    assert sweep_steps(InterruptedGraph, play) > 50
