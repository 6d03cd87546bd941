"""Ranges of days whose month is said once, or not at all: "3 to 7 May", "May 3-7", "the 3rd to the 7th"."""

from ..language.tables import words_of
from ..language.text import Text
from . import words
from .days import Day, DayOfMonth, MonthDay
from .parts import DayNumber, day_number, is_count, joins, month_after, month_name, skip, year_number
from .special_days import Choice

_WORDS = words_of("dates")

_DECEMBER = 12
_LEAD_TO_DAYS = {
    ("make", "that"),
    ("back", "to"),
    *((asks, word) for asks in ("what", "how") for word in ("about", "if")),
    *((verb, "the") for verb in ("do", "take", "use", "with", "keep")),
}

Range = tuple[Day, Day | None, int]
"""The first and the last day, and the index after; of a choice between days there is no last one."""


def range_in_a_month(text: Text, index: int) -> Range | None:
    """Return the range of days that begins with that token, None if none does."""
    if text.vocabulary.isdisjoint(words.MONTHS):
        return _bare_days(text, index)
    return (
        _whole_month(text, index)
        or _days_then_month(text, index)
        or _month_then_days(text, index)
        or _day_and_month_then_day(text, index)
        or _bare_days(text, index)
    )


def _whole_month(text: Text, index: int) -> Range | None:
    """ "the whole of February", "all of May 2027", "the entire month of June"."""
    at = skip(text, index, "the")
    if text.norm(at) not in _WORDS.whole:
        return None
    of = skip(text, skip(text, at + 1, "month"), "of")
    month = month_name(text, of) if of > at + 1 else None
    if month is None:
        return None
    year, after = year_number(text, month[1])
    following, next_year = (month[0] + 1, year) if month[0] < _DECEMBER else (1, year and year + 1)
    return MonthDay(month=month[0], day=1, year=year), MonthDay(month=following, day=1, year=next_year), after


def _days_then_month(text: Text, index: int) -> Range | None:
    """ "3 to 7 May", "10-17 December 2026", "the 3rd until the 7th of May", "10 or 11 December"."""
    first = day_number(text, skip(text, index, "the"))
    is_choice = first is not None and text.norm(first[1]) == "or"
    if first is None or not (is_choice or joins(text, index, first[1])):
        return None
    second = day_number(text, skip(text, first[1] + 1, "the"))
    month = second and month_after(text, second[1])
    if not (second and month):
        return None
    number, year, after = month
    # "28 to 3 May" begins in the month before.
    first_month = number if first[0] <= second[0] else (number - 2) % 12 + 1
    first_year = year - 1 if year and first_month > number else year
    start = MonthDay(month=first_month, day=first[0], year=first_year)
    end = MonthDay(month=number, day=second[0], year=year)
    return (Choice(days=(start, end)), None, after) if is_choice else (start, end, after)


def _month_then_days(text: Text, index: int) -> Range | None:
    """ "May 3-7", "December 10 to the 17th, 2026"; not "December 20 to 3 January"."""
    month = month_name(text, index)
    first = month and day_number(text, skip(text, month[1], "the"))
    if not (month and first) or not joins(text, index, first[1]):
        return None
    second = day_number(text, skip(text, first[1] + 1, "the"))
    if second is None or month_name(text, second[1]) or second[0] <= first[0] or is_count(text, second[1]):
        return None
    year, after = year_number(text, second[1])
    start = MonthDay(month=month[0], day=first[0], year=year)
    return start, MonthDay(month=month[0], day=second[0], year=year), after


def _day_and_month_then_day(text: Text, index: int) -> Range | None:
    """ "11 December until 14", "the 3rd of May to the 7th"; not "11 December - 2 people"."""
    first = day_number(text, skip(text, index, "the"))
    month = first and month_after(text, first.after)
    if not (first and month) or not joins(text, index, month.after):
        return None
    second = day_number(text, skip(text, month.after + 1, "the"))
    if second is None or second.day <= first.day or month_name(text, skip(text, second.after, "of")):
        return None
    is_told = text[month.after + 1].is_number or second.is_ordinal
    if not is_told or is_count(text, second.after) or text.norm(second.after) in _WORDS.after_no_days:
        return None
    start = MonthDay(month=month.month, day=first.day, year=month.year)
    return start, MonthDay(month=month.month, day=second.day, year=month.year), second.after


def _bare_days(text: Text, index: int) -> Range | None:
    """ "3rd-22nd", "the 7th to the 15th of next month", "from 2 to 23": where nothing else can be meant."""
    at = skip(text, index, "the")
    first = day_number(text, at)
    if first is None or not joins(text, index, first[1]):
        return None
    second = day_number(text, skip(text, first[1] + 1, "the"))
    # In words both are ordinals: "the thirteenth to the twenty first", unlike "first to last".
    if not text[at].is_number and not (first.is_ordinal and second and second.is_ordinal and at > index):
        return None
    if second is None or month_name(text, second[1]) or is_count(text, second[1]):
        return None
    is_told = first[2] or second[2] or text.norm(index - 1) in _WORDS.before_bare_days
    is_told = is_told or _is_plain(text, index, first, second)
    if not is_told or text.norm(second[1]) in _WORDS.after_no_days or text.is_glued(second[1] + 1):
        return None
    which, after = _which_month(text, second[1])
    if not which:
        return DayOfMonth(day=first[0]), DayOfMonth(day=second[0]), after
    is_following = which == "following"
    start = DayOfMonth(day=first[0], months_ahead=int(which != "this"), is_following=is_following)
    return start, DayOfMonth(day=second[0]), after


def _is_plain(text: Text, index: int, first: DayNumber, second: DayNumber) -> bool:
    """Whether two plain numbers tell nothing but days: "9-11 instead"."""
    is_alone = text.norm(index - 1) in words.BEFORE_PLAIN_DAYS or _is_changed_to(text, index)
    is_alone = is_alone and text.norm(second.after) in words.AFTER_PLAIN_DAYS and first.day < second.day
    return is_alone and text[second.after - 1].is_number and _WORDS.tells_hours.isdisjoint(text.vocabulary)


def _is_changed_to(text: Text, index: int) -> bool:
    """Whether words of change lead to what stands there: "make that 6-9", "move it to 6-9"."""
    before = [text.norm(at) for at in range(max(0, index - 4), index)]
    if tuple(before[-2:]) in _LEAD_TO_DAYS:
        return True
    return before[-1:] == ["to"] and not _WORDS.changes_days.isdisjoint(before)


def is_plain(text: Text, first: int, after: int) -> bool:
    """Return whether a range there is told by nothing but two numbers, which may be something else."""
    plain = {text.norm(at) for at in range(first, after) if not text[at].is_number}
    return plain <= _WORDS.up_to and text.norm(first - 1) not in _WORDS.before_bare_days


def _which_month(text: Text, index: int) -> tuple[str, int]:
    """ "next" of "of next month", "following" of "the following month"; "" if no month is said."""
    at = skip(text, skip(text, index, ",", "of", "in", "for"), "the")
    if text.norm(at + 1) == "month" and text.norm(at) in ("this", "next", "following"):
        return text.norm(at), at + 2
    return "", index


def in_the_same_order(start: Day, end: Day) -> tuple[Day, Day]:
    """Return two ends of a range that are both written as day and month, or both as month and day.

    Where only one of them tells which ("5/8-5/19"), the other follows; where none does, the range is taken
    that stays within a month ("5/4-5/8").
    """
    if not (isinstance(start, MonthDay) and isinstance(end, MonthDay) and start.or_swapped):
        return start, end
    stays_in_month = start.day == end.day if end.or_swapped else start.day == end.month
    if not stays_in_month or start.month == end.month:
        return start, end
    first = MonthDay(month=start.day, day=start.month, year=start.year)
    last = MonthDay(month=end.day, day=end.month, year=end.year) if end.or_swapped else end
    return first, last
