"""What becomes of a message, a stop or a deletion, whatever stands in between."""

import asyncio
from collections.abc import AsyncIterator

import orjson
import pytest

from backend.conversation import conversations
from backend.conversation.accepting import SHORT
from backend.conversation.conversation import Conversation
from backend.conversation.deciding import MOST_WAITING
from backend.domain.context import KEPT_CONTEXTS
from backend.domain.errors import Conflict, NotFound, QueueFull
from backend.domain.task import InterruptReason, TaskStatus
from backend.interruption_manager import CANCEL_GRACE_S
from tests.interruption.disk import WRITE_S, DiskStore
from tests.interruption.parts import Parts, started

pytestmark = pytest.mark.virtual_time


@pytest.fixture
async def core() -> AsyncIterator[Parts]:
    async with started(Parts(DiskStore())) as parts:
        yield parts


async def ending(core, task):
    task = await core.task(task)
    return task.reason or task.status


def forget(core):
    """Drop all memory of users, as happens to those who were idle for long."""
    core.runner.conversations.clear()


async def request_after(core, message="find"):
    return (await core.task(await core.post(message))).request


async def situation(core):
    async with core.runner._locked("ann") as conversation:
        return conversation.situation


class TestStopping:
    @pytest.mark.requirement("STOP-IS-TRUE")
    async def test_stop_ends_an_aside_that_runs_alone(self, core):
        aside = await core.post("hello wait")
        receipt = orjson.loads(await core.runner.stop("ann"))
        assert (receipt["task_id"], receipt["reason"]) == (aside, "stopped")

    @pytest.mark.requirement("STOP-IS-TRUE", "SMALL-TALK-INTERRUPTS-NOTHING")
    async def test_stop_by_id_ends_an_aside_and_not_the_active_task(self, core):
        search = await core.post("wait say")
        aside = await core.post("hello wait")
        assert orjson.loads(await core.runner.stop("ann", aside))["reason"] == "stopped"
        await core.quiet()
        assert await ending(core, search) is TaskStatus.COMPLETED

    async def test_stop_ends_the_active_task_and_not_an_aside(self, core):
        search = await core.post("wait say")
        aside = await core.post("hello wait")
        assert orjson.loads(await core.runner.stop("ann"))["task_id"] == search
        await core.quiet()
        assert await ending(core, aside) is TaskStatus.COMPLETED

    @pytest.mark.requirement("STOP-IS-TRUE")
    async def test_stop_by_id_ends_a_queued_task_before_it_starts(self, core):
        await core.post("wait")
        second = await core.post("find two", policy="enqueue")
        third = await core.post("find three", policy="enqueue")
        assert orjson.loads(await core.runner.stop("ann", second))["reason"] == "stopped"
        await core.quiet()
        assert [context.task.message for context in core.workflow.contexts] == ["wait", "find three"]
        assert ("system", "Stopped by the user. Nothing had been found yet.") in await core.history()
        assert await ending(core, third) is TaskStatus.COMPLETED

    @pytest.mark.requirement("STOP-IS-TRUE")
    async def test_stop_between_two_tasks_stops_the_next(self, core):
        first = await core.post("wait")
        second = await core.post("find", policy="enqueue")
        stops = []
        core.interruptions.register_status_callback(
            lambda task: (
                task.task_id == first and stops.append(core.owner.spawn(core.runner.stop("ann"), name="stop"))
            )
        )
        await core.settled(first)
        receipt = orjson.loads(await stops[0])
        assert (receipt["task_id"], receipt["reason"]) == (second, "stopped")
        assert await ending(core, first) is TaskStatus.COMPLETED

    @pytest.mark.requirement("STOP-IS-TRUE")
    async def test_stop_ends_a_queued_task_that_could_not_be_started(self, core):
        """A mutant of `_stop` that found waiting tasks by their id only passed every other test."""
        first = await core.post("wait")
        second = await core.post("find", policy="enqueue")
        core.interruptions.register_status_callback(
            lambda task: task.task_id == first and core.store.fail_next()
        )
        await core.settled(first)
        await asyncio.sleep(4 * WRITE_S)
        assert core.interruptions.running_tasks() == []
        receipt = orjson.loads(await core.runner.stop("ann"))
        assert (receipt["task_id"], receipt["reason"]) == (second, "stopped")
        assert orjson.loads(await core.runner.stop("ann")) == receipt
        await core.quiet()
        assert [context.task.message for context in core.workflow.contexts] == ["wait"]

    async def test_stop_is_stored_before_it_is_answered(self, core):
        task = await core.post("find slow")
        await asyncio.sleep(0.5)
        stop = core.owner.spawn(core.runner.stop("ann"), name="stop")
        await asyncio.sleep(4 * WRITE_S)
        assert not stop.done()
        assert await ending(core, task) is InterruptReason.STOPPED

    async def test_stop_of_unknown_task_raises_not_found(self, core):
        with pytest.raises(NotFound):
            await core.runner.stop("ann")
        await core.post("wait")
        bobs = await core.post("wait", user="bob")
        for task in (bobs, "nothing"):
            with pytest.raises(NotFound):
                await core.runner.stop("ann", task)


class TestHandingOn:
    async def test_message_right_after_a_stop_finds_the_task_unfinished(self, core):
        await core.post("find slow")
        await asyncio.sleep(0.5)
        stop = core.owner.spawn(core.runner.stop("ann"), name="stop")
        await asyncio.sleep(0)
        assert (await request_after(core))["unfinished"] is True
        await stop

    @pytest.mark.parametrize("earlier", range(7))
    async def test_task_that_completes_while_replaced_hands_nothing_on(self, core, earlier):
        first = await core.post("find wait")
        await asyncio.sleep(0.5)
        second = await core.post("wait")
        assert core.interruptions.context_of(second).previous.task_id == first
        await asyncio.sleep(1 - earlier * WRITE_S / 2)
        accepted = await core.runner.handle_user_message("ann", "find")
        third = core.interruptions.context_of(accepted.task_id)
        await core.quiet()
        told = (third.previous and third.previous.task_id, accepted.interrupted_task_id)
        completed = await ending(core, second) is TaskStatus.COMPLETED
        assert told == ((None, None) if completed else (first, second))

    @pytest.mark.requirement("RETRIES-START-NOTHING")
    async def test_retry_gets_the_same_answer_if_the_old_task_completed(self, core):
        await core.post("wait")
        await asyncio.sleep(1 - WRITE_S * 1.5)
        first = await core.runner.handle_user_message("ann", "find wait", client_id="c")
        _, kept = await core.store.get_acceptance("ann", "c")
        assert orjson.loads(kept)["interrupted_task_id"] is not None  # stored before that task has ended
        again = await core.runner.handle_user_message("ann", "find wait", client_id="c")
        assert first.interrupted_task_id is None
        assert again.to_wire() == {**first.to_wire(), "duplicate": True}

    @pytest.mark.requirement("FINDINGS-ARE-HANDED-ON")
    @pytest.mark.parametrize("memory", ["kept", "dropped"])
    async def test_handed_on_findings_are_the_same_after_memory_was_dropped(self, core, memory):
        first = await core.post("find wait")
        await asyncio.sleep(0.5)
        await core.post("gate")
        await core.post("hello wait")
        await core.runner.stop("ann")
        await core.runner.stop("ann")
        if memory == "dropped":
            forget(core)
        third = await core.post("find")
        assert core.interruptions.context_of(third).previous.task_id == first

    @pytest.mark.parametrize("memory", ["kept", "dropped"])
    async def test_findings_are_not_handed_on_past_a_completed_task(self, core, memory):
        await core.post("find wait")
        await asyncio.sleep(0.5)
        await core.settled(await core.post("find"))
        fourth = await core.post("gate")
        await core.runner.stop("ann")
        if memory == "dropped":
            forget(core)
        fifth = await core.post("find")
        assert core.interruptions.context_of(fifth).previous.task_id == fourth

    @pytest.mark.parametrize("first", ["find", "find wait", "find ask"])
    @pytest.mark.parametrize("stops_first", [True, False])
    async def test_message_stopped_in_the_queue_leaves_no_request(self, core, first, stops_first):
        await core.settled(await core.post("find earlier"))
        task = await core.post(f"wait {first}")
        queued = [await core.post(f"find {number}", policy="enqueue") for number in (1, 2)]
        for each in queued:
            await core.runner.stop("ann", each)
        assert (await situation(core)).previous["wanted"] == f"wait {first}"
        if stops_first:
            await core.runner.stop("ann", task)
        await core.quiet()
        in_memory = await situation(core)
        assert in_memory.previous["wanted"] == f"wait {first}"
        assert [each["wanted"] for each in in_memory.recent] == ["find earlier"]
        assert in_memory.stopped is stops_first
        forget(core)
        assert await situation(core) == in_memory

    async def test_message_stopped_in_the_queue_leaves_the_others_queued(self, core):
        await core.post("wait")
        second = await core.post("find two", policy="enqueue")
        third = await core.post("find three", policy="enqueue")
        await core.runner.stop("ann", second)
        in_memory = await situation(core)
        assert in_memory.previous["wanted"] == "find three"
        assert [each["wanted"] for each in in_memory.recent] == ["wait"]
        await core.runner.stop("ann", third)
        await core.quiet()
        in_memory = await situation(core)
        forget(core)
        assert await situation(core) == in_memory

    @pytest.mark.parametrize("memory", ["kept", "dropped"])
    async def test_message_stopped_in_the_queue_hands_nothing_on(self, core, memory):
        await core.post("wait")
        second = await core.post("find two", policy="enqueue")
        third = await core.post("gate", policy="enqueue")
        await core.runner.stop("ann", second)
        await asyncio.sleep(2)
        await core.runner.stop("ann", third)
        if memory == "dropped":
            forget(core)
        fourth = await core.post("find")
        assert core.interruptions.context_of(fourth).previous.task_id == third

    async def test_past_request_has_the_answer_that_came_while_another_was_queued(self, core):
        task = await core.post("ask")
        await core.post("find two", policy="enqueue")
        await core.post("reply")
        await core.settled(task)
        await core.quiet()
        in_memory = await situation(core)
        assert [each["wanted"] for each in in_memory.recent] == ["reply"]
        forget(core)
        assert await situation(core) == in_memory

    async def test_small_talk_keeps_the_last_results(self, core):
        await core.settled(await core.post("find"))
        for _ in range(3):
            await core.settled(await core.post("hello"))
        snapshot = await core.store.snapshot("ann", history=0)
        assert [saved.found.count for saved in snapshot.partials] == [1]

    async def test_results_are_deleted_once_their_request_cannot_be_resumed(self, core):
        turns = range(1, KEPT_CONTEXTS + 5)
        for _ in turns:
            await core.settled(await core.post("find"))
        kept = [turn for turn in turns if await core.store.get_partials("ann", turn)]
        assert kept == list(turns)[-KEPT_CONTEXTS - 2 :]  # those remembered, the one before and the last

    async def test_results_of_an_ending_task_are_kept(self, core):
        await core.post("find deaf")
        await asyncio.sleep(0.5)
        await core.post("find deaf")
        await asyncio.sleep(0.5)
        await core.post("find")
        await asyncio.sleep(0.5)
        assert [len(await core.store.get_partials("ann", turn)) for turn in (1, 2, 3)] == [1, 1, 1]


class TestWaiting:
    @pytest.mark.requirement("WAITING-KEEPS-ITS-ORDER")
    async def test_queued_tasks_start_by_priority_then_in_order(self, core):
        await core.post("wait", priority=9)
        for message, priority in [("low", 1), ("first", 5), ("second", 5), ("high", 7)]:
            accepted = await core.runner.handle_user_message("ann", message, priority=priority)
            assert (accepted.status, accepted.interrupted_task_id) == (TaskStatus.QUEUED, None)
        await core.quiet()
        started_in_order = [context.task.message for context in core.workflow.contexts]
        assert started_in_order == ["wait", "high", "first", "second", "low"]

    @pytest.mark.seeds(10)
    @pytest.mark.requirement("WAITING-KEEPS-ITS-ORDER")
    async def test_queued_message_starts_if_the_task_before_ended_meanwhile(self, core):
        await core.post("wait")
        await asyncio.sleep(1 - WRITE_S / 2)
        accepted = await core.runner.handle_user_message("ann", "find", policy="enqueue")
        assert accepted.status is TaskStatus.QUEUED
        await core.quiet()
        assert await ending(core, accepted.task_id) is TaskStatus.COMPLETED

    async def test_reject_policy_refuses_only_while_a_task_runs(self, core):
        first = await core.post("wait")
        with pytest.raises(Conflict):
            await core.post("find", policy="reject")
        await core.settled(first)
        assert await ending(core, await core.post("find", policy="reject")) is TaskStatus.COMPLETED
        assert [text for role, text in await core.history() if role == "user"] == ["wait", "find"]

    @pytest.mark.requirement("REFUSED-CHANGES-NOTHING")
    async def test_full_queue_refuses_until_one_has_started(self, core):
        first = await core.post("gate")
        for _ in range(MOST_WAITING):
            await core.post("gate", policy="enqueue")
        with pytest.raises(QueueFull) as refused:
            await core.post("find", policy="enqueue")
        assert refused.value.to_json()["error"]["code"] == "queue_full"
        assert refused.value.retryable
        await core.runner.stop("ann", first)
        await asyncio.sleep(1)
        assert await ending(core, await core.post("find", policy="enqueue")) is TaskStatus.QUEUED

    async def test_deletion_ends_all_tasks_and_starts_none(self, core):
        await core.post("find slow")
        await core.post("hello wait")
        await core.post("find two", policy="enqueue")
        await asyncio.sleep(0.5)
        await core.runner.delete_user("ann")
        assert await core.store.snapshot("ann", history=1) is None
        again = await core.runner.handle_user_message("ann", "find again")
        await core.quiet()
        assert (await core.events())[0]["seq"] == 1
        messages = [context.task.message for context in core.workflow.contexts]
        assert messages == ["find slow", "hello wait", "find again"]
        assert again.epoch == (await core.store.position("ann")).epoch

    async def test_only_idle_conversations_are_dropped_from_memory(self, core, monkeypatch):
        monkeypatch.setattr(conversations, "MOST_IDLE", 2)
        first = await core.post("wait", user="ann")
        aside = await core.post("hello wait", user="ann")
        for number in range(5):
            await core.settled(await core.post("find", user=f"user-{number}"))
        assert len(core.runner) <= 3
        accepted = await core.runner.handle_user_message("ann", "find")
        assert accepted.interrupted_task_id == first
        await core.quiet()
        assert await ending(core, aside) is TaskStatus.COMPLETED

    async def test_idle_conversations_with_many_results_are_dropped_first(self, core, monkeypatch):
        monkeypatch.setattr(conversations, "MOST_IDLE_BYTES", 300)
        for number in range(5):
            user = f"user-{number}"
            await core.post("find find find wait", user=user)
            await asyncio.sleep(0.5)
            await core.runner.stop(user)
            await core.quiet()
        held = {each.user_id: each.results_bytes for each in core.runner.conversations}
        assert list(held) == [f"user-{number}" for number in range(5)][-len(held) :]
        assert 0 < sum(held.values()) <= 300

    async def test_conversation_is_not_dropped_while_at_work_again(self, core, monkeypatch):
        monkeypatch.setattr(conversations, "MOST_IDLE", 2)
        await core.settled(await core.post("find", user="ann"))
        first = await core.post("wait", user="ann")
        for number in range(5):
            await core.settled(await core.post("find", user=f"user-{number}"))
        accepted = await core.runner.handle_user_message("ann", "find")
        assert accepted.interrupted_task_id == first

    async def test_busy_conversations_take_no_room_from_idle_ones(self, core, monkeypatch):
        monkeypatch.setattr(conversations, "MOST_IDLE", 2)
        at_work = [f"busy-{number}" for number in range(4)]
        for user in at_work:
            await core.post("wait", user=user)
        for number in range(5):
            await core.settled(await core.post("find", user=f"user-{number}"))
        kept = [each.user_id for each in core.runner.conversations if each.idle]
        assert kept == ["user-3", "user-4"]
        for user in at_work:
            await core.runner.stop(user)
        assert [each.user_id for each in core.runner.conversations] == at_work[-2:]

    async def test_message_looks_at_no_other_conversation(self, core, monkeypatch):
        monkeypatch.setattr(conversations, "MOST_IDLE", 2)
        for number in range(20):
            await core.post("wait", user=f"busy-{number}")
        looked_at = []
        idle = Conversation.idle.fget
        monkeypatch.setattr(
            Conversation,
            "idle",
            property(lambda each: looked_at.append(each.user_id) or idle(each)),
        )
        await core.runner.handle_user_message("ann", "wait")
        assert set(looked_at) == {"ann"}
        await core.runner.close(grace_s=5)


class TestTelling:
    @pytest.mark.requirement("NEWEST-MESSAGE-WINS")
    async def test_task_that_ends_after_its_successor_is_not_the_latest(self, core):
        await core.post("find deaf")
        await asyncio.sleep(0.5)
        newest = await core.post("find")
        await asyncio.sleep(CANCEL_GRACE_S + 1)
        snapshot = await core.store.snapshot("ann", history=0)
        assert (snapshot.task.task_id, snapshot.task.status) == (newest, TaskStatus.COMPLETED)
        forget(core)
        request = await request_after(core)
        assert request == {"wanted": "find", "unfinished": False}


@pytest.mark.requirement("NO-ADDRESS-TAKES-ALL")
async def test_long_message_waits_for_its_turn_and_a_short_one_does_not():
    """Sixty of 8,000 characters at once held the event loop for 9 s."""
    async with started(Parts()) as parts:
        await parts.post("find 1", user="ann")
        readings = parts.runner.conversations.get("ann").runtime.readings
        await readings.take("another address")
        async with asyncio.TaskGroup() as group:
            long = group.create_task(parts.post("find 1" + " " * SHORT, user="bob"))
            await parts.post("find 1", user="cyd")
            assert readings.waiting("bob")
            assert not long.done()
            readings.give_back("another address")
        assert long.result()
        assert readings.taken == 0
