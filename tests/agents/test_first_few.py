"""The first few, and pets, are told from what was found."""

from tests.agents.booking_guest import FLIGHTS, HOTELS


async def test_three_are_named(house):
    await house.say("ann", FLIGHTS)
    reply = await house.say("ann", "just the three cheapest")
    assert reply.count("EUR") == 3
    assert "The second cheapest, " in reply
    assert (await house.say("ann", "what are the two fastest?")).startswith("The fastest, ")


async def test_hotels_tell_whether_they_take_pets(house):
    await house.say("ann", HOTELS)
    reply = await house.say("ann", "me and my dog")
    assert "room for pets" in reply
    assert "I do not know" not in reply
