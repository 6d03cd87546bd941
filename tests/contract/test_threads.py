"""A user's thread: the state of any graph lives on from message to message, whatever happened in between."""

import asyncio
import operator
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Annotated, Any, TypedDict

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.channels import DeltaChannel
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt
from structlog.testing import capture_logs

from backend.graphs.hosted_graph import HostedGraph
from backend.graphs.said_before import CUT_SHORT
from backend.store.base import StateStore
from tests.graphs.building import chain
from tests.graphs.scripted_chat import ScriptedChat, calling
from tests.interruption.disk import DiskStore
from tests.interruption.parts import Parts, started
from tests.records import ANN

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("STATE-LIVES-ON")]


def process(graph: Any, store: StateStore | None = None, like: Parts | None = None) -> Parts:
    new_id = like.new_id if like else None
    return Parts(
        store, workflow=lambda ledger, owner: HostedGraph(graph, ledger=ledger, owner=owner), new_id=new_id
    )


@asynccontextmanager
async def serving(graph: Any, **options: Any) -> AsyncIterator[Parts]:
    async with started(process(graph, **options)) as parts:
        yield parts


@asynccontextmanager
async def dying(graph: Any, store: DiskStore) -> AsyncIterator[Parts]:
    """Run a process that is killed at the end of the block."""
    async with started(process(graph, store)) as parts:
        yield parts
        store.lose_process()
        await parts.die()


def words(messages: list[BaseMessage]) -> list[tuple[str, str]]:
    return [(each.type, each.text) for each in messages]


SET_ASIDE = "a part of a stored state does not fit its graph and is set aside"
NUMBER = {"type": "number"}


@tool
async def look(city: str) -> str:
    """Look."""
    return f"{city} is sunny"


async def test_the_next_run_has_the_whole_conversation_tool_messages_included() -> None:
    model = ScriptedChat(script=[calling("look", city="Rome"), "Sunny.", "Still sunny."])
    async with serving(create_agent(model, [look])) as parts:
        await parts.settled(await parts.post("Rome?"))
        await parts.settled(await parts.post("And now?"))
        assert words(model.given[-1]) == [
            ("human", "Rome?"),
            ("ai", ""),
            ("tool", "Rome is sunny"),
            ("ai", "Sunny."),
            ("human", "And now?"),
        ]


class Notes(MessagesState, total=False):
    notes: Annotated[list[str], operator.add]
    mood: str


async def test_the_channels_of_a_graph_live_on_for_each_user_apart() -> None:
    seen: list[Any] = []

    async def note(state: Notes) -> Any:
        seen.append((state.get("notes"), state.get("mood")))
        return {"notes": [state["messages"][-1].text], "mood": "fine", "messages": [AIMessage("noted")]}

    async with serving(pipeline_of(Notes, note=note)) as parts:
        for message in ("one", "two"):
            await parts.settled(await parts.post(message))
        await parts.settled(await parts.post("three", user="bob"))
        assert seen == [([], None), (["one"], "fine"), ([], None)]


class Quiz(TypedDict, total=False):
    message: str
    answer: str
    score: int


async def test_what_an_earlier_message_was_answered_is_no_reply_to_a_later_one() -> None:
    async def node(state: Quiz) -> Any:
        if state["message"] == "quiet":
            return {"score": 1}
        return {"answer": "The answer."}

    async with serving(pipeline_of(Quiz, node=node)) as parts:
        for message in ("one", "quiet", "two"):
            await parts.settled(await parts.post(message))
        replies = [text for role, text in await parts.history() if role == "assistant"]
        assert replies == ["The answer.", "Done.", "The answer."]


def pipeline_of(state: Any, **nodes: Any) -> Any:
    builder = StateGraph(state)
    before = START
    for name, node in nodes.items():
        builder.add_node(name, node)
        builder.add_edge(before, name)
        before = name
    builder.add_edge(before, END)
    return builder.compile()


async def test_state_lives_on_in_the_next_process_and_is_forgotten_with_its_user() -> None:
    model = ScriptedChat(script=["First.", "Second.", "Third."])
    async with serving(create_agent(model, [])) as parts:
        await parts.settled(await parts.post("one"))
    async with serving(create_agent(model, []), store=parts.store, like=parts) as again:
        await again.settled(await again.post("two"))
        assert words(model.given[-1]) == [("human", "one"), ("ai", "First."), ("human", "two")]
        await again.runner.delete_user("ann")
        await again.settled(await again.post("three"))
        assert words(model.given[-1]) == [("human", "three")]


async def test_a_graph_without_a_checkpointer_begins_anew() -> None:
    model = ScriptedChat(script=["First.", "Second."])
    graph = create_agent(model, [], checkpointer=False)
    async with serving(graph) as parts:
        await parts.settled(await parts.post("one"))
        await parts.settled(await parts.post("two"))
        assert await parts.store.get_thread_step("ann", "") is None
        assert words(model.given[-1]) == [("human", "one"), ("ai", "First."), ("human", "two")]


# --- after an interruption -------------------------------------------------------------------------------


async def test_an_open_call_gets_its_true_result_before_the_next_message() -> None:
    entered = asyncio.Event()

    @tool
    async def book(city: str) -> str:
        """Book."""
        entered.set()
        await asyncio.get_running_loop().create_future()
        return city

    model = ScriptedChat(script=[calling("book", city="Rome"), "I did not book it."])
    async with serving(create_agent(model, [book])) as parts:
        await parts.post("Book Rome")
        await entered.wait()
        await parts.settled(await parts.post("Do not book anything!"))
        [human, call, result, new] = model.given[-1]
        assert isinstance(result, ToolMessage)
        assert result.text.startswith("Cancelled before it was done")
        assert (human.text, new.text) == ("Book Rome", "Do not book anything!")
        assert isinstance(call, AIMessage)
        assert (await parts.history())[-1] == ("assistant", "I did not book it.")


async def test_of_several_calls_the_finished_and_the_unstarted_are_told_apart() -> None:
    entered = asyncio.Event()

    @tool
    async def book(city: str) -> str:
        """Book."""
        if city == "Rome":
            return "booked Rome"
        entered.set()
        await asyncio.get_running_loop().create_future()
        return city

    both = AIMessage(
        "",
        tool_calls=[{"name": "book", "args": {"city": city}, "id": city} for city in ("Rome", "Oslo")],
    )
    model = ScriptedChat(script=[both, "Rome is booked."])
    async with serving(create_agent(model, [book])) as parts:
        await parts.post("Book both")
        await entered.wait()
        await parts.settled(await parts.post("Stop that"))
        results = {each.tool_call_id: each.text for each in model.given[-1] if isinstance(each, ToolMessage)}
        assert results["Rome"] == "Completed: booked Rome"
        assert results["Oslo"].startswith("Cancelled")


async def test_half_an_answer_is_in_the_conversation_and_says_that_it_was_cut_short() -> None:
    model = ScriptedChat(script=["Half of it ...", "The rest."])
    async with serving(create_agent(model, [])) as parts:
        await parts.post("Tell me")
        await asyncio.sleep(1)
        await parts.settled(await parts.post("Go on"))
        assert words(model.given[-1]) == [
            ("human", "Tell me"),
            ("ai", f"Half of it\n\n{CUT_SHORT}"),
            ("human", "Go on"),
        ]


async def test_what_an_answer_had_said_before_its_tool_is_not_said_again() -> None:
    entered = asyncio.Event()

    @tool
    async def book(city: str) -> str:
        """Book."""
        entered.set()
        await asyncio.get_running_loop().create_future()
        return city

    model = ScriptedChat(script=[calling("book", text="I will book.", city="Rome"), "Fine."])
    async with serving(create_agent(model, [book])) as parts:
        await parts.post("Book Rome")
        await entered.wait()
        await parts.settled(await parts.post("Wait"))
        assert [kind for kind, _ in words(model.given[-1])] == ["human", "ai", "tool", "human"]


async def test_steps_that_had_finished_are_kept_and_the_unfinished_one_is_not() -> None:
    seen: list[Any] = []

    async def first(state: Notes) -> Any:
        seen.append(list(state.get("notes", [])))
        return {"notes": [f"first of {state['messages'][-1].text}"]}

    async def second(state: Notes) -> Any:
        if state["messages"][-1].text == "one":
            await asyncio.get_running_loop().create_future()
        return {"notes": ["second"]}

    async with serving(pipeline_of(Notes, first=first, second=second)) as parts:
        await parts.post("one")
        await asyncio.sleep(1)
        await parts.settled(await parts.post("two"))
        assert seen == [[], ["first of one"]]


async def test_a_question_that_gets_no_answer_leaves_the_thread_as_it_was_before() -> None:
    async def ask(state: Notes) -> Any:
        if state["messages"][-1].text == "one":
            interrupt(
                {"prompt": "Which?", "schema": {"type": "object", "properties": {"n": {"type": "number"}}}}
            )
        return {"messages": [AIMessage("answered")]}

    async with serving(pipeline_of(Notes, ask=ask)) as parts:
        await parts.settled(await parts.post("one"))
        await parts.settled(await parts.post("something else"))
        assert (await parts.history())[-1] == ("assistant", "answered")


# --- after the end of a process ----------------------------------------------------------------------------


async def test_after_a_kill_a_run_goes_on_from_its_last_finished_step() -> None:
    store, done = DiskStore(), []

    async def first(_state: Notes) -> Any:
        done.append("first")
        return {"notes": ["first"]}

    async def second(state: Notes) -> Any:
        done.append("second")
        if len(done) == 2:
            await asyncio.get_running_loop().create_future()
        return {"messages": [AIMessage(" ".join(state["notes"]))]}

    graph = pipeline_of(Notes, first=first, second=second)
    async with dying(graph, store) as old:
        await old.post("one")
        await asyncio.sleep(1)
    async with serving(graph, store=store, like=old) as new:
        await new.quiet()
        assert done == ["first", "second", "second"]
        assert (await new.history())[-1] == ("assistant", "first")


async def test_after_a_kill_a_tool_that_had_begun_is_not_called_again_and_the_model_is_told() -> None:
    store, booked = DiskStore(), []

    @tool
    async def book(city: str) -> str:
        """Book."""
        booked.append(city)
        await asyncio.get_running_loop().create_future()
        return city

    model = ScriptedChat(script=[calling("book", city="Rome"), "I do not know whether it is booked."])
    graph = create_agent(model, [book])
    async with dying(graph, store) as old:
        await old.post("Book Rome")
        await asyncio.sleep(1)
    async with serving(graph, store=store, like=old) as new:
        await new.quiet()
        assert booked == ["Rome"]
        assert [kind for kind, _ in words(model.given[-1])] == ["human", "ai", "tool"]
        assert model.given[-1][-1].text.startswith("Not known: it had begun")
        assert (await new.history())[-1] == ("assistant", "I do not know whether it is booked.")


async def test_after_a_kill_a_graph_without_a_conversation_says_what_it_does_not_repeat() -> None:
    store, booked = DiskStore(), []

    @tool
    async def book_room(city: str) -> str:
        """Book."""
        booked.append(city)
        await asyncio.get_running_loop().create_future()
        return city

    async def node(state: dict[str, Any]) -> Any:
        return {"answer": await book_room.ainvoke({"city": state["message"]})}

    graph = chain(node)
    async with dying(graph, store) as old:
        await old.post("Rome")
        await asyncio.sleep(1)
    async with serving(graph, store=store, like=old) as new:
        await new.quiet()
        assert booked == ["Rome"]
        assert "book_room" in (await new.history())[-1][1]


# --- what a state may hold ---------------------------------------------------------------------------------


def joined(state: list[str], writes: list[list[str]]) -> list[str]:
    return [*state, *(each for write in writes for each in write)]


class Pieces(MessagesState, total=False):
    files: Annotated[list[str], DeltaChannel(joined)]


async def test_a_channel_that_is_stored_in_pieces_lives_on() -> None:
    seen: list[Any] = []

    async def node(state: Pieces) -> Any:
        seen.append(list(state.get("files") or []))
        return {"files": [state["messages"][-1].text], "messages": [AIMessage("kept")]}

    async with serving(pipeline_of(Pieces, node=node)) as parts:
        for message in ("one", "two", "three"):
            await parts.settled(await parts.post(message))
    assert seen == [[], ["one"], ["one", "two"]]


async def test_a_value_that_cannot_be_kept_is_left_out_and_said() -> None:
    seen: list[Any] = []

    async def node(state: Notes) -> Any:
        seen.append((state.get("mood"), state.get("notes")))
        return {"mood": object(), "notes": ["kept"], "messages": [AIMessage("fine")]}

    async with serving(pipeline_of(Notes, node=node)) as parts:
        with capture_logs() as logs:
            for message in ("one", "two"):
                await parts.settled(await parts.post(message))
    assert seen == [(None, []), (None, ["kept"])]
    assert {(each["event"], each["channel"]) for each in logs} == {
        ("a part of a graph's state cannot be kept", "mood")
    }


async def test_a_thread_that_cannot_be_read_begins_anew_and_is_said() -> None:
    model = ScriptedChat(script=["First.", "Second."])
    async with serving(create_agent(model, [])) as parts:
        await parts.settled(await parts.post("one"))
        step = await parts.store.get_thread_step("ann", "")
        assert step is not None
        await parts.log.commit(ANN, replace(step, body=b"\xc1 no manifest"))
        conversation = parts.runner.conversations.get("ann")
        assert conversation is not None
        conversation.unload()
        with capture_logs() as logs:
            await parts.settled(await parts.post("two"))
    assert [each["event"] for each in logs] == [
        "a part of a stored state does not fit its graph and is set aside"
    ]
    assert [type(each) for each in model.given[-1]] == [HumanMessage, AIMessage, HumanMessage]
