"""The official client of MCP against a real server: calls, cancellations, questions, several at once."""

import asyncio
import contextlib

import pytest
import pytest_asyncio

from tests.conventions import ROOT
from tests.fakes.waiting import until
from tests.protocols.mcp_clients import SCRIPTED, User, call_of, calling, eras

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module")
async def scripted(live_servers):
    """The module's server of the scripted graph, which speaks MCP."""
    return await live_servers(graph=SCRIPTED, protocols="mcp")


async def begun(server, thread: str, found: int = 2) -> None:
    """Return once the task at work in a conversation has found so much."""
    await until(lambda: server.detour.store.position(thread))
    await server.until_found(thread, found)


# --- tools ------------------------------------------------------------------------------------------------


@eras
async def test_graph_is_a_tool_with_the_fields_of_its_input(live_servers, era) -> None:
    server = await live_servers(protocols="mcp,langgraph")
    async with calling(server, era) as call:
        [tool] = (await call.client.list_tools()).tools
        assert tool.name == "talking_graph"
        assert [*tool.input_schema["properties"]] == ["message", "answer", "thread_id", "place"]
        assert tool.input_schema["properties"]["place"] == {"title": "Place", "type": "string"}


@eras
async def test_each_of_several_graphs_is_a_tool_in_the_same_conversation(live_servers, era) -> None:
    server = await live_servers(graph=str(ROOT / "examples" / "langgraph.json"), protocols="mcp")
    async with calling(server, era, "rooms") as call:
        assert [tool.name for tool in (await call.client.list_tools()).tools] == ["shelves", "rooms"]
        asked = await call("Rome")
        assert asked.structured_content["status"] == "input_required"
        call.tool = "shelves"
        told = await call("maps")
        assert told.structured_content["status"] == "success"
        assert {*told.structured_content["partial_results"]} == {"books", "films"}


@eras
async def test_travel_assistant_is_a_tool_where_no_graph_is_served(live_servers, era) -> None:
    async with calling(await live_servers(graph="", protocols="mcp"), era, "travel") as call:
        [tool] = (await call.client.list_tools()).tools
        assert [*tool.input_schema["properties"]] == ["message", "answer", "thread_id"]
        result = await call("flights from Berlin to Tokyo on 10 December")
        assert result.content[0].text.startswith("I found ")
        assert result.structured_content["partial_results"]["flight"]


@eras
async def test_call_returns_the_reply_with_what_was_found_after_its_progress(scripted, era) -> None:
    async with calling(scripted, era) as call:
        result = await call("find 2")
        assert not result.is_error
        assert result.content[0].text == "Done: find 2"
        told = result.structured_content
        assert (told["status"], told["reply"]) == ("success", "Done: find 2")
        assert told["partial_results"] == {"finder": [{"thing": 0}, {"thing": 1}]}
        assert [words for _, words in call.progress] == [
            'finder has found 1: [{"thing":0}]',
            'finder has found 2: [{"thing":1}]',
        ]
        numbers = [number for number, _ in call.progress]
        assert numbers == sorted({*numbers})


@eras
async def test_progress_has_the_text_so_far(live_servers, era) -> None:
    server = await live_servers(protocols="mcp,langgraph")
    async with calling(server, era, "talking_graph") as call:
        assert (await call("hello")).content[0].text == "You said: hello"
        assert call.progress[-1][1] == "You said: hello"
        assert len(call.progress) > 1
        reply = (await call("slow 60")).content[0].text
        assert call.progress[-1][1] == f"…{reply[-300:]}"


@eras
async def test_failed_run_is_an_error_of_the_tool(scripted, era) -> None:
    async with calling(scripted, era) as call:
        result = await call("find 1, fail")
        assert result.is_error
        assert result.structured_content["status"] == "error"
        assert result.structured_content["partial_results"] == {"finder": [{"thing": 0}]}
        assert result.content[0].text


@eras
async def test_conversation_goes_on_by_its_id(live_servers, era) -> None:
    server = await live_servers(protocols="mcp,langgraph")
    async with calling(server, era, "talking_graph") as call:
        await call("one")
        thread = call.thread
        assert (await call("recall")).content[0].text == "one / recall"
        assert call.thread == thread
    async with calling(server, era, "talking_graph") as another:
        another.thread = thread
        assert (await another("recall")).content[0].text == "one / recall / recall"


async def test_session_is_a_conversation_where_no_other_is_named(live_servers) -> None:
    server = await live_servers(protocols="mcp,langgraph")
    async with calling(server, "legacy", "talking_graph") as call:
        await call.client.call_tool("talking_graph", {"message": "one"})
        result = await call.client.call_tool("talking_graph", {"message": "recall"})
        assert [each.text for each in result.content] == ["one / recall"]


async def test_conversation_without_a_session_is_named_for_the_model(scripted) -> None:
    async with calling(scripted, "auto") as call:
        result = await call("find 1")
        assert result.content[-1].text == f"thread_id: {call.thread}"


@eras
async def test_calls_at_once_in_one_conversation_are_all_answered(scripted, ann, era) -> None:
    async with calling(scripted, era) as call:
        call.thread = f"{ann}-{era}"
        results = await asyncio.gather(*(call(f"find {count}") for count in (1, 2, 3)))
        assert [each.content[0].text for each in results] == [f"Done: find {count}" for count in (1, 2, 3)]


@eras
async def test_progress_of_long_results_is_their_count(scripted, era) -> None:
    async with calling(scripted, era) as call:
        await call("big 300")
        assert [words for _, words in call.progress] == ["finder has found 1"]


# --- cancellation -----------------------------------------------------------------------------------------


@pytest.mark.requirement("FOREIGN-STOP-STOPS")
@eras
async def test_cancelled_call_stops_its_task_and_the_next_one_has_the_receipt(scripted, ann, era) -> None:
    async with calling(scripted, era) as call:
        call.thread = thread = f"{ann}-{era}"
        under_way = call.start("find 2, hold")
        await begun(scripted, thread)
        under_way.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await under_way
        status = await scripted.until_status(thread, lambda status: status["status"] == "interrupted")
        assert status["reason"] == "stopped"
        kept = await scripted.partial_results(thread)
        assert kept["interrupted"][0]["partial_results"] == {"finder": [{"thing": 0}, {"thing": 1}]}
        result = await call("find 1")
        [left] = result.structured_content["interrupted"]
        assert (left["message"], left["reason"]) == ("find 2, hold", "stopped")
        assert left["partial_results"] == {"finder": [{"thing": 0}, {"thing": 1}]}
        assert left["receipt"]["partial_results"]["finder"] == 2
        assert "interrupted" not in (await call("find 1")).structured_content


async def test_cancelled_call_of_a_session_stops_its_task(scripted) -> None:
    async with calling(scripted, "legacy") as call:
        session = (await call("find 1")).structured_content["thread_id"]
        call.thread = None
        under_way = call.start("find 2, hold")
        await begun(scripted, session)
        under_way.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await under_way
        await scripted.until_status(session, lambda status: status["status"] == "interrupted")


@eras
async def test_task_stopped_elsewhere_ends_its_call_with_the_receipt(scripted, ann, era) -> None:
    async with calling(scripted, era) as call:
        call.thread = thread = f"{ann}-{era}"
        under_way = call.start("find 2, hold")
        await begun(scripted, thread)
        receipt = await scripted.stop(thread)
        told = (await under_way).structured_content
        assert (told["status"], told["reason"]) == ("interrupted", "stopped")
        assert told["partial_results"] == {"finder": [{"thing": 0}, {"thing": 1}]}
        assert told["receipt"] == receipt


@pytest.mark.requirement("LEAVING-IS-NOT-STOPPING")
async def test_client_of_a_session_that_leaves_stops_nothing(live_servers, ann) -> None:
    server = await live_servers(protocols="mcp,langgraph")
    async with server.http.stream("POST", "/mcp", **call_of(ann, "slow 50", tool="talking_graph")) as stream:
        assert stream.status_code == 200
    task_id = (await server.status(ann))["task_id"]
    assert (await server.until_ended(ann, task_id))["status"] == "completed"


# --- questions --------------------------------------------------------------------------------------------


@eras
async def test_question_is_a_form_for_the_user_and_the_call_goes_on_with_the_answer(scripted, era) -> None:
    user = User(content={"answer": "Rome"})
    async with calling(scripted, era, elicitation_callback=user) as call:
        result = await call("find 1, field Where to?")
        [form] = user.forms
        assert form.message == "Where to?"
        assert form.requested_schema["properties"]["answer"] == {"type": "string", "minLength": 1}
        assert form.requested_schema["required"] == ["answer"]
        assert result.structured_content["status"] == "success"
        assert result.structured_content["partial_results"]["finder"] == [{"thing": 0}, {"answer": "Rome"}]


@eras
async def test_two_questions_are_two_forms(live_servers, ann, era) -> None:
    server = await live_servers(graph="tests.protocols.pair_graph:graph", protocols="mcp")
    thread = f"{ann}-{era}"

    class OneAfterTheOther(User):
        async def __call__(self, context, asked):
            if asked.message == "Right?" and era == "legacy":  # in the other, both come with one call
                await server.until_status(thread, rests_with_one)
            return await super().__call__(context, asked)

    def rests_with_one(status) -> bool:
        return status["status"] == "input_required" and len(status["input_requests"]) == 1

    user = OneAfterTheOther(content={"answer": "that way"})
    async with calling(server, era, "pair_graph", elicitation_callback=user) as call:
        call.thread = thread
        assert (await call("go")).structured_content["status"] == "success"
        assert sorted(each.message for each in user.forms) == ["Left?", "Right?"]


@eras
@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_question_that_is_not_answered_stops_the_task_that_asks(scripted, era, action) -> None:
    user = User(action)
    async with calling(scripted, era, elicitation_callback=user) as call:
        told = (await call("find 1, field Where to?")).structured_content
        assert (told["status"], told["reason"]) == ("interrupted", "stopped")
        assert told["partial_results"] == {"finder": [{"thing": 0}]}
        assert told["receipt"]
        assert (await scripted.status(call.thread))["input_requests"] == []


@eras
async def test_review_of_a_tool_call_is_a_form(live_servers, era) -> None:
    server = await live_servers(graph="tests.protocols.calling_graph:graph", protocols="mcp")
    for action, said in (("accept", "bought a map"), ("decline", "")):
        user = User(action, {"decision": "allow"} if action == "accept" else None)
        async with calling(server, era, "calling_graph", elicitation_callback=user) as call:
            result = await call("buy a map")
            assert len(user.forms) == 1
            assert said in result.content[0].text
            assert ("bought" in result.content[0].text) is bool(said)
            assert result.structured_content["status"] in {"success", "interrupted"}


@eras
@pytest.mark.parametrize("how", ["accept", "decline"])
async def test_permission_is_a_form_with_its_facts_and_a_refusal_denies(live_servers, era, how) -> None:
    server = await live_servers(graph="examples.rooms:graph", protocols="mcp")
    user = User(how, {"decision": "allow"})
    async with calling(server, era, "rooms", elicitation_callback=user) as call:
        result = await call("Rome")
        [form] = user.forms
        assert form.message.splitlines() == [
            "Book Rome 27 for 95 EUR?",
            "Room: Rome 27",
            "Total: 95 EUR",
            "Refund: none",
        ]
        assert form.requested_schema["properties"]["decision"]["enum"] == ["allow", "deny"]
        allowed = "Rome 27 is booked for 95 EUR"
        said = allowed if how == "accept" else "Nothing is booked: denied."
        assert result.content[0].text == said


@eras
@pytest.mark.parametrize("how", [{"answer": {"answer": "Rome"}}, {"answer": "Rome"}, {"message": "Rome"}])
async def test_client_without_forms_is_told_the_question_and_answers_with_its_next_call(
    scripted, era, how
) -> None:
    async with calling(scripted, era) as call:
        asked = await call("find 1, field Where to?")
        told = asked.structured_content
        assert (told["status"], asked.is_error) == ("input_required", False)
        assert asked.content[0].text == "Where to?"
        [question] = told["questions"]
        assert question["schema"]["required"] == ["answer"]
        result = await call(**how)
        assert result.structured_content["partial_results"]["finder"][-1] == {"answer": "Rome"}
        again = await call(answer="Oslo")
        assert again.is_error
        assert again.content[0].text == "answer: nothing is asked in this conversation."


@eras
async def test_question_that_is_answered_elsewhere_lets_the_call_go_on(scripted, ann, era) -> None:
    class Slow(User):
        async def __call__(self, context, asked):
            [question] = (await scripted.status(thread))["input_requests"]
            await scripted.answer(thread, question["request_id"], answer="Rome")
            return await super().__call__(context, asked)

    thread = f"{ann}-{era}"
    async with calling(scripted, era, elicitation_callback=Slow(content={"answer": "Oslo"})) as call:
        call.thread = thread
        result = await call("field Where to?")
        if era == "legacy":
            assert result.structured_content["partial_results"]["finder"] == [{"answer": "Rome"}]
        else:
            assert result.is_error
