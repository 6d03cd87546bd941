"""The words that make a list of cities a tour, and those that change one, in English."""

from ..language.tables import words_of
from ..language.text import word_set

_PLACES_WORDS = words_of("places")


CHAINS = _PLACES_WORDS.joins_a_pair
"""Nothing but these between three cities or more puts them in order."""


OF_A_LEG = CHAINS | word_set("back on from fly flying flight flights and then return returning home going go")
"""All that may stand between the two ends of a flight beside its day."""


MOST_NIGHTS = 30

ENDS_OF_A_LIST = word_set(", . ; ! ? and & + - > → / in from for with any starting back") | {""}
OR = "or"
WORDS_TO_EACH = 3


WORDS_TO_WHAT_IS_REMOVED = 2
WORDS_TO_WHAT_IS_SWAPPED = 2
LONGEST_CHANGE = 25
