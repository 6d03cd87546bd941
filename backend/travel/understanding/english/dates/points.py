"""The day, or the period, that begins at one word of a message."""

from dataclasses import replace

from ..language.numbers import whole_number
from ..language.tables import phrases_of, words_of
from ..language.text import Text
from . import words
from .bare_days import bare_day, day_behind_its_name
from .day_beside import read_day_beside
from .days import Ahead, AsSoonAsCan, Day, DayOfMonth, Month, MonthDay, SameDay, Weekday, Weekend
from .feasts import read_feast
from .parts import day_number, is_count, month_after, month_name, skip, skip_back, year_number
from .periods import read_nth_week, read_period, read_week
from .school import read_school_holidays
from .special_days import Beside, NthWeekday, NthWeekendOfPeriod, WeekendNear, WeekendOf

_SAID = phrases_of("dates")
_WORDS = words_of("dates")

Point = tuple[Day, int]
"""A day, and the index after its last token."""

_A_WEEK = 7
_SATURDAY = 5
_WORDS_TO_THE_WEEKEND = 4
_TELLS_FROM_THE_START = frozenset(
    {*_WORDS.later, *_WORDS.eve, *_WORDS.month_units, *_WORDS.earlier, "week", "morning"}
)


def read_point(text: Text, index: int) -> Point | None:
    """Return the day or period that begins at that token, with what is told beside it: "Saturday week"."""
    point = _point(text, index)
    if point is None:
        return None
    day, after = point
    is_base = isinstance(day, Weekday | Ahead)
    if is_base and text.norm(after) == "week" and text.norm(after - 1) != "next":
        return Ahead(days=_A_WEEK, base=day), after + 1
    if isinstance(day, MonthDay) and text.norm(after) == "weekend":
        return WeekendOf(day=day), after + 1
    return point


def _point(text: Text, index: int) -> Point | None:
    if text[index].is_number:
        return (
            _numeric(text, index)
            or _nth(text, index)
            or read_nth_week(text, index)
            or _day_and_month(text, index)
            or _after_the_start(text, index)
            or _ahead(text, index)
            or bare_day(text, index)
        )
    if text.norm(index) == "in":
        return _ahead(text, index)
    soon = text.match(_SAID.as_soon_as_can, index)
    if soon and _is_of_a_journey(text):
        return AsSoonAsCan(), index + soon
    return (
        _after_the_start(text, index)
        or _beside(text, index)
        or _nth(text, index)
        or _weekday(text, index)
        or _day_and_month(text, index)
        or _relative(text, index)
        or _ahead(text, index)
        or read_school_holidays(text, index)
        or read_feast(text, index)
        or read_period(text, index)
        or bare_day(text, index)
    )


def _numeric(text: Text, index: int) -> Point | None:
    """ "2026-12-10", "10/12", "10/12/2026", "10.12.2026": signs glued to their numbers."""
    separator = text.norm(index + 1)
    if not text[index].is_number or separator not in ("-", "/", ".") or not text[index + 2].is_number:
        return None
    if not (text.is_glued(index + 1) and text.is_glued(index + 2)):
        return None
    first, second = text[index].raw, text[index + 2].raw
    if separator == "." and _is_day_with_points(text, index):
        return _day_month(int(first), int(second), None, index + 4)
    third = text[index + 4] if text.norm(index + 3) == separator and text.is_glued(index + 4) else None
    if third is None or not third.is_number:
        is_day = separator == "/" and len(first) <= 2 and len(second) <= 2 and (first, second) != ("24", "7")
        is_day = is_day and not is_count(text, index + 3)
        return _day_month(int(first), int(second), None, index + 3) if is_day else None
    if len(first) == 4:
        is_exact = len(second) <= 2 and len(third.raw) <= 2
        exact = MonthDay(month=int(second), day=int(third.raw), year=int(first))
        return (exact, index + 5) if is_exact else None
    if len(first) > 2 or len(second) > 2 or len(third.raw) not in (2, 4):
        return None
    year = int(third.raw) + (2000 if len(third.raw) == 2 else 0)
    return _day_month(int(first), int(second), year, index + 5)


def _is_day_with_points(text: Text, index: int) -> bool:
    """Whether a day and a month with a point after each stand there: "12.12. - 15.12." """
    first, second = text[index].raw, text[index + 2].raw
    is_pointed = (
        text.norm(index + 3) == "." and text.is_glued(index + 3) and not _is_glued_number(text, index + 4)
    )
    is_day = len(first) <= 2 and len(second) <= 2 and 1 <= int(first) <= 31 and 1 <= int(second) <= 12
    is_full = len(first) == len(second) == 2 and text.norm(index - 1) not in _WORDS.before_a_time
    joined = text.norm(index + 4) in _WORDS.up_to and text[index + 5].is_number
    is_last = text.norm(index - 1) in _WORDS.up_to and text.norm(index - 2) == "."
    return (
        is_pointed
        and is_day
        and (joined or is_full or is_last or text.norm(index - 1) in _WORDS.before_points)
    )


def _is_glued_number(text: Text, index: int) -> bool:
    return text[index].is_number and text.is_glued(index)


def _day_month(first: int, second: int, year: int | None, after: int) -> Point:
    if second > 12:
        return MonthDay(month=first, day=second, year=year), after
    return MonthDay(month=second, day=first, year=year, or_swapped=first <= 12), after


def _weekday(text: Text, index: int) -> Point | None:
    """ "Friday", "next Friday", "Friday next week", "Friday the 13th", "Fri, 27 November"."""
    which = words.WHICH.get(text.norm(index), "coming")
    at = index + 1 if text.norm(index) in words.WHICH else skip(text, index, "the")
    if at == index + 1 and text.norm(index) == "the" and text.norm(at) in words.WHICH:
        which, at = words.WHICH[text.norm(at)], at + 1
    weekday = _weekday_name(text, at)
    if weekday is None:
        return None
    after = at + 1
    dated = skip(text, after, ",", ".")
    day = _numeric(text, dated) or _day_and_month(text, dated) or bare_day(text, dated, is_told=True)
    if day:
        told = replace(day[0], weekday=weekday) if isinstance(day[0], MonthDay) else day[0]
        return told, day[1]
    if which == "coming" and (numbered := day_behind_its_name(text, after, weekday)):
        return numbered
    follower = skip(text, after, "of")
    week = read_week(text, follower)
    if week and text.norm(week[1] - 1) == "week":
        return Weekday(weekday=weekday, which="next" if text.norm(follower) == "next" else "this"), week[1]
    if [text.norm(after), text.norm(after + 1)] == ["after", "next"]:
        return Ahead(days=_A_WEEK, base=Weekday(weekday=weekday, which="next")), after + 2
    return Weekday(weekday=weekday, which=which), after


def _weekday_name(text: Text, index: int) -> int | None:
    name = text.norm(index)
    if name not in words.WEEKDAYS and name not in words.WEEKDAYS_ALSO_WORDS:  # as nearly always
        return None
    is_contracted = text[index].is_word and not text[index].raw.isalpha()  # "we'd" is no Wednesday
    weekday = None if is_contracted else words.WEEKDAYS.get(name)
    if weekday is None and name in words.WEEKDAYS_ALSO_WORDS:
        is_date = text[index + 1].is_number or text.norm(index - 1) in _WORDS.before_a_weekday
        is_date = is_date or (
            text.norm(index + 1) in _WORDS.up_to and text.norm(index + 2) in words.ALL_WEEKDAYS
        )
        # The part of the day is hidden, for the reader of times has read it.
        is_date = is_date or text.spelled(index + 1, index + 2).lower() in _WORDS.parts_after_a_weekday
        return words.WEEKDAYS_ALSO_WORDS[name] if is_date else None
    return weekday


def _day_and_month(text: Text, index: int) -> Point | None:
    """ "10 December", "the 10th of December 2026", "Dec 10th", "December 10, 2026"."""
    at = skip(text, index, "the")
    day = day_number(text, at)
    if day:
        month = month_after(text, day.after)
        return (MonthDay(month=month.month, day=day.day, year=month.year), month.after) if month else None
    name = month_name(text, index)
    day = name and day_number(text, skip(text, name[1], "the"))
    if not (name and day) or is_count(text, day.after):
        return None
    year, after = year_number(text, day.after)
    return MonthDay(month=name[0], day=day.day, year=year), after


def _relative(text: Text, index: int) -> Point | None:
    """ "today", "the day after tomorrow", "next week", "this weekend", "next month on the 15th"."""
    at = skip(text, index, "the")
    word = text.norm(at)
    is_now = word == "now" and text.norm(at - 1) == "from" and text.norm(at + 1) in _WORDS.up_to
    if word in _WORDS.today or is_now:
        return Ahead(), at + 1
    if word in _WORDS.tomorrow:
        return Ahead(days=1), at + 1
    if word == "day" and text.norm(at + 1) == "after" and text.norm(at + 2) in _WORDS.tomorrow:
        return Ahead(days=2), at + 3
    is_that = word == "that" and text.norm(at - 1) in _WORDS.comes_back
    if (word == "same" or is_that) and text.norm(at + 1) in _WORDS.parts_of_a_day:
        return SameDay(), at + 2
    which = words.WHICH.get(word)
    unit = text.norm(at + 1) if which else word
    is_all = unit == "weekend" and index == 0 and text.norm(1) in words.BEHIND_A_WEEKEND
    is_told = text.norm(at + 1) == "of" or [text.norm(at + 1), text.norm(at + 2)] == ["after", "next"]
    if unit == "weekend" and (which or at > index or is_all or is_told):
        return _weekend(text, at + 1 + (which is not None), is_next=which in ("next", "following"))
    week = read_week(text, index)
    if week is None or not which:
        return week
    weekday = words.WEEKDAYS.get(text.norm(skip(text, week[1], "on")))
    if unit == "week" and which == "next" and weekday is not None:
        return Weekday(weekday=weekday, which="next"), skip(text, week[1], "on") + 1
    on_day = day_number(text, skip(text, skip(text, week[1], "on"), "the"))
    if unit == "month" and on_day and on_day.is_ordinal and text.norm(week[1]) in ("on", "the"):
        return DayOfMonth(day=on_day.day, months_ahead=int(which == "next")), on_day.after
    return week


def _weekend(text: Text, after: int, *, is_next: bool) -> Point:
    """A weekend, of which the word has been read: "the weekend of 5 May", "the weekend after next"."""
    if [text.norm(after), text.norm(after + 1)] == ["after", "next"]:
        return Weekend(weeks=2), after + 2
    ahead = _ahead(text, after) if text.norm(after) == "in" and not is_next else None
    if ahead and text.norm(ahead[1] - 1) in _WORDS.week_units:
        return WeekendNear(day=ahead[0]), ahead[1]
    base = read_point(text, after + 1) if text.norm(after) == "of" else None
    return (WeekendOf(day=base[0]), base[1]) if base else (Weekend(is_next=is_next), after)


def _ahead(text: Text, index: int) -> Point | None:
    """ "in 3 days", "in a week", "2 weeks from now", "a week from Friday", "two days before Christmas"."""
    is_in = text.norm(index) == "in"
    at = index + 1 if is_in else skip(text, index, "the")
    count, after = whole_number(text, at) or ((1, at + 1) if text.norm(at) in ("a", "one") else (0, at))
    after = skip(text, after, "of")
    unit = text.norm(after)
    if count == 0 and unit == "day" and text.norm(after + 1) in words.BESIDE:
        count = 1
    if count == 0 or not (unit in words.DAY_UNITS or unit in _WORDS.month_units):
        return None
    days = count * words.DAY_UNITS.get(unit, 0)
    months = count if unit in _WORDS.month_units else 0
    after += 1
    if [text.norm(after), text.norm(after + 1)] == ["from", "now"]:
        return Ahead(days=days, months=months), after + 2
    weekend = _after_weekend(text, after) if is_in and unit in _WORDS.week_units else 0
    if weekend:
        return WeekendNear(day=Ahead(days=days)), weekend
    told_from = _told_from(text, after, unit)
    if told_from and not is_in:
        base, end = told_from
        sign = -1 if words.BESIDE.get(text.norm(after)) else 1
        return Ahead(days=sign * days, months=sign * months, base=base), end
    return (Ahead(days=days, months=months), after) if is_in else None


def _after_weekend(text: Text, index: int) -> int:
    """The index after the weekend that is told behind a week: "for the weekend", ", just the weekend"."""
    at = index
    while text.norm(at) in _WORDS.before_the_weekend and at < index + _WORDS_TO_THE_WEEKEND:
        at += 1
    return at + 1 if text.norm(at) == "weekend" and text.norm(at + 1) not in _WORDS.behind_its_weekend else 0


def _is_of_a_journey(text: Text) -> bool:
    """Whether "asap" tells when to travel, and not when to clean a room."""
    is_for_us = not text.vocabulary.isdisjoint(_WORDS.soon_is_an_answer)
    return not is_for_us and (text.length <= words.SOON_ALONE or text.has(_SAID.words_travels))


def _after_the_start(text: Text, index: int) -> Point | None:
    """ "two weeks later", "the Sunday after that", "for a month": told from the day of the departure."""
    if text.vocabulary.isdisjoint(_TELLS_FROM_THE_START):
        return None
    at = skip(text, index, "the")
    beside = read_day_beside(text, at)
    if beside:
        return beside
    count, after = whole_number(text, at) or ((1, at + 1) if text.norm(at) in ("a", "an") else (0, at))
    unit = text.norm(after)
    is_later = text.norm(after + 1) in _WORDS.later and text.norm(after + 2) not in words.BASES
    if count and unit in words.DAY_UNITS and is_later:
        return Ahead(days=count * words.DAY_UNITS[unit], base=SameDay()), after + 2
    is_stay = text.norm(index - 1) in _WORDS.for_so_long and text.norm(at - 1) != "the"
    if count and unit in _WORDS.month_units and (is_later or is_stay):
        return Ahead(months=count, base=SameDay()), after + (2 if is_later else 1)
    comes_back = text.norm(skip_back(text, at, "the", "in") - 1) in _WORDS.comes_back
    if comes_back and [text.norm(at), text.norm(at + 1)] in (["week", "after"], ["following", "week"]):
        return Ahead(days=_A_WEEK, base=SameDay()), at + 2
    weekday = _weekday_name(text, at)
    if weekday is None or text.norm(at + 1) not in _WORDS.later:
        return None
    end = at + 2 + (text.norm(at + 2) in ("that", "it"))
    is_told = end > at + 2 or text.norm(end) in words.BOUNDS or text.norm(end) in (",", "please")
    return (Beside(unit=weekday, base=SameDay(), is_before=False), end) if is_told else None


def _told_from(text: Text, index: int, unit: str) -> Point | None:
    """The day from which a time is counted: "from Friday", "on Tuesday", "tomorrow", "before Christmas".

    "4 days from 5 May" is a stay, and so is "a day on the 5th".
    """
    word = text.norm(index)
    if word in _WORDS.tomorrow:
        return _relative(text, index)
    if word in words.BESIDE:
        return _base(text, index + 1)
    if word == "from" or (word == "on" and unit not in ("day", "days")):
        return _relative(text, index + 1) or _weekday_alone(text, index + 1)
    return None


def _weekday_alone(text: Text, index: int) -> Point | None:
    point = _weekday(text, index)
    return point if point and isinstance(point[0], Weekday | Ahead) else None


def is_counted_from(text: Text, index: int) -> bool:
    """Return whether the token there is a "from" behind which a day is counted on: "a week from Friday"."""
    return text.norm(index) == "from" and (
        text.norm(index + 1) == "now" or _told_from(text, index, "day") is not None
    )


def _base(text: Text, index: int) -> Point | None:
    """The day from which others are counted."""
    return (
        _relative(text, index)
        or _weekday(text, index)
        or _day_and_month(text, index)
        or read_feast(text, index)
        or bare_day(text, index)
    )


def _beside(text: Text, index: int) -> Point | None:
    """ "the Friday before Christmas", "the weekend after the 5th", "the week before Easter"."""
    at = skip(text, index, "the")
    unit = text.norm(at)
    is_before = words.BESIDE.get(text.norm(at + 1))
    if is_before is None:
        return None
    base = _base(text, at + 2)
    if base is None:
        return None
    if unit in ("weekend", "week"):
        return Beside(
            unit="weekend" if unit == "weekend" else "week", base=base[0], is_before=is_before
        ), base[1]
    weekday = _weekday_name(text, at)
    return (Beside(unit=weekday, base=base[0], is_before=is_before), base[1]) if weekday is not None else None


def _nth(text: Text, index: int) -> Point | None:
    """ "the second Saturday of December", "the last weekend in January", "the 3rd Friday of next month"."""
    at = skip(text, index, "the")
    nth = words.NTH.get(text.norm(at), 0)
    after = at + 1
    if text.norm(at) in _WORDS.ordinal_digits and text.norm(at + 1) in _WORDS.ordinal_endings:
        nth, after = int(text.norm(at)), at + 2
    if nth and text.norm(after) == "weekend" and text.norm(after + 1) in words.BESIDE_A_WEEK - {"of"}:
        return NthWeekendOfPeriod(nth=nth), after + 1
    is_weekend = text.norm(after) == "weekend"
    weekday = _SATURDAY if is_weekend else words.WEEKDAYS.get(text.norm(after))
    if not nth or weekday is None or text.norm(after + 1) not in ("of", "in"):
        return None
    of = skip(text, after + 2, "the")
    month = read_period(text, of) or read_week(text, of)
    if text.norm(of) == "month":
        month = Month(), of + 1
    if month is None or not isinstance(month[0], Month) or month[0].part != "whole":
        return None
    found = month[0]
    day = NthWeekday(
        nth=nth, weekday=weekday, month=found.month, ahead=found.ahead, year=found.year, is_weekend=is_weekend
    )
    return day, month[1]
