"""Writes are allowed, begin once, are never cancelled then, and what became of them is found out."""

import asyncio

import pytest

from backend.domain.task import InterruptReason
from backend.domain.task_life import Transition
from backend.domain.tool_call import ToolCall
from backend.store.sqlite.memory import MemoryStateStore
from tests.tools.calls import Bench, Book, Provider, allowed

pytestmark = pytest.mark.virtual_time


@pytest.fixture
async def bench():
    return await Bench().open()


@pytest.fixture
def provider():
    return Provider()


async def test_what_is_allowed_is_done_once(bench, provider):
    context, tool = await bench.context(), Book(provider)
    node = await allowed(bench, context, tool)
    call = await node
    assert (call.outcome, call.result, provider.booked) == ("completed", {"reference": "DEMO-1"}, ["c1"])
    assert await bench.ledger.writes.outcome_of(context, call) == call
    assert provider.booked == ["c1"]


@pytest.mark.parametrize("changed", [{}, {"key": "book:other"}, {"tool": "cancel"}, {"call_id": "c2"}])
@pytest.mark.requirement("WRITES-ARE-ALLOWED")
async def test_what_nobody_has_allowed_is_never_done(bench, provider, changed):
    """Also not by the permission for something else, nor by a denial."""
    context, tool = await bench.context(), Book(provider)
    call = await bench.proposed(context, tool)
    bench.decide(context, call, "allow" if changed else "deny", **changed)
    assert (await bench.ledger.writes.carry_out(context, call, tool)).outcome == "denied"
    assert provider.booked == []


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
async def test_a_permission_is_not_used_after_its_time(bench, provider):
    context, tool = await bench.context(), Book(provider)
    call = await bench.proposed(context, tool)
    bench.decide(context, call)
    await asyncio.sleep(901)
    assert not bench.ledger.writes.stands(context, call)
    assert (await bench.ledger.writes.carry_out(context, call, tool)).outcome == "denied"
    assert provider.booked == []


@pytest.mark.parametrize("reason", ["superseded", "stopped", "timed_out", "shutdown"])
@pytest.mark.requirement("BEGUN-IS-FINISHED")
async def test_a_write_that_has_begun_finishes_whatever_interrupts_it(bench, provider, reason):
    context, tool = await bench.context(), Book(provider)
    provider.gate.close()
    node = await allowed(bench, context, tool)
    await provider.gate.arrived(1)
    await bench.interrupt(context, reason, node)
    assert bench.ledger.finishing(context)
    provider.gate.open()
    assert await bench.end(context) == [("book", "completed_after_interrupt")]
    assert provider.booked == ["c1"]


@pytest.mark.parametrize("reason", ["superseded", "stopped"])
@pytest.mark.requirement("BEGUN-IS-FINISHED")
async def test_a_write_that_has_not_begun_never_begins(bench, provider, reason):
    context, tool = await bench.context(), Book(provider)
    node = await allowed(bench, context, tool)
    await bench.interrupt(context, reason, node)
    assert not bench.ledger.finishing(context)
    assert await bench.end(context) == [("book", "not_started")]
    assert provider.booked == []


class InterruptsMeanwhile(MemoryStateStore):
    """A store that has something happen while it stores that a call begins."""

    def commit(self, lease, *records):
        if any(isinstance(each, ToolCall) and each.state == "running" for each in records):
            self.meanwhile()
        return super().commit(lease, *records)


@pytest.mark.requirement("BEGUN-IS-FINISHED")
async def test_a_write_never_begins_once_its_task_is_interrupted_even_before_it_is_cancelled(provider):
    bench = await Bench(InterruptsMeanwhile()).open()
    context, tool = await bench.context(), Book(provider)
    bench.store.meanwhile = lambda: context.request_interruption(InterruptReason.STOPPED)
    assert (await (await allowed(bench, context, tool))).outcome == "not_started"
    assert provider.booked == []


@pytest.mark.requirement("BEGUN-IS-FINISHED")
async def test_a_write_that_waits_for_its_permission_when_the_task_ends_was_not_started(bench, provider):
    context = await bench.context()
    await bench.proposed(context, Book(provider))
    await bench.interrupt(context, "superseded")
    assert await bench.end(context) == [("book", "not_started")]


@pytest.mark.requirement("WRITES-ARE-NEVER-SENT-AGAIN")
async def test_it_is_durable_that_a_write_begins_before_its_provider_hears_of_it(bench, provider):
    context, tool = await bench.context(), Book(provider)
    provider.gate.close()
    await allowed(bench, context, tool)
    await provider.gate.arrived(1)
    assert [call.call_id for call in await bench.store.unsettled_tool_calls("ann")] == ["c1"]
    provider.gate.open()
    await bench.quiet()
    assert await bench.store.unsettled_tool_calls("ann") == ()


@pytest.mark.requirement("WRITES-TAKE-TURNS")
async def test_writes_of_one_user_run_one_at_a_time_and_those_of_another_meanwhile(bench, provider):
    first, second = await bench.context(1), await bench.context(2)
    bob = await bench.context(1, "bob")
    tool = Book(provider)
    provider.gate.close()
    nodes = [await allowed(bench, each, tool) for each in (first, second, bob)]
    await provider.gate.arrived(2)
    for _ in range(20):
        await asyncio.sleep(0)
    assert provider.gate.arrivals == 2
    assert second.agents["booking"].state == "waiting"
    provider.gate.open()
    assert [(await node).outcome for node in nodes] == ["completed"] * 3
    assert provider.booked == ["c1", "c3", "c2"]


@pytest.mark.requirement("BEGUN-IS-FINISHED")
async def test_one_that_waits_for_another_to_end_never_begins_once_its_task_is_interrupted(bench, provider):
    first, second = await bench.context(1), await bench.context(2)
    tool = Book(provider)
    provider.gate.close()
    begun = await allowed(bench, first, tool)
    waits = await allowed(bench, second, tool)
    await provider.gate.arrived(1)
    await bench.interrupt(second, "stopped", waits)
    provider.gate.open()
    assert await bench.end(second) == [("book", "not_started")]
    await begun
    assert provider.booked == ["c1"]


async def test_what_is_read_or_quoted_next_has_in_it_what_another_task_has_under_way(bench, provider):
    first, second, bob = await bench.context(1), await bench.context(2), await bench.context(1, "bob")
    provider.gate.close()
    await allowed(bench, first, Book(provider))
    await provider.gate.arrived(1)
    waits = bench.owner.spawn(bench.ledger.writes.at_rest(second, "booking"), name="node")
    for _ in range(20):
        await asyncio.sleep(0)
    assert (waits.done(), second.agents["booking"].state) == (False, "waiting")
    await bench.ledger.writes.at_rest(first, "booking")
    await bench.ledger.writes.at_rest(bob, "booking")
    provider.gate.open()
    await waits
    assert provider.booked == ["c1"]


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ("yes", "Book went through: DEMO-1 is booked."),
        ("no", "Book did not go through: The card was declined."),
        ("lost", "Book did not go through: Nothing was done."),
        ("never", "Book had begun; whether it went through is not known yet."),
    ],
)
@pytest.mark.parametrize("reason", ["superseded", "stopped", "shutdown", None])
async def test_a_task_that_gives_no_reply_tells_what_became_of_what_it_had_begun(
    bench, provider, reason, answers, told
):
    """The conversation says so, also where nothing comes after it; None: the task failed."""
    context, tool = await bench.context(), Book(provider)
    provider.answers, provider.silent = answers, answers == "never"
    provider.gate.close()
    node = await allowed(bench, context, tool)
    await provider.gate.arrived(1)
    if reason is not None:
        await bench.interrupt(context, reason, node)
    provider.gate.open()
    await bench.end(context, step=Transition.SETTLE if reason else Transition.FAIL)
    assert told in (await bench.store.get_messages("ann", limit=1))[0].text


async def test_a_task_that_is_interrupted_tells_that_what_was_allowed_was_not_begun(bench, provider):
    context, tool = await bench.context(), Book(provider)
    node = await allowed(bench, context, tool)
    await bench.proposed(context, tool, "Oslo")
    await bench.interrupt(context, "superseded", node)
    await bench.end(context)
    text = (await bench.store.get_messages("ann", limit=1))[0].text
    assert text.endswith("Nothing had been found yet. Book was allowed and not begun. done")


async def test_what_is_begun_anew_after_a_crash_is_told_once(bench, provider):
    """The call that a dying process may have sent was not done; the one in its place was."""
    context, tool = await bench.context(), Book(provider)
    call = await bench.proposed(context, tool)
    bench.decide(context, call)
    never_done = call.started(bench.clock()).ended("not_started", bench.clock())
    context.tool_update(never_done)
    again = bench.ledger.writes.renewed(context, never_done)
    await bench.ledger.writes.carry_out(context, again, tool)
    await bench.interrupt(context, "stopped")
    await bench.end(context)
    text = (await bench.store.get_messages("ann", limit=1))[0].text
    assert text.endswith("Nothing had been found yet. Book went through: DEMO-1 is booked. done")


async def test_permission_counts_for_a_write_whose_process_died_twice_as_it_began(bench, provider):
    context, tool = await bench.context(), Book(provider)
    call = await bench.proposed(context, tool)
    bench.decide(context, call)
    for _ in range(2):
        never_done = call.started(bench.clock()).ended("not_started", bench.clock())
        context.tool_update(never_done)
        call = bench.ledger.writes.renewed(context, never_done)
    assert bench.ledger.writes.stands(context, call)
    assert (await bench.ledger.writes.carry_out(context, call, tool)).outcome == "completed"
    assert provider.booked == ["c3"]


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
async def test_a_refusal_and_a_quote_that_has_changed_book_nothing(bench, provider):
    context, tool = await bench.context(), Book(provider)
    provider.answers = "no"
    call = await (await allowed(bench, context, tool))
    assert (call.outcome, call.summary) == ("failed", "The card was declined.")
    assert bench.ledger.writes.stands(context, call)
    provider.answers = "changed"
    call = await (await allowed(bench, context, tool, "Oslo"))
    assert not bench.ledger.writes.stands(context, call)
    assert provider.booked == []


async def test_a_message_that_is_taken_up_again_finds_what_its_earlier_attempt_has_booked(bench, provider):
    context, tool = await bench.context(), Book(provider)
    await (await allowed(bench, context, tool))
    again = await bench.context(2, asked_in="ann-1")
    await bench.ledger.writes.inherit(again)
    made = bench.ledger.writes.made_for(again, context.tool_calls["c1"].purpose)
    assert made is not None
    assert (made.outcome, made.task_id) == ("completed", "ann-2")
    another = await bench.context(3)
    await bench.ledger.writes.inherit(another)
    assert another.tool_calls == {}


@pytest.mark.requirement("WRITES-ARE-NEVER-SENT-AGAIN")
async def test_third_attempt_inherits_the_settled_entry_of_a_write(bench, provider):
    first, tool = await bench.context(), Book(provider)
    provider.gate.close()
    node = await allowed(bench, first, tool)
    await provider.gate.arrived(1)
    second = await bench.context(2, asked_in="ann-1")
    await bench.ledger.writes.inherit(second)
    assert second.tool_calls["c1"].unsettled
    provider.gate.open()  # the entry of the first attempt is settled, that of the second is not
    await node
    third = await bench.context(3, asked_in="ann-1")
    await bench.ledger.writes.inherit(third)
    assert third.tool_calls["c1"].outcome == "completed"


@pytest.mark.requirement("BEGUN-IS-FINISHED")
async def test_write_that_finishes_after_its_agent_was_stopped_is_told_as_such(bench, provider):
    context, tool = await bench.context(), Book(provider)
    provider.gate.close()
    node = await allowed(bench, context, tool)
    await provider.gate.arrived(1)
    bench.ledger.stop(context, "booking")
    provider.gate.open()
    assert (await node).outcome == "completed_after_interrupt"
    assert await bench.end(context) == [("book", "completed_after_interrupt")]


async def test_write_of_a_stopped_agent_does_not_begin_in_the_process_after_a_shutdown(bench, provider):
    first, second = await bench.context(1), await bench.context(2)
    tool = Book(provider)
    provider.gate.close()
    begun = await allowed(bench, first, tool)
    await provider.gate.arrived(1)
    waits = await allowed(bench, second, tool)
    for _ in range(20):
        await asyncio.sleep(0)
    bench.ledger.stop(second, "booking")
    second.suspend()
    assert (await waits).outcome == "not_started"
    provider.gate.open()
    await begun
    assert provider.booked == ["c1"]
