"""Answers that a store cannot take, or takes and reports as failed: each counts once or not at all."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from backend.domain.errors import NotOpen, StoreUnavailable
from backend.domain.questions import Question
from backend.domain.task import TaskStatus
from backend.tasks.asking import ask
from tests.interruption.disk import DiskStore, Health
from tests.interruption.parts import Parts, started
from tests.interruption.script import ANY_WORD
from tests.records import ANN, AT

pytestmark = pytest.mark.virtual_time

DOWN = [Health.REFUSES, Health.BREAKS]


@pytest.fixture
async def core() -> AsyncIterator[Parts]:
    async with started(Parts(DiskStore())) as parts:
        yield parts
        parts.store.health = Health.WELL


async def status(core, task):
    return (await core.task(task)).status


@pytest.mark.requirement("A-503-ACCEPTED-NOTHING")
async def test_task_is_stored_as_waiting_if_its_answer_could_not_be_stored(core):
    task = await core.post("find ask find")
    await asyncio.sleep(0.5)
    core.store.fail_next()
    with pytest.raises(StoreUnavailable):
        await core.runner.answer("ann", f"{task}-q1", answer={"answer": "lost"})
    assert await status(core, task) is TaskStatus.INPUT_REQUIRED


async def test_answer_stored_but_reported_as_failed_is_not_replaced(core):
    task = await core.post("find ask find")
    await asyncio.sleep(0.5)
    core.store.report_failure()
    with pytest.raises(StoreUnavailable):
        await core.runner.answer("ann", f"{task}-q1", answer={"answer": "first"})
    with pytest.raises(NotOpen):
        await core.runner.answer("ann", f"{task}-q1", answer={"answer": "second"})
    assert [event["type"] for event in await core.events()].count("input_resolved") == 1
    assert (await core.store.get_inputs("ann", 1))[0].graph_value == "first"


async def test_conversation_stays_in_memory_until_an_unconfirmed_answer_is_found_out(core, monkeypatch):
    monkeypatch.setattr("backend.conversation.conversations.MOST_IDLE", 0)
    task = await core.post("find ask find")
    await asyncio.sleep(0.5)
    core.store.report_failure()
    with pytest.raises(StoreUnavailable):
        await core.runner.answer("ann", f"{task}-q1", answer={"answer": "first"})
    assert core.runner.conversations.get("ann").unconfirmed is not None
    await core.quiet()
    assert await status(core, task) is TaskStatus.COMPLETED


@pytest.mark.requirement("ANSWERED-ONCE")
async def test_answer_to_a_question_resolved_in_the_store_is_refused(core):
    task = await core.post("find ask find")
    await asyncio.sleep(0.5)
    request = await core.store.get_input("ann", f"{task}-q1")
    await core.store.commit(ANN, request.resolved("withdrawn"))
    with pytest.raises(NotOpen):
        await core.runner.answer("ann", f"{task}-q1", answer={"answer": "late"})
    await core.quiet()
    assert core.workflow.answers == []
    assert (await core.task(task)).status is not TaskStatus.INPUT_REQUIRED


def as_it_is(core, task):
    """What an answer changes of a conversation in memory."""
    conversation = core.runner.conversations.get("ann")
    context = conversation.active
    assert context.task_id == task
    return (
        replace(context.task, updated_at=AT),
        context.life,
        dict(context.agents),
        context.inputs.open,
        list(context.unsaved),
        conversation.turn,
        conversation.requests.current,
    )


@pytest.mark.requirement("A-503-ACCEPTED-NOTHING")
@pytest.mark.parametrize("by_message", [True, False])
@pytest.mark.parametrize("health", DOWN)
async def test_answer_that_could_not_be_stored_changes_nothing(core, health, by_message):
    task = await core.post("find ask find")
    await asyncio.sleep(0.5)
    before, record = as_it_is(core, task), await core.task(task)
    core.store.health = health
    with pytest.raises(StoreUnavailable):
        await (
            core.post("reply")
            if by_message
            else core.runner.answer("ann", f"{task}-q1", answer={"answer": "lost"})
        )
    core.store.health = Health.WELL
    assert as_it_is(core, task) == before
    await core.quiet()
    assert as_it_is(core, task) == before
    assert replace(await core.task(task), updated_at=AT) == replace(record, updated_at=AT)
    await core.post("reply find")
    await core.quiet()
    assert await core.history() == [
        ("user", "find ask find"),
        ("assistant", "what is 1?"),
        ("user", "reply find"),
        ("assistant", "answered find ask find"),
    ]


@pytest.mark.parametrize("by_message", [True, False])
async def test_answer_stored_but_reported_as_failed_is_applied(core, by_message):
    task = await core.post("find ask find")
    await asyncio.sleep(0.5)
    core.store.report_failure()
    with pytest.raises(StoreUnavailable):
        await (
            core.post("reply first")
            if by_message
            else core.runner.answer("ann", f"{task}-q1", answer={"answer": "reply first"})
        )
    await core.quiet()
    assert core.workflow.answers == [("ann", f"{task}-q1", "reply first")]
    ended = await core.task(task)
    assert ended.status is TaskStatus.COMPLETED
    assert ended.request["wanted"] == ("reply first" if by_message else "find ask find")
    with pytest.raises(NotOpen) as refused:
        await core.runner.answer("ann", f"{task}-q1", answer={"answer": "second"})
    assert refused.value.to_json()["error"]["code"] == "answered"
    statuses = [event["status"] for event in await core.events() if event["type"] == "status_update"]
    assert statuses == ["running", "input_required", "running", "completed"]


async def test_message_waits_until_the_answer_before_it_is_certain(core):
    task = await core.post("ask wait")
    await asyncio.sleep(0.5)
    core.store.report_failure(then=Health.REFUSES)
    with pytest.raises(StoreUnavailable):
        await core.post("reply")
    await asyncio.sleep(3)
    with pytest.raises(StoreUnavailable):
        await core.post("find")
    core.store.health = Health.WELL
    accepted = await core.runner.handle_user_message("ann", "hello", client_id="two")
    assert core.interruptions.running_tasks() == [task, accepted.task_id]
    await core.quiet()
    said = [text for _, text in await core.history()]
    assert said == ["ask wait", "what is 0?", "reply", "answered ask wait", "hello", "answered hello"]


@pytest.mark.requirement("RETRIES-START-NOTHING")
async def test_retry_of_an_answer_reported_as_failed_is_a_duplicate(core):
    task = await core.post("ask find")
    await asyncio.sleep(0.5)
    core.store.report_failure()
    with pytest.raises(StoreUnavailable):
        await core.post("reply", client_id="one")
    again = await core.runner.handle_user_message("ann", "reply", client_id="one")
    assert (again.task_id, again.duplicate, again.status) == (task, True, TaskStatus.RUNNING)
    await core.quiet()
    assert (await core.task(task)).status is TaskStatus.COMPLETED


@pytest.mark.requirement("QUESTIONS-SURVIVE")
async def test_answer_reported_as_failed_counts_in_the_next_process(core):
    task = await core.post("ask find")
    await asyncio.sleep(0.5)
    core.store.report_failure(then=Health.REFUSES)
    with pytest.raises(StoreUnavailable):
        await core.post("reply")
    await asyncio.sleep(1)
    core.store.lose_process()
    core.store.health = Health.WELL
    await core.die()
    core.workflow.contexts.clear()
    async with started(Parts(core.store, workflow=core.workflow.wire, new_id=core.new_id)) as again:
        await again.quiet()
        ended = await again.task(task)
        assert (ended.status, ended.request["wanted"]) == (TaskStatus.COMPLETED, "reply")


async def test_question_asked_while_an_answer_fails_keeps_its_place(core):
    task = await core.post("asking wait")
    await asyncio.sleep(0.5)
    context = core.runner.conversations.get("ann").active
    core.store.fail_next()
    answering = core.owner.spawn(core.post("reply"), name="answer")
    await asyncio.sleep(0.001)
    question = Question(agent="hotel", prompt="which hotel?", schema=ANY_WORD, bare=True)
    ask(context, question, pause_id="other", branch="other", checkpoint=lambda: b"0")
    with pytest.raises(StoreUnavailable):
        await answering
    assert (await core.task(task)).status is TaskStatus.INPUT_REQUIRED
    await core.settled(await core.post("hello"))
    said = [text for _, text in await core.history()]
    assert said == ["asking wait", "what is 0?", "which hotel?", "hello", "answered hello"]
    assert [each.prompt for each in (each.question for each in context.inputs.open)] == [
        "what is 0?",
        "which hotel?",
    ]


@pytest.mark.requirement("FOUND-IS-KEPT")
async def test_results_found_while_an_answer_is_stored_are_stored_once(core):
    task = await core.post("asking find")
    await asyncio.sleep(0.5)
    context = core.runner.conversations.get("ann").active
    core.store.health = Health.REFUSES
    context.publish("hotel", ["before"])
    await asyncio.sleep(0.01)
    core.store.health = Health.WELL
    assert context.unsaved
    answering = core.owner.spawn(
        core.runner.answer("ann", f"{task}-q1", answer={"answer": "word"}), name="answer"
    )
    await asyncio.sleep(0.001)
    context.publish("hotel", ["while"])
    context.flush()
    core.store.health = Health.REFUSES
    context.publish("hotel", ["refused"])
    context.flush()
    core.store.health = Health.WELL
    await answering
    await core.quiet()
    found = [event["items"] for event in await core.events() if event["type"] == "partial_result"]
    assert [item for items in found for item in items if isinstance(item, str)] == [
        "before",
        "while",
        "refused",
    ]


@pytest.mark.requirement("FOUND-IS-KEPT")
async def test_unsaved_results_are_stored_once_with_the_answer(core):
    task = await core.post("asking find")
    await asyncio.sleep(0.5)
    core.store.health = Health.REFUSES
    await asyncio.sleep(0.6)
    core.store.health = Health.WELL
    await core.runner.answer("ann", f"{task}-q1", answer={"answer": "word"})
    await core.quiet()
    found = [event for event in await core.events() if event["type"] == "partial_result"]
    assert [item["n"] for event in found for item in event["items"]] == [0, 100, 1]
