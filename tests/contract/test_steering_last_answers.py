"""Messages that steer, with nodes that ask a model and answer nobody, or ask one only sometimes."""

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command

from tests.contract.serving import hosting
from tests.contract.test_steering import CARD, asked, chat_of, fates, seconds, steer
from tests.graphs.scripted_chat import ScriptedChat
from tests.interruption.parts import Parts, started

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("STEERED-ONCE")]

ANSWER = "It is booked by now, in coach two."


async def becomes_the_next_message(graph: Any, chat: ScriptedChat) -> None:
    async with started(Parts(workflow=hosting(graph))) as parts:
        await parts.post("book it")
        await seconds(0.5)  # the model speaks still
        await steer(parts)
        await parts.quiet()
        assert [each[1] for each in await fates(parts)] == ["pending", "own_task"]
        assert asked(chat)[1] == [("human", "book it"), ("ai", ANSWER), ("human", CARD)]
        assert await parts.history() == [
            ("user", "book it"),
            ("assistant", ANSWER),
            ("user", CARD),
            ("assistant", "With the card."),
        ]


async def test_node_that_remembers_what_was_said_takes_nothing_in():
    chat, memory = chat_of(ANSWER, "With the card."), chat_of("Travels.", "Has a card.")

    async def agent(state: MessagesState) -> Any:
        return {"messages": [await chat.ainvoke(state["messages"])]}

    async def remember(state: MessagesState) -> Any:
        await memory.ainvoke(state["messages"])
        return {}

    builder = StateGraph(MessagesState)
    builder.add_sequence([("agent", agent), ("remember", remember)])
    builder.add_edge(START, "agent")
    await becomes_the_next_message(builder.compile(), chat)


async def test_judge_of_an_answer_has_it_as_the_last_message():
    chat, judge = chat_of(ANSWER, "With the card."), chat_of("Good.", "Good.")

    class Judging(AgentMiddleware):
        async def aafter_model(self, state: Any, runtime: Any) -> Any:
            last = state["messages"][-1]
            assert isinstance(last, AIMessage)
            said = await judge.ainvoke([HumanMessage(f"Judge this: {last.text}")])
            return None if said.text == "Good." else {"messages": [HumanMessage("Anew.")]}

    await becomes_the_next_message(create_agent(chat, [], middleware=[Judging()]), chat)
    assert [said[0][1] for said in asked(judge)] == [f"Judge this: {ANSWER}", "Judge this: With the card."]


async def test_node_that_decides_by_a_model_whether_to_go_on_takes_nothing_in():
    chat, judge = chat_of(ANSWER, "With the card."), chat_of("Good.", "Good.")

    class Judged(MessagesState):
        grade: str

    async def write(state: Judged) -> Any:
        return {"messages": [await chat.ainvoke(state["messages"])]}

    async def decide(state: Judged) -> Any:
        said = await judge.ainvoke([HumanMessage(state["messages"][-1].text)])
        return Command(goto=END if said.text == "Good." else "write", update={"grade": said.text})

    builder = StateGraph(Judged)
    builder.add_node("write", write)
    builder.add_node("decide", decide, destinations=("write", END))
    builder.add_edge(START, "write")
    builder.add_edge("write", "decide")
    await becomes_the_next_message(builder.compile(), chat)
    assert [said[0][1] for said in asked(judge)] == [ANSWER, "With the card."]
