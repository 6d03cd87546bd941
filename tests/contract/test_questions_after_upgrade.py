"""An open question over an upgrade of its graph: answered if its node is there, else ended by a sentence."""

from collections.abc import Callable
from typing import Any

import ormsgpack
import pytest
from langgraph.func import entrypoint
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send, interrupt

from backend.store.records import Checkpoint
from tests.contract.serving import Served, hosting
from tests.graphs.building import State, chain
from tests.interruption.disk import DiskStore
from tests.interruption.parts import Parts, started
from tests.records import ANN

pytestmark = pytest.mark.requirement("QUESTIONS-SURVIVE")

ALLOWED = {"decision": "allow"}
RAN: list[str] = []


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    RAN.clear()


async def ask(_state: State) -> State:
    return {"answer": f"off to {interrupt('Which city?')}"}


async def search(_state: State) -> State:
    return {"found": ["a room"]}


async def book(_state: State) -> State:
    RAN.append("book")
    return {"answer": "booked"}


def named(name: str) -> Any:
    return chain((name, ask))


def within(name: str) -> Any:
    return chain(("trip", named(name)))


def called(name: str) -> Any:
    inner = named(name)

    async def trip(state: State) -> Any:
        return await inner.ainvoke(state)

    return chain(("trip", trip))


def sent(name: str) -> Any:
    async def plan(_state: State) -> State:
        return {}

    builder = StateGraph(State).add_node("plan", plan).add_node(name, ask)
    builder.add_edge(START, "plan").add_edge(name, END)
    return builder.add_conditional_edges("plan", lambda state: [Send(name, state)], [name]).compile()


def function(name: str) -> Any:
    async def work(message: str) -> str:
        return f"off to {interrupt('Which city?')}"

    work.__name__ = name
    return entrypoint()(work)


def stopping(name: str) -> Any:
    return chain(search, (name, book), interrupt_before=[name])


def stopping_within(name: str) -> Any:
    return chain(search, ("trip", chain((name, book), interrupt_before=[name])))


SHAPES = [named, within, called, sent, function]
STOPS = [stopping, stopping_within]


async def over_an_upgrade(
    before: Any, after: Any, answer: Any, *, damage: Callable[[bytes], bytes] | None = None
) -> tuple[str, str]:
    """Ask with one graph, answer to another; the status of the task, and the last thing said."""
    store = DiskStore()
    async with started(Parts(store, workflow=hosting(before))) as old:
        task = await Served(old, in_real_time=True).post()
        [question] = await Served(old).questions()
        if damage is not None:
            kept = await old.store.get_checkpoint("ann", 1)
            await old.log.commit(ANN, Checkpoint(1, damage(kept.body), resting=True))
        store.lose_process()
        await old.die()
    async with started(Parts(store, workflow=hosting(after), new_id=old.new_id)) as new:
        await new.runner.answer("ann", question["request_id"], answer=answer)
        await new.quiet()
        assert await Served(new).questions() == []
        return (await new.task(task)).status.value, (await new.history())[-1][1]


@pytest.mark.parametrize("shape", SHAPES)
async def test_question_of_node_that_is_still_there_is_answered(shape: Callable[[str], Any]) -> None:
    ended = await over_an_upgrade(shape("ask"), shape("ask"), "Rome")
    assert ended == ("completed", "off to Rome")


@pytest.mark.parametrize("shape", SHAPES)
async def test_question_of_renamed_node_ends_in_a_sentence(shape: Callable[[str], Any]) -> None:
    status, said = await over_an_upgrade(shape("ask"), shape("inquire"), "Rome")
    assert status == "failed"
    assert "the question came from ask, and the graph has no such node any more" in said
    assert "The question is withdrawn" in said


@pytest.mark.parametrize("after", [chain(search, book), function("other"), named("other")])
async def test_question_of_removed_node_ends_in_a_sentence(after: Any) -> None:
    status, said = await over_an_upgrade(named("ask"), after, "Rome")
    assert status == "failed"
    assert "the question came from ask" in said
    assert RAN == []


async def test_question_of_outer_node_that_is_renamed_names_that() -> None:
    status, said = await over_an_upgrade(within("ask"), chain(("journey", named("ask"))), "Rome")
    assert status == "failed"
    assert "the question came from trip" in said


@pytest.mark.parametrize("shape", STOPS)
async def test_breakpoint_of_node_that_is_still_there_goes_on(shape: Callable[[str], Any]) -> None:
    assert await over_an_upgrade(shape("book"), shape("book"), ALLOWED) == ("completed", "booked")


@pytest.mark.parametrize("shape", STOPS)
async def test_breakpoint_of_renamed_node_ends_in_a_sentence(shape: Callable[[str], Any]) -> None:
    status, said = await over_an_upgrade(shape("book"), shape("reserve"), ALLOWED)
    assert status == "failed"
    assert "the question came from book" in said
    assert RAN == []


async def test_breakpoint_that_is_gone_lets_its_node_run() -> None:
    ended = await over_an_upgrade(stopping("book"), chain(search, book), ALLOWED)
    assert ended == ("completed", "booked")


@pytest.mark.parametrize("damage", [lambda body: body[:20], lambda _: b"", lambda _: ormsgpack.packb([1, 2])])
async def test_question_whose_checkpoint_cannot_be_read_ends_in_a_sentence(
    damage: Callable[[bytes], bytes],
) -> None:
    status, said = await over_an_upgrade(named("ask"), named("ask"), "Rome", damage=damage)
    assert status == "failed"
    assert "what the graph had stored with its question cannot be read any more" in said


async def test_question_of_graph_that_cannot_pause_any_more_ends_in_a_sentence() -> None:
    status, said = await over_an_upgrade(named("ask"), chain(("ask", ask), checkpointer=False), "Rome")
    assert status == "failed"
    assert "it is compiled with checkpointer=False now" in said
