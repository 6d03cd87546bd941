"""Steps of a graph that a thread still runs when their task has ended are reported, and so is their end."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Send
from structlog.testing import capture_logs

from backend.tasks.ledger import observed as steps
from backend.tasks.ledger.observed import (
    PROCESS_ENDED,
    STEP_ENDED,
    STEP_FAILED,
    STEP_NOT_ENDING,
    STEP_PROCESS_ENDED,
    STEP_RUNS_ON,
    STILL_RUNNING,
)
from tests.contract.serving import lines, serving_threads, until_published
from tests.contract.test_followed_tools import booking
from tests.fakes.waiting import until
from tests.graphs.blocking import Door
from tests.graphs.building import beside, pipeline
from tests.interruption.parts import Parts
from tests.interruption.script import Script

pytestmark = pytest.mark.requirement("STEPS-THAT-RUN-ON")

NO_MORE: dict[str, Any] = {}


@pytest.fixture
def door() -> Door:
    return Door()


def plain(door: Door) -> Callable[[MessagesState], dict[str, Any]]:
    """Return a node that blocks its thread."""

    def book(_state: MessagesState) -> dict[str, Any]:
        door.wait()
        return {"messages": [AIMessage("booked")]}

    return book


async def quick(_state: MessagesState) -> dict[str, Any]:
    return NO_MORE


async def interrupted(parts: Parts, door: Door) -> str:
    """Post a message, and stop it once its thread waits at the door."""
    ended = await parts.post("Book it")
    await until(door.reached.is_set)
    await parts.runner.stop("ann", ended)
    return ended


async def none_outlives(parts: Parts) -> None:
    """Wait until nothing runs on that has outlived its task."""
    await until(lambda: parts.ledger.standing()["outliving"] == 0)
    await parts.quiet()


async def test_plain_node_that_outlives_its_task_is_running_then_ended(door: Door) -> None:
    async with serving_threads(pipeline(book=plain(door))) as parts:
        task_id = await interrupted(parts, door)
        assert await lines(parts, task_id) == [("book", "unknown", STEP_RUNS_ON)]
        [line] = (await parts.receipt(task_id))["tool_calls"]
        assert (line["kind"], line["effect"]) == ("step", "write")
        assert (await parts.history())[-1][1].endswith(f"Still running: book, {STEP_RUNS_ON}.")
        [now] = parts.runner.still_running("ann")
        assert (now["task_id"], now["kind"], now["name"]) == (task_id, "step", "book")
        assert parts.runner.still_running("bob") == []
        assert parts.ledger.standing()["outliving"] == 1
        door.open()
        await none_outlives(parts)
        assert await lines(parts, task_id) == [("book", "completed_after_interrupt", STEP_ENDED)]
        assert (await parts.receipt(task_id))["amendments"] == 1
        assert (await parts.history())[-1] == ("system", f"No longer running: book, {STEP_ENDED}.")
        assert parts.runner.still_running("ann") == []


async def test_step_that_ends_before_its_task_has_no_entry(door: Door) -> None:
    async def wait(_state: MessagesState) -> dict[str, Any]:
        door.reached.set()
        await asyncio.get_running_loop().create_future()
        return NO_MORE

    def book(_state: MessagesState) -> dict[str, Any]:
        return NO_MORE

    async with serving_threads(pipeline(book=book, wait=wait)) as parts:
        assert await lines(parts, await interrupted(parts, door)) == []
        assert parts.ledger.standing()["outliving"] == 0


async def test_thread_left_by_a_whole_run_has_no_entry(door: Door) -> None:
    async def book(_state: MessagesState) -> dict[str, Any]:
        asyncio.get_running_loop().run_in_executor(None, door.wait)
        return NO_MORE

    async with serving_threads(pipeline(book=book)) as parts:
        await parts.settled(task_id := await parts.post("Book it"))
        assert (await parts.task(task_id)).status == "completed"
        assert await lines(parts, task_id) == []
        door.open()
        await until(door.passed.is_set)


async def test_plain_node_beside_one_that_fails_is_reported_with_the_failure(door: Door) -> None:
    async def fail(_state: MessagesState) -> dict[str, Any]:
        await until(door.reached.is_set)
        raise ValueError("no")

    async with serving_threads(beside(("book", plain(door)), ("fail", fail), state=MessagesState)) as parts:
        await parts.settled(task_id := await parts.post("Book it"))
        assert (await parts.task(task_id)).status == "failed"
        assert await lines(parts, task_id) == [("book", "unknown", STEP_RUNS_ON)]
        assert f"Still running: book, {STEP_RUNS_ON}." in (await parts.history())[-1][1]
        door.open()
        await none_outlives(parts)
        assert await lines(parts, task_id) == [("book", "completed_after_interrupt", STEP_ENDED)]


async def test_tool_in_a_plain_node_is_reported_in_place_of_the_node(door: Door) -> None:
    @tool
    def book_hotel(city: str) -> str:
        """Book."""
        door.wait()
        return city

    def book(_state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage(book_hotel.invoke({"city": "Rome"}))]}

    async with serving_threads(pipeline(book=book)) as parts:
        task_id = await interrupted(parts, door)
        assert [name for name, _, _ in await lines(parts, task_id)] == ["book_hotel"]
        door.open()
        await none_outlives(parts)


@pytest.mark.virtual_time
async def test_async_node_that_ignores_its_end_is_reported_and_so_is_its_end() -> None:
    cancelled, may_end = asyncio.Event(), asyncio.Event()

    async def book(_state: MessagesState) -> dict[str, Any]:
        while not may_end.is_set():
            with suppress(asyncio.CancelledError):
                await may_end.wait()
            cancelled.set()
        return NO_MORE

    async with serving_threads(pipeline(book=book)) as parts:
        task_id = await parts.post("Book it")
        await until_published(parts, "working")
        await parts.runner.stop("ann", task_id)
        await parts.settled(task_id)
        assert cancelled.is_set()
        assert await lines(parts, task_id) == [("book", "unknown", STEP_NOT_ENDING)]
        may_end.set()
        await none_outlives(parts)
        [(_, outcome, summary)] = await lines(parts, task_id)
        assert (outcome, summary) == ("cancelled", STEP_ENDED)


async def test_step_of_a_process_that_died_is_reported_as_ended(door: Door) -> None:
    hotel = Door()
    book_hotel = tool(description="Book.")(blocking_booking(hotel))
    both = beside(("book", plain(door)), ("agent", booking(book_hotel)), state=MessagesState)
    async with serving_threads(both) as parts:
        task_id = await parts.post("Book it")
        await until(lambda: door.reached.is_set() and hotel.reached.is_set())
        await parts.runner.stop("ann", task_id)
        told = {name: outcome for name, outcome, _ in await lines(parts, task_id)}
        store = parts.store
        assert told["book"] == "unknown"
        next_process = Parts(store, workflow=Script().wire)
        await next_process.open()
        await next_process.quiet()
        ended = {name: (outcome, summary) for name, outcome, summary in await lines(next_process, task_id)}
        assert ended["book"] == ("unknown", STEP_PROCESS_ENDED)
        assert ended["book_hotel"] == ("unknown", PROCESS_ENDED)
        said = [text for _, text in await next_process.history()]
        assert f"No longer running: book, {STEP_PROCESS_ENDED}." in said
        assert f"No longer running: book hotel {PROCESS_ENDED}." in said
        amended = (await next_process.receipt(task_id))["amendments"]
        again = Parts(store, workflow=Script().wire)
        await again.open()
        assert (await again.receipt(task_id))["amendments"] == amended
        door.open()
        hotel.open()
        await none_outlives(parts)


def blocking_booking(door: Door) -> Callable[[str], str]:
    def book_hotel(city: str) -> str:
        door.wait()
        return f"booked {city}"

    return book_hotel


def edge(door: Door) -> Any:
    def choose(_state: MessagesState) -> str:
        door.wait()
        return END

    graph = StateGraph(MessagesState)
    graph.add_node("choose", quick)
    graph.add_edge(START, "choose")
    graph.add_conditional_edges("choose", choose, [END])
    return graph.compile()


def first_edge(door: Door) -> Any:
    def choose(_state: MessagesState) -> str:
        door.wait()
        return "book"

    graph = StateGraph(MessagesState)
    graph.add_node("book", quick)
    graph.add_conditional_edges(START, choose, ["book"])
    return graph.compile()


def subgraph(door: Door) -> Any:
    return pipeline(travel=pipeline(book=plain(door)))


def thread_of_async_node(door: Door) -> Any:
    async def book(_state: MessagesState) -> dict[str, Any]:
        await asyncio.to_thread(door.wait)
        return NO_MORE

    return pipeline(book=book)


def async_node_that_swallows_its_cancellation(door: Door) -> Any:
    async def book(_state: MessagesState) -> dict[str, Any]:
        with suppress(asyncio.CancelledError):
            await asyncio.to_thread(door.wait)
        return NO_MORE

    return pipeline(book=book)


def sent(door: Door) -> Any:
    """Return a graph that sends the same node three times: the steps of one name are one line."""
    graph = StateGraph(MessagesState)
    graph.add_node("split", quick)
    graph.add_node("book", plain(door))
    graph.add_edge(START, "split")
    graph.add_conditional_edges("split", lambda _state: [Send("book", {"messages": []})] * 3, ["book"])
    return graph.compile()


def function(door: Door) -> Any:
    @task
    def book() -> str:
        door.wait()
        return "booked"

    @entrypoint()
    async def whole(message: str) -> str:
        return await book()

    return whole


def nothing_but_a_function(door: Door) -> Any:
    @entrypoint()
    def whole(message: str) -> str:
        door.wait()
        return "booked"

    return whole


def node_of_unseen_tools(door: Door) -> Any:
    """Return a graph whose node calls a tool in a thread of its own, which nothing follows."""
    book_hotel = tool(description="Book.")(blocking_booking(door))

    def book(_state: MessagesState) -> dict[str, Any]:
        with ThreadPoolExecutor() as pool:
            return {"messages": [AIMessage(pool.submit(book_hotel.invoke, {"city": "Rome"}).result())]}

    return pipeline(book=book)


def plain_tool(door: Door) -> Any:
    return booking(tool(description="Book.")(blocking_booking(door)))


def thread_of_async_tool(door: Door) -> Any:
    @tool
    async def book_hotel(city: str) -> str:
        """Book."""
        return await asyncio.to_thread(blocking_booking(door), city)

    return booking(book_hotel)


STEP = (STEP_RUNS_ON, STEP_ENDED)
CALL = (STILL_RUNNING, "booked Rome")


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED")
@pytest.mark.parametrize(
    ("graph", "name", "summaries"),
    [
        (edge, "choose", STEP),
        (first_edge, "__start__", STEP),
        (subgraph, "book", STEP),
        (thread_of_async_node, "book", STEP),
        (async_node_that_swallows_its_cancellation, "book", STEP),
        (sent, "book", STEP),
        (function, "book", STEP),
        (nothing_but_a_function, "whole", STEP),
        (node_of_unseen_tools, "book", STEP),
        (plain_tool, "book_hotel", CALL),
        (thread_of_async_tool, "book_hotel", CALL),
    ],
)
async def test_thread_that_outlives_its_task_is_reported_once_by_its_name(
    door: Door, graph: Any, name: str, summaries: tuple[str, str]
) -> None:
    runs_on, ended = summaries
    async with serving_threads(graph(door)) as parts:
        task_id = await interrupted(parts, door)
        assert await lines(parts, task_id) == [(name, "unknown", runs_on)]
        assert "still running" in (await parts.history())[-1][1].lower()
        door.open()
        await none_outlives(parts)
        assert await lines(parts, task_id) == [(name, "completed_after_interrupt", ended)]


STEP_HAS_FAILED = "a step that outlived its run has failed"


def after_its_tool(hotel: Door, door: Door) -> Any:
    """Return a graph whose plain node blocks in a tool, and then again by itself."""
    book_hotel = tool(description="Book.")(blocking_booking(hotel))

    def book(_state: MessagesState) -> dict[str, Any]:
        book_hotel.invoke({"city": "Rome"})
        door.wait()
        return NO_MORE

    return pipeline(book=book)


async def test_plain_node_that_runs_on_after_its_tool_is_reported_as_itself(door: Door) -> None:
    hotel = Door()
    async with serving_threads(after_its_tool(hotel, door)) as parts:
        task_id = await interrupted(parts, hotel)
        assert [name for name, _, _ in await lines(parts, task_id)] == ["book_hotel"]
        hotel.open()
        await until(lambda: [each["name"] for each in parts.runner.still_running("ann")] == ["book"])
        await until(door.reached.is_set)
        await parts.quiet()
        outcomes = {name: (outcome, summary) for name, outcome, summary in await lines(parts, task_id)}
        assert outcomes["book"] == ("unknown", STEP_RUNS_ON)
        assert outcomes["book_hotel"][0] == "completed_after_interrupt"
        assert ("system", f"Still running: book, {STEP_RUNS_ON}.") in await parts.history()
        [*_, call] = await parts.store.unsettled_tool_calls("ann")
        assert (call.tool, call.is_step) == ("book", True)
        door.open()
        await none_outlives(parts)
        assert (await lines(parts, task_id))[-1] == ("book", "completed_after_interrupt", STEP_ENDED)
        assert (await parts.history())[-1] == ("system", f"No longer running: book, {STEP_ENDED}.")


async def test_step_that_returns_from_its_tool_after_its_user_was_deleted_is_not_reported(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "REPORT_AFTER_S", 0)
    hotel, looked = Door(), iter(range(100))
    async with serving_threads(after_its_tool(hotel, door)) as parts:
        await interrupted(parts, hotel)
        await parts.runner.delete_user("ann")
        hotel.open()
        await until(door.reached.is_set)
        await until(lambda: next(looked) == 99)
        await parts.quiet()
        assert parts.runner.still_running("ann") == []
        assert parts.ledger.standing()["outliving"] == 0
        door.open()
        await until(door.passed.is_set)
        await parts.quiet()
        assert await parts.history() == []


async def test_error_of_one_thread_of_a_step_is_reported_whichever_ends_last(door: Door) -> None:
    failing = Door()

    def fail() -> None:
        failing.wait()
        raise ValueError("the words of the error are in the log alone")

    async def book(_state: MessagesState) -> dict[str, Any]:
        async with asyncio.TaskGroup() as both:
            both.create_task(asyncio.to_thread(fail))
            both.create_task(asyncio.to_thread(door.wait))
        return NO_MORE

    async with serving_threads(pipeline(book=book)) as parts:
        with capture_logs() as logs:
            task_id = await parts.post("Book it")
            await until(lambda: door.reached.is_set() and failing.reached.is_set())
            await parts.runner.stop("ann", task_id)
            failing.open()
            await until(lambda: any(each["event"] == STEP_HAS_FAILED for each in logs))
            assert parts.ledger.standing()["outliving"] == 1
            door.open()
            await none_outlives(parts)
        assert await lines(parts, task_id) == [("book", "failed", STEP_FAILED)]
        assert [each["event"] for each in logs].count(STEP_HAS_FAILED) == 1
