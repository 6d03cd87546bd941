"""Graphs that stop at a breakpoint: their user is asked whether they go on, and a denial ends the run."""

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.tools import tool
from langgraph.types import interrupt

from backend.domain.task import TaskStatus
from tests.contract.serving import Served, hosting
from tests.graphs.building import State, beside, chain
from tests.graphs.scripted_chat import ScriptedChat, calling
from tests.interruption.parts import Parts, started

pytestmark = pytest.mark.requirement("QUESTIONS-OF-ANY-GRAPH")

RAN: list[str] = []


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    RAN.clear()


async def search(state: State) -> State:
    RAN.append("search")
    return {"found": ["a room"]}


async def book(state: State) -> State:
    RAN.append("book")
    return {"answer": f"booked {state['found'][0]}"}


async def ask(state: State) -> State:
    return {"found": [interrupt("Which city?")]}


STOPPING = [
    lambda: chain(search, book, interrupt_before=["book"]),
    lambda: chain(search, book, interrupt_after=["search"]),
    lambda: chain(search, ("book", chain(book, interrupt_before=["book"]))),
]


@pytest.mark.parametrize("graph", STOPPING)
@pytest.mark.parametrize("message", ["yes", {"decision": "allow"}])
async def test_a_graph_that_stops_at_a_breakpoint_goes_on_once_it_is_allowed_to(serve, graph, message):
    served = await serve(graph())
    task = await served.post()
    [question] = await served.questions()
    assert (question["prompt"], question["agent"]) == ("Go on with book?", "book")
    assert question["schema"]["properties"]["decision"]["enum"] == ["allow", "deny"]
    assert RAN == ["search"]
    await (served.post(message) if isinstance(message, str) else served.send(message))
    assert await served.reply() == "booked a room"
    assert RAN == ["search", "book"]
    assert (await served.parts.task(task)).status is TaskStatus.COMPLETED


@pytest.mark.parametrize("graph", STOPPING)
@pytest.mark.parametrize("message", ["no", {"decision": "deny", "note": "too dear"}])
async def test_a_denial_ends_the_run_and_the_reply_says_what_was_not_done(serve, graph, message):
    served = await serve(graph())
    task = await served.post()
    await (served.post(message) if isinstance(message, str) else served.send(message))
    assert await served.reply() == "I stopped there, as you did not allow it. Not done: book."
    assert RAN == ["search"]
    assert (await served.parts.task(task)).status is TaskStatus.COMPLETED


async def test_another_message_withdraws_the_question(serve):
    served = await serve(STOPPING[0]())
    task = await served.post()
    again = await served.post("in Rome, please")
    assert again != task
    assert (await served.parts.receipt(task))["input_request"] == "withdrawn"
    assert [each["prompt"] for each in await served.questions()] == ["Go on with book?"]
    assert RAN == ["search", "search"]


async def test_a_graph_asks_at_each_breakpoint_and_between_them(serve):
    graph = chain(search, ask, book, interrupt_before=["ask", "book"])
    served = await serve(graph)
    await served.post()
    for answer, prompt in (("yes", "Go on with ask?"), ("Rome", "Which city?"), ("yes", "Go on with book?")):
        assert [each["prompt"] for each in await served.questions()] == [prompt]
        await served.post(answer)
    assert await served.reply() == "booked a room"
    assert RAN == ["search", "book"]


async def test_nodes_that_would_run_beside_each_other_are_asked_for_together(serve):
    served = await serve(beside(search, book, interrupt_before="*"))
    await served.post()
    [question] = await served.questions()
    assert question["prompt"] in ("Go on with search and book?", "Go on with book and search?")


async def test_a_breakpoint_after_the_last_node_asks_nothing(serve):
    served = await serve(chain(search, book, interrupt_after=["book"]))
    await served.post()
    assert await served.questions() == []
    assert await served.reply() == "booked a room"


@pytest.mark.parametrize(("answer", "reply"), [("allow", "booked a room"), ("deny", "Not done: book.")])
async def test_a_breakpoint_survives_a_restart(answer, reply):
    async with started(Parts(workflow=hosting(STOPPING[0]()))) as first:
        await Served(first, in_real_time=True).post()
        await first.close()
        again = Parts(first.store, workflow=hosting(STOPPING[0]()))
        await again.open()
        served = Served(again, in_real_time=True)
        await served.answer(decision=answer)
        assert (await served.reply()).endswith(reply)
        assert (["search", "book"] if answer == "allow" else ["search"]) == RAN
        await again.close()


@tool
async def book_hotel(hotel: str) -> str:
    """Book a hotel."""
    RAN.append(hotel)
    return f"booked {hotel}"


async def test_the_tool_calls_that_a_breakpoint_holds_up_are_shown_and_a_denial_leaves_a_valid_conversation(
    serve,
):
    script: Any = [calling("book_hotel", hotel="Adler"), "As you like."]
    model = ScriptedChat(script=script)
    served = await serve(create_agent(model, [book_hotel], interrupt_before=["tools"]))
    await served.post()
    [question] = await served.questions()
    assert (question["prompt"], question["facts"]) == (
        "Go on with tools?",
        {"1. book_hotel": {"hotel": "Adler"}},
    )
    await served.answer(decision="deny")
    await served.post("show me others")
    assert await served.reply() == "As you like."
    assert RAN == []
