"""Where a graph stands: one blob while it asks, and the steps that a run commits."""

import asyncio
import operator
import random
import threading
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.channels import DeltaChannel
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Interrupt, interrupt
from typing_extensions import TypedDict

from backend.domain.errors import GraphFailedError
from backend.domain.task import InterruptReason
from backend.graphs.langgraph_internals import ENCODED
from backend.graphs.state import pieces
from backend.graphs.state.checkpoints import TaskCheckpointer
from backend.graphs.state.pieces import Marks, Pieces, pack
from backend.graphs.state.thread import Beginning, GraphState, Manifest, Thread
from backend.graphs.state.writer import ThreadWriter
from backend.store.records import NewUser
from backend.store.threads import ThreadStep, ids_in
from tests.contract.serving import dying, process, serving
from tests.contract.test_threads import Files
from tests.fakes import Gate
from tests.graphs.building import State, beside, chain, pipeline
from tests.graphs.plain import graph
from tests.interruption.disk import DiskStore
from tests.interruption.parts import Parts
from tests.records import ANN, a_task

Blobs = list[tuple[Any, str, bytes]]


class Life:
    """Runs of one graph thread, each with a checkpointer made from what the one before it left."""

    def __init__(self, graph: Any, **options: Any) -> None:
        self.graph = graph
        self.options = options
        self.asked: dict[Any, Interrupt] = {}
        self.at_once: Blobs = []
        self.blob: bytes | None = None

    async def run(self, given: Any) -> Any:
        def raised(asked: Interrupt, branch: str, namespace: str) -> None:
            self.asked[asked.value] = asked
            self.at_once.append((asked.value, namespace, saver.to_bytes()))

        saver = TaskCheckpointer(raised, thread_id="one", blob=self.blob, **self.options)
        graph = self.graph.copy({"checkpointer": saver})
        thread: Any = {"configurable": {"thread_id": "one"}}
        state = await graph.ainvoke(given, thread, durability="sync")
        self.paused = bool(saver.pauses)
        self.blob = saver.to_bytes() if saver.pauses else None
        return state

    async def answer(self, **answers: Any) -> Any:
        return await self.run(Command(resume={self.asked[name].id: value for name, value in answers.items()}))


async def ask_twice(state: State) -> State:
    return {"found": [interrupt("one"), interrupt("two")]}


async def ask_once(state: State) -> State:
    return {"found": [interrupt("other")]}


async def sum_up(state: State) -> State:
    return {"answer": ", ".join(state["found"])}


async def test_graph_goes_on_from_its_blob_with_each_answer_in_its_place():
    life = Life(chain(("both", beside(("one", ask_twice), ("other", ask_once))), sum_up))
    await life.run({"message": "hi"})
    assert set(life.asked) == {"one", "other"}
    await life.answer(other="C")
    await life.answer(one="A")
    assert life.paused
    assert (await life.answer(two="B"))["answer"] == "A, B, C"


async def test_blob_of_a_question_runs_again_only_what_was_at_work():
    runs: list[str] = []
    gate = Gate()

    async def quick(state: State) -> State:
        runs.append("quick")
        return {"found": ["quick"]}

    async def slow(state: State) -> State:
        runs.append("slow")
        await gate.wait()
        return {"found": ["slow"]}

    async def asks(state: State) -> State:
        runs.append("asks")
        return {"found": [interrupt("one")]}

    life = Life(chain(quick, ("both", beside(asks, slow))))
    gate.open()
    await life.run({})
    life.blob = life.at_once[0][2]
    runs.clear()
    assert set((await life.answer(one="A"))["found"]) == {"A", "quick", "slow"}
    assert "quick" not in runs


async def test_value_changed_in_place_after_the_question_is_kept_as_it_was():
    def add_in_place(left: list[Any], right: list[Any]) -> list[Any]:
        left.extend(right)
        return left

    class Careless(TypedDict, total=False):
        found: Annotated[list[Any], add_in_place]

    async def quick(state: Careless) -> Careless:
        return {"found": ["quick"]}

    async def asks(state: Careless) -> Careless:
        return {"found": [interrupt("one")]}

    life = Life(beside(quick, asks, state=Careless))
    await life.run({"found": []})
    assert sorted((await life.answer(one="A"))["found"]) == ["A", "quick"]


async def test_only_the_newest_checkpoint_is_kept():
    async def again(state: State) -> State:
        return {"found": ["x" * 1000]}

    def of_length(steps: int) -> Any:
        return Life(chain(*((f"step{number}", again) for number in range(steps)), ask_once))

    short, long = of_length(5), of_length(10)
    await short.run({})
    await long.run({})
    assert len(long.blob) - len(short.blob) < 9000, "only the state itself has grown"


async def test_channel_in_pieces_is_whole_after_a_question():
    class Pieces(TypedDict, total=False):
        found: Annotated[list[Any], DeltaChannel(lambda left, writes: sum(writes, left))]

    async def first(state: Pieces) -> Pieces:
        return {"found": ["first"]}

    async def second(state: Pieces) -> Pieces:
        return {"found": ["second"]}

    async def asks(state: Pieces) -> Pieces:
        return {"found": [interrupt("one")]}

    life = Life(chain(first, second, asks, state=Pieces), keep_history=True)
    await life.run({"found": []})
    assert (await life.answer(one="A"))["found"] == ["first", "second", "A"]


async def test_graph_that_asks_and_holds_a_value_without_encoding_is_refused():
    async def hold(state: State) -> State:
        return {"found": [lambda: None]}

    with pytest.raises(GraphFailedError, match="its state cannot be kept while it waits"):
        await Life(chain(hold, ask_once)).run({})


async def test_graph_that_never_asks_encodes_nothing():
    saver = TaskCheckpointer(lambda *_: None, thread_id="one")
    held = object()

    async def hold(state: State) -> State:
        return {"found": [held]}

    graph = StateGraph(State).add_node(hold).add_edge(START, "hold").add_edge("hold", END).compile()
    thread: Any = {"configurable": {"thread_id": "one"}}
    await graph.copy({"checkpointer": saver}).ainvoke({}, thread)
    kept = [value for kind, value in saver.blobs.values() if kind != "empty"]
    assert [held] in kept
    assert operator.is_(next(value for value in kept if value == [held])[0], held)


@pytest.mark.virtual_time
async def test_channel_in_pieces_is_whole_after_a_kill() -> None:
    store, seen = DiskStore(), list[Any]()

    async def node(state: Files) -> Any:
        message = state["messages"][-1].text
        seen.append(list(state.get("files") or []))
        if message == "two" and len(seen) == 2:
            await asyncio.get_running_loop().create_future()
        return {"files": [message], "messages": [AIMessage("kept")]}

    graph = pipeline(Files, node=node)
    async with dying(graph, store) as old:
        await old.settled(await old.post("one"))
        await old.post("two")
        await asyncio.sleep(1)
    async with serving(graph, store=store, like=old) as new:
        await new.quiet()
        await new.settled(await new.post("three"))
    assert seen == [[], ["one"], ["one"], ["one", "two"]]


@pytest.fixture
async def parts() -> Parts:
    parts = process(graph)
    await parts.open()
    await parts.log.commit(ANN, NewUser("e1"), a_task())
    return parts


def state(name: str) -> GraphState:
    return GraphState(ENCODED.dumps_typed({"id": name}), ENCODED.dumps_typed({}), {})


def step_of(graphs: Mapping[str, GraphState], advanced: Mapping[str, GraphState]) -> ThreadStep:
    body, pages, pieces = Manifest("ann-1", [], b"", graphs, advanced).packed()
    return ThreadStep(
        graph="", number=1, step_id="s1", parent=None, turn=1, body=body, pages=pages, pieces=pieces, held={}
    )


async def newest(parts: Parts) -> tuple[ThreadStep, Manifest]:
    await parts.log.commit(ANN)
    step = await parts.store.get_thread_step("ann", "")
    assert step is not None
    return step, Manifest.of(step)


@pytest.mark.requirement("STATE-IS-KEPT-BY-STEPS")
async def test_recovered_run_keeps_apart_what_graphs_within_did_since_the_step(parts: Parts) -> None:
    old, new = state("old"), state("new")
    before = Thread(step_of({"": state("s1"), "in": old}, {"in": new}))
    context = parts.interruptions.create_task_context(a_task())
    writer = ThreadWriter(context, Beginning(before, 1), deltas={}, graph="")
    writer.commit("other", {"id": "o"}, {}, {})
    step, manifest = await newest(parts)
    assert (step.number, step.step_id) == (1, "s1")
    assert (manifest.graphs["in"], manifest.advanced["in"]) == (old, new)
    assert "other" in manifest.advanced
    writer.commit("", {"id": "s2"}, {}, {})
    step, manifest = await newest(parts)
    assert (step.number, step.step_id, step.parent) == (2, "s2", "s1")
    assert (manifest.graphs["in"], manifest.advanced) == (new, {})


@pytest.mark.requirement("STATE-IS-KEPT-BY-STEPS")
async def test_step_of_the_event_loop_does_not_overtake_that_of_a_thread(parts: Parts) -> None:
    context = parts.interruptions.create_task_context(a_task())
    writer = ThreadWriter(context, Beginning(), deltas={}, graph="")
    long: Any = ["x" * 1000]

    thread = threading.Thread(target=writer.commit, args=("", {"id": "s1"}, {}, {"long": long}))
    thread.start()
    thread.join()  # blocks the event loop, which has not recorded the step yet
    writer.commit("", {"id": "s2"}, {}, {})
    step, manifest = await newest(parts)
    assert (step.number, step.parent) == (2, "s1")
    assert manifest.graphs[""].channels["long"].pieces in step.held


@pytest.mark.requirement("STATE-IS-KEPT-BY-STEPS")
async def test_step_of_a_thread_is_not_stored_after_an_interruption(parts: Parts) -> None:
    context = parts.interruptions.create_task_context(a_task())
    writer = ThreadWriter(context, Beginning(), deltas={}, graph="")
    thread = threading.Thread(target=writer.commit, args=("", {"id": "s1"}, {}, {}))
    thread.start()
    thread.join()
    context.request_interruption(InterruptReason.STOPPED)
    await asyncio.sleep(0)
    await parts.log.commit(ANN)
    assert await parts.store.get_thread_step("ann", "") is None


# --- values that are packed again come to the same pieces ----------------------------------------------


def message(text: str) -> Any:
    return AIMessage(
        text * 40,
        id=text,
        additional_kwargs={"seen": [text]},
        tool_calls=[{"name": "look", "args": {"city": text}, "id": f"call-{text}", "type": "tool_call"}],
    )


class Channel:
    """One channel, packed at each step as `ThreadWriter` does, and anew beside it."""

    def __init__(self) -> None:
        self.known: set[bytes] = set()
        self.held: dict[bytes, bytes] = {}
        self.marks: Marks = {}

    def step(self, value: Any) -> dict[bytes, bytes]:
        packed, new = pack(value, self.known, self.held, self.marks)
        assert packed == pack(value, set())[0]
        assert new == pack(value, self.known)[1]
        self.held |= new
        self.known = {*ids_in(packed.pages), *ids_in(packed.pieces)}
        read, faults = Pieces(self.held).value(packed)
        assert faults == []
        assert ENCODED.dumps_typed(read) == ENCODED.dumps_typed(value)
        return new


def grown(messages: list[Any]) -> None:
    messages.append(message(f"new {len(messages)}"))


def said_otherwise(messages: list[Any]) -> None:
    messages[3].content = "something else" * 40


def noted_within(messages: list[Any]) -> None:
    messages[5].additional_kwargs["seen"].append("again")


def called_otherwise(messages: list[Any]) -> None:
    messages[7].tool_calls[0]["args"]["city"] = "Oslo"


def with_another_field(messages: list[Any]) -> None:
    messages[2].mood = "glad"


def of_another_class(messages: list[Any]) -> None:
    messages[4] = HumanMessage(**messages[4].model_dump(exclude={"type", "tool_calls", "invalid_tool_calls"}))


def with_a_document(messages: list[Any]) -> None:
    messages[6].additional_kwargs["found"] = Document("a page")


CHANGES: list[Callable[[list[Any]], None]] = [
    grown,
    said_otherwise,
    noted_within,
    called_otherwise,
    with_another_field,
    of_another_class,
    with_a_document,
]


@pytest.mark.requirement("STATE-IS-KEPT-BY-STEPS")
@pytest.mark.parametrize("change", CHANGES)
def test_value_changed_in_place_is_packed_anew(change: Callable[[list[Any]], None]) -> None:
    """Marks that are made of identities alone fail all of it but `grown`."""
    channel, messages = Channel(), [message(f"m{nth}") for nth in range(30)]
    channel.step(messages)
    assert channel.step(messages) == {}
    change(messages)
    assert channel.step(messages) != {}
    assert channel.step(messages) == {}


@pytest.mark.requirement("STATE-IS-KEPT-BY-STEPS")
def test_value_changed_at_random_is_packed_as_if_anew() -> None:
    chance = random.Random(7)
    channel, values = Channel(), [message(f"m{nth}") for nth in range(20)]
    for nth in range(400):
        match chance.randrange(8):
            case 0:
                values.insert(chance.randrange(len(values) + 1), message(f"n{nth}"))
            case 1:
                values += [message(f"n{nth}-{each}") for each in range(chance.randrange(30))]
            case 2 if values:
                del values[chance.randrange(len(values)) :]
            case 3 if values:
                values[chance.randrange(len(values))] = {"a dict": nth}
            case 4 if values:
                values[chance.randrange(len(values))] = "text" * chance.randrange(200)
            case 5:
                values.append(ToolMessage("short", tool_call_id=f"c{nth}"))
            case _ if values:
                each = chance.choice(values)
                if isinstance(each, AIMessage):
                    each.additional_kwargs["seen"].append(nth)
            case _:
                pass
        channel.step(values)


@pytest.mark.requirement("STATE-IS-KEPT-BY-STEPS")
def test_marks_of_pieces_that_are_not_held_are_not_used() -> None:
    messages = [message(f"m{nth}") for nth in range(30)]
    channel = Channel()
    channel.step(messages)
    channel.held, channel.known = {}, set()
    assert len(channel.step(messages)) > 3


@pytest.mark.requirement("STATE-IS-KEPT-BY-STEPS")
def test_unchanged_messages_are_not_encoded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[Any] = []

    class Counting:
        def dumps_typed(self, value: Any) -> tuple[str, bytes]:
            encoded.append(value)
            return ENCODED.dumps_typed(value)

    channel, messages = Channel(), [message(f"m{nth}") for nth in range(600)]
    channel.step(messages)
    grown(messages)
    monkeypatch.setattr(pieces, "ENCODED", Counting())
    pack(messages, channel.known, channel.held, channel.marks)
    assert len(encoded) <= 2 * pieces.GROUP
