"""What a new task takes over of the one before it: the same read, running or fresh, of the same user only."""

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
async def test_the_same_read_goes_on_for_the_new_task_and_shows_there_what_it_had_found():
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


async def test_what_the_new_task_does_not_ask_for_ends_at_once():
    bench, old, new = await superseded(Read())
    assert bench.ledger.adopt_reads(new, []) == []
    before = asyncio.get_running_loop().time()
    assert await bench.end(old) == [("search", "cancelled")]
    assert asyncio.get_running_loop().time() == before


async def test_where_it_is_not_known_what_will_be_asked_for_a_read_is_held_for_two_seconds():
    tool = Read()
    bench, old, new = await superseded(tool)
    assert bench.ledger.adopt_reads(new, None) == []
    before = asyncio.get_running_loop().time()
    assert await bench.end(old) == [("search", "cancelled")]
    assert asyncio.get_running_loop().time() - before == pytest.approx(2.0)


async def test_a_read_that_is_held_is_taken_over_by_the_call_that_asks_for_the_same():
    tool = Read()
    bench, old, new = await superseded(tool)
    node = bench.call(new, tool)
    assert await bench.end(old) == [("search", "adopted")]
    tool.gate.open()
    assert (await node).call_id == "c1"
    assert (found(new), tool.runs) == ([1, 2], 1)


@pytest.mark.parametrize("reason", ["stopped", "timed_out", "shutdown"])
@pytest.mark.requirement("A-STOP-HANDS-ON-NOTHING")
async def test_what_is_not_superseded_is_not_held(reason):
    bench, tool = await Bench().open(), Read()
    old = await bench.context(1)
    node = bench.call(old, tool)
    await tool.gate.arrived(1)
    await bench.interrupt(old, reason, node)
    assert await bench.end(old) == [("search", "cancelled")]


@pytest.mark.requirement("A-STOP-HANDS-ON-NOTHING")
async def test_a_stop_lets_go_of_what_an_earlier_message_left_held():
    bench, old, new = await superseded(Read())
    await bench.interrupt(new, "stopped")
    before = asyncio.get_running_loop().time()
    assert await bench.end(old) == [("search", "cancelled")]
    assert asyncio.get_running_loop().time() == before


@pytest.mark.requirement("ADOPTION-IS-EXACT")
async def test_nobody_takes_over_what_another_user_has_searched():
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
async def test_a_read_is_handed_on_through_as_many_changes_of_mind_as_come():
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


async def test_what_was_taken_over_and_never_asked_for_ends_with_its_task():
    bench, old, new = await superseded(Read())
    bench.ledger.adopt_reads(new, [ROME])
    bench.ledger.interrupt_calls(new)  # as for every task whose work has ended
    await bench.end(new)
    assert new.tool_calls["c1"].outcome == "cancelled"
    assert await bench.end(old) == [("search", "adopted")]


@pytest.mark.requirement("SEARCHES-GO-ON")
async def test_what_has_ended_a_short_while_ago_is_not_searched_again():
    bench, tool = await Bench().open(), Read()
    tool.gate.open()
    await bench.call(await bench.context(1), tool)
    new = await bench.context(2)
    assert bench.ledger.adopt_reads(new, [ROME]) == ["c1"]
    assert (found(new), tool.runs) == ([1, 2], 1)
    assert (await bench.call(new, tool)).summary == "2 found"
    assert (found(new), tool.runs) == ([1, 2], 1)


@pytest.mark.parametrize(("tool", "later"), [(Read(), 301), (Read(fresh_s=0), 0), (Read(whole=False), 0)])
async def test_what_is_old_or_never_fresh_or_has_gaps_is_searched_again(tool, later):
    bench = await Bench().open()
    tool.gate.open()
    await bench.call(await bench.context(1), tool)
    await asyncio.sleep(later)
    new = await bench.context(2)
    assert bench.ledger.adopt_reads(new, [ROME]) == []
    await bench.call(new, tool)
    assert (found(new), tool.runs) == ([1, 2], 2)


async def test_a_node_that_runs_again_gets_what_it_got_and_nothing_is_shown_twice():
    bench, tool = await Bench().open(), Read()
    tool.gate.open()
    context = await bench.context(1)
    first = await bench.call(context, tool)
    assert await bench.call(context, tool) == first
    assert (found(context), tool.runs) == ([1, 2], 1)


@pytest.mark.requirement("ADOPTION-IS-EXACT")
async def test_other_arguments_are_another_read():
    bench, old, new = await superseded(Read())
    assert bench.ledger.adopt_reads(new, [call_key("search", "Oslo")]) == []
    assert await bench.end(old) == [("search", "cancelled")]


async def test_what_a_process_had_searched_before_it_died_is_not_searched_again_by_the_next_one():
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
async def test_what_a_process_had_narrowed_before_it_died_does_not_answer_a_wider_request():
    """The lost task stored only what it had shown, and the next one shows all."""
    bench, tool = await Bench().open(), Read()
    tool.gate.open()
    old = await bench.context(1)
    old.keeps = lambda agent, item: item["n"] == 1
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
async def test_what_was_taken_over_and_has_ended_before_it_is_asked_for_is_not_searched_again():
    tool = Read(whole=False)
    bench, _, new = await superseded(tool)
    bench.ledger.adopt_reads(new, [ROME])
    tool.gate.open()
    await bench.quiet()
    assert (await bench.call(new, tool)).summary == "2 found"
    assert (found(new), tool.runs) == ([1, 2], 1)
    await bench.call(new, tool)
    assert tool.runs == 2  # it has gaps: asked for once more, it is made once more


async def test_a_read_that_a_task_will_make_twice_is_taken_over_once():
    tool = Read()
    bench, _, new = await superseded(tool)
    assert bench.ledger.adopt_reads(new, [ROME, ROME]) == ["c1"]
    tool.gate.open()
    await bench.quiet()
    third = await bench.context(3)
    assert bench.ledger.adopt_reads(third, [ROME, ROME]) == ["c1"]
    assert (found(new), found(third)) == ([1, 2], [1, 2])


async def test_a_read_that_ends_elsewhere_leaves_the_one_held_for_the_same_held():
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


async def test_read_that_is_held_ends_when_another_for_the_same_is_held():
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


async def test_read_that_was_kept_again_counts_once_among_the_fresh_ones():
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


async def test_a_task_that_waits_for_its_reads_to_end_ends_as_soon_as_they_are_taken_over():
    bench, old, new = await superseded(Read())
    before = asyncio.get_running_loop().time()
    ending = bench.owner.spawn(bench.end(old), name="supervisor")
    await asyncio.sleep(0)
    bench.ledger.adopt_reads(new, [ROME])
    assert await ending == [("search", "adopted")]
    assert asyncio.get_running_loop().time() == before
