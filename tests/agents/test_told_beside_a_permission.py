"""The question whether to book tells what of the message is left out, and what is asked next."""

import pytest

from tests.agents.booking_guest import FLIGHTS, HOTELS

BOTH = f"{FLIGHTS} to 9 December and a hotel there"


@pytest.mark.parametrize(
    ("search", "said", "left_out"),
    [
        (FLIGHTS, "book the first flight provided it is refundable", "provided it is refundable"),
        (FLIGHTS, "take it with the earliest out", "earliest"),
        (HOTELS, "book the second one with a sea view", "sea view"),
        (HOTELS, "book the cheapest as long as breakfast is included", "as long as breakfast is included"),
    ],
)
@pytest.mark.requirement("WRITES-ARE-ALLOWED")
async def test_what_is_left_out_is_told_with_the_question(house, search, said, left_out):
    await house.say("ann", search)
    asked = await house.say("ann", said)
    assert asked.startswith("Shall I book ")
    assert left_out in asked


@pytest.mark.parametrize(
    "said",
    [
        "Please book the first flight and that hotel, provided it is refundable.",
        "book both",
        "take the cheapest of each",
        "book the second flight and the cheapest hotel",
    ],
)
@pytest.mark.requirement("BOTH-ARE-BOOKED-IN-TURN")
async def test_the_first_question_of_two_names_the_second(house, said):
    await house.say("ann", BOTH)
    assert "I will ask about the hotel next." in await house.say("ann", said)
    assert "next" not in await house.say("ann", "yes")
