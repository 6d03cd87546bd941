"""What nodes write becomes partial results of the right agent, and each node is told to work, then done."""

import asyncio
import threading
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.cache.memory import InMemoryCache
from langgraph.config import get_stream_writer
from langgraph.func import task
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.runtime import Runtime
from langgraph.types import CachePolicy, Command, RetryPolicy, Send, StreamWriter

from backend.domain.errors import DetourError
from backend.domain.task import TaskStatus
from backend.graphs.graph_output import GraphFailedError
from tests.contract.hosting import Hosting
from tests.graphs.building import State, beside, chain

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


async def search_by_parameter(state: State, writer: StreamWriter) -> State:
    writer({"city": "Rome"})
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


def search_by_subgraph_in_thread(state: State) -> State:
    return chain(search_in_thread).invoke(state)


WAYS = [
    search,
    search_in_thread,
    search_by_runtime,
    search_by_parameter,
    search_in_helper_thread,
    search_in_asyncio_task,
    search_by_functional_task,
    search_by_subgraph,
    search_by_subgraph_in_thread,
    chain(search),
    chain(search_in_thread),
    chain(("innermost", chain(("inner", search)))),
]


@pytest.mark.parametrize("node", WAYS)
async def test_whatever_way_a_node_writes_it_is_published_between_its_start_and_its_end(node: Any) -> None:
    hosting = Hosting(chain(("cities", node)))
    await hosting.reply()
    assert hosting.told == [("cities", "working"), ("cities", [{"city": "Rome"}]), ("cities", "done")]


async def test_what_a_tool_writes_is_found_by_the_node_that_calls_it() -> None:
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


@pytest.mark.parametrize("in_thread", [False, True])
async def test_what_parallel_nodes_write_in_turn_is_told_apart(in_thread: bool) -> None:
    async def write_often(state: State) -> State:
        write = get_stream_writer()
        for nth in range(3):
            await asyncio.to_thread(write, nth) if in_thread else write(nth)
            await asyncio.sleep(0)
        return {}

    hosting = Hosting(beside(("flight", write_often), ("hotel", write_often)))
    await hosting.reply()
    for agent in ("flight", "hotel"):
        assert [items for name, items in hosting.found if name == agent] == [[0], [1], [2]]


# --- what is made of it ------------------------------------------------------------------------------

WRITTEN = [
    ("a line", ("node", ["a line"])),
    (7, ("node", [7])),
    (None, ("node", [None])),
    ([1, 2], ("node", [[1, 2]])),
    ({"price": 1.5}, ("node", [{"price": 1.5}])),
    ({"agent": "hotel", "price": 2}, ("hotel", [{"agent": "hotel", "price": 2}])),
    ({"agent": "hotel", "items": [1, 2]}, ("hotel", [1, 2])),
    ({"items": (1, 2)}, ("node", [1, 2])),
    ({"items": "two"}, ("node", [{"items": "two"}])),
    ({"agent": 5, "items": [1]}, ("node", [1])),
    ({"agent": "", "items": [1]}, ("node", [1])),
]


@pytest.mark.parametrize(("value", "found"), WRITTEN)
async def test_a_mapping_may_name_agent_and_items_and_any_other_value_is_one_item(
    value: Any, found: Any
) -> None:
    async def node(state: State, writer: StreamWriter) -> State:
        writer(value)
        return {}

    hosting = Hosting(chain(node))
    await hosting.reply()
    assert hosting.found == [found]


async def test_a_mapping_may_name_its_source() -> None:
    async def node(state: State, writer: StreamWriter) -> State:
        writer({"source": "archive", "items": [1]})
        return {}

    hosting = Hosting(chain(node))
    await hosting.reply()
    assert [each["source"] for each in hosting.events if each["type"] == "partial_result"] == ["archive"]


async def test_no_items_are_nothing_to_tell() -> None:
    async def node(state: State, writer: StreamWriter) -> State:
        writer({"items": []})
        return {}

    hosting = Hosting(chain(node))
    await hosting.reply()
    assert hosting.found == []


@pytest.mark.parametrize("in_thread", [False, True])
async def test_a_node_may_change_afterwards_what_it_wrote(in_thread: bool) -> None:
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
async def test_a_graph_that_shows_too_much_fails_and_what_it_showed_is_kept(
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


NO_JSON = [object(), {"when": {1: "number as key"}}, {"agent": "\ud800", "items": [1]}, {"items": [b"bytes"]}]


@pytest.mark.parametrize("value", NO_JSON)
@pytest.mark.parametrize("in_thread", [False, True])
async def test_a_node_that_writes_what_has_no_json_form_fails_with_a_plain_sentence(
    value: Any, in_thread: bool
) -> None:
    async def write(state: State) -> State:
        writer = get_stream_writer()
        writer("before")
        await asyncio.to_thread(writer, value) if in_thread else writer(value)
        return {}

    hosting = Hosting(chain(write))
    await hosting.start()
    assert (await hosting.ended()).status is TaskStatus.FAILED
    assert (await hosting.last_message()).startswith("The node 'write' wrote what has no JSON form: ")
    assert hosting.told == [("write", "working"), ("write", ["before"]), ("write", "failed")]


async def test_a_node_that_minds_its_own_mistake_goes_on() -> None:
    async def write(state: State, writer: StreamWriter) -> State:
        with pytest.raises(GraphFailedError):
            writer(object())
        return {"answer": "went on"}

    assert await Hosting(chain(write)).reply() == "went on"


# --- when a node works and when it is done -----------------------------------------------------------


async def quiet(state: State) -> State:
    return {}


async def test_nodes_are_told_to_work_and_to_be_done_in_the_order_in_which_they_run() -> None:
    hosting = Hosting(chain(("first", quiet), ("second", quiet)))
    await hosting.reply()
    assert hosting.told == [
        ("first", "working"),
        ("first", "done"),
        ("second", "working"),
        ("second", "done"),
    ]


async def test_a_subgraph_is_one_agent_whatever_its_nodes_are_called() -> None:
    inner = chain(("whole", quiet), ("other", quiet), ("last", quiet))
    hosting = Hosting(chain(("whole", inner), ("last", quiet)))
    await hosting.reply()
    assert hosting.told == [("whole", "working"), ("whole", "done"), ("last", "working"), ("last", "done")]


async def test_a_node_that_comes_round_again_works_again() -> None:
    async def count(state: State) -> Any:
        found = len(state["found"])
        return Command(update={"found": [found]}, goto="count" if found == 0 else END)

    hosting = Hosting(chain(count))
    await hosting.reply()
    assert hosting.told == [("count", "working"), ("count", "done")] * 2


def fan_out(node: Any, count: int) -> Any:
    """A graph that sends one node several inputs at once."""

    async def share_out(state: State) -> list[Send]:
        return [Send("part", {"message": str(nth)}) for nth in range(count)]

    builder = StateGraph(State)
    builder.add_node("part", node)
    builder.add_conditional_edges(START, share_out, ["part"])
    return builder.compile()


async def test_a_node_that_runs_several_times_at_once_is_done_when_the_last_run_is() -> None:
    hosting = Hosting(fan_out(quiet, 3))
    await hosting.reply()
    assert hosting.told == [
        ("part", "working"),
        ("part", "working", 1, 3),
        ("part", "working", 2, 3),
        ("part", "done", 3, 3),
    ]


@pytest.mark.requirement("FAILURES-STAY-ALONE")
async def test_a_node_of_which_one_run_fails_has_failed() -> None:
    async def fail_second(state: State) -> State:
        if state["message"] == "1":
            raise ValueError("no such part")
        await asyncio.Event().wait()
        return {}

    hosting = Hosting(fan_out(fail_second, 3))
    with pytest.raises(ValueError, match="no such part"):
        await hosting.reply()
    assert hosting.told[-1] == ("part", "failed", 3, 3)


async def test_a_node_that_is_tried_again_works_once() -> None:
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
    assert hosting.told == [("flaky", "working"), ("flaky", "done")]


async def test_a_node_whose_error_is_handled_has_failed_and_the_graph_goes_on() -> None:
    async def fail(state: State) -> State:
        raise ValueError("no such city")

    async def handle(state: State) -> State:
        return {"answer": "handled"}

    builder = StateGraph(State)
    builder.add_node("fail", fail, error_handler=handle)
    builder.add_edge(START, "fail")
    hosting = Hosting(builder.compile())
    assert await hosting.reply() == "handled"
    assert hosting.told == [("fail", "working"), ("fail", "failed")]


async def test_a_node_that_is_answered_from_a_cache_is_done_too() -> None:
    builder = StateGraph(State)
    builder.add_node("slow", quiet, cache_policy=CachePolicy())
    builder.add_node("last", quiet)
    builder.add_edge(START, "slow")
    builder.add_edge("slow", "last")
    graph = builder.compile(cache=InMemoryCache())
    first, second = Hosting(graph), Hosting(graph)
    await first.reply()
    await second.reply()
    assert first.told == second.told
    assert second.told[:2] == [("slow", "working"), ("slow", "done")]
