"""What is asked of another replica than the owner is done as the owner would do it, once or not at all."""

import asyncio

import orjson
import pytest

from backend.conversation import forwarding
from backend.conversation.commands import read_reply
from backend.errors import DetourError, ShuttingDown, StoreUnavailable
from backend.log.ownership.registry import Command
from tests.cluster.conftest import ended, until

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


@pytest.mark.requirement("REPLICAS-ARE-ONE")
async def test_a_fault_of_the_owner_is_answered_once_as_the_programs_own(new_replica, monkeypatch):
    here, there = await new_replica("here"), await new_replica("there")
    await here.post("find gate")
    read = []

    def fail(message, _situation):
        read.append(message)
        raise RuntimeError("a fault in a workflow")

    monkeypatch.setattr(here.workflow, "read", fail)
    with pytest.raises(DetourError) as refused:
        await there.runner.handle_user_message("ann", "say")
    assert refused.value.to_json() == {
        "error": {"code": "internal", "message": "Something went wrong on our side.", "retryable": False}
    }
    assert refused.value.status_code == 500
    assert read == ["say"]


@pytest.mark.requirement("RELEASES-RUN-SIDE-BY-SIDE")
async def test_a_command_of_a_later_kind_is_refused_in_words(new_replica):
    here, there = await new_replica("here"), await new_replica("there")
    await here.post("find gate")
    await there.replica.registry.leave_command(Command("ann", "c1", "later", b"{}", there.name), here.name)
    reply = await until(lambda: there.replica.registry.reply_to("ann", "c1"))
    with pytest.raises(StoreUnavailable, match="of an earlier version"):
        read_reply(reply)


@pytest.mark.requirement("REPLICAS-ARE-ONE")
async def test_one_that_is_drained_and_stays_the_owner_says_so(new_replica, monkeypatch):
    here, there = await new_replica("here"), await new_replica("there")
    monkeypatch.setattr(here.ledger, "is_busy", lambda user_id: True)  # as while a write is found out
    await ended(here, "ann", await here.post("say"))
    await here.runner.drain()
    with pytest.raises(ShuttingDown) as refused_here:
        await until_refused(here)
    with pytest.raises(ShuttingDown) as refused:
        await there.post("say")
    assert refused.value.to_json() == refused_here.value.to_json()


async def until_refused(parts):
    """Post until its task is no more at work, to which a drained replica takes messages."""
    while True:
        await ended(parts, "ann", await parts.post("say"))
