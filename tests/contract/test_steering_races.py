"""Steered messages that come as something else ends, waits or is interrupted."""

import asyncio
from typing import Any

import pytest
from langchain_core.messages import HumanMessage, RemoveMessage, ToolMessage
from langgraph.graph import START, MessagesState, StateGraph

from backend.domain.events import Event
from backend.graphs.state.thread import Thread
from backend.store.ownership import Lease
from backend.store.records import Record
from backend.store.sqlite.memory import MemoryStateStore
from backend.store.threads import ThreadStep
from tests.contract.serving import hosting
from tests.contract.steering import (
    CARD,
    asked,
    chat_of,
    fates,
    humans,
    loop_of,
    new_ids,
    outcomes,
    seconds,
    steer,
    use_tools,
    within,
)
from tests.graphs.scripted_chat import ScriptedChat, calling
from tests.interruption.disk import DiskStore
from tests.interruption.parts import Parts, started

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("STEERED-ONCE")]


class RecordedStore(MemoryStateStore):
    """A store that keeps what was given to it at once."""

    def __init__(self) -> None:
        super().__init__(keep_events=1_000_000)
        self.groups: list[tuple[Record, ...]] = []

    def record(self, lease: Lease, *records: Record) -> None:
        self.groups.append(records)
        super().record(lease, *records)


async def test_message_taken_in_at_the_first_step_is_stored_with_that_step():
    chat = chat_of("Booked, with the card.")
    async with started(Parts(RecordedStore(), workflow=hosting(loop_of(chat)))) as parts:
        await asyncio.gather(parts.post("book it"), steer(parts))
        await parts.quiet()
        assert asked(chat) == [[("human", "book it"), ("human", CARD)]]
        [group] = [each for each in parts.store.groups if any(is_taking_in(one) for one in each)]
        [step] = [each for each in group if isinstance(each, ThreadStep)]
        assert [each.text for each in Thread(step).value("messages")] == ["book it", CARD]


def is_taking_in(record: Record) -> bool:
    return isinstance(record, Event) and record.type == "steer" and b'"taken_in"' in bytes(record.body)


async def test_queued_message_is_in_no_prompt_before_its_turn():
    chat = chat_of("Cancelled.", "Then this.")
    parts = Parts(DiskStore(), workflow=hosting(loop_of(chat)))
    async with started(parts):
        # None of them has begun by the last one: the graph's own conversation has nothing yet.
        await asyncio.gather(
            parts.post("book it"), parts.post("and then?", policy="enqueue"), parts.post("no, cancel it")
        )
        await parts.quiet()
        assert [text for _, text in asked(chat)[0]] == ["book it", "no, cancel it"]
        assert humans(chat)[1].count("and then?") == 1


async def test_message_whose_retry_is_queued_is_in_no_prompt_before_its_turn():
    store = DiskStore()
    chat = chat_of("Cancelled.", "Booked.", *["And then this."] * 3)
    first = Parts(store, workflow=hosting(loop_of(chat)))
    await first.open()
    await asyncio.gather(first.post("and then?"), first.post("once more", policy="enqueue"))
    await first.post("book it")
    store.lose_process()
    await first.die()
    chat.given.clear()
    async with started(Parts(store, workflow=hosting(loop_of(chat)), new_id=new_ids())) as second:
        await second.post("no, cancel it")
        await second.quiet()
        assert all(prompt.count(("human", "book it")) < 2 for prompt in asked(chat))
        assert asked(chat)[-1].count(("human", "book it")) == 1


async def on_a_disk(*script: Any) -> Parts:
    """A server whose writes take a moment, and whose task has tools under way, with one message pending."""
    parts = Parts(DiskStore(), workflow=hosting(loop_of(chat_of(calling("look"), *script))))
    await parts.open()
    await parts.post("book it")
    await seconds(0.5)
    await steer(parts)
    return parts


async def test_messages_between_two_tasks_get_their_fate_once_it_is_decided():
    parts = await on_a_disk("All three.")
    _, first, second = await asyncio.gather(
        parts.runner.stop("ann"), steer(parts, "one", client_id="c1"), steer(parts, "two", client_id="c2")
    )
    assert (first.steer, second.steer) == ("pending", "pending")
    await parts.quiet()
    own = second.message_id.rpartition(".")[0]
    assert [each for each in await fates(parts) if each[1] != "pending"] == [
        ("two", "own_task", own), (CARD, "merged", own), ("one", "merged", own),
    ]  # fmt: skip
    again = [await steer(parts, text, client_id=of) for text, of in (("one", "c1"), ("two", "c2"))]
    assert [(each.steer, each.task_id) for each in again] == [("merged", own), ("own_task", own)]
    await parts.close()


async def test_stop_between_two_tasks_withdraws_the_next_one():
    parts = await on_a_disk("Nothing.")
    await asyncio.gather(
        parts.runner.stop("ann"), steer(parts, "one"), steer(parts, "two"), parts.runner.stop("ann")
    )
    await parts.quiet()
    told = [each[:2] for each in await fates(parts) if each[1] != "pending"]
    assert told == [(CARD, "withdrawn"), ("one", "withdrawn"), ("two", "withdrawn")]
    assert len(await parts.store.recent_tasks("ann", limit=9)) == 1
    await parts.close()


async def test_stop_of_an_ended_task_withdraws_nothing_of_a_later_one():
    parts = await on_a_disk("Booked.")
    later = await parts.post("no, cancel it")
    (ended, _) = [each.task_id for each in await parts.store.recent_tasks("ann", limit=9)][::-1]
    await parts.settled(ended)
    message_id = (await steer(parts, "one")).message_id
    await parts.runner.stop("ann", ended, withdraws=True)
    assert [each.message_id for each in (await parts.store.standing("ann")).pending] == [message_id]
    await parts.runner.stop("ann", later, withdraws=True)
    await parts.quiet()
    assert (await fates(parts))[-1][:2] == ("one", "withdrawn")
    await parts.close()


async def test_withdrawal_publishes_nothing_of_a_task_after_its_end():
    parts = await on_a_disk()
    stopping = asyncio.gather(parts.runner.stop("ann"))
    await seconds(0.001)  # its ending is being written
    await parts.runner.stop("ann", withdraws=True)
    await stopping
    await parts.quiet()
    events = await parts.events()
    ends = next(number for number, each in enumerate(events) if each.get("status") == "interrupted")
    told = [(each["steer"], each["task_id"]) for each in events[ends:] if each["type"] == "steer"]
    assert told == [("withdrawn", "t0002")]
    await parts.close()


@pytest.mark.parametrize("steps", range(7))
async def test_stop_withdraws_messages_that_the_run_is_about_to_take_in(steps):
    has_looked = asyncio.Event()

    async def tools(state: MessagesState) -> Any:
        update = await use_tools(state)
        has_looked.set()
        return update

    parts = Parts(DiskStore(), workflow=hosting(loop_of(chat_of(calling("look"), "Booked."), tools=tools)))
    async with started(parts):
        task_id = await parts.post("book it")
        await seconds(0.5)
        await steer(parts)
        await has_looked.wait()
        for _ in range(steps):
            await asyncio.sleep(0)
        await parts.runner.stop("ann", withdraws=True)
        await parts.quiet()
        told = await outcomes(parts)
        assert told in (["pending", "withdrawn"], ["pending", "taken_in"])
        assert [each.task_id for each in await parts.store.recent_tasks("ann", limit=9)] == [task_id]


# --- messages of runs that are interrupted before they store a step ------------------------------------


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
