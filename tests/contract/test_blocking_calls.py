"""Tools that a node calls by `invoke`, on the event loop or in threads of its own: entered all the same.

An async node that calls an agent by `invoke` blocks the event loop until the agent's threads have ended, so
nothing in these threads may wait for the loop.
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage
from langchain_core.runnables.config import ContextThreadPoolExecutor
from langchain_core.tools import BaseTool, tool
from langgraph.config import get_stream_writer
from langgraph.graph import MessagesState
from langgraph.types import interrupt

from backend.domain.errors import GraphFailedError, StoreUnavailable
from backend.domain.tool_call import ToolCall
from backend.tasks.task_owner import TaskOwner
from tests.contract.serving import hosting
from tests.contract.test_followed_models import pipeline
from tests.contract.test_followed_tools import lines, serving, states, until
from tests.graphs.scripted_chat import ScriptedChat, calling
from tests.interruption.disk import WRITE_S, DiskStore
from tests.interruption.parts import Parts, started

pytestmark = pytest.mark.requirement("TOOLS-NOBODY-DECLARED")

GIVEN = {"city": "Rome"}


class Cash:
    """What was paid, and what the store held of the call as it began."""

    def __init__(self) -> None:
        self.paid: list[str] = []
        self.stored: list[list[tuple[str, str]]] = []
        self.stored_of: Callable[[], list[tuple[str, str]]] = list

        @tool
        def pay(city: str) -> str:
            """Pay."""
            self.stored.append(self.stored_of())
            self.paid.append(city)
            return f"paid {city}"

        self.pay: BaseTool = pay

    def look_at(self, parts: Parts) -> None:
        user = parts.store._everyone["ann"]
        self.stored_of = lambda: [(each.tool, each.state) for each in [*user.tool_calls.values()]]


async def agent_invoke(pay: BaseTool) -> Any:
    agent = create_agent(ScriptedChat(script=[calling("pay", **GIVEN), "It is paid."]), [pay])
    return agent.invoke({"messages": [("user", "Pay")]})["messages"][-1].text


async def agent_stream(pay: BaseTool) -> Any:
    agent = create_agent(ScriptedChat(script=[calling("pay", **GIVEN), "It is paid."]), [pay])
    return [*agent.stream({"messages": [("user", "Pay")]}, stream_mode="values")][-1]["messages"][-1].text


async def tool_invoke(pay: BaseTool) -> Any:
    return pay.invoke(GIVEN)


async def tool_ainvoke(pay: BaseTool) -> Any:
    return await pay.ainvoke(GIVEN)


class Tracer(BaseCallbackHandler):
    """A handler of the graph's own."""


async def own_callbacks(pay: BaseTool) -> Any:
    return await pay.ainvoke(GIVEN, {"callbacks": [Tracer()]})


async def own_callbacks_of_an_agent(pay: BaseTool) -> Any:
    agent = create_agent(ScriptedChat(script=[calling("pay", **GIVEN), "It is paid."]), [pay])
    given: Any = {"messages": [("user", "Pay")]}
    return agent.invoke(given, {"callbacks": [Tracer()]})["messages"][-1].text


def plain_own_callbacks(pay: BaseTool) -> Any:
    return pay.invoke(GIVEN, {"callbacks": [Tracer()]})


async def tool_batch(pay: BaseTool) -> Any:
    return pay.batch([GIVEN])[0]


async def tool_in_executor(pay: BaseTool) -> Any:
    return await asyncio.get_running_loop().run_in_executor(None, pay.invoke, GIVEN)


async def tool_to_thread(pay: BaseTool) -> Any:
    return await asyncio.to_thread(pay.invoke, GIVEN)


def plain_invoke(pay: BaseTool) -> Any:
    return pay.invoke(GIVEN)


def plain_agent(pay: BaseTool) -> Any:
    agent = create_agent(ScriptedChat(script=[calling("pay", **GIVEN), "It is paid."]), [pay])
    return agent.invoke({"messages": [("user", "Pay")]})["messages"][-1].text


def plain_loop(pay: BaseTool) -> Any:
    with asyncio.Runner() as runner:
        return runner.run(pay.ainvoke(GIVEN))


def pool_with_context(pay: BaseTool) -> Any:
    with ContextThreadPoolExecutor() as pool:
        return pool.submit(pay.invoke, GIVEN).result()


def pool_with_copied_context(pay: BaseTool) -> Any:
    with ThreadPoolExecutor() as pool:
        return pool.submit(copy_context().run, pay.invoke, GIVEN).result()


async def pool_on_the_loop(pay: BaseTool) -> Any:
    with ContextThreadPoolExecutor() as pool:
        return pool.submit(pay.invoke, GIVEN).result()


def node_of(calls: Callable[[BaseTool], Any], pay: BaseTool) -> Any:
    if asyncio.iscoroutinefunction(calls):

        async def node(_state: MessagesState) -> dict[str, Any]:
            return {"messages": [AIMessage(str(await calls(pay)))]}

        return node

    def plain_node(_state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage(str(calls(pay)))]}

    return plain_node


WAYS = [
    agent_invoke, agent_stream, tool_invoke, tool_ainvoke, tool_batch, tool_in_executor, tool_to_thread,
    own_callbacks, own_callbacks_of_an_agent, plain_own_callbacks, plain_invoke, plain_agent, plain_loop,
    pool_with_context, pool_with_copied_context, pool_on_the_loop,
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
async def test_tool_is_entered_before_it_begins_whichever_way_a_node_calls_it(way) -> None:
    cash = Cash()
    async with serving(pipeline(node=node_of(way, cash.pay)).compile()) as parts:
        task = await parts.post("Pay it")
        cash.look_at(parts)
        await parts.settled(task)
        assert cash.paid == ["Rome"]
        assert cash.stored == [[("pay", "running")]]
        assert await lines(parts, task) == [("pay", "completed", "paid Rome")]
        assert await states(parts) == ["running", "completed"]
        calls = await parts.store.get_tool_calls("ann", (await parts.task(task)).turn)
        assert [(each.agent, each.arguments, each.state) for each in calls] == [("node", GIVEN, "ended")]


async def test_thread_of_an_agent_that_blocks_the_loop_may_write_any_number_of_items() -> None:
    @tool
    def look(city: str) -> str:
        """Look."""
        write = get_stream_writer()
        for number in range(2000):
            write(number)
        return city

    agent = create_agent(ScriptedChat(script=[calling("look", **GIVEN), "word " * 600]), [look])

    async def node(_state: MessagesState) -> dict[str, Any]:
        return {"messages": [agent.invoke({"messages": [("user", "Look")]})["messages"][-1]]}

    async with serving(pipeline(node=node).compile()) as parts:
        await parts.settled(task := await parts.post("Look"))
        assert (await parts.task(task)).status == "completed"
        found = [each["items"] for each in await parts.events() if each["type"] == "partial_result"]
        assert [item for items in found for item in items] == [*range(2000)]


async def test_tool_that_the_loop_waits_for_asks_its_user_and_is_one_call() -> None:
    @tool
    def pay(city: str) -> str:
        """Pay."""
        return f"paid {city} for {interrupt('For whom?')}"

    async def node(_state: MessagesState) -> dict[str, Any]:
        return {
            "messages": [
                AIMessage(pay.invoke({"type": "tool_call", "id": "c1", "name": "pay", "args": GIVEN}).text)
            ]
        }

    async with serving(pipeline(node=node).compile()) as parts:
        task = await parts.post("Pay it")
        await until(lambda: "input_request" in str(parts.bus.published.entries))
        await parts.settled(task)
        await parts.post("Ann")
        await parts.settled(task)
        assert await lines(parts, task) == [("pay", "completed", "paid Rome for Ann")]


@pytest.mark.parametrize("way", [agent_invoke, tool_invoke, plain_agent, pool_with_context])
async def test_tool_does_not_begin_whose_entry_the_store_cannot_keep(way) -> None:
    cash = Cash()
    parts = Parts(DiskStore(), workflow=hosting(pipeline(node=node_of(way, cash.pay)).compile()))
    refused: list[str] = []

    def refuse(*_: Any, **__: Any) -> bool:
        refused.append("refused")
        raise StoreUnavailable("The disk is full.")

    async with started(parts):
        parts.store.store_call_now = refuse
        task = await parts.post("Pay it")
        await parts.settled(task)
        assert refused == ["refused"]
        assert cash.paid == []
        assert (await lines(parts, task))[0][:2] == ("pay", "not_started")
        assert (await parts.task(task)).status == "failed"


async def test_tool_does_not_begin_if_the_interruption_comes_while_its_entry_is_stored() -> None:
    cash, refused = Cash(), threading.Event()

    def node(_state: MessagesState) -> dict[str, Any]:
        with ContextThreadPoolExecutor() as pool, pytest.raises(GraphFailedError, match="before pay began"):
            pool.submit(cash.pay.invoke, GIVEN).result()
        refused.set()
        return {}

    async with serving(pipeline(node=node).compile()) as parts:
        loop, store = asyncio.get_running_loop(), parts.store
        stored = store.store_call_now

        def interrupted(*given: Any, **more: Any) -> bool:
            kept = stored(*given, **more)
            asyncio.run_coroutine_threadsafe(parts.runner.stop("ann", task), loop).result(20)
            return kept

        store.store_call_now = interrupted
        task = await parts.post("Pay it")
        await until(lambda: refused.is_set() and "not_started" in str(parts.bus.published.entries))
        await parts.quiet()
        assert cash.paid == []
        assert (await lines(parts, task))[0][:2] == ("pay", "not_started")


@pytest.mark.virtual_time
async def test_awaited_tool_does_not_begin_if_the_interruption_comes_while_its_entry_is_stored() -> None:
    paid: list[str] = []

    @tool
    async def pay(city: str) -> str:
        """Pay."""
        paid.append(city)
        return city

    async def node(_state: MessagesState) -> dict[str, Any]:
        # In a task that nothing cancels, as if it swallowed its cancellation.
        begins.append(owner.spawn(pay.ainvoke(GIVEN), name="pay"))
        await asyncio.wait(begins)
        return {}

    owner, begins = TaskOwner(), list[asyncio.Task[Any]]()
    parts = Parts(DiskStore(), workflow=hosting(pipeline(node=node).compile()))
    async with started(parts):
        task = await parts.post("Pay it")
        while not any(each.tool_calls for each in parts.interruptions.contexts_of("ann")):  # noqa: ASYNC110
            await asyncio.sleep(WRITE_S / 5)  # a fraction of what the store takes to keep it
        await parts.runner.stop("ann", task)
        with pytest.raises(GraphFailedError, match="interrupted before pay began"):
            await begins[0]
        await parts.quiet()
        assert paid == []
        assert (await lines(parts, task))[0][:2] == ("pay", "not_started")


@pytest.mark.virtual_time
async def test_awaited_tool_does_not_begin_whose_intent_waits_in_memory_alone() -> None:
    paid: list[str] = []

    @tool
    async def pay(city: str) -> str:
        """Pay."""
        paid.append(city)
        return city

    async def node(_state: MessagesState) -> dict[str, Any]:
        parts.store.refuse(ToolCall)  # and takes the empty commit behind it
        try:
            await pay.ainvoke(GIVEN)
        finally:
            parts.store.refuse(None)
        return {}

    parts = Parts(DiskStore(), workflow=hosting(pipeline(node=node).compile()))
    async with started(parts):
        task = await parts.post("Pay it")
        await parts.settled(task)
        assert paid == []
        assert (await parts.task(task)).status == "failed"
