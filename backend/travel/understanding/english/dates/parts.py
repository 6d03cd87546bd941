"""The small parts of dates: days of a month, months, years, and what joins two days."""

from typing import NamedTuple

from ..language.numbers import whole_number
from ..language.tables import words_of
from ..language.text import Text
from . import words

_WORDS = words_of("dates")

_TENS = {"twenty": 20, "thirty": 30}


class DayNumber(NamedTuple):
    """A day of a month, the index after it, and whether it was an ordinal."""

    day: int
    after: int
    is_ordinal: bool


class MonthName(NamedTuple):
    """A month with its year, None where none is said, and the index after it."""

    month: int
    year: int | None
    after: int


def day_number(text: Text, index: int) -> DayNumber | None:
    """Read a day of a month: "10", "10th", "tenth", "ten"."""
    token = text[index]
    if token.is_number:
        is_ordinal = text.norm(index + 1) in _WORDS.ordinal_endings
        day = int(token.raw) if len(token.raw) <= 2 else 0
        return DayNumber(day, index + 1 + is_ordinal, is_ordinal) if 1 <= day <= 31 else None
    if token.norm in words.ORDINALS:
        return DayNumber(words.ORDINALS[token.norm], index + 1, is_ordinal=True)
    if token.norm in _TENS:
        after = index + 2 if text.norm(index + 1) == "-" else index + 1
        unit = words.ORDINALS.get(text.norm(after), 0)
        if 0 < unit < 10:
            return DayNumber(_TENS[token.norm] + unit, after + 1, is_ordinal=True)
    read = whole_number(text, index)
    if read and token.is_word and token.norm not in ("a", "couple", "pair") and 1 <= read[0] <= 31:
        return DayNumber(*read, is_ordinal=False)
    return None


def month_name(text: Text, index: int) -> tuple[int, int] | None:
    """Read the name of a month: its number and the index after it."""
    month = words.MONTHS.get(text.norm(index))
    if month is None:
        return None
    is_abbreviated = text.norm(index + 1) == "." and text.is_glued(index + 1) and len(text.norm(index)) <= 4
    return month, index + 1 + (is_abbreviated and text.norm(index) != "may")


def year_number(text: Text, index: int) -> tuple[int | None, int]:
    """Read a year, with or without a comma before it: it, and the index after; None where none is said."""
    at = index + 1 if text.norm(index) in (",", "of") else index
    token = text[at]
    if token.is_number and len(token.raw) == 4 and token.raw.startswith("20"):
        is_money = text.norm(at + 1) in _WORDS.currencies or text.norm(at - 1) in _WORDS.currencies
        if not is_money:
            return int(token.raw), at + 1
    return None, index


def month_after(text: Text, index: int) -> MonthName | None:
    """Read what follows a day: "of May 2027"."""
    found = month_name(text, skip(text, index, "of", "day", "in"))
    is_of_people = text.norm(index) == "in" and text.norm(index - 2) == "for"  # "for 2 in June"
    if found is None or (is_of_people and text[index - 1].is_number):
        return None
    year, after = year_number(text, found[1])
    return MonthName(found[0], year, after)


def skip(text: Text, index: int, *skipped: str) -> int:
    """Return the index, or the next one if one of these words or signs stands there."""
    return index + 1 if text.norm(index) in skipped else index


def skip_back(text: Text, index: int, *skipped: str) -> int:
    """Return the index, or the one before it if one of these words or signs stands there."""
    return index - 1 if text.norm(index - 1) in skipped else index


def joins(text: Text, start: int, index: int) -> bool:
    """Return whether the token there joins the two ends of a range that begins at `start`."""
    return text.norm(index) in _WORDS.up_to or (
        text.norm(index) == "and" and text.norm(start - 1) == "between"
    )


def is_count(text: Text, index: int) -> bool:
    """Return whether what stands there is counted by the number before it: "2 people"."""
    return text.norm(index) in _WORDS.counted
