"""What a replica's figures tell of its part in the cluster."""

import pytest

from tests.cluster.conftest import ended, sql, until
from tests.figures import figures

pytestmark = [pytest.mark.postgres, pytest.mark.requirement("REPLICAS-TELL-THEIR-PART")]


async def test_each_names_itself_and_counts_its_users(new_replica):
    here, there = await new_replica("here"), await new_replica("there")
    await here.post("find gate")
    assert figures(here.metrics, "detour_replica_info") == {(here.name,): 1}
    assert figures(here.metrics, "detour_tenures") == {(): 1}
    assert figures(there.metrics, "detour_tenures") == {}


async def test_what_is_asked_of_another_is_counted_on_both_sides(new_replica):
    here, there = await new_replica("here"), await new_replica("there")
    await here.post("find gate")
    await there.runner.handle_user_message("ann", "say")
    assert figures(there.metrics, "detour_commands_total") == {("forwarded",): 1}
    assert figures(there.metrics, "detour_hint_seconds_count") == {(): 1}

    async def carried_out():  # counted once the reply is there
        return figures(here.metrics, "detour_commands_total")

    assert await until(carried_out) == {("carried_out",): 1}
    assert figures(here.metrics, "detour_hint_seconds_count") == {}


async def test_the_users_of_one_that_died_are_taken_over_as_neglected(new_replica):
    here, there = await new_replica("here"), await new_replica("there")
    lost = await here.post("find gate")
    await until(lambda: here.store.get_partials("ann", 1))
    await here.die()
    there.script.open_gates()
    await ended(there, "ann", lost)
    assert sum(figures(there.metrics, "detour_takeovers_total").values()) == 1


async def test_a_user_who_is_owned_elsewhere_by_now_is_let_go_once(new_replica, address):
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
