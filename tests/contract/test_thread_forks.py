"""A message that begins from an earlier step of its thread: both branches stay, and both are true."""

import asyncio
import operator
from typing import Annotated, Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.graph import MessagesState
from langgraph.types import interrupt

from backend.domain.errors import BadInput, NotFound
from backend.graphs.history_repair import CUT_SHORT
from tests.contract.serving import dying, serving, words
from tests.contract.test_thread_history import at, chat, id_of, states, texts
from tests.graphs.building import chain, pipeline
from tests.graphs.scripted_chat import ScriptedChat, calling
from tests.interruption.disk import DiskStore
from tests.stored import change

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("RETURN-TO-A-STEP")]


async def test_message_begins_from_the_step_it_names_and_both_branches_are_kept() -> None:
    graph, model = chat("First.", "Second.", "Other.", "Last.")
    async with serving(graph) as parts:
        for message in ("one", "two"):
            await parts.settled(await parts.post(message))
        step = await at(parts, graph, "one", "First.")
        await parts.settled(await parts.post("not two", given={"checkpoint_id": step}))
        assert words(model.given[-1]) == [("human", "one"), ("ai", "First."), ("human", "not two")]
        found = await states(parts, graph)
        await parts.settled(await parts.post("three"))
        assert [text for _, text in words(model.given[-1])][-2:] == ["Other.", "three"]
    assert texts(found[0]) == ["one", "First.", "not two", "Other."]
    assert found[2]["parent_checkpoint"] == {"checkpoint_id": step}
    assert ["one", "First.", "two", "Second."] in [texts(each) for each in found]
    assert [each["metadata"]["step"] for each in found[:3]] == [5, 4, 3]


async def test_running_task_is_interrupted_and_its_half_answer_is_not_in_the_step_before() -> None:
    graph, model = chat("First.", "Half of it ...", "Other.")
    async with serving(graph) as parts:
        await parts.settled(await parts.post("one"))
        running = await parts.post("two")
        await asyncio.sleep(1)
        step = await at(parts, graph, "one", "First.")
        await parts.settled(await parts.post("not two", given={"checkpoint_id": step}))
        assert (await parts.task(running)).reason == "superseded"
        assert [text for _, text in words(model.given[-1])] == ["one", "First.", "not two"]


async def test_half_answer_is_completed_from_the_newest_step() -> None:
    graph, model = chat("Half of it ...", "Other.")
    async with serving(graph) as parts:
        await parts.post("one")
        await asyncio.sleep(1)
        step = await at(parts, graph, "one")
        await parts.settled(await parts.post("two", given={"checkpoint_id": step}))
        assert words(model.given[-1])[1] == ("ai", f"Half of it\n\n{CUT_SHORT}")


async def test_open_calls_are_completed_where_the_step_has_them_alone() -> None:
    booked: list[str] = []

    @tool
    async def book(city: str) -> str:
        """Book."""
        booked.append(city)
        return f"{city} is booked"

    graph, model = chat(calling("book", city="Rome"), "Done.", "Well.", "Well.", tools=[book])
    async with serving(graph) as parts:
        await parts.settled(await parts.post("Book Rome"))
        asked = await at(parts, graph, "Book Rome", "")
        before = await at(parts, graph, "Book Rome")
        await parts.settled(await parts.post("Rather not", given={"checkpoint_id": asked}))
        assert words(model.given[-1])[2:] == [("tool", "Completed: Rome is booked"), ("human", "Rather not")]
        await parts.settled(await parts.post("Something else", given={"checkpoint_id": before}))
        assert words(model.given[-1]) == [("human", "Book Rome"), ("human", "Something else")]
    assert booked == ["Rome"]


async def test_question_is_withdrawn_when_a_message_begins_before_it() -> None:
    class Asked(MessagesState, total=False):
        chosen: str

    async def ask(state: Asked) -> Any:
        last = state["messages"][-1].text
        return {"chosen": interrupt("Which?") if last == "choose" else last}

    async with serving(graph := pipeline(Asked, ask=ask)) as parts:
        await parts.settled(await parts.post("one"))
        step = id_of((await states(parts, graph))[0])
        asking = await parts.post("choose")
        await parts.quiet()
        assert (await parts.task(asking)).status == "input_required"
        await parts.settled(await parts.post("two", given={"checkpoint_id": step}))
        [question] = await parts.store.get_inputs("ann", (await parts.task(asking)).turn)
        assert question.resolution == "withdrawn"
        newest = (await states(parts, graph))[0]
    assert (texts(newest), newest["values"]["chosen"]) == (["one", "two"], "two")


async def test_run_that_asks_on_a_branch_is_answered_on_it() -> None:
    async def ask(state: MessagesState) -> Any:
        last = state["messages"][-1].text
        return {"messages": [AIMessage(interrupt("Which?") if last == "choose" else last)]}

    async with serving(graph := pipeline(MessagesState, ask=ask)) as parts:
        for message in ("one", "two"):
            await parts.settled(await parts.post(message))
        step = await at(parts, graph, "one", "one")
        task = await parts.post("choose", given={"checkpoint_id": step})
        await parts.quiet()
        [question] = await parts.store.get_inputs("ann", (await parts.task(task)).turn)
        await parts.runner.answer("ann", question.request_id, answer="this")
        await parts.settled(task)
        newest, second, first, _ = (await states(parts, graph))[:4]
    assert texts(newest) == ["one", "one", "choose", "this"]
    assert newest["parent_checkpoint"] == second["checkpoint"]
    assert (second["parent_checkpoint"], first["parent_checkpoint"]["checkpoint_id"]) == (
        first["checkpoint"],
        step,
    )


async def test_graph_within_begins_as_it_was_at_the_step() -> None:
    class Inner(MessagesState, total=False):
        seen: Annotated[list[str], operator.add]

    async def note(state: Inner) -> Any:
        return {
            "seen": [state["messages"][-1].text],
            "messages": [AIMessage(" ".join(state.get("seen", [])))],
        }

    inner = chain(note, state=Inner, checkpointer=True)

    async def nest(state: MessagesState) -> Any:
        said = await inner.ainvoke({"messages": state["messages"][-1:]})
        return {"messages": said["messages"][-1:]}

    async with serving(graph := pipeline(nest=nest)) as parts:
        for message in ("one", "two"):
            await parts.settled(await parts.post(message))
        step = await at(parts, graph, "one", "", "two")
        await parts.settled(await parts.post("three", given={"checkpoint_id": step}))
        # Not "one two": what had been noted since the step is taken back.
        assert (await parts.history())[-1] == ("assistant", "one")


async def test_unknown_step_is_refused_and_interrupts_nothing() -> None:
    graph, _ = chat("First.", "Of bob.", "Third ...")
    async with serving(graph) as parts:
        await parts.settled(await parts.post("one"))
        await parts.settled(await parts.post("one", user="bob"))
        others = id_of((await states(parts, graph, "bob"))[0])
        running = await parts.post("two")
        for step in (others, "none"):
            with pytest.raises(NotFound, match=f"checkpoint_id: the thread has no step '{step}'") as refused:
                await parts.post("three", given={"checkpoint_id": step})
            assert refused.value.to_json()["error"]["code"] == "unknown_checkpoint"
        assert (await parts.task(running)).status == "running"


async def test_graph_without_a_thread_takes_no_step() -> None:
    graph = create_agent(ScriptedChat(script=[]), [], checkpointer=False)
    async with serving(graph) as parts:
        with pytest.raises(BadInput, match="checkpoint_id: the graph has no thread"):
            await parts.post("one", given={"checkpoint_id": "any"})


async def test_step_dropped_while_its_message_waits_fails_the_message() -> None:
    graph, _ = chat("First.", "Second ...", "Third.")
    async with serving(graph) as parts:
        await parts.settled(await parts.post("one"))
        step = id_of((await states(parts, graph))[-1])
        await parts.post("two")
        waiting = await parts.post("three", policy="enqueue", given={"checkpoint_id": step})
        change(parts.store, "DELETE FROM thread_steps WHERE number = 1")
        await parts.runner.stop("ann")
        await parts.settled(waiting)
        assert step in (await parts.history())[-1][1]


@pytest.mark.parametrize("killed", ["before its first step", "after it"])
async def test_killed_message_is_taken_up_from_the_step_it_names(killed: str) -> None:
    store, done = DiskStore(), list[str]()

    async def first(state: MessagesState) -> Any:
        done.append("first")
        return {"messages": [AIMessage(f"first of {state['messages'][-1].text}")]}

    async def second(state: MessagesState) -> Any:
        done.append("second")
        if killed == "after it" and done.count("second") == 3:
            await asyncio.get_running_loop().create_future()
        return {"messages": [AIMessage("second")]}

    graph = pipeline(MessagesState, first=first, second=second)
    async with dying(graph, store) as old:
        for message in ("one", "two"):
            await old.settled(await old.post(message))
        step = await at(old, graph, "one", "first of one", "second")
        await old.post("not two", given={"checkpoint_id": step})
        if killed == "after it":
            await asyncio.sleep(1)
    async with serving(graph, store=store, like=old) as new:
        await new.quiet()
        newest = (await states(new, graph))[0]
        assert texts(newest) == ["one", "first of one", "second", "not two", "first of not two", "second"]
        branch = [each for each in await states(new, graph) if "not two" in texts(each)]
        begun = [
            each for each in await states(new, graph) if each["parent_checkpoint"] == {"checkpoint_id": step}
        ]
    assert done.count("first") == 3
    assert len(branch) >= 3
    # The step that "two" began with, and the one that "not two" did.
    assert len(begun) == 2
