"""Messages that steer, with nodes that speak to nobody, ask a model only sometimes, or prepare its prompt."""

import asyncio
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import create_react_agent
from langgraph.types import Command

from tests.contract.serving import hosting
from tests.contract.steering import (
    CARD,
    asked,
    chat_of,
    humans,
    killed,
    onwards,
    outcomes,
    row_of,
    seconds,
    speaking,
    steer,
    within,
)
from tests.graphs.scripted_chat import ScriptedChat, calling
from tests.interruption.parts import Parts, started

pytestmark = pytest.mark.requirement("STEERED-ONCE")
virtual_time = pytest.mark.virtual_time

ANSWER = "It is booked by now, in coach two."


async def becomes_the_next_message(begin: Any, graph: Any, chat: ScriptedChat) -> None:
    parts, _ = await begin(graph)  # the model speaks still
    await steer(parts)
    await parts.quiet()
    assert await outcomes(parts) == ["pending", "own_task"]
    assert asked(chat)[1] == [("human", "book it"), ("ai", ANSWER), ("human", CARD)]
    assert [text for _, text in await parts.history()] == ["book it", ANSWER, CARD, "With the card."]


@tool
async def note(text: str) -> str:
    """Note something."""
    return text


async def writes(state: MessagesState) -> Any:
    writer = get_stream_writer()
    writer({"booked": len(state["messages"])})


async def looks_up(state: MessagesState) -> Any:
    assert state.get("messages")


async def calls_a_tool(state: MessagesState) -> Any:
    await note.ainvoke({"text": str(len(state["messages"]))})


async def remembers(state: MessagesState) -> Any:
    await chat_of("Travels.").ainvoke(state["messages"])
    return {}


@virtual_time
@pytest.mark.parametrize("last", [writes, looks_up, calls_a_tool, remembers])
async def test_node_after_the_last_answer_takes_nothing_in(begin, last):
    chat = chat_of(ANSWER, "With the card.")
    await becomes_the_next_message(begin, row_of(agent=speaking(chat), last=last), chat)


@virtual_time
async def test_async_middleware_after_the_last_answer_takes_nothing_in(begin):
    class Checking(AgentMiddleware):
        async def aafter_model(self, state: Any, runtime: Any) -> None:
            await asyncio.sleep(0.1)

    chat = chat_of(ANSWER, "With the card.")
    await becomes_the_next_message(begin, create_agent(chat, [], middleware=[Checking()]), chat)


@virtual_time
async def test_judge_of_an_answer_has_the_answer_as_the_last_message(begin):
    chat, judge = chat_of(ANSWER, "With the card."), chat_of("Good.", "Good.")

    class Judging(AgentMiddleware):
        async def aafter_model(self, state: Any, runtime: Any) -> Any:
            last = state["messages"][-1]
            assert isinstance(last, AIMessage)
            said = await judge.ainvoke([HumanMessage(f"Judge this: {last.text}")])
            return None if said.text == "Good." else {"messages": [HumanMessage("Anew.")]}

    await becomes_the_next_message(begin, create_agent(chat, [], middleware=[Judging()]), chat)
    assert [said[0][1] for said in asked(judge)] == [f"Judge this: {ANSWER}", "Judge this: With the card."]


@virtual_time
async def test_node_that_decides_by_a_model_whether_to_go_on_takes_nothing_in(begin):
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
    await becomes_the_next_message(begin, builder.compile(), chat)
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

    builder = StateGraph(Found)
    builder.add_node("agent", agent)
    builder.add_node("tools", tools)
    builder.add_edge(START, "agent")
    builder.add_conditional_edges("agent", onwards, ["tools", END])
    builder.add_edge("tools", "agent")
    return builder.compile()


@virtual_time
async def test_run_that_would_end_without_an_answer_to_it_goes_on(begin):
    chat = chat_of(calling("look"), "With the card.", "You are welcome.")
    parts, task_id = await begin(asks_sometimes(chat))
    await steer(parts)
    await parts.settled(task_id)
    assert await outcomes(parts) == ["pending", "taken_in"]
    assert asked(chat)[1] == [("human", "book it"), ("ai", ""), ("tool", "seen"), ("human", CARD)]
    assert (await parts.history())[-1] == ("assistant", "With the card.")
    await parts.settled(await parts.post("thanks"))
    assert humans(chat)[2] == ["book it", CARD, "thanks"]


@virtual_time
@pytest.mark.parametrize("dies_after", [0.6, 0.7, 0.8, 1.05, 1.3])
async def test_kill_of_a_run_that_goes_on_leaves_it_answered_once(dies_after):
    chat = chat_of(calling("look"), *["With the card." for _ in range(4)])
    async with killed(asks_sometimes(chat), dies_after) as parts:
        assert await outcomes(parts) == ["pending", "taken_in"]
        assert asked(chat)[-1].count(("human", CARD)) == 1
        assert (await parts.history())[-1] == ("assistant", "With the card.")


@virtual_time
async def test_graph_that_never_answers_runs_once_more_and_ends(begin):
    chat, memory = chat_of(ANSWER, "With the card."), chat_of("Travels.", "Has a card.", "Still.")

    async def agent(state: MessagesState) -> Any:
        is_answered = any(isinstance(each, AIMessage) for each in state["messages"])
        return {} if is_answered else {"messages": [await chat.ainvoke(state["messages"])]}

    async def remember(state: MessagesState) -> Any:
        update: dict[str, Any] = {}
        await memory.ainvoke(state["messages"])
        return update

    parts, task_id = await begin(row_of(agent=agent, remember=remember))
    await steer(parts)
    await parts.settled(task_id)
    assert await outcomes(parts) == ["pending", "taken_in"]
    assert len(memory.given) == 2
    assert (await parts.history())[-1] == ("assistant", ANSWER)


@virtual_time
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
        assert await outcomes(parts) == ["pending", "taken_in"]
        assert asked(researcher)[1][-2:] == [("human", "Found the first coach."), ("human", CARD)]
        assert (await parts.history())[-1] == ("assistant", "Found the first coach.\n\nWith the card.")


@pytest.mark.filterwarnings("ignore::langgraph.warnings.LangGraphDeprecatedSinceV10")
@pytest.mark.parametrize("is_within", [False, True], ids=["alone", "within"])
async def test_prompt_that_a_hook_makes_has_it(is_within):
    # In real time: this agent chooses its next node in a thread.
    chat = chat_of(calling("look"), "Booked.")
    has_begun, has_steered = asyncio.Event(), asyncio.Event()

    @tool
    async def look() -> str:
        """Look."""
        has_begun.set()
        await has_steered.wait()
        return "seen"

    async def trim(state: Any) -> Any:
        return {"llm_input_messages": state["messages"][-9:]}

    agent: Any = create_react_agent(chat, [look], pre_model_hook=trim)
    async with started(Parts(workflow=hosting(within(agent) if is_within else agent))) as parts:
        await parts.post("book it")
        await has_begun.wait()
        await steer(parts)
        has_steered.set()
        await parts.quiet()
        assert await outcomes(parts) == ["pending", "taken_in"]
        assert asked(chat)[1][-1] == ("human", CARD)
