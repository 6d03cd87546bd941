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

ALL_WEEKDAYS = WEEKDAYS.keys() | WEEKDAYS_ALSO_WORDS.keys()
LAST_OF_A_LIST = 5
"""An ordinal up to this one may be that of an offer in a list: "book 2nd"."""

ORDINALS = {name: number for number, name in enumerate(_ORDINAL_NAMES, start=1)} | {"thirtieth": 30}
ORDINAL_ENDINGS = word_set("st nd rd th")

WHOLE = word_set("whole entire all full")
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
WEEKS = frozenset(WEEKS_OF_A_MONTH.values())
HEDGES = phrases("i think", "i guess", "i suppose", "i'd say", "maybe", "probably", "perhaps", "if possible")
"""Behind a length of stay that is a thought of its own: "two weeks i think"."""

BESIDE_A_WEEK = word_set(
    ", . ! any please then is would works maybe or of instead pls thanks rather actually sorry -"
) | {""}
"""What follows "the second week" of a month that was told before."""

HALVES: dict[int, Part] = {1: "first half", 2: "second half", -1: "second half"}
SEASONS = {"spring": 3, "summer": 6, "summertime": 6, "autumn": 9, "fall": 9, "winter": 12}
BEFORE_A_SEASON = word_set("in during this next over coming early late of")
ANY_DAY = phrases(
    "any day", "any time", "anytime", "sometime", "some time", "some day", "someday", "whenever", "one day"
)
TODAY = word_set("today tonight")
TOMORROW = word_set("tomorrow tomorrows")
AS_SOON_AS_CAN = phrases(
    "asap", "a.s.a.p.", "as soon as possible", "as soon as i can", "as soon as we can", "soonest possible",
    "next available flight", "first available flight",
)  # fmt: skip
SOON_IS_AN_ANSWER = word_set(
    "book booked reserve hold cancel reply answer tell know confirm confirmation stop help respond back clean"
)
"""With one of these "as soon as possible" is about us and not about the journey."""
TRAVELS = phrases(
    "get to", "go to", "fly", "flying", "flight", "flights", "travel", "leave", "depart", "be in", "get home",
    "be home", "said asap", "said as soon", "hotel in",
)  # fmt: skip
SOON_ALONE = 4
"""Tokens of a message that answers when: "asap please"."""

LATER = word_set("later after afterwards")
BASES = word_set("that today tomorrow christmas easter new my our we i the") | NUMBER_WORDS.keys()
"""Behind "two days after" these tell from which day it counts."""

FOR_SO_LONG = word_set("for stay staying spanning lasting about around roughly")
ROUGHLY = word_set("about around roughly approximately approx some maybe ca circa")
SO_LONG_ALONE = word_set("week fortnight")
AFTER_A_WEEK = word_set(", please in from with at flying leaving departing")
NO_STAY_BEHIND = word_set("later earlier after before ago from off in ahead prior early late sooner")
BEFORE_POINTS = word_set("the on from until till til vom am den bis")
BEFORE_A_TIME = word_set("at by before after around about until till since")
BEFORE_A_SPELLED_DAY = word_set("on until till til by from")
AFTER_A_SPELLED_DAY = word_set(
    ", after before at around in and to from with please then or instead for returning back until late early"
) | word_set("any whenever")
BEHIND_A_PLAIN_ORDINAL = AFTER_A_SPELLED_DAY | word_set("works would is maybe ok thanks if so but for")
EVE = word_set("day evening night")

NIGHTS_OF_A_LONG_WEEKEND = 3
BESIDE = {"before": True, "after": False}

WHICH: dict[str, Which] = {
    "next": "next",
    "this": "this",
    "coming": "coming",
    "upcoming": "coming",
    "following": "following",
}

PARTS_AFTER_A_WEEKDAY = word_set("am pm eve evening morning afternoon night")

BEFORE_ANOTHER_DAY = word_set("first thing early else maybe possibly on even")
"""Between "or" and the other day of a choice: "tonight or first thing tomorrow"."""

PARTS_OF_A_DAY = word_set("day evening night afternoon date morning")
UP_TO = word_set("- → to until till til through thru")
"""What may stand between the two ends of a range."""

BEFORE_A_WEEKDAY = word_set(
    "on this next coming from to until till by - back return returning leave leaving fly flying ret"
)
BEFORE_A_DAY = word_set(
    """
    the on from to until till til through by for - and , departing leaving arriving returning return back
    leave leaves depart fly
    maybe try not
    """
)
BOUNDS = frozenset({"", ".", "!", "?", ";", ":"})
"""What a sentence begins behind and ends before; "" is the end of the message."""

BEHIND_A_WAY_BACK = BOUNDS | word_set("please instead then , if and rather")
"""Behind "Wednesday back" these end what is said of that day."""

COMES_BACK = word_set("back return returning returns home until till til")
"""Right before a plain number these tell that it is a day: "back 16", "until 17"."""

TO_A_PLAIN_DAY = word_set("on can could be also is date day should would maybe might even and as well too")
"""Between such a word and the number these may stand: "return can be also 29"."""

BEFORE_A_PLAIN_DAY = COMES_BACK | word_set("on from by leave leaving depart arrive arriving go fly to or")
"""Before "the" and a plain number these tell that it is a day: "I come back on the 14"."""

AFTER_A_PLAIN_DAY = BOUNDS - {":"} | word_set(
    ", and please then instead thanks ok if but with in for or back return returning coming until till from"
)

AROUND_A_DAY = BOUNDS | word_set(", please works would is maybe and or thanks ok then back")
"""What may follow an ordinal that stands alone: "the 8th, please"."""

BEHIND_A_WEEKEND = word_set("instead then rather please") | {""}
"""Behind a message that begins with "weekend" these tell that it says nothing else."""

CHANGES_A_LENGTH = word_set("shorten shortened extend extended prolong cut reduce stretch lengthen")
"""With one of these "to 5 days" tells how long the journey becomes."""
CHANGES_DAYS = word_set(
    "change changed move moved switch shift push reschedule postpone prepone update modify"
)
"""Words that lead to other days: "move it to 6-9"."""
BEFORE_PLAIN_DAYS = BOUNDS | word_set(
    ", it try then sorry do maybe say rather hotel dates now - no fly flying travel travelling traveling is"
)
AFTER_PLAIN_DAYS = BOUNDS | word_set(
    ", instead please then thanks rather ok works if cheaper better possible available also"
)
TELLS_HOURS = word_set(
    """
    am pm o'clock time times hour hours morning evening afternoon noon leave leaves leaving depart departs
    departing arrive arriving between clock nights stars rooms
    """
)
"""With one of these "9-11" may be hours, or something that is counted."""

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
        "that",
        "previous",
        "today",
        "tonight",
        "couple",
        "pair",
        *AS_SOON_AS_CAN,
        *ORDINALS,
        *WHICH,
        *WHOLE,
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
    trip stay visit vacation holiday getaway break travel itinerary journey tour from starting beginning over
    away off
    """
)
"""After "5 days" or "5-day" these make it a length of stay."""
WEEK_UNITS = word_set("week weeks wk wks")
BEFORE_THE_WEEKEND = word_set(", for over at on just only the a")
BEHIND_ITS_WEEKEND = word_set("of after before in")
"""Behind "the weekend" these tell which one it is: "in a week, the weekend of 5 May"."""
