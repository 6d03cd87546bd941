"""The words that make a list of cities a tour, and those that change one, in English."""

from ..language.text import phrases, word_set
from ..places.words import JOINS_A_PAIR

ANY_ORDER = phrases(
    "any order", "whatever order", "whichever order", "either order", "best order", "cheapest order",
    "no particular order", "order doesn't matter", "order does not matter", "order is up to you",
    "multi-city", "multi city", "multicity", "multi-stop", "multi stop", "multi-leg", "multi-destination",
    "best route", "cheapest route", "optimal route", "several cities", "these cities", "following cities",
    "city hopping", "city-hopping", "interrail", "interrailing", "one after the other", "in any sequence",
)  # fmt: skip
"""With one of these two cities are a tour."""

THROUGH = phrases(
    "trip through", "tour of", "tour through", "tour around", "travel through", "travelling through",
    "traveling through", "journey through", "trip around", "travel around", "travelling around",
    "traveling around", "trip across", "trip covering", "route through",
)  # fmt: skip
"""So are they with one of these, right before the list."""

VISITS = phrases(
    "visit", "visiting", "see", "seeing", "tour", "plan a trip", "plan my trip", "plan our trip",
    "plan a journey", "plan a holiday", "plan a vacation", "planning a trip", "trip to", "travel to",
    "go to", "going to", "stop in", "stopping in", "stops in", "explore", "hit", "plan", "do",
)  # fmt: skip
"""With one of these three are, or two with so many nights in each."""

THEN = word_set("then after afterwards afterward next finally followed onwards onward later")
"""Between two cities one of these puts the second after the first."""

CHAINS = JOINS_A_PAIR
"""Nothing but these between three cities or more puts them in order."""

ON_THE_WAY = THEN | word_set(
    """
    to - → > / , . ; ( ) and on from
    there for after that by go going fly flying continue continuing head heading
    travel we i want would like a the in stay staying spend nights night days day plus second third last first
    stop with over at train plane it my our way back visit visiting see i'd we'd we'll i'll add few
    """
)
"""All that may stand between them beside days and nights."""

ORDERS = phrases(
    "then", "after that", "afterwards", "followed by", "next", "finally", "onwards", "onward",
    "on the way back", "on the way home",
)  # fmt: skip
OF_A_LEG = CHAINS | word_set("back on from fly flying flight flights and then return returning home going go")
"""All that may stand between the two ends of a flight beside its day."""

BETWEEN_LEGS = ON_THE_WAY | word_set(
    "flight flights leg fly from depart leaving leave : return returning home"
)
BEFORE_A_STAY = word_set("in at for of")
BEFORE_A_STAY_TOLD_APART = word_set(", ; . : ( and with")
BEFORE_NIGHTS = word_set(": for (")
LOOPS = phrases("loop", "circuit", "round trip", "round-trip", "roundtrip", "itinerary")
BACK_TO = phrases("back to", "back in", "return to", "returning to", "home to")
NIGHTS_IN = phrases("nights in", "night in", "days in", "day in")
NOT_EXACTLY = word_set("earliest after before not between from since within during")
"""Before a day these tell that a journey begins on it or later."""

MOST_NIGHTS = 30
BEFORE_MORE_NIGHTS = word_set(", and & then plus + ;")
"""After one of these a number without a unit tells nights as well: "3 nights in Prague, 2 in Vienna"."""

OF_A_LIST = word_set(", and & + - > → / then the to")
ENDS_OF_A_LIST = word_set(", . ; ! ? and & + - > → / in from for with any starting back") | {""}
OR = "or"
EACH = word_set("each every per apiece everywhere")
WORDS_TO_EACH = 3
NIGHTS = word_set("night nights day days")
RETURNS = phrases(
    "and back", "back to", "back in", "round trip", "round-trip", "roundtrip", "return to", "returning to",
    "fly back", "flying back", "back home", "there and back", "come back", "coming back", "back again",
    "return home", "back at the end", "and return", "go back", "home again", "back where", "return flight",
    "starting and ending", "start and end", "to and from", "then home", "and home", "on the way back",
    "on the way home", "then back", "fly home",
    "home from", "loop", "circuit", "home after", "back to where", "finally home", "home at the end",
)  # fmt: skip
DOES_NOT_RETURN = phrases(
    "one way", "one-way", "no return", "without a return", "without returning", "not back",
    "no need to return", "don't need to return", "do not need to return", "don't return", "do not return",
    "no way back",
    "don't come back", "open jaw", "open-jaw",
)  # fmt: skip
OPEN_JAW = phrases("open jaw", "open-jaw", "openjaw")
"""Of such a journey the way between its cities is not flown."""

STARTS = phrases(
    "starting and ending in", "starting and ending at", "start and end in", "starting point is", "start is",
    "to and from", "home is", "depart from and return to", "based in",
)  # fmt: skip
"""Before a city these make it the start, beside what does so anywhere."""

BEGINS_WITH = phrases(
    "start with", "start in", "starting with", "begin with", "begin in", "beginning with", "first"
)
ENDS_WITH = phrases(
    "end with", "end in", "ending in", "finish in", "finish with", "finally", "lastly", "last"
)
IN_BETWEEN = phrases(
    "in between",
    "inbetween",
    "between them",
    "between those",
    "between the two",
    "in the middle",
    "on the way",
)
IN_THAT_ORDER = phrases("in that order", "in this order", "that order", "in the order i said", "as listed")
ADDS = phrases(
    "and", "add", "also", "plus", "include", "including", "too", "as well", "on top", "put in", "throw in",
)  # fmt: skip
REMOVES = phrases(
    "without", "skip", "drop", "not", "no", "leave out", "remove", "except", "instead of", "forget", "minus",
    "take out", "cut", "scrap", "swap", "replace", "rather than", "lose",
)  # fmt: skip
WORDS_TO_WHAT_IS_REMOVED = 2
SWAPS = phrases("swap", "switch", "exchange", "reverse", "flip", "swap around", "switch around", "swap round")
SWAPPED_WITH = word_set("and with & for")
OTHER_WAY = phrases(
    "the other way round", "the other way around", "other way round", "other way around", "in reverse",
    "swapped", "switched", "reversed",
)  # fmt: skip
WORDS_TO_WHAT_IS_SWAPPED = 2
LONGEST_CHANGE = 25
