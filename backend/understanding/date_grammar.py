"""The grammar of dates: which words at one place in a message name a day, a range of days or a stay.

It only recognises; what day of the calendar is meant is for `days`. Every rule looks a bounded number of
tokens ahead, so reading a message takes time in proportion to its length.
"""

from dataclasses import dataclass, replace

from backend.understanding import date_words as words
from backend.understanding.date_parts import (
    day_number,
    is_count,
    joins,
    month_after,
    month_name,
    skip,
    year_number,
)
from backend.understanding.date_ranges import in_the_same_order, range_in_a_month
from backend.understanding.days import Ahead, Day, DayOfMonth, Month, MonthDay, Week, Weekday, Weekend
from backend.understanding.numbers import whole_number
from backend.understanding.text import Text

_NIGHTS_AT_MOST = 365

_Point = tuple[Day, int]
"""A day, and the index after its last token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """The tokens from `first` up to `after`, which name a day, a range, or a stay of some nights."""

    first: int
    after: int
    start: Day | None = None
    end: Day | None = None
    nights: int | None = None


def read_span(text: Text, index: int) -> Span | None:
    """Return the date that begins with that token, None if none does."""
    if not text[index].is_number and text.norm(index) not in words.BEGINNINGS:
        return None
    stay = _stay(text, index)
    if stay:
        return Span(first=index, after=stay[1], nights=stay[0])
    within_a_month = range_in_a_month(text, index)
    if within_a_month:
        start, end, after = within_a_month
        return Span(first=index, after=after, start=start, end=end)
    point = _point(text, index)
    if point is None:
        return None
    start, after = point
    end = None if isinstance(start, Month | Week) else _up_to(text, index, after)
    if end:
        start, last = in_the_same_order(start, end[0])
        return Span(first=index, after=end[1], start=_in_the_year_of(last, start), end=last)
    return Span(first=index, after=after, start=start)


def _in_the_year_of(end: Day, start: Day) -> Day:
    """A start whose year was said only with the end: "between 15 March and 17 March 2027"."""
    if not (isinstance(start, MonthDay) and isinstance(end, MonthDay)) or start.year or not end.year:
        return start
    return replace(start, year=end.year - (start.month > end.month))


def _stay(text: Text, index: int) -> tuple[int, int] | None:
    """ "3 nights", "for a week", "5-day trip", "overnight": the nights and the index after."""
    if text.norm(index) == "overnight":
        return 1, index + 1
    is_for = text.norm(index - 1) in ("for", "stay", "staying", "spanning", "lasting")
    is_for = is_for or (text.norm(index - 1) == "of" and text.norm(index - 2) == "total")
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
    is_alone = text.norm(index - 1) in words.BOUNDS and text.norm(after + 1) in words.BOUNDS
    is_stay = is_for or is_alone or text.norm(after + 1) in words.STAYS
    if unit not in words.NIGHT_UNITS and not (unit in words.DAY_UNITS and is_stay):
        return None
    nights = count * (words.NIGHT_UNITS | words.DAY_UNITS)[unit]
    is_ahead = not is_for and unit in words.DAY_UNITS and text.norm(after + 1) == "from"
    return (nights, after + 1) if 0 < nights <= _NIGHTS_AT_MOST and not is_ahead else None


def _up_to(text: Text, start: int, index: int) -> _Point | None:
    """The other end of a range whose first end has been read, or None where it is no range."""
    if not joins(text, start, index):
        return None
    end = _point(text, index + 1)
    return end if end and not isinstance(end[0], Month | Week | Weekend) else None


def _point(text: Text, index: int) -> _Point | None:
    """The day or period that begins at that token."""
    if text[index].is_number:
        return (
            _numeric(text, index)
            or _day_and_month(text, index)
            or _ahead(text, index)
            or _bare_day(text, index)
        )
    if text.norm(index) == "in":
        return _ahead(text, index)
    return (
        _weekday(text, index)
        or _day_and_month(text, index)
        or _relative(text, index)
        or _ahead(text, index)
        or _holiday(text, index)
        or _period(text, index)
        or _bare_day(text, index)
    )


def _numeric(text: Text, index: int) -> _Point | None:
    """ "2026-12-10", "10/12", "10/12/2026", "10.12.2026": signs glued to their numbers."""
    separator = text.norm(index + 1)
    if not text[index].is_number or separator not in ("-", "/", ".") or not text[index + 2].is_number:
        return None
    if not (text.is_glued(index + 1) and text.is_glued(index + 2)):
        return None
    first, second = text[index].raw, text[index + 2].raw
    third = text[index + 4] if text.norm(index + 3) == separator and text.is_glued(index + 4) else None
    if third is None or not third.is_number:
        is_day = separator == "/" and len(first) <= 2 and len(second) <= 2 and (first, second) != ("24", "7")
        return _day_month(int(first), int(second), None, index + 3) if is_day else None
    if len(first) == 4:
        return _exact(int(first), int(second), int(third.raw), index + 5) if len(third.raw) <= 2 else None
    if len(first) > 2 or len(second) > 2 or len(third.raw) not in (2, 4):
        return None
    year = int(third.raw) + (2000 if len(third.raw) == 2 else 0)
    return _day_month(int(first), int(second), year, index + 5)


def _exact(year: int, month: int, day: int, after: int) -> _Point | None:
    return (MonthDay(month=month, day=day, year=year), after) if len(str(month)) <= 2 else None


def _day_month(first: int, second: int, year: int | None, after: int) -> _Point:
    if second > 12:
        return MonthDay(month=first, day=second, year=year), after
    return MonthDay(month=second, day=first, year=year, or_swapped=first <= 12), after


def _weekday(text: Text, index: int) -> _Point | None:
    """ "Friday", "next Friday", "Friday next week", "Friday the 13th", "Fri, 27 November"."""
    which = words.WHICH.get(text.norm(index), "coming")
    at = index + 1 if text.norm(index) in words.WHICH else skip(text, index, "the")
    if at == index + 1 and text.norm(index) == "the" and text.norm(at) in words.WHICH:
        which, at = words.WHICH[text.norm(at)], at + 1
    name = text.norm(at)
    weekday = words.WEEKDAYS.get(name)
    if weekday is None and name in words.WEEKDAYS_ALSO_WORDS:
        is_date = text[at + 1].is_number or text.norm(at - 1) in words.BEFORE_A_WEEKDAY
        weekday = words.WEEKDAYS_ALSO_WORDS[name] if is_date else None
    if weekday is None:
        return None
    after = at + 1
    dated = skip(text, after, ",", ".")
    day = _day_and_month(text, dated) or _bare_day(text, dated, is_told=True)
    if day:
        return day
    if text.norm(after) == "next" and text.norm(after + 1) == "week":
        return Weekday(weekday=weekday, which="next"), after + 2
    return Weekday(weekday=weekday, which=which), after


def _day_and_month(text: Text, index: int) -> _Point | None:
    """ "10 December", "the 10th of December 2026", "Dec 10th", "December 10, 2026"."""
    at = skip(text, index, "the")
    day = day_number(text, at)
    if day:
        month = month_after(text, day[1])
        return (MonthDay(month=month[0], day=day[0], year=month[1]), month[2]) if month else None
    month = month_name(text, index)
    day = month and day_number(text, skip(text, month[1], "the"))
    if not (month and day) or is_count(text, day[1]):
        return None
    year, after = year_number(text, day[1])
    return MonthDay(month=month[0], day=day[0], year=year), after


def _bare_day(text: Text, index: int, *, is_told: bool = False) -> _Point | None:
    """ "the 12th", "on the 12th"; "12th" only where a date can stand, "first" never.

    `is_told` says that a weekday stands before it.
    """
    at = skip(text, index, "the")
    day = day_number(text, at)
    if day is None or not day[2] or not text[at].is_number or text.norm(day[1]) in words.AFTER_NO_DAY:
        return None
    if (
        text.norm(day[1]) == "of"
        and text.norm(day[1] + 1) in ("this", "next")
        and text.norm(day[1] + 2) == "month"
    ):
        return DayOfMonth(day=day[0], months_ahead=int(text.norm(day[1] + 1) == "next")), day[1] + 3
    is_alone = text.norm(at - 1) in words.BOUNDS and text.norm(day[1]) in words.AROUND_A_DAY
    is_told = is_told or is_alone or text.norm(at - 1) in words.BEFORE_A_DAY
    return (DayOfMonth(day=day[0]), day[1]) if is_told else None


def _relative(text: Text, index: int) -> _Point | None:
    """ "today", "the day after tomorrow", "next week", "this weekend", "next month"."""
    at = skip(text, index, "the")
    word = text.norm(at)
    if word in ("today", "tonight"):
        return Ahead(), at + 1
    if word in ("tomorrow", "tomorow", "tommorow", "tommorrow", "tmrw"):
        return Ahead(days=1), at + 1
    if word == "day" and text.norm(at + 1) == "after" and text.norm(at + 2) == "tomorrow":
        return Ahead(days=2), at + 3
    which = words.WHICH.get(word)
    unit = text.norm(at + 1) if which else word
    if unit == "weekend" and (which or at > index):
        return Weekend(is_next=which in ("next", "following")), at + 1 + (which is not None)
    if which is None:
        return None
    ahead = 0 if which == "this" else 1
    if unit == "week":
        weekday = words.WEEKDAYS.get(text.norm(at + 2)) if which == "next" else None
        return (
            (Weekday(weekday=weekday, which="next"), at + 3)
            if weekday is not None
            else (Week(weeks=ahead), at + 2)
        )
    return (Month(ahead=ahead), at + 2) if unit == "month" else None


def _ahead(text: Text, index: int) -> _Point | None:
    """ "in 3 days", "in a week", "2 weeks from now", "a week from Friday"."""
    is_in = text.norm(index) == "in"
    at = index + 1 if is_in else index
    count, after = whole_number(text, at) or ((1, at + 1) if text.norm(at) in ("a", "one") else (0, at))
    after = skip(text, after, "of")
    unit = text.norm(after)
    if count == 0 or not (unit in words.DAY_UNITS or unit in words.MONTH_UNITS):
        return None
    days = count * words.DAY_UNITS.get(unit, 0)
    months = count if unit in words.MONTH_UNITS else 0
    after += 1
    if text.norm(after) == "from":
        if text.norm(after + 1) == "now":
            return Ahead(days=days, months=months), after + 2
        base = _relative(text, after + 1) or _weekday(text, after + 1) or _day_and_month(text, after + 1)
        return (Ahead(days=days, months=months, base=base[0]), base[1]) if base else None
    return (Ahead(days=days, months=months), after) if is_in else None


def _holiday(text: Text, index: int) -> _Point | None:
    for (month, day), names in words.HOLIDAYS.items():
        length = text.match(names, index)
        if length and (month != 12 or day != 25 or text.norm(index + length) != "eve"):
            return MonthDay(month=month, day=day), index + length
    return None


def _period(text: Text, index: int) -> _Point | None:
    """ "December", "in May 2027", "early March", "the end of next month"."""
    at = skip(text, index, "the")
    part = words.PARTS.get(text.norm(at), "whole")
    if part != "whole":
        at = skip(text, at + 1, "of", "-")
        at = skip(text, at, "the")
        if text.norm(at) in ("next", "this") and text.norm(at + 1) == "month":
            return Month(ahead=int(text.norm(at) == "next"), part=part), at + 2
    month = month_name(text, at)
    if month is None:
        return None
    year, after = year_number(text, month[1])
    is_named = part != "whole" or year or text.norm(at) not in words.MONTHS_ALSO_WORDS
    if not (is_named or text.norm(index - 1) in words.BEFORE_A_MONTH):
        return None
    return Month(month=month[0], year=year, part=part), after
