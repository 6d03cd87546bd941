"""Writes: allowed, begun once, never cancelled once begun, and reported truly."""

import asyncio

import pytest

from backend.domain.task import InterruptReason
from backend.domain.task_life import Transition
from backend.domain.tool_call import ToolCall
from backend.store.sqlite.memory import MemoryStateStore
from tests.tools.calls import Bench, Book, Provider, allowed

pytestmark = pytest.mark.virtual_time


async def steps():
    for _ in range(20):
        await asyncio.sleep(0)


async def begun(bench, provider, context):
    """Have a write stand at the gate of its provider; return its node."""
    provider.gate.close()
    node = await allowed(bench, context, Book(provider))
    await provider.gate.arrived(1)
    return node


async def not_done(bench, context, tool):
    """Have a write be allowed that its dying process began, and that its provider has not done."""
    call = await bench.proposed(context, tool)
    bench.decide(context, call)
    call = call.started(bench.clock()).ended("not_started", bench.clock())
    context.tool_update(call)
    return call


@pytest.fixture
async def bench():
    return await Bench().open()


@pytest.fixture
def provider():
    return Provider()


async def test_allowed_write_is_done_once(bench, provider):
    context, tool = await bench.context(), Book(provider)
    node = await allowed(bench, context, tool)
    call = await node
    assert (call.outcome, call.result, provider.booked) == ("completed", {"reference": "DEMO-1"}, ["c1"])
    assert await bench.ledger.writes.outcome_of(context, call) == call
    assert provider.booked == ["c1"]


@pytest.mark.parametrize("changed", [{}, {"key": "book:other"}, {"tool": "cancel"}, {"call_id": "c2"}])
@pytest.mark.requirement("WRITES-ARE-ALLOWED")
async def test_write_without_its_own_permission_is_denied(bench, provider, changed):
    """Also not by the permission for something else, nor by a denial."""
    context, tool = await bench.context(), Book(provider)
    call = await bench.proposed(context, tool)
    bench.decide(context, call, "allow" if changed else "deny", **changed)
    assert (await bench.ledger.writes.carry_out(context, call, tool)).outcome == "denied"
    assert provider.booked == []


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
async def test_expired_permission_is_not_used(bench, provider):
    context, tool = await bench.context(), Book(provider)
    call = await bench.proposed(context, tool)
    bench.decide(context, call)
    await asyncio.sleep(901)
    assert not bench.ledger.writes.is_valid(context, call)
    assert (await bench.ledger.writes.carry_out(context, call, tool)).outcome == "denied"
    assert provider.booked == []


@pytest.mark.parametrize("reason", ["superseded", "stopped", "timed_out", "shutdown"])
@pytest.mark.requirement("BEGUN-IS-FINISHED")
async def test_begun_write_finishes_after_any_interruption(bench, provider, reason):
    context = await bench.context()
    node = await begun(bench, provider, context)
    await bench.interrupt(context, reason, node)
    assert bench.ledger.finishing(context)
    provider.gate.open()
    assert await bench.end(context) == [("book", "completed_after_interrupt")]
    assert provider.booked == ["c1"]


@pytest.mark.parametrize("reason", ["superseded", "stopped"])
@pytest.mark.requirement("BEGUN-IS-FINISHED")
async def test_write_that_has_not_begun_never_begins(bench, provider, reason):
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
async def test_write_does_not_begin_if_interrupted_while_its_intent_is_stored(provider):
    bench = await Bench(InterruptsMeanwhile()).open()
    context, tool = await bench.context(), Book(provider)
    bench.store.meanwhile = lambda: context.request_interruption(InterruptReason.STOPPED)
    assert (await (await allowed(bench, context, tool))).outcome == "not_started"
    assert provider.booked == []


@pytest.mark.requirement("BEGUN-IS-FINISHED")
async def test_write_waiting_for_permission_when_task_ends_was_not_started(bench, provider):
    context = await bench.context()
    await bench.proposed(context, Book(provider))
    await bench.interrupt(context, "superseded")
    assert await bench.end(context) == [("book", "not_started")]


@pytest.mark.requirement("WRITES-ARE-NEVER-SENT-AGAIN")
async def test_write_intent_is_durable_before_the_provider_is_called(bench, provider):
    await begun(bench, provider, await bench.context())
    assert [call.call_id for call in await bench.store.unsettled_tool_calls("ann")] == ["c1"]
    provider.gate.open()
    await bench.quiet()
    assert await bench.store.unsettled_tool_calls("ann") == ()


@pytest.mark.requirement("WRITES-TAKE-TURNS")
async def test_writes_of_one_user_take_turns(bench, provider):
    first, second = await bench.context(1), await bench.context(2)
    bob = await bench.context(1, "bob")
    tool = Book(provider)
    provider.gate.close()
    nodes = [await allowed(bench, each, tool) for each in (first, second, bob)]
    await provider.gate.arrived(2)
    await steps()
    assert provider.gate.arrivals == 2
    assert second.agents["booking"].state == "waiting"
    provider.gate.open()
    assert [(await node).outcome for node in nodes] == ["completed"] * 3
    assert provider.booked == ["c1", "c3", "c2"]


@pytest.mark.requirement("BEGUN-IS-FINISHED")
async def test_queued_write_never_begins_once_its_task_is_interrupted(bench, provider):
    second, node = await bench.context(2), await begun(bench, provider, await bench.context(1))
    waits = await allowed(bench, second, Book(provider))
    await bench.interrupt(second, "stopped", waits)
    provider.gate.open()
    assert await bench.end(second) == [("book", "not_started")]
    await node
    assert provider.booked == ["c1"]


async def test_quote_waits_for_writes_of_other_tasks(bench, provider):
    first, second, bob = await bench.context(1), await bench.context(2), await bench.context(1, "bob")
    await begun(bench, provider, first)
    waits = bench.owner.spawn(bench.ledger.writes.wait_for_other_tasks(second, "booking"), name="node")
    await steps()
    assert (waits.done(), second.agents["booking"].state) == (False, "waiting")
    await bench.ledger.writes.wait_for_other_tasks(first, "booking")
    await bench.ledger.writes.wait_for_other_tasks(bob, "booking")
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
@pytest.mark.parametrize("reason", ["stopped", None])
async def test_ending_without_reply_reports_the_outcome_of_its_write(bench, provider, reason, answers, told):
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


async def test_ending_reports_an_allowed_write_that_was_not_begun(bench, provider):
    context, tool = await bench.context(), Book(provider)
    node = await allowed(bench, context, tool)
    await bench.proposed(context, tool, "Oslo")
    await bench.interrupt(context, "superseded", node)
    await bench.end(context)
    text = (await bench.store.get_messages("ann", limit=1))[0].text
    assert text.endswith("Nothing had been found yet. Book was allowed and not begun. done")


async def test_write_renewed_after_a_crash_is_reported_once(bench, provider):
    """The call that a dying process may have sent was not done; the one in its place was."""
    context, tool = await bench.context(), Book(provider)
    again = bench.ledger.writes.renewed(context, await not_done(bench, context, tool))
    await bench.ledger.writes.carry_out(context, again, tool)
    await bench.interrupt(context, "stopped")
    await bench.end(context)
    text = (await bench.store.get_messages("ann", limit=1))[0].text
    assert text.endswith("Nothing had been found yet. Book went through: DEMO-1 is booked. done")


async def test_permission_covers_a_write_renewed_twice(bench, provider):
    context, tool = await bench.context(), Book(provider)
    call = bench.ledger.writes.renewed(context, await not_done(bench, context, tool))
    call = call.started(bench.clock()).ended("not_started", bench.clock())
    context.tool_update(call)
    call = bench.ledger.writes.renewed(context, call)
    assert bench.ledger.writes.is_valid(context, call)
    assert (await bench.ledger.writes.carry_out(context, call, tool)).outcome == "completed"
    assert provider.booked == ["c3"]


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
async def test_refusal_and_changed_quote_book_nothing(bench, provider):
    context, tool = await bench.context(), Book(provider)
    provider.answers = "no"
    call = await (await allowed(bench, context, tool))
    assert (call.outcome, call.summary) == ("failed", "The card was declined.")
    assert bench.ledger.writes.is_valid(context, call)
    provider.answers = "changed"
    call = await (await allowed(bench, context, tool, "Oslo"))
    assert not bench.ledger.writes.is_valid(context, call)
    assert provider.booked == []


async def test_retried_message_inherits_the_writes_of_its_attempts(bench, provider):
    context, tool = await bench.context(), Book(provider)
    await (await allowed(bench, context, tool))
    again = await bench.context(2, asked_in="ann-1")
    await bench.ledger.writes.inherit(again)
    made = bench.ledger.writes.last_for(again, context.tool_calls["c1"].purpose)
    assert made is not None
    assert (made.outcome, made.task_id) == ("completed", "ann-2")
    another = await bench.context(3)
    await bench.ledger.writes.inherit(another)
    assert another.tool_calls == {}


@pytest.mark.requirement("WRITES-ARE-NEVER-SENT-AGAIN")
async def test_third_attempt_inherits_the_settled_entry_of_a_write(bench, provider):
    node = await begun(bench, provider, await bench.context())
    second = await bench.context(2, asked_in="ann-1")
    await bench.ledger.writes.inherit(second)
    assert second.tool_calls["c1"].unsettled
    provider.gate.open()  # the entry of the first attempt is settled, that of the second is not
    await node
    third = await bench.context(3, asked_in="ann-1")
    await bench.ledger.writes.inherit(third)
    assert third.tool_calls["c1"].outcome == "completed"


@pytest.mark.requirement("BEGUN-IS-FINISHED")
async def test_write_that_finishes_after_its_agent_was_stopped_is_reported_as_such(bench, provider):
    context = await bench.context()
    node = await begun(bench, provider, context)
    bench.ledger.interrupt_calls_of_agent(context, "booking")
    provider.gate.open()
    assert (await node).outcome == "completed_after_interrupt"
    assert await bench.end(context) == [("book", "completed_after_interrupt")]


async def test_write_of_a_stopped_agent_does_not_begin_in_the_process_after_a_shutdown(bench, provider):
    second, node = await bench.context(2), await begun(bench, provider, await bench.context(1))
    waits = await allowed(bench, second, Book(provider))
    await steps()
    bench.ledger.interrupt_calls_of_agent(second, "booking")
    second.suspend()
    assert (await waits).outcome == "not_started"
    provider.gate.open()
    await node
    assert provider.booked == ["c1"]
