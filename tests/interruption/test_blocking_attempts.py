"""A message whose code keeps the event loop blocked: it is lost with its process twice at most."""

import asyncio
from dataclasses import replace

import pytest

from backend.conversation.recovery import GIVEN_UP_FOR_BLOCKING, MOST_BLOCKING_ATTEMPTS
from tests.interruption.test_recovery import Server

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("A-BLOCKED-LOOP-IS-TOLD")]

NODE = "the node 'think' (a.py, line 1, in think)"


async def test_message_whose_first_attempt_blocked_is_given_up_after_the_second():
    server = Server()
    for attempt in range(MOST_BLOCKING_ATTEMPTS):
        async with server.dying() as core:
            if attempt == 0:
                await core.post("find gate")
            await asyncio.sleep(0.5)
            (context,) = core.interruptions.contexts_of("ann")
            if attempt == 0:
                await server.store.save_task_metadata(replace(context.task, blocked=NODE))
    async with server.running() as core:
        assert core.interruptions.running_tasks() == []
        *_, (role, text) = await core.history()
        assert role == "system"
        assert text.endswith(GIVEN_UP_FOR_BLOCKING.format(NODE, MOST_BLOCKING_ATTEMPTS))
