"""Sentences of a reply are held against the facts: what no fact bears out is not shown."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.travel.agents.with_model.reply import Guard

FACTS = (
    "I found 25 flights from Berlin to Lisbon on Thu 10 December 2026: the cheapest is Larch Demo for 120"
    " EUR.",
    'I did nothing with "a window seat".',
    "All of it is demo inventory: invented flights, hotels, cars and prices.",
)
OFFERS = (
    "Larch Demo, 120.00 EUR in all, with 1 checked bag each, not refundable, leaves from Berlin BER on Thu 10"
    " December 2026 at 09:05, arrives in Lisbon LIS on Thu 10 December 2026 at 12:35, takes 3 h 30 min,"
    " nonstop, the cheapest",
    "Aurora Demo, 185.50 EUR in all, with no checked bag, refundable, leaves from Berlin BER on Thu 10"
    " December 2026 at 06:15, arrives in Lisbon LIS on Thu 10 December 2026 at 13:00,"
    " takes 7 h 45 min, 1 stop",
)
WANTED = "find flights from berlin to lisbon on 10 december with a window seat"
BEFORE = "The cheapest is Larch Demo for 120 EUR."

TRUE = (
    "I found 25 flights from Berlin to Lisbon on 10 December.",
    "The cheapest is Larch Demo for 120 EUR.",
    "Larch Demo is the cheapest option at €120.",
    "It leaves at 09:05 and arrives at 12:35.",
    "There are 25 options available for December 10.",
    "There are twenty-five flights on the 10th of December.",
    "The cheapest flight costs 120 euros and is nonstop.",
    "Aurora Demo costs 185.50 EUR, is refundable and has one stop.",
    "Please note that these are demo offers.",
    "Would you like me to book it?",
    "The Larch Demo flight takes 3 h 30 min.",
    "Larch Demo departs at 9:05 am and lands at 12:35 pm.",
    "It is a direct flight of 3 hours 30 minutes.",
    "It includes 1 checked bag but is not refundable.",
    "Let me know if you'd like to see other options.",
    "Your cheapest option is **Larch Demo**, a nonstop flight at 120 EUR.",
    "Here are your flights from Berlin to Lisbon on Thursday, 10 December 2026:",
    "1. Larch Demo: 120 EUR, nonstop",
    "- Aurora Demo: 185.50 EUR, 1 stop",
    "I could not use your wish for a window seat.",
    "You asked for a flight to Lisbon on 10 December.",
    "The flight with Larch Demo leaves Berlin at 09:05 on Thursday and arrives in Lisbon at 12:35.",
    "All prices and flights are invented demo inventory.",
    "Aurora Demo leaves at 06:15, but it has one stop.",
    "Larch Demo has no stops.",
    "The fare is not refundable.",
)
UNTRUE = (
    "It is a 12-hour flight from Berlin to Lisbon.",
    "The cheapest is Aurora Demo for 185.50 EUR.",
    "Larch Demo costs 185.50 EUR.",
    "Larch Demo is refundable.",
    "Aurora Demo is nonstop.",
    "It leaves at 12:35.",
    "It arrives at 09:05.",
    "I have booked it for you.",
    "Your flight is booked.",
    "The booking is confirmed.",
    "I am holding the fare for you.",
    "Your reference is DEMO-7K2Q4M.",
    "I found 24 flights from Berlin to Lisbon.",
    "There are twenty-four flights.",
    "Here are flights from Lisbon to Berlin.",
    "The cheapest is 99 EUR.",
    "It costs $120.",
    "Breakfast is included.",
    "It has two stops.",
    "Larch Demo has one stop.",
    "Skyjet flies for 120 EUR.",
    "The flight is on 11 December.",
    "The flight leaves on Friday.",
    "Aurora Demo leaves at 06:15 and costs 120 EUR.",
    "Larch Demo for 120 EUR, Aurora Demo for 120 EUR.",
    "These are not demo offers.",
    "All offers are real.",
    "Larch Demo takes 7 h 45 min.",
    "Aurora Demo includes a bag.",
    "Aurora Demo is the fastest.",
    "You have a window seat.",
    "There are no flights.",
    "I have sent you an email.",
    "The fare is refundable.",
    "Lisbon is sunny in December.",
    "Larch Demo costs 120 EUR a night.",
    "Larch Demo costs 120 EUR per person.",
)


PIECES = (
    "99:99", "0", "1,2,3", "1,200.5", "h", "min", "12", "of", "May", "EUR", "$", "a.m.", "12 pm", "not",
    "and", "the", "cheapest", "2026-99-99", "DEMO-1234", "each", "per", "night", "twenty-one", "31st", "(",
    ":", "Larch", "it",
)  # fmt: skip


def objection(sentence: str) -> str:
    guard = Guard(FACTS, OFFERS, WANTED)
    assert guard.objection(BEFORE) == ""
    return guard.objection(sentence)


@pytest.mark.requirement("REPLIES-ARE-BORNE-OUT")
@pytest.mark.parametrize("sentence", UNTRUE)
def test_untrue_sentence_is_held_back(sentence: str) -> None:
    assert objection(sentence) != ""


@pytest.mark.parametrize("sentence", TRUE)
def test_true_sentence_is_shown(sentence: str) -> None:
    assert objection(sentence) == ""


@pytest.mark.parametrize("word", ["booked", "held", "cancelled"])
def test_words_for_what_was_done_need_a_fact_that_says_so(word: str) -> None:
    sentence = f"Your flight with Larch Demo is {word}."
    assert Guard(FACTS, OFFERS).objection(sentence) == f"word {word}"
    done = f"Larch Demo on Thu 10 December 2026 is {word}, reference DEMO-7K2Q4M."
    assert Guard([*FACTS, done], OFFERS).objection(f"{sentence} Your reference is DEMO-7K2Q4M.") == ""
    denied = f"You did not allow it, so nothing was {word}."
    assert Guard([*FACTS, denied], OFFERS).objection(f"It was {word}.") != ""
    assert Guard([*FACTS, denied], OFFERS).objection(f"It was not {word}.") == ""


def test_price_of_a_part_is_not_that_of_the_whole() -> None:
    stay = "I found 3 hotels in Rome: the cheapest is Heron Demo for 360 EUR (120 EUR a night)."
    assert Guard([stay]).objection("Heron Demo costs 360 EUR, which is 120 EUR per night.") == ""
    assert Guard([stay]).objection("Heron Demo costs 120 EUR.") != ""
    assert Guard([stay]).objection("Heron Demo costs 360 EUR a night.") != ""


@settings(max_examples=400, deadline=None, derandomize=True, database=None)
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=14))
def test_guard_reads_whatever_a_model_says(pieces: list[str]) -> None:
    guard = Guard(FACTS, OFFERS, WANTED)
    assert isinstance(guard.objection(" ".join(pieces)), str)
    assert isinstance(guard.objection("".join(pieces)), str)
