"""The conformance kit plays its table against servers that speak the LangGraph API, and writes what was seen.

`langgraph dev` itself is not needed here: what it sends is below as it was recorded (langgraph-api 0.16.7).
"""

import asyncio
import re
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
from checks.conformance.markdown import NOTES, Played, side_by_side, write
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


async def test_the_stream_of_a_run_tells_text_items_questions_and_what_steered_it():
    response = httpx2.Response(200, content=STREAM)
    told = [event async for name, data in frames(response) for event in events_of("r1", name, data)]
    assert told == [
        Event(kind="found", task="r1", count=1),
        Event(kind="text", task="r1", word="One, two"),
        Event(kind="found", task="r1", count=2),
        Event(kind="steered", task="r1", word="taken_in"),
        Event(kind="asked", task="r1", word="q1"),
    ]


def test_what_the_api_cannot_tell_is_not_compared_and_all_else_is():
    told, others = looks_like("plain tool, running", "stopped")
    assert not others
    seen = Outcome(old="interrupted", came={"book": 1}, runs_on=("book",), history=("user",))
    assert told.differences(seen) == {}
    assert told.differences(replace(seen, came={"book": 2}, runs_on=())) == {
        "came": ({"book": 1}, {"book": 2}),
        "runs_on": (("book",), ()),
    }


def test_text_that_was_cut_short_is_expected_in_the_conversation_without_a_mark():
    told, _ = looks_like("text streaming", "superseded")
    assert told.history == ("user", "assistant", "user", "assistant")
    assert told.text == "One, two"


def test_a_question_may_be_kept_apart_from_the_conversation():
    told, others = looks_like("question", "process killed")
    histories = [each.history for each in (told, *others)]
    assert histories == [("user", "assistant", "user", "assistant"), ("user", "assistant")]


def test_of_a_steered_run_the_answer_is_in_the_conversation_alone():
    (told, *_) = looks_like("async tool, running", "steered")
    assert (told.steer, told.text, told.history) == ("taken_in", "", ("user", "user", "assistant"))
    told, others = looks_like("question", "steered")
    assert [each.history[2:] for each in (told, *others)] == [told.history[2:], told.history[4:]]
    assert told.history == ("user", "assistant") * 3


def test_after_a_crash_the_same_run_may_complete_in_place_of_a_second_one():
    told, others = looks_like("async node", "process killed")
    again = Outcome(old="completed", kept=2, came={"node": 2}, history=("user", "assistant"))
    assert told.differences(again).keys() == {"old", "new", "kept"}
    assert any(each.differences(again) == {} for each in others)


def test_the_graph_of_other_servers_imports_nothing_of_detour():
    seen = "import sys, checks.conformance.plain_graph; print('backend' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", seen], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_each_server_has_a_mark_in_each_cell_and_each_letter_a_note_with_what_was_seen():
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


def test_a_page_without_a_place_for_the_tables_is_left_as_it_is(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A page\n", "utf-8")
    with pytest.raises(ValueError, match="has no place for the tables"):
        write(page, [Played("One", [result("finished", "twice")])], "2026-01-31")
    assert page.read_text("utf-8") == "# A page\n"


def test_the_tables_are_written_anew_and_the_rest_of_the_page_is_kept(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE.read_text("utf-8"), "utf-8")
    write(page, [Played("One", [result("finished", "twice")])], "2026-01-31")
    written, before = page.read_text("utf-8"), PAGE.read_text("utf-8")
    assert "Played on 2026-01-31." in written
    assert "| routing |" not in written
    assert written.splitlines()[0] == before.splitlines()[0]
    assert written.splitlines()[-1] == before.splitlines()[-1]


def test_the_page_has_all_cells_and_a_note_for_every_letter():
    page = PAGE.read_text("utf-8")
    rows = {row[0]: row[1:] for row in re.findall(r"^\| (.+?) \|(.+)\|$", page, re.MULTILINE)}
    assert set(PHASE_NAMED) <= set(rows)
    used = {
        mark
        for phase in PHASES
        for cell in rows[phase.name]
        for mark in re.findall(r"\b[a-z]\b", cell.replace("n/a", ""))
    }
    assert used == set(re.findall(r"^- \*\*([a-z])\*\*", page, re.MULTILINE))


def test_the_notes_and_the_reasons_name_phases_events_and_fields_that_there_are():
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


async def test_a_stop_that_never_reaches_the_server_fails_its_cell_by_the_same_routes():
    class Deaf(LangGraphApi):
        async def stop(self, user: str, task: str) -> None:
            pass

    async with asyncio.timeout(BOUND_S):
        (seen,) = await play_all(
            Deaf(DetourProcess()), read_table(), phases=["async node"], events=["stopped"], patience_s=1
        )
    assert seen.error == "its end was not seen within 1 s"


async def test_a_message_that_interrupts_what_it_is_to_steer_fails_its_cell_by_the_same_routes():
    class Blunt(LangGraphApi):
        async def steer(self, user: str, message: str) -> str:
            return await self.send(user, message)

    async with asyncio.timeout(BOUND_S):
        (seen,) = await play_all(
            Blunt(DetourProcess()), read_table(), phases=["async tool, running"], events=["steered"]
        )
    assert {"old", "new", "steer"} <= seen.differences.keys()


async def test_a_server_whose_api_has_no_steering_is_not_played_whether_it_is_steered_well():
    class WithoutSteering(DetourProcess):
        steers = False

    async with asyncio.timeout(BOUND_S):
        done = await play_all(LangGraphApi(WithoutSteering()), read_table(), phases=["finished"])
    assert {each.event for each in done} == {*EVENTS} - {"steered"}
