"""Messages of runs that are interrupted before they store a step reach the model with the next message."""

import asyncio
from typing import Any

import pytest
from langchain_core.messages import HumanMessage, RemoveMessage, ToolMessage
from langgraph.graph import START, MessagesState, StateGraph

from tests.contract.serving import hosting
from tests.contract.steering import CARD, chat_of, humans, loop_of, seconds, steer, within
from tests.graphs.scripted_chat import ScriptedChat, calling
from tests.interruption.parts import Parts, started

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("STEERED-ONCE")]


def slow_to_begin(chat: ScriptedChat) -> Any:
    """A graph that takes a second before its first step ends, and its model as long."""

    async def route(state: MessagesState) -> str:
        await asyncio.sleep(1)
        return "agent"

    async def agent(state: MessagesState) -> Any:
        await asyncio.sleep(1)
        return {"messages": [await chat.ainvoke(state["messages"])]}

    builder = StateGraph(MessagesState)
    builder.add_node("agent", agent)
    builder.add_node("tell", _nothing)
    builder.set_conditional_entry_point(route, ["agent"])
    builder.add_edge("agent", "tell")
    return builder.compile()


async def _nothing(state: MessagesState) -> Any:
    return {}


async def test_message_superseded_before_first_step_is_in_next_prompt():
    chat = chat_of("Hello.", "Both booked.", "You are welcome.")
    async with started(Parts(workflow=hosting(slow_to_begin(chat)))) as parts:
        await parts.settled(await parts.post("hello"))
        await parts.post("a table in Rome")
        await seconds(0.5)
        await parts.post("a taxi, too")
        await seconds(0.5)
        await parts.settled(await parts.post("for two"))
        assert humans(chat)[1] == ["hello", "a table in Rome", "a taxi, too", "for two"]
        await parts.settled(await parts.post("thanks"))
        assert humans(chat)[2] == ["hello", "a table in Rome", "a taxi, too", "for two", "thanks"]


async def test_message_superseded_after_first_step_is_in_next_prompt_once():
    chat = chat_of("Hello.", "Both booked.")
    async with started(Parts(workflow=hosting(slow_to_begin(chat)))) as parts:
        await parts.settled(await parts.post("hello"))
        await parts.post("a table in Rome")
        await seconds(1.5)
        await parts.settled(await parts.post("for two"))
        assert humans(chat)[1] == ["hello", "a table in Rome", "for two"]


async def test_merged_message_of_superseded_run_is_in_next_prompt():
    chat = chat_of("Hello.", "Both booked.")
    async with started(Parts(workflow=hosting(slow_to_begin(chat)))) as parts:
        await parts.settled(await parts.post("hello"))
        await parts.post("a table in Rome")
        await seconds(1.5)
        await steer(parts)
        await parts.post("a taxi, too")
        await seconds(0.5)
        await parts.settled(await parts.post("for two"))
        assert humans(chat)[1] == ["hello", "a table in Rome", CARD, "a taxi, too", "for two"]


async def test_message_taken_in_by_lost_graph_within_is_in_next_prompt():
    chat = chat_of(calling("look"), calling("look"), "Booked.")
    async with started(Parts(workflow=hosting(within(loop_of(chat))))) as parts:
        await parts.post("book it")
        await seconds(0.5)
        await steer(parts)
        await seconds(1.5)  # the graph within has taken it in, and calls again
        assert humans(chat)[1] == ["book it", CARD]
        await parts.settled(await parts.post("for two"))
        assert humans(chat)[2] == ["book it", CARD, "for two"]


async def test_queued_and_withdrawn_messages_are_not_in_next_prompt():
    chat = chat_of("Hello.", "Booked.", "Later.")
    async with started(Parts(workflow=hosting(slow_to_begin(chat)))) as parts:
        await parts.settled(await parts.post("hello"))
        await parts.post("a table in Rome")
        await seconds(0.5)
        withdrawn = await parts.post("never mind this", policy="enqueue")
        await parts.post("later", policy="enqueue")
        await parts.runner.stop("ann", withdrawn)
        await parts.settled(await parts.post("for two"))
        await parts.quiet()
        assert humans(chat)[1] == ["hello", "a table in Rome", "for two"]
        assert humans(chat)[2] == ["hello", "a table in Rome", "for two", "later"]


async def test_message_lost_by_graph_within_outlives_next_superseded_runs():
    chat = chat_of(calling("look"), calling("look"), "Booked.")
    begins_slowly = asyncio.Event()

    async def route(state: MessagesState) -> str:
        await asyncio.sleep(1 if begins_slowly.is_set() else 0)
        return "agent"

    builder = StateGraph(MessagesState)
    builder.add_node("agent", loop_of(chat))
    builder.set_conditional_entry_point(route, ["agent"])
    async with started(Parts(workflow=hosting(builder.compile()))) as parts:
        await parts.post("book it")
        await seconds(0.5)
        await steer(parts)
        await seconds(1.5)
        begins_slowly.set()
        for text in ("for two", "outside"):
            await parts.post(text)
            await seconds(0.5)
        await parts.settled(await parts.post("at eight"))
        assert humans(chat)[2] == ["book it", CARD, "for two", "outside", "at eight"]


async def test_message_that_fails_its_run_is_not_said_again():
    chat = chat_of("Hello.", "Booked.")

    async def route(state: MessagesState) -> str:
        if state["messages"][-1].text == "boom":
            raise ValueError("boom")
        return "agent"

    async def agent(state: MessagesState) -> Any:
        return {"messages": [await chat.ainvoke(state["messages"])]}

    builder = StateGraph(MessagesState)
    builder.add_node("agent", agent)
    builder.set_conditional_entry_point(route, ["agent"])
    async with started(Parts(workflow=hosting(builder.compile()))) as parts:
        for text in ("hello", "boom", "for two"):
            await parts.settled(await parts.post(text))
        assert humans(chat)[1] == ["hello", "for two"]


async def test_queued_message_superseded_before_first_step_is_in_next_prompt():
    chat = chat_of("Hello.", "A taxi.", "For two.")
    async with started(Parts(workflow=hosting(slow_to_begin(chat)))) as parts:
        await parts.settled(await parts.post("hello"))
        await parts.post("a table in Rome")
        await seconds(0.5)
        await parts.post("and then a walk", policy="enqueue")
        await parts.settled(await parts.post("a taxi, too"))
        await seconds(0.5)  # the queued one has begun
        await parts.settled(await parts.post("for two"))
        assert humans(chat)[2] == ["hello", "a table in Rome", "a taxi, too", "and then a walk", "for two"]


async def test_message_taken_back_by_an_earlier_step_is_not_in_next_prompt():
    chat = chat_of("Hello.", "For two.")
    async with started(Parts(workflow=hosting(slow_to_begin(chat)))) as parts:
        await parts.settled(await parts.post("hello"))
        step = await parts.store.get_thread_step("ann", "", None)
        assert step is not None
        await parts.post("a table in Rome")
        await seconds(0.5)
        await parts.post("a table in Pisa", given={"checkpoint_id": step.step_id})
        await seconds(0.5)
        await parts.settled(await parts.post("for two"))
        assert humans(chat)[1] == ["hello", "a table in Pisa", "for two"]


async def test_message_that_a_summary_replaced_is_not_said_again():
    chat = chat_of(calling("look"), calling("look", "c2"), "Booked.")

    async def agent(state: MessagesState) -> Any:
        return {"messages": [await chat.ainvoke(state["messages"])]}

    async def tools(state: MessagesState) -> Any:
        await seconds(1)
        *before, last = state["messages"]
        calls: Any = last
        result = ToolMessage("seen", tool_call_id=calls.tool_calls[0]["id"])
        if CARD not in [each.text for each in before]:
            return {"messages": [result]}
        gone = [RemoveMessage(str(each.id)) for each in before]
        return {"messages": [*gone, result, HumanMessage("In short: book it, with the card.")]}

    async def rest(state: MessagesState) -> Any:
        await seconds(2)
        return {}

    builder = StateGraph(MessagesState)
    builder.add_sequence([("agent", agent), ("tools", tools), ("rest", rest)])
    builder.add_edge(START, "agent")
    builder.add_edge("rest", "agent")
    async with started(Parts(workflow=hosting(builder.compile()))) as parts:
        await parts.post("book it")
        await seconds(0.5)
        await steer(parts)
        await seconds(5)
        assert humans(chat)[1] == ["book it", CARD]
        await parts.post("for two")
        await seconds(1)
        assert humans(chat)[2] == ["In short: book it, with the card.", "for two"]
