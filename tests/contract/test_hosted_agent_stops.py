"""One node of a hosted graph is stopped: where its calls are the ledger's, and refused where it does else."""

import asyncio

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt

from backend.domain.errors import Conflict
from backend.graphs.hosted_tools import use
from tests.contract.test_hosted_tools import (
    ASKED,
    BOOKED,
    book,
    found,
    look,
    order,
    outcomes,
    reply,
    search,
    serving,
)
from tests.graphs.building import State, beside, chain

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("AGENTS-STOP-ALONE")]


@pytest.fixture(autouse=True)
def _new_world() -> None:
    ASKED.clear()
    BOOKED.clear()


async def test_its_search_ends_and_its_node_goes_on_with_what_became_of_it():
    async with serving(chain(look)) as parts:
        task = await parts.post("Rome")
        await asyncio.sleep(1.5)
        stopped = await parts.runner.stop_agent("ann", "look")
        assert stopped["state"] == "interrupted"
        assert [call["outcome"] for call in stopped["tool_calls"]] == ["cancelled"]
        await parts.settled(task)
        assert await reply(parts) == "cancelled: stopped by the user: 0"
        assert await found(parts, task) == [("look", "search", 0)]
        assert (await parts.agents(task))["look"].state == "interrupted"


async def test_another_node_beside_it_is_left_alone():
    async def rome(_state: State) -> State:
        await use(search, city="Rome")
        return {}

    async def bonn(_state: State) -> State:
        await use(search, city="Bonn")
        return {}

    async with serving(beside(rome, bonn)) as parts:
        task = await parts.post("both")
        await asyncio.sleep(1.5)
        await parts.runner.stop_agent("ann", "rome")
        await parts.settled(task)
        assert sorted(await found(parts, task)) == [("bonn", "search", number) for number in range(3)] + [
            ("rome", "search", 0)
        ]
        assert {name: now.state for name, now in (await parts.agents(task)).items()} == {
            "bonn": "done",
            "rome": "interrupted",
        }


async def test_what_it_asks_to_be_allowed_is_withdrawn_and_its_node_goes_on():
    async with serving(chain(order)) as parts:
        task = await parts.post("Rome")
        await asyncio.sleep(5)
        await parts.runner.stop_agent("ann", "order")
        await parts.settled(task)
        assert await reply(parts) == "3 found; not_started: stopped by the user"
        assert (await outcomes(parts, task), BOOKED) == ({"search": "completed", "book": "not_started"}, {})


async def test_a_node_that_begins_something_after_its_stop_does_not_begin_it():
    async def twice(_state: State) -> State:
        first = await use(search, city="Rome")
        second = await use(search, city="Bonn")
        third = await use(book, city="Bonn")
        return {"answer": f"{first.outcome}, {second.outcome}, {third.outcome}"}

    async with serving(chain(twice)) as parts:
        task = await parts.post("both")
        await asyncio.sleep(1.5)
        await parts.runner.stop_agent("ann", "twice")
        await parts.settled(task)
        assert await reply(parts) == "cancelled, not_started, not_started"
        assert (ASKED, BOOKED) == (["Rome"], {})


async def test_a_node_that_works_by_itself_cannot_be_stopped_alone():
    async def busy(_state: State) -> State:
        await asyncio.sleep(3)
        return {"answer": "done"}

    async with serving(chain(busy)) as parts:
        task = await parts.post("go")
        await asyncio.sleep(1)
        with pytest.raises(Conflict, match="'busy' does just now cannot be ended by itself"):
            await parts.runner.stop_agent("ann", "busy")
        await parts.settled(task)
        assert await reply(parts) == "done"
        assert (await parts.runner.stop_agent("ann", "busy"))["state"] == "done"


async def test_nor_can_one_that_asks_by_itself():
    async def asks(_state: State) -> State:
        return {"answer": str(interrupt("Which?"))}

    async with serving(chain(asks)) as parts:
        task = await parts.post("go")
        await asyncio.sleep(1)
        with pytest.raises(Conflict):
            await parts.runner.stop_agent("ann", "asks")
        await parts.post("this one")
        await parts.settled(task)
        assert await reply(parts) == "this one"


async def test_a_node_that_was_stopped_is_not_run_again_beyond_a_breakpoint():
    ran: list[str] = []

    async def search_again(_state: State) -> State:
        ran.append("look")
        await use(search, city="Rome")
        return {}

    async def again(_state: State) -> str:
        return "look" if len(ran) < 2 else END

    builder = StateGraph(State)
    builder.add_node("look", search_again)
    builder.add_edge(START, "look")
    builder.add_conditional_edges("look", again, ["look", END])
    async with serving(builder.compile(interrupt_before=["look"])) as parts:
        await parts.post("Rome")
        await asyncio.sleep(0.5)
        await parts.post("yes")
        await asyncio.sleep(1.5)
        await parts.runner.stop_agent("ann", "look")
        await parts.quiet()
        assert await reply(parts) == "I stopped there, as you did not allow it. Not done: look."
        assert ran == ["look"]
