"""The words dates are made of, in English."""

from ..language.numbers import NUMBER_WORDS
from ..language.text import phrases, word_set
from .days import Part, Which

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

MONTHS_ALSO_WORDS = word_set("may march mar jan dec jun apr oct nov sep sept august")
"""Names that count as a month without a day only after a word such as "in"."""

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

ORDINALS = {name: number for number, name in enumerate(_ORDINAL_NAMES, start=1)} | {"thirtieth": 30}
ORDINAL_ENDINGS = word_set("st nd rd th")

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
ORDINAL_DIGITS = word_set("1 2 3 4 5")
WEEKS_OF_A_MONTH: dict[int, Part] = {1: "week 1", 2: "week 2", 3: "week 3", 4: "week 4", -1: "last week"}
HALVES: dict[int, Part] = {1: "first half", 2: "second half", -1: "second half"}
SEASONS = {"spring": 3, "summer": 6, "summertime": 6, "autumn": 9, "fall": 9, "winter": 12}
BEFORE_A_SEASON = word_set("in during this next over coming early late of")
ANY_DAY = phrases(
    "any day", "any time", "anytime", "sometime", "some time", "some day", "someday", "whenever", "one day"
)
TODAY = word_set("today tonight")
TOMORROW = word_set("tomorrow tomorrows")
NIGHTS_OF_A_LONG_WEEKEND = 3
BESIDE = {"before": True, "after": False}

WHICH: dict[str, Which] = {
    "next": "next",
    "this": "this",
    "coming": "coming",
    "upcoming": "coming",
    "following": "following",
}

PARTS_OF_A_DAY = word_set("day evening night afternoon date")
UP_TO = word_set("- → to until till til through thru")
"""What may stand between the two ends of a range."""

BEFORE_A_WEEKDAY = word_set("on this next coming from to until till by -")
BEFORE_A_DAY = word_set(
    """
    the on from to until till til through by for - and , departing leaving arriving returning return back
    maybe try not
    """
)
BOUNDS = frozenset({"", ".", "!", "?", ";", ":"})
"""What a sentence begins behind and ends before; "" is the end of the message."""

AROUND_A_DAY = BOUNDS | word_set(", please works would is maybe and or thanks ok then back")
"""What may follow an ordinal that stands alone: "the 8th, please"."""

BEHIND_A_WEEKEND = word_set("instead then rather please") | {""}
"""Behind a message that begins with "weekend" these tell that it says nothing else."""

BEFORE_BARE_DAYS = word_set("from between of for dates")
"""Before one of these two plain numbers are days: "from 2 to 23"."""

AFTER_NO_DAYS = word_set("am pm o'clock a : . % $ € £ euro euros dollars people")
BEFORE_A_MONTH = word_set("in during of for until by around sometime")

COUNTED = word_set(
    """
    people persons person pax passengers passenger adults adult guests guest travellers travelers rooms
    room nights night stars star days weeks tickets seats kids children child stops stop
    """
)
"""Before one of these a number counts something and is no day of a month."""

AFTER_NO_DAY = word_set("floor avenue ave street st class time century row edition place option one")
"""After an ordinal these say that it is no day: "the 5th floor"."""

CURRENCIES = word_set("€ $ £ ¥ euro euros eur dollars dollar usd pounds gbp bucks yen")

DAY_UNITS = {"day": 1, "days": 1, "week": 7, "weeks": 7, "fortnight": 14, "fortnights": 14}
NIGHT_UNITS = {"night": 1, "nights": 1}
MONTH_UNITS = word_set("month months")
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
        "today",
        "tonight",
        "couple",
        "pair",
        *ORDINALS,
        *WHICH,
        *PARTS,
    }
    | TOMORROW
    | MONTHS.keys()
    | WEEKDAYS.keys()
    | WEEKDAYS_ALSO_WORDS.keys()
    | NUMBER_WORDS.keys()
    | SEASONS.keys()
    | NTH.keys()
)
"""The words a date can begin with, besides digits."""

AFTER_A_STAY = word_set(
    """
    trip stay visit vacation holiday getaway break travel itinerary journey tour from starting beginning
    """
)
"""After "5 days" or "5-day" these make it a length of stay."""
