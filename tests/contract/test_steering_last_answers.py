"""Messages that steer, with nodes that ask a model and answer nobody, or ask one only sometimes."""

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command

from tests.contract.serving import hosting
from tests.contract.test_steering import CARD, asked, chat_of, fates, seconds, steer
from tests.graphs.scripted_chat import ScriptedChat, calling
from tests.interruption.disk import DiskStore
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


def asks_sometimes(chat: ScriptedChat) -> Any:
    """A loop of model and tools whose model is not asked about what a tool has found."""

    class Found(MessagesState):
        is_found: bool

    async def agent(state: Found) -> Any:
        if state.get("is_found"):
            return {"is_found": False}
        return {"messages": [await chat.ainvoke(state["messages"])]}

    async def tools(state: Found) -> Any:
        await seconds(1)
        calls: Any = state["messages"][-1]
        results = [ToolMessage("seen", tool_call_id=each["id"]) for each in calls.tool_calls]
        return {"messages": results, "is_found": True}

    async def onwards(state: Found) -> str:
        last = state["messages"][-1]
        return "tools" if isinstance(last, AIMessage) and last.tool_calls else END

    builder = StateGraph(Found)
    builder.add_node("agent", agent)
    builder.add_node("tools", tools)
    builder.add_edge(START, "agent")
    builder.add_conditional_edges("agent", onwards, ["tools", END])
    builder.add_edge("tools", "agent")
    return builder.compile()


async def test_run_that_would_end_without_an_answer_to_it_goes_on():
    chat = chat_of(calling("look"), "With the card.", "You are welcome.")
    async with started(Parts(workflow=hosting(asks_sometimes(chat)))) as parts:
        task_id = await parts.post("book it")
        await seconds(0.5)
        await steer(parts)
        await parts.settled(task_id)
        assert [each[1] for each in await fates(parts)] == ["pending", "taken_in"]
        assert asked(chat)[1] == [("human", "book it"), ("ai", ""), ("tool", "seen"), ("human", CARD)]
        assert (await parts.history())[-1] == ("assistant", "With the card.")
        await parts.settled(await parts.post("thanks"))
        assert [text for kind, text in asked(chat)[2] if kind == "human"] == ["book it", CARD, "thanks"]


@pytest.mark.parametrize("dies_after", [0.6, 0.7, 0.8, 1.05, 1.3])
async def test_kill_of_a_run_that_goes_on_leaves_it_answered_once(dies_after):
    store = DiskStore()
    chat = chat_of(calling("look"), *["With the card." for _ in range(4)])
    first = Parts(store, workflow=hosting(asks_sometimes(chat)))
    await first.open()
    await first.post("book it")
    await seconds(0.5)
    await steer(first)
    await seconds(dies_after)
    store.lose_process()
    await first.die()
    ids = iter(f"u{number}" for number in range(99)).__next__
    async with started(Parts(store, workflow=hosting(asks_sometimes(chat)), new_id=ids)) as second:
        await second.quiet()
        assert [each[1] for each in await fates(second)] == ["pending", "taken_in"]
        assert asked(chat)[-1].count(("human", CARD)) == 1
        assert (await second.history())[-1] == ("assistant", "With the card.")


async def test_graph_that_never_answers_runs_once_more_and_ends():
    chat, memory = chat_of(ANSWER, "With the card."), chat_of("Travels.", "Has a card.", "Still.")

    async def agent(state: MessagesState) -> Any:
        is_answered = any(isinstance(each, AIMessage) for each in state["messages"])
        return {} if is_answered else {"messages": [await chat.ainvoke(state["messages"])]}

    async def remember(state: MessagesState) -> Any:
        update: dict[str, Any] = {}
        await memory.ainvoke(state["messages"])
        return update

    builder = StateGraph(MessagesState)
    builder.add_sequence([("agent", agent), ("remember", remember)])
    builder.add_edge(START, "agent")
    async with started(Parts(workflow=hosting(builder.compile()))) as parts:
        task_id = await parts.post("book it")
        await seconds(0.5)
        await steer(parts)
        await parts.settled(task_id)
        assert [each[1] for each in await fates(parts)] == ["pending", "taken_in"]
        assert len(memory.given) == 2
        assert (await parts.history())[-1] == ("assistant", ANSWER)


async def test_supervisor_that_would_end_with_it_is_asked_once_more():
    supervisor = chat_of("researcher", "END", "researcher", "END")
    researcher = chat_of("Found the first coach.", "With the card.")

    async def decide(state: MessagesState) -> Any:
        said = await supervisor.ainvoke(state["messages"])
        return Command(goto=END if said.text == "END" else said.text)

    async def research(state: MessagesState) -> Any:
        said = await researcher.ainvoke(state["messages"])
        return Command(goto="decide", update={"messages": [HumanMessage(said.text, name="researcher")]})

    builder = StateGraph(MessagesState)
    builder.add_node("decide", decide, destinations=("researcher", END))
    builder.add_node("researcher", research, destinations=("decide",))
    builder.add_edge(START, "decide")
    async with started(Parts(workflow=hosting(builder.compile()))) as parts:
        await parts.post("book it")
        await seconds(0.3)  # the researcher speaks
        await steer(parts)
        await parts.quiet()
        assert [each[1] for each in await fates(parts)] == ["pending", "taken_in"]
        assert asked(researcher)[1][-2:] == [("human", "Found the first coach."), ("human", CARD)]
        assert (await parts.history())[-1] == ("assistant", "Found the first coach.\n\nWith the card.")
