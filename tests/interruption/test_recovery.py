"""A process that dies: what it left unfinished is ended truthfully, and every message is taken up again."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import pytest

from backend.conversation.recovery import (
    GIVEN_UP,
    GIVEN_UP_FOR_BLOCKING,
    MOST_ATTEMPTS,
    MOST_BLOCKING_ATTEMPTS,
)
from backend.domain.errors import StoreUnavailable
from backend.domain.task import InterruptReason, TaskStatus
from backend.store.records import SavedReceipt
from tests.interruption.disk import WRITE_S, DiskStore, Health
from tests.interruption.parts import Parts, started
from tests.interruption.script import Script
from tests.stored import tasks_in
from tests.virtual_time import START_OF_VIRTUAL_TIME, virtual_clock

pytestmark = pytest.mark.virtual_time


class Server:
    """Processes over one store, one after the other."""

    def __init__(self) -> None:
        self.store = DiskStore()
        self.script = Script()
        self.new_id = None

    @contextlib.asynccontextmanager
    async def dying(self) -> AsyncIterator[Parts]:
        """Run a process, and kill it at the end of the block."""
        async with self.running(Parts(self.store, workflow=self.script.wire, new_id=self.new_id)) as parts:
            yield parts
            self.store.lose_process()
            await parts.die()

    @contextlib.asynccontextmanager
    async def running(self, parts: Parts | None = None) -> AsyncIterator[Parts]:
        """Run a process to its good end."""
        parts = parts or Parts(self.store, workflow=self.script.wire, new_id=self.new_id)
        self.new_id = parts.new_id
        async with started(parts):
            yield parts


@pytest.fixture
def server():
    return Server()


@pytest.mark.requirement("LOST-IS-TAKEN-UP")
async def test_lost_task_keeps_its_findings_and_its_message_is_retried(server):
    async with server.dying() as old:
        lost = await old.post("find say wait find")
        await asyncio.sleep(0.5)
    async with server.running() as new:
        task = await new.task(lost)
        assert (task.status, task.reason) == (TaskStatus.INTERRUPTED, InterruptReason.LOST)
        assert (await new.receipt(lost))["partial_results"] == {"flight": 1}
        [again] = new.interruptions.contexts_of("ann")
        assert (again.task.attempt, again.task.previous_task_id) == (2, lost)
        assert again.previous.items() == {"flight": [{"of": lost, "n": 0}]}
        assert again.previous.text == "word 1 "
        await new.quiet()
        assert [role for role, _ in await new.history()] == ["user", "assistant", "system", "assistant"]
        assert "failure of the server. Kept so far: 1 flight result." in (await new.history())[2][1]


@pytest.mark.requirement("LOST-IS-TAKEN-UP")
async def test_retry_publishes_what_the_lost_task_had_carried(server):
    async with server.dying() as old:
        await old.post("find")
        await old.post("find wait")
        await asyncio.sleep(0.5)
    async with server.running() as new:
        await new.quiet()
        told = [event for event in await new.events() if event["type"] == "context_transfer"]
        assert told[-1]["carried"]["slots"] == ["wanted"]


async def test_interrupted_task_of_a_dead_process_is_not_retried(server):
    async with server.dying() as old:
        stopped = await old.post("find slow")
        await asyncio.sleep(0.5)
        old.owner.spawn_detached(old.runner.stop("ann"), name="stop")
        await asyncio.sleep(4 * WRITE_S)
        assert (await old.task(stopped)).status is TaskStatus.RUNNING
    async with server.running() as new:
        assert (await new.task(stopped)).reason is InterruptReason.STOPPED
        assert new.interruptions.running_tasks() == []


async def test_stop_of_a_waiting_task_counts_if_its_process_dies(server):
    async with server.dying() as old:
        stopped = await old.post("find ask")
        await asyncio.sleep(0.5)
        server.store.refuse(SavedReceipt)
        old.owner.spawn_detached(old.runner.stop("ann"), name="stop")
        await asyncio.sleep(4 * WRITE_S)
        assert (await old.task(stopped)).status is TaskStatus.INPUT_REQUIRED
        server.store.refuse(None)
    async with server.running() as new:
        assert (await new.task(stopped)).reason is InterruptReason.STOPPED
        assert (await new.store.get_inputs("ann", 1))[0].resolution == "withdrawn"


async def test_marker_has_the_duration_if_another_process_ends_the_task(server):
    async with server.dying() as old:
        await old.post("wait")
        await old.post("find slow", policy="enqueue")
        await asyncio.sleep(1.8)
        old.owner.spawn_detached(old.runner.stop("ann"), name="stop")
        await asyncio.sleep(2)
    async with server.running() as new:
        (marker,) = [text for role, text in await new.history() if role == "system"]
        assert marker == "Stopped by the user after 0.8 s. Kept so far: 1 flight result."


async def test_superseded_task_and_its_successor_are_recovered_in_order(server):
    async with server.dying() as old:
        first = await old.post("find slow")
        await asyncio.sleep(0.5)
        second = await old.post("gate")
        await asyncio.sleep(4 * WRITE_S)
    async with server.running() as new:
        assert (await new.task(first)).reason is InterruptReason.SUPERSEDED
        assert (await new.task(second)).reason is InterruptReason.LOST
        [again] = new.interruptions.contexts_of("ann")
        assert (again.task.message, again.previous.task_id) == ("gate", first)


async def test_lost_aside_is_retried_as_an_aside(server):
    async with server.dying() as old:
        await old.post("find wait find")
        await old.post("hello wait")
        await asyncio.sleep(0.5)
    async with server.running() as new:
        search, aside = new.interruptions.contexts_of("ann")
        assert (search.task.aside, aside.task.aside) == (False, True)
        await asyncio.sleep(0.5)
        follow_up = await new.task(await new.post("find"))
        assert follow_up.request == {"wanted": "find", "unfinished": True}


async def test_retried_aside_gets_the_findings_of_the_lost_search(server):
    async with server.dying() as old:
        await old.post("hello gate")
        lost = await old.post("find gate")
        await asyncio.sleep(0.5)
    async with server.running() as new:
        aside = next(each for each in new.interruptions.contexts_of("ann") if each.task.aside)
        assert aside.previous.task_id == lost
        assert aside.previous.items() == {"flight": [{"of": lost, "n": 0}]}


@pytest.mark.requirement("WAITING-KEEPS-ITS-ORDER")
async def test_queued_tasks_are_recovered_by_priority(server):
    async with server.dying() as old:
        first = await old.post("gate")
        low = await old.post("say low", policy="enqueue", priority=1)
        high = await old.post("say high", policy="enqueue", priority=9)
        old.interruptions.interrupt_task(first, InterruptReason.STOPPED)
        old.interruptions.shutting_down = True  # so that the next one has not started when the process dies
        await old.settled(first)
    async with server.running() as new:
        await new.quiet()
        replies = [
            event["task_id"]
            for event in await new.events()
            if event["type"] == "message" and event["role"] == "assistant"
        ]
        assert replies == [high, low]


async def test_message_lost_too_often_is_given_up(server):
    for attempt in range(MOST_ATTEMPTS):
        async with server.dying() as core:
            if attempt == 0:
                await core.post("find gate")
            await asyncio.sleep(0.5)
            assert [context.task.attempt for context in core.interruptions.contexts_of("ann")] == [
                attempt + 1
            ]
    async with server.running() as core:
        assert core.interruptions.running_tasks() == []
        *_, (role, text) = await core.history()
        assert role == "system"
        assert text.endswith(f"Kept so far: 1 flight result. {GIVEN_UP}")
        follow_up = await core.post("say")
        assert core.interruptions.context_of(follow_up).previous.items()["flight"]


@pytest.mark.requirement("LOST-IS-TAKEN-UP")
async def test_process_that_dies_before_the_graph_runs_is_no_attempt(server):
    async with server.dying() as old:
        await old.post("find gate")
        await asyncio.sleep(0.5)
    for _ in range(MOST_ATTEMPTS + 2):
        parts = Parts(server.store, workflow=server.script.wire, new_id=server.new_id)
        server.new_id = parts.new_id
        running = len(server.script.contexts)
        await parts.log.open()
        await parts.runner.begin_recovery()
        await parts.runner.recover_users()  # killed in the step that stored the new task
        server.store.lose_process()
        await parts.die()
        assert len(server.script.contexts) == running
    server.script.gates["find gate"].open()
    async with server.running() as core:
        await core.quiet()
        assert (await core.history())[-1] == ("assistant", "answered find gate")
        assert (await core.store.standing("ann")).task.attempt == 2


@pytest.mark.requirement("RECOVERY-HOLDS-UP-NOBODY")
async def test_users_are_recovered_concurrently_and_new_ones_do_not_wait(server):
    async with server.dying() as old:
        for user in ("ann", "bob", "cid"):
            await old.post("find gate", user=user)
        await asyncio.sleep(0.5)
    server.script.open_gates()
    parts = Parts(server.store, workflow=server.script.wire, new_id=server.new_id)
    server.new_id = parts.new_id
    read, waiting, go_on = server.store.get_partials, [], asyncio.Event()

    async def slow(user_id, turn):
        waiting.append(user_id)
        await go_on.wait()
        return await read(user_id, turn)

    server.store.get_partials = slow
    await parts.log.open()
    await parts.runner.begin_recovery()
    recovery = parts.owner.spawn(parts.runner.recover_users(), name="recovery")
    await parts.settled(await parts.post("say", user="dan"))
    behind = parts.owner.spawn(parts.post("say", user="ann"), name="post")
    await asyncio.sleep(1)
    assert sorted(waiting) == ["ann", "bob", "cid"]
    assert (recovery.done(), behind.done()) == (False, False)
    go_on.set()
    del server.store.get_partials
    await recovery
    await behind
    await parts.quiet()
    assert [text for role, text in await parts.history("ann") if role == "user"] == ["find gate", "say"]
    assert (await parts.history("bob"))[-1] == ("assistant", "answered find gate")
    await parts.close()


@pytest.mark.requirement("LOST-IS-TAKEN-UP")
async def test_message_waits_until_its_user_is_recovered(server):
    async with server.dying() as old:
        lost = await old.post("find gate")
        await asyncio.sleep(0.5)
    parts = Parts(server.store, workflow=server.script.wire, new_id=server.new_id)
    await parts.log.open()
    await parts.runner.begin_recovery()
    accepting = parts.owner.spawn(parts.runner.handle_user_message("ann", "say"), name="post")
    await asyncio.sleep(1)
    assert not accepting.done()
    await parts.runner.recover_users()
    interrupted = await parts.task((await accepting).interrupted_task_id)
    assert (interrupted.message, interrupted.previous_task_id) == ("find gate", lost)
    await parts.quiet()
    await parts.close()


@pytest.mark.requirement("LOST-IS-TAKEN-UP")
async def test_recovery_continues_after_a_store_outage(server):
    async with server.dying() as old:
        await old.post("find gate")
        await asyncio.sleep(0.5)
    server.script.open_gates()
    parts = Parts(server.store, workflow=server.script.wire, new_id=server.new_id)
    server.new_id = parts.new_id
    await parts.log.open()
    await parts.runner.begin_recovery()
    server.store.health = Health.REFUSES
    recovery = parts.owner.spawn(parts.runner.recover_users(), name="recovery")
    await asyncio.sleep(5)
    assert not recovery.done()
    server.store.health = Health.WELL
    await recovery
    await parts.quiet()
    assert (await parts.history())[-1] == ("assistant", "answered find gate")
    await parts.close()


@pytest.mark.requirement("LOST-IS-TAKEN-UP")
async def test_process_killed_during_recovery_loses_and_repeats_no_message(server):
    async with server.dying() as old:
        await old.post("find gate")
        await old.post("hello gate")
        await asyncio.sleep(0.5)
    for moment in range(40):
        parts = Parts(server.store, workflow=server.script.wire, new_id=server.new_id)
        server.new_id = parts.new_id
        opening = parts.owner.spawn(parts.open(), name="open")
        await asyncio.sleep(moment * WRITE_S / 2)
        server.store.lose_process()
        await parts.die()
        assert opening.done()
        for task in tasks_in(server.store.kept):
            if task.status is TaskStatus.RUNNING:  # attempts are not what this is about
                await server.store.kept.save_task_metadata(replace(task, attempt=1))
    for gate in ("find gate", "hello gate"):
        server.script.gates[gate].open()
    async with server.running() as core:
        await core.quiet()
        replies = [text for role, text in await core.history() if role == "assistant"]
        assert sorted(replies) == ["answered find gate", "answered hello gate"]


@pytest.mark.requirement("TURNS-ORDER-A-CONVERSATION")
async def test_clock_set_back_does_not_change_the_last_request(server):
    async with server.running() as ahead:
        await asyncio.sleep(3600)
        await ahead.settled(await ahead.post("find flights"))
    set_back = virtual_clock(start=START_OF_VIRTUAL_TIME - timedelta(hours=2))
    parts = Parts(server.store, workflow=server.script.wire, new_id=server.new_id, clock=set_back)
    async with server.running(parts) as corrected:
        hotels = await corrected.post("find hotels")
        await corrected.settled(hotels)
        assert (await server.store.standing("ann")).task.task_id == hotels
    async with server.running() as restarted:
        after = await restarted.post("find more")
        assert (await restarted.task(after)).previous_task_id == hotels


@pytest.mark.requirement("ONE-ACTIVE-TASK")
async def test_aside_ended_by_recovery_does_not_hide_the_active_task(server):
    async with server.dying() as old:
        await old.post("find gate")
        aside = await old.post("hello deaf")
        await asyncio.sleep(0.5)
        old.interruptions.interrupt_task(aside, InterruptReason.TIMED_OUT)
        await asyncio.sleep(0.5)
    async with server.running() as new:
        [active] = new.interruptions.contexts_of("ann")
        accepted = await new.runner.handle_user_message("ann", "find")
        assert accepted.interrupted_task_id == active.task_id


@pytest.mark.requirement("LOST-IS-TAKEN-UP")
async def test_read_that_fails_after_a_stored_retry_makes_no_second_retry(server, monkeypatch):
    async with server.dying() as old:
        await old.post("find gate")
        await asyncio.sleep(0.5)
    server.script.open_gates()
    parts = Parts(server.store, workflow=server.script.wire, new_id=server.new_id)
    server.new_id = parts.new_id
    read, failures = server.store.get_interrupted_context, [StoreUnavailable("not now")] * 2

    async def fails_twice(user_id, turn):
        if failures:
            raise failures.pop()
        return await read(user_id, turn)

    monkeypatch.setattr(server.store, "get_interrupted_context", fails_twice)
    async with server.running(parts) as new:
        await new.quiet()
        assert failures == []
        replies = [text for role, text in await new.history() if role == "assistant"]
        assert replies == ["answered find gate"]
        started = [event["task_id"] for event in await new.events() if event.get("status") == "running"]
        assert len(started) == len(set(started)) == 2  # the lost task, and one that retries it


@pytest.mark.requirement("RECOVERY-HOLDS-UP-NOBODY")
async def test_user_with_unreadable_records_delays_nobody(server, monkeypatch):
    async with server.dying() as old:
        await old.post("find gate", user="ann")
        await old.post("find gate", user="bob")
        await asyncio.sleep(0.5)
    server.script.open_gates()
    parts = Parts(server.store, workflow=server.script.wire, new_id=server.new_id)
    server.new_id = parts.new_id
    read = server.store.get_partials

    async def damaged(user_id, turn):
        if user_id == "ann":
            raise ValueError("no JSON")
        return await read(user_id, turn)

    monkeypatch.setattr(server.store, "get_partials", damaged)
    async with server.running(parts) as new:
        await new.quiet()
        assert (await new.history("bob"))[-1] == ("assistant", "answered find gate")
        with pytest.raises(ValueError, match="no JSON"):  # it is refused, and does not wait for ever
            await new.post("say", user="ann")


@pytest.mark.requirement("A-BLOCKED-LOOP-IS-TOLD")
async def test_message_whose_first_attempt_blocked_is_given_up_after_the_second(server):
    node = "the node 'think' (a.py, line 1, in think)"
    for attempt in range(MOST_BLOCKING_ATTEMPTS):
        async with server.dying() as core:
            if attempt == 0:
                await core.post("find gate")
            await asyncio.sleep(0.5)
            (context,) = core.interruptions.contexts_of("ann")
            if attempt == 0:
                await server.store.save_task_metadata(replace(context.task, blocked=node))
    async with server.running() as core:
        assert core.interruptions.running_tasks() == []
        *_, (role, text) = await core.history()
        assert role == "system"
        assert text.endswith(GIVEN_UP_FOR_BLOCKING.format(node, MOST_BLOCKING_ATTEMPTS))
