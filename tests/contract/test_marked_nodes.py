"""Nodes that run tools which no callback follows: marked while they run, told truly, and not run twice."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import interrupt

from tests.contract.serving import hosting
from tests.contract.test_followed_tools import lines, serving, states, until
from tests.interruption.disk import DiskStore
from tests.interruption.parts import Parts, started

pytestmark = pytest.mark.requirement("TOOLS-NOBODY-DECLARED", "STATE-LIVES-ON")

UNFOLLOWED = "a step that may run tools which nobody can follow"


class Cash:
    """What was paid in a thread that nobody follows, and when it may go on."""

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


def chain(**nodes: Any) -> Any:
    graph = StateGraph(MessagesState)
    before = START
    for name, node in nodes.items():
        graph.add_node(name, node).add_edge(before, name)
        before = name
    return graph.compile()


@asynccontextmanager
async def killed(graph: Any, store: DiskStore):
    """Run a process that is killed at the end of the block."""
    async with started(Parts(store, workflow=hosting(graph))) as parts:
        yield parts
        store.lose_process()
        await parts.die()


async def test_marked_node_is_told_of_as_a_step_and_costs_others_nothing() -> None:
    cash = Cash()
    cash.may_end.set()

    async def ordinary(_state: MessagesState) -> dict[str, Any]:
        return {}

    async with serving(chain(ordinary=ordinary, pays=cash.pays)) as parts:
        await parts.settled(task := await parts.post("Pay"))
        assert await states(parts) == ["running", "completed"]
        assert await lines(parts, task) == [("pays", "completed", UNFOLLOWED)]
        [line] = (await parts.receipt(task))["tool_calls"]
        assert (line["kind"], line["effect"]) == ("step", "write")


@pytest.mark.virtual_time
async def test_marked_node_is_durable_before_it_begins_and_is_not_run_again_after_a_kill() -> None:
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

    graph = chain(pays=pays)
    async with killed(graph, store) as old:
        task = await old.post("Pay")
        await asyncio.sleep(1)
    async with started(Parts(store, workflow=hosting(graph), new_id=old.new_id)) as new:
        await new.quiet()
        assert ran == [[("pays", "running")]]
        assert "The server was cut off while this ran: pays." in (await new.history())[-1][1]
        assert [(each["tool"], each["outcome"]) for each in (await new.receipt(task))["tool_calls"]] == [
            ("pays", "unknown")
        ]


async def test_node_after_a_marked_one_runs_again_after_a_kill_and_the_marked_one_does_not() -> None:
    store, cash, ran = DiskStore(), Cash(), []
    cash.may_end.set()

    async def answers(state: MessagesState) -> dict[str, Any]:
        ran.append(state["messages"][-1].text)
        if len(ran) == 1:
            await asyncio.get_running_loop().create_future()
        return {"messages": [AIMessage("It is paid.")]}

    graph = chain(pays=cash.pays, answers=answers)
    async with killed(graph, store) as old:
        await old.post("Pay")
        await until(lambda: bool(ran))
        await asyncio.sleep(0.1)
    async with started(Parts(store, workflow=hosting(graph), new_id=old.new_id)) as new:
        await new.quiet()
        assert ran == ["paid Rome", "paid Rome"]
        assert cash.paid == ["Rome"]
        assert (await new.history())[-1] == ("assistant", "It is paid.")


async def test_marked_plain_node_that_outlives_its_task_is_one_line_of_the_receipt() -> None:
    cash = Cash()
    async with serving(chain(pays=cash.pays)) as parts:
        task = await parts.post("Pay")
        await until(cash.begun.is_set)
        await parts.runner.stop("ann", task)
        [(name, outcome, summary)] = await lines(parts, task)
        assert (name, outcome) == ("pays", "unknown")
        assert summary.startswith("a step that is still running, in a thread")
        cash.may_end.set()
        await until(lambda: "completed_after_interrupt" in str(parts.bus.published.entries))
        await parts.quiet()
        assert (await lines(parts, task))[0][:2] == ("pays", "completed_after_interrupt")
        assert len(await lines(parts, task)) == 1


async def test_marked_async_node_that_is_cut_short_says_that_its_threads_may_go_on() -> None:
    cash, begun = Cash(), asyncio.Event()

    async def pays(state: MessagesState) -> dict[str, Any]:
        begun.set()
        await asyncio.get_running_loop().create_future()
        return cash.pays(state)

    async with serving(chain(pays=pays)) as parts:
        task = await parts.post("Pay")
        await begun.wait()
        await parts.runner.stop("ann", task)
        assert await lines(parts, task) == [
            ("pays", "cancelled", "a step that was cut short; what it runs in threads of its own may go on")
        ]


async def test_marked_node_that_fails_or_asks_is_told_so() -> None:
    cash = Cash()
    cash.may_end.set()

    def asks(state: MessagesState) -> dict[str, Any]:
        if interrupt("Really?") == "no":
            raise ValueError("not paid")
        return cash.pays(state)

    async with serving(chain(asks=asks)) as parts:
        task = await parts.post("Pay")
        await until(lambda: "input_request" in str(parts.bus.published.entries))
        await parts.settled(task)
        await parts.post("yes")
        await parts.settled(task)
        assert await states(parts) == ["running", "waiting", "running", "completed"]
        assert await lines(parts, task) == [("asks", "completed", UNFOLLOWED)]
    async with serving(chain(asks=asks)) as parts:
        task = await parts.post("Pay")
        await until(lambda: "input_request" in str(parts.bus.published.entries))
        await parts.settled(task)
        await parts.post("no")
        await parts.settled(task)
        assert await lines(parts, task) == [("asks", "failed", "not paid")]
