"""Understanding takes about a millisecond, and no message takes long.

Speed is judged as a ratio to a floor that is measured in the same run: how fast a machine is, and how busy,
changes both alike.
"""

import time
from collections.abc import Callable
from datetime import date

import pytest

from backend.travel.understanding import tokens
from backend.travel.understanding.english.language.text import tokenise
from backend.travel.understanding.places.gazetteer import load_gazetteer
from backend.travel.understanding.tokens import TOKENS_AT_MOST
from backend.travel.understanding.understand import understand

TODAY = date(2026, 11, 20)
MESSAGES = (
    "Find flights from Berlin to Tokyo on 10 December",
    "and hotels there",
    "actually make it Paris",
    "Flights from BER to JFK next Friday, return on 3 December, 2 people, business class, nonstop",
    "I need a hotel in Rome from 3 to 7 May for 2 adults, at least 4 stars",
    "thanks!",
)


WORDS = tuple(f"word{number}" for number in range(8_000))
PHRASES = {word: (word, word[::-1]) for word in WORDS[::3]}
MOST_TIMES_FIXED_WORK = 1.9
"""How many times as long as `fixed_work` reading a usual message may take. Measured where the
fixed work takes 1.02 ms: 0.3 to 1.1 times while nothing else runs, up to 1.6 times beside ten busy processes.
The limit was 2 ms before, 1.96 times there; elsewhere 2.03 ms were taken once.
"""
MOST_TIMES_SPLITTING = 36
"""How many times as long as splitting a message into words the whole of understanding it may take. Measured:
5 to 32 times for these pieces, which was below 20 ms on the machine that this limit was first written on.
"""


def phrases_at(index: int) -> int:
    """Look up one word."""
    found = PHRASES.get(WORDS[index])
    return len(found[0]) if found is not None else 0


def fixed_work() -> int:
    """Do what reading is made of, calls and look-ups, always as much: for about as long as reading takes.

    It goes through as much memory, too: on a busy machine, what others push out of the caches costs most.
    """
    return sum(phrases_at(index * 4_001 % len(WORDS)) for index in range(len(WORDS)))


def shortest(work: Callable[[], object], repeats: int) -> float:
    """Return the processor time that something takes, in seconds, the shortest of several."""
    taken: list[float] = []
    for _ in range(repeats):
        started = time.thread_time()
        work()
        taken.append(time.thread_time() - started)
    return min(taken)


def seconds(message: str, repeats: int) -> float:
    """Return the processor time that understanding a message takes, the shortest of several."""
    load_gazetteer()
    return shortest(lambda: understand(message, previous=None, today=TODAY), repeats)


def times_fixed_work(message: str) -> float:
    """Return how many times as long as `fixed_work` understanding a message takes, measured in turns."""
    turns = [(seconds(message, 2), shortest(fixed_work, 2)) for _ in range(25)]
    return min(of_message for of_message, _ in turns) / min(of_floor for _, of_floor in turns)


@pytest.mark.parametrize("message", MESSAGES)
def test_a_usual_message_takes_less_than_so_many_times_a_fixed_piece_of_work(message: str) -> None:
    # Up to three rounds, each with its floor: on a shared machine its speed changes between the two measures.
    assert any(times_fixed_work(message) < MOST_TIMES_FIXED_WORK for _ in range(3))


@pytest.mark.parametrize(
    "piece",
    [
        "a b! ",
        "10 ",
        "10-",
        "in the ",
        "🎉",
        "next ",
        "Xyz to Berlni in Qwertz ",
        "the 3rd to the ",
        "my wife and ",
        "a Foo Inn ",
        "Ich suche einen Flug von Berlin nach Rom am 3. Mai und ein Hotel. ",
        "Je cherche un vol pour Lisbonne et un hôtel près de la gare. ",
        "東京のホテルを予約したいです。",
        "أريد حجز فندق في باريس ",
    ],
)
def test_eight_thousand_characters_of_noise_or_another_language_take_little_more_than_splitting_them(
    piece: str,
) -> None:
    message = (piece * 8_000)[:8_000]
    # Up to three rounds, each with its floor: on a shared machine its speed changes between the two measures.
    assert any(seconds(message, 9) < MOST_TIMES_SPLITTING * seconds_to_split(message) for _ in range(3))


def seconds_to_split(message: str) -> float:
    """Return how long it takes to split 800 words and signs: of as many the limit was measured."""

    def split() -> None:
        tokens.tokenise.cache_clear()  # the words of a message are remembered while it is read
        tokenise(message)

    return shortest(split, 15) * 800 / TOKENS_AT_MOST
