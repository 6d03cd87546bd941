"""Code that keeps the event loop blocked is told with its node and line while it does, and counted."""

import asyncio

import pytest
from structlog.testing import capture_logs

from tests.api.live import BOUND_S, running
from tests.figures import figures
from tests.graphs import stuck

pytestmark = pytest.mark.requirement("A-BLOCKED-LOOP-IS-TOLD")

SETTINGS = {"graph": "tests.graphs.stuck:graph", "blocked_warning_s": 0.05, "blocked_attempt_s": 0.1}


@pytest.fixture
def lines():
    with capture_logs() as logged:
        yield logged


def said(lines, event, node="think"):
    return [line for line in lines if line["event"].startswith(event) and line.get("node") == node]


@pytest.mark.parametrize("message", ["wait", "within a task of its own"])
async def test_blocked_loop_is_logged_with_task_node_and_line(tmp_path, monkeypatch, lines, message):
    monkeypatch.setitem(stuck.until, message, lambda: bool(said(lines, "the event loop is blocked")))
    async with running(tmp_path, **SETTINGS) as api:
        task = await api.chat("ann", message)
        assert (await api.until_ended("ann", task["task_id"]))["status"] == "completed"
        async with asyncio.timeout(BOUND_S):
            while not said(lines, "the event loop was blocked"):  # noqa: ASYNC110 - the watch's thread says it
                await asyncio.sleep(0)
        counted = figures(api.detour.metrics, "detour_event_loop_blocked_total")
    (began,), (ended,) = said(lines, "the event loop is blocked"), said(lines, "the event loop was blocked")
    assert began["task_id"] == ended["task_id"] == task["task_id"]
    assert began["at"].startswith("tests/graphs/stuck.py, line ")
    assert began["at"].endswith(", in block")
    assert ended["seconds"] >= SETTINGS["blocked_warning_s"]
    assert counted[()] >= 1


async def test_attempt_that_was_slow_and_went_on_does_not_count(tmp_path, monkeypatch, lines):
    def noted():
        return [line for line in lines if line["event"].startswith("a task keeps")]

    monkeypatch.setitem(stuck.until, "wait, and go on", lambda: bool(noted()))
    async with running(tmp_path, store="sqlite", **SETTINGS) as api:
        task = await api.chat("ann", "wait, and go on")

        async def blocked():
            return (await api.detour.store.get_task_metadata("ann", task["task_id"])).blocked

        # While it still runs: a process that is killed then must not count it.
        async with asyncio.timeout(BOUND_S):
            while not noted() or await blocked() is not None:  # noqa: ASYNC110 - the watch's thread does it
                await asyncio.sleep(0)
        assert (await api.status("ann"))["status"] == "running"
    assert noted()[0]["task_id"] == task["task_id"]
