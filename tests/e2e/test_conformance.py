"""The conformance kit's table can fail: it finds what a server does wrong.

tests/packaging/test_without_travel.py plays the whole table. Planted bugs that it found: a work that is not
cancelled, a write that is, reads that are not held for the next task, text that is left out of the
conversation, and a write that is sent again after a crash.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from checks.conformance.adapter import Detour
from checks.conformance.phases import EVENTS, PHASES
from checks.conformance.report import as_differences, as_table
from checks.conformance.sellers import WithSellers
from checks.conformance.server import Account, Kept
from checks.conformance.suite import play_all
from checks.conformance.table import Outcome, read_table

BOUND_S = 600.0
STOPPED_TEXT = ("text streaming", "stopped")
AT_SELLERS = ["permission", "read running", "two reads, one finished", "write not sent yet", "write running"]


async def played(server, table, **which):
    async with asyncio.timeout(BOUND_S):
        return await play_all(server, table, **which)


async def played_stopped_text(server, table, **options):
    (result,) = await played(server, table, phases=["text streaming"], events=["stopped"], **options)
    return result


def test_table_has_every_cell_and_no_other():
    assert set(read_table()) == {(phase.name, event) for phase in PHASES for event in EVENTS}


async def test_server_that_loses_the_text_it_had_sent_fails_that_cell():
    class Forgetful(Detour):
        async def kept_of(self, user: str, task: str) -> Kept:
            return replace(await super().kept_of(user, task), text="")

    result = await played_stopped_text(Forgetful(), read_table())
    assert result.differences == {"text": ("One, two", ""), "agrees": (True, False)}
    assert as_table([result]).endswith("0 of 1 cells pass.")
    assert as_differences([result]).splitlines()[1] == "  text: expected 'One, two', saw none"


async def test_server_that_does_not_stop_fails_that_cell():
    class Deaf(Detour):
        async def stop(self, user: str, task: str) -> None:
            pass

    result = await played_stopped_text(Deaf(), read_table(), patience_s=1)
    assert not result.passed
    assert result.error == "its end was not seen within 1 s"


async def test_cell_must_come_to_one_of_its_outcomes_as_a_whole():
    (right,) = read_table()[STOPPED_TEXT]
    nearly = replace(right, history=("user", "assistant"))
    table = {STOPPED_TEXT: (Outcome(old="completed"), nearly)}
    result = await played_stopped_text(Detour(), table)
    assert result.differences == {"history": (nearly.history, right.history)}


async def test_phase_that_a_server_cannot_be_brought_to_is_left_out_with_the_reason():
    class WithoutThreads(Detour):
        not_applicable: Mapping[str, str] = {"plain node": "its nodes run on the event loop"}

    chosen = {"phases": ["plain node", "finished"], "events": ["stopped"]}
    (over, left_out) = await played(WithoutThreads(), read_table(), **chosen)
    assert over.seen
    assert not left_out.seen
    lines = as_table([over, left_out]).splitlines()
    assert lines[2].split() == ["plain", "node", "n/a"]
    assert lines[-2:] == [
        "1 of 1 cells pass.",
        "plain node is not applicable: its nodes run on the event loop.",
    ]


async def test_server_that_forgets_what_runs_on_fails_that_cell():
    class Silent(Detour):
        async def account(self, user: str, task: str) -> Account:
            return replace(await super().account(user, task), calls=())

    (result,) = await played(Silent(), read_table(), phases=["plain node"], events=["superseded"])
    assert result.differences["meanwhile"] == ({"blocking": "unknown"}, {})


async def test_table_holds_where_tools_search_and_book_at_real_sellers_stand_ins():
    events = ["superseded", "stopped", "process killed"]
    results = await played(WithSellers(), read_table(), phases=AT_SELLERS, events=events)
    assert len(results) == len(AT_SELLERS) * len(events)
    assert as_differences(results) == ""
