"""The pieces dates are made of: a day of a month, a month, a year, what joins two days.

Each reader looks at one place in a message and returns what stands there with the index after it.
"""

from backend.understanding import date_words as words
from backend.understanding.numbers import whole_number
from backend.understanding.text import Text


def day_number(text: Text, index: int) -> tuple[int, int, bool] | None:
    """A day of a month, the index after it, and whether it was an ordinal: "10", "10th", "tenth", "ten"."""
    token = text[index]
    if token.is_number:
        is_ordinal = text.norm(index + 1) in words.ORDINAL_ENDINGS
        day = int(token.raw) if len(token.raw) <= 2 else 0
        return (day, index + 1 + is_ordinal, is_ordinal) if 1 <= day <= 31 else None
    if token.norm in words.ORDINALS:
        return words.ORDINALS[token.norm], index + 1, True
    read = whole_number(text, index)
    if token.norm in ("twenty", "thirty"):
        after = index + 2 if text.norm(index + 1) == "-" else index + 1
        unit = words.ORDINALS.get(text.norm(after), 0)
        if 0 < unit < 10:
            return {"twenty": 20, "thirty": 30}[token.norm] + unit, after + 1, True
    if read and token.is_word and token.norm not in ("a", "couple", "pair") and 1 <= read[0] <= 31:
        return *read, False
    return None


def month_name(text: Text, index: int) -> tuple[int, int] | None:
    """Return the number of the month named there, with the index after it and its full stop."""
    month = words.MONTHS.get(text.norm(index))
    if month is None:
        return None
    is_abbreviated = text.norm(index + 1) == "." and text.is_glued(index + 1) and len(text.norm(index)) <= 4
    return month, index + 1 + (is_abbreviated and text.norm(index) != "may")


def year_number(text: Text, index: int) -> tuple[int | None, int]:
    """A year, with or without a comma before it, and the index after; None where none is said."""
    at = index + 1 if text.norm(index) in (",", "of") else index
    token = text[at]
    if token.is_number and len(token.raw) == 4 and token.raw.startswith("20"):
        is_money = text.norm(at + 1) in words.CURRENCIES or text.norm(at - 1) in words.CURRENCIES
        if not is_money:
            return int(token.raw), at + 1
    return None, index


def skip(text: Text, index: int, *skipped: str) -> int:
    """The index, or the next one if one of these words or signs stands there."""
    return index + 1 if text.norm(index) in skipped else index


def month_after(text: Text, index: int) -> tuple[int, int | None, int] | None:
    """Month, year and the index after, for what follows a day: "of May 2027"."""
    month = month_name(text, skip(text, index, "of", "day"))
    if month is None:
        return None
    year, after = year_number(text, month[1])
    return month[0], year, after


def joins(text: Text, start: int, index: int) -> bool:
    """Return whether the token there joins the two ends of a range that begins at `start`."""
    return text.norm(index) in words.UP_TO or (
        text.norm(index) == "and" and text.norm(start - 1) == "between"
    )


def is_count(text: Text, index: int) -> bool:
    """Return whether what stands there makes a number before it one of people, nights or the like."""
    return text.norm(index) in words.COUNTED
