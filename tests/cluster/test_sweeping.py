"""Each replica sweeps; a user is swept by one of them at a time, and messages find their way meanwhile."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from backend.conversation import retention
from backend.conversation.retention import Sweeper
from backend.domain.encoding import system_clock
from backend.domain.errors import StoreUnavailable
from backend.http.metrics import aged_counter
from tests.cluster.conftest import ended, not_in_use
from tests.figures import figures

pytestmark = [pytest.mark.postgres, pytest.mark.requirement("AGED-TURNS-GO")]


async def ten_days_on():
    return system_clock() + timedelta(days=10)


def sweeper_of(parts, *, now=ten_days_on):
    """A sweeper that finds everything aged, unless it is told the time."""
    return Sweeper(
        parts.runner,
        parts.store,
        parts.interruptions,
        keep_days=7,
        now=now,
        tally=aged_counter(parts.metrics),
    )


def dropped(parts):
    return sum(figures(parts.metrics, "detour_aged_turns_total").values())


async def test_user_who_is_being_swept_is_skipped_by_other_replicas(new_replica, address, monkeypatch):
    monkeypatch.setattr(retention, "TURNS_AT_ONCE", 1)
    here, there = await new_replica("here"), await new_replica("there")
    for _ in range(4):
        await ended(here, "ann", await here.post("say"))
    drop, began, goes_on = here.store.drop_aged, asyncio.Event(), asyncio.Event()
    steps = []

    async def in_two_parts(lease, before, *, most):
        found = await drop(lease, before, most=most)
        steps.append(found.turns)
        if len(steps) == 2:
            began.set()
            await goes_on.wait()
        return found

    monkeypatch.setattr(here.store, "drop_aged", in_two_parts)
    sweeping = here.owner.spawn(sweeper_of(here).sweep(), name="sweep")
    await began.wait()
    await sweeper_of(there).sweep()
    assert dropped(there) == 0
    goes_on.set()
    await asyncio.wait([sweeping])
    assert dropped(here) == sum(steps) == 3
    assert await here.store.position("ann") is None
    await not_in_use(address)
    assert (await ended(there, "ann", await there.post("say"))).turn == 1


async def test_message_elsewhere_reaches_the_replica_that_sweeps_its_user(new_replica, monkeypatch):
    monkeypatch.setattr(retention, "TURNS_AT_ONCE", 1)
    here, there = await new_replica("here"), await new_replica("there")
    for _ in range(3):
        await ended(here, "ann", await here.post("say"))
    drop, steps, posted = here.store.drop_aged, [], []

    async def with_a_message_after_the_first(lease, before, *, most):
        steps.append(lease)
        if len(steps) == 2:
            # Not awaited: it waits for this step, as any message does.
            posted.append(there.owner.spawn(there.post("gate say"), name="post"))
        return await drop(lease, before, most=most)

    monkeypatch.setattr(here.store, "drop_aged", with_a_message_after_the_first)
    await sweeper_of(here).sweep()
    task_id = await posted[0]
    here.script.open_gates()
    there.script.open_gates()
    assert (await ended(there, "ann", task_id)).status == "completed"


async def test_turns_that_may_have_been_dropped_are_read_again(new_replica, monkeypatch):
    here = await new_replica("here")
    for _ in range(3):
        await ended(here, "ann", await here.post("find"))
    drop = here.store.drop_aged

    async def answers_too_late(lease, before, *, most):
        await drop(lease, before, most=most)
        raise StoreUnavailable("The database does not answer right now.")

    monkeypatch.setattr(here.store, "drop_aged", answers_too_late)
    with pytest.raises(StoreUnavailable):
        await sweeper_of(here).sweep()
    assert not here.runner.conversations.get("ann").loaded


async def test_machine_whose_clock_is_ahead_drops_nothing_too_early(new_replica, monkeypatch):
    here = await new_replica("here")
    await ended(here, "ann", await here.post("say"))
    ahead = replace(here.runner._runtime, clock=lambda: system_clock() + timedelta(days=10))
    monkeypatch.setattr(here.runner, "_runtime", ahead)
    await sweeper_of(here, now=here.runner.earliest_now).sweep()
    assert dropped(here) == 0
    assert await here.store.position("ann") is not None
