"""What a new task adopts of the one before it: the same read, running or fresh, of the same user only."""

import asyncio

import pytest

from backend.domain.tool_call import call_key
from backend.tasks.ledger.adoption import FreshReads
from tests.tools.calls import Bench, Read

pytestmark = pytest.mark.virtual_time

ROME = call_key("search", {"of": "Rome"})


def found(context):
    return [item["n"] for item in context.partial_results.to_json().get("flight", [])]


async def superseded(tool: Read, **options):
    """A task whose read stands at its gate when a newer message takes its place; and the newer task."""
    bench = await Bench(**options).open()
    old = await bench.context(1)
    node = bench.call(old, tool)
    await tool.gate.arrived(1)
    await bench.interrupt(old, "superseded", node)
    return bench, old, await bench.context(2)


@pytest.mark.requirement("SEARCHES-GO-ON")
async def test_running_read_is_adopted_with_what_it_had_found():
    tool = Read()
    bench, old, new = await superseded(tool)
    assert bench.ledger.adopt_reads(new, [ROME]) == ["c1"]
    assert found(new) == [1]
    node = bench.call(new, tool)
    tool.gate.open()
    assert (await node).outcome == "completed"
    assert (found(old), found(new), tool.runs) == ([1], [1, 2], 1)
    assert await bench.end(old) == [("search", "adopted")]
    assert old.adopted_by == new.task_id
    assert await bench.end(new) == [("search", "completed")]


@pytest.mark.requirement("ADOPTION-IS-EXACT")
@pytest.mark.parametrize("keys", [[], [call_key("search", "Oslo")]], ids=["nothing", "other arguments"])
async def test_held_read_ends_at_once_if_the_new_task_does_not_ask_for_it(keys):
    bench, old, new = await superseded(Read())
    assert bench.ledger.adopt_reads(new, keys) == []
    before = asyncio.get_running_loop().time()
    assert await bench.end(old) == [("search", "cancelled")]
    assert asyncio.get_running_loop().time() == before


async def test_read_is_held_two_seconds_while_the_keys_are_unknown():
    tool = Read()
    bench, old, new = await superseded(tool)
    assert bench.ledger.adopt_reads(new, None) == []
    before = asyncio.get_running_loop().time()
    assert await bench.end(old) == [("search", "cancelled")]
    assert asyncio.get_running_loop().time() - before == pytest.approx(2.0)


@pytest.mark.parametrize("reason", ["stopped", "timed_out", "shutdown"])
@pytest.mark.requirement("A-STOP-HANDS-ON-NOTHING")
async def test_read_is_not_held_unless_its_task_is_superseded(reason):
    bench = await Bench().open()
    old = await bench.interrupted(Read(), reason)
    assert await bench.end(old) == [("search", "cancelled")]


@pytest.mark.requirement("A-STOP-HANDS-ON-NOTHING")
async def test_stop_cancels_reads_held_by_earlier_messages():
    bench, old, new = await superseded(Read())
    await bench.interrupt(new, "stopped")
    before = asyncio.get_running_loop().time()
    assert await bench.end(old) == [("search", "cancelled")]
    assert asyncio.get_running_loop().time() == before


@pytest.mark.requirement("ADOPTION-IS-EXACT")
async def test_read_of_another_user_is_not_adopted():
    tool = Read()
    bench, _, _ = await superseded(tool)
    bob = await bench.context(1, "bob")
    assert bench.ledger.adopt_reads(bob, [ROME]) == []
    bench.call(bob, tool)
    await tool.gate.arrived(2)
    assert tool.runs == 2
    tool.gate.open()
    await bench.quiet()


@pytest.mark.requirement("SEARCHES-GO-ON")
async def test_read_is_adopted_again_by_each_newer_task():
    tool = Read()
    bench, first, second = await superseded(tool)
    bench.ledger.adopt_reads(second, [ROME])
    await bench.interrupt(second, "superseded")
    third = await bench.context(3)
    bench.ledger.adopt_reads(third, [ROME])
    tool.gate.open()
    assert (await bench.call(third, tool)).outcome == "completed"
    assert [await bench.end(each) for each in (first, second)] == [[("search", "adopted")]] * 2
    assert (found(first), found(second), found(third), tool.runs) == ([1], [1], [1, 2], 1)


async def test_adopted_read_that_is_never_asked_for_ends_with_its_task():
    bench, old, new = await superseded(Read())
    bench.ledger.adopt_reads(new, [ROME])
    bench.ledger.interrupt_calls(new)  # as for every task whose work has ended
    await bench.end(new)
    assert new.tool_calls["c1"].outcome == "cancelled"
    assert await bench.end(old) == [("search", "adopted")]


@pytest.mark.requirement("SEARCHES-GO-ON")
async def test_fresh_read_answers_the_new_task():
    bench, tool = await Bench().open(), Read()
    tool.gate.open()
    await bench.call(await bench.context(1), tool)
    new = await bench.context(2)
    assert bench.ledger.adopt_reads(new, [ROME]) == ["c1"]
    assert (found(new), tool.runs) == ([1, 2], 1)
    for _ in range(2):  # a node that runs again is given the same, and nothing is shown twice
        assert (await bench.call(new, tool)).summary == "2 found"
        assert (found(new), tool.runs) == ([1, 2], 1)


@pytest.mark.parametrize(("tool", "later"), [(Read(), 301), (Read(fresh_s=0), 0), (Read(whole=False), 0)])
async def test_stale_or_partial_read_is_made_again(tool, later):
    bench = await Bench().open()
    tool.gate.open()
    await bench.call(await bench.context(1), tool)
    await asyncio.sleep(later)
    new = await bench.context(2)
    assert bench.ledger.adopt_reads(new, [ROME]) == []
    await bench.call(new, tool)
    assert (found(new), tool.runs) == ([1, 2], 2)


async def test_completed_read_of_a_dead_process_is_restored_as_fresh():
    """Only what had ended: a read that was cut short with its process has gaps that nobody knows of."""
    bench, tool, slow = await Bench().open(), Read(), Read("slow")
    tool.gate.open()
    old = await bench.context(1)
    await bench.call(old, tool)
    bench.call(old, slow)
    await slow.gate.arrived(1)
    after = Bench(bench.store)
    lost = await after.context(1)
    saved = await bench.store.get_partials("ann", 1)
    after.ledger.restore(lost, [each.found for each in saved])
    new = await after.context(2)
    keys = [ROME, call_key("slow", {"of": "Rome"})]
    assert after.ledger.adopt_reads(new, keys) == ["c1"]
    assert found(new) == [1, 2]
    assert dict(after.ledger.account(lost)[1].as_account())["outcome"] == "cancelled"
    slow.gate.open()
    await bench.quiet()


@pytest.mark.requirement("WHAT-FITS-STAYS")
async def test_filtered_read_of_a_dead_process_does_not_answer_a_wider_request():
    """The lost task stored only what it had shown, and the next one shows all."""
    bench, tool = await Bench().open(), Read()
    tool.gate.open()
    old = await bench.context(1)
    old.result_filter = lambda agent, item: item["n"] == 1
    await bench.call(old, tool)
    assert found(old) == [1]
    after = Bench(bench.store)
    lost = await after.context(1)
    after.ledger.restore(lost, [each.found for each in await bench.store.get_partials("ann", 1)])
    new = await after.context(2)
    assert after.ledger.adopt_reads(new, [ROME]) == []
    await after.call(new, tool)
    assert (found(new), tool.runs) == ([1, 2], 2)


@pytest.mark.requirement("SEARCHES-GO-ON")
async def test_adopted_read_that_ended_before_its_call_answers_it_once():
    tool = Read(whole=False)
    bench, _, new = await superseded(tool)
    bench.ledger.adopt_reads(new, [ROME])
    tool.gate.open()
    await bench.quiet()
    assert (await bench.call(new, tool)).summary == "2 found"
    assert (found(new), tool.runs) == ([1, 2], 1)
    await bench.call(new, tool)
    assert tool.runs == 2  # it has gaps: asked for once more, it is made once more


async def test_read_with_a_repeated_key_is_adopted_once():
    tool = Read()
    bench, _, new = await superseded(tool)
    assert bench.ledger.adopt_reads(new, [ROME, ROME]) == ["c1"]
    tool.gate.open()
    await bench.quiet()
    third = await bench.context(3)
    assert bench.ledger.adopt_reads(third, [ROME, ROME]) == ["c1"]
    assert (found(new), found(third)) == ([1, 2], [1, 2])


async def test_held_read_stays_held_when_another_with_its_key_ends():
    """Two tasks of a user may make the same read at once: one at work, and one beside it."""
    bench, held, beside = await Bench().open(), Read(), Read()
    old, aside = await bench.context(1), await bench.context(2, aside=True)
    node = bench.call(old, held)
    await held.gate.arrived(1)
    other = bench.call(aside, beside)
    await beside.gate.arrived(1)
    await bench.interrupt(old, "superseded", node)
    beside.gate.open()
    await other
    assert await bench.end(old) == [("search", "cancelled")], "it runs on, and nobody can take it over"


async def test_held_read_is_cancelled_when_another_with_its_key_is_held():
    """Two tasks of a user make the same read at once, and a newer message takes the place of both."""
    bench, earlier, later = await Bench().open(), Read(), Read()
    old, aside = await bench.context(1), await bench.context(2, aside=True)
    nodes = [bench.call(old, earlier), bench.call(aside, later)]
    for tool in (earlier, later):
        await tool.gate.arrived(1)
    before = asyncio.get_running_loop().time()
    await bench.interrupt(old, "superseded", nodes[0])
    await bench.interrupt(aside, "superseded", nodes[1])
    assert await bench.end(old) == [("search", "cancelled")]
    assert asyncio.get_running_loop().time() == before
    new = await bench.context(3)
    assert bench.ledger.adopt_reads(new, [ROME]) == ["c2"]
    later.gate.open()
    await bench.quiet()


async def test_fresh_read_stored_again_counts_once():
    bench, found_before, tool = await Bench().open(), Read("before"), Read()
    fresh = FreshReads(bench.clock, most_bytes=4096)
    for each in (found_before, tool):
        each.gate.open()
    context = await bench.context()
    old, new = await bench.call(context, found_before), await bench.call(context, tool)
    fresh.put(old, ())
    for _ in range(100):
        fresh.put(new, ())
    assert fresh.get("ann", old.key) is not None


async def test_task_that_waits_for_its_reads_ends_as_soon_as_they_are_adopted():
    bench, old, new = await superseded(Read())
    before = asyncio.get_running_loop().time()
    ending = bench.owner.spawn(bench.end(old), name="supervisor")
    await asyncio.sleep(0)
    bench.ledger.adopt_reads(new, [ROME])
    assert await ending == [("search", "adopted")]
    assert asyncio.get_running_loop().time() == before
