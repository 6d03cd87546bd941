"""Complaints and remarks: what is understood is told, and how to put it right; nothing is searched."""

import pytest

from backend.travel.agents.response import (
    CHEAPER,
    HELLO,
    I_SEE,
    NOTHING_UNTIL_THEN,
    PUT_RIGHT,
    YOU_ARE_WELCOME,
)
from tests.agents.sources import Provider, Source, Travel, a_flight

FLIGHTS = "Find flights from Berlin to Tokyo on 10 December"

pytestmark = pytest.mark.virtual_time


async def reply_to(message: str, *, first: str = FLIGHTS) -> str:
    travel = Travel(Provider([Source("one", [a_flight("590.00")])]))
    _, before = await travel.reply(first)
    reply, context = await travel.reply(message, after=before)
    assert context.tool_calls == {}
    return reply


@pytest.mark.parametrize(
    "message",
    [
        *(
            "this is useless",
            "you got it wrong",
            "wrong city",
            "you are not listening",
        ),
        *("are you kidding me", "i already told you", "you keep getting it wrong", "that's wrong!", "wtf"),
    ],
)
async def test_who_complains_is_told_what_is_understood_and_how_to_put_it_right(message):
    understood = "I understood: flights from Berlin to Tokyo on Thu 10 December 2026, 1 passenger, economy."
    assert await reply_to(message) == f"I am sorry. {understood} {PUT_RIGHT}"


@pytest.mark.parametrize(
    "message",
    [
        "I lived in Kyoto for 4 years",
        "I was in Rome last year",
        "it's my birthday on the 12th",
        "lol",
        "oh dear",
    ],
)
async def test_a_remark_is_answered_as_one(message):
    assert await reply_to(message) == I_SEE


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ("ok I think about it with my husband, gracias!", NOTHING_UNTIL_THEN),
        ("I shall speak with my sister this evening. Thank you for your patience.", YOU_ARE_WELCOME),
        ("let me ask the boys tomorrow", NOTHING_UNTIL_THEN),
        ("Very well, I'll go over it with my sister tonight", NOTHING_UNTIL_THEN),
        ("Thank you for your patience", YOU_ARE_WELCOME),
        ("Very well. Thank you so much for your patience and for bearing with me.", YOU_ARE_WELCOME),
        ("Hiya love, how are you today? Its miserable here in Leeds!", HELLO),
        ("hello, hope you're having a good Monday!", HELLO),
        ("it's pouring here in Manchester today", I_SEE),
    ],
)
async def test_leave_taking_and_greetings_are_answered_as_such(message, reply):
    assert await reply_to(message) == reply


@pytest.mark.parametrize("message", ["wow that's expensive", "what a bargain"])
async def test_who_finds_it_dear_is_told_how_to_find_others(message):
    assert await reply_to(message) == CHEAPER


@pytest.mark.parametrize(
    ("message", "begins"),
    [
        ("can you email me the receipt", "I send no mails, receipts or boarding passes"),
        ("my name is Anna Schmidt", "I need no names"),
    ],
)
async def test_what_a_demo_does_not_need_is_told(message, begins):
    assert (await reply_to(message)).startswith(begins)
