"""The steps that a run commits, one record each, whichever thread commits them."""

import asyncio
import threading
from collections.abc import Mapping
from typing import Any

import pytest

from backend.domain.task import InterruptReason
from backend.graphs.langgraph_internals import ENCODED
from backend.graphs.state.thread import Beginning, GraphState, Manifest, Thread
from backend.graphs.state.writer import ThreadWriter
from backend.store.records import NewUser
from backend.store.threads import ThreadStep
from tests.contract.test_threads import process
from tests.graphs.building import State, chain
from tests.graphs.plain import graph
from tests.interruption.parts import Parts, started
from tests.records import ANN, a_task

pytestmark = pytest.mark.requirement("STATE-IS-KEPT-BY-STEPS")


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


async def stored(parts: Parts) -> tuple[ThreadStep, Manifest]:
    await parts.log.commit(ANN)
    step = await parts.store.get_thread_step("ann", "")
    assert step is not None
    return step, Manifest.of(step)


async def test_a_recovered_run_keeps_apart_what_graphs_within_have_done_since_the_step(parts: Parts) -> None:
    old, new = state("old"), state("new")
    before = Thread(step_of({"": state("s1"), "in": old}, {"in": new}))
    context = parts.interruptions.create_task_context(a_task())
    writer = ThreadWriter(context, Beginning(before, 1), deltas={}, graph="")
    writer.commit("other", {"id": "o"}, {}, {})
    step, manifest = await stored(parts)
    assert (step.number, step.step_id) == (1, "s1")
    assert (manifest.graphs["in"], manifest.advanced["in"]) == (old, new)
    assert "other" in manifest.advanced
    writer.commit("", {"id": "s2"}, {}, {})
    step, manifest = await stored(parts)
    assert (step.number, step.step_id, step.parent) == (2, "s2", "s1")
    assert (manifest.graphs["in"], manifest.advanced) == (new, {})


async def test_a_step_of_the_event_loop_does_not_overtake_that_of_a_thread(parts: Parts) -> None:
    context = parts.interruptions.create_task_context(a_task())
    writer = ThreadWriter(context, Beginning(), deltas={}, graph="")
    long: Any = ["x" * 1000]

    thread = threading.Thread(target=writer.commit, args=("", {"id": "s1"}, {}, {"long": long}))
    thread.start()
    thread.join()  # blocks the event loop, which has not recorded the step yet
    writer.commit("", {"id": "s2"}, {}, {})
    step, manifest = await stored(parts)
    assert (step.number, step.parent) == (2, "s1")
    assert manifest.graphs[""].channels["long"].pieces in step.held


async def test_nothing_that_a_thread_commits_is_stored_after_an_interruption(parts: Parts) -> None:
    context = parts.interruptions.create_task_context(a_task())
    writer = ThreadWriter(context, Beginning(), deltas={}, graph="")
    thread = threading.Thread(target=writer.commit, args=("", {"id": "s1"}, {}, {}))
    thread.start()
    thread.join()
    context.request_interruption(InterruptReason.STOPPED)
    await asyncio.sleep(0)
    await parts.log.commit(ANN)
    assert await parts.store.get_thread_step("ann", "") is None


async def test_the_state_of_a_graph_within_that_belongs_to_one_run_of_its_node_is_not_stored() -> None:
    async def step(_state: State) -> State:
        return {"answer": "fine"}

    parts = process(chain(("within", chain(("first", step), ("second", step)))))
    async with started(parts):
        await parts.settled(await parts.post("hi"))
        _, manifest = await stored(parts)
        assert manifest.graphs.keys() == {""}
