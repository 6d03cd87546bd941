"""A server that is told to end: it serves on while its balancer finds out, then gives up what it has."""

import pytest

from backend.http.outgoing import REPLICA_S, Drain
from tests.api.live import refusal, running

pytestmark = pytest.mark.requirement("A-ROLLING-RESTART-REFUSES-NOTHING")

FOR_EVER_S = 3600


async def test_it_is_not_ready_at_once_and_serves_everything_until_the_drain_is_over(tmp_path):
    async with running(tmp_path, drain_s=FOR_EVER_S) as api:
        held = (await api.chat("ann", "find 1, hold"))["task_id"]
        await api.until_found("ann", 1)
        api.detour.go_down()
        told = await api.call("GET", "/ready")
        assert (told.status_code, told.json()["status"]) == (503, "draining")
        changed = await api.chat("ann", "find 2")
        assert changed["interrupted_task_id"] == held
        assert (await api.until_ended("ann", changed["task_id"]))["status"] == "completed"
        new = await api.chat("bob", "find 1")
        assert (await api.until_ended("bob", new["task_id"]))["status"] == "completed"
        refusal(await api.call("POST", "/operate/serve"), 503, "shutting_down")
        held = (await api.chat("ann", "find 1, hold"))["task_id"]
        api.detour.drain.end()
        await api.detour.end_tasks()
        refused = await api.call("POST", "/chat", json={"user_id": "bob", "message": "find 1"})
        refusal(refused, 503, "shutting_down")
        assert (await api.until_ended("ann", held))["reason"] == "shutdown"


@pytest.mark.parametrize(
    ("told_s", "replicated", "seconds"),
    [(None, False, 0), (None, True, REPLICA_S), (0, True, 0), (7, True, 7), (7, False, 7)],
)
def test_only_one_of_several_drains_unless_it_is_told_how_long(told_s, replicated, seconds):
    assert Drain(told_s, replicated=replicated).seconds == seconds


async def test_a_drain_ends_by_itself(tmp_path):
    async with running(tmp_path, drain_s=0.01) as api:
        api.detour.go_down()
        await api.detour.end_tasks()
        refused = await api.call("POST", "/chat", json={"user_id": "bob", "message": "find 1"})
        refusal(refused, 503, "shutting_down")
