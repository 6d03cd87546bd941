"""Understanding takes about a millisecond, and no message takes long."""

import time
from datetime import date

import pytest

from backend.travel.understanding.places.gazetteer import load_gazetteer
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


def seconds(message: str, repeats: int) -> float:
    """Return the processor time that understanding a message takes, the shortest of several."""
    load_gazetteer()
    taken: list[float] = []
    for _ in range(repeats):
        started = time.thread_time()
        understand(message, previous=None, today=TODAY)
        taken.append(time.thread_time() - started)
    return min(taken)


@pytest.mark.parametrize("message", MESSAGES)
def test_a_usual_message_takes_less_than_two_milliseconds(message: str) -> None:
    assert seconds(message, 50) < 0.002


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
def test_eight_thousand_characters_of_noise_or_another_language_take_less_than_twenty_milliseconds(
    piece: str,
) -> None:
    assert seconds((piece * 8_000)[:8_000], 9) < 0.02
