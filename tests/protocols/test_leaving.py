"""A client that leaves, where leaving is its word for stopping: its run is stopped, and nothing else."""

import asyncio
from pathlib import Path

import pytest

from backend.protocols import threads as leaving
from backend.protocols.thread.state import Run
from backend.protocols.threads import Leaving, Threads
from tests.api.live import BOUND_S, LocalClient, running

TALKING = "tests.protocols.talking_graph:graph"


async def until_left(api: LocalClient, run: Run) -> None:
    """Leave a run; return once that has had its effect."""
    left = Leaving(api.detour._services)
    left.leave("ann", run.run_id, unless=lambda: False)
    assert left.is_leaving("ann", run)
    async with asyncio.timeout(BOUND_S):
        while left.is_leaving("ann", run):  # noqa: ASYNC110
            await asyncio.sleep(0)


@pytest.mark.requirement("LEAVING-IS-NOT-STOPPING")
@pytest.mark.parametrize(
    ("message", "begins", "becomes"),
    [("ask", "success", "input_required"), ("slow", "running", "interrupted")],
)
async def test_a_run_that_is_left_is_stopped_and_a_question_that_it_ended_with_stays_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, message: str, begins: str, becomes: str
) -> None:
    monkeypatch.setattr(leaving, "LEAVE_S", 0)
    async with running(tmp_path, graph=TALKING) as api, asyncio.timeout(BOUND_S):
        await api.chat("ann", message)
        threads = Threads(api.detour._services)
        while True:
            state = await threads.state("ann")
            assert state is not None
            [run] = state.runs.values()
            if run.status == begins:
                break
            await asyncio.sleep(0)
        await until_left(api, run)
        assert (await api.status("ann"))["status"] == becomes
