"""Undeclared tools: each call enters the ledger by itself, and its receipt is true."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool, ToolException, tool
from langgraph.graph import MessagesState
from langgraph.types import interrupt

from backend.domain.errors import GraphFailedError
from backend.tasks.task_owner import TaskOwner
from backend.tasks.user_threads import UserThreads
from tests.contract.serving import call_states, lines, process, serving_threads, until_published
from tests.fakes.waiting import until
from tests.graphs.blocking import Door
from tests.graphs.building import pipeline
from tests.graphs.scripted_chat import ScriptedChat, calling
from tests.interruption.disk import DiskStore, Health
from tests.interruption.parts import started

pytestmark = pytest.mark.requirement("TOOLS-NOBODY-DECLARED")


def booking(*tools: BaseTool | Callable[..., Any], name: str = "book_hotel", **arguments: Any) -> Any:
    """Return an agent that calls a tool and then says so."""
    arguments = arguments or {"city": "Rome"}
    return create_agent(ScriptedChat(script=[calling(name, **arguments), "It is done."]), list(tools))


async def test_call_is_published_as_it_begins_and_ends_and_is_in_the_receipt() -> None:
    @tool
    async def book_hotel(city: str) -> str:
        """Book."""
        return f"booked {city}"

    async with serving_threads(booking(book_hotel)) as parts:
        await parts.settled(task := await parts.post("Book it"))
        assert await call_states(parts) == ["running", "completed"]
        assert await lines(parts, task) == [("book_hotel", "completed", "booked Rome")]
        [event] = [each for each in await parts.events() if each.get("state") == "completed"][:1]
        assert event["effect"] == "write"
        assert (await parts.history())[-1] == ("assistant", "It is done.")


async def test_failed_call_is_failed_also_if_the_agent_handles_it() -> None:
    @tool
    async def book_hotel(city: str) -> str:
        """Book."""
        raise ToolException(f"{city} is full")

    book_hotel.handle_tool_error = True
    async with serving_threads(booking(book_hotel)) as parts:
        await parts.settled(task := await parts.post("Book it"))
        assert await lines(parts, task) == [("book_hotel", "failed", "Rome is full")]

    @tool
    async def raises(city: str) -> str:
        """Book."""
        raise ValueError(f"{city} is closed")

    async with serving_threads(booking(raises, name="raises")) as parts:
        await parts.settled(task := await parts.post("Book it"))
        assert await lines(parts, task) == [("raises", "failed", "Rome is closed")]


async def test_interrupted_async_call_is_cancelled_in_the_receipt() -> None:
    entered, left = asyncio.Event(), asyncio.Event()

    @tool
    async def book_hotel(city: str) -> str:
        """Book."""
        entered.set()
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            left.set()
        return city

    async with serving_threads(booking(book_hotel)) as parts:
        task = await parts.post("Book it")
        await entered.wait()
        await parts.runner.stop("ann", task)
        assert left.is_set()
        [(name, outcome, summary)] = await lines(parts, task)
        assert (name, outcome) == ("book_hotel", "cancelled")
        assert "may have had an effect" in summary
        assert "Book hotel was cut short" in (await parts.history())[-1][1]


@pytest.mark.parametrize("ends", [True, False])
async def test_call_left_behind_in_an_asyncio_task_is_running_then_ended_or_cancelled(ends: bool) -> None:
    may_end, left = asyncio.Event(), list[asyncio.Task[Any]]()

    @tool
    async def book_hotel(city: str) -> str:
        """Book."""
        await may_end.wait()
        return f"booked {city}"

    async def node(_state: MessagesState) -> dict[str, Any]:
        left.append(TaskOwner().spawn(book_hotel.ainvoke({"city": "Rome"}), name="left behind"))
        await until(lambda: "running" in str(parts.bus.published.entries))
        return {"messages": [AIMessage("It is on its way.")]}

    async with serving_threads(pipeline(node=node)) as parts:
        await parts.settled(task := await parts.post("Book it"))
        assert (await lines(parts, task))[0][1:] == (
            "unknown",
            "still running, in an asyncio task that its node has left behind",
        )
        may_end.set() if ends else left[0].cancel()
        await asyncio.wait(left)
        await until_published(parts, "booked Rome" if ends else "cut short")
        await parts.quiet()
        assert (await lines(parts, task))[0][1] == ("completed_after_interrupt" if ends else "cancelled")


async def test_thread_of_a_call_that_was_cut_short_never_begins() -> None:
    door = Door()

    @tool
    async def book_hotel(city: str) -> str:
        """Book."""
        await asyncio.to_thread(door.wait)
        return city

    async def node(_state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage(await book_hotel.ainvoke({"city": "Rome"}))]}

    async with serving_threads(pipeline(node=node)) as parts:
        loop, blocked = asyncio.get_running_loop(), threading.Event()
        loop.set_default_executor(UserThreads(in_all=1))
        thread = loop.run_in_executor(None, blocked.wait, 20)
        task = await parts.post("Book it")
        await until(lambda: "running" in [each.get("state") for each in parts.bus.published.entries])
        await parts.runner.stop("ann", task)
        blocked.set()
        await thread
        assert (await lines(parts, task))[0][1] == "cancelled"
        assert not door.reached.is_set()


async def test_call_that_asks_its_user_is_one_call() -> None:
    @tool
    async def book_hotel(city: str) -> str:
        """Book."""
        return f"booked {city} for {interrupt('For whom?')}"

    async with serving_threads(booking(book_hotel)) as parts:
        task = await parts.post("Book it")
        await until_published(parts, "input_request")
        await parts.settled(task)
        await parts.post("Ann")
        await parts.settled(task)
        assert await lines(parts, task) == [("book_hotel", "completed", "booked Rome for Ann")]
        assert await call_states(parts) == ["running", "waiting", "running", "completed"]


async def test_thread_that_outlives_its_task_begins_no_further_tool() -> None:
    door, refused, booked = Door(), threading.Event(), list[str]()

    @tool
    def look(city: str) -> str:
        """Look."""
        door.wait()
        return city

    @tool
    def book_hotel(city: str) -> str:
        """Book."""
        booked.append(city)
        return city

    def node(_state: MessagesState) -> dict[str, Any]:
        look.invoke({"city": "Rome"})
        with pytest.raises(GraphFailedError, match="interrupted before book_hotel began"):
            book_hotel.invoke({"city": "Rome"})
        refused.set()
        return {"messages": [AIMessage("done")]}

    async with serving_threads(pipeline(node=node)) as parts:
        task = await parts.post("Book it")
        await until(door.reached.is_set)
        await parts.runner.stop("ann", task)
        door.open()
        await until(refused.is_set)
        assert booked == []
        assert [tool for tool, _, _ in await lines(parts, task)] == ["look"]


@pytest.mark.virtual_time
async def test_call_that_the_store_cannot_keep_does_not_begin() -> None:
    booked: list[str] = []

    @tool
    async def book_hotel(city: str) -> str:
        """Book."""
        booked.append(city)
        return city

    async def node(_state: MessagesState) -> dict[str, Any]:
        parts.store.health = Health.REFUSES
        await book_hotel.ainvoke({"city": "Rome"})
        return {}

    parts = process(pipeline(node=node), DiskStore())
    async with started(parts):
        task = await parts.post("Book it")
        await asyncio.sleep(1)
        parts.store.health = Health.WELL
        await parts.settled(task)
        assert booked == []
        assert (await parts.task(task)).status == "failed"


async def test_calls_of_an_agent_within_an_agent_belong_to_the_outermost_node() -> None:
    @tool
    async def book_hotel(city: str) -> str:
        """Book."""
        return f"booked {city}"

    async with serving_threads(pipeline(travel=booking(book_hotel))) as parts:
        await parts.settled(task := await parts.post("Book it"))
        calls = await parts.store.get_tool_calls("ann", (await parts.task(task)).turn)
        assert [(each.agent, each.arguments) for each in calls] == [("travel", {"city": "Rome"})]
