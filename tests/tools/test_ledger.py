"""What the ledger does with the reads of a task: whatever happens to one, its account is true."""

import asyncio
from contextlib import suppress

import pytest

from backend.domain.errors import ProviderError
from backend.tasks.ledger.base import ToolResult
from backend.tasks.ledger.fair_turns import ConcurrencyLimit
from tests.fakes import Gate
from tests.tools.calls import Bench, Read

pytestmark = pytest.mark.virtual_time


class Tool:
    """A tool that waits at its gate, then returns or raises its ending."""

    name = "tool"
    fresh_s = 0.0

    def __init__(self, ending="done", effect="read"):
        self.ending = ending
        self.effect = effect
        self.gate = Gate()

    async def run(self, _arguments, report):
        await self.gate.wait()
        if isinstance(self.ending, Exception):
            raise self.ending
        return self.ending if isinstance(self.ending, ToolResult) else ToolResult(self.ending)


@pytest.mark.parametrize("effect", ["none", "read"])
@pytest.mark.parametrize("reason", ["stopped", "timed_out", "shutdown"])
async def test_what_changes_nothing_outside_is_cancelled_at_once(effect, reason):
    bench, tool = await Bench().open(), Tool(effect=effect)
    context = await bench.context()
    node = bench.call(context, tool)
    await tool.gate.arrived(1)
    await bench.interrupt(context, reason, node)
    assert await bench.end(context) == [("tool", "cancelled")]


async def test_read_that_loses_its_cancellation_is_cancelled_again():
    class Losing(Tool):
        async def run(self, arguments, report):
            for _ in range(2):  # what a client does that swallows its first cancellation
                with suppress(asyncio.CancelledError):
                    return await super().run(arguments, report)
            return await super().run(arguments, report)

    bench, tool = await Bench().open(), Losing()
    context = await bench.context()
    node = bench.call(context, tool)
    await tool.gate.arrived(1)
    await bench.interrupt(context, "stopped", node)
    assert await bench.end(context) == [("tool", "cancelled")]
    assert asyncio.get_running_loop().time() == pytest.approx(0.06)


async def test_what_was_cut_short_says_how_far_it_was():
    bench, tool = await Bench().open(), Read()
    context = await bench.context()
    node = bench.call(context, tool)
    await tool.gate.arrived(1)
    await bench.interrupt(context, "stopped", node)
    await bench.end(context)
    assert context.tool_calls["c1"].summary == "cut short: 1 of 2"


@pytest.mark.parametrize(
    ("ending", "told"),
    [
        ("\ud83d", "it failed for a reason of its own"),
        (7, "it failed for a reason of its own"),
        (ToolResult("done", {1, object()}), "it failed for a reason of its own"),
        (ZeroDivisionError(), "it failed for a reason of its own"),
        (ProviderError("It is closed."), "It is closed."),
    ],
)
async def test_a_call_that_fails_tells_what_can_be_told(ending, told):
    bench, tool = await Bench().open(), Tool(ending)
    tool.gate.open()
    call = await bench.call(await bench.context(), tool)
    assert (call.outcome, call.summary) == ("failed", told)


async def test_a_call_after_the_interruption_never_starts():
    bench, tool = await Bench().open(), Tool()
    context = await bench.context()
    context.request_interruption("stopped")
    assert (await bench.call(context, tool)).outcome == "not_started"
    assert tool.gate.arrivals == 0


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
async def test_a_tool_that_writes_is_not_run_as_if_it_read():
    bench, tool = await Bench().open(), Tool(effect="write")
    assert (await bench.call(await bench.context(), tool)).outcome == "denied"
    assert tool.gate.arrivals == 0


async def test_every_call_is_in_the_store_before_it_runs_and_when_it_has_ended():
    bench, tool = await Bench().open(), Tool()
    node = bench.call(await bench.context(), tool, {"b": 1, "a": 2})
    await tool.gate.arrived(1)
    (call,) = await bench.store.get_tool_calls("ann", 1)
    assert (call.state, call.outcome, call.arguments) == ("running", None, {"b": 1, "a": 2})
    tool.gate.open()
    await node
    (call,) = await bench.store.get_tool_calls("ann", 1)
    assert (call.state, call.outcome, call.summary) == ("ended", "completed", "done")


@pytest.mark.requirement("CALLS-ARE-BOUNDED")
async def test_a_user_who_has_many_reads_at_work_waits_and_holds_up_nobody_else():
    bench = await Bench(limit=ConcurrencyLimit(per_user=1, in_all=2)).open()
    ann, bob = await bench.context(1), await bench.context(1, "bob")
    tool = Tool()
    first, second = bench.call(ann, tool, 1), bench.call(ann, tool, 2)
    third = bench.call(bob, tool, 1)
    await tool.gate.arrived(2)
    assert (ann.agents["flight"].state, ann.agents["flight"].detail) == ("waiting", "waits for others to end")
    assert [call.state for call in ann.tool_calls.values()] == ["running", "waiting"]
    tool.gate.open()
    assert [(await node).outcome for node in (first, second, third)] == ["completed"] * 3


async def test_a_read_that_waits_for_its_turn_when_its_task_ends_was_not_started():
    bench, tool = await Bench(limit=ConcurrencyLimit(per_user=1)).open(), Tool()
    context = await bench.context()
    nodes = bench.call(context, tool, 1), bench.call(context, tool, 2)
    await tool.gate.arrived(1)
    await bench.interrupt(context, "stopped", *nodes)
    assert await bench.end(context) == [("tool", "cancelled"), ("tool", "not_started")]


@pytest.mark.requirement("RECEIPTS-ARE-AMENDED")
async def test_what_ends_after_its_task_was_settled_without_it_amends_the_receipt():
    bench, tool = await Bench().open(), Tool()

    async def deaf(_arguments, _report):
        try:
            await tool.gate.wait()
        finally:
            await asyncio.sleep(60)

    tool.run = deaf
    context = await bench.context()
    node = bench.call(context, tool)
    await tool.gate.arrived(1)
    await bench.interrupt(context, "stopped", node)
    assert await bench.end(context) == [("tool", "unknown")]
    await bench.quiet()
    assert await bench.told(context) == [("tool", "cancelled")]


@pytest.mark.requirement("RECEIPTS-ARE-AMENDED")
async def test_what_work_that_was_let_go_comes_to_is_noted_in_the_receipt_and_never_shown():
    bench, tool = await Bench().open(), Tool()
    reports = []

    async def lets_go(_arguments, report):
        reports.append(report)
        await tool.gate.wait()

    tool.run = lets_go
    context = await bench.context()
    node = bench.call(context, tool)
    await tool.gate.arrived(1)
    await bench.interrupt(context, "stopped", node)
    await bench.end(context)
    reports[0].found([{"late": True}], source="late")
    reports[0].late("it ended 3 s later")
    await bench.quiet()
    receipt = await bench.store.get_receipt("ann", "ann-1")
    assert b"it ended 3 s later" in receipt
    assert context.partial_results.counts() == {}
