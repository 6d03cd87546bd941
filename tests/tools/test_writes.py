"""Writes are allowed, begin once, are never cancelled then, and what became of them is found out."""

import asyncio

import pytest

from backend.domain.task import InterruptReason
from backend.domain.task_life import Step
from backend.domain.tool_call import ToolCall
from backend.log.state_store.memory import MemoryStateStore
from backend.tasks.ledger.base import NobodyToAskError, ToolResult
from backend.tasks.ledger.reconciler import ASK_AGAIN_S
from tests.fakes import Gate
from tests.tools.calls import Bench, Book, Provider

pytestmark = pytest.mark.virtual_time


@pytest.fixture
async def bench():
    return await Bench().open()


@pytest.fixture
def provider():
    return Provider()


async def allowed(bench, context, tool, what="Rome"):
    """A write that is allowed and on its way."""
    call = await bench.proposed(context, tool, what)
    bench.decide(context, call)
    return bench.owner.spawn(bench.ledger.writes.carry_out(context, call, tool), name="node")


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

    def commit(self, user_id, *records):
        if any(isinstance(each, ToolCall) and each.state == "running" for each in records):
            self.meanwhile()
        return super().commit(user_id, *records)


@pytest.mark.requirement("BEGUN-IS-FINISHED")
async def test_a_write_never_begins_once_its_task_is_interrupted_even_before_it_is_cancelled(provider):
    bench = await Bench(InterruptsMeanwhile()).open()
    context, tool = await bench.context(), Book(provider)
    bench.store.meanwhile = lambda: context.request_interruption(InterruptReason.STOPPED)
    assert (await (await allowed(bench, context, tool))).outcome == "not_started"
    assert provider.booked == []


@pytest.mark.requirement("WRITES-ARE-NEVER-SENT-AGAIN")
async def test_a_write_that_is_cut_off_with_its_process_may_have_been_done(bench, provider):
    context, tool = await bench.context(), Book(provider)
    provider.gate.close()
    provider.silent = True
    await allowed(bench, context, tool)
    await provider.gate.arrived(1)
    await bench.owner.finish(grace_s=0.01)
    assert context.tool_calls["c1"].outcome == "unknown"
    provider.silent = False
    await bench.quiet()
    assert context.tool_calls["c1"].outcome == "failed"


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
    assert [call.call_id for call in await bench.store.unsettled_tool_calls()] == ["c1"]
    provider.gate.open()
    await bench.quiet()
    assert await bench.store.unsettled_tool_calls() == ()


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
    await bench.end(context, step=Step.SETTLE if reason else Step.FAIL)
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


@pytest.mark.parametrize(("answers", "outcome", "booked"), [("never", "completed", 1), ("lost", "failed", 0)])
@pytest.mark.requirement("WRITES-ARE-NEVER-SENT-AGAIN")
async def test_what_the_provider_did_not_answer_is_found_out_by_asking(
    bench, provider, answers, outcome, booked
):
    provider.answers = answers
    call = await (await allowed(bench, await bench.context(), Book(provider)))
    assert (call.outcome, len(provider.booked)) == (outcome, booked)


@pytest.mark.parametrize("answers", ["never", "broken"])
@pytest.mark.requirement("RECEIPTS-ARE-AMENDED")
async def test_what_nobody_can_tell_is_unknown_and_its_receipt_is_amended_later(bench, provider, answers):
    """ "broken": a fault in the tool does not tell whether the provider has heard of the call either."""
    context, tool = await bench.context(), Book(provider)
    provider.answers, provider.silent = answers, answers == "never"
    provider.gate.close()
    node = await allowed(bench, context, tool)
    await provider.gate.arrived(1)
    await bench.interrupt(context, "stopped", node)
    provider.gate.open()
    assert await bench.end(context) == [("book", "unknown")]
    provider.silent = False
    await bench.quiet()
    outcome = {"never": "completed_after_interrupt", "broken": "failed"}[answers]
    assert await bench.told(context) == [("book", outcome)]
    said = (await bench.store.get_messages("ann", limit=10))[-1]
    assert said.role == "system"
    assert ("went through" in said.text) == (answers == "never")


@pytest.mark.requirement("WRITES-ARE-NEVER-SENT-AGAIN")
async def test_nothing_like_an_unsettled_write_is_begun_until_it_is_settled(bench, provider):
    context, tool = await bench.context(), Book(provider)
    provider.answers, provider.silent = "never", True
    assert (await (await allowed(bench, context, tool))).outcome == "unknown"
    again = await bench.proposed(await bench.context(2), tool)
    assert (again.outcome, len(provider.booked)) == ("failed", 1)


@pytest.mark.requirement("RECEIPTS-ARE-AMENDED")
async def test_a_provider_that_does_not_tell_for_an_hour_is_asked_until_it_does(bench, provider):
    context, tool = await bench.context(), Book(provider)
    provider.answers, provider.silent = "never", True
    assert (await (await allowed(bench, context, tool))).outcome == "unknown"
    assert await bench.end(context) == [("book", "unknown")]
    await asyncio.sleep(3600)
    assert await bench.told(context) == [("book", "unknown")]
    provider.silent = False
    await asyncio.sleep(ASK_AGAIN_S[-1])
    assert await bench.told(context) == [("book", "completed_after_interrupt")]
    assert (provider.booked, bench.ledger.standing()["unsettled"]) == (["c1"], 0)


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


@pytest.mark.parametrize(
    ("answers", "outcome"), [("yes", "completed_after_interrupt"), ("lost", "not_started")]
)
@pytest.mark.requirement("WRITES-ARE-NEVER-SENT-AGAIN")
async def test_what_a_process_left_under_way_is_found_out_by_the_next_one(bench, provider, answers, outcome):
    context, tool = await bench.context(), Book(provider)
    provider.answers = answers
    call = (await bench.proposed(context, tool)).started(bench.clock())
    await bench.log.commit("ann", call)
    if answers == "yes":
        await provider.book(call.call_id, 100)
    after = Bench(bench.store)
    after.ledger.register(tool)
    await after.ledger.recover(within_s=3)
    await asyncio.sleep(0.1)  # the task has not ended, so its receipt is waited for still
    assert (await bench.store.get_tool_calls("ann", 1))[0].outcome == outcome
    assert len(provider.booked) == (1 if answers == "yes" else 0)


async def test_a_start_does_not_wait_for_a_tool_that_has_nobody_to_ask(bench, provider):
    context, tool = await bench.context(), Book(provider)
    call = (await bench.proposed(context, tool)).started(bench.clock())
    await bench.log.commit("ann", call)

    async def nobody(_user_id, _call_id):
        raise NobodyToAskError("What book came to cannot be looked up.")

    tool.outcome_of = nobody
    after = Bench(bench.store)
    after.ledger.register(tool)
    before = asyncio.get_running_loop().time()
    await after.ledger.recover(within_s=3)
    assert asyncio.get_running_loop().time() == before
    again = await after.proposed(await after.context(2), tool)
    assert (again.outcome, after.ledger.standing()["unsettled"]) == ("failed", 1), "it may have been done"
    found_out = await after.ledger.writes.outcome_of(await after.context(1), call)
    assert (found_out.outcome, asyncio.get_running_loop().time()) == ("unknown", before)


@pytest.mark.requirement("RECEIPTS-ARE-AMENDED")
async def test_what_is_done_after_all_by_the_next_process_is_not_told_as_never_started_later(bench, provider):
    context, tool = await bench.context(), Book(provider)
    call = (await bench.proposed(context, tool)).started(bench.clock())
    await bench.log.commit("ann", call)
    after = Bench(bench.store)
    after.ledger.register(tool)
    await after.ledger.recover(within_s=3)
    (call,) = await bench.store.get_tool_calls("ann", 1)
    assert call.outcome == "not_started"
    context.tool_calls[call.call_id] = call
    after.decide(context, call)
    next(after._ids)  # the one that the process before it has used
    again = after.ledger.writes.renewed(context, call)
    provider.gate = Gate()
    under_way = after.owner.spawn(after.ledger.writes.carry_out(context, again, tool), name="node")
    await asyncio.sleep(1)
    assert [each.call_id for each in await bench.store.unsettled_tool_calls()] == [again.call_id]
    provider.gate.open()
    assert (await under_way).outcome == "completed"
    told = [("book", "not_started"), ("book", "completed")]
    assert await after.end(context) == told
    await asyncio.sleep(60)  # whoever waits for the ending to amend it has done so
    assert await after.told(context) == told


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


@pytest.mark.parametrize("odd", [None, "done", ToolResult("done", object()), ToolResult("\ud83d")])
async def test_what_is_done_and_told_in_a_form_that_cannot_be_kept_is_found_out_about(bench, provider, odd):
    context, tool = await bench.context(), Book(provider)

    async def run(arguments, report):
        await provider.book(report.call_id, arguments["price"])
        return odd

    tool.run = run
    call = await (await allowed(bench, context, tool))
    assert call.outcome == "unknown"
    await bench.quiet()
    assert context.tool_calls[call.call_id].outcome == "completed_after_interrupt"


async def test_what_the_provider_tells_of_a_call_in_a_form_that_cannot_be_kept_is_told_in_plain_words(
    bench, provider
):
    context, tool = await bench.context(), Book(provider)
    provider.answers = "broken"
    outcome_of = tool.outcome_of

    async def odd(user_id, call_id):
        result = await outcome_of(user_id, call_id)
        return ToolResult("done", object()) if result is None else result

    tool.outcome_of = odd
    call = await (await allowed(bench, context, tool))
    await bench.quiet()
    told = context.tool_calls[call.call_id]
    assert (told.outcome, told.summary) == ("completed_after_interrupt", "it went through")
