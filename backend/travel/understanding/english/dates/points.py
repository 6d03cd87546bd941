"""The day, or the period, that begins at one word of a message."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ..language.numbers import NUMBER_WORDS, whole_number
from ..language.tables import phrases_of, rows_of, words_of
from ..language.text import FIGURES, Phrases, Text, any_of
from . import days
from .days import (
    SATURDAY,
    Ahead,
    Around,
    Beside,
    Choice,
    Day,
    DayOfMonth,
    EasterDay,
    Month,
    MonthDay,
    Months,
    NthWeekday,
    OfPeriod,
    Part,
    SameDay,
    Week,
    WeekAt,
    Weekday,
    Weekend,
    WeekendAt,
    Which,
)

_SAID = phrases_of("dates")
_WORDS = words_of("dates")

Point = tuple[Day, int]
"""A day, and the index after its last token."""


def _numbered(*names: str, first: int = 1) -> dict[str, int]:
    return {name: number for number, some in enumerate(names, first) for name in some.split()}


MONTHS = _numbered(
    "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
    "september sep sept", "october oct", "november nov", "december dec",
)  # fmt: skip
WEEKDAYS = _numbered(
    "monday mondays mon", "tuesday tuesdays tue tues", "wednesday wednesdays wed weds",
    "thursday thursdays thu thur thurs", "friday fridays fri", "saturday saturdays", "sunday sundays",
    first=0,
)  # fmt: skip
_WEEKDAYS_ALSO_WORDS = {"sat": 5, "sun": 6}
"""Abbreviations that count as a weekday only after a word such as "on", or before a number."""

ALL_WEEKDAYS = WEEKDAYS.keys() | _WEEKDAYS_ALSO_WORDS.keys()
DAY_UNITS = {"day": 1, "days": 1, "week": 7, "weeks": 7, "fortnight": 14, "fortnights": 14}
NIGHT_UNITS = {"night": 1, "nights": 1}
BESIDE = {"before": True, "after": False}
_ORDINALS = _numbered(
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth",
    "nineteenth", "twentieth",
) | {"thirtieth": 30}  # fmt: skip
_TENS = {"twenty": 20, "thirty": 30}
NTH = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1}
_PARTS: dict[str, Part] = {
    "early": "early", "beginning": "early", "start": "early", "mid": "middle", "middle": "middle",
    "late": "late", "end": "late",
}  # fmt: skip
_NTH_PARTS: dict[tuple[int, str], Part] = {
    (1, "week"): "week 1", (2, "week"): "week 2", (3, "week"): "week 3", (4, "week"): "week 4",
    (-1, "week"): "last week", (1, "half"): "first half", (2, "half"): "second half",
    (-1, "half"): "second half",
}  # fmt: skip
_WHICH: dict[str, Which] = {
    "next": "next", "this": "this", "coming": "coming", "upcoming": "coming", "following": "following",
}  # fmt: skip
_PREVIOUS = {"previous": -1, "prior": -1, "preceding": -1, "following": 1, "next": 1}
_A_WEEK = 7
_SOON_ALONE = 4
"""Tokens of a message that answers when: "asap please"."""

_LAST_OF_A_LIST = 5
"""An ordinal up to this one may be that of an offer in a list: "book 2nd"."""

_FIGURES = re.compile(
    r"""
    (?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})(?!\d) |
    (?P<first>\d{1,2})(?P<sign>[-/.])(?P<second>\d{1,2})(?!\d)(?:(?P=sign)(?P<last>\d{4}|\d\d)(?!\d))?
    """,
    re.VERBOSE,
)
_WORDS_TO_A_DAY = 4
_WORDS_TO_THE_WEEKEND = 4
_BASES = _WORDS.bases | NUMBER_WORDS.keys()
_TELLS_FROM_THE_START = _WORDS.later | _WORDS.eve | _WORDS.month_units | _WORDS.earlier | {"week", "morning"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Named:
    """A day or a period by its names: a row of `[[days]]`."""

    names: Phrases
    day: dict[str, Any]
    before: int = 1
    after: int = 1
    behind: frozenset[str] = frozenset()


def _made(told: Mapping[str, Any]) -> Any:
    """The day that a row tells: `is` is its kind, all else are its fields."""
    fields = {name: value for name, value in told.items() if name != "is"}
    if isinstance(fields.get("day"), dict):
        fields["day"] = _made(fields["day"])
    if isinstance(fields.get("days"), list):
        fields["days"] = tuple(_made(one) for one in fields["days"])
    return getattr(days, told["is"])(**fields)


_NAMED = [(row, _made(row.day)) for row in rows_of("dates", "days", _Named)]
_NAMES = any_of(*(row.names for row, _ in _NAMED))
_BY_NAME = {name: named for named in reversed(_NAMED) for names in named[0].names.values() for name in names}
_FEASTS = MonthDay | EasterDay | NthWeekday | Choice
"""The kinds of days that have a name and not only a place in the calendar."""

BEGINNINGS = frozenset[str]().union(
    _WORDS.beginnings, _SAID.as_soon_as_can, _NAMES, _ORDINALS, _WHICH, _PARTS, MONTHS, ALL_WEEKDAYS,
    NUMBER_WORDS, NTH,
)  # fmt: skip
"""The words a date can begin with, besides digits."""

CORES = frozenset[str]().union(
    BEGINNINGS - _WORDS.leads, {FIGURES}, DAY_UNITS, NIGHT_UNITS, _WORDS.month_units, _WORDS.parts,
    _NAMES.cues - _WORDS.leads, ("year", "years"),
)  # fmt: skip
"""Behind the small words that most often lead no date, one of these stands close to those that do."""


def may_tell_days(text: Text) -> bool:
    """Return whether a message has a word or a number without which it tells no day."""
    return text.has_figures or text.has_any(CORES)


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
    if token.norm in _ORDINALS:
        return DayNumber(_ORDINALS[token.norm], index + 1, is_ordinal=True)
    if token.norm in _TENS:
        after = skip(text, index + 1, "-")
        unit = _ORDINALS.get(text.norm(after), 0)
        if 0 < unit < 10:
            return DayNumber(_TENS[token.norm] + unit, after + 1, is_ordinal=True)
    read = whole_number(text, index)
    if read and token.is_word and token.norm not in ("a", "couple", "pair") and 1 <= read[0] <= 31:
        return DayNumber(*read, is_ordinal=False)
    return None


def month_name(text: Text, index: int) -> tuple[int, int] | None:
    """Read the name of a month: its number and the index after it."""
    month = MONTHS.get(text.norm(index))
    if month is None:
        return None
    is_abbreviated = text.norm(index + 1) == "." and text.is_glued(index + 1) and len(text.norm(index)) <= 4
    return month, index + 1 + (is_abbreviated and text.norm(index) != "may")


def year_number(text: Text, index: int) -> tuple[int | None, int]:
    """Read a year, with or without a comma before it: it, and the index after; None where none is said."""
    at = skip(text, index, ",", "of")
    token = text[at]
    is_year = token.is_number and len(token.raw) == 4 and token.raw.startswith("20")
    is_money = not _WORDS.currencies.isdisjoint((text.norm(at - 1), text.norm(at + 1)))
    return (int(token.raw), at + 1) if is_year and not is_money else (None, index)


def month_after(text: Text, index: int) -> MonthName | None:
    """Read what follows a day: "of May 2027"."""
    found = month_name(text, skip(text, index, "of", "day", "in"))
    is_of_people = text.norm(index) == "in" and text.norm(index - 2) == "for"  # "for 2 in June"
    if found is None or (is_of_people and text[index - 1].is_number):
        return None
    return MonthName(found[0], *year_number(text, found[1]))


def skip(text: Text, index: int, *skipped: str) -> int:
    """Return the index, or the next one if one of these words or signs stands there."""
    return index + 1 if text.norm(index) in skipped else index


def joins(text: Text, start: int, index: int) -> bool:
    """Return whether the token there joins the two ends of a range that begins at `start`."""
    is_of_two = text.norm(start - 1) == "between" or text.says(start - 2, "weekend", "of")
    is_between = text.norm(index) in ("and", "/") and is_of_two
    return is_between or text.norm(index) in _WORDS.up_to


def is_count(text: Text, index: int) -> bool:
    """Return whether what stands there is counted by the number before it: "2 people"."""
    return text.norm(index) in _WORDS.counted


def is_of_a_month(text: Text, index: int) -> bool:
    """Return whether "in 8 days" there is how long a visit takes, since its month is told: "in April"."""
    if text.norm(index) != "in":  # as nearly always
        return False
    months = (at for at in text.where(MONTHS.keys()) if text.norm(at - 1) == "in")
    return any(not text[at + 1].is_number for at in months)


def is_counted_from(text: Text, index: int) -> bool:
    """Return whether the token there is a "from" behind which a day is counted on: "a week from Friday"."""
    is_now = text.norm(index + 1) == "now"
    return text.norm(index) == "from" and (is_now or _told_from(text, index, "day") is not None)


def read_point(text: Text, index: int) -> Point | None:
    """Return the day or period that begins at that token, with what is told beside it: "Saturday week"."""
    point = _point(text, index)
    if point is None:
        return None
    day, after = point
    if isinstance(day, Weekday | Ahead) and text.norm(after) == "week" and text.norm(after - 1) != "next":
        return Ahead(days=_A_WEEK, base=day), after + 1
    if isinstance(day, MonthDay) and text.norm(after) == "weekend":
        return WeekendAt(day=day), after + 1
    return point


def _point(text: Text, index: int) -> Point | None:
    if text[index].is_number:
        return (
            _numeric(text, index)
            or _nth(text, index)
            or _month(text, index)
            or _day_and_month(text, index)
            or _after_the_start(text, index)
            or _ahead(text, index)
            or _bare_day(text, index)
        )
    if text.norm(index) == "in":
        return _ahead(text, index)
    soon = text.match(_SAID.as_soon_as_can, index)
    if soon and _is_of_a_journey(text):
        return Choice(days=(Ahead(), Ahead(days=1))), index + soon
    return (
        _after_the_start(text, index)
        or _beside(text, index)
        or _nth(text, index)
        or _weekday(text, index)
        or _day_and_month(text, index)
        or _relative(text, index)
        or _ahead(text, index)
        or _month(text, index)
        or _bare_day(text, index)
    )


# Days by their numbers.


def _numeric(text: Text, index: int) -> Point | None:
    """ "2026-12-10", "10/12", "10/12/2026", "10.12.2026": signs glued to their numbers."""
    found = _FIGURES.match(text.source, text[index].start) if text[index + 2].is_number else None
    if found and found["year"]:
        return MonthDay(month=int(found["month"]), day=int(found["day"]), year=int(found["year"])), index + 5
    if text.norm(index + 1) == "." and _is_day_with_points(text, index):
        return _day_month(int(text[index].raw), int(text[index + 2].raw), None, index + 4)
    if found is None:
        return None
    first, second = int(found["first"]), int(found["second"])
    if found["last"]:
        year = int(found["last"]) + (2000 if len(found["last"]) == 2 else 0)
        return _day_month(first, second, year, index + 5)
    is_day = found["sign"] == "/" and (first, second) != (24, 7) and not is_count(text, index + 3)
    return _day_month(first, second, None, index + 3) if is_day else None


def _is_day_with_points(text: Text, index: int) -> bool:
    """Whether a day and a month with a point after each stand there: "12.12. - 15.12." """
    first, second = text[index].raw, text[index + 2].raw
    is_number = text[index + 4].is_number and text.is_glued(index + 4)
    is_pointed = text.norm(index + 3) == "." and text.is_glued(index + 3) and not is_number
    is_day = is_pointed and len(first) <= 2 and len(second) <= 2 and int(first) <= 31 and int(second) <= 12
    before = text.norm(index - 1)
    is_full = len(first) == len(second) == 2 and before not in _WORDS.before_a_time
    is_joined = text.norm(index + 4) in _WORDS.up_to and text[index + 5].is_number
    is_last = before in _WORDS.up_to and text.norm(index - 2) == "."
    return is_day and (is_joined or is_full or is_last or before in _WORDS.before_points)


def _day_month(first: int, second: int, year: int | None, after: int) -> Point:
    if second > 12:
        return MonthDay(month=first, day=second, year=year), after
    return MonthDay(month=second, day=first, year=year, or_swapped=first <= 12), after


def _day_and_month(text: Text, index: int) -> Point | None:
    """ "10 December", "the 10th of December 2026", "Dec 10th", "December 10, 2026"."""
    day = day_number(text, skip(text, index, "the"))
    if day:
        month = month_after(text, day.after)
        return (MonthDay(month=month.month, day=day.day, year=month.year), month.after) if month else None
    name = month_name(text, index)
    day = name and day_number(text, skip(text, name[1], "the"))
    if not (name and day) or is_count(text, day.after):
        return None
    year, after = year_number(text, day.after)
    return MonthDay(month=name[0], day=day.day, year=year), after


def _bare_day(text: Text, index: int, *, is_told: bool = False) -> Point | None:
    """ "The 12th", "on the 12th"; "12th" only where a date can stand, "first" never.

    `is_told` says that a weekday stands before it.
    """
    at = skip(text, index, "the")
    day = day_number(text, at)
    if day is None:
        return None
    before, behind = text.norm(at - 1), text.norm(day.after)
    point = DayOfMonth(day=day.day), day.after
    if not day.is_ordinal:
        return point if text[at].is_number and _is_plain_day(text, at, day.after) else None
    if behind in _WORDS.after_no_day or not (text[at].is_number or _is_spelled_day(text, at, day)):
        return None
    month = text.norm(day.after + 1)
    if behind == "of" and month in ("this", "next") and text.norm(day.after + 2) == "month":
        return DayOfMonth(day=day.day, months_ahead=int(month == "next")), day.after + 3
    is_alone = before in _WORDS.bounds and behind in _WORDS.around_a_day
    is_last = at == index and day.day > _LAST_OF_A_LIST and behind in _WORDS.bounds
    return point if is_told or is_alone or is_last or before in _WORDS.words_before_a_day else None


def _behind_its_name(text: Text, index: int, weekday: int) -> Point | None:
    """A day without a month behind its weekday: "back mon 14"."""
    day = day_number(text, index) if text[index].is_number else None
    if day is None or day.is_ordinal or text.is_glued(index) or _is_of_a_number(text, day.after):
        return None
    ends = text.norm(day.after) in _WORDS.after_a_plain_day | _WORDS.up_to
    return (DayOfMonth(day=day.day, weekday=weekday), day.after) if ends else None


def _is_plain_day(text: Text, at: int, after: int) -> bool:
    """Whether a number without an ending is a day of a month: "back 16", "I come back on the 14"."""
    if text.norm(after) not in _WORDS.after_a_plain_day or text.is_glued(at) or _is_of_a_number(text, after):
        return False
    before = at - 1
    if text.norm(before) == "day":  # "from 5 July until day 15"
        return not MONTHS.keys().isdisjoint(text.vocabulary)
    if text.norm(before) == "the":
        return text.norm(before - 1) in _WORDS.before_a_plain_day
    for _ in range(_WORDS_TO_A_DAY):
        before -= text.norm(before) in _WORDS.to_a_plain_day
    return text.norm(before) in _WORDS.comes_back and not text[before - 1].is_number


def _is_of_a_number(text: Text, after: int) -> bool:
    """Whether a number goes on there: "9.20"."""
    return text.is_glued(after) and text.is_glued(after + 1) and text[after + 1].is_number


def _is_spelled_day(text: Text, at: int, day: DayNumber) -> bool:
    """Whether an ordinal in words is a day of a month: "come back on the fourth after five pm".

    Nobody tells the thirteenth of a list of offers, but "the second" of them.
    """
    ends = text.norm(day.after) in _WORDS.after_a_spelled_day
    is_led = ends and text.norm(at - 2) in _WORDS.before_a_spelled_day
    goes_on = ends or text.norm(day.after) in _WORDS.behind_a_plain_ordinal
    return text.norm(at - 1) == "the" and (is_led or (day.day > _LAST_OF_A_LIST and goes_on))


# Days by their names.


def _weekday(text: Text, index: int) -> Point | None:
    """ "Friday", "next Friday", "Friday next week", "Friday the 13th", "Fri, 27 November"."""
    at = skip(text, index, "the")
    which = _WHICH.get(text.norm(at), "coming")
    at += text.norm(at) in _WHICH
    weekday = _weekday_name(text, at)
    if weekday is None:
        return None
    after = at + 1
    dated = skip(text, after, ",", ".")
    day = _numeric(text, dated) or _day_and_month(text, dated) or _bare_day(text, dated, is_told=True)
    if day:
        return (replace(day[0], weekday=weekday) if isinstance(day[0], MonthDay) else day[0]), day[1]
    if which == "coming" and (numbered := _behind_its_name(text, after, weekday)):
        return numbered
    follower = skip(text, after, "of")
    week = _named(text, follower)
    if week and text.norm(week[1] - 1) == "week":
        return Weekday(weekday=weekday, which="next" if text.norm(follower) == "next" else "this"), week[1]
    if text.says(after, "after", "next"):
        return Ahead(days=_A_WEEK, base=Weekday(weekday=weekday, which="next")), after + 2
    return Weekday(weekday=weekday, which=which), after


def _weekday_name(text: Text, index: int) -> int | None:
    name = text.norm(index)
    if name not in ALL_WEEKDAYS:  # as nearly always
        return None
    if name in WEEKDAYS:
        is_contracted = text[index].is_word and not text[index].raw.isalpha()  # "we'd" is no Wednesday
        return None if is_contracted else WEEKDAYS[name]
    is_date = (
        text[index + 1].is_number
        or text.norm(index - 1) in _WORDS.before_a_weekday
        or (text.norm(index + 1) in _WORDS.up_to and text.norm(index + 2) in ALL_WEEKDAYS)
        # The part of the day is hidden, for the reader of times has read it.
        or text.spelled(index + 1, index + 2).lower() in _WORDS.parts_after_a_weekday
    )
    return _WEEKDAYS_ALSO_WORDS[name] if is_date else None


def _nth(text: Text, index: int) -> Point | None:
    """ "the second Saturday of December", "the last weekend in January", "the last day of next month"."""
    nth, after = _ordinal(text, skip(text, index, "the"))
    is_weekend = text.norm(after) == "weekend"
    if nth and is_weekend and text.norm(after + 1) in _WORDS.beside_a_week and text.norm(after + 1) != "of":
        weekend = NthWeekday(nth=nth, weekday=SATURDAY, is_weekend=True)
        return OfPeriod(of=weekend), after + 1
    weekday = SATURDAY if is_weekend else WEEKDAYS.get(text.norm(after))
    is_told = weekday is not None or text.norm(after) == "day"
    if not (nth and is_told) or text.norm(after + 1) not in ("of", "in"):
        return None
    of = skip(text, after + 2, "the")
    point = (Month(), of + 1) if text.norm(of) == "month" else _month(text, of) or _named(text, of)
    if point is None or not isinstance(month := point[0], Month) or month.part != "whole":
        return None
    told = NthWeekday(nth=nth, weekday=weekday, month=month.month, ahead=month.ahead, year=month.year)
    return replace(told, is_weekend=is_weekend), point[1]


def _ordinal(text: Text, at: int) -> tuple[int, int]:
    """Which one of some is named, up to the fifth, and the index after; 0 if none is."""
    if text.norm(at) in _WORDS.ordinal_digits and text.norm(at + 1) in _WORDS.ordinal_endings:
        return int(text.norm(at)), at + 2
    return NTH.get(text.norm(at), 0), at + 1


def _named(text: Text, index: int) -> Point | None:
    """ "Today", "the end of next week", "over Easter", "in summer": the longest name counts."""
    is_over = text.norm(index) == "over"
    at = skip(text, index + 1, "the") if is_over else index
    length = 0 if text.vocabulary.isdisjoint(_NAMES.cues) else text.match(_NAMES, at)
    if not length:
        return None
    row, day = _BY_NAME[tuple([text.norm(each) for each in range(at, at + length)])]
    after = at + length
    is_held_then = isinstance(day, _FEASTS) and text.norm(after) in _WORDS.held_at_a_feast
    if is_held_then or (row.behind and text.norm(index - 1) not in row.behind):
        return None
    if isinstance(day, _FEASTS):
        is_weekend = text.norm(after) == "weekend" and not (is_over or isinstance(day, MonthDay))
        off = Around(day=day, before=row.before, after=row.after)
        return off if is_over or is_weekend else day, after + is_weekend
    # "I can't wait for spring break" asks for nothing.
    if is_over or ("wait" in text.vocabulary and isinstance(day, Months | Around)):
        return None
    if isinstance(day, Months):
        year, after = year_number(text, after)
        return replace(day, year=year), after
    return _weekend(text, after, day) if isinstance(day, Weekend) else (day, after)


def is_feast(text: Text, day: Day | None, first: int, after: int) -> bool:
    """Return whether a day is named by its feast alone: "Easter", "over Christmas", unlike "July 4th"."""
    at = skip(text, skip(text, first, "over"), "the")
    is_named = isinstance(day, _FEASTS | Around) and text.match(_NAMES, at) > 0
    return is_named and text.said(at, after).isdisjoint(MONTHS)


# Periods.


def _month(text: Text, index: int) -> Point | None:
    """ "December", "in May 2027", "early March", "the first week of April", "the end of next month",
    "the school holidays in April".
    """
    at = skip(text, index, "the")
    holidays = text.past(_WORDS.school_holidays, at)
    part, at = _part(text, skip(text, holidays, "in", "of") if holidays > at else at)
    if part != "whole":
        at = skip(text, skip(text, at, "of", "-", "in"), "the")
        if text.norm(at) == "month":
            return Month(part=part), at + 1
        if text.norm(at) in ("next", "this") and text.norm(at + 1) == "month":
            return Month(ahead=int(text.norm(at) == "next"), part=part), at + 2
        if text.norm(at) == "year" and part in ("early", "late"):
            return Month(month=1 if part == "early" else 12, part=part), at + 1
    month = month_name(text, at)
    if month is None:
        is_of_period = "week" in part and text.norm(at) in _WORDS.beside_a_week
        return (OfPeriod(of=Month(part=part)), at) if is_of_period else None
    year, after = year_number(text, month[1])
    is_named = part != "whole" or year or text.norm(at) not in _WORDS.months_also_words
    if not (is_named or text.norm(index - 1) in _WORDS.before_a_month):
        return None
    return Month(month=month[0], year=year, part=part), text.past(_WORDS.school_holidays, after)


def _part(text: Text, index: int) -> tuple[Part, int]:
    """The part of a month that is named, and the index after it."""
    nth, after = _ordinal(text, index)
    part = _NTH_PARTS.get((nth, text.norm(after)))
    if part:
        return part, after + 1
    part = _PARTS.get(text.norm(index))
    return (part, index + 1) if part else ("whole", index)


# Days told from another.


def _relative(text: Text, index: int) -> Point | None:
    """What is named, and what is told from today: "next week on Friday", "next month on the 15th"."""
    word, behind = text.norm(index), text.norm(index + 1)
    if word == "now" and text.norm(index - 1) == "from" and behind in _WORDS.up_to:
        return Ahead(), index + 1
    if word == "weekend" and (behind == "of" or (index == 0 and behind in _WORDS.behind_a_weekend)):
        return _weekend(text, index + 1, Weekend())
    is_length = text.norm(index - 1 - (text.norm(index - 1) == "the")) in _WORDS.before_a_length
    if word == "week" and behind in _WORDS.behind_a_week and not is_length:
        day = read_point(text, index + 2 + (text.norm(index + 2) == "on"))
        return (WeekAt(day=day[0]), day[1]) if day and isinstance(day[0], MonthDay | DayOfMonth) else None
    named = _named(text, index)
    if named is None or not isinstance(named[0], Week | Month):
        return named
    on = skip(text, named[1], "on")
    weekday, is_next = WEEKDAYS.get(text.norm(on)), "next" in text.said(index, named[1])
    if isinstance(named[0], Week) and is_next and weekday is not None:
        return Weekday(weekday=weekday, which="next"), on + 1
    day = day_number(text, skip(text, on, "the"))
    if isinstance(named[0], Month) and day and day.is_ordinal and text.norm(named[1]) in ("on", "the"):
        return DayOfMonth(day=day.day, months_ahead=named[0].ahead), day.after
    return named


def _weekend(text: Text, after: int, weekend: Weekend) -> Point | None:
    """A weekend, of which the words have been read: "the weekend of 5 May", "the weekend in 3 weeks"."""
    ahead = _ahead(text, after) if text.norm(after) == "in" else None
    if ahead and text.norm(ahead[1] - 1) in _WORDS.week_units:
        return WeekendAt(day=ahead[0], is_near=True), ahead[1]
    day = day_number(text, skip(text, after + 1, "the")) if text.norm(after) == "of" else None
    if day and joins(text, after + 1, day.after):
        return None  # of "the weekend of the 16th and 17th" the days are read
    base = read_point(text, after + 1) if text.norm(after) == "of" else None
    return (WeekendAt(day=base[0]), base[1]) if base else (weekend, after)


def _ahead(text: Text, index: int) -> Point | None:
    """ "in 3 days", "in a week", "2 weeks from now", "a week from Friday", "two days before Christmas"."""
    is_in = text.norm(index) == "in"
    at = index + 1 if is_in else skip(text, index, "the")
    count, after = whole_number(text, at) or ((1, at + 1) if text.norm(at) in ("a", "one") else (0, at))
    after = skip(text, after, "of")
    unit = text.norm(after)
    after += 1
    count = count or int(unit in _WORDS.parts and text.norm(after) in BESIDE)
    days, months = (
        count * DAY_UNITS.get(unit, int(unit in _WORDS.parts)),
        count * (unit in _WORDS.month_units),
    )
    if not (days or months) or is_of_a_month(text, index):
        return None
    if text.says(after, "from", "now"):
        return Ahead(days=days, months=months), after + 2
    if is_in:
        weekend = _after_weekend(text, after) if unit in _WORDS.week_units else 0
        ahead = Ahead(days=days, months=months)
        return (WeekendAt(day=ahead, is_near=True), weekend) if weekend else (ahead, after)
    told_from = _told_from(text, after, unit)
    if told_from is None:
        return None
    sign = -1 if text.norm(after) == "before" else 1
    return Ahead(days=sign * days, months=sign * months, base=told_from[0]), told_from[1]


def _after_weekend(text: Text, index: int) -> int:
    """The index after the weekend that is told behind a week: "for the weekend", ", just the weekend"."""
    at = index
    while text.norm(at) in _WORDS.before_the_weekend and at < index + _WORDS_TO_THE_WEEKEND:
        at += 1
    return at + 1 if text.norm(at) == "weekend" and text.norm(at + 1) not in _WORDS.behind_its_weekend else 0


def _is_of_a_journey(text: Text) -> bool:
    """Whether "asap" tells when to travel, and not when to clean a room."""
    # "ASAP, tomorrow if possible" tells the day itself.
    is_for_us = not text.vocabulary.isdisjoint(_WORDS.soon_is_an_answer | {"tomorrow", "tonight"})
    return not is_for_us and (text.length <= _SOON_ALONE or text.has(_SAID.words_travels))


def _after_the_start(text: Text, index: int) -> Point | None:
    """ "two weeks later", "the Sunday after that", "for a month": told from the day of the departure."""
    if text.vocabulary.isdisjoint(_TELLS_FROM_THE_START):
        return None
    at = skip(text, index, "the")
    beside = _day_beside(text, at)
    if beside:
        return beside
    count, after = whole_number(text, at) or ((1, at + 1) if text.norm(at) in ("a", "an") else (0, at))
    unit = text.norm(after)
    is_later = text.norm(after + 1) in _WORDS.later and text.norm(after + 2) not in _BASES
    is_back = text.norm(index - 1) == "after" and text.has_any(
        _WORDS.comes_back, index - _WORDS_TO_A_DAY, index
    )
    if count and unit in DAY_UNITS and (is_later or is_back):
        return Ahead(days=count * DAY_UNITS[unit], base=SameDay()), after + 1 + is_later
    is_stay = text.norm(index - 1) in _WORDS.for_so_long and at == index
    if count and unit in _WORDS.month_units and (is_later or is_stay or is_back):
        return Ahead(months=count, base=SameDay()), after + 1 + is_later
    before = at - 1 - (text.norm(at - 1) in ("the", "in"))
    is_a_week = text.says(at, "week", "after") or text.says(at, "following", "week")
    if is_a_week and text.norm(before) in _WORDS.comes_back:
        return Ahead(days=_A_WEEK, base=SameDay()), at + 2
    weekday = _weekday_name(text, at)
    if weekday is None or text.norm(at + 1) not in _WORDS.later:
        return None
    end = skip(text, at + 2, "that", "it")
    is_told = end > at + 2 or text.norm(end) in _WORDS.bounds or text.norm(end) in (",", "please")
    return (Beside(unit=weekday, base=SameDay(), is_before=False), end) if is_told else None


def _day_beside(text: Text, at: int) -> Point | None:
    """ "the night before", "two days before", "the day after": right beside one that was told."""
    word, behind = text.norm(at), text.norm(at + 1)
    # "Do I arrive the same day or the day after?" asks when a flight lands.
    is_asked = text.norm(at - 1 - (text.norm(at - 1) == "the")) in _WORDS.landing
    if word in _WORDS.parts and behind in _WORDS.before_a_day:
        return _counted(text, at + 2, -1)
    if word in _WORDS.parts and behind in _WORDS.later and behind != "later":
        return None if is_asked else _counted(text, at + 2, 1)
    if word in _PREVIOUS and behind in _WORDS.parts and text.norm(at - 1) == "the":
        return None if is_asked else _counted(text, at + 2, _PREVIOUS[word])
    count, after = whole_number(text, at) or ((1, at + 1) if word == "a" else (0, at))
    unit = (DAY_UNITS | NIGHT_UNITS).get(text.norm(after), 0)
    is_earlier = count and unit and text.norm(after + 1) in _WORDS.earlier
    return _counted(text, after + 2, -count * unit) if is_earlier else None


def _counted(text: Text, after: int, days: int) -> Point | None:
    """The day, unless another follows from which it is counted: "the evening before Christmas"."""
    noun = after + (text.norm(after) in _WORDS.articles)
    end = noun + 1 if text.norm(noun) in _WORDS.it else after
    is_end = end > after or text.norm(end) in _WORDS.after_a_spelled_day
    return (Ahead(days=days, base=SameDay()), end) if is_end else None


def _told_from(text: Text, index: int, unit: str) -> Point | None:
    """The day from which a time is counted: "from Friday", "on Tuesday", "tomorrow", "before Christmas".

    "4 days from 5 May" is a stay, and so is "a day on the 5th".
    """
    word = text.norm(index)
    if word in _WORDS.tomorrow:
        return _relative(text, index)
    if word in BESIDE:
        return _base(text, index + 1)
    if word == "from" or (word == "on" and unit not in ("day", "days")):
        weekday = _weekday(text, index + 1)
        is_weekday = weekday is not None and isinstance(weekday[0], Weekday | Ahead)
        named = _relative(text, index + 1)
        return named if named and not isinstance(named[0], _FEASTS) else weekday if is_weekday else None
    return None


def _base(text: Text, index: int) -> Point | None:
    """The day from which others are counted."""
    return (
        _relative(text, index)
        or _weekday(text, index)
        or _day_and_month(text, index)
        or _bare_day(text, index)
    )


def _beside(text: Text, index: int) -> Point | None:
    """ "the Friday before Christmas", "the weekend after the 5th", "the week before Easter"."""
    at = skip(text, index, "the")
    is_before = BESIDE.get(text.norm(at + 1))
    base = _base(text, at + 2) if is_before is not None else None
    if base is None or is_before is None:
        return None
    unit = text.norm(at)
    if unit == "weekend" or unit == "week":
        return Beside(unit=unit, base=base[0], is_before=is_before), base[1]
    weekday = _weekday_name(text, at)
    return (Beside(unit=weekday, base=base[0], is_before=is_before), base[1]) if weekday is not None else None
