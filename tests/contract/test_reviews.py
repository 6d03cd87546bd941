"""Graphs that ask for decisions on actions in the shapes that others publish, and get what those promise."""

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool
from langgraph.types import interrupt

from backend.domain.errors import BadInput
from backend.domain.task import TaskStatus
from tests.contract.serving import Served, serving
from tests.graphs.building import State, chain
from tests.graphs.scripted_chat import ScriptedChat, calling

pytestmark = pytest.mark.requirement("QUESTIONS-OF-ANY-GRAPH")

BOOKED: list[tuple[str, int]] = []


@pytest.fixture(autouse=True)
def nothing_booked() -> None:
    BOOKED.clear()


@tool
async def book(hotel: str, nights: int = 1) -> str:
    """Book a hotel."""
    BOOKED.append((hotel, nights))
    return f"booked {hotel}"


def agent(*calls: Any, decisions: Any = True, mode: Any = "batched", model: Any = None) -> Any:
    """LangChain's agent, whose model makes these calls in one answer, and then says it is done."""
    line = calling("book", hotel="Adler", nights=2)
    line.tool_calls = [*calls] or line.tool_calls
    wanted = decisions if decisions is True else {"allowed_decisions": decisions}
    middleware = HumanInTheLoopMiddleware({"book": wanted}, interrupt_mode=mode)
    model = model or ScriptedChat(script=[line, "That is all."])
    return create_agent(model, [book], middleware=[middleware])


def call(number: int, hotel: str) -> dict[str, Any]:
    return {"name": "book", "args": {"hotel": hotel}, "id": f"c{number}", "type": "tool_call"}


MODES = pytest.mark.parametrize("mode", ["batched", "per_call"])


@MODES
async def test_tool_of_langchains_agent_is_asked_for_with_arguments_and_a_form(serve, mode):
    served = await serve(agent(mode=mode))
    await served.post()
    [question] = await served.questions()
    assert question["kind"] == "question"
    assert question["tool"] == "book"
    assert question["facts"] == {"hotel": "Adler", "nights": 2}
    assert question["prompt"].startswith("Tool execution requires approval\n\nTool: book\nArgs: ")
    assert "'hotel': 'Adler'" in question["prompt"]
    fields = question["schema"]["properties"]
    assert fields["decision"]["enum"] == ["allow", "edit", "deny", "respond"]
    assert (fields["note"]["type"], fields["arguments"]["type"]) == ("string", "object")
    assert question["schema"]["required"] == ["decision"]
    assert question["defaults"] == {"arguments": {"hotel": "Adler", "nights": 2}}
    assert BOOKED == []


@MODES
@pytest.mark.parametrize(
    ("answer", "own", "booked"),
    [
        ({"decision": "allow"}, {"type": "approve"}, [("Adler", 2)]),
        (
            {"decision": "edit", "arguments": {"hotel": "Bellevue"}},
            {"type": "edit", "edited_action": {"name": "book", "args": {"hotel": "Bellevue"}}},
            [("Bellevue", 1)],
        ),
        ({"decision": "deny", "note": "too dear"}, {"type": "reject", "message": "too dear"}, []),
        ({"decision": "deny"}, {"type": "reject"}, []),
        (
            {"decision": "respond", "note": "done by phone"},
            {"type": "respond", "message": "done by phone"},
            [],
        ),
    ],
)
async def test_decision_reaches_langchain_from_the_form_and_in_its_own_words(
    serve, mode, answer, own, booked
):
    own = own if mode == "per_call" else {"decisions": [own]}
    for each in (answer, own):
        BOOKED.clear()
        served = await serve(agent(mode=mode))
        task = await served.post()
        await served.send(each)
        assert await served.reply() == "That is all."
        assert (await served.parts.task(task)).status is TaskStatus.COMPLETED
        assert booked == BOOKED


async def test_note_of_a_denial_reaches_the_model(serve):
    model = ScriptedChat(script=[calling("book", hotel="Adler"), "As you like."])
    served = await serve(agent(model=model))
    await served.post()
    await served.answer(decision="deny", note="too dear")
    assert await served.reply() == "As you like."
    [result] = [each for each in model.given[-1] if isinstance(each, ToolMessage)]
    assert "too dear" in str(result.content)
    assert [text for role, text in await served.parts.history() if role == "user"][-1] == ("No: too dear")


@pytest.mark.parametrize(
    ("message", "booked"),
    [
        ("Approve!", [("Adler", 2)]),
        ("Yes, allow it.", [("Adler", 2)]),
        ("OK, go ahead", [("Adler", 2)]),
        ("No.", []),
        ("No, don\N{RIGHT SINGLE QUOTATION MARK}t allow it, thanks", []),
    ],
)
@MODES
async def test_plain_yes_or_no_decides_on_a_single_action(serve, message, booked, mode):
    served = await serve(agent(mode=mode))
    task = await served.post()
    accepted = await served.parts.runner.handle_user_message("ann", message)
    assert (accepted.task_id, accepted.relation) == (task, "answer")
    assert await served.reply() == "That is all."
    assert booked == BOOKED


async def test_actions_of_one_request_get_their_own_decisions(serve):
    served = await serve(agent(call(1, "Adler"), call(2, "Bellevue"), call(3, "Carlton")))
    await served.post()
    [question] = await served.questions()
    assert question["schema"]["required"] == ["decision_1", "decision_2", "decision_3"]
    assert "tool" not in question
    assert question["facts"] == {
        "1. book": {"hotel": "Adler"},
        "2. book": {"hotel": "Bellevue"},
        "3. book": {"hotel": "Carlton"},
    }
    with pytest.raises(BadInput, match="decision_3: Field required"):
        await served.answer(decision_1="allow", decision_2="deny")
    await served.answer(
        decision_1="deny", note_1="full", decision_2="allow", decision_3="edit", arguments_3={"hotel": "Dom"}
    )
    assert await served.reply() == "That is all."
    assert sorted(BOOKED) == [("Bellevue", 1), ("Dom", 1)]
    said = [text for role, text in await served.parts.history() if role == "user"][-1]
    assert said == 'book: No: full; book: Yes.; book: Yes, with changes: {"hotel":"Dom"}'


async def test_form_offers_only_the_decisions_of_its_tool(serve):
    for mode in ("batched", "per_call"):
        served = await serve(agent(decisions=["approve", "reject"], mode=mode))
        await served.post()
        [question] = await served.questions()
        assert question["schema"]["properties"]["decision"]["enum"] == ["allow", "deny"]
        assert "arguments" not in question["schema"]["properties"]
        with pytest.raises(BadInput, match="decision: is none of the choices"):
            await served.answer(decision="edit")
        await served.answer(decision="allow")
        assert await served.reply() == "That is all."


async def test_tool_that_only_takes_a_response_takes_any_text(serve):
    served = await serve(agent(decisions=["respond"]))
    task = await served.post()
    assert await served.post("at the old bridge") == task
    assert await served.reply() == "That is all."
    assert BOOKED == []


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({}, "decision: Field required"),
        ({"decision": "maybe"}, "decision: is none of the choices"),
        ({"decision": "respond"}, "note: Field required"),
        ({"decision": "allow", "note": "but quickly"}, "note: the graph takes no note"),
        ({"decision": "allow", "arguments": {"hotel": "Dom"}}, "arguments: they were changed"),
        ("yes", "answer: should be an object"),
        ({"decisions": []}, "decisions: should be a list of 1"),
        ({"decisions": ["approve"]}, "decisions.0.type: is none of the choices"),
        ({"decisions": [{"type": "accept"}]}, "decisions.0.type: is none of the choices"),
        ({"decisions": [{"type": "edit"}]}, "decisions.0.edited_action: should have"),
        ({"decisions": [{"type": "reject", "message": 7}]}, "decisions.0.message: should be text"),
        ({"decisions": [{"type": "respond"}]}, "decisions.0.message: should be text"),
    ],
)
@pytest.mark.requirement("REFUSED-CHANGES-NOTHING")
async def test_answer_that_the_graph_would_fail_on_is_refused_and_the_question_stays(serve, answer, why):
    served = await serve(agent())
    await served.post()
    with pytest.raises(BadInput, match=why):
        await served.send(answer)
    assert len(await served.questions()) == 1
    await served.answer(decision="allow")
    assert await served.reply() == "That is all."


async def test_arguments_that_the_tool_cannot_take_are_refused(serve):
    served = await serve(agent(mode="per_call"))
    await served.post()
    with pytest.raises(BadInput):
        await served.answer(decision="edit", arguments={"hotel": 7})
    await served.answer(decision="edit", arguments={"hotel": "Dom"})
    assert await served.reply() == "That is all."
    assert BOOKED == [("Dom", 1)]


@MODES
async def test_request_for_decisions_is_decided_after_a_restart(mode):
    async with serving(agent(mode=mode)) as first:
        await Served(first, in_real_time=True).post()
    rest = ScriptedChat(script=["That is all."])
    async with serving(agent(mode=mode, model=rest), store=first.store, like=first) as again:
        served = Served(again, in_real_time=True)
        await served.answer(decision="edit", arguments={"hotel": "Dom"})
        assert await served.reply() == "That is all."
    assert BOOKED == [("Dom", 1)]


REQUEST = {
    "action_request": {"action": "mail", "args": {"to": "bob"}},
    "config": {"allow_accept": True, "allow_edit": True, "allow_respond": True, "allow_ignore": True},
    "description": "Shall this be sent?",
}


def inbox(request: Any) -> Any:
    async def ask(state: State) -> State:
        return {"answer": repr(interrupt(request))}

    return chain(ask)


@pytest.mark.parametrize("request_", [REQUEST, [REQUEST]])
@pytest.mark.parametrize(
    ("answer", "given"),
    [
        ({"decision": "allow"}, {"type": "accept", "args": {"action": "mail", "args": {"to": "bob"}}}),
        (
            {"decision": "edit", "arguments": {"to": "eve"}},
            {"type": "edit", "args": {"action": "mail", "args": {"to": "eve"}}},
        ),
        ({"decision": "respond", "note": "later"}, {"type": "response", "args": "later"}),
        ({"decision": "deny"}, {"type": "ignore", "args": None}),
    ],
)
async def test_agent_inbox_request_gets_its_own_response(serve, request_, answer, given):
    for each in (answer, [given]):
        served = await serve(inbox(request_))
        await served.post()
        [question] = await served.questions()
        assert question["prompt"] == 'Shall this be sent?\nmail: {"to":"bob"}'
        assert (question["tool"], question["facts"]) == ("mail", {"to": "bob"})
        await served.send(each)
        assert await served.reply() == repr([given])


async def test_agent_inbox_requests_get_a_response_each(serve):
    served = await serve(inbox([REQUEST, REQUEST]))
    await served.post()
    await served.answer(decision_1="allow", decision_2="deny")
    accepted = {"type": "accept", "args": {"action": "mail", "args": {"to": "bob"}}}
    assert await served.reply() == repr([accepted, {"type": "ignore", "args": None}])


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({"decision": "deny", "note": "no"}, "note: the graph takes no note with the decision 'deny'"),
        ([{"type": "response", "args": None}], "answer.0.args: should be text"),
        ([{"type": "edit", "args": {"to": "eve"}}], "answer.0.args: should have `action` and `args`"),
        ([], "answer: should be a list of 1"),
    ],
)
async def test_answer_without_a_place_in_agent_inbox_is_refused(serve, answer, why):
    served = await serve(inbox(REQUEST))
    await served.post()
    with pytest.raises(BadInput, match=why):
        await served.send(answer)


@pytest.mark.parametrize(
    "value",
    [
        {"action_requests": [{"name": "book", "args": {}}], "review_configs": []},
        {"action_requests": [{"name": "a", "args": {}}], "review_configs": [{"action_name": "b"}]},
        {**REQUEST, "config": {}},
        [REQUEST, "and?"],
        {"type": "tool_approval"},
    ],
)
async def test_value_that_resembles_a_request_is_an_ordinary_question(serve, value):
    served = await serve(inbox(value))
    await served.post()
    [question] = await served.questions()
    assert list(question["schema"]["properties"]) == ["answer"]
    await served.answer(answer="well")
    assert await served.reply() == "'well'"


@pytest.mark.parametrize("message", ["Yes, but the Bellevue", "ok", "yes and no", "allow the other one"])
async def test_message_that_says_more_than_yes_decides_nothing(serve, message):
    served = await serve(agent(mode="batched"))
    task = await served.post()
    accepted = await served.parts.runner.handle_user_message("ann", message)
    assert accepted.task_id != task
    assert BOOKED == []
