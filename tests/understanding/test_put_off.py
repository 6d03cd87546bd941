"""What only puts an answer off, or tells whose name or receipt it is about: it changes nothing."""

import pytest

from backend.travel.understanding.english.talk.put_off import says_nothing, without_put_offs


@pytest.mark.parametrize(
    "said",
    [
        "need to check with my boss first", "I need to discuss it with my wife",
        "let me check with my partner", "checking with my wife brb", "confirm with my wife",
        "gotta ask the wife lol", "i must first to speak with my husband",
        "hang on, need to run it by accounting", "looks good but I need to ask my boss",
        "ok, let me ask Anna", "let me ask Paris, my wife", "waiting for my boss to approve",
        "I have to see what my manager says", "I'll have to clear it with HR",
        "I'd like to talk to her first", "hold that thought, asking my husband",
        "can i answer tomorrow", "Can I answer tomorrow?", "I'll decide tonight",
        "I will tell you tomorrow", "I'll let you know by Thursday evening", "let me sleep on it",
        "will think about it over the weekend", "I'd rather decide on Sunday", "I'll get back to you",
        "give me till tomorrow", "we're still deciding", "remind me tomorrow", "ask me again on Friday",
        "ask me tmrw", "please ask me again later", "ping me in 2 hours", "cancel it tomorrow",
        "do it later", "yes later", "ok later", "yes, do it later", "maybe tomorrow",
        "i am in meeting, later", "take it or leave it", "not my decision", "brb",
        "book it under the name Paris Hilton", "under the name Paris Hilton",
        "my name is Florence Nice", "put it in my wife's name",
        "send the receipt to Florence, my assistant", "I need an invoice for Siena GmbH",
    ],
)  # fmt: skip
def test_postponed_answer_says_nothing_else(said):
    rest = without_put_offs(said)
    assert rest is not None
    assert says_nothing(rest)


@pytest.mark.parametrize(
    "said",
    [
        "ask for a window seat", "can you check with Lufthansa", "check with KLM if bags are included",
        "make it tomorrow", "tomorrow", "a later flight", "the later one", "on Friday",
        "I need to leave on Friday", "I'm going with my wife", "with my boss", "can I fly tomorrow",
        "can we leave tomorrow", "wait for me at the airport", "find one on Friday", "do it for Friday",
        "let me see the second one", "let me check the baggage rules", "let me see hotels",
        "I need 2 tickets", "I want a ticket to Florence",
        "I'd like to discuss business class with my wife", "my name is Bond and I want business class",
        "get the tickets for 3 people", "I'll take the later one", "I'll think about Rome instead",
        "yes", "no", "book it", "book it for Friday", "book it for my wife",
        "book it and send me the receipt", "", "my wife comes too", "decide for me",
        "tell me the price", "tell me about the hotel", "remind me of the price",
        "show me hotels later in May", "answer me", "see you tomorrow",
        "leave tomorrow, back on Friday",
    ],
)  # fmt: skip
def test_wish_that_looks_alike_is_left_whole(said):
    assert without_put_offs(said) is None


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("let me check with my wife, but make it Friday", "but make it Friday"),
        ("wait, what airline is it?", "what airline is it?"),
        ("I'll decide tonight. Is it refundable?", "Is it refundable?"),
        ("ask me later, and show me hotels in Rome", "and show me hotels in Rome"),
        ("no thanks, I'll book it later", "no thanks"),
    ],
)
def test_what_is_said_beside_is_left(said, left):
    rest = without_put_offs(said)
    assert rest.strip(" ,.") == left.strip(" ,.")
