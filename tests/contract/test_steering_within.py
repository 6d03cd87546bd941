"""Graphs within take steered messages in where they speak to the user; nodes can by themselves."""

import asyncio
from typing import Any, TypedDict

import pytest
from langchain_core.messages import HumanMessage, ToolMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import RetryPolicy

from backend.domain.errors import Conflict
from backend.graphs.hosted_graph import HostedGraph
from backend.graphs.several_graphs import SeveralGraphs
from backend.tools import PendingMessage, pending_messages
from tests.contract.serving import hosting
from tests.contract.test_steering import CARD, asked, chat_of, fates, loop_of, seconds, steer
from tests.graphs.scripted_chat import ScriptedChat, calling
from tests.interruption.disk import DiskStore
from tests.interruption.parts import Parts, started

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("STEERED-ONCE")]


def within(node: Any, **options: Any) -> Any:
    """A graph of one node, whose end is the end of the run."""
    builder = StateGraph(MessagesState)
    builder.add_node("assistant", node, **options)
    builder.add_node("bye", _nothing)
    builder.add_edge(START, "assistant")
    builder.add_conditional_edges("assistant", _to_the_end, ["bye", END])
    return builder.compile()


async def _nothing(state: MessagesState) -> Any:
    return {}


async def _to_the_end(state: MessagesState) -> str:
    return END


def humans(chat: ScriptedChat) -> list[list[str]]:
    """What the user had said at each call of the model."""
    return [[text for kind, text in messages if kind == "human"] for messages in asked(chat)]


async def conversation_of(parts: Parts) -> list[str]:
    """What the graph's own conversation has of the user, as its next run would see it."""
    chat = chat_of("Yes?")
    parts.workflow.graph = loop_of(chat)
    await parts.settled(await parts.post("and?"))
    return humans(chat)[0]


async def test_a_graph_that_speaks_to_the_user_takes_it_in_within_its_own_loop():
    chat = chat_of(calling("look"), "Booked.", "You are welcome.")
    async with started(Parts(workflow=hosting(within(loop_of(chat))))) as parts:
        task_id = await parts.post("book it")
        await seconds(0.5)
        await steer(parts)
        await parts.settled(task_id)
        assert humans(chat) == [["book it"], ["book it", CARD]]
        assert [each[1] for each in await fates(parts)] == ["pending", "taken_in"]
        await parts.settled(await parts.post("thanks"))
        assert humans(chat)[2] == ["book it", CARD, "thanks"]


async def test_an_agent_that_a_node_calls_takes_it_in():
    chat = chat_of(calling("look"), "Booked.")
    agent = loop_of(chat)

    async def assistant(state: MessagesState) -> Any:
        came_to = await agent.ainvoke({"messages": state["messages"]})
        return {"messages": [came_to["messages"][-1]]}

    async with started(Parts(workflow=hosting(within(assistant)))) as parts:
        task_id = await parts.post("book it")
        await seconds(0.5)
        await steer(parts)
        await parts.settled(task_id)
        assert humans(chat) == [["book it"], ["book it", CARD]]
        assert [each[1] for each in await fates(parts)] == ["pending", "taken_in"]


async def test_next_prompt_has_what_an_agent_took_in_whose_last_message_alone_is_kept():
    chat = chat_of(calling("look"), "Booked with the card.", "You are welcome.")
    agent = loop_of(chat)

    async def assistant(state: MessagesState) -> Any:
        came_to = await agent.ainvoke({"messages": state["messages"]})
        return {"messages": [came_to["messages"][-1]]}

    async with started(Parts(workflow=hosting(within(assistant)))) as parts:
        task_id = await parts.post("book it")
        await seconds(0.5)
        await steer(parts)
        await parts.settled(task_id)
        await parts.settled(await parts.post("thanks"))
        assert asked(chat)[2] == [
            ("human", "book it"),
            ("human", CARD),
            ("ai", "Booked with the card."),
            ("human", "thanks"),
        ]


async def test_an_agent_that_serves_another_one_leaves_it_to_that():
    chat = chat_of(calling("ask_researcher"), "Booked.")
    researcher = chat_of(calling("look", "r1"), "Found.")

    async def tools(state: MessagesState) -> Any:
        calls: Any = state["messages"][-1]
        found = await loop_of(researcher).ainvoke({"messages": [HumanMessage("research it")]})
        said = found["messages"][-1].text
        return {"messages": [ToolMessage(said, tool_call_id=each["id"]) for each in calls.tool_calls]}

    async with started(Parts(workflow=hosting(loop_of(chat, tools=tools)))) as parts:
        task_id = await parts.post("book it")
        await seconds(0.5)
        await steer(parts)
        await parts.settled(task_id)
        assert humans(researcher) == [["research it"], ["research it"]]
        assert humans(chat) == [["book it"], ["book it", CARD]]


@pytest.mark.parametrize("dies_after", [0.2, 0.62, 0.7, 0.9, 1.3, 1.7, 2.1, 2.6])
async def test_a_kill_in_a_graph_within_neither_loses_it_nor_takes_it_in_twice(dies_after):
    store = DiskStore()
    script = [calling("look"), calling("look", "c2"), *["Booked with the card." for _ in range(6)]]
    chat = ScriptedChat(script=[*script], pause_s=0.1)
    first = Parts(store, workflow=hosting(within(loop_of(chat))))
    await first.open()
    await first.post("book it")
    await seconds(0.5)
    await steer(first)
    await seconds(dies_after)
    store.lose_process()
    await first.die()
    chat.script[:] = script
    ids = iter(f"u{number:04}" for number in range(1, 99))
    async with started(Parts(store, workflow=hosting(within(loop_of(chat))), new_id=ids.__next__)) as second:
        await second.quiet()
        assert [each[1] for each in await fates(second)] == ["pending", "taken_in"]
        assert humans(chat)[-1].count(CARD) == 1


async def test_a_node_that_runs_again_is_given_it_again():
    chat = chat_of(calling("look"), "Now it breaks.", calling("look"), "Booked.")
    agent, failures = loop_of(chat), [ValueError("a hiccup")]

    async def assistant(state: MessagesState) -> Any:
        came_to = await agent.ainvoke({"messages": state["messages"]})
        if failures:
            raise failures.pop()
        return {"messages": [came_to["messages"][-1]]}

    policy = RetryPolicy(max_attempts=2, retry_on=ValueError, initial_interval=0.1, jitter=False)
    async with started(Parts(workflow=hosting(within(assistant, retry_policy=policy)))) as parts:
        task_id = await parts.post("book it")
        await seconds(0.5)
        await steer(parts)
        await parts.settled(task_id)
        assert (await parts.task(task_id)).status == "completed"
        assert humans(chat)[1] == humans(chat)[3] == ["book it", CARD]
        assert [each[1] for each in await fates(parts)] == ["pending", "taken_in"]


async def test_a_graph_of_agents_has_what_one_of_them_took_in():
    """The first agent takes it in and returns its last message alone; the second is told as well."""
    first, second = chat_of(calling("look"), "Found."), chat_of("Booked.")
    agent = loop_of(first)

    async def researcher(state: MessagesState) -> Any:
        came_to = await agent.ainvoke({"messages": state["messages"]})
        return {"messages": [came_to["messages"][-1]]}

    async def booker(state: MessagesState) -> Any:
        return {"messages": [await second.ainvoke(state["messages"])]}

    builder = StateGraph(MessagesState)
    builder.add_sequence([("researcher", researcher), ("booker", booker)])
    builder.add_edge(START, "researcher")
    async with started(Parts(workflow=hosting(builder.compile()))) as parts:
        task_id = await parts.post("book it")
        await seconds(0.5)
        await steer(parts)
        await parts.settled(task_id)
        assert humans(second) == [["book it", CARD]]
        assert [each[1] for each in await fates(parts)] == ["pending", "taken_in"]


# --- nodes that read by themselves ---------------------------------------------------------------------


class Notes(TypedDict, total=False):
    message: str
    heard: list[str]
    answer: str


def reading_graph(heard: list[list[PendingMessage]], *, plain: bool = False, **options: Any) -> Any:
    """Works for a second, reads what waits, works for another, and answers with what it has heard."""

    async def work(state: Notes) -> Any:
        await asyncio.sleep(1)
        return {}

    def read_now(state: Notes) -> Any:
        heard.append([*pending_messages()])
        return {"heard": [each.text for each in heard[-1]]}

    async def read(state: Notes) -> Any:
        return read_now(state)

    async def answer(state: Notes) -> Any:
        await asyncio.sleep(1)
        return {"answer": f"Heard: {', '.join(state.get('heard', []))}."}

    builder = StateGraph(Notes)
    builder.add_sequence([("work", work), ("read", read_now if plain else read), ("answer", answer)])
    builder.add_edge(START, "work")
    return builder.compile(**options)


async def test_a_node_reads_what_waits_and_so_takes_it_in():
    heard: list[list[PendingMessage]] = []
    async with started(Parts(workflow=hosting(reading_graph(heard)))) as parts:
        task_id = await parts.post("book it")
        accepted = await steer(parts)
        assert accepted.policy == "steer"
        await parts.settled(task_id)
        assert heard == [[PendingMessage(accepted.message_id, CARD)]]
        assert (await parts.history())[-1] == ("assistant", f"Heard: {CARD}.")
        assert [each[1] for each in await fates(parts)] == ["pending", "taken_in"]


async def test_what_comes_after_it_has_read_becomes_the_next_message():
    heard: list[list[PendingMessage]] = []
    async with started(Parts(workflow=hosting(reading_graph(heard)))) as parts:
        await parts.post("book it")
        await seconds(1.5)
        await steer(parts)
        await parts.quiet()
        assert heard == [[], []]
        assert [each[1] for each in await fates(parts)] == ["pending", "own_task"]


@pytest.mark.parametrize("options", [{}, {"checkpointer": False}], ids=["kept", "not kept"])
@pytest.mark.parametrize("dies_after", [0.5, 1.01, 1.5])
async def test_a_kill_gives_it_to_the_node_again_unless_its_step_was_stored(dies_after, options):
    store, heard = DiskStore(), list[list[PendingMessage]]()
    first = Parts(store, workflow=hosting(reading_graph(heard, **options)))
    await first.open()
    await first.post("book it")
    await steer(first)
    await seconds(dies_after)
    store.lose_process()
    await first.die()
    ids = iter(f"u{number:04}" for number in range(1, 99))
    again = Parts(store, workflow=hosting(reading_graph(heard, **options)), new_id=ids.__next__)
    async with started(again) as second:
        await second.quiet()
        assert (await second.history())[-1] == ("assistant", f"Heard: {CARD}.")
        assert [each[1] for each in await fates(second)] == ["pending", "taken_in"]


def test_outside_the_server_nothing_waits():
    assert pending_messages() == ()


# --- several graphs ------------------------------------------------------------------------------------


async def test_what_is_meant_for_one_graph_no_other_takes_in():
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
        assert [each[1] for each in await fates(parts)] == ["pending", "own_task"]
