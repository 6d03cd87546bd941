"""A hosted graph that asks with `interrupt()` or at a breakpoint, and the answers that it gets."""

import asyncio
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.tools import tool
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send, interrupt
from pydantic import BaseModel

from backend.domain.errors import BadInput
from backend.domain.task import TaskStatus
from backend.tasks.asking import ASIDE_ASKS
from tests.contract.hosting import Hosting
from tests.contract.serving import Served, found
from tests.graphs.building import State, beside, chain
from tests.graphs.scripted_chat import ScriptedChat, calling
from tests.records import a_tool_call

FORM = {
    "type": "object",
    "properties": {"size": {"enum": ["S", "L"]}, "count": {"type": "integer", "default": 1}},
    "required": ["size", "count"],
    "additionalProperties": False,
}


class Size(BaseModel):
    size: str


def asking(value: Any, **more: Any) -> Any:
    """A graph of one node that asks with this value, and answers with what it is given."""

    async def ask(state: State) -> State:
        return {"answer": repr(interrupt(value, **more))}

    return chain(ask)


async def states_of(served: Served, agent: str) -> list[str]:
    events = [each for each in await served.parts.events() if each["type"] == "agent_update"]
    return [each["state"] for each in events if each["agent"] == agent]


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("value", "prompt"),
    [
        ("Which city?", "Which city?"),
        (7, "7"),
        ({"prompt": "Which?"}, "Which?"),
        ({"question": "Is this right?", "options": ["yes", "no"]}, 'Is this right?\noptions: ["yes","no"]'),
    ],
)
async def test_value_without_schema_is_a_prompt_and_the_node_gets_the_text_of_the_answer(
    serve, value, prompt
):
    served = await serve(asking(value))
    await served.post()
    [question] = await served.questions()
    assert (question["prompt"], question["agent"], question["kind"]) == (prompt, "ask", "question")
    assert question["schema"]["required"] == ["answer"]
    assert question["schema"]["properties"]["answer"]["type"] == "string"
    await served.answer(answer="Rome")
    assert await served.reply() == "'Rome'"


@pytest.mark.virtual_time
async def test_mapping_with_a_schema_is_asked_as_it_is(serve):
    value = {"prompt": "Which size?", "schema": FORM, "defaults": {"size": "L"}, "agent": "tailor"}
    served = await serve(asking(value))
    task = await served.post()
    [question] = await served.questions()
    assert question == {
        "request_id": f"{task}-q1",
        "kind": "question",
        "agent": "tailor",
        "prompt": "Which size?",
        "schema": FORM,
        "defaults": {"size": "L"},
        "expires_at": question["expires_at"],
    }
    await served.answer(count=3)
    assert await served.reply() == "{'count': 3, 'size': 'L'}"


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("schema", "answer", "given"),
    [
        (FORM, {"size": "S"}, "{'count': 1, 'size': 'S'}"),
        ({"type": "integer"}, {"answer": 3}, "3"),
        (Size, {"size": "L"}, "Size(size='L')"),
    ],
)
async def test_response_schema_counts_as_the_schema(serve, schema, answer, given):
    served = await serve(asking("Which size?", response_schema=schema))
    await served.post()
    with pytest.raises(BadInput):
        await served.answer(**dict.fromkeys(answer))
    await served.answer(**answer)
    assert await served.reply() == given


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({"schema": {"type": "text"}}, "is no JSON Schema"),
        (lambda: None, "cannot be kept while it waits"),
        ({"prompt": "?", "defaults": {"a": object()}}, "cannot be kept while it waits"),
        ({"prompt": "?", "defaults": {"a": {1, "b"}}}, "has no JSON form"),
    ],
)
async def test_value_that_cannot_be_asked_fails_the_task(serve, value, why):
    served = await serve(asking(value))
    task = await served.post()
    assert (await served.parts.task(task)).status is TaskStatus.FAILED
    assert why in await served.reply()


@pytest.mark.virtual_time
async def test_node_that_comes_round_again_after_a_pause_works_again(serve):
    async def search(state: State) -> Any:
        return {"found": [len(state["found"])]}

    async def confirm(state: State) -> Any:
        return Command(goto="search" if interrupt("enough?") == "no" else END)

    builder = StateGraph(State)
    builder.add_node("search", search)
    builder.add_node("confirm", confirm, destinations=("search", END))
    builder.add_edge(START, "search")
    builder.add_edge("search", "confirm")
    served = await serve(builder.compile())
    await served.post()
    await served.answer(answer="no")
    assert await states_of(served, "search") == ["working", "done"] * 2


@pytest.mark.virtual_time
@pytest.mark.requirement("ASKING-HOLDS-UP-NOTHING")
async def test_parallel_questions_hold_up_no_node_and_get_their_own_answers(serve):
    begun: list[str] = []

    async def one(state: State) -> State:
        begun.append("one")
        return {"found": [interrupt("one?"), interrupt("and?")]}

    async def two(state: State) -> State:
        begun.append("two")
        return {"found": [interrupt("two?")]}

    async def busy(state: State) -> State:
        begun.append("busy")
        for number in range(3):
            await asyncio.sleep(1)
            get_stream_writer()(number)
        return {"found": ["busy"]}

    async def sum_up(state: State) -> State:
        return {"answer": " ".join(sorted(state["found"]))}

    served = await serve(chain(("parallel", beside(one, two, busy)), sum_up))
    await served.post()
    assert {each["prompt"] for each in await served.questions()} == {"one?", "two?"}
    assert {each["agent"] for each in await served.questions()} == {"parallel"}
    names = [each["prompt"] for each in await served.questions()]
    await served.answer(names.index("two?"), answer="B")
    await asyncio.sleep(3)
    assert [each["prompt"] for each in await served.questions()] == ["one?"]
    await served.answer(answer="A")
    await served.answer(answer="C")
    assert await served.reply() == "A B C busy"
    assert begun.count("busy") == 1
    assert await found(served.parts) == [0, 1, 2]


@pytest.mark.virtual_time
async def test_node_that_is_sent_several_inputs_asks_for_each(serve):
    async def ask(state: State) -> State:
        return {"found": [f"{state['message']}={interrupt(state['message'])}"]}

    async def spread(state: State) -> list[Send]:
        return [Send("ask", {"message": name}) for name in ("a", "b")]

    async def sum_up(state: State) -> State:
        return {"answer": ",".join(sorted(state["found"]))}

    graph = StateGraph(State).add_node(ask).add_node(sum_up)
    graph.add_conditional_edges(START, spread, ["ask"])
    graph.add_edge("ask", "sum_up").add_edge("sum_up", END)
    served = await serve(graph.compile())
    await served.post()
    assert [each["agent"] for each in await served.questions()] == ["ask", "ask"]
    for _ in range(2):
        [question, *_] = await served.questions()
        await served.answer(answer=question["prompt"].upper())
    assert await served.reply() == "a=A,b=B"


@pytest.mark.virtual_time
async def test_writes_before_a_question_are_shown_once_though_the_node_runs_again(serve):
    async def ask(state: State) -> State:
        write = get_stream_writer()
        write("before")
        write("before")
        answer = interrupt("one?")
        write("before")
        write(answer)
        return {"answer": answer}

    served = await serve(chain(ask))
    await served.post()
    await served.answer(answer="after")
    assert await served.reply() == "after"
    assert await found(served.parts) == ["before", "before", "before", "after"]


@pytest.mark.virtual_time
async def test_ended_nodes_do_not_work_again_after_an_answer(serve):
    async def quick(state: State) -> State:
        return {}

    async def ask(state: State) -> State:
        return {"answer": interrupt("one?")}

    served = await serve(beside(quick, ask))
    await served.post()
    await served.answer(answer="yes")
    await served.parts.quiet()
    assert await states_of(served, "quick") == ["working", "done"]
    assert await states_of(served, "ask") == [
        "working", "input_required", "waiting", "working", "done",
    ]  # fmt: skip


@pytest.mark.virtual_time
async def test_question_asked_no_more_is_withdrawn(serve):
    async def one(state: State) -> State:
        return {"found": [interrupt("one?")]}

    async def loses_interest(state: State) -> State:
        if not runs:
            runs.append("asked")
            interrupt("two?")
        return {"found": [interrupt("three?")] if len(runs) < 2 else []}

    runs: list[str] = []
    served = await serve(beside(one, loses_interest))
    await served.post()
    assert sorted(each["prompt"] for each in await served.questions()) == ["one?", "two?"]
    names = [each["prompt"] for each in await served.questions()]
    runs.append("never mind")
    await served.answer(names.index("one?"), answer="A")
    await served.parts.quiet()
    resolved = [event for event in await served.parts.events() if event["type"] == "input_resolved"]
    assert sorted(event["outcome"] for event in resolved) == ["answered", "withdrawn"]
    assert await served.questions() == []


@pytest.mark.virtual_time
@pytest.mark.requirement("NO-MESSAGE-IS-SWALLOWED")
async def test_message_that_cannot_be_the_answer_withdraws_the_question(serve):
    served = await serve(asking({"schema": FORM}))
    task = await served.post()
    accepted = await served.parts.runner.handle_user_message("ann", "M")
    assert accepted.interrupted_task_id == task
    await served.parts.settled(task)
    assert (await served.parts.receipt(task))["input_request"] == "withdrawn"


@pytest.mark.virtual_time
async def test_conversation_has_questions_and_answers_in_order(serve):
    class Talk(State, total=False):
        messages: list[Any]

    async def ask(state: Talk) -> State:
        if len(state["messages"]) > 1:
            return {"answer": " | ".join(message["content"] for message in state["messages"])}
        return {"answer": interrupt("Which city?")}

    served = await serve(chain(ask, state=Talk))
    await served.post("hi")
    await served.post("Rome")
    await served.post("and now?")
    assert await served.reply() == "hi | Which city? | Rome | Rome | and now?"


@pytest.mark.virtual_time
async def test_aside_that_asks_fails_and_leaves_no_question():
    hosting = Hosting(asking("which size?"), aside=True)
    await hosting.start()
    assert (await hosting.ended()).status is TaskStatus.FAILED
    assert await hosting.last_message() == ASIDE_ASKS
    assert await hosting.store.get_inputs("ann", 1) == ()


@pytest.mark.virtual_time
@pytest.mark.requirement("QUESTIONS-OF-ANY-GRAPH")
@pytest.mark.parametrize(
    ("answer", "given"),
    [
        (["Rome", 2], ["Rome", 2]),
        (False, False),
        (0, 0),
        ("", ""),
        ({"answer": {"answer": "Rome"}}, {"answer": "Rome"}),
        ({"answer": "x", "more": 1}, {"answer": "x", "more": 1}),
    ],
)
async def test_any_json_answers_a_question_without_a_schema(serve, answer, given):
    served = await serve(asking({"anything": 1}))
    await served.post()
    await served.send(answer)
    assert await served.reply() == repr(given)


@pytest.mark.virtual_time
@pytest.mark.parametrize("answer", [{}, {"answer": ""}, {"a": float("nan")}])
async def test_value_that_is_no_answer_is_refused(serve, answer):
    served = await serve(asking("Which city?"))
    await served.post()
    with pytest.raises(BadInput):
        await served.send(answer)
    await served.answer(answer="Rome")
    assert await served.reply() == "'Rome'"


@pytest.mark.virtual_time
async def test_begun_write_is_not_asked_about_again():
    async def ask(_state: State) -> State:
        return {"answer": interrupt({"prompt": "Sure?", "permission": "begun"})}

    hosting = Hosting(chain(ask))
    begun = a_tool_call(
        call_id="begun", effect="write", state="running", asks={"prompt": "Book?", "facts": {}}
    )
    hosting.context.tool_calls["begun"] = begun
    assert await hosting.reply() is None
    [asked] = [each for each in hosting.events if each["type"] == "input_request"]
    assert (asked["kind"], asked["prompt"]) == ("question", "Sure?")


async def ask_city(state: State) -> State:
    if state["message"] != "hi":
        return {"answer": f"new: {state['message']}"}
    return {"answer": f"given: {interrupt('Which city?')}"}


@pytest.mark.virtual_time
@pytest.mark.requirement("NO-MESSAGE-IS-SWALLOWED")
@pytest.mark.requirement("CHANGING-ONES-MIND")
@pytest.mark.parametrize(
    "message",
    [
        "Forget it, show me something else instead",
        "nevermind show me hotels",
        "stop it please",
        "Cancel that!",
        "Oh no, wait - show me hotels",
        "I\N{RIGHT SINGLE QUOTATION MARK}ve changed my mind",
        "On second thought, leave it",
        "Actually, show me hotels in Rome",
        "Can you show me hotels first?",
        "why do you ask?",
    ],
)
async def test_message_that_calls_off_or_asks_back_withdraws_the_question(serve, message):
    served = await serve(chain(ask_city))
    task = await served.post()
    assert await served.post(message) != task
    assert (await served.parts.receipt(task))["input_request"] == "withdrawn"
    assert await served.reply() == f"new: {message}"


@pytest.mark.virtual_time
@pytest.mark.requirement("NO-MESSAGE-IS-SWALLOWED")
@pytest.mark.requirement("CHANGING-ONES-MIND")
@pytest.mark.parametrize(
    "message",
    [
        "Rome?",
        "No, Rome",
        "Actually make it Rome",
        "Instead of Rome I would like Milan",
        "Stop at the museum on the way",
        "Skip",
        "Whatever is near, I have been to Rome?",
        "What about Rome",
        "Rome, and never mind the price",
        "Stopover in Rome",
    ],
)
async def test_other_text_is_the_answer(serve, message):
    served = await serve(chain(ask_city))
    task = await served.post()
    assert await served.post(message) == task
    assert await served.reply() == f"given: {message}"


@pytest.mark.virtual_time
@pytest.mark.requirement("NO-MESSAGE-IS-SWALLOWED")
@pytest.mark.requirement("CHANGING-ONES-MIND")
async def test_answer_that_sounds_like_calling_off_is_taken_when_sent_as_one(serve):
    served = await serve(chain(ask_city))
    await served.post()
    await served.answer(answer="Never mind")
    assert await served.reply() == "given: Never mind"


@pytest.mark.virtual_time
@pytest.mark.requirement("NO-MESSAGE-IS-SWALLOWED")
@pytest.mark.requirement("CHANGING-ONES-MIND")
async def test_choice_that_sounds_like_calling_off_is_a_choice(serve):
    async def choose(state: State) -> State:
        if state["message"] != "hi":
            return {"answer": "new"}
        schema = {"type": "object", "properties": {"do": {"enum": ["go on", "cancel"]}}, "required": ["do"]}
        return {"answer": interrupt({"prompt": "What?", "schema": schema})["do"]}

    for message, reply in (("Cancel", "cancel"), ("cancel it", "new")):
        served = await serve(chain(choose))
        await served.post()
        await served.post(message)
        assert await served.reply() == reply


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


@pytest.mark.requirement("QUESTIONS-OF-ANY-GRAPH")
@pytest.mark.parametrize("graph", STOPPING)
@pytest.mark.parametrize("message", ["yes", {"decision": "allow"}])
async def test_graph_at_a_breakpoint_goes_on_once_allowed(serve, graph, message):
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


@pytest.mark.requirement("QUESTIONS-OF-ANY-GRAPH")
@pytest.mark.parametrize("graph", STOPPING)
@pytest.mark.parametrize("message", ["no", {"decision": "deny", "note": "too dear"}])
async def test_denial_at_a_breakpoint_ends_the_run_and_says_what_was_not_done(serve, graph, message):
    served = await serve(graph())
    task = await served.post()
    await (served.post(message) if isinstance(message, str) else served.send(message))
    assert await served.reply() == "I stopped there, as you did not allow it. Not done: book."
    assert RAN == ["search"]
    assert (await served.parts.task(task)).status is TaskStatus.COMPLETED


@pytest.mark.requirement("QUESTIONS-OF-ANY-GRAPH")
async def test_graph_asks_at_each_breakpoint_and_between_them(serve):
    graph = chain(search, ask, book, interrupt_before=["ask", "book"])
    served = await serve(graph)
    await served.post()
    for answer, prompt in (("yes", "Go on with ask?"), ("Rome", "Which city?"), ("yes", "Go on with book?")):
        assert [each["prompt"] for each in await served.questions()] == [prompt]
        await served.post(answer)
    assert await served.reply() == "booked a room"
    assert RAN == ["search", "book"]


@pytest.mark.requirement("QUESTIONS-OF-ANY-GRAPH")
async def test_parallel_nodes_at_a_breakpoint_are_asked_for_together(serve):
    served = await serve(beside(search, book, interrupt_before="*"))
    await served.post()
    [question] = await served.questions()
    assert question["prompt"] in ("Go on with search and book?", "Go on with book and search?")


@pytest.mark.requirement("QUESTIONS-OF-ANY-GRAPH")
async def test_breakpoint_after_the_last_node_asks_nothing(serve):
    served = await serve(chain(search, book, interrupt_after=["book"]))
    await served.post()
    assert await served.questions() == []
    assert await served.reply() == "booked a room"


@tool
async def book_hotel(hotel: str) -> str:
    """Book a hotel."""
    RAN.append(hotel)
    return f"booked {hotel}"


@pytest.mark.requirement("QUESTIONS-OF-ANY-GRAPH")
async def test_breakpoint_shows_tool_calls_and_a_denial_leaves_a_valid_conversation(
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
