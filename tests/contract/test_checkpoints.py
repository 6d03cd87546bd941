"""Where a graph stands, as one blob: a graph goes on from it elsewhere as if it had never stopped."""

import asyncio
import operator
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.channels import DeltaChannel
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Interrupt, interrupt
from typing_extensions import TypedDict

from backend.domain.errors import GraphFailedError
from backend.graphs.state.checkpoints import TaskCheckpointer
from tests.contract.test_threads import Pieces, dying, pipeline_of, serving
from tests.fakes import Gate
from tests.graphs.building import State, beside, chain
from tests.interruption.disk import DiskStore

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


async def one(state: State) -> State:
    return {"found": [interrupt("one"), interrupt("two")]}


async def other(state: State) -> State:
    return {"found": [interrupt("other")]}


async def last(state: State) -> State:
    return {"answer": ", ".join(state["found"])}


async def test_a_graph_goes_on_from_its_blob_with_each_answer_in_its_place():
    life = Life(chain(("both", beside(one, other)), last))
    await life.run({"message": "hi"})
    assert set(life.asked) == {"one", "other"}
    await life.answer(other="C")
    await life.answer(one="A")
    assert life.paused
    assert (await life.answer(two="B"))["answer"] == "A, B, C"


async def test_two_branches_that_ask_at_once_are_answered_each_by_itself_or_together():
    life = Life(beside(one, other))
    await life.run({})
    assert [namespace for _, namespace, _ in life.at_once] == ["", ""]
    await life.answer(one="A", other="C")
    assert set(life.asked) == {"one", "other", "two"}
    assert (await life.answer(two="B"))["found"] == ["A", "B", "C"]


async def test_the_blob_of_the_moment_of_the_question_runs_again_what_was_at_work_and_nothing_else():
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


async def test_a_value_that_is_changed_in_place_after_the_question_is_kept_as_it_was_then():
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


async def test_without_an_answer_what_asked_asks_the_same_again():
    life = Life(beside(one, other))
    await life.run({})
    asked = dict(life.asked)
    await life.run(None)
    assert life.asked == asked
    assert life.paused


async def test_only_the_newest_checkpoint_is_kept_however_long_the_graph_has_run():
    async def again(state: State) -> State:
        return {"found": ["x" * 1000]}

    def of_length(steps: int) -> Any:
        return Life(chain(*((f"step{number}", again) for number in range(steps)), other))

    short, long = of_length(5), of_length(10)
    await short.run({})
    await long.run({})
    assert len(long.blob) - len(short.blob) < 9000, "only the state itself has grown"


async def test_a_channel_that_is_stored_in_pieces_is_put_together_again():
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


async def test_a_graph_that_asks_while_it_holds_what_has_no_encoding_is_refused():
    async def hold(state: State) -> State:
        return {"found": [lambda: None]}

    with pytest.raises(GraphFailedError, match="its state cannot be kept while it waits"):
        await Life(chain(hold, other)).run({})


async def test_nothing_is_encoded_as_long_as_nothing_is_asked():
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
async def test_a_channel_that_is_stored_in_pieces_is_whole_after_a_kill() -> None:
    store, seen = DiskStore(), list[Any]()

    async def node(state: Pieces) -> Any:
        message = state["messages"][-1].text
        seen.append(list(state.get("files") or []))
        if message == "two" and len(seen) == 2:
            await asyncio.get_running_loop().create_future()
        return {"files": [message], "messages": [AIMessage("kept")]}

    graph = pipeline_of(Pieces, node=node)
    async with dying(graph, store) as old:
        await old.settled(await old.post("one"))
        await old.post("two")
        await asyncio.sleep(1)
    async with serving(graph, store=store, like=old) as new:
        await new.quiet()
        await new.settled(await new.post("three"))
    assert seen == [[], ["one"], ["one"], ["one", "two"]]
