"""A message that is longer than is read: what lies beyond is told."""

from datetime import date

from backend.travel.understanding.tokens import TOKENS_AT_MOST
from backend.travel.understanding.understand import understand

TODAY = date(2026, 1, 5)
FLIGHT = "a flight from Paris to Rome on May 5"


def unused_of(message: str) -> tuple[str, ...]:
    return understand(message, previous=None, today=TODAY).unused


def test_words_beyond_the_limit_are_told_by_how_they_begin() -> None:
    *_, told = unused_of(FLIGHT + "." * TOKENS_AT_MOST + " And a direct one with Lufthansa, in May please")
    assert told.endswith(" \u2026")
    assert "And a direct one with" in told


def test_of_a_message_that_is_read_whole_nothing_lies_beyond() -> None:
    assert not [said for said in unused_of(FLIGHT) if "\u2026" in said]
