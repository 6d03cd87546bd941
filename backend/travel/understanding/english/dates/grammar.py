"""The grammar of dates: which words at one place in a message name a day, a range of days or a stay.

It only recognises; what day of the calendar is meant is for `days`. Every rule looks a bounded number of
tokens ahead, so reading a message takes time in proportion to its length.
"""

from dataclasses import dataclass, replace

from ..language.tables import phrases_of, words_of
from ..language.text import FIGURES, Text
from . import feasts, school, words
from .days import Day, Month, MonthDay, PartOfPeriod, Week, Weekday, Weekend
from .lengths import read_length
from .parts import joins
from .points import Point, read_point
from .ranges import in_the_same_order, range_in_a_month
from .special_days import Around, Choice, HalfTerm, Months

_SAID = phrases_of("dates")
_WORDS = words_of("dates")

_WORDS_AFTER_ANY_DAY = 4
_IN_WORDS = words.BEGINNINGS | feasts.BEGINNINGS | school.BEGINNINGS
BEGINNINGS = _IN_WORDS | {FIGURES}
"""What a date may begin with."""
_PERIODS = Month | Week | Months | PartOfPeriod | HalfTerm | Around


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """The tokens from `first` up to `after`, which name a day, a range, or a stay of some nights.

    Of a range that `is_any_day` one day is meant, which is still to be said.
    """

    first: int
    after: int
    start: Day | None = None
    end: Day | None = None
    nights: int | None = None
    is_any_day: bool = False


def read_span(text: Text, index: int) -> Span | None:
    """Return the date that begins with that token, None if none does."""
    if text.norm(index) not in _IN_WORDS and not text[index].is_number:
        return None
    stay = read_length(text, index)
    if stay:
        return Span(first=index, after=stay[1], nights=stay[0])
    may_be_any_day = text.has(_SAID.any_day)
    is_any_day = may_be_any_day and text.match_before(_SAID.any_day, index, within=_WORDS_AFTER_ANY_DAY)
    within_a_month = range_in_a_month(text, index)
    if within_a_month:
        start, end, after = within_a_month
        return Span(first=index, after=after, start=start, end=end, is_any_day=is_any_day)
    point = read_point(text, index)
    if point is None:
        return None
    start, after = point
    if isinstance(start, _PERIODS):
        return Span(first=index, after=after, start=start)
    end = _up_to(text, index, after)
    if end:
        start, last = in_the_same_order(start, end[0])
        start = _in_the_year_of(last, start)
        if isinstance(start, Weekday) and isinstance(last, Weekday) and text.norm(end[1] - 1) == "week":
            start = replace(start, which=last.which)  # "Thursday to Sunday next week"
        return Span(first=index, after=end[1], start=start, end=last, is_any_day=is_any_day)
    other = read_point(text, _behind_or(text, after)) if text.norm(after) == "or" else None
    if other and not isinstance(other[0], _PERIODS):
        return Span(first=index, after=other[1], start=Choice(days=(start, other[0])))
    return Span(first=index, after=after, start=start)


def _in_the_year_of(end: Day, start: Day) -> Day:
    """A start whose year was said only with the end: "between 15 March and 17 March 2027"."""
    if not (isinstance(start, MonthDay) and isinstance(end, MonthDay)) or start.year or not end.year:
        return start
    return replace(start, year=end.year - (start.month > end.month))


def _behind_or(text: Text, at: int) -> int:
    """The index of the other day of a choice: "tonight or first thing tomorrow"."""
    at += 1
    while text.norm(at) in _WORDS.before_another_day and not (
        text.norm(at) == "early" and text.norm(at + 1) not in _WORDS.tomorrow
    ):
        at += 1
    return at


def _up_to(text: Text, start: int, index: int) -> Point | None:
    """The other end of a range whose first end has been read, or None where it is no range."""
    if not joins(text, start, index):
        return None
    end = read_point(text, index + 1)
    return end if end and not isinstance(end[0], _PERIODS | Weekend) else None
