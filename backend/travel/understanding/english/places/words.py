"""What one has to know about English to tell a place from a word."""

from ..language.tables import phrases_of, words_of
from ..language.text import Phrases, word_set

_SAID = phrases_of("places")
_WORDS = words_of("places")


def last_words(*sets: Phrases) -> frozenset[str]:
    """Return the last words of phrases: what stands right before the place they introduce."""
    return frozenset(phrase[-1] for some in sets for several in some.values() for phrase in several)


ORDINARY_WORDS = (_WORDS.false_friends - _WORDS.travelled_to - word_set("fes")) | word_set(
    """
    ablow abs ada adrian afore agen albert alexandra alma along alpha alta ambler andrews annette
    anthony argyle ashley aspen aurora bam banana beaver beverly bishop bol bole boulder boundary brady
    branches brandon britton bryan burns butte candle caro carroll cascade casper ceres chadron chester
    claris clayton clinton cody colby coleman colon columbia coro council craig cruz cue dillon dole
    douglas duncan eagle edwards eek errol eugene eunice eureka everett flat foley forbes gage gander
    gary george gladwin globe goba gooding gordon gore goto grants hail hampton hana havre hay helena
    hickory hinton hobbs homer hon hudson hughes hugo humera islands jackpot jasper jena johnson jordan
    jos junction kaiser lamar lander lar laura laurel leon leonora lock logan lonely louisa lower
    madison magan man marina marion marks mayo mena mesa midland miles minto mongo mora morris mullen
    nan nancy needles nelson newman norman ogle page parkes parsons perm perry philip pica pierre po
    powell pratt punia ranger regina rifle rogers rolla rosario roundup ruby russell ruston salem sari
    saul scone searcy sege selma seymour shelby sherman shire shirley sidney singleton sion snyder solo
    spencer stanley stanton station stewart stow stroud stuart summit sur tak tame taylor temple terrace
    tete tiko tok tyler una upland urbana vernon wa wales ware warren wick willow willows winder wink
    winslow wise young zero
    """
)
"""Names of towns that are words of every day, and of people: one of these counts only with a capital letter
and a preposition, or with its country. "Coming along" is not Along in India.
"""


ORDINARY_NAMES = frozenset(
    {
        "big spring", "bird island", "center island", "cold bay", "college park", "college station",
    "garden city", "green river", "half moon bay",
    "hall beach", "high level", "hill city", "junction city",
        "king city", "lands end", "lone rock", "mount house", "north bay", "old harbor", "old town",
        "park falls", "red dog", "rock hill", "show low", "spring point", "state college",
        "the pas", "union city", "union island", "universal city", "west branch", "west end", "west point",
    }
)  # fmt: skip
"""Of several words likewise: "the old town" is part of any city."""


BEFORE_A_ROUTE = word_set("flight flights fly ticket tickets hi hello : , .") | {""}


SENTENCE_BOUNDS = frozenset({"", ".", "!", "?", ";"})
CLAUSE_BOUNDS = SENTENCE_BOUNDS | {",", "-", ":"}
TRAVELS = {
    "to": word_set("flight flights fly flying plane trip travel travelling traveling go"),
    "from": word_set("flight flights fly flying plane"),
    "in": word_set("hotel hotels hostel hostels accommodation"),
}
"""Words that go with a preposition, so that a place must follow even where it is written small."""

INTRODUCTIONS = last_words(_SAID.from_word, _SAID.to, _SAID.in_word, _SAID.back, _SAID.turns_to)
