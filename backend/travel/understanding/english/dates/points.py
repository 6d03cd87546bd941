"""The day, or the period, that begins at one word of a message."""

from dataclasses import dataclass, replace
from typing import NamedTuple

from ..language.numbers import NUMBER_WORDS, whole_number
from ..language.tables import phrases_of, words_of
from ..language.text import Phrases, Text, phrases, word_set
from .days import (
    Ahead,
    Around,
    AsSoonAsCan,
    Beside,
    Day,
    DayOfMonth,
    EasterDay,
    HalfTerm,
    Month,
    MonthDay,
    Months,
    NthWeekday,
    NthWeekendOfPeriod,
    Over,
    Part,
    PartOfPeriod,
    SameDay,
    Soonest,
    Week,
    Weekday,
    Weekend,
    WeekendNear,
    WeekendOf,
    Which,
)

_SAID = phrases_of("dates")
_WORDS = words_of("dates")

_MONTH_NAMES = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
)  # fmt: skip
_WEEKDAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_ORDINAL_NAMES = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth",
    "eighteenth", "nineteenth", "twentieth",
)  # fmt: skip

MONTHS: dict[str, int] = {
    **{name: number for number, name in enumerate(_MONTH_NAMES, start=1)},
    **{name[:3]: number for number, name in enumerate(_MONTH_NAMES, start=1)},
    "sept": 9,
}


WEEKDAYS: dict[str, int] = {
    **{name: number for number, name in enumerate(_WEEKDAY_NAMES)},
    **{name + "s": number for number, name in enumerate(_WEEKDAY_NAMES)},
    "mon": 0,
    "tue": 1,
    "tues": 1,
    "wed": 2,
    "weds": 2,
    "thu": 3,
    "thur": 3,
    "thurs": 3,
    "fri": 4,
}

WEEKDAYS_ALSO_WORDS = {"sat": 5, "sun": 6}
"""Abbreviations that count as a weekday only after a word such as "on", or before a number."""

ALL_WEEKDAYS = WEEKDAYS.keys() | WEEKDAYS_ALSO_WORDS.keys()
LAST_OF_A_LIST = 5
"""An ordinal up to this one may be that of an offer in a list: "book 2nd"."""

ORDINALS = {name: number for number, name in enumerate(_ORDINAL_NAMES, start=1)} | {"thirtieth": 30}

PARTS: dict[str, Part] = {
    "early": "early",
    "beginning": "early",
    "start": "early",
    "mid": "middle",
    "middle": "middle",
    "late": "late",
    "end": "late",
}
NTH = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1}
WEEKS_OF_A_MONTH: dict[int, Part] = {1: "week 1", 2: "week 2", 3: "week 3", 4: "week 4", -1: "last week"}
WEEKS = frozenset(WEEKS_OF_A_MONTH.values())

BESIDE_A_WEEK = word_set(
    ", . ! any please then is would works maybe or of instead pls thanks rather actually sorry -"
) | {""}
"""What follows "the second week" of a month that was told before."""

HALVES: dict[int, Part] = {1: "first half", 2: "second half", -1: "second half"}
SEASONS = {"spring": 3, "summer": 6, "summertime": 6, "autumn": 9, "fall": 9, "winter": 12}
SOON_ALONE = 4
"""Tokens of a message that answers when: "asap please"."""

BASES = word_set("that today tomorrow christmas easter new my our we i the") | NUMBER_WORDS.keys()
"""Behind "two days after" these tell from which day it counts."""

AFTER_A_SPELLED_DAY = word_set(
    ", after before at around in and to from with please then or instead for returning back until late early"
) | word_set("any whenever")
BEHIND_A_PLAIN_ORDINAL = AFTER_A_SPELLED_DAY | word_set("works would is maybe ok thanks if so but for")

NIGHTS_OF_A_LONG_WEEKEND = 3
BESIDE = {"before": True, "after": False}

WHICH: dict[str, Which] = {
    "next": "next",
    "this": "this",
    "coming": "coming",
    "upcoming": "coming",
    "following": "following",
}


BOUNDS = frozenset({"", ".", "!", "?", ";", ":"})
"""What a sentence begins behind and ends before; "" is the end of the message."""

BEHIND_A_WAY_BACK = BOUNDS | word_set("please instead then , if and rather")
"""Behind "Wednesday back" these end what is said of that day."""


AFTER_A_PLAIN_DAY = BOUNDS - {":"} | word_set(
    ", and please then instead thanks ok if but with in for or back return returning coming until till from"
)

AROUND_A_DAY = BOUNDS | word_set(", please works would is maybe and or thanks ok then back")
"""What may follow an ordinal that stands alone: "the 8th, please"."""

BEHIND_A_WEEKEND = word_set("instead then rather please") | {""}
"""Behind a message that begins with "weekend" these tell that it says nothing else."""

BEFORE_PLAIN_DAYS = BOUNDS | word_set(
    ", it try then sorry do maybe say rather hotel dates now - no fly flying travel travelling traveling is"
)
AFTER_PLAIN_DAYS = BOUNDS | word_set(
    ", instead please then thanks rather ok works if cheaper better possible available also"
)


DAY_UNITS = {"day": 1, "days": 1, "week": 7, "weeks": 7, "fortnight": 14, "fortnights": 14}
NIGHT_UNITS = {"night": 1, "nights": 1}
DATE_WORDS = frozenset(
    {
        "a",
        "the",
        "in",
        "day",
        "weekend",
        "week",
        "over",
        "long",
        "now",
        "overnight",
        "same",
        "that",
        "previous",
        "today",
        "tonight",
        "couple",
        "pair",
        *_SAID.as_soon_as_can,
        *ORDINALS,
        *WHICH,
        *_WORDS.whole,
        *PARTS,
    }
    | _WORDS.tomorrow
    | MONTHS.keys()
    | WEEKDAYS.keys()
    | WEEKDAYS_ALSO_WORDS.keys()
    | NUMBER_WORDS.keys()
    | SEASONS.keys()
    | NTH.keys()
)
"""The words a date can begin with, besides digits."""


_TENS = {"twenty": 20, "thirty": 30}


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
    if token.norm in ORDINALS:
        return DayNumber(ORDINALS[token.norm], index + 1, is_ordinal=True)
    if token.norm in _TENS:
        after = index + 2 if text.norm(index + 1) == "-" else index + 1
        unit = ORDINALS.get(text.norm(after), 0)
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
    at = index + 1 if text.norm(index) in (",", "of") else index
    token = text[at]
    if token.is_number and len(token.raw) == 4 and token.raw.startswith("20"):
        is_money = text.norm(at + 1) in _WORDS.currencies or text.norm(at - 1) in _WORDS.currencies
        if not is_money:
            return int(token.raw), at + 1
    return None, index


def month_after(text: Text, index: int) -> MonthName | None:
    """Read what follows a day: "of May 2027"."""
    found = month_name(text, skip(text, index, "of", "day", "in"))
    is_of_people = text.norm(index) == "in" and text.norm(index - 2) == "for"  # "for 2 in June"
    if found is None or (is_of_people and text[index - 1].is_number):
        return None
    year, after = year_number(text, found[1])
    return MonthName(found[0], year, after)


def skip(text: Text, index: int, *skipped: str) -> int:
    """Return the index, or the next one if one of these words or signs stands there."""
    return index + 1 if text.norm(index) in skipped else index


def skip_back(text: Text, index: int, *skipped: str) -> int:
    """Return the index, or the one before it if one of these words or signs stands there."""
    return index - 1 if text.norm(index - 1) in skipped else index


def joins(text: Text, start: int, index: int) -> bool:
    """Return whether the token there joins the two ends of a range that begins at `start`."""
    return text.norm(index) in _WORDS.up_to or (
        text.norm(index) == "and" and text.norm(start - 1) == "between"
    )


def is_count(text: Text, index: int) -> bool:
    """Return whether what stands there is counted by the number before it: "2 people"."""
    return text.norm(index) in _WORDS.counted


_WORDS_TO_A_DAY = 4


def bare_day(text: Text, index: int, *, is_told: bool = False) -> tuple[DayOfMonth, int] | None:
    """Return the day without a month there, and the index after it.

    "The 12th", "on the 12th"; "12th" only where a date can stand, "first" never.
    `is_told` says that a weekday stands before it.
    """
    at = skip(text, index, "the")
    day = day_number(text, at)
    if day is None:
        return None
    if not day.is_ordinal:
        is_plain = text[at].is_number and _is_plain_day(text, at, day.after)
        return (DayOfMonth(day=day.day), day.after) if is_plain else None
    if not text[at].is_number and not _is_spelled_day(text, at, day.after):
        return None
    if text.norm(day.after) in _WORDS.after_no_day:
        return None
    if (
        text.norm(day.after) == "of"
        and text.norm(day.after + 1) in ("this", "next")
        and text.norm(day.after + 2) == "month"
    ):
        return DayOfMonth(day=day.day, months_ahead=int(text.norm(day.after + 1) == "next")), day.after + 3
    is_alone = text.norm(at - 1) in BOUNDS and text.norm(day.after) in AROUND_A_DAY
    is_last = at == index and day.day > LAST_OF_A_LIST and text.norm(day.after) in BOUNDS
    is_told = is_told or is_alone or is_last or text.norm(at - 1) in _WORDS.words_before_a_day
    return (DayOfMonth(day=day.day), day.after) if is_told else None


def day_behind_its_name(text: Text, index: int, weekday: int) -> tuple[DayOfMonth, int] | None:
    """Return the day without a month behind its weekday, and the index after it: "back mon 14"."""
    day = day_number(text, index) if text[index].is_number else None
    if day is None or day.is_ordinal or text.is_glued(index) or _is_of_a_number(text, day.after):
        return None
    ends = text.norm(day.after) in AFTER_A_PLAIN_DAY or text.norm(day.after) in _WORDS.up_to
    return (DayOfMonth(day=day.day, weekday=weekday), day.after) if ends else None


def _is_plain_day(text: Text, at: int, after: int) -> bool:
    """Whether a number without an ending is a day of a month: "back 16", "I come back on the 14"."""
    if text.norm(after) not in AFTER_A_PLAIN_DAY or text.is_glued(at) or _is_of_a_number(text, after):
        return False
    before = at - 1
    if text.norm(before) == "the":
        return text.norm(before - 1) in _WORDS.before_a_plain_day
    for _ in range(_WORDS_TO_A_DAY):
        before -= text.norm(before) in _WORDS.to_a_plain_day
    return text.norm(before) in _WORDS.comes_back and not text[before - 1].is_number


def _is_of_a_number(text: Text, after: int) -> bool:
    """Whether a number goes on there: "9.20"."""
    return text.is_glued(after) and text.is_glued(after + 1) and text[after + 1].is_number


def _is_spelled_day(text: Text, at: int, after: int) -> bool:
    """Whether an ordinal in words is a day of a month: "come back on the fourth after five pm"."""
    if text.norm(at - 1) != "the":
        return False
    ends = text.norm(after) in BOUNDS or text.norm(after) in AFTER_A_SPELLED_DAY
    if ends and text.norm(at - 2) in _WORDS.before_a_spelled_day | _WORDS.comes_back:
        return True
    # Nobody tells the thirteenth of a list of offers, but "the second" of them.
    read = day_number(text, at)
    is_high = read is not None and read.day > LAST_OF_A_LIST
    return is_high and (ends or text.norm(after) in BEHIND_A_PLAIN_ORDINAL)


_BESIDE = {"previous": -1, "prior": -1, "preceding": -1, "following": 1, "next": 1}


def read_day_beside(text: Text, at: int) -> tuple[Day, int] | None:
    """Return the day that begins at that token, counted from one told before, and the index after."""
    word, behind = text.norm(at), text.norm(at + 1)
    if word in _WORDS.parts and behind in _WORDS.before_a_day:
        return _counted(text, at + 2, -1)
    if word in _WORDS.parts and behind in _WORDS.later - {"later"}:
        return None if _is_asked(text, at) else _counted(text, at + 2, 1)
    if word in _BESIDE and behind in _WORDS.parts and text.norm(at - 1) == "the":
        return None if _is_asked(text, at) else _counted(text, at + 2, _BESIDE[word])
    count, after = whole_number(text, at) or ((1, at + 1) if word == "a" else (0, at))
    unit = DAY_UNITS.get(text.norm(after), NIGHT_UNITS.get(text.norm(after), 0))
    if count and unit and text.norm(after + 1) in _WORDS.earlier:
        return _counted(text, after + 2, -count * unit)
    return None


def _counted(text: Text, after: int, days: int) -> tuple[Day, int] | None:
    """The day, unless another follows from which it is counted: "the evening before Christmas"."""
    noun = after + (text.norm(after) in _WORDS.articles)
    end = noun + 1 if text.norm(noun) in _WORDS.it else after
    is_end = end > after or text.norm(end) in BOUNDS or text.norm(end) in AFTER_A_SPELLED_DAY
    return (Ahead(days=days, base=SameDay()), end) if is_end else None


def _is_asked(text: Text, at: int) -> bool:
    """Whether it is asked when a flight lands: "do I arrive the same day or the day after?"."""
    before = at - 1 - (text.norm(at - 1) == "the")
    return text.norm(before) in _WORDS.landing


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
    which = WHICH.get(text.norm(at))
    if which is None or (part != "whole" and text.norm(at + 1) != "week"):
        return None
    ahead = 0 if which == "this" else 1
    if text.norm(at + 1) == "week":
        return Week(weeks=ahead, part=part), at + 2
    return (Month(ahead=ahead), at + 2) if text.norm(at + 1) == "month" else None


def _part_of_a_week(text: Text, index: int) -> tuple[Part, int]:
    """ "the end of", "early", before a week; "whole" and the index itself before anything else."""
    at = skip(text, index, "the")
    part = PARTS.get(text.norm(at))
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
        return (PartOfPeriod(part=part), at) if part in WEEKS and text.norm(at) in BESIDE_A_WEEK else None
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
    nth = NTH.get(text.norm(index))
    if text.norm(index) in _WORDS.ordinal_digits and text.norm(index + 1) in _WORDS.ordinal_endings:
        nth, index = int(text.norm(index)), index + 1
    unit = text.norm(index + 1)
    if nth and unit == "week" and nth in WEEKS_OF_A_MONTH:
        return WEEKS_OF_A_MONTH[nth], index + 2
    if nth and unit == "half" and nth in HALVES:
        return HALVES[nth], index + 2
    part = PARTS.get(text.norm(index), "whole")
    return part, index + 1 if part != "whole" else index


def _season(text: Text, index: int) -> tuple[Day, int] | None:
    """ "summer", after a word that says that a time is meant: "in summer", "this fall"."""
    at = index + 1 if text.norm(index) in WHICH or text.norm(index) == "the" else index
    first = SEASONS.get(text.norm(at))
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
    is_early = PARTS.get(text.norm(index)) == "early"
    at = index + 1 if is_early else index
    if [text.norm(at), text.norm(at + 1)] != ["next", "year"]:
        return None
    return Months(first=1, count=3 if is_early else 12, years_ahead=1), at + 2


_MONDAY, _THURSDAY = 0, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Feast:
    """A day by its names. "Over" it lasts from `before` days before it to `after` days after it."""

    names: Phrases
    day: Day
    before: int = 1
    after: int = 1


_EARLY_MAY = NthWeekday(nth=1, weekday=_MONDAY, month=5)
_LATE_MAY = NthWeekday(nth=-1, weekday=_MONDAY, month=5)
_LATE_AUGUST = NthWeekday(nth=-1, weekday=_MONDAY, month=8)
_BANK_HOLIDAYS: tuple[Day, ...] = (EasterDay(offset=1), _EARLY_MAY, _LATE_MAY, _LATE_AUGUST)
"""Those of the United Kingdom that make a long weekend, but for Christmas and New Year, which people name."""


def _on_a_monday(day: Day, *names: str) -> Feast:
    """A feast that gives a long weekend: people have the Saturday and the Sunday before it off as well."""
    return Feast(names=phrases(*names), day=day, before=2, after=0)


_FEASTS = (
    Feast(names=phrases("christmas eve", "xmas eve"), day=MonthDay(month=12, day=24)),
    Feast(names=phrases("christmas", "christmas day", "xmas", "x-mas"), day=MonthDay(month=12, day=25)),
    Feast(names=phrases("boxing day"), day=MonthDay(month=12, day=26)),
    Feast(
        names=phrases("new year's eve", "new years eve", "nye", "silvester"), day=MonthDay(month=12, day=31)
    ),
    Feast(
        names=phrases("new year", "new years", "new year's", "new year's day", "new years day"),
        day=MonthDay(month=1, day=1),
    ),
    Feast(
        names=phrases("valentine's day", "valentines day", "valentine's", "valentines"),
        day=MonthDay(month=2, day=14),
    ),
    Feast(
        names=phrases(
            "st patrick's day", "saint patrick's day", "st patricks day", "st patrick's", "st patricks",
            "saint patrick's", "st. patrick's day", "st. patricks day", "st. patrick's", "st paddy's day",
            "st paddys day", "paddy's day", "paddys day",
        ),
        day=MonthDay(month=3, day=17),
    ),
    Feast(names=phrases("australia day"), day=MonthDay(month=1, day=26)),
    Feast(names=phrases("king's day", "kings day"), day=MonthDay(month=4, day=27)),
    Feast(names=phrases("juneteenth"), day=MonthDay(month=6, day=19)),
    Feast(names=phrases("canada day"), day=MonthDay(month=7, day=1)),
    Feast(
        names=phrases("fourth of july", "july fourth", "july 4th", "4th of july", "independence day"),
        day=MonthDay(month=7, day=4),
    ),
    Feast(names=phrases("bastille day"), day=MonthDay(month=7, day=14)),
    Feast(names=phrases("halloween"), day=MonthDay(month=10, day=31)),
    Feast(names=phrases("all saints day", "all saints' day", "all saints"), day=MonthDay(month=11, day=1)),
    Feast(names=phrases("veterans day", "veteran's day", "veterans' day"), day=MonthDay(month=11, day=11)),
    Feast(names=phrases("easter", "easter sunday"), day=EasterDay(), before=2, after=1),
    Feast(names=phrases("good friday"), day=EasterDay(offset=-2)),
    Feast(names=phrases("easter monday"), day=EasterDay(offset=1)),
    Feast(names=phrases("ascension day"), day=EasterDay(offset=39)),
    Feast(names=phrases("pentecost", "whitsun", "whit sunday"), day=EasterDay(offset=49)),
    Feast(
        names=phrases("thanksgiving", "thanksgiving day"),
        day=NthWeekday(nth=4, weekday=_THURSDAY, month=11),
        before=0,
        after=3,
    ),
    _on_a_monday(
        NthWeekday(nth=3, weekday=_MONDAY, month=1),
        "mlk day", "mlk", "martin luther king day", "martin luther king jr day", "martin luther king",
    ),
    _on_a_monday(
        NthWeekday(nth=3, weekday=_MONDAY, month=2), "presidents day", "presidents' day", "president's day"
    ),
    _on_a_monday(
        _EARLY_MAY,
        "early may bank holiday", "may day bank holiday", "may bank holiday", "first may bank holiday",
        "bank holiday in may", "first bank holiday in may", "may day",
    ),
    _on_a_monday(
        _LATE_MAY,
        "spring bank holiday", "late may bank holiday", "second may bank holiday",
        "second bank holiday in may", "whitsun bank holiday", "end of may bank holiday", "memorial day",
    ),
    _on_a_monday(_LATE_AUGUST, "august bank holiday", "summer bank holiday", "bank holiday in august"),
    _on_a_monday(NthWeekday(nth=1, weekday=_MONDAY, month=9), "labor day", "labour day"),
    _on_a_monday(
        NthWeekday(nth=2, weekday=_MONDAY, month=10),
        "columbus day", "indigenous peoples day", "indigenous peoples' day", "canadian thanksgiving",
        "thanksgiving in canada",
    ),
    _on_a_monday(
        Soonest(days=_BANK_HOLIDAYS), "bank holiday", "bank hol", "uk bank holiday", "next bank holiday"
    ),
)  # fmt: skip

FEAST_WORDS = frozenset(first for feast in _FEASTS for first in feast.names)
"""The words a feast can begin with."""


def find_feast(text: Text, index: int) -> tuple[Feast, int] | None:
    """Return the feast that is named at that token and the index after it; the longest name counts."""
    if text.norm(index) not in FEAST_WORDS:
        return None
    found = [(feast.names, feast) for feast in _FEASTS if text.match(feast.names, index)]
    if not found:
        return None
    names, feast = max(found, key=lambda each: text.match(each[0], index))
    return feast, index + text.match(names, index)


def read_feast(text: Text, index: int) -> tuple[Day, int] | None:
    """Return the days of a feast, and the index after: "Christmas", "over Easter", "Easter weekend"."""
    is_over = text.norm(index) == "over"
    found = find_feast(text, skip(text, index + 1, "the") if is_over else index)
    if found is None:
        return None
    feast, after = found
    if text.norm(after) == "weekend" and not is_over:
        weekend = WeekendOf(day=feast.day) if isinstance(feast.day, MonthDay) else None
        return weekend or Over(day=feast.day, before=feast.before, after=feast.after), after + 1
    return (Over(day=feast.day, before=feast.before, after=feast.after) if is_over else feast.day), after


_MONTHS_OF_HALF_TERMS = {2: 2, 5: 5, 6: 5, 10: 10, 11: 10}
_SEASONS = {"winter": 2, "spring": 2, "summer": 5, "whitsun": 5, "may": 5, "autumn": 10, "fall": 10}
_SPRING_BREAK = Months(first=3, count=1)
SCHOOL_WORDS = word_set(
    "half halfterm feb february may june oct october nov november whitsun winter spring summer"
) | (word_set("autumn fall easter christmas xmas school"))


def read_school_holidays(text: Text, index: int) -> tuple[Day, int] | None:
    """Return the weeks off school that are named at that token, and the index after."""
    if (
        text.vocabulary.isdisjoint(_WORDS.tell) or "wait" in text.vocabulary
    ):  # "I can't wait for spring break"
        return None
    at = skip(text, skip(text, index, "over"), "the")
    return _half_term(text, at) or _holidays(text, at)


def _half_term(text: Text, at: int) -> tuple[Day, int] | None:
    """ "half term", "the October half term", "half term in February"."""
    name = month_name(text, at)
    season = _SEASONS.get(text.norm(at))
    start = name[1] if name else at + 1 if season else at
    length = text.match(_SAID.half_term, start)
    if not length:
        return None
    after = start + length
    after += text.norm(after) in ("week", "holiday", "holidays", "break")
    behind = month_name(text, after + 1) if text.norm(after) in ("in", "of") else None
    told = name or behind
    month = _MONTHS_OF_HALF_TERMS.get(told[0], 0) if told else season or 0
    return HalfTerm(month=month), behind[1] if behind and not name else after


def _holidays(text: Text, at: int) -> tuple[Day, int] | None:
    if text.norm(at + 1) not in _WORDS.holidays:
        return None
    name = text.norm(at)
    if name == "easter":
        return Around(day=EasterDay(), before=9, after=14), at + 2
    if name in ("christmas", "xmas"):
        return Around(day=MonthDay(month=12, day=25), before=6, after=10), at + 2
    if name == "spring" and text.norm(at + 1) == "break":
        return _SPRING_BREAK, at + 2
    return None


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
    which = WHICH.get(text.norm(index), "coming")
    at = index + 1 if text.norm(index) in WHICH else skip(text, index, "the")
    if at == index + 1 and text.norm(index) == "the" and text.norm(at) in WHICH:
        which, at = WHICH[text.norm(at)], at + 1
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
    if name not in WEEKDAYS and name not in WEEKDAYS_ALSO_WORDS:  # as nearly always
        return None
    is_contracted = text[index].is_word and not text[index].raw.isalpha()  # "we'd" is no Wednesday
    weekday = None if is_contracted else WEEKDAYS.get(name)
    if weekday is None and name in WEEKDAYS_ALSO_WORDS:
        is_date = text[index + 1].is_number or text.norm(index - 1) in _WORDS.before_a_weekday
        is_date = is_date or (text.norm(index + 1) in _WORDS.up_to and text.norm(index + 2) in ALL_WEEKDAYS)
        # The part of the day is hidden, for the reader of times has read it.
        is_date = is_date or text.spelled(index + 1, index + 2).lower() in _WORDS.parts_after_a_weekday
        return WEEKDAYS_ALSO_WORDS[name] if is_date else None
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
    which = WHICH.get(word)
    unit = text.norm(at + 1) if which else word
    is_all = unit == "weekend" and index == 0 and text.norm(1) in BEHIND_A_WEEKEND
    is_told = text.norm(at + 1) == "of" or [text.norm(at + 1), text.norm(at + 2)] == ["after", "next"]
    if unit == "weekend" and (which or at > index or is_all or is_told):
        return _weekend(text, at + 1 + (which is not None), is_next=which in ("next", "following"))
    week = read_week(text, index)
    if week is None or not which:
        return week
    weekday = WEEKDAYS.get(text.norm(skip(text, week[1], "on")))
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
    if count == 0 and unit == "day" and text.norm(after + 1) in BESIDE:
        count = 1
    if count == 0 or not (unit in DAY_UNITS or unit in _WORDS.month_units):
        return None
    days = count * DAY_UNITS.get(unit, 0)
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
        sign = -1 if BESIDE.get(text.norm(after)) else 1
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
    return not is_for_us and (text.length <= SOON_ALONE or text.has(_SAID.words_travels))


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
    is_later = text.norm(after + 1) in _WORDS.later and text.norm(after + 2) not in BASES
    if count and unit in DAY_UNITS and is_later:
        return Ahead(days=count * DAY_UNITS[unit], base=SameDay()), after + 2
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
    is_told = end > at + 2 or text.norm(end) in BOUNDS or text.norm(end) in (",", "please")
    return (Beside(unit=weekday, base=SameDay(), is_before=False), end) if is_told else None


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
    is_before = BESIDE.get(text.norm(at + 1))
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
    nth = NTH.get(text.norm(at), 0)
    after = at + 1
    if text.norm(at) in _WORDS.ordinal_digits and text.norm(at + 1) in _WORDS.ordinal_endings:
        nth, after = int(text.norm(at)), at + 2
    if nth and text.norm(after) == "weekend" and text.norm(after + 1) in BESIDE_A_WEEK - {"of"}:
        return NthWeekendOfPeriod(nth=nth), after + 1
    is_weekend = text.norm(after) == "weekend"
    weekday = _SATURDAY if is_weekend else WEEKDAYS.get(text.norm(after))
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
