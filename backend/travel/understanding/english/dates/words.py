"""The words dates are made of, in English."""

from ..language.numbers import NUMBER_WORDS
from ..language.tables import phrases_of, words_of
from ..language.text import word_set
from .days import Part, Which

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
BEGINNINGS = frozenset(
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
