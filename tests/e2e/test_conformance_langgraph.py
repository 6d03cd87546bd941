"""The conformance kit plays its table against servers that speak the LangGraph API, and writes what was seen.

`langgraph dev` itself is not needed here: what it sends is below as it was recorded (langgraph-api 0.16.7).
"""

import asyncio
import subprocess
import sys
import tomllib
from dataclasses import fields, replace

import httpx2
import pytest

from backend import __version__
from checks.conformance.langgraph_api import LangGraphApi, events_of, frames
from checks.conformance.langgraph_detour import DetourProcess
from checks.conformance.langgraph_terms import NOT_APPLICABLE, as_told
from checks.conformance.markdown import NOTES, Played, side_by_side
from checks.conformance.phases import EVENTS, PHASES
from checks.conformance.server import Event
from checks.conformance.suite import Result, play_all
from checks.conformance.table import Outcome, read_table
from tests.conventions import ROOT

BOUND_S = 600.0
PAGE = ROOT / "docs/reports/conformance.md"
PHASE_NAMED = {phase.name: phase for phase in PHASES}
STREAM = b"""\
event: metadata
data: {"run_id":"r1","attempt":1}
id: 1795362196318-0

event: updates
data: {"router":null}
id: 1795362196324-0

event: custom|within:1
data: {"found":1}
id: 1795362196326-0

: heartbeat

event: messages
data: [{"content":"One, two","type":"AIMessageChunk","id":"m1"},{"langgraph_node":"worker"}]
id: 1795362196328-0

event: messages
data: [{"content":"Done.","type":"ai","id":"m2"},{"langgraph_node":"worker"}]
id: 1795362196329-0

event: custom
data: {"type":"partial_result","items":[{},{}]}
id: 1795362196330-0

event: custom
data: {"type":"steer","steer":"taken_in","task_id":"t1","message_id":"m3","text":"and pay"}
id: 1795362196330-1

event: updates
data: {"__interrupt__":[{"value":{"prompt":"Where to?"},"id":"q1"}]}
id: 1795362196331-0

"""


def looks_like(phase, event):
    (told, *others) = (
        each for outcome in read_table()[phase, event] for each in as_told(PHASE_NAMED[phase], event, outcome)
    )
    return told, others


def result(phase, event, **what):
    expected = Outcome(old="interrupted", history=("user",))
    return Result(phase=phase, event=event, expected=(expected,), **({"seen": expected} | what))


async def test_stream_of_a_run_tells_text_items_questions_and_what_steered_it():
    response = httpx2.Response(200, content=STREAM)
    told = [event async for name, data in frames(response) for event in events_of("r1", name, data)]
    assert told == [
        Event(kind="found", task="r1", count=1),
        Event(kind="text", task="r1", word="One, two"),
        Event(kind="found", task="r1", count=2),
        Event(kind="steered", task="r1", word="taken_in"),
        Event(kind="asked", task="r1", word="q1"),
    ]


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


def test_tables_mark_each_server_in_each_cell_and_explain_each_letter():
    one = [result("text streaming", "stopped"), result("permission", "stopped", not_applicable="no tools")]
    other = [
        result("text streaming", "stopped", seen=Outcome(old="interrupted")),
        result("permission", "stopped", seen=Outcome(old="completed", history=("user",))),
    ]
    lines = side_by_side([Played("One 1.0", one), Played("Other 2.0", other)], "2026-01-31").splitlines()
    assert lines[2:4] == [
        "1. One 1.0: 1 of 1 cells as in the table.",
        "2. Other 2.0: 0 of 2 cells as in the table.",
    ]
    assert "| text streaming | ✓ a |" in lines
    assert "| permission | n/a b |" in lines
    (known, unknown) = lines[-2:]
    assert known.startswith("- **a** The text that had been streamed is not in the thread's messages.")
    assert known.endswith(" In *text streaming, stopped*: `history`: the table has user, seen was none.")
    assert unknown == "- **b** `old`: the table has 'interrupted', seen was 'completed'."


def test_notes_and_the_reasons_name_phases_events_and_fields_that_there_are():
    known = {each.name for each in fields(Outcome)} | {"error"}
    for note in tomllib.loads(NOTES.read_text("utf-8"))["note"]:
        assert set(note.get("phases", ())) <= set(PHASE_NAMED)
        assert set(note.get("events", ())) <= set(EVENTS)
        assert set(note.get("fields", ())) <= known
    assert set(NOT_APPLICABLE) <= set(PHASE_NAMED)


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
