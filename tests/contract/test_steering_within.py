"""Graphs within take steered messages in where they speak to the user; nodes can by themselves."""

import asyncio
from typing import Any, TypedDict

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.runnables import RunnableLambda
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import RetryPolicy

from backend.domain.errors import Conflict
from backend.graphs.hosted_graph import HostedGraph
from backend.graphs.several_graphs import SeveralGraphs
from backend.graphs.steering import reads_pending
from backend.tools import PendingMessage, pending_messages
from tests.contract.serving import hosting
from tests.contract.steering import (
    CARD,
    asked,
    chat_of,
    humans,
    killed,
    loop_of,
    outcomes,
    row_of,
    seconds,
    speaking,
    steer,
    within,
)
from tests.graphs.building import chain
from tests.graphs.scripted_chat import ScriptedChat, calling
from tests.interruption.parts import Parts, started

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("STEERED-ONCE")]


def calling_an_agent(chat: ScriptedChat, *failures: Exception) -> Any:
    """A node that calls an agent and returns its last message alone; it fails first, with these errors."""
    agent, left = loop_of(chat), [*failures]

    async def assistant(state: MessagesState) -> Any:
        result = await agent.ainvoke({"messages": state["messages"]})
        if left:
            raise left.pop()
        return {"messages": [result["messages"][-1]]}

    return assistant


async def test_graph_within_takes_it_in_in_its_own_loop(begin):
    chat = chat_of(calling("look"), "Booked.", "You are welcome.")
    parts, task_id = await begin(within(loop_of(chat)))
    await steer(parts)
    await parts.settled(task_id)
    assert humans(chat) == [["book it"], ["book it", CARD]]
    assert await outcomes(parts) == ["pending", "taken_in"]
    await parts.settled(await parts.post("thanks"))
    assert humans(chat)[2] == ["book it", CARD, "thanks"]


async def test_agent_that_a_node_calls_takes_it_in_and_the_next_prompt_has_it(begin):
    chat = chat_of(calling("look"), "Booked with the card.", "You are welcome.")
    parts, task_id = await begin(within(calling_an_agent(chat)))
    await steer(parts)
    await parts.settled(task_id)
    assert humans(chat) == [["book it"], ["book it", CARD]]
    assert await outcomes(parts) == ["pending", "taken_in"]
    await parts.settled(await parts.post("thanks"))
    said = [("human", "book it"), ("human", CARD), ("ai", "Booked with the card."), ("human", "thanks")]
    assert asked(chat)[2] == said


async def test_agent_that_serves_another_one_leaves_it_to_that(begin):
    chat = chat_of(calling("ask_researcher"), "Booked.")
    researcher = chat_of(calling("look", "r1"), "Found.")

    async def tools(state: MessagesState) -> Any:
        calls: Any = state["messages"][-1]
        found = await loop_of(researcher).ainvoke({"messages": [HumanMessage("research it")]})
        said = found["messages"][-1].text
        return {"messages": [ToolMessage(said, tool_call_id=each["id"]) for each in calls.tool_calls]}

    parts, task_id = await begin(loop_of(chat, tools=tools))
    await steer(parts)
    await parts.settled(task_id)
    assert humans(researcher) == [["research it"], ["research it"]]
    assert humans(chat) == [["book it"], ["book it", CARD]]


@pytest.mark.parametrize("dies_after", [0.2, 0.62, 0.7, 0.9, 1.3, 1.7, 2.1, 2.6])
async def test_kill_in_a_graph_within_neither_loses_it_nor_takes_it_in_twice(dies_after):
    script = [calling("look"), calling("look", "c2"), *["Booked with the card." for _ in range(6)]]
    chat = chat_of(*script)

    def begin_anew() -> None:
        chat.script[:] = script

    async with killed(within(loop_of(chat)), dies_after, then=begin_anew) as parts:
        assert await outcomes(parts) == ["pending", "taken_in"]
        assert humans(chat)[-1].count(CARD) == 1


async def test_node_that_runs_again_is_given_it_again(begin):
    chat = chat_of(calling("look"), "Now it breaks.", calling("look"), "Booked.")
    policy = RetryPolicy(max_attempts=2, retry_on=ValueError, initial_interval=0.1, jitter=False)
    graph = within(calling_an_agent(chat, ValueError("a hiccup")), retry_policy=policy)
    parts, task_id = await begin(graph)
    await steer(parts)
    await parts.settled(task_id)
    assert (await parts.task(task_id)).status == "completed"
    assert humans(chat)[1] == humans(chat)[3] == ["book it", CARD]
    assert await outcomes(parts) == ["pending", "taken_in"]


async def test_second_agent_has_what_the_first_one_took_in(begin):
    first, second = chat_of(calling("look"), "Found."), chat_of("Booked.")
    parts, task_id = await begin(row_of(researcher=calling_an_agent(first), booker=speaking(second)))
    await steer(parts)
    await parts.settled(task_id)
    assert humans(second) == [["book it", CARD]]
    assert await outcomes(parts) == ["pending", "taken_in"]


# --- nodes that read by themselves ---------------------------------------------------------------------


class Notes(TypedDict, total=False):
    message: str
    heard: list[str]
    answer: str


def reading_graph(heard: list[list[PendingMessage]], **options: Any) -> Any:
    """Works for a second, reads pending messages, works for another, and answers with their texts."""

    async def work(state: Notes) -> Any:
        await asyncio.sleep(1)
        return {}

    async def read(state: Notes) -> Any:
        heard.append([*pending_messages()])
        return {"heard": [each.text for each in heard[-1]]}

    async def answer(state: Notes) -> Any:
        await asyncio.sleep(1)
        return {"answer": f"Heard: {', '.join(state.get('heard', []))}."}

    builder = StateGraph(Notes)
    builder.add_sequence([("work", work), ("read", read), ("answer", answer)])
    builder.add_edge(START, "work")
    return builder.compile(**options)


@pytest.mark.parametrize(("after", "fate"), [(0.0, "taken_in"), (1.5, "own_task")], ids=["before", "after"])
async def test_node_takes_in_the_messages_that_it_reads_and_no_later_ones(after, fate):
    heard: list[list[PendingMessage]] = []
    async with started(Parts(workflow=hosting(reading_graph(heard)))) as parts:
        task_id = await parts.post("book it")
        await seconds(after)
        accepted = await steer(parts)
        assert accepted.policy == "steer"
        await parts.settled(task_id)
        await parts.quiet()
        assert await outcomes(parts) == ["pending", fate]
        if fate == "taken_in":
            assert heard == [[PendingMessage(accepted.message_id, CARD)]]
            assert (await parts.history())[-1] == ("assistant", f"Heard: {CARD}.")
        else:
            assert heard == [[], []]


@pytest.mark.parametrize("options", [{}, {"checkpointer": False}], ids=["kept", "not kept"])
@pytest.mark.parametrize("dies_after", [0.5, 1.01, 1.5])
async def test_kill_gives_it_to_the_node_again_unless_its_step_was_stored(dies_after, options):
    async with killed(reading_graph([], **options), dies_after, steered_after=0) as parts:
        assert (await parts.history())[-1] == ("assistant", f"Heard: {CARD}.")
        assert await outcomes(parts) == ["pending", "taken_in"]


def read_by_middleware() -> Any:
    class Reads(AgentMiddleware):
        def before_model(self, state: Any, runtime: Any) -> None:
            pending_messages()

    return create_agent(chat_of("Hello."), middleware=[Reads()])


def read_in_a_project_named_after_its_library() -> Any:
    def read(_state: Any) -> Any:
        return {"messages": [each.text for each in pending_messages()]}

    read.__module__ = "langgraph_trip.nodes"
    return chain(read)


def read_by_what_a_node_calls() -> Any:
    def read() -> Any:
        return pending_messages()

    return chain(("node", RunnableLambda(lambda _: {}) | (lambda _: {"found": read()})))


def read_by_nobody() -> Any:
    return loop_of(chat_of("Hello."))


@pytest.mark.parametrize(
    ("make", "reads"),
    [
        (read_by_middleware, True),
        (read_in_a_project_named_after_its_library, True),
        (read_by_what_a_node_calls, True),
        (read_by_nobody, False),
    ],
)
def test_node_that_reads_is_found_in_all_code_of_the_user(make, reads):
    assert reads_pending(make()) is reads


def test_no_message_is_pending_outside_the_server():
    assert pending_messages() == ()


# --- several graphs ------------------------------------------------------------------------------------


async def test_message_for_one_graph_is_taken_in_by_no_other():
    first, second = chat_of(calling("look"), "Booked.", "With the card."), chat_of(calling("look"), "Hello.")

    def both(ledger: Any, owner: Any) -> SeveralGraphs:
        made = {
            name: HostedGraph(loop_of(chat), ledger=ledger, owner=owner, name=name)
            for name, chat in (("booker", first), ("talker", second))
        }
        return SeveralGraphs(made, "booker")

    async with started(Parts(workflow=both)) as parts:
        await parts.post("book it")
        await seconds(0.5)
        with pytest.raises(Conflict, match="Another graph"):
            await steer(parts, given={"graph": "talker"})
        await steer(parts)
        talk = await parts.post("hello", given={"graph": "talker"})
        await parts.settled(talk)
        await parts.quiet()
        assert all(CARD not in said for said in humans(second))
        assert humans(first)[-1] == ["book it", CARD]
        assert await outcomes(parts) == ["pending", "own_task"]
