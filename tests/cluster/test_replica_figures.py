"""What a replica's figures tell of its part in the cluster."""

import pytest

from backend.http.operating import running_tasks
from tests.cluster.conftest import ended, sql
from tests.fakes.waiting import until
from tests.figures import figures

pytestmark = [pytest.mark.postgres, pytest.mark.requirement("REPLICAS-TELL-THEIR-PART")]


async def test_figures_name_the_replica_and_count_its_users(new_replica):
    here, there = await new_replica("here"), await new_replica("there")
    await here.post("find gate")
    assert figures(here.metrics, "detour_replica_info") == {(here.name,): 1}
    assert figures(here.metrics, "detour_tenures") == {(): 1}
    assert figures(there.metrics, "detour_tenures") == {}


async def test_command_is_counted_on_both_sides(new_replica):
    here, there = await new_replica("here"), await new_replica("there")
    await here.post("find gate")
    await there.runner.handle_user_message("ann", "say")
    assert figures(there.metrics, "detour_commands_total") == {("forwarded",): 1}
    assert figures(there.metrics, "detour_hint_seconds_count") == {(): 1}

    async def carried_out():  # counted once the reply is there
        return figures(here.metrics, "detour_commands_total")

    assert await until(carried_out) == {("carried_out",): 1}
    assert figures(here.metrics, "detour_hint_seconds_count") == {}


async def test_users_of_a_dead_replica_are_counted_as_neglected(new_replica):
    here, there = await new_replica("here"), await new_replica("there")
    lost = await here.post("find gate")
    await until(lambda: here.store.get_partials("ann", 1))
    await here.die()
    there.script.open_gates()
    await ended(there, "ann", lost)
    assert sum(figures(there.metrics, "detour_takeovers_total").values()) == 1


async def test_user_owned_elsewhere_is_counted_as_fenced_once(new_replica, address):
    here, there = await new_replica("here"), await new_replica("there")
    frozen = await here.post("find gate")
    await sql(address, "UPDATE detour.users SET owner = 'nobody', fence = fence + 1 WHERE user_id = 'ann'")
    there.script.open_gates()
    await there.runner.handle_user_message("ann", "say")
    here.script.open_gates()
    await ended(there, "ann", frozen)

    async def let_go():
        return figures(here.metrics, "detour_fenced_total")

    assert await until(let_go) == {(): 1}


@pytest.mark.parametrize("kept", ["in memory", "dropped from memory"])
async def test_task_that_rests_and_ends_elsewhere_leaves_figures_and_view(new_replica, address, kept):
    here, there = await new_replica("here"), await new_replica("there")
    asked = await here.post("ask")

    await until(lambda: _rests(here, address))
    assert figures(here.metrics, "detour_tasks") == {("input_required",): 1}
    assert figures(here.metrics, "detour_input_requests_open") == {("question",): 1}
    if kept == "dropped from memory":
        here.runner.conversations.drop("ann")
    await here.runner.drop_taken(here.metrics.users)
    assert figures(here.metrics, "detour_tasks") == {("input_required",): 1}, "it is here, and was let go"
    await there.runner.stop("ann", asked)
    await ended(there, "ann", asked)
    await here.runner.drop_taken(here.metrics.users)
    assert figures(here.metrics, "detour_tasks") == figures(here.metrics, "detour_input_requests_open") == {}
    assert running_tasks(here.runner.conversations)["tasks"] == []
    assert figures(here.metrics, "detour_tasks_ended_total") == {}
    assert figures(there.metrics, "detour_tasks_ended_total") == {("stopped", "interrupted"): 1}
    assert figures(there.metrics, "detour_tasks") == {}


async def test_user_reclaimed_during_the_look_keeps_its_figures(new_replica, address, monkeypatch):
    here = await new_replica("here")
    await here.post("ask")
    await until(lambda: _rests(here, address))
    here.runner.conversations.drop("ann")

    async def of_nobody_yet(_user_ids, _replica):
        here.runner.conversations.recovering.add("ann")
        return frozenset()

    monkeypatch.setattr(here.runner.registry, "owned", of_nobody_yet)
    await here.runner.drop_taken(here.metrics.users)
    here.runner.conversations.recovering.clear()
    assert figures(here.metrics, "detour_tasks") == {("input_required",): 1}


async def test_task_that_rested_elsewhere_is_counted_where_it_resumes(new_replica, address):
    here, there = await new_replica("here"), await new_replica("there")
    await here.post("ask")
    await until(lambda: _rests(here, address))
    await there.runner.last_request("ann")
    assert figures(there.metrics, "detour_tasks") == {("input_required",): 1}
    assert figures(there.metrics, "detour_input_requests_open") == {("question",): 1}


async def test_replica_looks_for_taken_users_by_itself(new_replica, address, monkeypatch):
    monkeypatch.setattr("backend.replicas.replica.LOOK_EVERY_S", 0.01)
    monkeypatch.setattr("backend.replicas.replica.CATCH_UP_EVERY_S", 0)
    here, there = await new_replica("here"), await new_replica("there")
    asked = await here.post("ask")
    await until(lambda: _rests(here, address))
    await there.runner.stop("ann", asked)
    await until(lambda: _counts(here, {}))
    assert figures(here.metrics, "detour_tasks_ended_total") == {}, "it was stopped here"


async def test_users_figures_end_with_the_lease(new_replica):
    here = await new_replica("here")
    await here.post("find gate")
    await until(lambda: _counts(here, {("running",): 1}))
    here.runner.end_lease(here.runner.conversations.get("ann").lease)
    assert figures(here.metrics, "detour_tasks") == figures(here.metrics, "detour_tasks_ended_total") == {}


async def _counts(parts, tasks):
    return figures(parts.metrics, "detour_tasks") == tasks


async def _rests(parts, address):
    conversation = parts.runner.conversations.get("ann")
    is_here = conversation is not None and conversation.idle and conversation.resting is not None
    return is_here and await sql(address, "SELECT NOT occupied FROM detour.users WHERE user_id = 'ann'")
