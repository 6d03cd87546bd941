"""The next offer beside one, what no offer tells, and what was asked for, are told without another search."""

import pytest

from tests.agents.test_found_questions import BOTH, FLIGHTS, HOTELS, Ann

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("FOUND-ANSWERS-QUESTIONS")]


@pytest.mark.parametrize(
    ("before", "said", "told"),
    [
        (FLIGHTS, "too late", "2 of the 3 flights are earlier than Larch Demo"),
        (FLIGHTS, "later", "None of the 3 flights is later than Larch Demo"),
        (FLIGHTS, "cheaper", "None of the 3 flights is cheaper than Larch Demo"),
        (FLIGHTS, "anything faster?", "2 of the 3 flights are faster than Larch Demo"),
        (HOTELS, "something closer", "1 of the 2 hotels is nearer to the centre than Heron Demo Inn"),
        (HOTELS, "what time is check in", "do not tell anything about the hours of check-in"),
        (FLIGHTS, "do they take skis", "do not tell anything about sports gear"),
        (FLIGHTS, "can we pay later", "You need no card"),
        (FLIGHTS, "can i cancel it if someone gets sick", "1 of the 3 flights can be cancelled for a refund"),
        (FLIGHTS, "whats the catch", "not refundable"),
        (FLIGHTS, "which is the latest flight home", "one-way flights, with no way back"),
        (FLIGHTS, "which one leaves last in the evening", "The latest of the 3 flights is Larch Demo"),
        (FLIGHTS, "why are there no flights", "I looked for flights from Berlin to Tokyo"),
        (FLIGHTS, "please share the fare break up", "its offer tells nothing about taxes and fees"),
        (FLIGHTS, "what did I ask for so far?", "You have asked for"),
        (FLIGHTS, "which dates did i pick", "You have asked for flights from Berlin to Tokyo"),
        (FLIGHTS, "is the pilot nice", 'I cannot answer "is the pilot nice": I know what the offers tell'),
        (BOTH, "is it noisy", "The offers of the hotels do not tell anything about how quiet it is."),
        (HOTELS, "which one is closest to the beach", "does not tell how far the beach is"),
    ],
)
async def test_it_is_answered_from_what_was_found(before, said, told):
    ann = Ann()
    await ann.say(before)
    assert told in await ann.ask(said)


async def test_each_step_goes_on_from_the_offer_told_last():
    ann = Ann()
    await ann.say(FLIGHTS)
    assert "the next of them is Aurora Demo at 08:30" in await ann.ask("too late")
    assert "1 of the 3 flights is earlier than Aurora Demo at 08:30" in await ann.ask("earlier")


async def test_before_anything_is_found_it_is_told_what_is_waited_for():
    ann = Ann()
    await ann.say("flights from Berlin to Tokyo")
    reply = await ann.ask("How long is the flight?")
    assert reply.startswith("I can tell that once I have found flights.")
    assert "on which day" in reply
