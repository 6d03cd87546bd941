"""A user's thread: the state of a graph lives on from message to message, stored and held in memory alike."""

import asyncio
import operator
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, TypedDict

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.channels import DeltaChannel
from langgraph.config import get_store
from langgraph.graph import MessagesState
from structlog.testing import capture_logs

from backend.graphs.history_repair import CUT_SHORT
from backend.graphs.langgraph_internals import ENCODED
from backend.graphs.state.thread import CommittedStep, Manifest, Thread
from backend.store.records import Checkpoint
from backend.store.sqlite.memory import MemoryStateStore
from backend.store.threads import ThreadStep
from backend.tasks import task_context
from tests.contract.serving import serving, words
from tests.graphs.building import pipeline
from tests.graphs.scripted_chat import ScriptedChat, calling
from tests.interruption.parts import Parts
from tests.records import ANN

pytestmark = pytest.mark.requirement("STATE-LIVES-ON")


class Notes(MessagesState, total=False):
    notes: Annotated[list[str], operator.add]
    mood: str


@pytest.mark.virtual_time
async def test_channels_live_on_for_each_user_apart() -> None:
    seen: list[Any] = []

    async def note(state: Notes) -> Any:
        seen.append((state.get("notes"), state.get("mood")))
        return {"notes": [state["messages"][-1].text], "mood": "fine", "messages": [AIMessage("noted")]}

    async with serving(pipeline(Notes, note=note)) as parts:
        for message in ("one", "two"):
            await parts.settled(await parts.post(message))
        await parts.settled(await parts.post("three", user="bob"))
        assert seen == [([], None), (["one"], "fine"), ([], None)]


class Quiz(TypedDict, total=False):
    message: str
    answer: str
    score: int


@pytest.mark.virtual_time
async def test_answer_to_an_earlier_message_is_no_reply_to_a_later_one() -> None:
    async def node(state: Quiz) -> Any:
        if state["message"] == "quiet":
            return {"score": 1}
        return {"answer": "The answer."}

    async with serving(pipeline(Quiz, node=node)) as parts:
        for message in ("one", "quiet", "two"):
            await parts.settled(await parts.post(message))
        replies = [text for role, text in await parts.history() if role == "assistant"]
        assert replies == ["The answer.", "Done.", "The answer."]


@pytest.mark.virtual_time
async def test_state_lives_on_in_the_next_process_and_goes_with_its_user() -> None:
    model = ScriptedChat(script=["First.", "Second.", "Third."])
    async with serving(create_agent(model, [])) as parts:
        await parts.settled(await parts.post("one"))
    async with serving(create_agent(model, []), store=parts.store, like=parts) as again:
        await again.settled(await again.post("two"))
        assert words(model.given[-1]) == [("human", "one"), ("ai", "First."), ("human", "two")]
        await again.runner.delete_user("ann")
        await again.settled(await again.post("three"))
        assert words(model.given[-1]) == [("human", "three")]


@pytest.mark.virtual_time
async def test_graph_without_a_checkpointer_begins_anew() -> None:
    model = ScriptedChat(script=["First.", "Second."])
    graph = create_agent(model, [], checkpointer=False)
    async with serving(graph) as parts:
        await parts.settled(await parts.post("one"))
        await parts.settled(await parts.post("two"))
        assert await parts.store.get_thread_step("ann", "") is None
        assert words(model.given[-1]) == [("human", "one"), ("ai", "First."), ("human", "two")]


# --- after an interruption -------------------------------------------------------------------------------


@pytest.mark.virtual_time
async def test_open_call_has_its_result_before_the_next_message() -> None:
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


async def test_half_an_answer_is_in_the_conversation_as_cut_short() -> None:
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


@pytest.mark.virtual_time
async def test_text_before_a_tool_call_is_not_repeated_as_half_an_answer() -> None:
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


@pytest.mark.virtual_time
async def test_finished_steps_are_kept_and_the_unfinished_one_is_not() -> None:
    seen: list[Any] = []

    async def first(state: Notes) -> Any:
        seen.append(list(state.get("notes", [])))
        return {"notes": [f"first of {state['messages'][-1].text}"]}

    async def second(state: Notes) -> Any:
        if state["messages"][-1].text == "one":
            await asyncio.get_running_loop().create_future()
        return {"notes": ["second"]}

    async with serving(pipeline(Notes, first=first, second=second)) as parts:
        await parts.post("one")
        await asyncio.sleep(1)
        await parts.settled(await parts.post("two"))
        assert seen == [[], ["first of one"]]


# --- after the end of a process ----------------------------------------------------------------------------


# --- what a state may hold ---------------------------------------------------------------------------------


def joined(state: list[str], writes: list[list[str]]) -> list[str]:
    return [*state, *(each for write in writes for each in write)]


class Files(MessagesState, total=False):
    files: Annotated[list[str], DeltaChannel(joined)]


@pytest.mark.virtual_time
async def test_value_without_an_encoding_is_left_out_and_logged() -> None:
    seen: list[Any] = []

    async def node(state: Notes) -> Any:
        seen.append((state.get("mood"), state.get("notes")))
        return {"mood": object(), "notes": ["kept"], "messages": [AIMessage("fine")]}

    async with serving(pipeline(Notes, node=node)) as parts:
        with capture_logs() as logs:
            for message in ("one", "two"):
                await parts.settled(await parts.post(message))
    assert seen == [(None, []), (None, ["kept"])]
    assert {(each["event"], each["channel"]) for each in logs} == {
        ("a part of a graph's state cannot be kept", "mood")
    }


@pytest.mark.virtual_time
async def test_unreadable_thread_begins_anew_and_is_logged() -> None:
    model = ScriptedChat(script=["First.", "Second."])
    async with serving(create_agent(model, [])) as parts:
        await parts.settled(await parts.post("one"))
        step = await parts.store.get_thread_step("ann", "")
        assert step is not None
        await parts.log.commit(ANN, replace(step, body=b"\xc1 no manifest"))
        unload(parts)
        with capture_logs() as logs:
            await parts.settled(await parts.post("two"))
    assert [each["event"] for each in logs] == [
        "a part of a stored state does not fit its graph and is set aside"
    ]
    assert [type(each) for each in model.given[-1]] == [HumanMessage, AIMessage, HumanMessage]


class ReadStore(MemoryStateStore):
    """Counts what is read of threads and of checkpoints."""

    reads = 0

    async def get_thread_step(
        self, user_id: str, graph: str, step_id: str | None = None
    ) -> ThreadStep | None:
        self.reads += 1
        return await super().get_thread_step(user_id, graph, step_id)

    async def get_checkpoint(self, user_id: str, turn: int) -> Checkpoint | None:
        self.reads += 1
        return await super().get_checkpoint(user_id, turn)


def unload(parts: Parts) -> None:
    conversation = parts.runner.conversations.get("ann")
    assert conversation is not None
    conversation.unload()


def held_by(parts: Parts) -> task_context.UserCache:
    conversation = parts.runner.conversations.get("ann")
    assert conversation is not None
    return conversation.cache


def seen(thread: Thread) -> Any:
    """All that a run could see of what it begins from."""
    values = {name: (state.checkpoint, state.metadata, state.values) for name, state in thread.loaded.items()}
    step = replace(thread.step, body=b"", held={})
    return step, thread.asked_in, thread.calls, thread.shape, values, thread.faults, thread.advanced


async def agree(parts: Parts) -> None:
    """See that the step in memory is the newest one in the store, to the last value."""
    committed = held_by(parts).threads[""]
    assert isinstance(committed, CommittedStep)
    stored = await parts.store.get_thread_step("ann", "")
    assert stored is not None
    assert seen(Thread.of(committed)) == seen(Thread(stored))
    assert committed.size >= len(stored.body) + sum(map(len, stored.held.values()))


class Grown(MessagesState):
    notes: Annotated[list[Any], operator.add]
    last: str


def long(text: str) -> list[str]:
    return [f"{text} {nth}" + "." * 300 for nth in range(70)]


async def grow(state: Grown) -> Any:
    text = state["messages"][-1].text
    return {"notes": long(text), "last": text, "messages": [AIMessage("done")]}


async def shrink(state: Grown) -> Any:
    return {"last": "", "messages": [AIMessage("shorter")]}


def growing_and_shrinking() -> Any:
    return pipeline(Grown, grow=grow, shrink=shrink)


def in_pieces() -> Any:
    async def node(state: Files) -> Any:
        return {"files": [state["messages"][-1].text * 300], "messages": [AIMessage("kept")]}

    return pipeline(Files, node=node)


def with_a_thread_of_its_own() -> Any:
    inner = pipeline(Grown, grow=grow)
    inner.checkpointer = True

    async def outer(state: Grown) -> Any:
        await inner.ainvoke({"messages": [("user", state["messages"][-1].text)]})
        return {"messages": [AIMessage("outer")]}

    return pipeline(Grown, outer=outer)


def in_threads() -> Any:
    def node(state: Grown) -> Any:
        return {"notes": long("plain"), "messages": [AIMessage("plain")]}

    return pipeline(Grown, node=node)


def agent_with_a_tool() -> Any:
    @tool
    async def look(city: str) -> str:
        """Look."""
        return city * 300

    script = [calling("look", city="Rome"), "First.", calling("look", city="Oslo"), "Second.", "Third."]
    return create_agent(ScriptedChat(script=script), [look])


@pytest.mark.parametrize(
    "graph", [growing_and_shrinking, in_pieces, with_a_thread_of_its_own, in_threads, agent_with_a_tool]
)
async def test_step_in_memory_is_the_stored_one(graph: Any) -> None:
    async with serving(graph()) as parts:
        for message in ("one", "two", "three"):
            await parts.settled(await parts.post(message))
            await agree(parts)


@pytest.mark.virtual_time
async def test_step_in_memory_is_the_stored_one_after_interruptions_and_a_return() -> None:
    async def wait(state: Grown) -> Any:
        if state["messages"][-1].text == "wait":
            await asyncio.get_running_loop().create_future()
        return {"messages": [AIMessage("waited")]}

    async with serving(pipeline(Grown, grow=grow, wait=wait)) as parts:
        await parts.settled(await parts.post("one"))
        first = await parts.store.get_thread_step("ann", "")
        assert first is not None
        await parts.post("wait")
        await asyncio.sleep(1)
        await agree(parts)
        await parts.settled(await parts.post("two"))
        await agree(parts)
        await parts.settled(await parts.post("other", given={"checkpoint_id": first.step_id}))
        await agree(parts)
        await parts.settled(await parts.post("more"))
        await agree(parts)


async def test_run_begins_without_reading_the_store() -> None:
    store = ReadStore()
    async with serving(growing_and_shrinking(), store=store) as parts:
        await parts.settled(await parts.post("one"))
        reads = store.reads
        for message in ("two", "three"):
            await parts.settled(await parts.post(message))
        assert store.reads == reads
        unload(parts)
        await parts.settled(await parts.post("four"))
        assert store.reads > reads
        assert await notes_of(parts) == 4 * 70


async def notes_of(parts: Parts) -> int:
    step = await parts.store.get_thread_step("ann", "")
    assert step is not None
    return len(Thread(step).value("notes") or ())


async def test_value_mutated_after_its_step_is_not_in_the_next_run() -> None:
    class Remembered(TypedDict, total=False):
        message: str
        notes: list[dict[str, str]]
        answer: str

    begun_with: list[Any] = []
    given: list[dict[str, str]] = []

    async def node(state: Remembered) -> Any:
        begun_with.append([dict(each) for each in state.get("notes", [])])
        given.append({"said": state["message"]})
        return {"notes": given[-1:], "answer": "noted"}

    async with serving(pipeline(Remembered, node=node)) as parts:
        await parts.settled(await parts.post("one"))
        given[0]["said"] = "something else"
        await parts.settled(await parts.post("two"))
    assert begun_with == [[], [{"said": "one"}]]


async def test_thread_beyond_the_bound_is_read_and_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(growing_and_shrinking()) as parts:
        await parts.settled(await parts.post("one"))
        assert held_by(parts).size > 20_000
        monkeypatch.setattr(task_context, "MOST_THREAD_BYTES", 30_000)
        await parts.settled(await parts.post("two"))
        assert held_by(parts).threads == {}
        await parts.settled(await parts.post("three"))
        assert await notes_of(parts) == 3 * 70


async def test_idle_conversation_counts_what_it_holds() -> None:
    async with serving(growing_and_shrinking()) as parts:
        await parts.settled(await parts.post("one"))
        conversation = parts.runner.conversations.get("ann")
        assert conversation is not None
        assert conversation.results_bytes >= conversation.cache.size > 20_000


async def test_store_in_memory_is_the_stored_one_and_is_read_once() -> None:
    store = ReadStore()

    async def remember(state: Grown) -> Any:
        text = state["messages"][-1].text
        await get_store().aput(("memories",), text, {"text": text})
        found = await get_store().asearch(("memories",))
        return {"messages": [AIMessage(" ".join(sorted(each.key for each in found)))]}

    async with serving(pipeline(Grown, remember=remember), store=store) as parts:
        await parts.settled(await parts.post("one"))
        reads = store.reads
        await parts.settled(await parts.post("two"))
        assert store.reads == reads
        assert (await parts.history())[-1][1] == "one two"
        stored = await parts.store.get_checkpoint("ann", -1)
        assert stored is not None
        assert held_by(parts).store == stored.body
        await parts.runner.delete_user("ann")
        await parts.settled(await parts.post("three"))
        assert (await parts.history())[-1][1] == "three"


async def test_thread_with_texts_as_versions_goes_on_with_numbers() -> None:
    """Versions before gave channels LangGraph's texts, which do not compare with numbers."""
    async with serving(growing_and_shrinking()) as parts:
        await parts.settled(await parts.post("one"))
        step = await parts.store.get_thread_step("ann", "")
        assert step is not None
        await parts.log.commit(ANN, replace(step, body=with_texts(step).packed()[0]))
        unload(parts)
        await parts.settled(await parts.post("two"))
        newest = await parts.store.get_thread_step("ann", "")
        assert newest is not None
        versions = ENCODED.loads_typed(Manifest.of(newest).graphs[""].checkpoint)["channel_versions"]
        assert {type(each) for each in versions.values()} == {int}
        assert await notes_of(parts) == 2 * 70


def with_texts(step: ThreadStep) -> Manifest:
    manifest = Manifest.of(step)
    state = manifest.graphs[""]
    checkpoint = ENCODED.loads_typed(state.checkpoint)
    checkpoint["channel_versions"] = texts_of(checkpoint["channel_versions"])
    checkpoint["versions_seen"] = {
        node: texts_of(versions) for node, versions in checkpoint["versions_seen"].items()
    }
    return replace(manifest, graphs={"": replace(state, checkpoint=ENCODED.dumps_typed(checkpoint))})


def texts_of(versions: Mapping[str, int]) -> dict[str, str]:
    return {channel: f"{version:032}.0.{version}5" for channel, version in versions.items()}


async def test_state_of_a_graph_within_that_lasts_for_one_run_is_not_stored() -> None:
    async def note(state: Grown) -> Any:
        return {"notes": [state["messages"][-1].text], "messages": [AIMessage("noted")]}

    async with serving(pipeline(Grown, inner=pipeline(Grown, note=note))) as parts:
        await parts.settled(await parts.post("one"))
        step = await parts.store.get_thread_step("ann", "")
        assert step is not None
        assert [*Thread(step).loaded] == [""]
