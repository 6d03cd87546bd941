"""What an operator is told of the ledger: how its calls stand, what became of them, and what was saved."""

import asyncio

import pytest

from backend.domain.encoding import system_clock
from backend.domain.tool_call import call_key
from backend.http.metrics import Metrics
from backend.tasks.ledger.fair_turns import ConcurrencyLimit
from tests.figures import figures
from tests.tools.calls import Bench, Book, Provider, Read

pytestmark = pytest.mark.virtual_time


@pytest.fixture
def metrics():
    return Metrics(clock=system_clock)


def opened(metrics, **options):
    return Bench(observer=metrics, **options).open()


def standing(bench):
    return {state: number for state, number in bench.ledger.standing().items() if number}


async def test_calls_run_wait_for_others_and_are_held_and_then_there_are_none(metrics):
    bench = await opened(metrics, limit=ConcurrencyLimit(per_user=1))
    context, tool = await bench.context(), Read()
    nodes = [bench.call(context, tool, city) for city in ("Rome", "Oslo")]
    await tool.gate.arrived(1)
    assert standing(bench) == {"running": 1, "waiting": 1}
    await bench.interrupt(context, "superseded", *nodes)
    assert standing(bench) == {"running": 1, "waiting": 1, "held": 2}
    await bench.end(context)
    assert standing(bench) == {}
    assert figures(metrics, "detour_tool_calls_ended_total") == {
        ("read", "cancelled", "search"): 1,
        ("read", "not_started", "search"): 1,
    }


async def test_a_read_that_is_taken_over_has_saved_the_time_for_which_it_had_run(metrics):
    bench, tool = await opened(metrics), Read()
    old = await bench.context(1)
    node = bench.call(old, tool)
    await tool.gate.arrived(1)
    await asyncio.sleep(1.5)
    await bench.interrupt(old, "superseded", node)
    new = await bench.context(2)
    bench.ledger.adopt_reads(new, [call_key("search", "Rome")])
    node = bench.call(new, tool)
    tool.gate.open()
    await node
    await bench.end(old)
    await bench.end(new)
    assert figures(metrics, "detour_tool_calls_ended_total") == {
        ("read", "adopted", "search"): 1,
        ("read", "completed", "search"): 1,
    }
    assert figures(metrics, "detour_tool_seconds_saved_total") == {("search",): pytest.approx(1.5)}


async def test_a_read_that_has_just_ended_is_reused_once_by_the_task_that_asks_for_the_same(metrics):
    bench, tool = await opened(metrics), Read()
    old = await bench.context(1)
    node = bench.call(old, tool)
    await tool.gate.arrived(1)
    await asyncio.sleep(2)
    tool.gate.open()
    await node
    await bench.end(old)
    new = await bench.context(2)
    await bench.call(new, tool)
    await bench.call(new, tool)
    await bench.end(new)
    assert tool.runs == 1
    assert figures(metrics, "detour_tool_calls_reused_total") == {("search",): 1}
    assert figures(metrics, "detour_tool_seconds_saved_total") == {("search",): pytest.approx(2)}
    assert figures(metrics, "detour_tool_calls_ended_total") == {("read", "completed", "search"): 1}


async def test_a_write_that_nobody_answers_for_is_unsettled_until_it_is_found_out_about(metrics):
    bench, provider = await opened(metrics), Provider()
    provider.answers, provider.silent = "never", True
    context, tool = await bench.context(), Book(provider)
    call = await bench.proposed(context, tool)
    bench.decide(context, call)
    call = await bench.ledger.writes.carry_out(context, call, tool)
    assert (call.outcome, standing(bench)) == ("unknown", {"unsettled": 1})
    await bench.end(context)
    provider.silent = False
    await bench.quiet()
    assert standing(bench) == {}
    assert figures(metrics, "detour_tool_calls_ended_total") == {
        ("write", "unknown", "book"): 1,
        ("write", "completed_after_interrupt", "book"): 1,
    }
