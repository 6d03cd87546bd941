"""Questions to the user: told while others work, answered once, withdrawn visibly, expired, and survived."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import pytest

from backend.conversation.answering import expire
from backend.domain.errors import BadInput, NotFound, NotOpen, ShuttingDown, StoreUnavailable
from backend.domain.task import TaskStatus
from tests.interruption.disk import DiskStore, Health
from tests.interruption.parts import Parts, started

pytestmark = pytest.mark.virtual_time
WITHIN_S = 60.0


def parts(store: Any = None, **options: Any) -> Parts:
    return Parts(store or DiskStore(), answer_within_s=WITHIN_S, **options)


@pytest.fixture
async def core() -> AsyncIterator[Parts]:
    async with started(parts()) as core:
        yield core


async def asked(core: Parts, message: str = "find ask find", *, wait_s: float = 0.5) -> str:
    """Post a message whose task asks; return the task."""
    task = await core.post(message)
    await asyncio.sleep(wait_s)
    return task


async def told(core: Parts, kind: str) -> list[Any]:
    return [event for event in await core.events() if event["type"] == kind]


async def outcomes(core: Parts) -> list[str]:
    return [event["outcome"] for event in await told(core, "input_resolved")]


@pytest.mark.requirement("ASKING-HOLDS-UP-NOTHING")
class TestAsking:
    async def test_question_is_published_at_once_while_the_other_agent_works(self, core):
        task = await asked(core, "asking find")
        [request] = await told(core, "input_request")
        assert request["at"] < "2026-01-05T09:00:00.1"
        assert (await core.task(task)).status is TaskStatus.INPUT_REQUIRED
        assert core.interruptions.running_tasks() == [task]
        await asyncio.sleep(1)
        assert [event["agent"] for event in await told(core, "partial_result")] == ["hotel", "hotel"]
        assert (await core.agents(task))["flight"].state == "input_required"

    async def test_waiting_task_has_no_asyncio_task_and_need_not_be_in_memory(self, core, monkeypatch):
        task = await asked(core)
        assert len(core.owner) == 0
        monkeypatch.setattr("backend.conversation.conversations.MOST_IDLE", 0)
        await core.post("find", user="bob")
        await core.quiet()
        assert core.runner.conversations.get("ann") is None
        await core.runner.answer("ann", f"{task}-q1", answer={"answer": "word"})
        await core.quiet()
        assert (await core.task(task)).status is TaskStatus.COMPLETED

    async def test_question_and_answer_are_messages_of_the_conversation(self, core):
        task = await asked(core)
        await core.runner.answer("ann", f"{task}-q1", answer={"answer": "word"})
        await core.settled(task)
        said = [
            ("user", "find ask find"),
            ("assistant", "what is 1?"),
            ("user", "word"),
            ("assistant", "answered find ask find"),
        ]
        assert await core.history() == said

    async def test_results_before_and_after_a_question_belong_to_one_task(self, core):
        task = await asked(core)
        await core.runner.answer("ann", f"{task}-q1", answer={"answer": "word"})
        await core.settled(task)
        assert [item["n"] for event in await told(core, "partial_result") for item in event["items"]] == [
            0,
            2,
        ]
        assert (await core.receipt(task))["partial_results"] == {"flight": 2}
        statuses = [event["status"] for event in await told(core, "status_update")]
        assert statuses == ["running", "input_required", "running", "completed"]

    async def test_question_is_asked_once_the_store_is_back(self, core):
        task = await core.post("wait ask")
        core.store.health = Health.REFUSES
        await asyncio.sleep(3)
        core.store.health = Health.WELL
        await asyncio.sleep(3)
        assert [event["request_id"] for event in await told(core, "input_request")] == [f"{task}-q1"]
        assert len(core.owner) == 0


class TestAnswering:
    async def test_answer_while_another_branch_works_is_used_after_it(self, core):
        task = await asked(core, "asking find")
        answered = await core.runner.answer("ann", f"{task}-q1", answer={"answer": "word"})
        assert (answered["status"], answered["task_id"]) == (TaskStatus.RUNNING, task)
        assert (await core.store.get_input("ann", f"{task}-q1")).answer == {"answer": "word"}
        await core.quiet()
        assert (await core.task(task)).status is TaskStatus.COMPLETED
        assert core.workflow.answers == [("ann", f"{task}-q1", "word")]

    @pytest.mark.requirement("ANSWERED-ONCE")
    async def test_one_of_many_simultaneous_answers_is_taken(self, core):
        task = await asked(core)
        answers = [core.runner.answer("ann", f"{task}-q1", answer={"answer": str(n)}) for n in range(9)]
        results = await asyncio.gather(*answers, return_exceptions=True)
        refused = [each for each in results if isinstance(each, NotOpen)]
        assert len(refused) == 8
        assert {each.to_json()["error"]["code"] for each in refused} == {"answered"}
        await core.quiet()
        assert await outcomes(core) == ["answered"]

    async def test_answer_that_does_not_fit_names_the_field_and_changes_nothing(self, core):
        task = await asked(core)
        for answer in ({}, {"answer": 3}, {"answer": "nonsense"}):
            with pytest.raises(BadInput, match="answer: "):
                await core.runner.answer("ann", f"{task}-q1", answer=answer)
        with pytest.raises(BadInput, match="answer: Field required"):
            await core.runner.answer("ann", f"{task}-q1")
        with pytest.raises(BadInput, match="decision: this is a question"):
            await core.runner.answer("ann", f"{task}-q1", decision="allow")
        assert await outcomes(core) == []
        assert (await core.task(task)).status is TaskStatus.INPUT_REQUIRED

    async def test_answer_to_an_unknown_or_foreign_question_is_not_found(self, core):
        task = await asked(core)
        for user, request_id in (("ann", "nothing"), ("bob", f"{task}-q1")):
            with pytest.raises(NotFound) as unknown:
                await core.runner.answer(user, request_id, answer={"answer": "word"})
            assert unknown.value.to_json()["error"]["code"] == "unknown_request"

    @pytest.mark.requirement("A-503-ACCEPTED-NOTHING")
    async def test_answer_that_cannot_be_stored_leaves_the_question_open(self, core):
        task = await asked(core)
        core.store.health = Health.BREAKS
        with pytest.raises(StoreUnavailable):
            await core.runner.answer("ann", f"{task}-q1", answer={"answer": "lost"})
        core.store.health = Health.WELL
        assert core.workflow.answers == []
        await core.runner.answer("ann", f"{task}-q1", answer={"answer": "kept"})
        await core.quiet()
        assert core.workflow.answers == [("ann", f"{task}-q1", "kept")]

    async def test_answer_during_a_shutdown_is_refused(self, core):
        task = await asked(core)
        await core.close()
        with pytest.raises(ShuttingDown):
            await core.runner.answer("ann", f"{task}-q1", answer={"answer": "word"})


@pytest.mark.requirement("NO-MESSAGE-IS-SWALLOWED")
class TestMessages:
    async def test_message_that_answers_interrupts_nothing(self, core):
        task = await asked(core)
        accepted = await core.runner.handle_user_message("ann", "reply find", policy="reject")
        assert (accepted.task_id, accepted.relation, accepted.interrupted_task_id) == (task, "answer", None)
        await core.quiet()
        assert [text for role, text in await core.history() if role == "user"] == [
            "find ask find",
            "reply find",
        ]
        assert (await core.task(task)).status is TaskStatus.COMPLETED
        assert await outcomes(core) == ["answered"]

    async def test_history_continues_after_a_message_that_answered(self, core):
        await asked(core, "ask")
        await core.post("reply find")
        await core.quiet()
        await core.settled(await core.post("hello"))
        said = [text for _, text in await core.history()]
        assert said == ["ask", "what is 0?", "reply find", "answered ask", "hello", "answered hello"]

    async def test_message_that_answers_is_taken_once_when_repeated(self, core):
        await asked(core)
        first = await core.runner.handle_user_message("ann", "reply find", client_id="one")
        again = await core.runner.handle_user_message("ann", "reply find", client_id="one")
        assert first.status is TaskStatus.RUNNING
        assert again.to_wire() == {**first.to_wire(), "duplicate": True}
        await core.quiet()
        assert await outcomes(core) == ["answered"]

    async def test_message_that_does_not_answer_withdraws_the_question(self, core):
        task = await asked(core)
        accepted = await core.runner.handle_user_message("ann", "find say")
        assert accepted.interrupted_task_id == task
        await core.quiet()
        assert await outcomes(core) == ["withdrawn"]
        receipt = await core.receipt(task)
        assert (receipt["input_request"], receipt["reason"]) == ("withdrawn", "superseded")
        assert receipt["partial_results"] == {"flight": 1}
        with pytest.raises(NotOpen) as refused:
            await core.runner.answer("ann", f"{task}-q1", answer={"answer": "late"})
        assert refused.value.to_json()["error"]["code"] == "withdrawn"

    async def test_small_talk_leaves_the_question_open(self, core):
        task = await asked(core)
        await core.post("hello")
        await core.quiet()
        assert await outcomes(core) == []
        await core.post("reply find")
        await core.quiet()
        said = [text for role, text in await core.history() if role == "user"]
        assert said == ["find ask find", "hello", "reply find"]
        assert (await core.task(task)).status is TaskStatus.COMPLETED

    async def test_queued_message_waits_until_the_question_is_answered(self, core):
        task = await asked(core)
        waiting = await core.post("find", policy="enqueue")
        await asyncio.sleep(5)
        assert (await core.task(waiting)).status is TaskStatus.QUEUED
        await core.runner.answer("ann", f"{task}-q1", answer={"answer": "word"})
        await core.quiet()
        assert (await core.task(waiting)).status is TaskStatus.COMPLETED

    @pytest.mark.requirement("STOP-IS-TRUE")
    @pytest.mark.parametrize("by_name", [True, False])
    async def test_stop_ends_a_waiting_task(self, core, by_name):
        task = await asked(core)
        receipt = await core.runner.stop("ann", task if by_name else None)
        assert receipt == await core.runner.stop("ann", task)
        assert (await core.receipt(task))["input_request"] == "withdrawn"
        assert (await core.task(task)).status is TaskStatus.INTERRUPTED

    async def test_findings_of_a_waiting_task_are_handed_on(self, core):
        await asked(core)
        await core.post("find say")
        [transfer] = await told(core, "context_transfer")
        assert transfer["carried"]["partial_results"] == {"flight": 1}


@pytest.mark.requirement("QUESTIONS-EXPIRE")
class TestExpiring:
    async def test_question_expires_and_its_task_keeps_its_findings(self, core):
        task = await asked(core)
        sweeper = core.owner.spawn(core.runner.expire_questions(), name="sweeper")
        await asyncio.sleep(WITHIN_S - 1)
        assert (await core.task(task)).status is TaskStatus.INPUT_REQUIRED
        await asyncio.sleep(7)
        sweeper.cancel()
        ended = await core.task(task)
        assert (ended.status, ended.reason) == (TaskStatus.INTERRUPTED, "timed_out")
        assert await outcomes(core) == ["expired"]
        receipt = await core.receipt(task)
        assert (receipt["input_request"], receipt["partial_results"]) == ("expired", {"flight": 1})
        [context] = await core.store.get_interrupted_contexts("ann")
        assert context.items() == {"flight": [{"of": task, "n": 0}]}
        marker = ("system", "The question was not answered in time. Kept so far: 1 flight result.")
        assert (await core.history())[-1] == marker

    async def test_question_sweeper_survives_a_store_outage(self, core):
        task = await asked(core)
        sweeper = core.owner.spawn(core.runner.expire_questions(), name="sweeper")
        core.store.health = Health.REFUSES
        await asyncio.sleep(WITHIN_S + 10)
        core.store.health = Health.WELL
        await asyncio.sleep(20)
        sweeper.cancel()
        assert (await core.task(task)).status is TaskStatus.INTERRUPTED

    async def test_answer_after_expiry_is_refused_before_the_sweep(self, core):
        task = await asked(core)
        await asyncio.sleep(WITHIN_S)
        with pytest.raises(NotOpen) as refused:
            await core.runner.answer("ann", f"{task}-q1", answer={"answer": "late"})
        assert refused.value.to_json()["error"]["code"] == "expired"

    async def test_queued_message_starts_after_an_expiry(self, core):
        await asked(core)
        waiting = await core.post("find", policy="enqueue")
        await asyncio.sleep(WITHIN_S + 1)
        await core.runner.sweep_questions()
        await core.quiet()
        assert (await core.task(waiting)).status is TaskStatus.COMPLETED


@pytest.mark.requirement("QUESTIONS-SURVIVE")
class TestRestarts:
    async def restarted(self, core: Parts, *, kill: bool) -> Parts:
        if kill:
            core.store.lose_process()
            await core.die()
        else:
            await core.close()
        core.workflow.contexts.clear()
        again = parts(core.store, workflow=core.workflow.wire, new_id=core.new_id)
        await again.open()
        return again

    @pytest.mark.parametrize("kill", [True, False], ids=["killed", "shut down"])
    async def test_waiting_task_survives_a_restart_and_goes_on_where_it_asked(self, core, kill):
        task = await asked(core)
        again = await self.restarted(core, kill=kill)
        assert len(again.owner) == 0
        assert (await again.task(task)).attempt == 1
        await again.runner.answer("ann", f"{task}-q1", answer={"answer": "word"})
        await again.quiet()
        ended = await again.task(task)
        assert (ended.status, ended.task_id) == (TaskStatus.COMPLETED, task)
        assert [each["n"] for event in await told(again, "partial_result") for each in event["items"]] == [
            0,
            2,
        ]
        await again.close()

    @pytest.mark.parametrize("wait_s", [0.5, 1.1], ids=["working", "just done"])
    @pytest.mark.parametrize("kill", [True, False], ids=["killed", "shut down"])
    async def test_interrupted_branch_runs_again_after_a_restart_without_repeats(self, core, kill, wait_s):
        task = await asked(core, "asking find", wait_s=wait_s)
        again = await self.restarted(core, kill=kill)
        assert again.interruptions.running_tasks() == [task]
        assert (await again.task(task)).attempt == (2 if kill else 1)
        await asyncio.sleep(2)
        assert len(again.owner) == 0
        found = [item for event in await told(again, "partial_result") for item in event["items"]]
        assert [item["n"] for item in found] == [0, 100]
        assert await outcomes(again) == []
        await again.runner.answer("ann", f"{task}-q1", answer={"answer": "word"})
        await again.quiet()
        assert (await again.task(task)).status is TaskStatus.COMPLETED
        await again.close()

    async def test_stored_answer_is_used_by_the_next_process(self, core):
        task = await asked(core, "asking find")
        await core.runner.answer("ann", f"{task}-q1", answer={"answer": "word"})
        again = await self.restarted(core, kill=True)
        await again.quiet()
        assert (await again.task(task)).status is TaskStatus.COMPLETED
        assert again.workflow.answers == [("ann", f"{task}-q1", "word")]
        await again.close()

    async def test_message_after_a_restart_answers_or_withdraws(self, core):
        task = await asked(core, "find ask ask")
        again = await self.restarted(core, kill=True)
        assert (await again.runner.handle_user_message("ann", "reply find")).task_id == task
        await asyncio.sleep(1)
        last = await self.restarted(again, kill=True)
        assert (await last.runner.handle_user_message("ann", "find")).interrupted_task_id == task
        await last.quiet()
        assert await outcomes(last) == ["answered", "withdrawn"]
        await last.close()

    async def test_task_that_crashes_the_server_after_an_answer_is_given_up(self, core):
        task = await asked(core, "ask gate")
        await core.runner.answer("ann", f"{task}-q1", answer={"answer": "word"})
        for _ in range(3):
            await asyncio.sleep(0.5)
            core = await self.restarted(core, kill=True)
        ended = await core.task(task)
        assert (ended.status, ended.reason, ended.attempt) == (TaskStatus.INTERRUPTED, "lost", 3)
        assert core.interruptions.running_tasks() == []
        await core.close()

    async def test_crashing_task_is_given_up_after_a_clean_shutdown_too(self, core):
        task = await asked(core, "ask gate")
        await core.runner.answer("ann", f"{task}-q1", answer={"answer": "word"})
        await asyncio.sleep(0.5)
        core = await self.restarted(core, kill=False)
        for _ in range(3):
            await asyncio.sleep(0.5)
            core = await self.restarted(core, kill=True)
        ended = await core.task(task)
        assert (ended.status, ended.reason, ended.attempt) == (TaskStatus.INTERRUPTED, "lost", 3)
        await core.close()

    async def test_question_expires_while_the_server_is_down(self, core):
        task = await asked(core)
        again = await self.restarted(core, kill=True)
        await asyncio.sleep(WITHIN_S)
        await again.runner.sweep_questions()
        await again.quiet()
        assert (await again.task(task)).reason == "timed_out"
        assert await outcomes(again) == ["expired"]
        await again.close()

    @pytest.mark.requirement("DELETE-FORGETS")
    async def test_user_deleted_while_asked_is_forgotten(self, core):
        task = await asked(core)
        await core.runner.delete_user("ann")
        assert await core.store.snapshot("ann", history=1) is None
        with pytest.raises(NotFound):
            await core.runner.answer("ann", f"{task}-q1", answer={"answer": "word"})


async def test_question_withdrawn_during_its_expiry_is_resolved_once(monkeypatch):
    async with started(Parts()) as core:
        task_id = await core.post("ask")
        await asyncio.sleep(1)
        [asked] = (await core.store.standing("ann")).inputs
        await core.post("say")
        await core.settled(task_id)

        async def as_it_was(_user_id, _request_id):
            return asked

        # The sweep has read it, and then its task settled.
        monkeypatch.setattr(core.store, "get_input", as_it_was)
        await core.runner.with_conversation("ann", partial(expire, due=asked))
        told = [each["outcome"] for each in await core.events() if each["type"] == "input_resolved"]
        assert told == ["withdrawn"]


async def test_question_that_expires_at_a_shutdown_stays_open():
    async with started(Parts()) as core:
        task_id = await core.post("ask")
        await asyncio.sleep(1)
        [asked] = (await core.store.standing("ann")).inputs
        core.interruptions.end_all(within_s=5)
        async with core.runner.conversations.locked("ann") as conversation:
            await expire(conversation, asked)
        await core.quiet()
        task = await core.task(task_id)
        assert (task.status, task.reason) == (TaskStatus.INPUT_REQUIRED, None)
        assert (await core.store.standing("ann")).inputs == (asked,)
