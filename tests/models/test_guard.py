"""Sentences of a reply are held against the facts: what no fact bears out is not shown."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.travel.agents.with_model.guard import Guard

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


NO_FLIGHTS = (
    "I found no flights from Berlin to Porto on Thu 10 December, nonstop",
    "40 hotels: cheapest Nightjar Demo Ribeira (2 stars, Ribeira), €100.68.",
    'Without "nonstop, at most 5 h" I have 18 flights: the cheapest Linden Demo (1 stop) for €180.52.',
    "I cannot search by nearness to castle.",
    'I did nothing with "a room with a kotatsu".',
    "DEMO-7K2Q4M stays as it is.",
    "You asked for hotels in Porto, 3 nights, up to €400 in all, with parking",
)
BOTH_WAYS = (
    "I found 44 flights from London to Boston, Thu 14 to Thu 21 January 2027, business class, leaving between"
    " 11:00 and 13:30: cheapest Larkspur Demo, 12:00-15:50, back 18:30-08:30 +1, €1,332.39",
    "18 rental cars in Boston, automatic from €136.85.",
)
STAYS = (
    "hotel: Nightjar Demo Ribeira, €100.68 in all, 2 stars, rated 7.7, 1.0 km from the centre, the cheapest",
    "hotel: Nightjar Demo Baixa, €102.78 in all, 2 stars, rated 7.3, 0.1 km from the centre",
)


@pytest.mark.parametrize(
    "sentence",
    [
        "I found no nonstop flights from Berlin to Porto, but I found 40 hotels.",
        "There are no flights from Berlin to Porto, nonstop.",
        "The cheapest hotel is Nightjar Demo Ribeira for €100.68.",
        "Without the nonstop limit there are 18 flights.",
        "I cannot search near the castle.",
        "I could not use your wish for a kotatsu.",
        "You asked for hotels up to €400 with parking.",
    ],
)
def test_what_was_not_found_may_be_told(sentence: str) -> None:
    assert Guard(NO_FLIGHTS, STAYS).objection(sentence) == ""


@pytest.mark.requirement("REPLIES-ARE-BORNE-OUT")
@pytest.mark.parametrize(
    "sentence",
    [
        "I found flights from Berlin to Porto on 10 December, nonstop.",
        "You can go nonstop from Berlin to Porto on 10 December.",
        "Linden Demo is nonstop.",
        "Linden Demo takes 5 h.",
        "I found 18 hotels.",
        "There are 40 flights.",
        "The cheapest flight is Nightjar Demo Ribeira for €100.68.",
        "The flight costs €100.68.",
        "The hotel is at the castle.",
        "The room has a kotatsu.",
        "Nightjar Demo Ribeira costs €400.",
        "I found 2 rental cars.",
        "Done!",
        "All set!",
        "I will cancel it now.",
        "I'm going to keep looking.",
        "I am no assistant.",
    ],
)
def test_what_was_not_found_is_not_told_as_found(sentence: str) -> None:
    assert Guard(NO_FLIGHTS, STAYS).objection(sentence) != ""


@pytest.mark.parametrize(
    ("sentence", "is_true"),
    [
        ("I found 44 flights and 18 rental cars.", True),
        ("You come back on 21 January, and the flight back leaves at 18:30.", True),
        ("The flights leave between 11:00 and 13:30.", True),
        ("I found 44 rental cars.", False),
        ("I found 18 flights and 44 rental cars.", False),
        ("Larkspur Demo leaves London at 15:50.", False),
        ("Larkspur Demo leaves at 18:30.", False),
        ("Larkspur Demo leaves at 11:00.", False),
        ("It is a first class fare.", False),
        ("I found 44 hotels in Boston.", False),
    ],
)
def test_kinds_ways_and_limits_are_told_apart(sentence: str, is_true: bool) -> None:
    assert (Guard(BOTH_WAYS).objection(sentence) == "") == is_true


SENTENCES = [
    (row, sentence, is_true)
    for row in map(json.loads, Path(__file__).with_name("sentences.jsonl").read_text("utf-8").splitlines())
    for is_true, sentences in ((True, row["true"]), (False, row["untrue"]))
    for sentence in sentences
]


@pytest.mark.requirement("REPLIES-ARE-BORNE-OUT")
@pytest.mark.parametrize(("row", "sentence", "is_true"), SENTENCES, ids=[each for _, each, _ in SENTENCES])
def test_sentence_about_what_a_search_found(row: Any, sentence: str, *, is_true: bool) -> None:
    guard = Guard(row["facts"], row["offers"], row["wanted"])
    *before, last = sentence.split(" || ")
    assert [guard.objection(each) for each in before] == [""] * len(before)
    assert (guard.objection(last) == "") == is_true


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
