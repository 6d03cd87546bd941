"""Tools of a hosted graph: the ledger accounts for their calls, whichever run they belong to in the end."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from backend.domain.errors import BadInput, ProviderError
from backend.graphs.hosted_graph import HostedGraph
from backend.graphs.hosted_tools import Quote, Report, earlier_calls, say, tool, use
from tests.graphs.building import State, beside, chain
from tests.interruption.parts import Parts, started

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("TOOLS-OF-ANY-GRAPH")]

ASKED: list[str] = []
"""Everything that was ever asked of the world."""

BOOKED: dict[str, str] = {}
"""What was booked, by the id of the call."""


@pytest.fixture(autouse=True)
def _new_world() -> None:
    ASKED.clear()
    BOOKED.clear()


@tool(fresh_s=60)
async def search(city: str) -> AsyncIterator[dict[str, Any]]:
    ASKED.append(city)
    for number in range(3):
        await asyncio.sleep(1)
        yield {"city": city, "number": number}


def quote_room(city: str) -> Quote:
    return Quote({"city": city}, f"Book in {city}?", {"City": city})


@tool(effect="write", quote=quote_room, outcome=BOOKED.get)
async def book(city: str, report: Report) -> str:
    await asyncio.sleep(1)
    BOOKED[report.call_id] = city
    await asyncio.sleep(1)
    return f"booked in {city}"


async def look(state: State) -> State:
    result = await use(search, city=state["message"].split()[0])
    return {"answer": f"{result.outcome}: {result.summary}: {len(result.value or ())}"}


async def order(state: State) -> State:
    found = await use(search, city=state["message"])
    booked = await use(book, city=state["message"])
    return {"answer": f"{len(found.value)} found; {booked.outcome}: {booked.summary}"}


def serving(graph: Any, parts: Parts | None = None) -> AbstractAsyncContextManager[Parts]:
    store = parts.store if parts else None
    return started(
        Parts(store, workflow=lambda ledger, owner: HostedGraph(graph, ledger=ledger, owner=owner))
    )


async def reply(parts: Parts) -> str:
    return (await parts.history())[-1][1]


async def found(parts: Parts, task: str) -> list[tuple[str, str | None, int]]:
    """Everything that a task was told to have found: agent, source and number."""
    return [
        (event["agent"], event["source"], item["number"])
        for event in await parts.events()
        if event["type"] == "partial_result" and event["task_id"] == task
        for item in event["items"]
    ]


async def outcomes(parts: Parts, task: str) -> dict[str, str]:
    return {call["tool"]: call["outcome"] for call in (await parts.receipt(task))["tool_calls"]}


async def test_what_a_tool_yields_is_shown_as_the_nodes_and_returned_as_a_list():
    async with serving(chain(look)) as parts:
        task = await parts.post("Rome")
        await parts.settled(task)
        assert await reply(parts) == "completed: 3 items: 3"
        assert await found(parts, task) == [("look", "search", number) for number in range(3)]
        assert await outcomes(parts, task) == {"search": "completed"}


async def test_nodes_side_by_side_have_calls_of_their_own():
    async def rome(state: State) -> State:
        return {"found": (await use(search, city="Rome")).value}

    async def bonn(state: State) -> State:
        return {"found": (await use(search, city="Bonn")).value}

    async with serving(beside(rome, bonn)) as parts:
        task = await parts.post("hi")
        await parts.settled(task)
        assert sorted(await found(parts, task)) == [
            (agent, "search", number) for agent in ("bonn", "rome") for number in range(3)
        ]


async def test_a_stop_ends_the_call_and_keeps_what_it_had_found():
    async with serving(chain(look)) as parts:
        task = await parts.post("Rome")
        await asyncio.sleep(1.5)
        await parts.runner.stop("ann")
        assert await outcomes(parts, task) == {"search": "cancelled"}
        assert await found(parts, task) == [("look", "search", 0)]
        again = await parts.post("Rome")
        await parts.settled(again)
        assert ASKED == ["Rome", "Rome"]


async def test_a_run_can_tell_what_became_of_the_calls_of_the_interrupted_one():
    async def tell(state: State) -> State:
        if state["message"] == "Rome":
            return await order(state)
        return {"answer": str([(each.tool, each.outcome, each.summary) for each in await earlier_calls()])}

    async with serving(chain(tell)) as parts:
        first = await parts.post("Rome")
        await asyncio.sleep(1.5)
        await parts.runner.stop("ann")
        await parts.settled(first, await parts.post("What was that?"))
        await parts.quiet()
        assert await reply(parts) == "[('search', 'cancelled', 'cut short; what had arrived is kept')]"
        await parts.post("And before?")
        await parts.quiet()
        assert await reply(parts) == "[]"


async def test_a_tool_that_fails_says_why_and_the_node_goes_on():
    @tool()
    async def closed(why: str) -> None:
        raise ProviderError(why)

    async def ask(state: State) -> State:
        result = await use(closed, why="Closed on Sundays.")
        return {"answer": f"{result.outcome}: {result.summary}"}

    async with serving(chain(ask)) as parts:
        await parts.settled(await parts.post("hi"))
        assert await reply(parts) == "failed: Closed on Sundays."


async def test_text_is_streamed_and_kept():
    async def speak(state: State) -> State:
        say("Well")
        await asyncio.sleep(10)
        return {"answer": "Well, no."}

    async with serving(chain(speak)) as parts:
        task = await parts.post("hi")
        await asyncio.sleep(1)
        await parts.runner.stop("ann")
        assert [event["text"] for event in await parts.events() if event["type"] == "text_delta"] == ["Well"]
        assert (await parts.receipt(task))["text_kept"] == 4


async def test_a_search_goes_on_in_the_run_that_asks_for_the_same():
    async with serving(chain(look)) as parts:
        old = await parts.post("Rome cheap")
        await asyncio.sleep(1.5)
        new = await parts.post("Rome quiet")
        await parts.settled(old, new)
        assert await reply(parts) == "completed: 3 items: 3"
        assert ASKED == ["Rome"]
        assert await outcomes(parts, old) == {"search": "adopted"}
        assert await found(parts, old) == [("look", "search", 0)]
        assert await found(parts, new) == [("look", "search", number) for number in range(3)]


async def test_a_search_goes_on_in_no_run_that_asks_for_something_else():
    async with serving(chain(look)) as parts:
        old = await parts.post("Rome")
        await asyncio.sleep(0.5)
        new = await parts.post("Bonn")
        await parts.settled(old, new)
        assert ASKED == ["Rome", "Bonn"]
        assert await outcomes(parts, old) == {"search": "cancelled"}


async def test_what_was_found_a_short_while_ago_is_not_searched_for_again():
    async with serving(chain(look)) as parts:
        await parts.settled(await parts.post("Rome"))
        await asyncio.sleep(50)
        again = await parts.post("Rome")
        await parts.settled(again)
        assert await found(parts, again) == [("look", "search", number) for number in range(3)]
        await asyncio.sleep(100)
        await parts.settled(await parts.post("Rome"))
        assert ASKED == ["Rome", "Rome"]


@pytest.mark.parametrize(
    ("decision", "answer", "booked"),
    [
        ("allow", "3 found; completed: booked in Rome", ["Rome"]),
        ("deny", "3 found; denied: ", []),
    ],
)
async def test_a_write_is_made_once_it_is_allowed_and_what_came_before_it_is_not_repeated(
    decision, answer, booked
):
    async with serving(chain(order)) as parts:
        task = await parts.post("Rome")
        await asyncio.sleep(5)
        snapshot = await parts.store.snapshot("ann", history=0)
        [asked] = [each.to_wire() for each in snapshot.inputs]
        assert (asked["kind"], asked["tool"], asked["facts"]) == ("permission", "book", {"City": "Rome"})
        assert asked["prompt"] == "Book in Rome?"
        await parts.runner.answer("ann", asked["request_id"], decision=decision)
        await parts.settled(task)
        assert (await reply(parts)).startswith(answer)
        assert list(BOOKED.values()) == booked
        assert ASKED == ["Rome"]


@pytest.mark.parametrize(("said", "outcome"), [("Yes.", "completed"), ("deny", "denied")])
async def test_a_plain_yes_or_no_decides_the_only_permission_that_is_asked_for(said, outcome):
    async with serving(chain(order)) as parts:
        task = await parts.post("Rome")
        await asyncio.sleep(5)
        assert await parts.post(said) == task
        await parts.settled(task)
        assert (await outcomes(parts, task))["book"] == outcome


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"answer": {"decision": "allow"}},
        {"decision": "allow", "answer": {"decision": "deny"}},
        {"note": "yes"},
    ],
)
async def test_what_does_not_plainly_decide_a_permission_is_refused_and_leaves_it_open(given):
    async with serving(chain(order)) as parts:
        task = await parts.post("Rome")
        await asyncio.sleep(5)
        [asked] = (await parts.store.snapshot("ann", history=0)).inputs
        with pytest.raises(BadInput):
            await parts.runner.answer("ann", asked.request_id, **given)
        await parts.runner.answer("ann", asked.request_id, decision="deny")
        await parts.settled(task)
        assert BOOKED == {}


async def test_a_yes_to_two_permissions_allows_none_of_them():
    async def rome(state: State) -> State:
        return {"found": [(await use(book, city="Rome")).outcome]}

    async def bonn(state: State) -> State:
        return {"found": [(await use(book, city="Bonn")).outcome]}

    async with serving(beside(rome, bonn)) as parts:
        task = await parts.post("both")
        await asyncio.sleep(1)
        again = await parts.post("yes")
        await parts.settled(task)
        assert (again == task, BOOKED) == (False, {})


async def test_a_write_that_was_begun_is_finished_after_the_interruption():
    async with serving(chain(order)) as parts:
        task = await parts.post("Rome")
        await asyncio.sleep(5)
        snapshot = await parts.store.snapshot("ann", history=0)
        await parts.runner.answer("ann", snapshot.inputs[0].request_id, decision="allow")
        await asyncio.sleep(0.5)
        await parts.runner.stop("ann")
        await parts.settled(task)
        assert await outcomes(parts, task) == {"search": "completed", "book": "completed_after_interrupt"}
        assert list(BOOKED.values()) == ["Rome"]
