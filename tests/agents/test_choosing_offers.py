"""An offer that is chosen is told and proposed: a yes to that asks for permission, and books nothing."""

import pytest

from tests.agents.booking_guest import FLIGHTS, HOTELS


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
@pytest.mark.parametrize("agreed", ["yes", "ok book it", "yes go ahead", "Book it"])
async def test_a_yes_to_the_proposal_asks_for_permission_and_books_nothing_yet(house, agreed):
    await house.say("ann", FLIGHTS)
    told = await house.say("ann", "ok the second one please")
    assert told.startswith("Number 2, ")
    assert told.endswith("Shall I book it?")
    asked = await house.say("ann", agreed)
    assert asked.startswith("Shall I book ")
    assert (await house.asked("ann"))["kind"] == "permission"
    assert (await house.say("ann", "yes")).startswith("Booked as DEMO-")


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
@pytest.mark.parametrize("said", ["no thanks", "hmm", "is it refundable?", "how long does it take?"])
async def test_anything_else_asks_for_no_permission(house, said):
    await house.say("ann", FLIGHTS)
    await house.say("ann", "ok the second one please")
    assert "Shall I book" not in await house.say("ann", said)
    assert (await house.status("ann"))["input_request"] is None


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
async def test_a_yes_after_something_else_was_said_is_no_answer_to_the_proposal(house):
    await house.say("ann", FLIGHTS)
    await house.say("ann", "ok the second one please")
    await house.say("ann", "is it refundable?")
    assert "Shall I book" not in await house.say("ann", "yes")


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
async def test_a_yes_after_no_offer_was_found_to_be_meant_books_nothing(house):
    await house.say("ann", FLIGHTS)
    told = await house.say("ann", "the 04:03 one")
    assert told.startswith("None of the ")
    assert "Shall I book" not in await house.say("ann", "yes")


async def test_the_other_of_two_that_were_compared_is_the_one_not_spoken_of_since(house):
    await house.say("ann", HOTELS)
    compared = await house.say("ann", "what is the difference between the first two?")
    second = compared.partition("Number 2, ")[2].partition(":")[0]
    await house.say("ann", "tell me more about the first one")
    assert second in await house.say("ann", "ok the other one")
    assert second in await house.say("ann", "book it")
