"""Deletion of a user: the ledger forgets all, whatever was under way; or nothing, if the deletion fails."""

import asyncio

import pytest

from backend.domain.errors import StoreUnavailable
from backend.store.ownership import Lease
from backend.store.sqlite.memory import MemoryStateStore
from backend.tasks.ledger.base import ToolResult
from tests.fakes import Gate
from tests.tools.calls import Bench, Book, Provider, Read, allowed, standing

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("DELETE-FORGETS")]


async def forget(bench, user="ann"):
    async with bench.ledger.forgetting(user):
        await bench.store.delete_user(Lease(user))


async def unanswered(bench, provider):
    """A write that has begun, and that its provider neither confirms nor denies."""
    provider.answers, provider.silent = "never", True
    context = await bench.context()
    return context, await allowed(bench, context, Book(provider))


async def test_unsettled_write_of_a_deleted_user_is_not_asked_about():
    bench, provider = await Bench().open(), Provider()
    context, node = await unanswered(bench, provider)
    assert (await node).outcome == "unknown"
    await bench.end(context)
    assert standing(bench) == {"unsettled": 1}
    await forget(bench)
    assert standing(bench) == {}
    await bench.quiet()
    again = await bench.proposed(await bench.context(), Book(provider))
    assert again.outcome is None, "a new user of that name is refused"


async def test_failed_deletion_keeps_asking_about_the_write():
    bench, provider = await Bench().open(), Provider()
    context, node = await unanswered(bench, provider)
    await node
    await bench.end(context)
    with pytest.raises(StoreUnavailable):
        async with bench.ledger.forgetting("ann"):
            raise StoreUnavailable("The disk is full.")
    provider.silent = False
    await bench.quiet()
    assert await bench.receipt(context) == [("book", "completed_after_interrupt")]


async def test_write_that_ends_after_the_deletion_is_not_asked_about():
    bench, provider = await Bench().open(), Provider()
    provider.gate.close()
    context, node = await unanswered(bench, provider)
    await provider.gate.arrived(1)
    await bench.interrupt(context, "stopped", node)
    assert await bench.end(context) == [("book", "unknown")]
    await forget(bench)
    provider.gate.open()
    await asyncio.sleep(100)
    assert standing(bench) == {}


async def test_fresh_read_of_a_deleted_user_is_not_reused():
    bench, tool = await Bench().open(), Read()
    tool.gate.open()
    context = await bench.context()
    await bench.call(context, tool)
    await bench.end(context)
    await forget(bench)
    await bench.call(await bench.context(), tool)
    assert tool.runs == 2


async def test_read_that_outlives_its_deleted_user_is_not_adopted():
    bench, tool, gate = await Bench().open(), Read(), Gate()

    async def deaf(_arguments, _report):
        try:
            await gate.wait()
        finally:
            await asyncio.sleep(60)
            return ToolResult("found for the deleted user")  # noqa: B012 - a tool that ignores its end

    run, tool.run = tool.run, deaf
    context = await bench.context()
    node = bench.call(context, tool)
    await gate.arrived(1)
    await bench.interrupt(context, "stopped", node)
    await bench.end(context)
    await forget(bench)
    await bench.quiet()
    tool.run = run
    tool.gate.open()
    assert (await bench.call(await bench.context(), tool)).summary == "2 found"


class SlowReceipts(MemoryStateStore):
    """A store whose receipts are read at its gate."""

    def __init__(self):
        super().__init__()
        self.gate = Gate()
        self.gate.open()

    async def get_receipt(self, user_id, task_id):
        await self.gate.wait()
        return await super().get_receipt(user_id, task_id)


async def test_amendment_under_way_does_not_restore_a_deleted_user():
    bench, provider = await Bench(SlowReceipts()).open(), Provider()
    context, node = await unanswered(bench, provider)
    await node
    await bench.end(context)
    bench.store.gate.close()
    arrivals = bench.store.gate.arrivals
    provider.silent = False
    await bench.store.gate.arrived(arrivals + 1)
    deletion = bench.owner.spawn(forget(bench), name="deletion")
    for _ in range(20):
        await asyncio.sleep(0)
    bench.store.gate.open()
    await deletion
    await bench.quiet()
    assert await bench.store.get_tool_calls("ann", 1) == ()
    assert await bench.store.get_messages("ann", limit=10) == ()
    assert (await bench.store.events_after("ann", 0, limit=10)).events == ()
