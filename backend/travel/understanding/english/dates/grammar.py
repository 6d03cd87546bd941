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
    Ahead,
    Around,
    Choice,
    Day,
    DayOfMonth,
    Month,
    MonthDay,
    Months,
    OfPeriod,
    Week,
    Weekday,
    Weekend,
)
from .points import (
    DAY_UNITS,
    MONTHS,
    NIGHT_UNITS,
    WEEKDAYS,
    DayNumber,
    MonthName,
    day_number,
    is_count,
    is_counted_from,
    is_of_a_month,
    joins,
    month_after,
    month_name,
    read_point,
    skip,
    year_number,
)

_SAID = phrases_of("dates")
_WORDS = words_of("dates")
_LANGUAGE = words_of("language")

BEGINNINGS = points.BEGINNINGS | {FIGURES}
"""What a date may begin with."""

_WORDS_AFTER_ANY_DAY = 6
_WORDS_TO_A_CORE = 5
_WORDS_TO_NIGHTS = 3
_WORDS_OF_CHANGE = 4
_NIGHTS_AT_MOST = 365
_NIGHTS_OF_A_LONG_WEEKEND = 3
_PARTS_OF_A_DAY = _WORDS.parts_of_a_day | {""}
"""With what a reader of hours has made of them, which is hidden."""
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
    is_any_day = text.has(_SAID.any_day)
    is_any_day = is_any_day and text.match_before(_SAID.any_day, index, within=_WORDS_AFTER_ANY_DAY)
    is_month_told = not text.vocabulary.isdisjoint(MONTHS)
    within_a_month = None
    if is_month_told:
        within_a_month = (
            _whole_month(text, index) or _choice_in_a_month(text, index) or _range_in_a_month(text, index)
        )
    within_a_month = within_a_month or _bare_days(text, index)
    if within_a_month:
        start, end, after = within_a_month
        return DateSpan(first=index, after=after, start=start, end=end, is_any_day=is_any_day)
    point = read_point(text, index)
    if point is None:
        return None
    start, after = point
    if is_period(start):
        return DateSpan(first=index, after=after, start=start)
    joint = text.past(_PARTS_OF_A_DAY, after)  # "Friday evening to Sunday"
    end = read_point(text, joint + 1) if joins(text, index, joint) else None
    if end and not (is_period(end[0]) or isinstance(end[0], Weekend)):
        start, last = _as_one_range(start, end[0])
        if isinstance(start, Weekday) and isinstance(last, Weekday) and text.norm(end[1] - 1) == "week":
            start = replace(start, which=last.which)  # "Thursday to Sunday next week"
        return DateSpan(first=index, after=end[1], start=start, end=last, is_any_day=is_any_day)
    several = [start]
    while text.norm(after) == "or" and (
        other := read_point(text, text.past(_WORDS.before_another_day, after + 1))
    ):
        if is_period(other[0]):
            break
        several, after = [*several, other[0]], other[1]
    start = Choice(days=tuple(several)) if len(several) > 1 else start
    return DateSpan(first=index, after=after, start=start)


def is_period(day: Day) -> bool:
    """Return whether out of a period a day has still to be said: "in May", "next week", "over Easter"."""
    is_around = isinstance(day, Around) and day.is_period
    return is_around or isinstance(day, Month | Week | Months) or _is_part(day)


def _is_part(day: Day) -> bool:
    return isinstance(day, OfPeriod) and isinstance(day.of, Month)


def is_plain(text: Text, first: int, after: int) -> bool:
    """Return whether a range there is told by nothing but two numbers, which may be something else."""
    plain = {text.norm(at) for at in range(first, after) if not text[at].is_number}
    return plain <= _WORDS.up_to and text.norm(first - 1) not in _WORDS.before_bare_days


def _as_one_range(start: Day, end: Day) -> tuple[Day, Day]:
    """Two days whose year or order of day and month only one of them tells.

    "Between 15 March and 17 March 2027"; "5/8-5/19" has its months first, as "5/4-5/8" has, which stays
    within a month then.
    """
    if not (isinstance(start, MonthDay) and isinstance(end, MonthDay)):
        return start, end
    stays_in_month = start.day == (end.day if end.or_swapped else end.month)
    if start.or_swapped and stays_in_month and start.month != end.month:
        start = MonthDay(month=start.day, day=start.month, year=start.year)
        end = MonthDay(month=end.day, day=end.month, year=end.year) if end.or_swapped else end
    if end.year and not start.year:
        start = replace(start, year=end.year - (start.month > end.month))
    return start, end


# Ranges of days whose month is said once, or not at all.


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


def _range_in_a_month(text: Text, index: int) -> Range | None:
    """Two days whose month is said once: "3 to 7 May", "May 3-7", "11 December until 14"."""
    name = month_name(text, index)
    first = _day_behind(text, name[1] if name else index)
    if first is None:
        return None
    own = None if name else month_after(text, first.after)
    joint = own.after if own else first.after
    second = _day_behind(text, joint + 1)
    told = month_after(text, second.after) if second else None
    are_next = bool(second and told and second.day == first.day + 1 and text.norm(joint) == "and")
    if second is None or not (are_next or joins(text, index, joint)):
        return None
    if not (name or own):
        if told is None:
            return None
        start, end, after = _before_their_month(first, second, told)
        is_of_nights = are_next and text.has_any({"nights"}, index - _WORDS_TO_NIGHTS, index)
        return start, Ahead(days=1, base=end) if is_of_nights else end, after
    is_day = text[joint + 1].is_number or second.is_ordinal
    is_told = not own or (is_day and text.norm(second.after) not in _WORDS.after_no_days)
    if second.day <= first.day or told or is_count(text, second.after) or not is_told:
        return None
    year, after = year_number(text, second.after) if name else (own and own.year, second.after)
    month = name[0] if name else own.month if own else 0
    start, end = (MonthDay(month=month, day=one.day, year=year) for one in (first, second))
    return start, end, after


def _choice_in_a_month(text: Text, index: int) -> Range | None:
    """ "10 or 11 May", "the 4th, 5th or 6th of December"."""
    days: list[DayNumber] = []
    at = index
    while day := _day_behind(text, at):
        days.append(day)
        is_listed = text.norm(day.after) == "," and day.is_ordinal
        if text.norm(day.after) != "or" and not is_listed:
            break
        at = day.after + 1 + (is_listed and text.norm(day.after + 1) == "or")
    told = month_after(text, days[-1].after) if len(days) > 1 else None
    if told is None or "or" not in text.said(index, days[-1].after):
        return None
    last = days[-1]
    return Choice(days=tuple(_before_their_month(one, last, told)[0] for one in days)), None, told.after


def _before_their_month(first: DayNumber, second: DayNumber, told: MonthName) -> tuple[Day, Day, int]:
    month, year, after = told
    # "28 to 3 May" begins in the month before.
    month_before = month if first.day <= second.day else (month - 2) % 12 + 1
    start = MonthDay(month=month_before, day=first.day, year=year and year - (month_before > month))
    return start, MonthDay(month=month, day=second.day, year=year), after


def _bare_days(text: Text, index: int) -> Range | None:
    """ "3rd-22nd", "the 7th to the 15th of next month", "from 2 to 23": where nothing else can be meant."""
    at = skip(text, index, "the")
    first = day_number(text, at)
    second = _day_behind(text, first.after + 1) if first and joins(text, index, first.after) else None
    if first is None or second is None or text.norm(index - 1) == "at":
        return None  # "from the 13th at 8 until the 16th"
    # In words both are ordinals: "the thirteenth to the twenty first", unlike "first to last".
    if not (text[at].is_number or (first.is_ordinal and second.is_ordinal and at > index)):
        return None
    is_told = first.is_ordinal or second.is_ordinal or text.norm(index - 1) in _WORDS.before_bare_days
    if not is_told and not _are_plain_days(text, index, first, second):
        return None
    is_decimal = text.norm(second.after) == "." and text[second.after + 1].is_number
    is_other = is_decimal or is_count(text, second.after) or text.norm(second.after) in _WORDS.after_no_days
    if is_other or month_name(text, second.after) or text.is_glued(second.after + 1):
        return None
    of = skip(text, skip(text, second.after, ",", "of", "in", "for"), "the")
    which = text.norm(of)
    if which not in ("this", "next", "following") or text.norm(of + 1) != "month":
        return DayOfMonth(day=first.day), DayOfMonth(day=second.day), second.after
    start = DayOfMonth(day=first.day, months_ahead=int(which != "this"), is_following=which == "following")
    return start, DayOfMonth(day=second.day), of + 2


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
    word, behind = text.norm(index), text.norm(index + 1)
    if word == "overnight":
        is_denied = text.norm(index - 1) in _LANGUAGE.negations  # "not overnight"
        return None if is_denied or behind in _WORDS.of_a_night else (1, index + 1)
    if nth := _nth_night(text, index):
        return nth
    if word == "long" and behind == "weekend":
        return _NIGHTS_OF_A_LONG_WEEKEND, index + 2
    if word in ("a", "the", "one") and behind == "single" and text.norm(index + 2) in NIGHT_UNITS:
        return 1, index + 3
    is_one = word in ("a", "the") and behind not in ("couple", "pair", "nights")
    read = (1, index + 1) if is_one else whole_number(text, index)
    if read is None:
        return None
    most = whole_number(text, read[1] + 1) if text.norm(read[1]) in ("to", "or", "-") else None
    if most and most[0] > read[0] and text.norm(most[1]) in _UNITS:  # "4 to 5 days": the longer is looked for
        read = most
    unit = skip(text, read[1], "-")
    told, after = text.norm(unit), unit + 1
    nights = read[0] * _UNITS.get(told, 0)
    is_for = _is_for(text, index) or is_of_a_month(text, index - 1)
    is_stay = is_for or text.says(after, "or", "so")
    if not is_stay and (not is_one or (word == "a" and told in _WORDS.so_long_alone)):
        is_stay = (told in NIGHT_UNITS and not is_one) or _is_stay(text, index, after)
    is_ahead = not is_for and told in DAY_UNITS and is_counted_from(text, after)
    is_ahead = is_ahead or text.norm(after) in ("longer", "extra", "more")  # by so many a stay is moved
    is_read = is_stay and 0 < nights <= _NIGHTS_AT_MOST and not is_ahead
    return (nights, after) if is_read and not _is_too_much(text, after) else None


def _nth_night(text: Text, index: int) -> tuple[int, int] | None:
    """ "Make it a third night", "add 3rd night": the last of so many nights, and no day of a month."""
    is_led = text.norm(index) == "a"
    nth = day_number(text, index + is_led)
    is_told = nth is not None and nth.is_ordinal and nth.day > 1 and text.norm(nth.after) == "night"
    is_told = is_told and (is_led or text.norm(index - 1) in _WORDS.adds_a_night)
    return (nth.day, nth.after + 1) if nth and is_told else None


def _is_for(text: Text, index: int) -> bool:
    """Whether words before a length make it one of a stay, or one that replaces another.

    "For about 5 days", "make it 5 days", "shorten it to 3 days", "10 days instead of a week".
    """
    before, behind = text.norm(index - 1), text.norm(index + 2)
    led = text.norm(index - 2) if before in _WORDS.roughly else before
    if led in _WORDS.stays or text.says(index - 2, "total", "of"):
        return True
    if text.says(index + 1, "day", "trip"):
        return False
    if before == "to":
        return not text.vocabulary.isdisjoint(_WORDS.changes_a_length)
    is_made = text.norm(index - 2) == "make" and before in ("it", "that")
    return is_made or behind in ("instead", "rather")


def _is_stay(text: Text, index: int, after: int) -> bool:
    """Whether a length tells a stay by itself: "from Gatwick, a week", "two weeks in Tokyo"."""
    before, behind = text.norm(index - 1), text.norm(after)
    is_apart = before == "," or before in _WORDS.bounds or before in WEEKDAYS or before in MONTHS
    ends = behind in _WORDS.bounds or behind == ","
    # "A week off is music to my ears" is none.
    is_spoken_of = text.norm(after + 1) in ("is", "was", "sounds", "would")
    return (
        (is_apart and (ends or behind in _WORDS.after_a_week or text.match(_SAID.hedges, after) > 0))
        or (before in _WORDS.roughly and text.norm(index - 2) != "in" and behind not in _WORDS.no_stay_behind)
        or (before in _WORDS.only and behind in _WORDS.behind_only)
        or (behind in _WORDS.after_a_stay and not is_spoken_of)
        or _is_spent_in(text, index, after - 1)
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
    before, behind = text.norm(index - 1), text[unit + 2]
    is_begun = before in _WORDS.before_time_spent or (
        behind.is_capitalised and behind.norm not in MONTHS and before not in _WORDS.no_time_spent_behind
    )
    return is_begun and behind.is_word and behind.norm not in _WORDS.no_place_behind_in
