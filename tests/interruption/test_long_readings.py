"""Messages that take long to read: one is read at a time, and short ones wait for none of them."""

import asyncio

import pytest

from backend.conversation.accepting import SHORT
from tests.interruption.parts import Parts, started

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("NO-ADDRESS-TAKES-ALL")]

LONG = "find 1" + " " * SHORT


async def test_a_long_message_waits_for_its_turn_to_be_read_and_a_short_one_does_not():
    """Sixty of 8,000 characters at once held the event loop for 9 s."""
    async with started(Parts()) as parts:
        await parts.post("find 1", user="ann")
        readings = parts.runner.conversations.get("ann").runtime.readings
        await readings.take("somebody else")
        async with asyncio.TaskGroup() as group:
            long = group.create_task(parts.post(LONG, user="bob"))
            await parts.post("find 1", user="cyd")
            assert readings.waiting("bob")
            assert not long.done()
            readings.give_back("somebody else")
        assert long.result()
        assert readings.taken == 0
