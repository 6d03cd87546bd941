"""What is said beside an assent is answered."""

from tests.agents.booking_guest import FLIGHTS


async def test_a_wish_beside_an_assent_is_told_not_to_be_used(house):
    await house.say("ann", FLIGHTS)
    reply = await house.say("ann", "a place with a kitchen would be great")
    assert reply == 'I did nothing with "kitchen".'
    assert await house.say("ann", "ok great") == "All right."


async def test_a_misspelt_wish_to_book_is_one(house):
    await house.say("ann", FLIGHTS)
    await house.say("ann", "ok bok it pls")
    assert (await house.asked("ann"))["tool"] == "book_flight"
