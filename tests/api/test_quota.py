"""The quota of what is stored of a user, who can still read and delete."""

import pytest

from backend.http.edge import shares as quota
from tests.api.live import refusal, running

SAID = "big 600000"
"""Each of its tasks shows 600,000 bytes."""


@pytest.mark.requirement("A-USER-HAS-A-QUOTA")
@pytest.mark.parametrize("store", ["memory", "sqlite"])
async def test_user_over_the_quota_is_refused_until_something_is_deleted(tmp_path, monkeypatch, store):
    monkeypatch.setattr(quota, "MEASURED_EVERY", 1)
    monkeypatch.setattr(quota, "SELDOM_MEASURED_EVERY", 1)
    async with running(tmp_path, store=store, user_mib=1) as api:
        accepted = await api.chat_to_end("ada", SAID, client_id="first")
        refused = await api.call("POST", "/chat", json={"user_id": "ada", "message": "find 1"})
        assert "DELETE /users/ada" in refusal(refused, 413, "quota_exceeded")["message"]
        assert len((await api.history("ada"))["messages"]) == 2
        # A retry of what was accepted only asks for its answer; others have quotas of their own.
        again = await api.chat("ada", SAID, client_id="first")
        assert again["task_id"] == accepted["task_id"]
        await api.chat("bob", "find 1")
        assert (await api.call("DELETE", "/users/ada")).status_code == 204
        await api.chat("ada", "find 1")


async def test_quota_of_zero_measures_nothing():
    await quota.Quota(Never(), 0).check("ada")


class Never:
    async def stored_bytes(self, user_id: str) -> int:
        raise AssertionError("nothing is to be measured")


class Counting:
    def __init__(self, stored: int) -> None:
        self.measured = 0
        self._stored = stored

    async def stored_bytes(self, user_id: str) -> int:
        self.measured += 1
        return self._stored


async def test_user_is_measured_now_and_then_and_forgotten(monkeypatch):
    monkeypatch.setattr(quota, "MOST_USERS", 3)
    store = Counting(60)
    limit = quota.Quota(store, 100)
    for _ in range(10 * quota.MEASURED_EVERY):
        await limit.check("ada")
    assert store.measured == 10
    for number in range(100):
        await limit.check(f"user-{number}")
    assert len(limit._unmeasured) == 3


async def test_small_user_is_measured_seldom():
    store = Counting(40)
    limit = quota.Quota(store, 100)
    for _ in range(quota.MEASURED_EVERY + 9 * quota.SELDOM_MEASURED_EVERY):
        await limit.check("ada")
    assert store.measured == 10
