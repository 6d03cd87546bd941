"""What is asked of another replica than the owner is done as the owner would do it, once or not at all."""

import asyncio

import orjson
import pytest

from backend.domain.errors import DetourError, ShuttingDown, StoreUnavailable
from backend.replicas import owners
from backend.replicas.owners import read_reply
from backend.replicas.postgres import Command
from tests.cluster.conftest import ended, owner_of, sql
from tests.fakes.waiting import until

pytestmark = pytest.mark.postgres


@pytest.fixture(autouse=True)
def asks_again_soon(monkeypatch):
    monkeypatch.setattr(owners, "ASK_OWNER_AGAIN_S", 0.05)


@pytest.mark.requirement("REPLICAS-ARE-ONE")
async def test_stop_whose_reply_is_stored_late_stops_one_task(new_replica, monkeypatch):
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

    async def leave(command, owner, *, within_s):
        await repeat(command, owner, within_s=within_s)
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
async def test_stop_without_a_stored_reply_is_not_repeated_by_the_next_owner(
    new_replica, address, monkeypatch
):
    here, there = await new_replica("here"), await new_replica("there")
    first = await here.post("find gate")
    answer, told = here.replica.registry.answer_command, asyncio.Event()
    begin, begun = there.replica.registry.begin_command, []

    async def answer_later(command, reply):
        if not told.is_set():
            raise StoreUnavailable("The database does not answer right now.")
        await answer(command, reply)

    async def begin_there(command, replica):
        begun.append(await begin(command, replica))
        return begun[-1]

    async def is_tried_there():
        return begun

    monkeypatch.setattr(here.replica.registry, "answer_command", answer_later)
    monkeypatch.setattr(there.replica.registry, "begin_command", begin_there)
    async with asyncio.TaskGroup() as group:
        stopped = group.create_task(there.runner.stop("ann"))
        await until(is_tried_there)  # once the user, who has nothing unfinished by then, was taken
        assert await owner_of(address) == there.name
        assert not any(begun)
        begun.clear()
        second = await there.post("find gate")
        await until(is_tried_there)
        told.set()
    assert not any(begun)
    assert orjson.loads(stopped.result() or b"{}").get("task_id") == first
    assert (await ended(there, "ann", first)).reason == "stopped"
    assert (await there.store.get_task_metadata("ann", second)).status == "running"


@pytest.mark.requirement("REPLICAS-ARE-ONE")
async def test_fault_of_the_owner_is_an_internal_error_once(new_replica, monkeypatch):
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
async def test_command_of_a_later_kind_is_refused(new_replica):
    here, there = await new_replica("here"), await new_replica("there")
    await here.post("find gate")
    command = Command("ann", "c1", "later", b"{}", there.name)
    await there.replica.registry.leave_command(command, here.name, within_s=60.0)
    reply = await until(lambda: there.replica.registry.reply_to("ann", "c1"))
    with pytest.raises(StoreUnavailable, match="of an earlier version"):
        read_reply("later", reply)


@pytest.mark.requirement("REPLICAS-ARE-ONE")
async def test_command_that_cannot_be_read_is_answered_as_a_fault(new_replica):
    here, there = await new_replica("here"), await new_replica("there")
    await here.post("find gate")
    await there.replica.registry.leave_command(
        Command("ann", "c1", "keep", b"{}", there.name), here.name, within_s=60.0
    )
    reply = await until(lambda: there.replica.registry.reply_to("ann", "c1"))
    with pytest.raises(DetourError, match="Something went wrong on our side"):
        read_reply("keep", reply)


@pytest.mark.requirement("REPLICAS-ARE-ONE")
async def test_drained_owner_refuses_as_itself(new_replica, monkeypatch):
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


@pytest.fixture
def gives_up_soon(monkeypatch):
    """Have a replica give up what it asks of others, once an owner has found it."""

    def give_up(there, owner):
        withdraw = there.replica.registry.withdraw_command

        async def withdraw_what_is_found(command):
            await until(lambda: _is_served(owner))
            return await withdraw(command)

        leave_for_long(there, monkeypatch)
        monkeypatch.setattr(there.replica.registry, "withdraw_command", withdraw_what_is_found)

    return give_up


def leave_for_long(there, monkeypatch):
    """Have a replica give up soon, and what it leaves be wanted for longer: its owner may be slow."""
    leave = there.replica.registry.leave_command
    there.runner._owners.within_s = 0.2
    monkeypatch.setattr(
        there.replica.registry,
        "leave_command",
        lambda command, owner, *, within_s: leave(command, owner, within_s=within_s + 60.0),
    )


@pytest.mark.requirement("A-503-ACCEPTED-NOTHING")
class TestRefusedCommand:
    async def test_refused_deletion_deletes_nothing_afterwards(self, new_replica, gives_up_soon):
        here, there = await new_replica("here"), await new_replica("there")
        first = await here.post("find gate")
        gives_up_soon(there, here)
        async with here.runner.conversations.locked("ann"):
            with pytest.raises(StoreUnavailable):
                await there.runner.delete_user("ann")
        last = await here.post("say")  # once the user is free, after what waited before
        assert (await ended(here, "ann", last)).status == "completed"
        assert await here.store.get_task_metadata("ann", first) is not None

    async def test_command_that_cannot_be_withdrawn_expires(
        self, new_replica, address, gives_up_soon, monkeypatch
    ):
        here, there = await new_replica("here"), await new_replica("there")
        await here.post("find gate")
        gives_up_soon(there, here)

        async def fail(command):
            await until(lambda: _is_served(here))
            await sql(address, "UPDATE detour.commands SET wanted_until = now()")
            raise StoreUnavailable("The database does not answer right now.")

        monkeypatch.setattr(there.replica.registry, "withdraw_command", fail)
        monkeypatch.setattr(owners, "BEYOND_THE_LEASE_S", 0.0)
        async with here.runner.conversations.locked("ann"):
            with pytest.raises(StoreUnavailable):
                await there.runner.handle_user_message("ann", "say")
        await here.post("find gate")
        assert [text for role, text in await here.history() if role == "user"] == ["find gate"] * 2

    async def test_command_that_has_begun_is_awaited(self, new_replica, monkeypatch):
        here, there = await new_replica("here"), await new_replica("there")
        await here.post("find gate")
        leave_for_long(there, monkeypatch)
        begin, withdraw = here.replica.registry.begin_command, there.replica.registry.withdraw_command
        begun, tried = asyncio.Event(), asyncio.Event()

        async def begin_slowly(command, replica):
            is_wanted = await begin(command, replica)
            begun.set()
            await tried.wait()
            return is_wanted

        async def withdraw_what_is_begun(command):
            await begun.wait()
            told = await withdraw(command)
            tried.set()
            return told

        monkeypatch.setattr(here.replica.registry, "begin_command", begin_slowly)
        monkeypatch.setattr(there.replica.registry, "withdraw_command", withdraw_what_is_begun)
        accepted = await there.runner.handle_user_message("ann", "say")
        assert (await ended(there, "ann", accepted.task_id)).status == "completed"
        assert [text for role, text in await here.history() if role == "user"] == ["find gate", "say"]


@pytest.mark.requirement("REPLICAS-ARE-ONE")
async def test_connection_lost_after_a_command_loses_no_reply(new_replica, monkeypatch):
    here, there = await new_replica("here"), await new_replica("there")
    await here.post("find gate")
    leave, lost = there.replica.registry.leave_command, []

    async def leave_and_lose(command, owner, *, within_s):
        await leave(command, owner, within_s=within_s)
        if not lost:
            lost.append(command)
            raise StoreUnavailable("The database does not answer right now.")

    monkeypatch.setattr(there.replica.registry, "leave_command", leave_and_lose)
    accepted = await there.runner.handle_user_message("ann", "say")
    assert (await ended(there, "ann", accepted.task_id)).status == "completed"


async def _is_served(owner):
    return owner.runner._serving
