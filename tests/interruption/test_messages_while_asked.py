"""Messages that meet an open question: answers, their retries, and what is answered beside it."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from backend.domain.questions import Question
from backend.domain.task import TaskStatus
from backend.tasks.asking import ASIDE_ASKS, ask
from backend.tasks.workflow import Reading, Situation
from tests.interruption.disk import DiskStore
from tests.interruption.office import Office
from tests.interruption.parts import Parts, started
from tests.interruption.script import ANY_WORD, Script

pytestmark = pytest.mark.virtual_time


@pytest.fixture
async def core() -> AsyncIterator[Parts]:
    async with started(Parts(DiskStore())) as core:
        yield core


async def asked(core: Parts) -> str:
    """Post a message whose task asks; return the task."""
    task = await core.post("find ask find")
    await asyncio.sleep(0.5)
    return task


async def told(core: Parts, kind: str) -> list[Any]:
    return [event for event in await core.events() if event["type"] == kind]


async def test_retry_of_an_answer_gets_the_same_response_with_another_open_question(core):
    task = await core.post("gate")
    context = core.interruptions.context_of(task)
    for number in (1, 2):
        question = Question(agent="flight", prompt=f"what is {number}?", schema=ANY_WORD, bare=True)
        ask(context, question, pause_id=str(number), branch=str(number), checkpoint=lambda: b"0")
    first = await core.runner.handle_user_message("ann", "reply", client_id="one")
    again = await core.runner.handle_user_message("ann", "reply", client_id="one")
    assert first.status is TaskStatus.INPUT_REQUIRED
    assert again.to_wire() == {**first.to_wire(), "duplicate": True}


async def test_answer_is_not_read_by_the_model_while_a_message_is_queued(core):
    advised = []

    async def advise(message: str, situation: Situation) -> Reading:
        advised.append(message)
        return core.workflow.read(message, situation)

    core.runner._runtime = replace(core.runner._runtime, advise=advise)
    task = await asked(core)
    waiting = await core.post("find", policy="enqueue")
    assert await core.post("reply") == task
    await core.settled(task, waiting)
    assert advised == ["find ask find", "find"]


@pytest.mark.parametrize("message", ["hello ask", "hello book"])
class TestAsides:
    """An answer resumes the active task, which an aside never is: it must not wait for one."""

    @pytest.mark.parametrize("beside", [True, False])
    async def test_aside_that_asks_fails_with_a_sentence(self, message, beside):
        office = Office(DiskStore().kept)
        async with started(Parts(DiskStore(), workflow=Script(office).wire)) as core:
            search = await core.post("wait find") if beside else None
            aside = await core.post(message)
            await core.quiet()
            assert (await core.task(aside)).status is TaskStatus.FAILED
            assert ("assistant", ASIDE_ASKS) in await core.history()
            assert await told(core, "input_request") == []
            assert search is None or (await core.task(search)).status is TaskStatus.COMPLETED

    async def test_aside_that_asks_leaves_the_active_question_open(self, message):
        office = Office(DiskStore().kept)
        async with started(Parts(DiskStore(), workflow=Script(office).wire)) as core:
            task = await asked(core)
            await core.settled(await core.post(message))
            assert await core.post("reply") == task
            await core.settled(task)
            assert (await core.task(task)).status is TaskStatus.COMPLETED


async def test_adopted_search_cut_short_by_a_question_is_made_again(core):
    await core.post("lookup")
    await asyncio.sleep(1.5)
    task = await core.post("ask lookup")
    await asyncio.sleep(1)
    await core.post("reply")
    await core.settled(task)
    assert core.workflow.wrong == []
    calls = await core.store.get_tool_calls("ann", (await core.task(task)).turn)
    assert [each.outcome for each in calls] == ["cancelled", "completed"]
