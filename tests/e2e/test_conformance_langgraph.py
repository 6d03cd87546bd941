"""The conformance kit plays its table against servers that speak the LangGraph API."""

import asyncio
import subprocess
import sys
from dataclasses import replace

import pytest

from backend import __version__
from checks.conformance.langgraph_api import LangGraphApi
from checks.conformance.langgraph_detour import DetourProcess
from checks.conformance.langgraph_terms import translated
from checks.conformance.phases import EVENTS, PHASES
from checks.conformance.suite import play_all
from checks.conformance.table import Outcome, read_table
from tests.conventions import ROOT

BOUND_S = 600.0
PHASE_NAMED = {phase.name: phase for phase in PHASES}


def looks_like(phase, event):
    outcomes = read_table()[phase, event]
    told, *others = (each for one in outcomes for each in translated(PHASE_NAMED[phase], event, one))
    return told, others


def test_comparison_leaves_out_only_what_the_api_cannot_tell():
    told, others = looks_like("plain tool, running", "stopped")
    assert not others
    seen = Outcome(old="interrupted", came={"book": 1}, runs_on=("book",), history=("user",))
    assert told.differences(seen) == {}
    assert told.differences(replace(seen, came={"book": 2}, runs_on=())) == {
        "came": ({"book": 1}, {"book": 2}),
        "runs_on": (("book",), ()),
    }


def test_crashed_run_may_complete_in_place_of_a_second_one():
    told, others = looks_like("async node", "process killed")
    again = Outcome(old="completed", kept=2, came={"node": 2}, history=("user", "assistant"))
    assert told.differences(again).keys() == {"old", "new", "kept"}
    assert any(each.differences(again) == {} for each in others)


def test_graph_of_other_servers_imports_nothing_of_detour():
    seen = "import sys, checks.conformance.plain_graph; print('backend' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", seen], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.requirement("EVERY-PHASE-EVERY-EVENT")
async def test_detour_passes_by_its_langgraph_routes_where_the_api_can_tell():
    server = LangGraphApi(DetourProcess())
    phases = ["text streaming", "async tool, running", "plain node", "node that asks", "permission"]
    async with asyncio.timeout(BOUND_S):
        done = await play_all(server, read_table(), phases=phases)
    left_out = [each for each in done if each.not_applicable]
    assert {each.phase for each in left_out} == {"permission"}
    assert {each.event for each in done} == {*EVENTS}
    assert [(each.phase, each.event, each.differences, each.error) for each in done if not each.passed] == []
    assert server.described == f"Detour {__version__}, by its LangGraph routes"


async def test_stop_that_never_reaches_the_server_fails_its_cell_by_the_same_routes():
    class Deaf(LangGraphApi):
        async def stop(self, user: str, task: str) -> None:
            pass

    async with asyncio.timeout(BOUND_S):
        (seen,) = await play_all(
            Deaf(DetourProcess()), read_table(), phases=["async node"], events=["stopped"], patience_s=1
        )
    assert seen.error == "its end was not seen within 1 s"


async def test_message_that_interrupts_what_it_is_to_steer_fails_its_cell_by_the_same_routes():
    class Blunt(LangGraphApi):
        async def steer(self, user: str, message: str) -> str:
            return await self.send(user, message)

    async with asyncio.timeout(BOUND_S):
        (seen,) = await play_all(
            Blunt(DetourProcess()), read_table(), phases=["async tool, running"], events=["steered"]
        )
    assert {"old", "new", "steer"} <= seen.differences.keys()
