"""Days of a month that is not said: "the 12th", "back 16", "until the fourth"."""

from ..language.tables import words_of
from ..language.text import Text
from . import words
from .days import DayOfMonth
from .parts import day_number, skip

_WORDS = words_of("dates")

_WORDS_TO_A_DAY = 4


def bare_day(text: Text, index: int, *, is_told: bool = False) -> tuple[DayOfMonth, int] | None:
    """Return the day without a month there, and the index after it.

    "The 12th", "on the 12th"; "12th" only where a date can stand, "first" never.
    `is_told` says that a weekday stands before it.
    """
    at = skip(text, index, "the")
    day = day_number(text, at)
    if day is None:
        return None
    if not day.is_ordinal:
        is_plain = text[at].is_number and _is_plain_day(text, at, day.after)
        return (DayOfMonth(day=day.day), day.after) if is_plain else None
    if not text[at].is_number and not _is_spelled_day(text, at, day.after):
        return None
    if text.norm(day.after) in _WORDS.after_no_day:
        return None
    if (
        text.norm(day.after) == "of"
        and text.norm(day.after + 1) in ("this", "next")
        and text.norm(day.after + 2) == "month"
    ):
        return DayOfMonth(day=day.day, months_ahead=int(text.norm(day.after + 1) == "next")), day.after + 3
    is_alone = text.norm(at - 1) in words.BOUNDS and text.norm(day.after) in words.AROUND_A_DAY
    is_last = at == index and day.day > words.LAST_OF_A_LIST and text.norm(day.after) in words.BOUNDS
    is_told = is_told or is_alone or is_last or text.norm(at - 1) in _WORDS.words_before_a_day
    return (DayOfMonth(day=day.day), day.after) if is_told else None


def day_behind_its_name(text: Text, index: int, weekday: int) -> tuple[DayOfMonth, int] | None:
    """Return the day without a month behind its weekday, and the index after it: "back mon 14"."""
    day = day_number(text, index) if text[index].is_number else None
    if day is None or day.is_ordinal or text.is_glued(index) or _is_of_a_number(text, day.after):
        return None
    ends = text.norm(day.after) in words.AFTER_A_PLAIN_DAY or text.norm(day.after) in _WORDS.up_to
    return (DayOfMonth(day=day.day, weekday=weekday), day.after) if ends else None


def _is_plain_day(text: Text, at: int, after: int) -> bool:
    """Whether a number without an ending is a day of a month: "back 16", "I come back on the 14"."""
    if text.norm(after) not in words.AFTER_A_PLAIN_DAY or text.is_glued(at) or _is_of_a_number(text, after):
        return False
    before = at - 1
    if text.norm(before) == "the":
        return text.norm(before - 1) in _WORDS.before_a_plain_day
    for _ in range(_WORDS_TO_A_DAY):
        before -= text.norm(before) in _WORDS.to_a_plain_day
    return text.norm(before) in _WORDS.comes_back and not text[before - 1].is_number


def _is_of_a_number(text: Text, after: int) -> bool:
    """Whether a number goes on there: "9.20"."""
    return text.is_glued(after) and text.is_glued(after + 1) and text[after + 1].is_number


def _is_spelled_day(text: Text, at: int, after: int) -> bool:
    """Whether an ordinal in words is a day of a month: "come back on the fourth after five pm"."""
    if text.norm(at - 1) != "the":
        return False
    ends = text.norm(after) in words.BOUNDS or text.norm(after) in words.AFTER_A_SPELLED_DAY
    if ends and text.norm(at - 2) in _WORDS.before_a_spelled_day | _WORDS.comes_back:
        return True
    # Nobody tells the thirteenth of a list of offers, but "the second" of them.
    read = day_number(text, at)
    is_high = read is not None and read.day > words.LAST_OF_A_LIST
    return is_high and (ends or text.norm(after) in words.BEHIND_A_PLAIN_ORDINAL)
