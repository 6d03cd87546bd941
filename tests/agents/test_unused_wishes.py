"""A wish that nothing is searched by is told at once, shown with the request, and told before a booking."""

import pytest

from tests.agents.booking_guest import FLIGHTS, HOTELS

WISH = f"{HOTELS} with a sea view"


async def asked_of(house, agent="hotel"):
    return (await house.status("ann"))["agents"][agent]["request"]


@pytest.mark.requirement("NOTHING-SAID-IS-LOST-IN-SILENCE")
async def test_an_unused_wish_is_in_the_reply_in_the_request_and_in_the_permission(house):
    assert 'I did nothing with "with a sea view".' in await house.say("ann", WISH)
    assert (await asked_of(house))["unused"] == ["with a sea view"]
    assert "I did nothing with" not in await house.say("ann", "with breakfast for two")
    assert "with a sea view" in (await asked_of(house))["unused"]
    await house.say("ann", "book the cheapest")
    told = (await house.asked("ann"))["facts"]["You also asked for"]
    assert told.startswith("with a sea view")
    assert told.endswith("(this offer was not chosen by it)")


@pytest.mark.requirement("NOTHING-SAID-IS-LOST-IN-SILENCE")
async def test_a_wish_beside_the_booking_itself_is_told_before_it_is_allowed(house):
    await house.say("ann", FLIGHTS)
    await house.say("ann", "book the cheapest with extra blankets")
    told = (await house.asked("ann"))["facts"]["You also asked for"]
    assert told == "with extra blankets (this offer was not chosen by it)"


async def test_a_wish_is_not_told_any_more_once_it_is_taken_back_or_the_request_is_another(house):
    await house.say("ann", WISH)
    await house.say("ann", "never mind the sea view")
    assert (await asked_of(house))["unused"] == []
    await house.say("ann", "book the cheapest")
    assert "You also asked for" not in (await house.asked("ann"))["facts"]
    await house.say("ann", WISH)
    await house.say("ann", FLIGHTS)
    assert (await asked_of(house, "flight"))["unused"] == []


async def test_what_nobody_said_is_told_as_assumed(house):
    await house.say("ann", FLIGHTS)
    assert (await asked_of(house, "flight"))["assumed"] == ["cabin_class", "passengers"]
    await house.say("ann", "business class for two")
    assert (await asked_of(house, "flight"))["assumed"] == []
