"""Steered messages that come as something else ends or waits: between two steps, two tasks, or two turns."""

import asyncio
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langgraph.config import get_stream_writer
from langgraph.graph import START, MessagesState, StateGraph

from tests.contract.serving import hosting
from tests.contract.test_steering import CARD, asked, chat_of, fates, loop_of, seconds, steer
from tests.interruption.disk import DiskStore
from tests.interruption.parts import Parts, started

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("STEERED-ONCE")]


class Checking(AgentMiddleware):
    """Runs a node of its own after each answer, which asks no model and has no plain form."""

    async def aafter_model(self, state: Any, runtime: Any) -> None:
        await asyncio.sleep(0.1)


async def test_a_last_answer_that_an_async_node_follows_takes_nothing_in():
    chat = chat_of("It is booked by now, in coach two.", "With the card.")
    parts = Parts(workflow=hosting(create_agent(chat, [], middleware=[Checking()])))
    async with started(parts):
        await parts.post("book it")
        await seconds(0.5)  # the model speaks still
        await steer(parts)
        await parts.quiet()
        assert [each[1] for each in await fates(parts)] == ["pending", "own_task"]
        assert asked(chat)[1][-1] == ("human", CARD)


async def test_a_last_answer_that_a_node_follows_which_only_writes_takes_nothing_in():
    chat = chat_of("It is booked by now, in coach two.", "With the card.")

    async def agent(state: MessagesState) -> Any:
        return {"messages": [await chat.ainvoke(state["messages"])]}

    async def tell(state: MessagesState) -> Any:
        writer = get_stream_writer()
        writer({"booked": len(state["messages"])})

    builder = StateGraph(MessagesState)
    builder.add_sequence([("agent", agent), ("tell", tell)])
    builder.add_edge(START, "agent")
    parts = Parts(workflow=hosting(builder.compile()))
    async with started(parts):
        await parts.post("book it")
        await seconds(0.5)
        await steer(parts)
        await parts.quiet()
        assert [each[1] for each in await fates(parts)] == ["pending", "own_task"]
        assert asked(chat)[1][-1] == ("human", CARD)


async def test_a_queued_message_is_not_said_before_its_turn():
    chat = chat_of("Cancelled.", "Then this.")
    parts = Parts(DiskStore(), workflow=hosting(loop_of(chat)))
    async with started(parts):
        # None of them has begun by the last one: the graph's own conversation has nothing yet.
        await asyncio.gather(
            parts.post("book it"), parts.post("and then?", policy="enqueue"), parts.post("no, cancel it")
        )
        await parts.quiet()
        assert [text for _, text in asked(chat)[0]] == ["book it", "no, cancel it"]
        assert [text for kind, text in asked(chat)[1] if kind == "human"].count("and then?") == 1
