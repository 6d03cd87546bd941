"""A tool or node that raises, hangs, floods, or returns what has no JSON form fails its own task at most.

Meanwhile a task of another user in the same process finishes as ever, and so does the user's next one.
"""

import asyncio
import math
import resource
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import structlog
import uvloop
from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.config import get_stream_writer
from langgraph.graph import START, MessagesState, StateGraph

from backend.store.sqlite.store import SqliteStateStore
from backend.tasks.contained import CodeExitedError, contain_exits
from backend.tasks.ledger.observed import NOT_ENDING
from backend.tasks.task_owner import TaskOwner
from backend.tasks.user_threads import THREADS_OF, UserThreads
from tests.contract.serving import hosting, lines, serving
from tests.fakes.waiting import until
from tests.graphs.building import pipeline
from tests.graphs.scripted_chat import ScriptedChat, calling
from tests.interruption.parts import Parts, started

pytestmark = pytest.mark.requirement("FAULTS-STAY-ALONE")

MIB = 2**20
MOST_SHOWN = 4 * MIB
PLACES = ("async tool", "plain tool", "async node", "plain node")


class State(MessagesState, total=False):
    left: Any


def faulty(place: str, fault: Callable[[], Any]) -> Any:
    """Return a graph that meets the fault in that place, for the message "bad"; others are answered."""

    @tool("book")
    async def book_async(city: str) -> Any:
        """Book."""
        return fault()

    @tool("book")
    def book_plain(city: str) -> Any:
        """Book."""
        return fault()

    async def bad_async(_state: State) -> Any:
        return {"messages": [AIMessage("done")], "left": fault()}

    def bad_plain(_state: State) -> Any:
        return {"messages": [AIMessage("done")], "left": fault()}

    script = [calling("book", city="Rome"), "done"]
    bad: Any = {
        "async tool": create_agent(ScriptedChat(script=script), [book_async]),
        "plain tool": create_agent(ScriptedChat(script=script), [book_plain]),
        "async node": bad_async,
        "plain node": bad_plain,
    }[place]
    return beside_good(bad)


def beside_good(bad: Any) -> Any:
    """Return a graph that runs this node for the message "bad", and answers others."""

    async def good(_state: State) -> Any:
        for _ in range(10):
            await asyncio.sleep(0)
        return {"messages": [AIMessage("good")]}

    async def which(state: State) -> str:
        return "bad" if state["messages"][-1].text == "bad" else "good"

    graph = StateGraph(State)
    graph.add_node("bad", bad)
    graph.add_node("good", good)
    graph.add_conditional_edges(START, which, ["bad", "good"])
    return graph.compile()


async def meeting(graph: Any, folder: Path) -> tuple[str, str, list[tuple[str, str, str]]]:
    """Run a task that meets the fault beside one of another user, then the next; return what became of it.

    That is its status, what the conversation says last, and its calls.
    """
    asyncio.get_running_loop().set_default_executor(UserThreads())
    contain_exits(asyncio.get_running_loop())
    store = SqliteStateStore(folder / "detour.sqlite")
    parts = Parts(store, workflow=hosting(graph), most_shown=MOST_SHOWN)
    # Captured: rendered for a terminal, the 50 MB in a traceback's local variables take seconds.
    with structlog.testing.capture_logs():
        return await _meeting(parts)


async def _meeting(parts: Parts) -> tuple[str, str, list[tuple[str, str, str]]]:
    async with started(parts), asyncio.timeout(60):
        bad, beside = await parts.post("bad"), await parts.post("hello", user="bob")
        await parts.settled(bad, beside)
        assert (await parts.task(beside)).status == "completed"
        assert (await parts.history("bob"))[-1] == ("assistant", "good")
        status, (_, said) = (await parts.task(bad)).status, (await parts.history())[-1]
        calls = await lines(parts, bad)
        await parts.settled(after := await parts.post("hello"))
        assert (await parts.task(after)).status == "completed"
    await parts.store.close()
    return status, said, calls


def met(place: str, fault: Callable[[], Any], folder: Path) -> tuple[str, str, list[tuple[str, str, str]]]:
    """Have a fault met on the server's event loop."""
    return uvloop.run(meeting(faulty(place, fault), folder))


def raising(error: BaseException) -> Callable[[], Any]:
    def fault() -> Any:
        raise error

    return fault


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "error", [ValueError("a secret"), SystemExit(3), KeyboardInterrupt(), GeneratorExit(), StopIteration()]
)
def test_raised_error_of_any_kind_fails_its_task_alone(
    tmp_path: Path, place: str, error: BaseException
) -> None:
    status, said, calls = met(place, raising(error), tmp_path)
    assert status == "failed"
    assert said.startswith("Something went wrong in bad (")
    if place.endswith("tool"):
        assert "Book" in said
        assert [(name, outcome in ("failed", "cancelled")) for name, outcome, _ in calls] == [("book", True)]
    else:
        assert "a secret" not in said


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_exit_ends_neither_the_loop_nor_a_task_beside_it(loop: Callable[[], Any]) -> None:
    async def leave() -> None:
        sys.exit(3)

    async def never() -> None:
        raise AssertionError("it is cancelled before its first step")

    async def main() -> None:
        contain_exits(asyncio.get_running_loop())
        THREADS_OF.set("ann")
        owner = TaskOwner()
        both = [owner.spawn(leave(), name="leave"), owner.spawn(never(), name="never")]
        both[1].cancel()
        ended = await asyncio.gather(*both, return_exceptions=True)
        assert isinstance(ended[0], CodeExitedError)
        assert isinstance(ended[1], asyncio.CancelledError)

    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(main())


def test_exit_of_the_server_itself_is_left_alone() -> None:
    async def leave() -> None:
        sys.exit(3)

    async def main() -> None:
        contain_exits(asyncio.get_running_loop())
        await TaskOwner().spawn(leave(), name="leave")

    with pytest.raises(SystemExit):
        asyncio.run(main())


def a_million_items() -> str:
    write = get_stream_writer()
    for number in range(1_000_000):
        write(number)
    return "x"


def a_long_text() -> str:
    get_stream_writer()("x" * 100 * MIB)
    return "x"


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("flood", [a_million_items, a_long_text])
def test_flood_fails_its_task_alone_in_bounded_memory(
    tmp_path: Path, place: str, flood: Callable[[], Any]
) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    status, said, _ = met(place, flood, tmp_path)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert status == "failed"
    if flood is a_million_items and place.startswith("async"):
        assert "wrote more than 25,000 times without an await in between" in said
    else:
        assert said.startswith("This came to more than 4 MiB, the most that is kept for one message.")
    # A million items are cut off at 4 MiB; of a text there are its encoding and the event's beside itself.
    assert grown < (100 if flood is a_million_items else 400)


def test_plain_node_that_writes_faster_than_is_shown_waits(tmp_path: Path) -> None:
    """What waits for the event loop at most is what it does in one step, and so holds everybody up."""
    waiting: list[int] = []

    async def count(graph: Any) -> None:
        loop = asyncio.get_running_loop()
        call_soon, undelivered = loop.call_soon_threadsafe, 0

        def counted(call: Callable[..., Any], *given: Any, **options: Any) -> Any:
            nonlocal undelivered
            undelivered += 1
            waiting.append(undelivered)

            def deliver() -> None:
                nonlocal undelivered
                undelivered -= 1
                call(*given)

            return call_soon(deliver, **options)

        loop.call_soon_threadsafe = counted
        await meeting(graph, tmp_path)

    with asyncio.Runner() as runner:
        runner.run(count(faulty("plain node", a_million_items)))
    assert max(waiting) <= 300


@pytest.mark.parametrize("place", PLACES)
def test_result_of_50_mb_is_kept_out_of_the_ledger(tmp_path: Path, place: str) -> None:
    status, _, calls = met(place, lambda: "x" * 50 * MIB, tmp_path)
    assert status == "completed"
    if place.endswith("tool"):
        assert calls == [("book", "completed", "too long to be kept here")]


def a_circle() -> Any:
    circle: list[Any] = []
    circle.append(circle)
    return circle


class Wordless:
    """A value that cannot even be put in words."""

    def __repr__(self) -> str:
        raise ValueError("no words")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("value", [object(), math.nan, "half \ud83d", a_circle(), {1: object()}])
def test_value_without_json_form_may_be_returned(tmp_path: Path, place: str, value: Any) -> None:
    status, said, calls = met(place, lambda: value, tmp_path)
    assert (status, said) == ("completed", "done")
    if place.endswith("tool"):
        assert [(name, outcome) for name, outcome, _ in calls] == [("book", "completed")]


@pytest.mark.parametrize("place", PLACES)
def test_value_without_words_fails_its_task_at_most(tmp_path: Path, place: str) -> None:
    status, said, _ = met(place, Wordless, tmp_path)
    if place.endswith("tool"):
        assert status == "failed"
        assert "Book was cut short" in said
    else:
        assert status == "completed"


def test_arguments_without_json_form_can_be_read_back(tmp_path: Path) -> None:
    @tool
    async def book(what: Any) -> str:
        """Book."""
        return "booked"

    async def node(_state: MessagesState) -> Any:
        return {"messages": [AIMessage(await book.ainvoke({"what": object()}))]}

    async def main() -> None:
        async with serving(pipeline(good=node), store=SqliteStateStore(tmp_path / "detour.sqlite")) as parts:
            await parts.settled(task := await parts.post("Book it"))
            [call] = await parts.store.get_tool_calls("ann", (await parts.task(task)).turn)
            assert list(call.arguments) == ["input"]
        await parts.store.close()

    uvloop.run(main())


@pytest.mark.virtual_time
async def test_tool_that_ignores_its_end_is_left_behind_and_reported() -> None:
    may_end, cancelled = asyncio.Event(), asyncio.Event()

    @tool
    async def book(city: str) -> str:
        """Book."""
        while not may_end.is_set():
            with suppress(asyncio.CancelledError):
                await may_end.wait()
            cancelled.set()
        return city

    agent = create_agent(ScriptedChat(script=[calling("book", city="Rome")]), [book])
    parts = Parts(workflow=hosting(beside_good(agent)), task_timeout_s=30)
    async with started(parts):
        task = await parts.post("bad")
        await until(lambda: "book" in str(parts.bus.published.entries))
        await parts.settled(beside := await parts.post("hello", user="bob"))
        assert (await parts.task(beside)).status == "completed"
        await parts.settled(task)
        assert (await parts.task(task)).reason == "timed_out"
        told = {name: (outcome, summary) for name, outcome, summary in await lines(parts, task)}
        assert told["book"] == ("unknown", NOT_ENDING)
        assert f"Book is {NOT_ENDING}." in (await parts.history())[-1][1]
        assert cancelled.is_set()
        may_end.set()
        await until(lambda: parts.ledger.standing()["outliving"] == 0)
        await parts.quiet()
        assert "unknown" not in str(await lines(parts, task))
