"""Periods out of which a day is still to be said: "in May", "the week after next", "in summer"."""

from ..language.tables import words_of
from ..language.text import Text
from . import words
from .days import Day, Month, Part, PartOfPeriod, Week
from .parts import month_name, skip, year_number
from .special_days import Months

_WORDS = words_of("dates")

_SEASON_MONTHS = 3


def read_period(text: Text, index: int) -> tuple[Day, int] | None:
    """Return the period that begins at that token, and the index after it."""
    return _season(text, index) or _year(text, index) or _month(text, index)


def read_week(text: Text, index: int) -> tuple[Day, int] | None:
    """Return the week or month that is told from today: "next week", "the week after next"."""
    part, behind = _part_of_a_week(text, index)
    at = skip(text, behind, "the")
    if part != "whole" and text.norm(at) == "week":
        return Week(weeks=0, part=part), at + 1
    if text.norm(at) == "week" and [text.norm(at + 1), text.norm(at + 2)] == ["after", "next"]:
        return Week(weeks=2), at + 3
    which = words.WHICH.get(text.norm(at))
    if which is None or (part != "whole" and text.norm(at + 1) != "week"):
        return None
    ahead = 0 if which == "this" else 1
    if text.norm(at + 1) == "week":
        return Week(weeks=ahead, part=part), at + 2
    return (Month(ahead=ahead), at + 2) if text.norm(at + 1) == "month" else None


def _part_of_a_week(text: Text, index: int) -> tuple[Part, int]:
    """ "the end of", "early", before a week; "whole" and the index itself before anything else."""
    at = skip(text, index, "the")
    part = words.PARTS.get(text.norm(at))
    of = part and skip(text, at + 1, "of", "in")
    is_week = of and "week" in (text.norm(skip(text, of, "the")), text.norm(skip(text, of, "the") + 1))
    return (part, of) if part and of and is_week else ("whole", index)


def _month(text: Text, index: int) -> tuple[Day, int] | None:
    """ "December", "in May 2027", "early March", "the first week of April", "the end of next month"."""
    at = skip(text, index, "the")
    part, at = _part(text, at)
    if part != "whole":
        at = skip(text, at, "of", "-", "in")
        at = skip(text, at, "the")
        if text.norm(at) == "month":
            return Month(part=part), at + 1
        if text.norm(at) in ("next", "this") and text.norm(at + 1) == "month":
            return Month(ahead=int(text.norm(at) == "next"), part=part), at + 2
        if text.norm(at) == "year" and part in ("early", "late"):
            return Month(month=1 if part == "early" else 12, part=part), at + 1
    month = month_name(text, at)
    if month is None:
        return (
            (PartOfPeriod(part=part), at)
            if part in words.WEEKS and text.norm(at) in words.BESIDE_A_WEEK
            else None
        )
    year, after = year_number(text, month[1])
    is_named = part != "whole" or year or text.norm(at) not in _WORDS.months_also_words
    if not (is_named or text.norm(index - 1) in _WORDS.before_a_month):
        return None
    return Month(month=month[0], year=year, part=part), after


def read_nth_week(text: Text, index: int) -> tuple[Day, int] | None:
    """Return the week or half of a month that is told in figures: "3rd week of January"."""
    is_told = text.norm(index + 1) in _WORDS.ordinal_endings and text.norm(index + 2) in ("week", "half")
    return _month(text, index) if is_told else None


def _part(text: Text, index: int) -> tuple[Part, int]:
    """The part of a month that is named, and the index after it."""
    nth = words.NTH.get(text.norm(index))
    if text.norm(index) in _WORDS.ordinal_digits and text.norm(index + 1) in _WORDS.ordinal_endings:
        nth, index = int(text.norm(index)), index + 1
    unit = text.norm(index + 1)
    if nth and unit == "week" and nth in words.WEEKS_OF_A_MONTH:
        return words.WEEKS_OF_A_MONTH[nth], index + 2
    if nth and unit == "half" and nth in words.HALVES:
        return words.HALVES[nth], index + 2
    part = words.PARTS.get(text.norm(index), "whole")
    return part, index + 1 if part != "whole" else index


def _season(text: Text, index: int) -> tuple[Day, int] | None:
    """ "summer", after a word that says that a time is meant: "in summer", "this fall"."""
    at = index + 1 if text.norm(index) in words.WHICH or text.norm(index) == "the" else index
    first = words.SEASONS.get(text.norm(at))
    if (
        first is None
        or text.norm(at + 1) == "break"
        or text.norm(at - 1) not in _WORDS.before_a_season | {"the"}
    ):
        return None
    if text.norm(at - 1) == "the" and text.norm(at - 2) not in _WORDS.before_a_season:
        return None
    year, after = year_number(text, at + 1)
    return Months(first=first, count=_SEASON_MONTHS, year=year), after


def _year(text: Text, index: int) -> tuple[Day, int] | None:
    """ "next year", "early next year"."""
    is_early = words.PARTS.get(text.norm(index)) == "early"
    at = index + 1 if is_early else index
    if [text.norm(at), text.norm(at + 1)] != ["next", "year"]:
        return None
    return Months(first=1, count=3 if is_early else 12, years_ahead=1), at + 2
