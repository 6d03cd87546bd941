"""What was stopped is not wanted any more, unless a message goes back to it."""

import asyncio
from datetime import date

import pytest

from backend.travel.providers.demo.provider import DemoProvider
from backend.travel.workflow import TravelWorkflow
from tests.interruption.parts import Parts, started
from tests.records import AT

pytestmark = pytest.mark.virtual_time

TODAY = date(2026, 1, 5)


@pytest.mark.parametrize(
    ("said", "relation", "wanted"),
    [("hotel in Tokyo, under 80", "new", ["hotel"]), ("go on", "refine", ["flight"])],
)
async def test_stopped_request_comes_back_only_if_asked_for(tmp_path, said, relation, wanted):
    provider = DemoProvider(
        tmp_path / "inventory.sqlite", clock=lambda: AT, today=lambda: TODAY, seed=1, pace=1.0
    )
    parts = Parts(workflow=lambda ledger, _owner: TravelWorkflow(provider, ledger, today=lambda: TODAY))
    async with started(parts):
        await parts.post("Find flights from Berlin to Tokyo on 10 March")
        await asyncio.sleep(0.5)
        await parts.post("stop")
        await asyncio.sleep(0.5)
        task = await parts.task(await parts.post(said))
    await provider.close()
    assert (task.relation, task.request["understanding"]["wanted"]) == (relation, wanted)


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize(
    ("said", "relation", "wanted"), [("hotel in Tokyo", "new", ["hotel"]), ("go on", "refine", ["flight"])]
)
async def test_request_stopped_after_its_results_is_not_wanted(
    tmp_path, monkeypatch, said, relation, wanted, kept
):
    provider = DemoProvider(
        tmp_path / "inventory.sqlite", clock=lambda: AT, today=lambda: TODAY, seed=1, pace=0.0
    )
    parts = Parts(workflow=lambda ledger, _owner: TravelWorkflow(provider, ledger, today=lambda: TODAY))
    if not kept:
        monkeypatch.setattr(
            "backend.conversation.conversations.MOST_IDLE", 0
        )  # each message reads the conversation back
    async with started(parts):
        for earlier in ("Find flights from Berlin to Tokyo on 10 March", "stop", "thanks"):
            await parts.post(earlier)
            await asyncio.sleep(60)
        assert (parts.runner.conversations.get("ann") is not None) == kept
        task = await parts.task(await parts.post(said))
    await provider.close()
    assert (task.relation, task.request["understanding"]["wanted"]) == (relation, wanted)
