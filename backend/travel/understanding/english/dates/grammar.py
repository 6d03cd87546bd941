"""The grammar of dates: which words at one place in a message name a day, a range of days or a stay.

It only recognises; what day of the calendar is meant is for `days`. Every rule looks a bounded number of
tokens ahead, so reading a message takes time in proportion to its length.
"""

from dataclasses import dataclass, replace

from ..language.numbers import whole_number
from ..language.tables import phrases_of, words_of
from ..language.text import FIGURES, Text
from . import points
from .days import (
    Around,
    Choice,
    Day,
    DayOfMonth,
    HalfTerm,
    Month,
    MonthDay,
    Months,
    PartOfPeriod,
    Week,
    Weekday,
    Weekend,
)
from .points import (
    DAY_UNITS,
    MONTHS,
    NIGHT_UNITS,
    SEASONS,
    WEEKDAYS,
    DayNumber,
    day_number,
    is_count,
    is_counted_from,
    joins,
    month_after,
    month_name,
    read_point,
    skip,
    year_number,
)

_SAID = phrases_of("dates")
_WORDS = words_of("dates")

BEGINNINGS = points.BEGINNINGS | {FIGURES}
"""What a date may begin with."""

_PERIODS = Month | Week | Months | PartOfPeriod | HalfTerm | Around
_WORDS_AFTER_ANY_DAY = 4
_WORDS_TO_A_CORE = 5
_WORDS_OF_CHANGE = 4
_NIGHTS_AT_MOST = 365
_NIGHTS_OF_A_LONG_WEEKEND = 3
_UNITS = NIGHT_UNITS | DAY_UNITS
_TELLS_OF_A_STAY = _UNITS.keys() | {"overnight", "weekend"}

Range = tuple[Day, Day | None, int]
"""The first and the last day, and the index after; of a choice between days there is no last one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DateSpan:
    """The tokens from `first` up to `after`, which name a day, a range, or a stay of some nights.

    Of a range that `is_any_day` one day is meant, which is still to be said.
    """

    first: int
    after: int
    start: Day | None = None
    end: Day | None = None
    nights: int | None = None
    is_any_day: bool = False


def read_span(text: Text, index: int) -> DateSpan | None:
    """Return the date that begins with that token, None if none does."""
    word = text.norm(index)
    if word not in points.BEGINNINGS and not text[index].is_number:
        return None
    if word in _WORDS.leads and not text.has_any(points.CORES, index + 1, index + 1 + _WORDS_TO_A_CORE):
        return None  # "the hotel", as nearly always
    stay = _length(text, index)
    if stay:
        return DateSpan(first=index, after=stay[1], nights=stay[0])
    is_any_day = text.match_before(_SAID.any_day, index, within=_WORDS_AFTER_ANY_DAY)
    within_a_month = _range_in_a_month(text, index)
    if within_a_month:
        start, end, after = within_a_month
        return DateSpan(first=index, after=after, start=start, end=end, is_any_day=is_any_day)
    point = read_point(text, index)
    if point is None:
        return None
    start, after = point
    if isinstance(start, _PERIODS):
        return DateSpan(first=index, after=after, start=start)
    end = read_point(text, after + 1) if joins(text, index, after) else None
    if end and not isinstance(end[0], _PERIODS | Weekend):
        start, last = _in_the_same_order(start, end[0])
        start = _in_the_year_of(last, start)
        if isinstance(start, Weekday) and isinstance(last, Weekday) and text.norm(end[1] - 1) == "week":
            start = replace(start, which=last.which)  # "Thursday to Sunday next week"
        return DateSpan(first=index, after=end[1], start=start, end=last, is_any_day=is_any_day)
    other = read_point(text, _behind_or(text, after)) if text.norm(after) == "or" else None
    if other and not isinstance(other[0], _PERIODS):
        return DateSpan(first=index, after=other[1], start=Choice(days=(start, other[0])))
    return DateSpan(first=index, after=after, start=start)


def is_plain(text: Text, first: int, after: int) -> bool:
    """Return whether a range there is told by nothing but two numbers, which may be something else."""
    plain = {text.norm(at) for at in range(first, after) if not text[at].is_number}
    return plain <= _WORDS.up_to and text.norm(first - 1) not in _WORDS.before_bare_days


def _behind_or(text: Text, at: int) -> int:
    """The index of the other day of a choice: "tonight or first thing tomorrow"."""
    at += 1
    while text.norm(at) in _WORDS.before_another_day and not (
        text.norm(at) == "early" and text.norm(at + 1) not in _WORDS.tomorrow
    ):
        at += 1
    return at


def _in_the_year_of(end: Day, start: Day) -> Day:
    """A start whose year was said only with the end: "between 15 March and 17 March 2027"."""
    if not (isinstance(start, MonthDay) and isinstance(end, MonthDay)) or start.year or not end.year:
        return start
    return replace(start, year=end.year - (start.month > end.month))


def _in_the_same_order(start: Day, end: Day) -> tuple[Day, Day]:
    """Two ends of a range that are both written as day and month, or both as month and day.

    Where only one of them tells which ("5/8-5/19"), the other follows; where none does, the range is taken
    that stays within a month ("5/4-5/8").
    """
    if not (isinstance(start, MonthDay) and isinstance(end, MonthDay) and start.or_swapped):
        return start, end
    stays_in_month = start.day == (end.day if end.or_swapped else end.month)
    if not stays_in_month or start.month == end.month:
        return start, end
    first = MonthDay(month=start.day, day=start.month, year=start.year)
    return first, MonthDay(month=end.day, day=end.month, year=end.year) if end.or_swapped else end


# Ranges of days whose month is said once, or not at all.


def _range_in_a_month(text: Text, index: int) -> Range | None:
    if text.vocabulary.isdisjoint(MONTHS):
        return _bare_days(text, index)
    return (
        _whole_month(text, index)
        or _days_then_month(text, index)
        or _month_then_days(text, index)
        or _day_and_month_then_day(text, index)
        or _bare_days(text, index)
    )


def _day_behind(text: Text, index: int) -> DayNumber | None:
    return day_number(text, skip(text, index, "the"))


def _whole_month(text: Text, index: int) -> Range | None:
    """ "the whole of February", "all of May 2027", "the entire month of June"."""
    at = skip(text, index, "the")
    of = skip(text, skip(text, at + 1, "month"), "of")
    name = month_name(text, of) if text.norm(at) in _WORDS.whole and of > at + 1 else None
    if name is None:
        return None
    month, (year, after) = name[0], year_number(text, name[1])
    end = MonthDay(month=month % 12 + 1, day=1, year=year and year + month // 12)
    return MonthDay(month=month, day=1, year=year), end, after


def _days_then_month(text: Text, index: int) -> Range | None:
    """ "3 to 7 May", "10-17 December 2026", "the 3rd until the 7th of May", "10 or 11 December"."""
    first = _day_behind(text, index)
    is_choice = first is not None and text.norm(first.after) == "or"
    if first is None or not (is_choice or joins(text, index, first.after)):
        return None
    second = _day_behind(text, first.after + 1)
    told = second and month_after(text, second.after)
    if not (second and told):
        return None
    month, year, after = told
    # "28 to 3 May" begins in the month before.
    month_before = month if first.day <= second.day else (month - 2) % 12 + 1
    start = MonthDay(month=month_before, day=first.day, year=year and year - (month_before > month))
    end = MonthDay(month=month, day=second.day, year=year)
    return (Choice(days=(start, end)), None, after) if is_choice else (start, end, after)


def _month_then_days(text: Text, index: int) -> Range | None:
    """ "May 3-7", "December 10 to the 17th, 2026"; not "December 20 to 3 January"."""
    name = month_name(text, index)
    first = name and _day_behind(text, name[1])
    second = _day_behind(text, first.after + 1) if first and joins(text, index, first.after) else None
    if not (name and first and second) or second.day <= first.day:
        return None
    if month_name(text, second.after) or is_count(text, second.after):
        return None
    year, after = year_number(text, second.after)
    start, end = (MonthDay(month=name[0], day=one.day, year=year) for one in (first, second))
    return start, end, after


def _day_and_month_then_day(text: Text, index: int) -> Range | None:
    """ "11 December until 14", "the 3rd of May to the 7th"; not "11 December - 2 people"."""
    first = _day_behind(text, index)
    month = first and month_after(text, first.after)
    second = _day_behind(text, month.after + 1) if month and joins(text, index, month.after) else None
    if not (first and month and second) or second.day <= first.day:
        return None
    is_told = text[month.after + 1].is_number or second.is_ordinal
    if not is_told or month_name(text, skip(text, second.after, "of")):
        return None
    if is_count(text, second.after) or text.norm(second.after) in _WORDS.after_no_days:
        return None
    start, end = (MonthDay(month=month.month, day=one.day, year=month.year) for one in (first, second))
    return start, end, second.after


def _bare_days(text: Text, index: int) -> Range | None:
    """ "3rd-22nd", "the 7th to the 15th of next month", "from 2 to 23": where nothing else can be meant."""
    at = skip(text, index, "the")
    first = day_number(text, at)
    second = _day_behind(text, first.after + 1) if first and joins(text, index, first.after) else None
    if first is None or second is None:
        return None
    # In words both are ordinals: "the thirteenth to the twenty first", unlike "first to last".
    if not (text[at].is_number or (first.is_ordinal and second.is_ordinal and at > index)):
        return None
    is_told = first.is_ordinal or second.is_ordinal or text.norm(index - 1) in _WORDS.before_bare_days
    if not is_told and not _are_plain_days(text, index, first, second):
        return None
    if month_name(text, second.after) or is_count(text, second.after) or text.is_glued(second.after + 1):
        return None
    if text.norm(second.after) in _WORDS.after_no_days:
        return None
    at = skip(text, skip(text, second.after, ",", "of", "in", "for"), "the")
    which = text.norm(at)
    if which not in ("this", "next", "following") or text.norm(at + 1) != "month":
        return DayOfMonth(day=first.day), DayOfMonth(day=second.day), second.after
    start = DayOfMonth(day=first.day, months_ahead=int(which != "this"), is_following=which == "following")
    return start, DayOfMonth(day=second.day), at + 2


def _are_plain_days(text: Text, index: int, first: DayNumber, second: DayNumber) -> bool:
    """Whether two plain numbers tell nothing but days: "9-11 instead", "make that 6-9", "move it to 6-9"."""
    before = [text.norm(at) for at in range(max(0, index - _WORDS_OF_CHANGE), index)]
    is_led = (
        text.norm(index - 1) in _WORDS.before_plain_days
        or text.match(_SAID.leads_to_days, index - 2) == 2
        or (before[-1:] == ["to"] and not _WORDS.changes_days.isdisjoint(before))
    )
    is_alone = is_led and text.norm(second.after) in _WORDS.after_plain_days and first.day < second.day
    return is_alone and text[second.after - 1].is_number and _WORDS.tells_hours.isdisjoint(text.vocabulary)


# Lengths of a stay or a journey.


def _length(text: Text, index: int) -> tuple[int, int] | None:
    """ "3 nights", "for a week", "5-day trip", "overnight", "two weeks in Tokyo", "only 10 days".

    Returns the nights and the index after.
    """
    if text.vocabulary.isdisjoint(_TELLS_OF_A_STAY):
        return None
    told_again = _of_the_unit_before(text, index)
    if told_again:
        return told_again
    before, word, behind = (text.norm(index + ahead) for ahead in (-1, 0, 1))
    if word == "overnight":
        return 1, index + 1
    if word == "long" and behind == "weekend":
        return _NIGHTS_OF_A_LONG_WEEKEND, index + 2
    if word in ("a", "the", "one") and behind == "single" and text.norm(index + 2) in NIGHT_UNITS:
        return 1, index + 3
    is_for = _is_for(text, index)
    is_a_week = word == "a" and behind in _WORDS.so_long_alone and _is_a_thought(text, index)
    is_or_so = word == "a" and text.says(index + 2, "or", "so")
    is_one = word in ("a", "the") and is_for and behind not in ("couple", "pair")
    read = (1, index + 1) if is_a_week or is_or_so or is_one else whole_number(text, index)
    if read is None:
        return None
    count, unit = read[0], skip(text, read[1], "-")
    told, after = text.norm(unit), unit + 1
    ends = text.norm(after) in _WORDS.bounds
    is_apart = before == "," or before in _WORDS.bounds or before in WEEKDAYS or before in MONTHS
    is_stay = (
        is_for
        or is_a_week
        or (is_apart and (ends or text.norm(after) == "," or text.match(_SAID.hedges, after) > 0))
        or (before in _WORDS.only and text.norm(after) in _WORDS.behind_only)
        or (before in _WORDS.roughly and ends)
        or text.says(after, "or", "so")
        or text.norm(after) in _WORDS.after_a_stay
        or _is_spent_in(text, index, unit)
    )
    if told not in NIGHT_UNITS and not (told in DAY_UNITS and is_stay):
        return None
    is_ahead = not is_for and told in DAY_UNITS and is_counted_from(text, after)
    nights = count * _UNITS[told]
    is_read = 0 < nights <= _NIGHTS_AT_MOST and not is_ahead and not _is_too_much(text, after)
    return (nights, after) if is_read else None


def _is_for(text: Text, index: int) -> bool:
    """Whether words before a length make it one of a stay: "for about 5 days", "a total of 5 days"."""
    before = index - 1 - (text.norm(index - 1) in _WORDS.roughly)
    is_led = text.norm(before) in _WORDS.stays or text.says(index - 2, "total", "of")
    return is_led or _is_made_so_long(text, index)


def _is_made_so_long(text: Text, index: int) -> bool:
    """Whether a length there replaces another: "make it 5 days", "shorten it to 3 days", "only 4 days"."""
    before, behind = text.norm(index - 1), text.norm(index + 2)
    if text.says(index + 1, "day", "trip"):
        return False
    if before == "to":
        return not text.vocabulary.isdisjoint(_WORDS.changes_a_length)
    if before in ("only", "just") and behind in _WORDS.bounds:
        return True
    # "10 days instead of a week"
    is_made = text.norm(index - 2) == "make" and before in ("it", "that")
    return is_made or behind in ("instead", "rather")


def _is_a_thought(text: Text, index: int) -> bool:
    """Whether "a week" there tells a stay by itself: "from Gatwick, a week", "about a week"."""
    before, behind = text.norm(index - 1), text.norm(index + 2)
    is_apart = before == "," or before in _WORDS.bounds
    is_about = before in _WORDS.roughly and text.norm(index - 2) != "in"
    # "A week off is music to my ears" is none.
    is_spoken_of = text.norm(index + 3) in ("is", "was", "sounds", "would")
    return (
        (is_apart and (behind in _WORDS.bounds or behind in _WORDS.after_a_week))
        or (is_about and behind not in _WORDS.no_stay_behind)
        or (before in _WORDS.only and behind in _WORDS.behind_only)
        or (behind in _WORDS.after_a_stay and behind not in _WORDS.after_a_week and not is_spoken_of)
        or _is_spent_in(text, index, index + 1)
    )


def _of_the_unit_before(text: Text, index: int) -> tuple[int, int] | None:
    """The length of "three weeks is too long, make it two": a number of the unit that was told before it."""
    is_made = text.norm(index - 1) in _WORDS.made and "too" in text.vocabulary
    read = whole_number(text, index) if is_made else None
    if read is None or (text[read[1]].is_word and text.norm(read[1]) not in _WORDS.behind_only):
        return None
    for at in range(index - 1, -1, -1):
        if text.norm(at) in _UNITS and _is_too_much(text, at + 1):
            nights = read[0] * _UNITS[text.norm(at)]
            return (nights, read[1]) if 0 < nights <= _NIGHTS_AT_MOST else None
    return None


def _is_too_much(text: Text, at: int) -> bool:
    """Whether that is said of a length before it: "is too long", "seems a bit too short"."""
    return text.norm(at) in _WORDS.is_judged and "too" in [text.norm(at + ahead) for ahead in range(1, 5)]


def _is_spent_in(text: Text, index: int, unit: int) -> bool:
    """Whether a time is spent at a place: "two weeks in Tokyo", unlike "two weeks in advance"."""
    if text.norm(unit + 1) not in ("in", "at", "around"):
        return False
    if text.norm(index - 1) not in _WORDS.before_time_spent:
        return False
    behind = text.norm(unit + 2)
    if behind in MONTHS or behind in SEASONS:  # "a week in February"
        return text.norm(unit + 1) == "in"
    return behind not in _WORDS.no_place_behind_in and text[unit + 2].is_word
