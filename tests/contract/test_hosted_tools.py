"""Tools of a hosted graph: the ledger accounts for their calls; outside the server they only run."""

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command

from backend.domain.errors import Conflict, GraphFailedError, ProviderError
from backend.domain.tool_call import ToolCall
from backend.graphs.hosted_tools import Quote, Report, ToolResult, earlier_calls, program, say, tool, use
from backend.store.records import NewUser
from tests.contract.serving import found, process, serving, until_published
from tests.fakes.waiting import until
from tests.graphs.building import State, beside, chain
from tests.interruption.parts import Parts, started
from tests.records import ANN, AT, a_task

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


async def last_text(parts: Parts) -> str:
    return (await parts.history())[-1][1]


async def numbers(parts: Parts, task: str) -> list[int]:
    return [each["number"] for each in await found(parts, task)]


async def outcomes(parts: Parts, task: str) -> dict[str, str]:
    return {call["tool"]: call["outcome"] for call in (await parts.receipt(task))["tool_calls"]}


@pytest.mark.virtual_time
@pytest.mark.requirement("TOOLS-OF-ANY-GRAPH")
async def test_items_of_tool_are_published_of_its_node_and_returned():
    async with serving(chain(look)) as parts:
        task = await parts.post("Rome")
        await parts.settled(task)
        assert await last_text(parts) == "completed: 3 items: 3"
        assert await numbers(parts, task) == [0, 1, 2]
        assert await outcomes(parts, task) == {"search": "completed"}


@pytest.mark.virtual_time
@pytest.mark.requirement("TOOLS-OF-ANY-GRAPH")
async def test_stop_ends_a_call_and_keeps_its_items():
    async with serving(chain(look)) as parts:
        task = await parts.post("Rome")
        await asyncio.sleep(1.5)
        await parts.runner.stop("ann")
        assert await outcomes(parts, task) == {"search": "cancelled"}
        assert await numbers(parts, task) == [0]


@pytest.mark.virtual_time
@pytest.mark.requirement("TOOLS-OF-ANY-GRAPH")
async def test_earlier_calls_have_their_outcomes_in_the_next_run():
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
        assert await last_text(parts) == "[('search', 'cancelled', 'cut short; what had arrived is kept')]"
        await parts.post("And before?")
        await parts.quiet()
        assert await last_text(parts) == "[]"


@pytest.mark.virtual_time
@pytest.mark.requirement("TOOLS-OF-ANY-GRAPH")
async def test_read_is_adopted_by_the_run_that_asks_the_same():
    async with serving(chain(look)) as parts:
        old = await parts.post("Rome cheap")
        await asyncio.sleep(1.5)
        new = await parts.post("Rome quiet")
        await parts.settled(old, new)
        assert await last_text(parts) == "completed: 3 items: 3"
        assert ASKED == ["Rome"]
        assert await outcomes(parts, old) == {"search": "adopted"}
        assert await numbers(parts, old) == [0]
        assert await numbers(parts, new) == [0, 1, 2]


@pytest.mark.virtual_time
@pytest.mark.requirement("TOOLS-OF-ANY-GRAPH")
@pytest.mark.parametrize(
    ("decision", "answer", "booked"),
    [
        ("allow", "3 found; completed: booked in Rome", ["Rome"]),
        ("deny", "3 found; denied: ", []),
    ],
)
async def test_write_is_made_once_allowed_and_repeats_no_earlier_call(decision, answer, booked):
    async with serving(chain(order)) as parts:
        task = await parts.post("Rome")
        await asyncio.sleep(5)
        snapshot = await parts.store.snapshot("ann", history=0)
        [asked] = [each.to_wire() for each in snapshot.inputs]
        assert (asked["kind"], asked["tool"], asked["facts"]) == ("permission", "book", {"City": "Rome"})
        assert asked["prompt"] == "Book in Rome?"
        await parts.runner.answer("ann", asked["request_id"], decision=decision)
        await parts.settled(task)
        assert (await last_text(parts)).startswith(answer)
        assert list(BOOKED.values()) == booked
        assert ASKED == ["Rome"]


@pytest.mark.virtual_time
@pytest.mark.requirement("TOOLS-OF-ANY-GRAPH")
@pytest.mark.parametrize(("said", "outcome"), [("Yes.", "completed"), ("deny", "denied")])
async def test_plain_yes_or_no_decides_the_only_permission(said, outcome):
    async with serving(chain(order)) as parts:
        task = await parts.post("Rome")
        await asyncio.sleep(5)
        assert await parts.post(said) == task
        await parts.settled(task)
        assert (await outcomes(parts, task))["book"] == outcome


@pytest.mark.virtual_time
@pytest.mark.requirement("TOOLS-OF-ANY-GRAPH")
async def test_yes_to_two_permissions_allows_neither():
    def booking(city: str) -> tuple[str, Any]:
        async def node(_state: State) -> State:
            return {"found": [(await use(book, city=city)).outcome]}

        return city, node

    async with serving(beside(booking("Rome"), booking("Bonn"))) as parts:
        task = await parts.post("both")
        await asyncio.sleep(1)
        assert await parts.post("yes") != task
        await parts.settled(task)
        assert BOOKED == {}


@tool(name="search")
async def nights_in(city: str, nights: int = 1):
    for number in range(nights):
        yield {"city": city, "night": number}


@tool(name="measure")
def measured(text: str):
    return ToolResult("measured", len(text))


@tool()
def letters(text: str):
    yield from text


def quote_for_two(city: str, total: int = 90) -> Quote:
    return Quote({"city": city, "total": 100}, f"Book for {total} EUR?", {"Total": "90 EUR"})


@tool(effect="write", name="book", quote=quote_for_two)
async def book_room(city: str, report: Report, total: int = 90) -> str:
    assert report.call_id
    return f"booked in {city} for {total}"


async def test_defaults_are_filled_in_and_a_generators_items_are_the_value():
    result = await use(nights_in, city="Rome")
    assert (result.outcome, result.value) == ("completed", [{"city": "Rome", "night": 0}])
    assert (result.done, result.summary) == (True, "1 item")


async def test_plain_function_runs_in_a_thread():
    result = await use(measured, text="four")
    assert (result.summary, result.value) == ("measured", 4)
    assert (await use(letters, text="ab")).value == ["a", "b"]


async def test_program_reads_json_and_each_line_is_an_item():
    echo = program("echo", ["sh", "-c", "read line; echo $line; echo; echo plain"])
    result = await use(echo, city="Rome")
    assert result.value == [{"city": "Rome"}, "plain"]
    assert result.summary == "2 items"
    broken = await use(program("broken", ["sh", "-c", "echo something; exit 3"]))
    assert (broken.outcome, broken.summary, broken.done) == ("failed", "broken failed.", False)


async def test_items_go_to_the_stream_of_a_graph_outside_the_server():
    async def look(state: State) -> State:
        return {"answer": (await use(nights_in, city=state["message"], nights=2)).summary}

    say("Nobody listens")
    assert list(await earlier_calls()) == []
    stream = chain(look).astream({"message": "Rome"}, stream_mode="custom")
    assert [each async for each in stream] == [
        {"items": [{"city": "Rome", "night": n}], "source": "search"} for n in (0, 1)
    ]


@pytest.mark.parametrize(
    ("decision", "outcome", "value"),
    [
        ("allow", "completed", "booked in Rome for 100"),
        ("deny", "denied", None),
        ("allowance", "denied", None),
    ],
)
async def test_write_outside_the_server_asks_and_runs_as_quoted(decision, outcome, value):
    results: list[Any] = []

    async def order(state: State) -> State:
        results.append(await use(book_room, city=state["message"]))
        return {}

    graph = chain(order, checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": "1"}}
    asked = await graph.ainvoke({"message": "Rome"}, thread)
    assert results == []
    assert asked["__interrupt__"][0].value == {"prompt": "Book for 90 EUR?", "facts": {"Total": "90 EUR"}}
    await graph.ainvoke(Command(resume=decision), thread)
    assert [(each.outcome, each.value) for each in results] == [(outcome, value)]


async def test_sentence_of_a_tools_error_is_the_summary_and_other_errors_are_raised():
    @tool()
    async def closed(broken: bool) -> None:
        raise KeyError("broken") if broken else ProviderError("Closed on Sundays.")

    assert (await use(closed, broken=False)).summary == "Closed on Sundays."
    with pytest.raises(KeyError):
        await use(closed, broken=True)


async def test_value_without_json_form_fails_the_call():
    @tool()
    async def odd() -> object:
        return object()

    result = await use(odd)
    assert result.outcome == "failed"
    assert result.summary.startswith("The tool 'odd' gave what has no JSON form: ")


async def test_arguments_that_do_not_fit_raise():
    with pytest.raises(TypeError, match=r"search\(\) missing a required argument: 'city'"):
        await use(nights_in, town="Rome")
    with pytest.raises(TypeError, match=r"book\(\) got an unexpected keyword argument 'report'"):
        await use(book_room, city="Rome", report=None)


async def test_quote_of_another_type_fails_the_call():
    @tool(effect="write", quote=lambda: "cheap")
    async def order() -> None:
        pass

    assert (await use(order)).summary == "The quote of the tool 'order' is no Quote."


def test_impossible_tool_is_refused_where_declared():
    with pytest.raises(TypeError, match="must be async"):
        tool(effect="write")(lambda: None)
    with pytest.raises(TypeError, match="never answered by another"):
        tool(effect="write", fresh_s=1)(book_room.function)
    with pytest.raises(TypeError, match="needs no quote"):
        tool(quote=quote_for_two)(nights_in.function)
    with pytest.raises(TypeError, match="must not write"):
        program("order", ["order"], effect="write")
    with pytest.raises(TypeError, match="needs a command"):
        program("nothing", [])


async def test_tool_within_a_tool_is_part_of_it():
    @tool()
    async def both(city: str) -> list[Any]:
        return [(await use(nights_in, city=city)).value, GraphFailedError.code]

    assert (await use(both, city="Rome")).value == [[{"city": "Rome", "night": 0}], "graph_failed"]


@pytest.mark.requirement("TOOLS-OF-ANY-GRAPH")
async def test_thread_outlives_its_call_and_its_late_items_are_not_shown():
    waits, let_on = threading.Event(), threading.Event()

    @tool()
    def leaf_through(book: str):
        yield f"{book} 1"
        waits.set()
        let_on.wait(20)
        yield f"{book} 2"
        yield f"{book} 3"

    async def read(state: State) -> State:
        return {"answer": (await use(leaf_through, book=state["message"])).summary}

    async with serving(chain(read)) as parts:
        task = await parts.post("Emma")
        await until(waits.is_set)
        await until_published(parts, "Emma 1")
        await parts.runner.stop("ann")
        [call] = (await parts.receipt(task))["tool_calls"]
        assert call["outcome"] == "cancelled"
        let_on.set()
        await until_published(parts, "; ended later: 2 items")
        await parts.quiet()
        assert await found(parts, task) == ["Emma 1"]


@tool(effect="write")
async def post_letter(to: str) -> str:
    return f"posted to {to}"


async def nothing(_state: State) -> State:
    return {"answer": "done"}


@pytest.mark.virtual_time
@pytest.mark.requirement("WRITES-ARE-NEVER-SENT-AGAIN")
async def test_start_does_not_wait_for_a_lost_write_without_outcome():
    parts = process(chain(nothing))
    left = ToolCall(
        call_id="c1",
        user_id="ann",
        task_id="ann-1",
        turn=1,
        agent="nothing",
        tool="post_letter",
        effect="write",
        key="post_letter:1",
        state="running",
        requested_at=AT,
        started_at=AT,
    )
    await parts.store.commit(ANN, NewUser("e"), a_task("ann", 1), left)
    before = asyncio.get_running_loop().time()
    async with started(parts):
        assert asyncio.get_running_loop().time() == before
        assert parts.ledger.standing()["unsettled"] == 1


@pytest.mark.virtual_time
@pytest.mark.requirement("AGENTS-STOP-ALONE")
async def test_stop_of_one_node_cancels_its_call_and_leaves_the_node_beside_it():
    async def bonn(_state: State) -> State:
        await use(search, city="Bonn")
        return {}

    async with serving(beside(look, bonn)) as parts:
        task = await parts.post("Rome")
        await asyncio.sleep(1.5)
        stopped = await parts.runner.stop_agent("ann", "look")
        assert stopped["state"] == "interrupted"
        assert [call["outcome"] for call in stopped["tool_calls"]] == ["cancelled"]
        await parts.settled(task)
        assert await last_text(parts) == "cancelled: stopped by the user: 0"
        assert Counter(each["city"] for each in await found(parts, task)) == {"Bonn": 3, "Rome": 1}
        assert {name: now.state for name, now in (await parts.agents(task)).items()} == {
            "bonn": "done",
            "look": "interrupted",
        }


@pytest.mark.virtual_time
@pytest.mark.requirement("AGENTS-STOP-ALONE")
async def test_stop_of_a_node_withdraws_its_permission():
    async with serving(chain(order)) as parts:
        task = await parts.post("Rome")
        await asyncio.sleep(5)
        await parts.runner.stop_agent("ann", "order")
        await parts.settled(task)
        assert await last_text(parts) == "3 found; not_started: stopped by the user"
        assert (await outcomes(parts, task), BOOKED) == ({"search": "completed", "book": "not_started"}, {})


@pytest.mark.virtual_time
@pytest.mark.requirement("AGENTS-STOP-ALONE")
async def test_stopped_node_begins_nothing_more():
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
        assert await last_text(parts) == "cancelled, not_started, not_started"
        assert (ASKED, BOOKED) == (["Rome"], {})


@pytest.mark.virtual_time
@pytest.mark.requirement("AGENTS-STOP-ALONE")
async def test_stop_of_a_node_that_works_by_itself_is_refused():
    async def busy(_state: State) -> State:
        await asyncio.sleep(3)
        return {"answer": "done"}

    async with serving(chain(busy)) as parts:
        task = await parts.post("go")
        await asyncio.sleep(1)
        with pytest.raises(Conflict, match="'busy' does just now cannot be ended by itself"):
            await parts.runner.stop_agent("ann", "busy")
        await parts.settled(task)
        assert await last_text(parts) == "done"
        assert (await parts.runner.stop_agent("ann", "busy"))["state"] == "done"


@pytest.mark.virtual_time
@pytest.mark.requirement("AGENTS-STOP-ALONE")
async def test_stopped_node_is_not_run_again_beyond_a_breakpoint():
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
        assert await last_text(parts) == "I stopped there, as you did not allow it. Not done: look."
        assert ran == ["look"]
