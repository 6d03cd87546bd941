"""The grammar of dates: which words at one place in a message name a day, a range of days or a stay.

It only recognises; what day of the calendar is meant is for `days`. Every rule looks a bounded number of
tokens ahead, so reading a message takes time in proportion to its length.
"""

from dataclasses import dataclass, replace

from ..language.numbers import whole_number
from ..language.text import Text
from . import feasts, words
from .days import Day, Month, MonthDay, Week, Weekend
from .parts import joins
from .points import Point, is_counted_from, read_point
from .ranges import in_the_same_order, range_in_a_month
from .special_days import Choice, Months

_NIGHTS_AT_MOST = 365
_WORDS_AFTER_ANY_DAY = 4
_BEGINNINGS = words.BEGINNINGS | feasts.BEGINNINGS
_PERIODS = Month | Week | Months


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
    if not text[index].is_number and text.norm(index) not in _BEGINNINGS:
        return None
    stay = _stay(text, index)
    if stay:
        return Span(first=index, after=stay[1], nights=stay[0])
    is_any_day = text.match_before(words.ANY_DAY, index, within=_WORDS_AFTER_ANY_DAY)
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
        return Span(first=index, after=end[1], start=start, end=last, is_any_day=is_any_day)
    other = read_point(text, after + 1) if text.norm(after) == "or" else None
    if other and not isinstance(other[0], _PERIODS):
        return Span(first=index, after=other[1], start=Choice(days=(start, other[0])))
    return Span(first=index, after=after, start=start)


def _in_the_year_of(end: Day, start: Day) -> Day:
    """A start whose year was said only with the end: "between 15 March and 17 March 2027"."""
    if not (isinstance(start, MonthDay) and isinstance(end, MonthDay)) or start.year or not end.year:
        return start
    return replace(start, year=end.year - (start.month > end.month))


def _stay(text: Text, index: int) -> tuple[int, int] | None:
    """ "3 nights", "for a week", "5-day trip", "overnight", "a long weekend": the nights, the index after."""
    if text.norm(index) == "overnight":
        return 1, index + 1
    if [text.norm(index), text.norm(index + 1)] == ["long", "weekend"]:
        return words.NIGHTS_OF_A_LONG_WEEKEND, index + 2
    is_for = text.norm(index - 1) in ("for", "stay", "staying", "spanning", "lasting")
    is_for = is_for or (text.norm(index - 1) == "of" and text.norm(index - 2) == "total")
    is_single = text.norm(index + 1) == "single" and text.norm(index + 2) in words.NIGHT_UNITS
    if text.norm(index) in ("a", "the", "one") and is_single:
        return 1, index + 3
    if text.norm(index) in ("a", "the") and is_for and text.norm(index + 1) not in ("couple", "pair"):
        count, after = 1, index + 1
    else:
        read = whole_number(text, index)
        if read is None:
            return None
        count, after = read
    if text.norm(after) == "-":
        after += 1
    unit = text.norm(after)
    is_told = text.norm(index - 1) in words.BOUNDS or text.norm(index - 1) in words.WEEKDAYS
    is_alone = is_told and text.norm(after + 1) in words.BOUNDS
    is_stay = is_for or is_alone or text.norm(after + 1) in words.AFTER_A_STAY
    if unit not in words.NIGHT_UNITS and not (unit in words.DAY_UNITS and is_stay):
        return None
    nights = count * (words.NIGHT_UNITS | words.DAY_UNITS)[unit]
    is_ahead = not is_for and unit in words.DAY_UNITS and is_counted_from(text, after + 1)
    return (nights, after + 1) if 0 < nights <= _NIGHTS_AT_MOST and not is_ahead else None


def _up_to(text: Text, start: int, index: int) -> Point | None:
    """The other end of a range whose first end has been read, or None where it is no range."""
    if not joins(text, start, index):
        return None
    end = read_point(text, index + 1)
    return end if end and not isinstance(end[0], _PERIODS | Weekend) else None
