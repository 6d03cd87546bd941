"""Understanding takes about a millisecond, and no message takes long."""

import time
from datetime import date
from statistics import median

import pytest

from backend.understanding.gazetteer import load_gazetteer
from backend.understanding.understand import understand

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
    """Return the median time that understanding a message takes."""
    load_gazetteer()
    taken: list[float] = []
    for _ in range(repeats):
        started = time.perf_counter()
        understand(message, previous=None, today=TODAY)
        taken.append(time.perf_counter() - started)
    return median(taken)


@pytest.mark.parametrize("message", MESSAGES)
def test_a_usual_message_takes_less_than_two_milliseconds(message: str) -> None:
    assert seconds(message, 50) < 0.002


@pytest.mark.parametrize(
    "piece", ["a b! ", "10 ", "10-", "in the ", "🎉", "next ", "Xyz to Berlni in Qwertz "]
)
def test_eight_thousand_characters_of_noise_take_less_than_fifty_milliseconds(piece: str) -> None:
    assert seconds((piece * 8_000)[:8_000], 5) < 0.05
