"""Code that blocks the event loop or its threads: logged with its line, a burden to its own user alone."""

import asyncio
import signal

import pytest

from tests.api.live import BOUND_S, refusal, running, serving
from tests.fakes.waiting import until
from tests.figures import figures
from tests.graphs import blocking, stuck

SETTINGS = {"graph": "tests.graphs.stuck:graph", "blocked_warning_s": 0.05, "blocked_attempt_s": 0.1}


def said(lines, event, node="think"):
    return [line for line in lines if line["event"].startswith(event) and line.get("node") == node]


@pytest.mark.requirement("A-BLOCKED-LOOP-IS-TOLD")
@pytest.mark.parametrize("message", ["wait", "within a task of its own"])
async def test_blocked_loop_is_logged_with_task_node_and_line(tmp_path, monkeypatch, lines, message):
    monkeypatch.setitem(stuck.until, message, lambda: bool(said(lines, "the event loop is blocked")))
    async with running(tmp_path, **SETTINGS) as api:
        task = await api.chat("ann", message)
        assert (await api.until_ended("ann", task["task_id"]))["status"] == "completed"
        await until(lambda: said(lines, "the event loop was blocked"))  # the watch's thread says it
        counted = figures(api.detour.metrics, "detour_event_loop_blocked_total")
    (began,), (ended,) = said(lines, "the event loop is blocked"), said(lines, "the event loop was blocked")
    assert began["task_id"] == ended["task_id"] == task["task_id"]
    assert began["at"].startswith("tests/graphs/stuck.py, line ")
    assert began["at"].endswith(", in block")
    assert ended["seconds"] >= SETTINGS["blocked_warning_s"]
    assert counted[()] >= 1


@pytest.mark.requirement("A-BLOCKED-LOOP-IS-TOLD")
async def test_slow_attempt_that_goes_on_does_not_count(tmp_path, monkeypatch, lines):
    def noted():
        return [line for line in lines if line["event"].startswith("a task keeps")]

    monkeypatch.setitem(stuck.until, "wait, and go on", lambda: bool(noted()))
    async with running(tmp_path, store="sqlite", **SETTINGS) as api:
        task = await api.chat("ann", "wait, and go on")

        async def is_not_counted():
            return (await api.detour.store.get_task_metadata("ann", task["task_id"])).blocked is None

        # While it still runs: a process that is killed then must not count it.
        await until(noted)
        await until(is_not_counted)
        assert (await api.status("ann"))["status"] == "running"
    assert noted()[0]["task_id"] == task["task_id"]


@pytest.fixture
def door(monkeypatch):
    """Return what every message "wait" waits at; whoever still waits when the test ends may pass."""
    door = blocking.Door()
    monkeypatch.setitem(blocking.doors, "wait", door)
    yield door
    door.open()


@pytest.mark.requirement("BLOCKING-HOLDS-UP-ITS-OWN-USER")
async def test_fifty_blocked_nodes_of_a_user_do_not_block_another_user(tmp_path, door):
    async with running(tmp_path, graph="tests.graphs.blocking:graph") as api:
        await api.chat("ann", "wait")
        await until(door.reached.is_set)
        assert (await api.chat_to_end("bob", "hi"))["status"] == "completed"
        async with asyncio.timeout(BOUND_S):  # nor do they take the threads of the server's own work
            await asyncio.to_thread(str)


@pytest.mark.requirement("BLOCKING-HOLDS-UP-ITS-OWN-USER")
async def test_server_ends_while_a_node_blocks_its_thread(tmp_path, door):
    async with running(tmp_path, graph="tests.graphs.blocking:graph") as api:
        await api.chat("ann", "wait")
        await until(door.reached.is_set)
    async with asyncio.timeout(BOUND_S):  # `asyncio.run` does this, and so `uvicorn backend.main:app`
        await asyncio.get_running_loop().shutdown_default_executor()


@pytest.mark.requirement("SHUTDOWN-IN-GOOD-ORDER")
async def test_signal_refuses_messages_and_ends_tasks_at_once(tmp_path):
    async with serving(tmp_path) as server:
        held = await server.chat("ann", "find 1, hold")
        await server.until_found("ann", 1)
        server.server.handle_exit(signal.SIGTERM, None)  # a signal is handled within a step of the loop
        refused = await server.call("POST", "/chat", json={"user_id": "bob", "message": "hi"})
        refusal(refused, 503, "shutting_down")
        assert (await server.until_ended("ann", held["task_id"]))["reason"] == "shutdown"


@pytest.mark.requirement("STEPS-THAT-RUN-ON")
async def test_step_that_outlives_its_task_is_in_status_results_and_metrics(tmp_path, door):
    async with running(tmp_path, graph="tests.graphs.blocking:graph") as api:
        task = (await api.chat("ann", "wait"))["task_id"]
        await until(door.reached.is_set)
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
async def test_node_that_exits_leaves_the_server_running(tmp_path):
    async with running(tmp_path, graph="tests.graphs.leaving:graph") as api:
        assert (await api.chat_to_end("ann", "leave"))["status"] == "failed"
        assert (await api.chat_to_end("bob", "hi"))["status"] == "completed"
