"""Tools that a node calls by `invoke` or in threads of its own: they are entered, or their node is marked.

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
from tests.contract.serving import (
    call_states,
    dying,
    lines,
    process,
    serving,
    serving_threads,
    until_published,
)
from tests.fakes.waiting import until
from tests.graphs.building import pipeline
from tests.graphs.scripted_chat import ScriptedChat, calling
from tests.interruption.disk import WRITE_S, DiskStore
from tests.interruption.parts import Parts, started
from tests.stored import now

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
        self.stored_of = lambda: [
            (each.tool, each.state) for each in now(parts.store.get_tool_calls("ann", 1))
        ]


async def agent_invoke(pay: BaseTool) -> Any:
    return plain_agent(pay)


async def tool_invoke(pay: BaseTool) -> Any:
    return pay.invoke(GIVEN)


async def tool_ainvoke(pay: BaseTool) -> Any:
    return await pay.ainvoke(GIVEN)


class Tracer(BaseCallbackHandler):
    """A handler of the graph's own."""


async def own_callbacks_of_an_agent(pay: BaseTool) -> Any:
    return plain_agent(pay, {"callbacks": [Tracer()]})


def plain_own_callbacks(pay: BaseTool) -> Any:
    return pay.invoke(GIVEN, {"callbacks": [Tracer()]})


async def tool_to_thread(pay: BaseTool) -> Any:
    return await asyncio.to_thread(pay.invoke, GIVEN)


def plain_invoke(pay: BaseTool) -> Any:
    return pay.invoke(GIVEN)


def plain_agent(pay: BaseTool, configuration: Any = None) -> Any:
    agent = create_agent(ScriptedChat(script=[calling("pay", **GIVEN), "It is paid."]), [pay])
    return agent.invoke({"messages": [("user", "Pay")]}, configuration)["messages"][-1].text


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
    agent_invoke, tool_invoke, tool_ainvoke, tool_to_thread, own_callbacks_of_an_agent, plain_own_callbacks,
    plain_invoke, plain_agent, plain_loop, pool_with_context, pool_with_copied_context, pool_on_the_loop,
]  # fmt: skip


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED")
@pytest.mark.parametrize("way", WAYS)
async def test_tool_is_entered_before_it_begins_in_whatever_way_it_is_called(way) -> None:
    cash = Cash()
    async with serving_threads(pipeline(node=node_of(way, cash.pay))) as parts:
        task = await parts.post("Pay it")
        cash.look_at(parts)
        await parts.settled(task)
        assert cash.paid == ["Rome"]
        assert cash.stored == [[("pay", "running")]]
        assert await lines(parts, task) == [("pay", "completed", "paid Rome")]
        assert await call_states(parts) == ["running", "completed"]
        calls = await parts.store.get_tool_calls("ann", (await parts.task(task)).turn)
        assert [(each.agent, each.arguments, each.state) for each in calls] == [("node", GIVEN, "ended")]


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED")
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

    async with serving_threads(pipeline(node=node)) as parts:
        await parts.settled(task := await parts.post("Look"))
        assert (await parts.task(task)).status == "completed"
        found = [each["items"] for each in await parts.events() if each["type"] == "partial_result"]
        assert [item for items in found for item in items] == [*range(2000)]


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED")
async def test_tool_that_blocks_the_loop_asks_its_user_and_is_one_call() -> None:
    @tool
    def pay(city: str) -> str:
        """Pay."""
        return f"paid {city} for {interrupt('For whom?')}"

    async def node(_state: MessagesState) -> dict[str, Any]:
        call = {"type": "tool_call", "id": "c1", "name": "pay", "args": GIVEN}
        return {"messages": [AIMessage(pay.invoke(call).text)]}

    async with serving_threads(pipeline(node=node)) as parts:
        task = await parts.post("Pay it")
        await until_published(parts, "input_request")
        await parts.settled(task)
        await parts.post("Ann")
        await parts.settled(task)
        assert await lines(parts, task) == [("pay", "completed", "paid Rome for Ann")]


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED")
@pytest.mark.parametrize("way", [agent_invoke, tool_invoke, plain_agent, pool_with_context])
async def test_tool_whose_entry_the_store_refuses_does_not_begin(way) -> None:
    cash = Cash()
    parts = process(pipeline(node=node_of(way, cash.pay)), DiskStore())
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


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED")
async def test_tool_interrupted_while_its_entry_is_stored_does_not_begin() -> None:
    cash, refused = Cash(), threading.Event()

    def node(_state: MessagesState) -> dict[str, Any]:
        with ContextThreadPoolExecutor() as pool, pytest.raises(GraphFailedError, match="before pay began"):
            pool.submit(cash.pay.invoke, GIVEN).result()
        refused.set()
        return {}

    async with serving_threads(pipeline(node=node)) as parts:
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


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED")
@pytest.mark.virtual_time
async def test_awaited_tool_interrupted_while_its_entry_is_stored_does_not_begin() -> None:
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
    parts = process(pipeline(node=node), DiskStore())
    async with started(parts):
        task = await parts.post("Pay it")
        await until(
            lambda: any(each.tool_calls for each in parts.interruptions.contexts_of("ann")),
            every_s=WRITE_S / 5,  # a fraction of what the store takes to keep it
        )
        await parts.runner.stop("ann", task)
        with pytest.raises(GraphFailedError, match="interrupted before pay began"):
            await begins[0]
        await parts.quiet()
        assert paid == []
        assert (await lines(parts, task))[0][:2] == ("pay", "not_started")


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED")
@pytest.mark.virtual_time
async def test_awaited_tool_whose_intent_is_in_memory_alone_does_not_begin() -> None:
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

    parts = process(pipeline(node=node), DiskStore())
    async with started(parts):
        task = await parts.post("Pay it")
        await parts.settled(task)
        assert paid == []
        assert (await parts.task(task)).status == "failed"


UNFOLLOWED = "a step that may run tools which nobody can follow"


class Unseen:
    """Payments in a thread that no callback follows, and when they may go on."""

    def __init__(self) -> None:
        self.paid: list[str] = []
        self.begun = threading.Event()
        self.may_end = threading.Event()

        @tool
        def pay(city: str) -> str:
            """Pay."""
            self.paid.append(city)
            self.begun.set()
            assert self.may_end.wait(20)
            return f"paid {city}"

        def pays(_state: MessagesState) -> dict[str, Any]:
            with ThreadPoolExecutor() as pool:
                return {"messages": [AIMessage(pool.submit(pay.invoke, {"city": "Rome"}).result())]}

        self.pays = pays


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED", "STATE-LIVES-ON")
async def test_marked_node_is_reported_as_a_step_and_others_are_not() -> None:
    cash = Unseen()
    cash.may_end.set()

    async def ordinary(_state: MessagesState) -> dict[str, Any]:
        return {}

    async with serving_threads(pipeline(ordinary=ordinary, pays=cash.pays)) as parts:
        await parts.settled(task := await parts.post("Pay"))
        assert await call_states(parts) == ["running", "completed"]
        assert await lines(parts, task) == [("pays", "completed", UNFOLLOWED)]
        [line] = (await parts.receipt(task))["tool_calls"]
        assert (line["kind"], line["effect"]) == ("step", "write")


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED", "STATE-LIVES-ON")
@pytest.mark.virtual_time
async def test_marked_node_is_durable_before_it_begins_and_not_repeated_after_a_kill() -> None:
    store, ran = DiskStore(), []

    @tool
    def pay(city: str) -> str:
        """Pay."""
        return city

    async def pays(_state: MessagesState) -> dict[str, Any]:
        calls = [(each.tool, each.state) for each in await store.kept.get_tool_calls("ann", 1)]
        ran.append(calls)
        await asyncio.get_running_loop().create_future()
        with ThreadPoolExecutor() as pool:
            return {"messages": [AIMessage(pool.submit(pay.invoke, {"city": "Rome"}).result())]}

    graph = pipeline(pays=pays)
    async with dying(graph, store) as old:
        task = await old.post("Pay")
        await asyncio.sleep(1)
    async with serving(graph, store=store, like=old) as new:
        await new.quiet()
        assert ran == [[("pays", "running")]]
        assert "The server was cut off while this ran: pays." in (await new.history())[-1][1]
        assert [(each["tool"], each["outcome"]) for each in (await new.receipt(task))["tool_calls"]] == [
            ("pays", "unknown")
        ]


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED", "STATE-LIVES-ON")
async def test_node_after_a_marked_one_runs_again_after_a_kill_and_the_marked_one_does_not() -> None:
    store, cash, ran = DiskStore(), Unseen(), []
    cash.may_end.set()

    async def answers(state: MessagesState) -> dict[str, Any]:
        ran.append(state["messages"][-1].text)
        if len(ran) == 1:
            await asyncio.get_running_loop().create_future()
        return {"messages": [AIMessage("It is paid.")]}

    graph = pipeline(pays=cash.pays, answers=answers)
    async with dying(graph, store) as old:
        await old.post("Pay")
        await until(lambda: bool(ran))
        await asyncio.sleep(0.1)
    async with serving(graph, store=store, like=old) as new:
        await new.quiet()
        assert ran == ["paid Rome", "paid Rome"]
        assert cash.paid == ["Rome"]
        assert (await new.history())[-1] == ("assistant", "It is paid.")


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED", "STATE-LIVES-ON")
async def test_marked_async_node_that_is_cut_short_says_that_its_threads_may_go_on() -> None:
    cash, begun = Unseen(), asyncio.Event()

    async def pays(state: MessagesState) -> dict[str, Any]:
        begun.set()
        await asyncio.get_running_loop().create_future()
        return cash.pays(state)

    async with serving_threads(pipeline(pays=pays)) as parts:
        task = await parts.post("Pay")
        await begun.wait()
        await parts.runner.stop("ann", task)
        assert await lines(parts, task) == [
            ("pays", "cancelled", "a step that was cut short; what it runs in threads of its own may go on")
        ]


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED", "STATE-LIVES-ON")
async def test_marked_node_that_fails_or_asks_is_reported_so() -> None:
    cash = Unseen()
    cash.may_end.set()

    def asks(state: MessagesState) -> dict[str, Any]:
        if interrupt("Really?") == "no":
            raise ValueError("not paid")
        return cash.pays(state)

    for answer, line in {"yes": ("completed", UNFOLLOWED), "no": ("failed", "not paid")}.items():
        async with serving_threads(pipeline(asks=asks)) as parts:
            task = await parts.post("Pay")
            await until_published(parts, "input_request")
            await parts.settled(task)
            await parts.post(answer)
            await parts.settled(task)
            assert await call_states(parts) == ["running", "waiting", "running", line[0]]
            assert await lines(parts, task) == [("asks", *line)]
