"""The ledger and the reads of a task: whatever happens to one, its account and the figures are true."""

import asyncio
from contextlib import suppress

import pytest

from backend.domain.encoding import system_clock
from backend.domain.errors import ProviderError
from backend.domain.task import InterruptReason
from backend.domain.tool_call import call_key
from backend.http.metrics import Metrics
from backend.tasks.ledger.amending import Amending
from backend.tasks.ledger.base import ToolResult
from backend.tasks.ledger.fair_turns import ConcurrencyLimit
from tests.fakes import Gate
from tests.figures import figures
from tests.interruption.world import World
from tests.records import ANN
from tests.tools.calls import Bench, Book, Provider, Read, allowed, standing

pytestmark = pytest.mark.virtual_time
FAULT = "it failed for a reason of its own"


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


@pytest.fixture
async def bench():
    return await Bench().open()


# --- ends ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("effect", ["none", "read"])
@pytest.mark.parametrize("reason", ["stopped", "timed_out", "shutdown"])
async def test_call_without_effect_is_cancelled_by_any_interruption(bench, effect, reason):
    context = await bench.interrupted(Tool(effect=effect), reason)
    assert await bench.end(context) == [("tool", "cancelled")]


async def test_read_that_loses_its_cancellation_is_cancelled_again(bench):
    class Losing(Tool):
        async def run(self, arguments, report):
            for _ in range(2):  # what a client does that swallows its first cancellation
                with suppress(asyncio.CancelledError):
                    return await super().run(arguments, report)
            return await super().run(arguments, report)

    context = await bench.interrupted(Losing(), "stopped")
    assert await bench.end(context) == [("tool", "cancelled")]
    assert asyncio.get_running_loop().time() == pytest.approx(0.06)


async def test_cancelled_read_summary_says_how_far_it_was(bench):
    context = await bench.interrupted(Read(), "stopped")
    await bench.end(context)
    assert context.tool_calls["c1"].summary == "cut short: 1 of 2"


@pytest.mark.parametrize(
    ("ending", "summary"),
    [
        ("\ud83d", FAULT),
        (7, FAULT),
        (ToolResult("done", {1, object()}), FAULT),
        (ZeroDivisionError(), FAULT),
        (ProviderError("It is closed."), "It is closed."),
    ],
)
async def test_failed_call_summary_is_a_sentence_that_can_be_shown(bench, ending, summary):
    tool = Tool(ending)
    tool.gate.open()
    call = await bench.call(await bench.context(), tool)
    assert (call.outcome, call.summary) == ("failed", summary)


async def test_call_after_interruption_never_starts(bench):
    context, tool = await bench.context(), Tool()
    context.request_interruption("stopped")
    assert (await bench.call(context, tool)).outcome == "not_started"
    assert tool.gate.arrivals == 0


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
async def test_writing_tool_is_denied_as_a_read(bench):
    tool = Tool(effect="write")
    assert (await bench.call(await bench.context(), tool)).outcome == "denied"
    assert tool.gate.arrivals == 0


async def test_call_is_stored_before_it_runs_and_when_it_has_ended(bench):
    tool = Tool()
    node = bench.call(await bench.context(), tool, {"b": 1, "a": 2})
    await tool.gate.arrived(1)
    (call,) = await bench.store.get_tool_calls("ann", 1)
    assert (call.state, call.outcome, call.arguments) == ("running", None, {"b": 1, "a": 2})
    tool.gate.open()
    await node
    (call,) = await bench.store.get_tool_calls("ann", 1)
    assert (call.state, call.outcome, call.summary) == ("ended", "completed", "done")


async def test_agent_declared_after_interruption_is_not_shown(bench):
    context = await bench.context()
    context.declare("flight", {"to": "Rome"})
    context.request_interruption(InterruptReason.STOPPED)
    context.declare("hotel", {"in": "Rome"})
    context.declare("flight", {"to": "Oslo"})
    progress = await bench.store.get_progress("ann", 1)
    assert {agent: now.request for agent, now in progress.items()} == {"flight": {"to": "Rome"}}


@pytest.mark.requirement("BEGUN-IS-FINISHED")
async def test_stop_is_answered_at_once_while_a_begun_write_finishes():
    world = await World().start()
    world.post("ann", "bookslow")
    await asyncio.sleep(0.1)
    world.answer("ann", "word")
    await asyncio.sleep(1)
    before = asyncio.get_running_loop().time()
    assert await world.parts.runner.stop("ann") is None
    assert asyncio.get_running_loop().time() == before
    await world.quiet()
    await world.finish()


# --- concurrency ---------------------------------------------------------------------------------------


@pytest.mark.requirement("CALLS-ARE-BOUNDED")
async def test_concurrency_limit_of_one_user_delays_nobody_else():
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


# --- amendments ----------------------------------------------------------------------------------------


@pytest.mark.requirement("RECEIPTS-ARE-AMENDED")
async def test_call_that_ends_after_its_task_amends_the_receipt(bench):
    tool = Tool()

    async def deaf(_arguments, _report):
        try:
            await tool.gate.wait()
        finally:
            await asyncio.sleep(60)

    tool.run = deaf
    context = await bench.interrupted(tool, "stopped")
    assert await bench.end(context) == [("tool", "unknown")]
    await bench.quiet()
    assert await bench.receipt(context) == [("tool", "cancelled")]


@pytest.mark.requirement("RECEIPTS-ARE-AMENDED")
async def test_late_outcome_of_abandoned_work_is_in_the_receipt_and_never_shown(bench):
    tool, reports = Tool(), []

    async def abandoned(_arguments, report):
        reports.append(report)
        await tool.gate.wait()

    tool.run = abandoned
    context = await bench.interrupted(tool, "stopped")
    await bench.end(context)
    reports[0].found([{"late": True}], source="late")
    reports[0].late("it ended 3 s later")
    await bench.quiet()
    assert b"it ended 3 s later" in await bench.store.get_receipt("ann", "ann-1")
    assert context.partial_results.counts() == {}


@pytest.mark.requirement("RECEIPTS-ARE-AMENDED")
async def test_known_outcome_of_a_write_is_not_amended(bench):
    context = await bench.context()
    call = await (await allowed(bench, context, Book(Provider())))
    assert await bench.end(context) == [("book", "completed")]
    amending = Amending(bench.owner, store=bench.store, log=bench.log, clock=bench.clock)
    amending.amend(ANN, call.ended("unknown", bench.clock(), summary="late"))
    await bench.quiet()
    assert await bench.receipt(context) == [("book", "completed")]
    (stored,) = await bench.store.get_tool_calls("ann", 1)
    assert (stored.outcome, stored.summary) == ("completed", "DEMO-1 is booked")


# --- figures -------------------------------------------------------------------------------------------


@pytest.fixture
def metrics():
    return Metrics(clock=system_clock)


async def test_figures_count_running_waiting_and_held_reads(metrics):
    bench = await Bench(observer=metrics, limit=ConcurrencyLimit(per_user=1)).open()
    context, tool = await bench.context(), Read()
    nodes = [bench.call(context, tool, city) for city in ("Rome", "Oslo")]
    await tool.gate.arrived(1)
    assert standing(bench) == {"running": 1, "waiting": 1}
    await bench.interrupt(context, "superseded", *nodes)
    assert standing(bench) == {"running": 1, "waiting": 1, "held": 2}
    assert await bench.end(context) == [("search", "cancelled"), ("search", "not_started")]
    assert standing(bench) == {}
    assert figures(metrics, "detour_tool_calls_ended_total") == {
        ("read", "cancelled", "search"): 1,
        ("read", "not_started", "search"): 1,
    }


async def test_figures_count_the_seconds_that_an_adopted_read_saved(metrics):
    bench, tool = await Bench(observer=metrics).open(), Read()
    old = await bench.context(1)
    node = bench.call(old, tool)
    await tool.gate.arrived(1)
    await asyncio.sleep(1.5)
    await bench.interrupt(old, "superseded", node)
    new = await bench.context(2)
    bench.ledger.adopt_reads(new, [call_key("search", {"of": "Rome"})])
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


async def test_figures_count_a_reused_read_once_per_task(metrics):
    bench, tool = await Bench(observer=metrics).open(), Read()
    node = bench.call(old := await bench.context(1), tool)
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


async def test_figures_count_an_unsettled_write_until_its_outcome_is_known(metrics):
    bench, provider = await Bench(observer=metrics).open(), Provider.silent_after("never")
    context = await bench.context()
    assert (await (await allowed(bench, context, Book(provider)))).outcome == "unknown"
    assert standing(bench) == {"unsettled": 1}
    await bench.end(context)
    provider.silent = False
    await bench.quiet()
    assert standing(bench) == {}
    assert figures(metrics, "detour_tool_calls_ended_total") == {
        ("write", "unknown", "book"): 1,
        ("write", "completed_after_interrupt", "book"): 1,
    }
