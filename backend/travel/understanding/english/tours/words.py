"""The words that make a list of cities a tour, and those that change one, in English."""

from ..language.text import phrases, word_set

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
    "starting and ending", "start and end", "to and from",
)  # fmt: skip
DOES_NOT_RETURN = phrases(
    "one way", "one-way", "no return", "without a return", "without returning", "not back",
    "no need to return", "don't need to return", "do not need to return", "don't return", "do not return",
    "no way back",
    "don't come back", "open jaw", "open-jaw",
)  # fmt: skip
STARTS = phrases(
    "starting and ending in", "starting and ending at", "start and end in", "starting point is", "start is",
    "to and from", "home is", "depart from and return to", "based in",
)  # fmt: skip
"""Before a city these make it the start, beside what does so anywhere."""

ADDS = phrases(
    "and", "add", "also", "plus", "include", "including", "too", "as well", "on top", "put in", "throw in",
)  # fmt: skip
REMOVES = phrases(
    "without", "skip", "drop", "not", "no", "leave out", "remove", "except", "instead of", "forget", "minus",
    "take out", "cut", "scrap", "swap", "replace", "rather than", "lose",
)  # fmt: skip
WORDS_TO_WHAT_IS_REMOVED = 2
LONGEST_CHANGE = 25
