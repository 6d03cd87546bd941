"""What a task that is ending still does: it answers its stop at once, and takes nothing more."""

import asyncio

import pytest

from backend.domain.task import InterruptReason
from tests.interruption.world import World
from tests.tools.calls import Bench

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
