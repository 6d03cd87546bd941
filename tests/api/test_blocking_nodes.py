"""A graph that blocks its threads holds up its own user, nobody else, and no shutdown."""

import asyncio
import signal

import pytest

from tests.api.live import BOUND_S, refusal, running, serving
from tests.graphs import blocking


@pytest.fixture
def door(monkeypatch):
    """Return what every message "wait" waits at; whoever still waits when the test ends may pass."""
    door = blocking.Door()
    monkeypatch.setitem(blocking.doors, "wait", door)
    yield door
    door.open()


async def until_reached(door) -> None:
    async with asyncio.timeout(BOUND_S):
        while not door.reached.is_set():  # noqa: ASYNC110 - a thread sets it
            await asyncio.sleep(0)


@pytest.mark.requirement("BLOCKING-HOLDS-UP-ITS-OWN-USER")
async def test_fifty_blocked_nodes_of_a_user_leave_the_node_of_another_running(tmp_path, door):
    async with running(tmp_path, graph="tests.graphs.blocking:graph") as api:
        await api.chat("ann", "wait")
        await until_reached(door)
        quick = await api.chat("bob", "hi")
        assert (await api.until_ended("bob", quick["task_id"]))["status"] == "completed"
        async with asyncio.timeout(BOUND_S):  # nor do they take the threads of the server's own work
            await asyncio.to_thread(str)


@pytest.mark.requirement("BLOCKING-HOLDS-UP-ITS-OWN-USER")
async def test_the_server_ends_while_a_node_blocks_its_thread(tmp_path, door):
    async with running(tmp_path, graph="tests.graphs.blocking:graph") as api:
        await api.chat("ann", "wait")
        await until_reached(door)
    async with asyncio.timeout(BOUND_S):  # `asyncio.run` does this, and so `uvicorn backend.main:app`
        await asyncio.get_running_loop().shutdown_default_executor()


@pytest.mark.requirement("SHUTDOWN-IN-GOOD-ORDER")
async def test_from_the_signal_on_nothing_is_accepted_and_tasks_are_ended_whatever_blocks_the_loop(tmp_path):
    async with serving(tmp_path) as server:
        held = await server.chat("ann", "find 1, hold")
        await server.until_found("ann", 1)
        server.server.handle_exit(signal.SIGTERM, None)  # a signal is handled within a step of the loop
        refused = await server.call("POST", "/chat", json={"user_id": "bob", "message": "hi"})
        refusal(refused, 503, "shutting_down")
        assert (await server.until_ended("ann", held["task_id"]))["reason"] == "shutdown"


@pytest.mark.requirement("STEPS-THAT-RUN-ON")
async def test_what_nothing_can_stop_is_in_status_partial_results_and_metrics_while_it_runs(tmp_path, door):
    async with running(tmp_path, graph="tests.graphs.blocking:graph") as api:
        task = (await api.chat("ann", "wait"))["task_id"]
        await until_reached(door)
        await api.stop("ann")
        await api.until_ended("ann", task)
        told = (await api.call("GET", "/status/ann")).json()["still_running"]
        assert {(each["task_id"], each["kind"]) for each in told} == {(task, "step")}
        assert (await api.call("GET", "/partial-results/ann")).json()["still_running"] == told
        calls = (await api.call("GET", f"/receipts/ann/{task}")).json()["tool_calls"]
        # A user's share of the threads: the other nodes never began.
        assert [each["name"] for each in told] == [each["tool"] for each in calls]
        assert {(each["kind"], each["outcome"]) for each in calls} == {("step", "unknown")}
        metrics = (await api.call("GET", "/metrics")).text
        assert f'detour_tool_calls{{state="outliving"}} {len(calls):.1f}' in metrics


@pytest.mark.requirement("FAULTS-STAY-ALONE")
async def test_a_node_that_leaves_the_process_leaves_the_server_running(tmp_path):
    async with running(tmp_path, graph="tests.graphs.leaving:graph") as api:
        left = await api.chat("ann", "leave")
        assert (await api.until_ended("ann", left["task_id"]))["status"] == "failed"
        quick = await api.chat("bob", "hi")
        assert (await api.until_ended("bob", quick["task_id"]))["status"] == "completed"
