"""An order of the offers that is wanted beside a search or a change of it."""

import pytest

from tests.agents.booking_guest import FLIGHTS, HOTELS


@pytest.mark.parametrize(
    ("said", "order"),
    [
        ("make it business class and sort by departure time", "in order of departure"),
        ("economy only, and show the fastest first", "the shortest first"),
        ("for 2 people, sorted by arrival", "in order of arrival"),
    ],
)
async def test_the_change_is_told_and_the_order_with_it(house, said, order):
    await house.say("ann", FLIGHTS)
    reply = await house.say("ann", said)
    assert "I found" in reply
    assert "number 1 is" in reply
    assert order in reply
    assert "did nothing" not in reply


async def test_an_opening_message_may_tell_an_order(house):
    reply = await house.say("ann", f"{HOTELS}, best rated first")
    assert "I found" in reply
    assert "number 1 is" in reply
