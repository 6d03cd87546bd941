"""A question is resolved once, though its expiry is looked at as something else becomes of it."""

import asyncio
from functools import partial

import pytest

from backend.conversation.answering import expire
from backend.domain.task import TaskStatus
from tests.interruption.parts import Parts, started


@pytest.mark.virtual_time
async def test_a_question_that_is_withdrawn_while_its_expiry_is_looked_at_is_resolved_once(monkeypatch):
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


@pytest.mark.virtual_time
async def test_question_that_expires_as_the_server_goes_down_stays_open_for_the_next_process():
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
