"""The grammar of dates: which words at one place in a message name a day, a range of days or a stay.

It only recognises; what day of the calendar is meant is for `days`. Every rule looks a bounded number of
tokens ahead, so reading a message takes time in proportion to its length.
"""

from dataclasses import dataclass, replace

from ..language.numbers import whole_number
from ..language.tables import phrases_of, words_of
from ..language.text import FIGURES, Text, word_set
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
    AFTER_PLAIN_DAYS,
    BEFORE_PLAIN_DAYS,
    BOUNDS,
    DATE_WORDS,
    DAY_UNITS,
    FEAST_WORDS,
    MONTHS,
    NIGHT_UNITS,
    NIGHTS_OF_A_LONG_WEEKEND,
    NTH,
    SCHOOL_WORDS,
    SEASONS,
    WEEKDAYS,
    DayNumber,
    Point,
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
    if text.vocabulary.isdisjoint(MONTHS):
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
    is_alone = text.norm(index - 1) in BEFORE_PLAIN_DAYS or _is_changed_to(text, index)
    is_alone = is_alone and text.norm(second.after) in AFTER_PLAIN_DAYS and first.day < second.day
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


_SAID = phrases_of("dates")

_NIGHTS_AT_MOST = 365
_TELLS_OF_A_STAY = frozenset({"overnight", "weekend", *NIGHT_UNITS, *DAY_UNITS})
_BEFORE_TIME_SPENT = BOUNDS | word_set(
    """
    , spend spending want wants need fancy like love book booking plan planning planned for of our my
    another have got get take taking do doing about around roughly approximately maybe and cheap please
    hi hello say
    """
)
_NO_PLACE_BEHIND_IN = (
    MONTHS.keys()
    | SEASONS.keys()
    | NTH.keys()
    | word_set("advance total row a the all between case time future past early late mid this next")
)
_BEHIND_ONLY = BOUNDS | word_set(
    ", actually instead please though then rather max maximum total altogether ok thanks now i sorry"
)


def read_length(text: Text, index: int) -> tuple[int, int] | None:
    """Read "3 nights", "for a week", "5-day trip", "overnight", "two weeks in Tokyo", "only 10 days".

    Return the nights and the index after.
    """
    if text.vocabulary.isdisjoint(_TELLS_OF_A_STAY):
        return None
    told_again = _of_the_unit_before(text, index)
    if told_again:
        return told_again
    if text.norm(index) == "overnight":
        return 1, index + 1
    if [text.norm(index), text.norm(index + 1)] == ["long", "weekend"]:
        return NIGHTS_OF_A_LONG_WEEKEND, index + 2
    before = index - 2 if text.norm(index - 1) in _WORDS.roughly else index - 1
    is_for = text.norm(before) in ("for", "stay", "staying", "spanning", "lasting")
    is_for = is_for or (text.norm(index - 1) == "of" and text.norm(index - 2) == "total")
    is_for = is_for or _is_made_so_long(text, index)
    is_single = text.norm(index + 1) == "single" and text.norm(index + 2) in NIGHT_UNITS
    if text.norm(index) in ("a", "the", "one") and is_single:
        return 1, index + 3
    # "About a week", and "a week" that is a thought of its own: "from Gatwick, a week".
    is_bounded = text.norm(index - 1) in BOUNDS or text.norm(index - 1) == ","
    is_bounded = is_bounded and (
        text.norm(index + 2) in BOUNDS or text.norm(index + 2) in _WORDS.after_a_week
    )
    is_about = (
        text.norm(index - 1) in _WORDS.roughly
        and text.norm(index - 2) != "in"
        and text.norm(index + 2) not in _WORDS.no_stay_behind
    )
    is_a_week = (
        text.norm(index) == "a" and text.norm(index + 1) in _WORDS.so_long_alone and (is_bounded or is_about)
    )
    is_a_week = is_a_week or (
        text.norm(index) == "a"
        and text.norm(index + 1) in _WORDS.so_long_alone
        and (
            _is_spent_in(text, index, index + 1)
            or _is_only(text, index, index + 1)
            or (
                text.norm(index + 2) in _WORDS.after_a_stay - _WORDS.after_a_week
                and not _is_spoken_of(text, index)
            )
        )
    )
    is_a_week_or_so = is_a_week or [text.norm(index), text.norm(index + 2), text.norm(index + 3)] == [
        "a",
        "or",
        "so",
    ]
    if is_a_week_or_so or (
        text.norm(index) in ("a", "the") and is_for and text.norm(index + 1) not in ("couple", "pair")
    ):
        count, after = 1, index + 1
    else:
        read = whole_number(text, index)
        if read is None:
            return None
        count, after = read
    if text.norm(after) == "-":
        after += 1
    unit = text.norm(after)
    is_told = any(text.norm(index - 1) in some for some in (BOUNDS, WEEKDAYS, MONTHS))
    is_told = is_told or text.norm(index - 1) == ","
    is_alone = text.norm(after + 1) in BOUNDS or text.norm(after + 1) == ","
    is_alone = (is_told and (is_alone or text.match(_SAID.hedges, after + 1) > 0)) or _is_only(
        text, index, after
    )
    is_roughly = [text.norm(after + 1), text.norm(after + 2)] == ["or", "so"]
    is_roughly = is_roughly or (text.norm(index - 1) in _WORDS.roughly and text.norm(after + 1) in BOUNDS)
    is_stay = (
        is_for
        or is_alone
        or _is_spent_in(text, index, after)
        or is_roughly
        or is_a_week
        or text.norm(after + 1) in _WORDS.after_a_stay
    )
    if unit not in NIGHT_UNITS and not (unit in DAY_UNITS and is_stay):
        return None
    if _is_too_much(text, after + 1):
        return None
    nights = count * (NIGHT_UNITS | DAY_UNITS)[unit]
    is_ahead = not is_for and unit in DAY_UNITS and is_counted_from(text, after + 1)
    return (nights, after + 1) if 0 < nights <= _NIGHTS_AT_MOST and not is_ahead else None


def _of_the_unit_before(text: Text, index: int) -> tuple[int, int] | None:
    """The length of "three weeks is too long, make it two": a number of the unit that was told before it."""
    read = (
        whole_number(text, index)
        if text.norm(index - 1) in _WORDS.made and "too" in text.vocabulary
        else None
    )
    if read is None or (text[read[1]].is_word and text.norm(read[1]) not in BOUNDS | _BEHIND_ONLY):
        return None
    units = NIGHT_UNITS | DAY_UNITS
    for at in range(index - 1, -1, -1):
        if text.norm(at) in units and _is_too_much(text, at + 1):
            nights = read[0] * units[text.norm(at)]
            return (nights, read[1]) if 0 < nights <= _NIGHTS_AT_MOST else None
    return None


def _is_too_much(text: Text, at: int) -> bool:
    """Whether that is said of a length before it: "is too long", "seems a bit too short"."""
    is_judged = text.norm(at) in ("is", "are", "was", "seems", "feels", "sounds", "would", "might")
    return is_judged and any(text.norm(behind) == "too" for behind in range(at + 1, at + 5))


def _is_spent_in(text: Text, index: int, unit: int) -> bool:
    """Whether a time is spent at a place: "two weeks in Tokyo", unlike "two weeks in advance"."""
    if text.norm(unit + 1) not in ("in", "at", "around") or text.norm(index - 1) not in _BEFORE_TIME_SPENT:
        return False
    behind = text.norm(unit + 2)
    if behind in MONTHS or behind in SEASONS:  # "a week in February"
        return text.norm(unit + 1) == "in"
    return behind not in _NO_PLACE_BEHIND_IN and text[unit + 2].is_word


def _is_only(text: Text, index: int, unit: int) -> bool:
    """Whether a length is put right: "only 10 days actually", "maybe two weeks instead"."""
    if text.norm(unit + 1) not in _BEHIND_ONLY:
        return False
    return text.norm(index - 1) in _WORDS.only


def _is_spoken_of(text: Text, index: int) -> bool:
    """Whether something is said about a length: "a week off is music to my ears"."""
    return text.norm(index + 3) in ("is", "was", "sounds", "would")


def _is_made_so_long(text: Text, index: int) -> bool:
    """Whether a length there replaces another: "make it 5 days", "shorten it to 3 days", "only 4 days"."""
    before = text.norm(index - 1)
    if text.norm(index + 1) == "day" and text.norm(index + 2) == "trip":
        return False
    if before == "to":
        return not text.vocabulary.isdisjoint(_WORDS.changes_a_length)
    if before in ("only", "just") and text.norm(index + 2) in BOUNDS:
        return True
    if text.norm(index + 2) in ("instead", "rather"):  # "10 days instead of a week"
        return True
    return [text.norm(index - 2), before] in (["make", "it"], ["make", "that"])


_WORDS_AFTER_ANY_DAY = 4
_IN_WORDS = DATE_WORDS | FEAST_WORDS | SCHOOL_WORDS
BEGINNINGS = _IN_WORDS | {FIGURES}
"""What a date may begin with."""
_PERIODS = Month | Week | Months | PartOfPeriod | HalfTerm | Around


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
    if text.norm(index) not in _IN_WORDS and not text[index].is_number:
        return None
    stay = read_length(text, index)
    if stay:
        return DateSpan(first=index, after=stay[1], nights=stay[0])
    may_be_any_day = text.has(_SAID.any_day)
    is_any_day = may_be_any_day and text.match_before(_SAID.any_day, index, within=_WORDS_AFTER_ANY_DAY)
    within_a_month = range_in_a_month(text, index)
    if within_a_month:
        start, end, after = within_a_month
        return DateSpan(first=index, after=after, start=start, end=end, is_any_day=is_any_day)
    point = read_point(text, index)
    if point is None:
        return None
    start, after = point
    if isinstance(start, _PERIODS):
        return DateSpan(first=index, after=after, start=start)
    end = _up_to(text, index, after)
    if end:
        start, last = in_the_same_order(start, end[0])
        start = _in_the_year_of(last, start)
        if isinstance(start, Weekday) and isinstance(last, Weekday) and text.norm(end[1] - 1) == "week":
            start = replace(start, which=last.which)  # "Thursday to Sunday next week"
        return DateSpan(first=index, after=end[1], start=start, end=last, is_any_day=is_any_day)
    other = read_point(text, _behind_or(text, after)) if text.norm(after) == "or" else None
    if other and not isinstance(other[0], _PERIODS):
        return DateSpan(first=index, after=other[1], start=Choice(days=(start, other[0])))
    return DateSpan(first=index, after=after, start=start)


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
