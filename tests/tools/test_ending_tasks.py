"""What a task that is ending still does: it answers its stop at once, and takes nothing more."""

import asyncio

import pytest

from backend.domain.task import InterruptReason
from backend.tasks.ledger.amending import Amending
from tests.interruption.world import World
from tests.records import ANN
from tests.tools.calls import Bench, Book, Provider, allowed

pytestmark = pytest.mark.virtual_time


@pytest.mark.requirement("BEGUN-IS-FINISHED")
async def test_a_stop_is_answered_at_once_while_a_write_that_has_begun_finishes():
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


async def test_an_agent_that_is_declared_after_the_interruption_is_not_shown():
    bench = await Bench().open()
    context = await bench.context()
    context.declare("flight", {"to": "Rome"})
    context.request_interruption(InterruptReason.STOPPED)
    context.declare("hotel", {"in": "Rome"})
    context.declare("flight", {"to": "Oslo"})
    progress = await bench.store.get_progress("ann", 1)
    assert {agent: now.request for agent, now in progress.items()} == {"flight": {"to": "Rome"}}


@pytest.mark.requirement("RECEIPTS-ARE-AMENDED")
async def test_an_outcome_of_a_write_that_is_known_stays_whatever_comes_late():
    bench, provider = await Bench().open(), Provider()
    context = await bench.context()
    call = await (await allowed(bench, context, Book(provider)))
    assert await bench.end(context) == [("book", "completed")]
    amending = Amending(bench.owner, store=bench.store, log=bench.log, clock=bench.clock)
    amending.amend(ANN, call.ended("unknown", bench.clock(), summary="late"))
    await bench.quiet()
    assert await bench.told(context) == [("book", "completed")]
    (stored,) = await bench.store.get_tool_calls("ann", 1)
    assert (stored.outcome, stored.summary) == ("completed", "DEMO-1 is booked")
