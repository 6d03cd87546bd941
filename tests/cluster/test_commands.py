"""What is asked of another replica than the owner is done as the owner would do it, once or not at all."""

import asyncio

import orjson
import pytest

from backend.conversation import forwarding
from backend.errors import StoreUnavailable
from tests.cluster.conftest import ended

pytestmark = pytest.mark.postgres


@pytest.fixture(autouse=True)
def asks_again_soon(monkeypatch):
    monkeypatch.setattr(forwarding, "ASK_AGAIN_S", 0.05)


@pytest.mark.requirement("REPLICAS-ARE-ONE")
async def test_a_stop_whose_reply_cannot_be_stored_at_first_stops_one_task(new_replica, monkeypatch):
    here, there = await new_replica("here"), await new_replica("there")
    first = await here.post("find gate")
    second = await here.post("find gate", policy="enqueue")
    answer, told = here.replica.registry.answer_command, asyncio.Event()
    refused = []

    async def answer_later(command, reply):
        if not told.is_set():
            refused.append(reply)
            raise StoreUnavailable("The database does not answer right now.")
        await answer(command, reply)

    repeat, repeated = there.replica.registry.leave_command, []

    async def leave(command, owner):
        await repeat(command, owner)
        repeated.append(owner)
        if len(repeated) > 3 and len(refused) > 1:
            told.set()

    monkeypatch.setattr(here.replica.registry, "answer_command", answer_later)
    monkeypatch.setattr(there.replica.registry, "leave_command", leave)
    receipt = orjson.loads(await there.runner.stop("ann"))
    assert receipt["task_id"] == first
    assert (await ended(there, "ann", first)).reason == "stopped"
    assert (await there.store.get_task_metadata("ann", second)).status == "running"
