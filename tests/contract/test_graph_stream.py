"""What nodes write becomes partial results of the right agent; each node is reported working, then done."""

import asyncio
import threading
from dataclasses import dataclass
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, ChatMessage
from langchain_core.tools import tool
from langgraph.cache.memory import InMemoryCache
from langgraph.config import get_stream_writer
from langgraph.func import task
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.runtime import Runtime
from langgraph.types import CachePolicy, Command, RetryPolicy, Send, StreamWriter
from pydantic import BaseModel

from backend.domain.errors import DetourError
from backend.domain.task import TaskStatus
from tests.contract.hosting import Hosting
from tests.graphs.building import State, chain

# --- who wrote it ------------------------------------------------------------------------------------


async def search(state: State) -> State:
    get_stream_writer()({"city": "Rome"})
    return {}


def search_in_thread(state: State) -> State:
    assert threading.current_thread() is not threading.main_thread()
    get_stream_writer()({"city": "Rome"})
    return {}


async def search_by_runtime(state: State, runtime: Runtime) -> State:
    runtime.stream_writer({"city": "Rome"})
    return {}


async def search_in_helper_thread(state: State) -> State:
    await asyncio.to_thread(get_stream_writer(), {"city": "Rome"})
    return {}


async def search_in_asyncio_task(state: State) -> State:
    async with asyncio.TaskGroup() as group:
        group.create_task(search(state))
    return {}


@task
async def look_up(city: str) -> str:
    get_stream_writer()({"city": city})
    return city


async def search_by_functional_task(state: State) -> State:
    await look_up("Rome")
    return {}


async def search_by_subgraph(state: State) -> State:
    return await chain(search).ainvoke(state)


WAYS = [
    search,
    search_in_thread,
    search_by_runtime,
    search_in_helper_thread,
    search_in_asyncio_task,
    search_by_functional_task,
    search_by_subgraph,
    chain(search),
    chain(search_in_thread),
    chain(("innermost", chain(("inner", search)))),
]


@pytest.mark.parametrize("way", WAYS)
async def test_write_of_any_kind_is_published_between_start_and_end_of_its_node(way: Any) -> None:
    hosting = Hosting(chain(("cities", way)))
    await hosting.reply()
    assert hosting.published == [("cities", "working"), ("cities", [{"city": "Rome"}]), ("cities", "done")]


async def test_write_of_a_tool_belongs_to_the_node_that_calls_it() -> None:
    @tool
    async def find_city(name: str) -> str:
        """Find a city."""
        get_stream_writer()({"city": name})
        return name

    async def choose(state: MessagesState) -> Any:
        call = {"name": "find_city", "args": {"name": "Rome"}, "id": "1", "type": "tool_call"}
        return {"messages": [AIMessage("", tool_calls=[call])]}

    hosting = Hosting(chain(choose, ("tools", ToolNode([find_city])), state=MessagesState))
    await hosting.reply()
    assert hosting.found == [("tools", [{"city": "Rome"}])]


# --- what is made of it ------------------------------------------------------------------------------

WRITTEN = [
    ("a line", ("node", ["a line"])),
    (None, ("node", [None])),
    ({"agent": "hotel", "price": 2}, ("hotel", [{"agent": "hotel", "price": 2}])),
    ({"agent": "hotel", "items": [1, 2]}, ("hotel", [1, 2])),
    ({"source": "archive", "items": (1, 2)}, ("node", [1, 2])),
    ({"items": "two"}, ("node", [{"items": "two"}])),
    ({"agent": 5, "items": [1]}, ("node", [1])),
]


@pytest.mark.parametrize(("value", "found"), WRITTEN)
async def test_written_mapping_may_name_agent_source_and_items(value: Any, found: Any) -> None:
    async def node(state: State, writer: StreamWriter) -> State:
        writer(value)
        return {}

    hosting = Hosting(chain(node))
    await hosting.reply()
    assert hosting.found == [found]
    [event] = [each for each in hosting.events if each["type"] == "partial_result"]
    assert event["source"] == ("archive" if "archive" in str(value) else None)


@pytest.mark.parametrize("in_thread", [False, True])
async def test_written_value_may_change_afterwards(in_thread: bool) -> None:
    def write_twice(write: StreamWriter) -> None:
        value = {"nth": 1}
        write(value)
        value["nth"] = 2
        write(value)

    async def node(state: State, writer: StreamWriter) -> State:
        await asyncio.to_thread(write_twice, writer) if in_thread else write_twice(writer)
        return {}

    hosting = Hosting(chain(node))
    await hosting.reply()
    assert [item for _node, items in hosting.found for item in items] == [{"nth": 1}, {"nth": 2}]


@pytest.mark.parametrize("in_thread", [False, True])
@pytest.mark.parametrize("swallows", [False, True])
async def test_graph_that_shows_too_much_fails_and_keeps_what_it_showed(
    in_thread: bool, swallows: bool
) -> None:
    refused = 0

    async def node(state: State, writer: StreamWriter) -> State:
        nonlocal refused
        while refused < 3:
            try:
                await asyncio.to_thread(writer, "x" * 100) if in_thread else writer("x" * 100)
            except DetourError:
                refused += 1
                if not swallows:
                    raise
        return {"answer": "all is well"}

    hosting = Hosting(chain(node), most_shown=1000)
    await hosting.start()
    assert (await hosting.ended()).status is TaskStatus.FAILED
    assert "more than 0.000954 MiB" in await hosting.last_message()
    shown = [item for _, items in hosting.found for item in items]
    assert shown == ["x" * 100] * 4
    kept = await hosting.store.get_partials("ann", 1)
    assert sum(saved.found.count for saved in kept if saved.found) == len(shown)


class Fare(BaseModel):
    amount: int


def holding_itself() -> list[Any]:
    circle: list[Any] = [Fare(amount=1)]
    circle.append(circle)
    return circle


NO_JSON = [
    object(),
    holding_itself(),
    {"when": {1: "number as key"}},
    {"agent": "\ud800", "items": [1]},
    {"items": [b"bytes"]},
]


@pytest.mark.parametrize("value", NO_JSON)
@pytest.mark.parametrize("in_thread", [False, True])
async def test_value_without_json_form_fails_its_node(value: Any, in_thread: bool) -> None:
    async def write(state: State) -> State:
        writer = get_stream_writer()
        writer("before")
        await asyncio.to_thread(writer, value) if in_thread else writer(value)
        return {}

    hosting = Hosting(chain(write))
    await hosting.start()
    assert (await hosting.ended()).status is TaskStatus.FAILED
    assert (await hosting.last_message()).startswith("The node 'write' wrote what has no JSON form: ")
    assert hosting.published == [("write", "working"), ("write", ["before"]), ("write", "failed")]


# --- when a node works and when it is done -----------------------------------------------------------


async def quiet(state: State) -> State:
    return {}


async def test_nodes_work_and_are_done_in_order() -> None:
    hosting = Hosting(chain(("first", quiet), ("second", quiet)))
    await hosting.reply()
    assert hosting.published == [
        ("first", "working"),
        ("first", "done"),
        ("second", "working"),
        ("second", "done"),
    ]


async def test_subgraph_is_one_agent() -> None:
    inner = chain(("whole", quiet), ("other", quiet), ("last", quiet))
    hosting = Hosting(chain(("whole", inner), ("last", quiet)))
    await hosting.reply()
    assert hosting.published == [
        ("whole", "working"),
        ("whole", "done"),
        ("last", "working"),
        ("last", "done"),
    ]


async def test_node_that_comes_round_again_works_again() -> None:
    async def count(state: State) -> Any:
        found = len(state["found"])
        return Command(update={"found": [found]}, goto="count" if found == 0 else END)

    hosting = Hosting(chain(count))
    await hosting.reply()
    assert hosting.published == [("count", "working"), ("count", "done")] * 2


def fan_out(node: Any, count: int) -> Any:
    """A graph that sends one node several inputs at once."""

    async def share_out(state: State) -> list[Send]:
        return [Send("part", {"message": str(nth)}) for nth in range(count)]

    builder = StateGraph(State)
    builder.add_node("part", node)
    builder.add_conditional_edges(START, share_out, ["part"])
    return builder.compile()


async def test_node_of_several_runs_is_done_with_the_last() -> None:
    hosting = Hosting(fan_out(quiet, 3))
    await hosting.reply()
    assert hosting.published == [
        ("part", "working"),
        ("part", "working", 1, 3),
        ("part", "working", 2, 3),
        ("part", "done", 3, 3),
    ]


@pytest.mark.requirement("FAILURES-STAY-ALONE")
async def test_node_fails_with_one_of_its_runs() -> None:
    async def fail_second(state: State) -> State:
        if state["message"] == "1":
            raise ValueError("no such part")
        await asyncio.Event().wait()
        return {}

    hosting = Hosting(fan_out(fail_second, 3))
    with pytest.raises(ValueError, match="no such part"):
        await hosting.reply()
    assert hosting.published[-1] == ("part", "failed", 3, 3)


async def test_node_that_is_retried_works_once() -> None:
    tries: list[str] = []

    async def flaky(state: State) -> State:
        tries.append("again")
        if len(tries) == 1:
            raise ConnectionError
        return {}

    builder = StateGraph(State)
    builder.add_node("flaky", flaky, retry_policy=RetryPolicy(initial_interval=0, jitter=False))
    builder.add_edge(START, "flaky")
    hosting = Hosting(builder.compile())
    await hosting.reply()
    assert len(tries) == 2
    assert hosting.published == [("flaky", "working"), ("flaky", "done")]


async def test_node_whose_error_is_handled_has_failed() -> None:
    async def fail(state: State) -> State:
        raise ValueError("no such city")

    async def handle(state: State) -> State:
        return {"answer": "handled"}

    builder = StateGraph(State)
    builder.add_node("fail", fail, error_handler=handle)
    builder.add_edge(START, "fail")
    hosting = Hosting(builder.compile())
    assert await hosting.reply() == "handled"
    assert hosting.published == [("fail", "working"), ("fail", "failed")]


async def test_cached_node_is_done_too() -> None:
    builder = StateGraph(State)
    builder.add_node("slow", quiet, cache_policy=CachePolicy())
    builder.add_node("last", quiet)
    builder.add_edge(START, "slow")
    builder.add_edge("slow", "last")
    graph = builder.compile(cache=InMemoryCache())
    first, second = Hosting(graph), Hosting(graph)
    await first.reply()
    await second.reply()
    assert first.published == second.published
    assert second.published[:2] == [("slow", "working"), ("slow", "done")]


@dataclass
class Offer:
    price: Fare


OBJECTS: list[tuple[Any, str, dict[str, Any]]] = [
    (
        ChatMessage(content=[{"state": "running"}], role="custom"),
        "write",
        {"type": "chat", "role": "custom", "content": [{"state": "running"}]},
    ),
    (AIMessage("It is sunny."), "write", {"type": "ai", "content": "It is sunny."}),
    (AIMessageChunk("It"), "write", {"type": "AIMessageChunk", "content": "It"}),
    (Fare(amount=9), "write", {"amount": 9}),
    (Offer(Fare(amount=9)), "write", {"price": {"amount": 9}}),
    ({"agent": "hotel", "items": [Fare(amount=9)]}, "hotel", {"amount": 9}),
    ({"offers": (Fare(amount=9),)}, "write", {"offers": [{"amount": 9}]}),
]


@pytest.mark.requirement("FOUND-IS-KEPT")
@pytest.mark.parametrize(("value", "agent", "fields"), OBJECTS)
@pytest.mark.parametrize("in_thread", [False, True])
async def test_written_object_is_published_as_the_mapping_of_its_fields(
    value: Any, agent: str, fields: dict[str, Any], in_thread: bool
) -> None:
    async def write(state: State) -> State:
        writer = get_stream_writer()
        await asyncio.to_thread(writer, value) if in_thread else writer(value)
        return {}

    hosting = Hosting(chain(write))
    await hosting.start()
    assert (await hosting.ended()).status is TaskStatus.COMPLETED
    [(shown_as, [shown])] = hosting.found
    assert shown_as == agent
    assert shown | fields == shown
