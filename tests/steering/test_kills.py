"""A server is killed for real while users steer it; `make steering-kills` kills one more often."""

import pytest

from tests.postgres import Server
from tests.steering.kills import play


@pytest.mark.requirement("STEERED-ONCE", "A-KILL-LOSES-NOTHING")
async def test_steered_message_has_one_fate_though_its_server_is_killed(tmp_path):
    fates = await play(tmp_path, kills=2)
    assert fates["taken_in"] > 0


@pytest.mark.requirement("STEERED-ONCE", "A-KILL-LOSES-NOTHING")
async def test_steered_message_has_one_fate_though_replicas_are_killed(tmp_path, postgres: Server):
    fates = await play(tmp_path, kills=3, postgres=postgres.new_database(), replicas=2)
    assert fates["taken_in"] > 0
