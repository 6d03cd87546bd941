"""Plain `def` nodes run in threads; what they say and what graphs within them keep reaches the event loop."""

import asyncio
import operator
from collections.abc import AsyncIterator, Callable
from itertools import pairwise
from typing import Annotated, Any

import pytest
from langgraph.config import get_stream_writer
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict

from backend.domain.task import TaskStatus
from backend.graphs.graph_output import MOST_IN_ONE_STEP
from backend.graphs.hosted_tools import say
from backend.store.base import StateStore
from tests.contract.hosting import Hosting
from tests.contract.serving import hosting, serving
from tests.graphs.building import State, chain
from tests.interruption.parts import Parts, started

MANY = 2_000
"""More pieces than may wait for the event loop (`MOST_UNDELIVERED`)."""


@pytest.fixture
async def store(new_store: Callable[..., StateStore]) -> AsyncIterator[StateStore]:
    """Return a store for a server to open, which is closed in the end."""
    made = new_store()
    yield made
    await made.close()


async def texts(parts: Any) -> str:
    return "".join(event["text"] for event in await parts.events() if event["type"] == "text_delta")


@pytest.mark.requirement("TOOLS-OF-ANY-GRAPH")
async def test_pieces_of_a_plain_node_arrive_in_order_and_whole(store: StateStore) -> None:
    def count(state: State) -> State:
        for number in range(MANY):
            say(f"{number} ")
        return {"answer": "done"}

    async with serving(chain(count), store=store) as parts:
        await parts.settled(await parts.post("hi"))
        assert (await texts(parts)).split() == [str(number) for number in range(MANY)]


@pytest.mark.requirement("FAULTS-STAY-ALONE")
async def test_plain_node_that_says_too_much_fails_its_task_and_stops() -> None:
    said: list[int] = []

    def flood(state: State) -> State:
        for number in range(MANY):
            say("word " * 20)
            said.append(number)
        return {}

    hosting = Hosting(chain(flood), most_shown=5_000)
    await hosting.start()
    assert (await hosting.ended()).status == "failed"
    assert (await hosting.last_message()).startswith("This came to more than")
    assert len(said) < MANY


@pytest.mark.requirement("FAULTS-STAY-ALONE")
@pytest.mark.parametrize("is_plain", [True, False])
async def test_text_that_cannot_be_encoded_fails_the_node_that_says_it(is_plain: bool) -> None:
    raised: list[str] = []

    def plain(state: State) -> State:
        try:
            say("half \ud83d")
        except TypeError as error:
            raised.append(type(error).__name__)
        return {"answer": "done"}

    async def on_loop(state: State) -> State:
        return plain(state)

    assert await Hosting(chain(plain if is_plain else on_loop)).reply() == "done"
    assert raised == ["TypeError"]


class Counted(TypedDict, total=False):
    message: str
    seen: Annotated[list[str], operator.add]
    answer: str


STEPS = 8
"""Steps of the graph within, each of which stores a checkpoint from a thread."""


def counting(inner_node: Any) -> Any:
    """Return a graph whose plain node calls a graph within that keeps its own state."""
    within = StateGraph(Counted)
    names = [f"step {number}" for number in range(STEPS)]
    for name in names:
        within.add_node(name, lambda _state: {"seen": ["."]})
    within.add_node("last", inner_node)
    for before, after in pairwise([START, *names, "last"]):
        within.add_edge(before, after)
    inner = within.compile(checkpointer=True)

    def call(state: State) -> State:
        result = inner.invoke({"message": state["message"]})
        return {"answer": f"{len(result['seen'])} {result.get('answer', '')}".strip()}

    return chain(call)


@pytest.mark.requirement("QUESTIONS-OF-ANY-GRAPH")
async def test_graph_within_that_a_plain_node_calls_may_ask(store: StateStore) -> None:
    graph = counting(lambda _state: {"answer": interrupt("Which?")})
    async with serving(graph, store=store) as parts:
        for count in range(1, 6):
            await parts.post("hi")
            await parts.quiet()
            [asked] = (await parts.store.snapshot("ann", history=0)).inputs
            assert asked.question.agent == "call"
            await parts.runner.answer("ann", asked.request_id, answer=f"this {count}")
            await parts.quiet()
            assert (await parts.history())[-1] == ("assistant", f"{count * STEPS} this {count}")


@pytest.mark.requirement("STATE-LIVES-ON")
async def test_parallel_plain_nodes_commit_their_graphs_within(store: StateStore) -> None:
    async with serving(many_within(), store=store) as parts:
        for count in range(1, 6):
            await parts.settled(await parts.post("hi"))
            assert (await parts.history())[-1] == ("assistant", " ".join([str(count * STEPS)] * 4))


def many_within() -> Any:
    """Return a graph of four plain nodes at once, each with a graph within of its own."""

    def node_of(name: str) -> Any:
        within = StateGraph(Counted)
        names = [f"{name} {number}" for number in range(STEPS)]
        for each in names:
            within.add_node(each, lambda _state: {"seen": ["."]})
        for before, after in pairwise([START, *names]):
            within.add_edge(before, after)
        inner = within.compile(checkpointer=True)

        def call(_state: State) -> State:
            return {"found": [len(inner.invoke({"message": "hi"})["seen"])]}

        return call

    async def tell(state: State) -> State:
        return {"answer": " ".join(map(str, state["found"][-4:]))}

    builder = StateGraph(State)
    builder.add_node("tell", tell)
    for name in ("a", "b", "c", "d"):
        builder.add_node(name, node_of(name))
        builder.add_edge(START, name)
        builder.add_edge(name, "tell")
    return builder.compile()


# --- writes of one step, without an await in between ---------------------------------------------------


HONEST = 20_000


async def rows(state: State) -> State:
    """Write as many rows as the message says first, with a pause after as many as it says then."""
    count, pause_after = map(int, state["message"].split())
    write = get_stream_writer()
    for number in range(1, count + 1):
        write({"row": number})
        if number % pause_after == 0:
            await asyncio.sleep(0)
    return {"answer": "written"}


@pytest.mark.requirement("FAULTS-STAY-ALONE")
@pytest.mark.parametrize(
    ("message", "status", "kept"),
    [
        (f"{HONEST} {HONEST + 1}", TaskStatus.COMPLETED, HONEST),
        (f"{MOST_IN_ONE_STEP + 1} 5000", TaskStatus.COMPLETED, MOST_IN_ONE_STEP + 1),
        (f"{MOST_IN_ONE_STEP + 1} {MOST_IN_ONE_STEP + 2}", TaskStatus.FAILED, MOST_IN_ONE_STEP),
    ],
)
async def test_node_that_writes_too_often_in_one_step_fails_its_task_alone(message, status, kept):
    async with started(Parts(workflow=hosting(chain(rows)))) as parts:
        flood = await parts.post(message)
        quick = await parts.post("3 1", user="bob")
        await parts.settled(flood)
        await parts.settled(quick)
        assert (await parts.task(flood)).status is status
        assert (await parts.task(quick)).status is TaskStatus.COMPLETED
        found = await parts.store.get_partials("ann", 1)
        assert sum(each.found.count for each in found if each.found is not None) == kept
        said = (await parts.history())[-1][1]
        assert ("The node 'rows' wrote more than 25,000 times" in said) == (status is TaskStatus.FAILED)
