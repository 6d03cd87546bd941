"""A hosted graph that asks: what it hands to `interrupt()` is a question, the answer what that returns."""

import asyncio
from typing import Any

import pytest
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send, interrupt
from pydantic import BaseModel

from backend.domain.errors import BadInput
from backend.domain.task import TaskStatus
from backend.tasks.asking import ASIDE_ASKS
from tests.contract.hosting import Hosting
from tests.contract.serving import hosting
from tests.graphs.building import State, beside, chain
from tests.interruption.parts import Parts, started
from tests.records import a_tool_call

pytestmark = pytest.mark.virtual_time

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


async def test_what_others_ask_with_is_asked_in_words_and_shown_beside_them(serve):
    value = {"question": "Is this right?", "draft": "Dear Ada", "options": ["yes", "no"]}
    served = await serve(asking(value))
    await served.post()
    [question] = await served.questions()
    assert question["prompt"] == 'Is this right?\ndraft: Dear Ada\noptions: ["yes","no"]'


@pytest.mark.parametrize(
    ("value", "prompt"),
    [("Which city?", "Which city?"), (7, "7"), ({"a": [1]}, '{"a":[1]}'), ({"prompt": "Which?"}, "Which?")],
)
async def test_any_value_becomes_a_prompt_and_the_node_gets_the_text_of_the_answer(serve, value, prompt):
    served = await serve(asking(value))
    await served.post()
    [question] = await served.questions()
    assert (question["prompt"], question["agent"], question["kind"]) == (prompt, "ask", "question")
    assert question["schema"]["required"] == ["answer"]
    assert question["schema"]["properties"]["answer"]["type"] == "string"
    await served.answer(answer="Rome")
    assert await served.reply() == "'Rome'"


async def test_a_mapping_with_a_schema_is_taken_as_such_and_the_node_gets_the_whole_answer(serve):
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


async def test_an_empty_answer_takes_the_defaults(serve):
    served = await serve(asking({"schema": FORM, "defaults": {"size": "S"}}))
    await served.post()
    await served.answer()
    assert await served.reply() == "{'count': 1, 'size': 'S'}"


@pytest.mark.parametrize(
    ("schema", "answer", "given"),
    [
        (FORM, {"size": "S"}, "{'count': 1, 'size': 'S'}"),
        ({"type": "integer"}, {"answer": 3}, "3"),
        (Size, {"size": "L"}, "Size(size='L')"),
    ],
)
async def test_a_response_schema_counts_as_the_schema(serve, schema, answer, given):
    served = await serve(asking("Which size?", response_schema=schema))
    await served.post()
    with pytest.raises(BadInput):
        await served.answer(**dict.fromkeys(answer))
    await served.answer(**answer)
    assert await served.reply() == given


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({"schema": {"type": "text"}}, "is no JSON Schema"),
        (lambda: None, "cannot be kept while it waits"),
        ({"prompt": "?", "defaults": {"a": object()}}, "cannot be kept while it waits"),
        ({"prompt": "?", "defaults": {"a": {1, "b"}}}, "has no JSON form"),
    ],
)
async def test_what_cannot_be_asked_fails_the_task_and_says_why(serve, value, why):
    served = await serve(asking(value))
    task = await served.post()
    assert (await served.parts.task(task)).status is TaskStatus.FAILED
    assert why in await served.reply()


async def test_a_node_that_had_ended_before_the_pause_and_comes_round_again_is_shown_to_work_again(serve):
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
    states = [
        event["state"]
        for event in await served.parts.events()
        if event["type"] == "agent_update" and event["agent"] == "search"
    ]
    assert states == ["working", "done"] * 2


@pytest.mark.requirement("ASKING-HOLDS-UP-NOTHING")
async def test_parallel_nodes_ask_at_once_and_a_third_works_on_then_goes_on_with_all_answers(serve):
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
    assert await served.found() == [0, 1, 2]


async def test_a_node_that_is_sent_several_inputs_asks_for_each(serve):
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


async def test_what_a_node_writes_before_it_asks_is_shown_once_though_it_runs_again(serve):
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
    assert await served.found() == ["before", "before", "before", "after"]


async def test_nodes_that_had_ended_are_not_told_to_work_again(serve):
    async def quick(state: State) -> State:
        return {}

    async def ask(state: State) -> State:
        return {"answer": interrupt("one?")}

    served = await serve(beside(quick, ask))
    await served.post()
    await served.answer(answer="yes")
    await served.parts.quiet()
    told = [
        (event["agent"], event["state"])
        for event in await served.parts.events()
        if event["type"] == "agent_update"
    ]
    assert [state for agent, state in told if agent == "quick"] == ["working", "done"]
    assert [state for agent, state in told if agent == "ask"] == [
        "working", "input_required", "waiting", "working", "done",
    ]  # fmt: skip


async def test_a_question_that_a_graph_asks_no_more_is_withdrawn(serve):
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


@pytest.mark.requirement("NO-MESSAGE-IS-SWALLOWED")
@pytest.mark.parametrize(
    ("value", "message", "reply"),
    [
        ("Which city?", "Rome", "'Rome'"),
        ({"schema": {"type": "object", "properties": {"size": {"enum": ["S", "L"]}}}}, "l", "{'size': 'L'}"),
    ],
)
async def test_a_message_that_fits_the_only_field_is_the_answer(serve, value, message, reply):
    served = await serve(asking(value))
    task = await served.post()
    accepted = await served.parts.runner.handle_user_message("ann", message)
    assert (accepted.task_id, accepted.relation) == (task, "answer")
    assert await served.reply() == reply


@pytest.mark.requirement("NO-MESSAGE-IS-SWALLOWED")
async def test_a_message_that_cannot_be_the_answer_withdraws_the_question(serve):
    served = await serve(asking({"schema": FORM}))
    task = await served.post()
    accepted = await served.parts.runner.handle_user_message("ann", "M")
    assert accepted.interrupted_task_id == task
    await served.parts.settled(task)
    assert (await served.parts.receipt(task))["input_request"] == "withdrawn"


async def test_the_conversation_a_graph_gets_holds_questions_and_answers_in_their_order(serve):
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


async def test_a_question_that_was_asked_survives_as_it_was(serve):
    async with started(Parts(workflow=hosting(asking("Which city?")))) as first:
        task = await first.post("hi")
        await asyncio.sleep(0.1)
        await first.close()
        again = Parts(first.store, workflow=hosting(asking("Which city?")))
        await again.open()
        await again.runner.answer("ann", f"{task}-q1", answer={"answer": "Rome"})
        await again.quiet()
        assert (await again.history())[-1] == ("assistant", "'Rome'")
        await again.close()


async def test_an_aside_that_asks_fails_with_a_sentence_and_leaves_no_question():
    hosting = Hosting(asking("which size?"), aside=True)
    await hosting.start()
    assert (await hosting.ended()).status is TaskStatus.FAILED
    assert await hosting.last_message() == ASIDE_ASKS
    assert await hosting.store.get_inputs("ann", 1) == ()


@pytest.mark.requirement("QUESTIONS-OF-ANY-GRAPH")
@pytest.mark.parametrize(
    ("answer", "given"),
    [
        ({"city": "Rome", "nights": 2}, {"city": "Rome", "nights": 2}),
        (["Rome", 2], ["Rome", 2]),
        ("Rome", "Rome"),
        (7, 7),
        (False, False),
        (0, 0),
        ("", ""),
        ([], []),
        ({"answer": {"answer": "Rome"}}, {"answer": "Rome"}),
        ({"answer": ["Rome"]}, ["Rome"]),
        ({"answer": 7}, 7),
        ({"answer": "x", "more": 1}, {"answer": "x", "more": 1}),
    ],
)
async def test_any_json_answers_a_question_without_a_schema_and_reaches_the_node_as_it_is(
    serve, answer, given
):
    served = await serve(asking({"anything": 1}))
    await served.post()
    await served.send(answer)
    assert await served.reply() == repr(given)


@pytest.mark.parametrize("answer", [{}, {"answer": ""}, {"answer": None}, {"a": float("nan")}, [1e999]])
async def test_what_is_no_answer_to_any_question_is_refused(serve, answer):
    served = await serve(asking("Which city?"))
    await served.post()
    with pytest.raises(BadInput):
        await served.send(answer)
    await served.answer(answer="Rome")
    assert await served.reply() == "'Rome'"


async def test_a_question_with_a_schema_takes_an_object_only(serve):
    served = await serve(asking({"schema": FORM}))
    await served.post()
    for answer in ("S", ["S"], 1):
        with pytest.raises(BadInput, match="answer: should be an object"):
            await served.send(answer)


async def test_a_write_that_has_begun_is_not_asked_about_again():
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
