"""Complaints, remarks and messages that nothing is made of: the reply says what was understood."""

import pytest

from backend.travel.agents.response import (
    CHEAPER,
    HELLO,
    I_SEE,
    NOTHING_UNTIL_THEN,
    PUT_RIGHT,
    YOU_ARE_WELCOME,
)
from backend.travel.agents.talk import NOTHING_CHANGED, OF_A_TOUR, not_understood
from backend.travel.understanding.understand import understand
from tests.agents.sources import TODAY, Provider, Source, Travel, a_flight

pytestmark = pytest.mark.virtual_time
FLIGHTS = "Find flights from Berlin to Tokyo on 10 December"


async def reply_to(message: str, *, first: str = FLIGHTS) -> str:
    travel = Travel(Provider([Source("one", [a_flight("590.00")])]))
    _, before = await travel.reply(first)
    reply, context = await travel.reply(message, after=before)
    assert context.tool_calls == {}
    return reply


UNDERSTOOD = "I understood: flights from Berlin to Tokyo on Thu 10 December, 1 passenger, economy."


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ("you got it wrong", f"I am sorry. {UNDERSTOOD} {PUT_RIGHT}"),
        ("are you kidding me", f"I am sorry. {UNDERSTOOD} {PUT_RIGHT}"),
        ("I lived in Kyoto for 4 years", I_SEE),
        ("lol", I_SEE),
        ("let me ask the boys tomorrow", NOTHING_UNTIL_THEN),
        ("I shall speak with my sister this evening. Thank you for your patience.", YOU_ARE_WELCOME),
        ("hello, hope you're having a good Monday!", HELLO),
        ("wow that's expensive", CHEAPER),
        ("can you email me the receipt", "I send no mails, receipts or boarding passes"),
        ("my name is Anna Schmidt", "I need no names"),
    ],
)
async def test_remark_is_answered_without_a_search(message, reply):
    assert (await reply_to(message)).startswith(reply)


def after(*messages, is_asked=False):
    known = None
    for message in messages:
        known = understand(message, previous=known, today=TODAY)
    assert known.relation == "other"
    return not_understood(messages[-1], known, today=TODAY, is_asked=is_asked)


@pytest.mark.parametrize("message", ["we need a cot", "grmpf"])
def test_unread_words_are_named_and_nothing_has_changed(message):
    reply = after(FLIGHTS, message)
    assert f'"{message}"' in reply
    assert reply.endswith(NOTHING_CHANGED)
    assert after(FLIGHTS, "grmpf", is_asked=True) == 'I did not understand "grmpf".'


def test_values_without_a_request_are_told_with_an_example():
    reply = after("a cosy cabin with at least four bedrooms")
    assert reply.startswith('I read "4 rooms", but not what to do with it.')
    assert "for example" in reply


@pytest.mark.requirement("OTHER-SERVICES-ARE-NAMED")
def test_message_after_another_service_is_taken_as_about_it_until_one_is_understood():
    reply = after("table for 4 in Bologna on friday 8pm", "one of us is coeliac")
    assert "I cannot look up restaurants, if that is still what you mean." in reply
    between = "a hotel in Rome from 3 to 5 May"
    assert "restaurants" not in after("a table for 4 in Bologna on friday", between, "grmpf")
    train = "is there a train from Kochi to Munnar?"
    assert "if that is still" not in after(train, "does the check-in there bite")


@pytest.mark.parametrize(
    ("message", "read"),
    [
        ("business class please", 'I read "business class"'),
        ("which order is cheaper overall", '"which order'),
    ],
)
def test_message_that_a_tour_cannot_take_is_answered_with_what_it_can(message, read):
    reply = after("Berlin to Rome 3 May, Rome to Athens 7 May, Athens to Berlin 12 May", message)
    assert read in reply
    assert reply.endswith(OF_A_TOUR)


@pytest.mark.parametrize("message", ["stop looking at hotels", "no, flights only"])
def test_wish_that_is_met_already_is_answered_so(message):
    assert after(FLIGHTS, message) == "I look for flights only."
