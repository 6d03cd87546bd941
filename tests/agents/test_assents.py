"""What is said beside an assent is answered."""

import asyncio
import re

import pytest

from tests.agents.booking_guest import FLIGHTS, a_house


async def test_a_wish_beside_an_assent_is_told_not_to_be_used(house):
    await house.say("ann", FLIGHTS)
    reply = await house.say("ann", "a place with a kitchen would be great")
    assert reply == 'I did nothing with "kitchen".'
    assert await house.say("ann", "ok great") == "All right."


async def test_a_misspelt_wish_to_book_is_one(house):
    await house.say("ann", FLIGHTS)
    await house.say("ann", "ok bok it pls")
    assert (await house.asked("ann"))["tool"] == "book_flight"


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
async def test_a_no_after_a_yes_is_told_that_the_booking_stays(house):
    await house.say("ann", FLIGHTS)
    reference = await house.book("ann", "book the cheapest")
    told = f'{reference} stays as it is: say "cancel it" if you do not want it.'
    assert await house.say("ann", "no") == told


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
async def test_a_yes_and_a_no_from_two_windows_at_once_book_once_and_tell_both(tmp_path):
    async with a_house(tmp_path, demo_pace=0.05) as guests:
        await guests.say("ann", FLIGHTS)
        await guests.say("ann", "book the cheapest")
        yes, _ = await asyncio.gather(guests.chat("ann", "yes"), guests.chat("ann", "no"))
        assert yes["relation"] == "answer"
        await guests.until_ended("ann", yes["task_id"])
        said = [each["text"] for each in (await guests.history("ann"))["messages"]]
        assert "All right." not in said
        assert any("a no does not stop it" in each or "stays as it is" in each for each in said)
        assert len({reference for each in said for reference in re.findall(r"DEMO-\w+", each)}) == 1


async def test_a_no_to_what_was_denied_or_never_asked_is_all_right(house):
    await house.say("ann", FLIGHTS)
    assert await house.say("ann", "no") == "All right."
    await house.say("ann", "book the cheapest")
    await house.decide("ann", "deny")
    assert await house.say("ann", "no") == "All right."
