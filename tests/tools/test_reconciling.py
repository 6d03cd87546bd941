"""Unanswered writes: their providers are asked for the outcomes, by the next process, too."""

import asyncio

import pytest

from backend.tasks.ledger.base import NobodyToAskError, ToolResult
from backend.tasks.ledger.reconciler import ASK_PROVIDER_AGAIN_S
from tests.fakes import Gate
from tests.records import ANN
from tests.tools.calls import Bench, Book, Provider, allowed

pytestmark = pytest.mark.virtual_time


@pytest.fixture
async def bench():
    return await Bench().open()


@pytest.fixture
def provider():
    return Provider()


@pytest.mark.requirement("WRITES-ARE-NEVER-SENT-AGAIN")
async def test_write_cut_off_with_its_process_is_unknown_until_asked(bench, provider):
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


@pytest.mark.parametrize(("answers", "outcome", "booked"), [("never", "completed", 1), ("lost", "failed", 0)])
@pytest.mark.requirement("WRITES-ARE-NEVER-SENT-AGAIN")
async def test_unanswered_write_gets_its_outcome_by_asking(bench, provider, answers, outcome, booked):
    provider.answers = answers
    call = await (await allowed(bench, await bench.context(), Book(provider)))
    assert (call.outcome, len(provider.booked)) == (outcome, booked)


@pytest.mark.parametrize("answers", ["never", "broken"])
@pytest.mark.requirement("RECEIPTS-ARE-AMENDED")
async def test_unknown_outcome_amends_the_receipt_later(bench, provider, answers):
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
    assert await bench.receipt(context) == [("book", outcome)]
    said = (await bench.store.get_messages("ann", limit=10))[-1]
    assert said.role == "system"
    assert ("went through" in said.text) == (answers == "never")


@pytest.mark.requirement("RECEIPTS-ARE-AMENDED")
async def test_amendment_messages_follow_those_of_their_task(bench, provider):
    context, tool = await bench.context(), Book(provider)
    provider.answers, provider.silent = "never", True
    for what in ("Rome", "Oslo"):
        await (await allowed(bench, context, tool, what))
    await bench.end(context)
    provider.silent = False
    await bench.quiet()
    said = await bench.store.get_messages("ann", limit=10)
    task = await bench.store.get_task_metadata("ann", "ann-1")
    amending = [each.position for each in said if each.role == "system"]
    assert amending[-2:] == [task.messages, task.messages + 1]


@pytest.mark.requirement("WRITES-ARE-NEVER-SENT-AGAIN")
async def test_write_like_an_unsettled_one_is_refused(bench, provider):
    context, tool = await bench.context(), Book(provider)
    provider.answers, provider.silent = "never", True
    assert (await (await allowed(bench, context, tool))).outcome == "unknown"
    again = await bench.proposed(await bench.context(2), tool)
    assert (again.outcome, len(provider.booked)) == ("failed", 1)


@pytest.mark.requirement("RECEIPTS-ARE-AMENDED")
async def test_silent_provider_is_asked_until_it_answers(bench, provider):
    context, tool = await bench.context(), Book(provider)
    provider.answers, provider.silent = "never", True
    assert (await (await allowed(bench, context, tool))).outcome == "unknown"
    assert await bench.end(context) == [("book", "unknown")]
    await asyncio.sleep(3600)
    assert await bench.receipt(context) == [("book", "unknown")]
    provider.silent = False
    await asyncio.sleep(ASK_PROVIDER_AGAIN_S[-1])
    assert await bench.receipt(context) == [("book", "completed_after_interrupt")]
    assert (provider.booked, bench.ledger.standing()["unsettled"]) == (["c1"], 0)


@pytest.mark.parametrize(
    ("answers", "outcome"), [("yes", "completed_after_interrupt"), ("lost", "not_started")]
)
@pytest.mark.requirement("WRITES-ARE-NEVER-SENT-AGAIN")
async def test_write_left_by_a_dead_process_is_reconciled(bench, provider, answers, outcome):
    context, tool = await bench.context(), Book(provider)
    provider.answers = answers
    call = (await bench.proposed(context, tool)).started(bench.clock())
    await bench.log.commit(ANN, call)
    if answers == "yes":
        await provider.book(call.call_id, 100)
    after = Bench(bench.store)
    after.ledger.register(tool)
    await after.ledger.recover(ANN, within_s=3)
    await asyncio.sleep(0.1)  # the task has not ended, so its receipt is waited for still
    assert (await bench.store.get_tool_calls("ann", 1))[0].outcome == outcome
    assert len(provider.booked) == (1 if answers == "yes" else 0)


async def test_recovery_does_not_wait_for_a_tool_without_outcomes(bench, provider):
    context, tool = await bench.context(), Book(provider)
    call = (await bench.proposed(context, tool)).started(bench.clock())
    await bench.log.commit(ANN, call)

    async def nobody(_user_id, _call_id):
        raise NobodyToAskError("What book came to cannot be looked up.")

    tool.outcome_of = nobody
    after = Bench(bench.store)
    after.ledger.register(tool)
    before = asyncio.get_running_loop().time()
    await after.ledger.recover(ANN, within_s=3)
    assert asyncio.get_running_loop().time() == before
    again = await after.proposed(await after.context(2), tool)
    assert (again.outcome, after.ledger.standing()["unsettled"]) == ("failed", 1), "it may have been done"
    found_out = await after.ledger.writes.outcome_of(await after.context(1), call)
    assert (found_out.outcome, asyncio.get_running_loop().time()) == ("unknown", before)


@pytest.mark.requirement("RECEIPTS-ARE-AMENDED")
async def test_renewed_write_of_the_next_process_is_not_amended_as_not_started(bench, provider):
    context, tool = await bench.context(), Book(provider)
    call = (await bench.proposed(context, tool)).started(bench.clock())
    await bench.log.commit(ANN, call)
    after = Bench(bench.store)
    after.ledger.register(tool)
    await after.ledger.recover(ANN, within_s=3)
    (call,) = await bench.store.get_tool_calls("ann", 1)
    assert call.outcome == "not_started"
    context.tool_calls[call.call_id] = call
    after.decide(context, call)
    next(after._ids)  # the one that the process before it has used
    again = after.ledger.writes.renewed(context, call)
    provider.gate = Gate()
    under_way = after.owner.spawn(after.ledger.writes.carry_out(context, again, tool), name="node")
    await asyncio.sleep(1)
    assert [each.call_id for each in await bench.store.unsettled_tool_calls("ann")] == [again.call_id]
    provider.gate.open()
    assert (await under_way).outcome == "completed"
    told = [("book", "not_started"), ("book", "completed")]
    assert await after.end(context) == told
    await asyncio.sleep(60)  # whoever waits for the ending to amend it has done so
    assert await after.receipt(context) == told


@pytest.mark.parametrize("odd", [None, "done", ToolResult("done", object()), ToolResult("\ud83d")])
async def test_result_that_cannot_be_kept_is_asked_for_again(bench, provider, odd):
    context, tool = await bench.context(), Book(provider)

    async def run(arguments, report):
        await provider.book(report.call_id, arguments["price"])
        return odd

    tool.run = run
    call = await (await allowed(bench, context, tool))
    assert call.outcome == "unknown"
    await bench.quiet()
    assert context.tool_calls[call.call_id].outcome == "completed_after_interrupt"


async def test_outcome_that_cannot_be_kept_is_summarised_plainly(bench, provider):
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
