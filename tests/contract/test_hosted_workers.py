"""Tools of a hosted graph that run in threads and in processes; these need the real clock."""

import asyncio
import sys
import threading

import pytest

from backend.graphs.hosted_graph import HostedGraph
from backend.graphs.hosted_tools import program, tool, use
from tests.graphs.building import State, chain
from tests.interruption.parts import Parts, started

pytestmark = pytest.mark.requirement("TOOLS-OF-ANY-GRAPH")

BOUND_S = 60.0

WAITING = "import sys; print('one', flush=True); sys.stdin.read(); print('two', flush=True)"
"""A program that prints a line when it starts, and another one when its standard input ends."""


async def until(happened) -> None:
    async with asyncio.timeout(BOUND_S):
        while not await happened():  # noqa: ASYNC110 - a thread, or a process, tells it
            await asyncio.sleep(0)


def serving(graph):
    return started(Parts(workflow=lambda ledger, owner: HostedGraph(graph, ledger=ledger, owner=owner)))


async def found_by(parts: Parts, task: str) -> list:
    return [
        item
        for event in await parts.events()
        if event["type"] == "partial_result" and event["task_id"] == task
        for item in event["items"]
    ]


async def test_a_thread_is_let_go_its_late_items_are_not_shown_and_its_end_is_noted():
    waits, let_on = threading.Event(), threading.Event()

    @tool()
    def leaf_through(book: str):
        yield f"{book} 1"
        waits.set()
        let_on.wait(BOUND_S)
        yield f"{book} 2"
        yield f"{book} 3"

    async def read(state: State) -> State:
        return {"answer": (await use(leaf_through, book=state["message"])).summary}

    async with serving(chain(read)) as parts:
        task = await parts.post("Emma")

        async def first_item() -> bool:
            return waits.is_set() and bool(await found_by(parts, task))

        async def noted() -> bool:
            [call] = (await parts.receipt(task))["tool_calls"]
            return call["summary"].endswith("; ended later: 2 items")

        await until(first_item)
        async with asyncio.timeout(BOUND_S):
            await parts.runner.stop("ann")
        [call] = (await parts.receipt(task))["tool_calls"]
        assert call["outcome"] == "cancelled"
        let_on.set()
        await until(noted)
        assert await found_by(parts, task) == ["Emma 1"]


async def test_a_program_is_told_to_end_and_what_it_had_printed_is_kept():
    waiting = program("waiting", [sys.executable, "-c", WAITING], effect="read")

    async def wait(state: State) -> State:
        return {"answer": (await use(waiting)).summary}

    async with serving(chain(wait)) as parts:
        task = await parts.post("hi")

        async def first_item() -> bool:
            return bool(await found_by(parts, task))

        await until(first_item)
        await parts.runner.stop("ann")
        await parts.quiet()
        assert await found_by(parts, task) == ["one"]
        [call] = (await parts.receipt(task))["tool_calls"]
        assert (call["tool"], call["outcome"]) == ("waiting", "cancelled")
