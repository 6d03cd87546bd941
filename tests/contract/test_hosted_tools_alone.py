"""Tools where no server keeps account of them: the same graph runs in a test, or behind another server."""

from contextlib import aclosing
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from backend.domain.errors import GraphFailedError, ProviderError
from backend.graphs.hosted_tools import Quote, Report, ToolResult, earlier_calls, program, say, tool, use
from tests.graphs.building import State, chain


@tool()
async def search(city: str, nights: int = 1):
    for number in range(nights):
        yield {"city": city, "night": number}


@tool(name="measure")
def measured(text: str):
    return ToolResult("measured", len(text))


@tool()
def letters(text: str):
    yield from text


def quote_room(city: str, total: int = 90) -> Quote:
    return Quote({"city": city, "total": 100}, f"Book for {total} EUR?", {"Total": "90 EUR"})


@tool(effect="write", quote=quote_room)
async def book(city: str, report: Report, total: int = 90) -> str:
    assert report.call_id
    return f"booked in {city} for {total}"


async def test_what_an_async_generator_yields_is_its_value_and_defaults_are_filled_in():
    result = await use(search, city="Rome")
    assert (result.outcome, result.value) == ("completed", [{"city": "Rome", "night": 0}])
    assert (result.done, result.summary) == (True, "1 item")


async def test_a_plain_function_runs_in_a_thread_and_may_say_what_it_came_to():
    result = await use(measured, text="four")
    assert (result.summary, result.value) == ("measured", 4)
    assert (await use(letters, text="ab")).value == ["a", "b"]


async def test_a_program_is_told_its_arguments_and_each_line_is_an_item():
    echo = program("echo", ["sh", "-c", "read line; echo $line; echo; echo plain"])
    result = await use(echo, city="Rome")
    assert result.value == [{"city": "Rome"}, "plain"]
    assert result.summary == "2 items"


async def test_a_program_that_fails_is_a_call_that_failed():
    result = await use(program("broken", ["sh", "-c", "echo something; exit 3"]))
    assert (result.outcome, result.summary, result.done) == ("failed", "broken failed.", False)


async def test_what_a_tool_finds_goes_to_the_stream_of_the_graph():
    async def look(state: State) -> State:
        return {"answer": (await use(search, city=state["message"], nights=2)).summary}

    told = []
    async with aclosing(chain(look).astream({"message": "Rome"}, stream_mode="custom")) as stream:
        async for each in stream:
            told.append(each)
    assert told == [{"items": [{"city": "Rome", "night": n}], "source": "search"} for n in (0, 1)]


async def test_text_goes_nowhere_where_nobody_listens_and_nothing_was_called_before():
    say("Hello")
    assert list(await earlier_calls()) == []


@pytest.mark.parametrize(
    ("decision", "outcome", "value"),
    [
        ("allow", "completed", "booked in Rome for 100"),
        ("deny", "denied", None),
        ("allowance", "denied", None),
    ],
)
async def test_a_write_asks_first_and_is_run_with_what_was_quoted(decision, outcome, value):
    results: list[Any] = []

    async def order(state: State) -> State:
        results.append(await use(book, city=state["message"]))
        return {}

    graph = chain(order, checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": "1"}}
    asked = await graph.ainvoke({"message": "Rome"}, thread)
    assert results == []
    assert asked["__interrupt__"][0].value == {"prompt": "Book for 90 EUR?", "facts": {"Total": "90 EUR"}}
    await graph.ainvoke(Command(resume=decision), thread)
    assert [(each.outcome, each.value) for each in results] == [(outcome, value)]


async def test_a_tool_that_says_why_it_failed_is_told_by_its_sentence_and_other_errors_are_raised():
    @tool()
    async def closed(broken: bool) -> None:
        raise KeyError("broken") if broken else ProviderError("Closed on Sundays.")

    assert (await use(closed, broken=False)).summary == "Closed on Sundays."
    with pytest.raises(KeyError):
        await use(closed, broken=True)


async def test_what_has_no_json_form_is_refused_with_the_name_of_the_tool():
    @tool()
    async def odd() -> object:
        return object()

    result = await use(odd)
    assert result.outcome == "failed"
    assert result.summary.startswith("The tool 'odd' gave what has no JSON form: ")


async def test_arguments_that_do_not_fit_are_refused_before_anything_runs():
    with pytest.raises(TypeError, match=r"search\(\) missing a required argument: 'city'"):
        await use(search, town="Rome")
    with pytest.raises(TypeError, match=r"book\(\) got an unexpected keyword argument 'report'"):
        await use(book, city="Rome", report=None)


async def test_a_quote_that_is_none_is_refused():
    @tool(effect="write", quote=lambda: "cheap")
    async def order() -> None:
        pass

    assert (await use(order)).summary == "The quote of the tool 'order' is no Quote."


def test_a_tool_that_cannot_be_is_refused_where_it_is_declared():
    with pytest.raises(TypeError, match="must be async"):
        tool(effect="write")(lambda: None)
    with pytest.raises(TypeError, match="never answered by another"):
        tool(effect="write", fresh_s=1)(book.function)
    with pytest.raises(TypeError, match="needs no quote"):
        tool(quote=quote_room)(search.function)
    with pytest.raises(TypeError, match="must not write"):
        program("order", ["order"], effect="write")
    with pytest.raises(TypeError, match="needs a command"):
        program("nothing", [])


async def test_a_tool_within_a_tool_is_a_part_of_it():
    @tool()
    async def both(city: str) -> list[Any]:
        return [(await use(search, city=city)).value, GraphFailedError.code]

    assert (await use(both, city="Rome")).value == [[{"city": "Rome", "night": 0}], "graph_failed"]
